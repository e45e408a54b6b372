// The edge program of one method, as the links see it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "etrecord/graph_walk.h"
#include "etrecord/record.h"

namespace et::inspector {

/// The edge program of one method with the rows of its nodes.
struct MethodGraph {
  const etrecord::Program* program = nullptr;
  std::unique_ptr<etrecord::GraphWalk> walk;
  std::vector<int64_t> row_of_node;  // by index into program->nodes

  const etrecord::Node& node(int32_t i) const { return program->nodes[static_cast<size_t>(i)]; }
};

}  // namespace et::inspector
