// Which instructions of a chain an execution visits, and how often, told from the program alone: numbers that it works
// out with sizes (`executorch_prim`, as the loops of map and scan do) are worked out here, too. Where a jump depends on
// data, both ways are followed up to where they meet again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/format/program.h"

namespace et::inspector {

struct ChainPath {
  std::vector<uint64_t> fewest, most;  ///< visits of each instruction
  uint32_t branches = 0;               ///< jumps that depend on data, each counted once
  uint32_t loops = 0;                  ///< loops whose end depends on data: `most` is for the trips that were given
  bool cut = false;                    ///< too long to follow: `most` is what was followed
  bool straight() const { return branches == 0 && !cut; }
};

/// `weights`: what a visit of each instruction costs, by which ways are compared. `trips`: of loops whose end depends
/// on data.
ChainPath follow_chain(const format::Method& method, uint32_t chain, std::span<const uint64_t> weights, uint64_t trips);

}  // namespace et::inspector
