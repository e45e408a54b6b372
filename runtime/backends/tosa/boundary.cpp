#include "runtime/backends/tosa/boundary.h"

#include <algorithm>
#include <cstring>

#include "runtime/backends/tosa/loops.h"
#include "runtime/backends/tosa/op_builder.h"
#include "runtime/backends/tosa/scalar_types.h"

namespace et::tosa {
namespace {

/// Sizes in the order of the memory.
Dims memory_shape(const Tensor& t) {
  Dims shape;
  for (const uint8_t d : t.dim_order()) shape.push_back(t.sizes()[d]);
  return shape;
}

Dims without_ones(const Dims& shape) {
  Dims rest;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(rest), [](int64_t d) { return d != 1; });
  return rest;
}

Dims shape_of(const Tensor& t) { return Dims(t.sizes().begin(), t.sizes().end()); }

bool same_memory(Type type, ScalarType scalar) {
  if (scalar == scalar_type(type)) return true;
  return (type == Type::Int8 && scalar == ScalarType::Byte) || (type == Type::Int16 && scalar == ScalarType::UInt16);
}

}  // namespace

Boundary::Way Boundary::way(const Tensor& t, std::string* cause) const {
  const bool widened = value_.type == Type::Int32 && t.scalar_type() == ScalarType::Long;
  if (!widened && !same_memory(value_.type, t.scalar_type())) {
    *cause = std::string("expected ") + format::tosa_dtype_name(static_cast<uint32_t>(value_.type)) + ", got " +
             scalar_type_name(t.scalar_type());
    return Way::No;
  }
  if (without_ones(memory_shape(t)) == without_ones(value_.shape)) return widened ? Way::Widened : Way::Direct;
  if (shape_of(t) == value_.shape && !widened) return Way::Strided;
  *cause = "expected shape " + shape_text(value_.shape) + ", got " + shape_text(shape_of(t));
  return Way::No;
}

const uint8_t* Boundary::read(const Tensor& t, std::string* cause) {
  way_ = way(t, cause);
  if (way_ == Way::No) return nullptr;
  const auto* data = t.const_data_ptr<uint8_t>();
  if (data == nullptr) {
    *cause = "the tensor has no memory";
    return nullptr;
  }
  const size_t width = element_size(value_.type);
  if (way_ == Way::Direct && reinterpret_cast<uintptr_t>(data) % width == 0) return data;
  copy_.resize(value_.bytes());
  if (way_ == Way::Direct) {
    std::memcpy(copy_.data(), data, copy_.size());
  } else if (way_ == Way::Strided) {
    const Dims strides(t.strides().begin(), t.strides().end());
    copy_elements(make_nest(value_.shape, {dense_strides(value_.shape), strides}), width, copy_.data(), data);
  } else {
    auto* to = reinterpret_cast<int32_t*>(copy_.data());
    for (int64_t i = 0; i < value_.count; ++i) {
      int64_t x = 0;
      std::memcpy(&x, data + i * 8, 8);
      if (x < INT32_MIN || x > INT32_MAX) {
        *cause = std::to_string(x) + " does not fit in 32 bits";
        return nullptr;
      }
      to[i] = static_cast<int32_t>(x);
    }
  }
  return copy_.data();
}

uint8_t* Boundary::begin_write(const Tensor& t, std::string* cause) {
  if (without_ones(memory_shape(t)) != without_ones(value_.shape) && shape_of(t) != value_.shape &&
      static_cast<size_t>(t.dim()) == value_.shape.size()) {
    std::vector<int32_t> sizes(value_.shape.size());
    for (size_t i = 0; i < sizes.size(); ++i) sizes[t.dim_order()[i]] = static_cast<int32_t>(value_.shape[i]);
    if (resize_tensor(t, ArrayRef<int32_t>(sizes.data(), sizes.size())) != Error::Ok) {
      *cause = "cannot be resized to " + shape_text(value_.shape);
      return nullptr;
    }
  }
  way_ = way(t, cause);
  if (way_ == Way::No) return nullptr;
  auto* data = t.mutable_data_ptr<uint8_t>();
  if (data == nullptr) {
    *cause = "the tensor has no memory";
    return nullptr;
  }
  if (way_ == Way::Direct) return data;
  copy_.resize(value_.bytes());
  return copy_.data();
}

void Boundary::end_write(const Tensor& t) {
  if (way_ == Way::Strided) {
    const Dims strides(t.strides().begin(), t.strides().end());
    copy_elements(make_nest(value_.shape, {strides, dense_strides(value_.shape)}), element_size(value_.type),
                  t.mutable_data_ptr<uint8_t>(), copy_.data());
  } else if (way_ == Way::Widened) {
    for (int64_t i = 0; i < value_.count; ++i) {
      int32_t x = 0;
      std::memcpy(&x, copy_.data() + i * 4, 4);
      t.mutable_data_ptr<int64_t>()[i] = x;
    }
  }
}

}  // namespace et::tosa
