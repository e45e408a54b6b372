// Which nodes of an XNNPACK payload run as one where no intermediate value is asked for: bounds behind what they bound,
// padding and quantisation in front of what reads them, rows of elementwise operators.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/format/xnnpack_payload.h"

namespace et::inspector {

/// Groups in the order in which they run; each has its nodes, the one that names it first.
std::vector<std::vector<uint32_t>> fused_nodes(const format::XnnpackPayload& payload);

}  // namespace et::inspector
