// The shapes of what an op reads and makes, as the graph has them: why one matrix product takes twice as long as
// another of the same line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "gui/core/trace_data.h"

namespace et::gui {

class OpShapes {
 public:
  OpShapes() = default;
  explicit OpShapes(const TraceData& data);

  bool empty() const { return by_node_.empty(); }
  /// "[1,49,96] [288,96] → [1,49,288]", of its main node: the tensors that it reads without biases and the like, and
  /// what it makes where that is of another shape; dtypes other than float32 by name. "" where no node is known.
  std::string of(const inspector::OpTable& table, const inspector::OpEntry& op) const;
  /// The same of its heaviest node of that type.
  std::string of_type(const inspector::OpTable& table, const inspector::OpEntry& op, std::string_view type) const;

 private:
  std::string of_node(const inspector::OpNode* node) const;
  std::unordered_map<int64_t, std::string> by_node_;
};

}  // namespace et::gui
