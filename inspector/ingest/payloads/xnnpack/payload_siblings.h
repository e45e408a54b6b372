// One operator of the model may become several edge operators of one debug handle (linspace: four products). Which of
// them a payload node is, its type does not tell: what it reads from and is read by does, then its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "inspector/ingest/method_graph.h"
#include "inspector/ingest/program_facts.h"

namespace et::inspector {

/// `fits`: the graph nodes that the payload node may be, in the order of the graph. -1 where the method has another
/// number of payload nodes of that handle and type than there are.
int32_t node_among_siblings(const MethodGraph& graph, const MethodFacts& method, const std::vector<int32_t>& fits,
                            size_t delegate, size_t node);

}  // namespace et::inspector
