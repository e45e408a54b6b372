// The edge program of one method, as the links see it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "etrecord/graph_walk.h"
#include "etrecord/record.h"

namespace et::inspector {

/// The edge program of one method with the rows of its nodes. Of an ETRecord made after the partition it is the graph
/// from before: the nodes inside of the delegate calls, which the maps and payloads speak of, are nodes of it.
struct MethodGraph {
  const etrecord::Program* stored = nullptr;         // as the ETRecord has it
  std::unique_ptr<etrecord::Program> unpartitioned;  // where that calls delegates: with their nodes in place
  const etrecord::Program* program = nullptr;        // of the two the one to link to
  std::unique_ptr<etrecord::GraphWalk> walk;
  std::vector<int64_t> row_of_node;  // by index into program->nodes

  /// Sets `program` and what is computed of it once.
  void use(const etrecord::Program& to_link);

  const etrecord::Node& node(int32_t i) const { return program->nodes[static_cast<size_t>(i)]; }
  /// True when all that a node reads is parameters, buffers and constants: the lowering can compute it ahead of time.
  bool is_constant(int32_t i) const { return constant_[static_cast<size_t>(i)]; }

 private:
  std::vector<bool> constant_;
};

}  // namespace et::inspector
