// The text of --help, from the option table.
#pragma once

#include <string>

#include "cli/option_table.h"

namespace et::cli {

/// `width` columns (0: 100), headings in bold when `color`.
std::string help_text(const ProgramSpec& program, const CommandSpec& command, int width, bool color);

// Pieces that the man pages share.
/// "-e, --etrecord FILE".
std::string option_heading(const OptionSpec& option);
/// The help sentence with choices, default and repetition behind it.
std::string option_sentence(const OptionSpec& option);
/// The lines "et-inspect [OPTIONS] TRACE", one a way to call it.
std::vector<std::string> usage_lines(const ProgramSpec& program, const CommandSpec& command);

}  // namespace et::cli
