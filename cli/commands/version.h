// The text of --version.
#pragma once

#include <string>

#include "cli/option_table.h"

namespace et::cli {

std::string version_text(const ProgramSpec& program);

}  // namespace et::cli
