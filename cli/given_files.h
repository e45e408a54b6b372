// The files of a parsed command line: what comes through pipes, and what is found beside them.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "cli/arguments.h"

namespace et::cli {

/// Reads what comes through pipes now, once, so that later looks and child processes get the same bytes. Errors:
/// AccessFailed.
Status read_given_streams(const Arguments& args);

/// Files that nobody named are inputs, too: no output may replace them. Errors: InvalidArgument.
Status check_found_files(const Arguments& args, const std::vector<std::string>& paths);

}  // namespace et::cli
