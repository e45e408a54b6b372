// Operators that move elements and that others can take over when a graph runs fused.
#pragma once

#include <string>
#include <vector>

#include "runtime/backends/xnnpack/graph/operator.h"

namespace et::xnn {

class NodeReader;

/// Of operators that move elements of any type: inputs and output are of one type and quantisation.
Error read_moved(NodeReader& reader, Operator& op, size_t inputs = 1);
/// "X32", "X8": elements as moved.
std::string moved_width(const Value& v);

/// StaticTranspose: dimension i of the output is dimension perm[i] of the input.
class Transpose final : public Operator {
 public:
  std::vector<uint32_t> perm;

  /// A transpose in front: both are one, and one that moves nothing is a view.
  bool fold(const Graph&, const Operator& front) override;
  void use_folded(bool folded) override { folded_ = folded; }
  Error reshape(Graph& g) override;
  void run(Graph& g, uint8_t*) override;

 private:
  const std::vector<uint32_t>& now() const { return folded_ ? merged_ : perm; }
  std::vector<uint32_t> merged_;
  bool folded_ = false;
};

/// StaticConstantPad.
class ConstantPad final : public Operator {
 public:
  std::vector<uint32_t> before, behind;
  float fill = 0;

  /// The padding of an image [batch, height, width, channels] with nothing in front of and behind batch and channels.
  bool pads_image_only() const;
  Error reshape(Graph& g) override;
  void run(Graph& g, uint8_t*) override;
};

/// Null: another operator.
inline const ConstantPad* as_constant_pad(const Operator& op) {
  return op.type == format::XnnNodeType::StaticConstantPad ? static_cast<const ConstantPad*>(&op) : nullptr;
}

}  // namespace et::xnn
