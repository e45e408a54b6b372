// What et-run, et-check and et-inspect-gui have in common as programs: the main command also prints man page and
// completions.
#pragma once

#include <string_view>

#include "cli/arguments.h"
#include "cli/shared_options.h"

namespace et::cli {

/// main() of a program with the options --version, --man and --completion: parses, answers what is asked about the
/// program itself, else calls the command. Returns the exit code; no exception leaves it.
int run_program(const ProgramSpec& program, int argc, char** argv);

/// To standard output, or to --output where that is the place of the text. Returns an exit code.
int print_text(const Arguments& args, std::string_view text);

}  // namespace et::cli
