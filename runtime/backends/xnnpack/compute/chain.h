// Several elementwise functions on float32 in one go: pieces of the result are taken through all of them while they are
// in the first cache, instead of a pass over the memory for each. Results are those of the functions one by one.
#pragma once

#include <vector>

#include "runtime/backends/xnnpack/compute/elementwise.h"

namespace et::xnn {

/// Result of step `index`, or input `index` of the chain.
struct ChainOperand {
  bool of_step = false;
  uint32_t index = 0;
};

struct ChainStep {
  bool is_binary = false;
  Unary unary = Unary::Clamp;
  Binary binary = Binary::Add;
  UnaryParams params;                // of a binary function only the clamp counts
  FloatType round = FloatType::F32;  // what the result is rounded to
  ChainOperand a, b;                 // operands; `b` of binary functions
};

struct ChainInput {
  Dims shape;
  const float* data = nullptr;
};

class Chain {
 public:
  /// Steps in order; each uses results of earlier ones only, and all but the last are used. The last is the result.
  explicit Chain(std::vector<ChainStep> steps);
  size_t step_count() const { return steps_.size(); }
  /// Results of all steps have the shape `out_shape`; inputs broadcast to it. `out` may be an input of that shape.
  void run(Dims out_shape, std::span<const ChainInput> inputs, float* out) const;

 private:
  std::vector<ChainStep> steps_;
  std::vector<uint32_t> slot_;  // of the results of all steps but the last
  uint32_t slots_ = 0;
};

}  // namespace et::xnn
