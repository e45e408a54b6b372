// et-check bundle and et-check extract: put test cases to a program, and take them out again.
#pragma once

#include "cli/option_table.h"

namespace et::cli {

extern const CommandSpec kBundleCommand;
extern const CommandSpec kExtractCommand;

}  // namespace et::cli
