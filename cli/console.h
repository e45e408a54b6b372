// What goes to standard error, and what the terminal can do. Lines look like `et-inspect: error: <file>: <cause>`.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "cli/arguments.h"

namespace et::cli {

/// What lines begin with; static storage. et-inspect until it is set.
void set_program_name(const char* name);
void print_error(std::string_view text);
/// Nothing under --quiet.
void print_warning(const Arguments& args, std::string_view text);
/// What the command did that nobody asked for. Nothing under --quiet.
void print_note(const Arguments& args, std::string_view text);
void print_hint(std::string_view text);

/// Prints the error and returns its exit code.
int fail(const Status& status);
int fail(int exit_code, std::string_view text);

/// --color, NO_COLOR, TERM and whether the output is a terminal.
bool use_color(const Arguments& args);
/// False when LC_ALL, LC_CTYPE or LANG (the first that is set) names a locale without UTF-8, such as C: text for people
/// does without drawn lines and signs then. Files, JSON and tables for programs stay UTF-8.
bool locale_has_utf8();

/// Columns of the terminal that the output goes to; of another standard output what COLUMNS says; 0: no limit.
int output_width(const Arguments& args);

}  // namespace et::cli
