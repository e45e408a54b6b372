// From the words of a command line to a trace: opens the selected store, or imports the ETDump with its ETRecord,
// program and debug buffer into the store of --store or into memory. Every command that reads a trace starts here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/arguments.h"
#include "inspector/ingest/ingest.h"
#include "inspector/store/store.h"

namespace et::cli {

struct TraceSource {
  inspector::Store store;
  int64_t trace_id = 0;
  bool imported = false;                                                 // false: the trace was in the store already
  inspector::Store::Mode without_file = inspector::Store::Mode::Memory;  // how a trace that is not kept is held
};

/// Whether TRACE has to name one trace.
enum class Selection {
  OneTrace,  // a store with several traces needs #number, #name or @latest
  Optional,  // without a selector trace_id stays 0 (the whole store)
};

/// Opens what the positional "trace" and the options of kInputOptions name; without the positional, ETRecord and
/// program become a trace without times. Errors: as the import's and the store's; where files seem to be swapped the
/// message says so. Usage errors have the code InvalidArgument.
Status open_trace_source(const Arguments& args, TraceSource* out, Selection selection = Selection::OneTrace);

/// The exit code that the trace's own diagnostics ask for: a damaged ETRecord or program kExitInput, data loss
/// kExitIncomplete, an ETRecord or program that belongs to something else kExitDifference, else kExitOk.
int exit_code_of_trace(const TraceSource& source);

/// Prints the import's data losses and errors as warnings, for commands whose output does not show them.
void warn_of_diagnostics(const Arguments& args, const TraceSource& source);
/// "ERROR: …" above a table or markdown where an ETRecord or program is of another model, in a file as well; "" else.
std::string foreign_head(const std::string& format, const TraceSource& source);
/// write_output() of what a command says about a trace: foreign_head() above it, and exit_code_of_trace() unless
/// another code is given.
int write_trace_output(const Arguments& args, const TraceSource& source, const std::string& text,
                       std::optional<int> exit_code = {});

}  // namespace et::cli
