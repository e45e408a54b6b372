// What an operator is called in a trace, and the record that leads from its event to the payload.
#pragma once

#include <string>
#include <vector>

#include "runtime/backends/xnnpack/graph/operator.h"
#include "runtime/format/delegate_metadata.h"

namespace et::xnn {

/// "Fully Connected (F32, 128x384->384) node 12"; fused: "… + Clamp (…) node 12+13". Sizes are those of the payload, so
/// that runs with other shapes count as the same operator.
std::string event_name(const Graph& graph, const Operator& op, bool fused);
/// A record of runtime/format/delegate_metadata.h with the node, and with those that it absorbs.
std::vector<uint8_t> event_metadata(const Graph& graph, const Operator& op, format::DelegatePhase phase, bool fused);

}  // namespace et::xnn
