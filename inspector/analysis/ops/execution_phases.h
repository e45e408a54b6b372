// Runs by the phase that the application named.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Runs of a block that the application gave a phase, as `et-run --phase`; "" for those without.
struct BlockPhase {
  std::string name;
  int64_t runs = 0;
  double total = 0;
};

using PhasesOfBlocks = std::map<int64_t, std::vector<BlockPhase>>;

/// By block, in order of appearance. Reads all runs. Errors: InvalidExternalData (damaged store).
Status count_phases(const Store& store, int64_t trace_id, PhasesOfBlocks* out);

}  // namespace et::inspector
