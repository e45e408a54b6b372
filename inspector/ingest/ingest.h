// Import: one ETDump with what belongs to it becomes one trace of a store, in one transaction. An ETRecord or a program
// without an ETDump becomes a trace without blocks: it has graph, delegates and memory plan, but no times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Files by importer (inspector/ingest/importers.h), and how to read them.
struct IngestInputs {
  std::string dump;                                      // ETDump, or "" with an ETRecord or a program
  std::string record;                                    // ETRecord, or ""
  std::string program;                                   // .pte, or ""
  std::string debug_buffer;                              // tensors of debug events, or ""
  std::map<std::string, std::string, std::less<>> more;  // of importers without a member here, by option

  std::vector<std::string> found;  // importers' options of files that nobody named: used only where they belong
  std::map<std::string, std::string> left_out;  // of those that do not: by option the file, and why

  std::string method;                        // that ran, where the caller knows and the dump does not say it; or ""
  int64_t dump_index = -1;                   // of several ETDumps in a serial log, from 0; -1: the last
  std::string trace_name;                    // name in the store, or ""
  std::string source_time_scale = "ns";      // unit of the ETDump's ticks: ns, us, ms, s, cycles
  std::vector<std::string> delegate_clocks;  // texts of --delegate-clock, e.g. "QnnBackend=cycles@1.2GHz"

  bool was_found(std::string_view option) const { return std::find(found.begin(), found.end(), option) != found.end(); }
};

/// Stage of the work, and how much of it is done; total 0 when unknown. Called a few times a second at most.
/// Returning false cancels the import: nothing of the trace is kept.
using Progress = std::function<bool(const char* stage, uint64_t done, uint64_t total)>;

struct IngestResult {
  int64_t trace_id = 0;
  bool data_loss = false;  // something of the ETDump could not be read: exit code 4
  bool mismatch = false;   // ETRecord or program belong to something else: exit code 1
  /// Of IngestInputs::found: options of files that do not belong to the others, and why. Then nothing was imported.
  std::map<std::string, std::string> foreign = {};
};

/// Imports into `store`. On an error the store is as it was before.
/// Errors: AccessFailed and InvalidExternalData/InvalidProgram for unreadable files (exit code 3), InvalidArgument for
/// contradictory options or no file at all (exit code 2); the message names file, place and cause.
Status ingest(Store& store, const IngestInputs& inputs, const Progress& progress, IngestResult* result);

}  // namespace et::inspector
