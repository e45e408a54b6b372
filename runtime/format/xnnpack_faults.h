// What upstream's exporter gets wrong in XNNPACK payloads that are sound otherwise. docs/delegates.md says how it
// arises and what runtimes do with it.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/format/xnnpack_payload.h"

namespace et::format {

/// Positions of the values that nodes read although no node writes them, and they are neither constants nor arguments.
std::vector<uint32_t> unwritten_values(const XnnpackPayload& payload);

/// Positions of the nodes with float activations and a bias in int32.
std::vector<uint32_t> float_nodes_with_int32_bias(const XnnpackPayload& payload);

}  // namespace et::format
