// et-check PATH...: the main command.
#pragma once

#include "cli/option_table.h"

namespace et::cli {

extern const CommandSpec kCheckCommand;

}  // namespace et::cli
