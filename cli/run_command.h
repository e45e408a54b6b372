// The program et-run: its one command and its options.
#pragma once

#include "cli/option_table.h"

namespace et::cli {

const ProgramSpec& et_run();

}  // namespace et::cli
