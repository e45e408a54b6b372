// The variants of 64-bit ARM beyond the baseline, for loops.cpp.
#pragma once

#include <vector>

#include "runtime/backends/xnnpack/compute/loops.h"

namespace et::xnn {

/// Behind the baseline, which is the first: those that this processor can run.
void add_neon_tables(std::vector<LoopTables>* tables);

}  // namespace et::xnn
