// Man pages in roff (man macros), from the option table. No dates: the same build gives the same bytes.
#pragma once

#include <string>
#include <string_view>

#include "cli/option_table.h"

namespace et::cli {

std::string man_page(const ProgramSpec& program, const CommandSpec& command);

/// "et-inspect" or "et-inspect-sql": the page's name, without the section.
std::string man_page_name(const ProgramSpec& program, const CommandSpec& command);

/// Text as roff shows it: backslashes, dashes and leading dots do not become requests.
std::string roff(std::string_view text);

}  // namespace et::cli
