#include "bundled_program/cases/tensor_value.h"

#include <cstring>
#include <numeric>

namespace et::bundled {
namespace {

constexpr size_t kAlignment = 16;

// Elements between neighbours of each dimension.
std::vector<uint64_t> strides_of(std::span<const int32_t> sizes, std::span<const uint8_t> dim_order) {
  std::vector<uint64_t> strides(sizes.size());
  uint64_t step = 1;
  for (size_t k = dim_order.size(); k-- > 0;) {
    strides[dim_order[k]] = step;
    step *= static_cast<uint64_t>(sizes[dim_order[k]]);
  }
  return strides;
}

}  // namespace

std::string tensor_problem(const TensorValue& t) {
  if (element_size(t.scalar_type) == 0) {
    return "dtype " + std::to_string(static_cast<int>(t.scalar_type)) + " is not a scalar type";
  }
  if (t.sizes.size() > kMaxDimensions) {
    return std::to_string(t.sizes.size()) + " dimensions, expected at most " + std::to_string(kMaxDimensions);
  }
  const std::optional<uint64_t> bytes = tensor_bytes(t.scalar_type, t.sizes);
  if (!bytes) return "the shape is negative or too large";
  uint32_t seen = 0;
  for (uint8_t dim : t.dim_order) {
    if (dim < t.sizes.size()) seen |= 1u << dim;
  }
  if (t.dim_order.size() != t.sizes.size() || seen != (1u << t.sizes.size()) - 1) {
    return "the dim order does not name each of the " + std::to_string(t.sizes.size()) + " dimensions once";
  }
  if (t.data.size() != *bytes) {
    return std::to_string(t.data.size()) + " bytes of data, " + tensor_text(t.scalar_type, t.sizes) + " has " +
           std::to_string(*bytes);
  }
  return {};
}

std::string tensor_text(ScalarType type, std::span<const int32_t> sizes) {
  std::string text = std::string(scalar_type_name(type)) + "[";
  for (size_t d = 0; d < sizes.size(); ++d) text += (d > 0 ? ", " : "") + std::to_string(sizes[d]);
  return text + "]";
}

bool is_row_major(std::span<const uint8_t> dim_order) {
  for (size_t d = 0; d < dim_order.size(); ++d) {
    if (dim_order[d] != d) return false;
  }
  return true;
}

std::vector<uint8_t> reordered(const TensorValue& t, std::span<const uint8_t> dim_order) {
  std::vector<uint8_t> out(t.data.size());
  if (out.empty()) return out;
  const size_t width = element_size(t.scalar_type);
  const size_t rank = t.sizes.size();
  const std::vector<uint64_t> from = strides_of(t.sizes, t.dim_order), to = strides_of(t.sizes, dim_order);
  std::vector<int32_t> index(rank, 0);
  for (size_t n = out.size() / width; n-- > 0;) {
    uint64_t a = 0, b = 0;
    for (size_t d = 0; d < rank; ++d) {
      a += static_cast<uint64_t>(index[d]) * from[d];
      b += static_cast<uint64_t>(index[d]) * to[d];
    }
    std::memcpy(out.data() + b * width, t.data.data() + a * width, width);
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < t.sizes[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

OwnedTensor::OwnedTensor(ScalarType type, std::vector<int32_t> shape) : sizes(std::move(shape)) {
  set_shape(type);
  const size_t bytes = static_cast<size_t>(tensor_bytes(type, sizes).value_or(0));
  memory.resize(bytes + kAlignment);
  const size_t skip = (kAlignment - reinterpret_cast<uintptr_t>(memory.data()) % kAlignment) % kAlignment;
  value.data = {memory.data() + skip, bytes};
}

OwnedTensor::OwnedTensor(ScalarType type, std::vector<int32_t> shape, std::span<const uint8_t> data)
    : sizes(std::move(shape)) {
  set_shape(type);
  value.data = data;
}

void OwnedTensor::set_shape(ScalarType type) {
  dim_order.resize(sizes.size());
  std::iota(dim_order.begin(), dim_order.end(), uint8_t{0});
  value.scalar_type = type;
  value.sizes = sizes;
  value.dim_order = dim_order;
}

Value tensor_value(const TensorValue& tensor) {
  Value v;
  v.kind = ValueKind::Tensor;
  v.tensor = tensor;
  return v;
}

Value int_value(int64_t number) {
  Value v;
  v.kind = ValueKind::Int;
  v.as_int = number;
  return v;
}

Value bool_value(bool truth) {
  Value v;
  v.kind = ValueKind::Bool;
  v.as_bool = truth;
  return v;
}

Value double_value(double number) {
  Value v;
  v.kind = ValueKind::Double;
  v.as_double = number;
  return v;
}

}  // namespace et::bundled
