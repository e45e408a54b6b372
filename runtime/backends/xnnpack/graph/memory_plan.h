// Where the values of a graph lie while it runs: lifetimes → one arena, the largest first; views and in-place results
// share memory.
#pragma once

#include <vector>

#include "runtime/backends/xnnpack/graph/operator.h"

namespace et::xnn {

class MemoryPlan {
 public:
  /// For the shapes that the values have now. `order`: the operators that run. Values whose external argument is of
  /// the same type as they are (`direct`) lie there; MemoryAllocationFailed: more than `limit` bytes.
  Error make(const Graph& graph, const std::vector<Operator*>& order, size_t limit);
  /// Bytes of the arena, scratch of the operators included.
  size_t bytes() const { return bytes_; }
  /// Sets the pointers of all values: those of arguments (`argument[value]`, null for the others) and into the arena.
  void place(Graph& graph, uint8_t* arena, const std::vector<uint8_t*>& argument) const;
  uint8_t* scratch(uint8_t* arena) const { return arena + scratch_offset_; }

 private:
  enum class Home : uint8_t { Arena, Argument, Constant, Nowhere };
  struct Block {
    Home home = Home::Nowhere;
    uint32_t holder = 0;  // Argument, Constant: the value whose pointer it is
    int64_t first = -1, last = -1;
    size_t size = 0, offset = 0;
  };
  uint32_t root(uint32_t value) const;
  void share_views(const std::vector<Operator*>& order, const Graph& graph);
  void share_in_place(const std::vector<Operator*>& order, const Graph& graph);
  Error assign_offsets(size_t limit);

  std::vector<uint32_t> parent_;  // union-find over values
  std::vector<Block> blocks_;     // valid at roots
  size_t bytes_ = 0, scratch_offset_ = 0;
};

/// True: the value lies in its argument; float16 and bfloat16 arguments are converted instead.
inline bool lies_in_argument(const Value& v) { return v.external != Value::kNotExternal && !v.is_half(); }

}  // namespace et::xnn
