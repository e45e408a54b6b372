// XNNPACK since ExecuTorch 0.7 runs a chain of quantised elementwise nodes as one table of 256 entries. Its profile
// calls that "Invalid Unary Op"; which nodes it stands for follows from the payload.
#pragma once

#include <cstdint>
#include <vector>

#include "inspector/ingest/program_facts.h"

namespace et::inspector {

/// Chains of at least two nodes that XNNPACK replaces by a table, each in execution order: the event stands where the
/// last of them stood. After xnn_subgraph_fuse_unary_quantized_into_lut.
std::vector<std::vector<int32_t>> find_lookup_chains(const std::vector<PayloadNode>& nodes);

}  // namespace et::inspector
