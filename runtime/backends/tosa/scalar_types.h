// Between TOSA's types and those of the runtime's tensors.
#pragma once

#include <vector>

#include "runtime/backends/tosa/types.h"
#include "runtime/core/tensor.h"

namespace et::tosa {

/// The dtype of a tensor with the same memory; INT48 is Long.
constexpr ScalarType scalar_type(Type t) {
  switch (t) {
    case Type::Bool:
      return ScalarType::Bool;
    case Type::Int16:
      return ScalarType::Short;
    case Type::Int32:
      return ScalarType::Int;
    case Type::Int48:
    case Type::Shape:
      return ScalarType::Long;
    case Type::Fp32:
      return ScalarType::Float;
    case Type::Fp16:
      return ScalarType::Half;
    case Type::Bf16:
      return ScalarType::BFloat16;
    default:
      return ScalarType::Char;
  }
}

/// A tensor around memory of others, in the order of its dimensions.
class TensorView {
 public:
  TensorView(const std::vector<int64_t>& shape, ScalarType type, void* data)
      : sizes_(shape.begin(), shape.end()), order_(shape.size()), strides_(shape.size()), impl_(make(type, data)) {}
  TensorView(const TensorView&) = delete;
  TensorView& operator=(const TensorView&) = delete;
  Tensor tensor() { return Tensor(&impl_); }

 private:
  TensorImpl make(ScalarType type, void* data) {
    for (size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<uint8_t>(i);
    static_cast<void>(
        dim_order_to_strides({sizes_.data(), sizes_.size()}, {order_.data(), order_.size()}, strides_.data()));
    return TensorImpl(type, sizes_.size(), sizes_.data(), data, order_.data(), strides_.data());
  }

  std::vector<int32_t> sizes_;
  std::vector<uint8_t> order_;
  std::vector<int32_t> strides_;
  TensorImpl impl_;
};

}  // namespace et::tosa
