#include "bundled_program/reference/graph_value.h"

#include <cstdlib>
#include <cstring>
#include <numeric>

#include "runtime/kernels/common/shape.h"

namespace et::reference {
namespace {

constexpr size_t kAlignment = 64;

// Bytes of the tensor; nothing when there is no such tensor.
std::optional<uint64_t> checked_bytes(ScalarType type, std::span<const int32_t> sizes) {
  uint64_t bytes = element_size(type);
  if (bytes == 0 || sizes.size() > kTensorDimensionLimit) return std::nullopt;
  bool empty = false;
  for (int32_t n : sizes) {
    if (n < 0) return std::nullopt;
    empty = empty || n == 0;
  }
  if (empty) return 0;
  for (int32_t n : sizes) {
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(n), &bytes)) return std::nullopt;
  }
  return bytes;
}

bool is_dim_order(std::span<const uint8_t> dim_order, size_t rank) {
  uint32_t seen = 0;
  for (uint8_t d : dim_order) {
    if (d >= rank || (seen >> d & 1u) != 0) return false;
    seen |= 1u << d;
  }
  return dim_order.size() == rank;
}

}  // namespace

std::shared_ptr<OwnTensor> OwnTensor::make(ScalarType type, std::span<const int32_t> sizes,
                                           std::span<const uint8_t> dim_order, uint64_t max_bytes,
                                           const std::shared_ptr<MemoryCount>& count) {
  const std::optional<uint64_t> bytes = checked_bytes(type, sizes);
  if (!bytes || *bytes > max_bytes || (!dim_order.empty() && !is_dim_order(dim_order, sizes.size()))) return nullptr;
  std::shared_ptr<OwnTensor> t(new OwnTensor());
  t->sizes_.assign(sizes.begin(), sizes.end());
  t->strides_.resize(sizes.size());
  t->dim_order_.assign(dim_order.begin(), dim_order.end());
  if (dim_order.empty()) {
    t->dim_order_.resize(sizes.size());
    std::iota(t->dim_order_.begin(), t->dim_order_.end(), uint8_t{0});
  }
  if (!dim_order_to_strides(t->sizes_, t->dim_order_, t->strides_.data())) return nullptr;
  // Large pieces of calloc() are pages that exist once they are touched.
  t->memory_ = std::calloc(1, static_cast<size_t>(*bytes) + kAlignment);
  if (t->memory_ == nullptr) return nullptr;
  const uintptr_t base = reinterpret_cast<uintptr_t>(t->memory_);
  t->data_ = static_cast<uint8_t*>(t->memory_) + ((kAlignment - base % kAlignment) % kAlignment);
  t->impl_.emplace(type, sizes.size(), t->sizes_.data(), t->data_, t->dim_order_.data(), t->strides_.data(),
                   sizes.empty() ? TensorShapeDynamism::STATIC : TensorShapeDynamism::DYNAMIC_BOUND);
  t->bytes_ = *bytes;
  t->count_ = count;
  if (count != nullptr) {
    count->live += *bytes;
    count->peak = std::max(count->peak, count->live);
  }
  return t;
}

void OwnTensor::settle() {
  const uint64_t used = impl_->nbytes();
  if (count_ != nullptr) count_->live -= bytes_ - used;
  bytes_ = used;
  impl_->set_data(data_, static_cast<size_t>(impl_->numel()));
}

OwnTensor::~OwnTensor() {
  if (count_ != nullptr) count_->live -= bytes_;
  std::free(memory_);
}

GraphValue GraphValue::of_int(int64_t v) {
  GraphValue value;
  value.kind = Kind::Int;
  value.integer = v;
  return value;
}

GraphValue GraphValue::of_double(double v) {
  GraphValue value;
  value.kind = Kind::Double;
  value.number = v;
  return value;
}

GraphValue GraphValue::of_bool(bool v) {
  GraphValue value;
  value.kind = Kind::Bool;
  value.integer = v ? 1 : 0;
  return value;
}

EValue GraphValue::evalue() const {
  switch (kind) {
    case Kind::None:
      break;
    case Kind::Tensor:
      return EValue(tensor->tensor());
    case Kind::Int:
      return EValue(integer);
    case Kind::Double:
      return EValue(number);
    case Kind::Bool:
      return EValue(integer != 0);
  }
  return EValue();
}

bool copy_elements(const Tensor& from, const Tensor& to) {
  if (from.scalar_type() != to.scalar_type() || !kernels::same_sizes(from, to)) return false;
  if (from.numel() == 0) return true;
  if (kernels::same_dim_order(from, to)) {
    std::memcpy(to.mutable_data_ptr(), from.const_data_ptr(), from.nbytes());
    return true;
  }
  int64_t a[kTensorDimensionLimit], b[kTensorDimensionLimit];
  for (size_t d = 0; d < from.sizes().size(); ++d) {
    a[d] = from.strides()[d];
    b[d] = to.strides()[d];
  }
  const size_t width = from.element_size();
  const auto* source = static_cast<const uint8_t*>(from.const_data_ptr());
  auto* target = static_cast<uint8_t*>(to.mutable_data_ptr());
  kernels::StridedWalk<2>(from.sizes(), {a, b})
      .run([&](const std::array<int64_t, 2>& offsets, int64_t n, const std::array<int64_t, 2>& steps) {
        for (int64_t i = 0; i < n; ++i) {
          std::memcpy(target + static_cast<size_t>(offsets[1] + i * steps[1]) * width,
                      source + static_cast<size_t>(offsets[0] + i * steps[0]) * width, width);
        }
      });
  return true;
}

}  // namespace et::reference
