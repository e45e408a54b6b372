// Helpers for tensors of test cases.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/tensor_bytes.h"
#include "bundled_program/bundle.h"

namespace et::bundled {

using et::kMaxDimensions;
using et::tensor_bytes;

/// Why such a value cannot stand in a file, empty when it can: dtype, sizes, dim order and bytes must agree.
std::string tensor_problem(const TensorValue& tensor);

/// "float32[2, 3]".
std::string tensor_text(ScalarType type, std::span<const int32_t> sizes);

bool is_row_major(std::span<const uint8_t> dim_order);

/// The elements in another dim order; both must be sound.
std::vector<uint8_t> reordered(const TensorValue& tensor, std::span<const uint8_t> dim_order);

/// A tensor with sizes, dim order and, unless they are given, its own bytes. `value` refers to the object.
struct OwnedTensor {
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;
  std::vector<uint8_t> memory;  // 16 bytes longer than the data, which starts at a multiple of 16
  TensorValue value;

  OwnedTensor(const OwnedTensor&) = delete;
  OwnedTensor& operator=(const OwnedTensor&) = delete;

  /// Row-major. The size in bytes must have been checked; zeroed.
  OwnedTensor(ScalarType type, std::vector<int32_t> shape);
  /// Row-major over bytes that somebody else keeps.
  OwnedTensor(ScalarType type, std::vector<int32_t> shape, std::span<const uint8_t> data);
  uint8_t* data() { return const_cast<uint8_t*>(value.data.data()); }

 private:
  void set_shape(ScalarType type);
};

Value tensor_value(const TensorValue& tensor);
Value int_value(int64_t v);
Value bool_value(bool v);
Value double_value(double v);

}  // namespace et::bundled
