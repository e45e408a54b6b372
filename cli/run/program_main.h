// What et-run and et-check have in common as programs: one command, which also prints its own man page and completions.
#pragma once

#include <string_view>

#include "cli/arguments.h"
#include "cli/option_table.h"

namespace et::cli {

// Options that run_program() answers; they stand in the program's table, so that --help lists them.
inline constexpr OptionSpec kVersionOption = {.name = "version", .help = "print the version"};
inline constexpr OptionSpec kManOption = {.name = "man", .alone = true, .help = "print the man page, in roff"};
inline constexpr OptionSpec kCompletionOption = {.name = "completion",
                                                 .argument = "SHELL",
                                                 .type = Value::Choice,
                                                 .choices = "bash|zsh|fish",
                                                 .complete = Complete::Choices,
                                                 .alone = true,
                                                 .help = "print a completion script"};

/// main() of a program whose table has one command and the options above: parses, answers what is asked about the
/// program itself, else calls the command. Returns the exit code; no exception leaves it.
int run_program(const ProgramSpec& program, int argc, char** argv);

/// To standard output, or to --output where that is the place of the text. Returns an exit code.
int print_text(const Arguments& args, std::string_view text);

}  // namespace et::cli
