// --checks of the main command: results of et-check go into the store of the trace, or are looked at alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "inspector/store/store.h"

namespace et::cli {

struct CheckInput {
  std::vector<int64_t> runs;  // check runs, in the order of the command line
  bool failed = false;        // one of their checks failed
};

/// Adds the results of every --checks to `store`; those that it has already are said as a warning. Errors: as
/// inspector::import_check_file.
Status add_checks(const Arguments& args, inspector::Store& store, CheckInput* out);

/// True when the command line asks for checks and nothing else: --checks without a trace, record or program, or a store
/// that holds checks, but no trace.
bool asks_for_checks_only(const Arguments& args);
/// Prints the verdicts of the runs given, else of the store's newest. Returns the exit code.
int report_checks(const Arguments& args);

/// The verdicts as text behind a trace's report; "" without --checks.
Status checks_section(const Arguments& args, const inspector::Store& store, const CheckInput& checks, std::string* out);

}  // namespace et::cli
