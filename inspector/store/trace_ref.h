// The address of a trace: store.db (its only trace), store.db#3 (number), store.db#name, store.db@latest. The same in
// every command and in the GUI. A plain file is an address without a selector.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct TraceRef {
  enum class Kind { Only, IdOrName, Latest };
  std::string path;  // of the store, or of the dump
  Kind kind = Kind::Only;
  std::string selector;  // IdOrName: what stands behind '#'
  std::string text;      // the address as it was given, for messages
};

/// Splits an address. A file that exists under the whole text wins, so names with '#' and '@' stay reachable; else the
/// split at the last '#' or '@' whose left side is a file wins, else the last one that makes sense.
/// Errors: InvalidArgument for an empty path or selector, and for '@' with something else than `latest` behind an
/// existing file.
Status parse_trace_ref(std::string_view text, TraceRef* out);

/// Finds the trace in an open store. A number is an id first, a name second. Kind::Only takes the only trace.
/// Errors: NotFound (no such trace, or the store is empty), InvalidArgument (several fit); both list what is there.
Status resolve_trace(const Store& store, const TraceRef& ref, int64_t* trace_id);

/// What a list of traces shows of each.
struct TraceSummary {
  int64_t id = 0;
  std::optional<std::string> name, dump_path, record_path, program_path;
  std::string unit;  // ns or cycles
  int64_t events = 0, executions = 0;
  std::optional<int64_t> execute_time;  // of all executions, in `unit`
  std::string methods;                  // names, in the order of the program; "" when none is known
  int64_t problems = 0;                 // kinds of data losses and errors that the import met
};
std::vector<TraceSummary> traces_of(const Store& store);
/// Name, else the dump's file, else that of the program or record it was made of.
std::string trace_title(const TraceSummary& trace);

/// The traces of a store in words, for messages: "#1 base, #2, #3 tuned"; long lists are cut.
std::string list_traces(const Store& store);

}  // namespace et::inspector
