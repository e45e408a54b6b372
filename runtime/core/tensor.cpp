#include "runtime/core/tensor.h"

#include "runtime/platform/log.h"

namespace et {
namespace {

// −1: does not fit into ssize_t or a size is negative. One size of 0 makes it 0, however large the others are.
ssize_t checked_numel(ArrayRef<int32_t> sizes) {
  ssize_t n = 1;
  bool empty = false;
  bool fits = true;
  for (int32_t s : sizes) {
    if (s < 0) return -1;
    empty = empty || s == 0;
    fits = fits && !__builtin_mul_overflow(n, static_cast<ssize_t>(s), &n);
  }
  if (empty) return 0;
  return fits ? n : -1;
}

}  // namespace

TensorImpl::TensorImpl(ScalarType type, size_t dim, SizesType* sizes, void* data, DimOrderType* dim_order,
                       StridesType* strides, TensorShapeDynamism dynamism, DeviceType device_type,
                       DeviceIndex device_index)
    : sizes_(sizes),
      strides_(strides),
      dim_order_(dim_order),
      data_(data),
      numel_(checked_numel({sizes, dim})),
      numel_bound_(0),
      room_(0),
      dim_(static_cast<uint8_t>(dim)),
      element_size_(static_cast<uint8_t>(et::element_size(type))),
      type_(type),
      dynamism_(dynamism),
      read_only_(false),
      no_layout_(dim > kTensorDimensionLimit || (dim > 0 && (dim_order == nullptr || strides == nullptr))),
      device_(device_type, device_index) {
  ET_CHECK_MSG(dim <= UINT8_MAX && numel_ >= 0, "tensor: rank or sizes are out of range");
  ET_CHECK_MSG(element_size_ != 0, "tensor: no such scalar type: %d", static_cast<int>(type));
  numel_bound_ = room_ = static_cast<size_t>(numel_);
}

Error TensorImpl::resize(ArrayRef<SizesType> sizes) {
  if (sizes.size() != dim_) return Error::NotSupported;
  if (dim_ == 0) return Error::Ok;
  bool changed = false;
  for (size_t i = 0; i < dim_; ++i) changed = changed || sizes[i] != sizes_[i];
  if (!changed) return Error::Ok;
  if (dynamism_ == TensorShapeDynamism::STATIC || shape_fixed_) return Error::NotSupported;
  for (int32_t s : sizes) {
    if (s < 0) return Error::InvalidArgument;
  }
  const ssize_t numel = checked_numel(sizes);
  if (numel < 0 || static_cast<size_t>(numel) > room_) return Error::NotSupported;
  // An application may leave out both, for tensors of which nobody asks them.
  const bool strided = dim_order_ != nullptr && strides_ != nullptr;
  if (strided && dim_ > kTensorDimensionLimit) return Error::NotSupported;
  StridesType strides[kTensorDimensionLimit];
  if (strided && !dim_order_to_strides(sizes, {dim_order_, dim_}, strides)) return Error::NotSupported;
  for (size_t i = 0; i < dim_; ++i) {
    sizes_[i] = sizes[i];
    if (strided) strides_[i] = strides[i];
  }
  numel_ = numel;
  return Error::Ok;
}

bool dim_order_to_strides(ArrayRef<int32_t> sizes, ArrayRef<uint8_t> dim_order, int32_t* strides) {
  bool empty = false;
  for (int32_t s : sizes) empty = empty || s == 0;
  int64_t stride = 1;  // stays where it is once it is too large
  for (size_t i = dim_order.size(); i-- > 0;) {
    const size_t d = dim_order[i];
    const bool fits = stride <= INT32_MAX;
    // Nobody walks along a dimension of size 1, or through a tensor without elements.
    if (!fits && sizes[d] > 1 && !empty) return false;
    strides[d] = fits ? static_cast<int32_t>(stride) : INT32_MAX;
    if (fits && sizes[d] > 1) stride *= sizes[d];
  }
  return true;
}

bool is_contiguous_dim_order(ArrayRef<uint8_t> dim_order) {
  for (size_t i = 0; i < dim_order.size(); ++i) {
    if (dim_order[i] != i) return false;
  }
  return true;
}

bool is_channels_last_dim_order(ArrayRef<uint8_t> dim_order) {
  const size_t n = dim_order.size();
  if (n != 4 && n != 5) return false;
  if (dim_order[0] != 0 || dim_order[n - 1] != 1) return false;
  for (size_t i = 1; i + 1 < n; ++i) {
    if (dim_order[i] != i + 1) return false;
  }
  return true;
}

Error resize_tensor(Tensor t, ArrayRef<int32_t> sizes) {
  const Error error = t.unsafeGetTensorImpl()->resize(sizes);
  if (error == Error::Ok) return error;
  if (static_cast<ssize_t>(sizes.size()) != t.dim()) {
    ET_LOG(Error, "resize: expected rank %zd, got %zu", t.dim(), sizes.size());
  } else {
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == t.sizes()[i]) continue;
      ET_LOG(Error, "resize: size %d is not allowed for dimension %zu (now %d): %s (at most %zu elements)",
             static_cast<int>(sizes[i]), i, static_cast<int>(t.sizes()[i]),
             t.shape_dynamism() == TensorShapeDynamism::STATIC ? "the shape is static"
             : t.unsafeGetTensorImpl()->is_shape_fixed()       ? "the operator also reads it"
                                                               : "it exceeds the upper bound",
             t.unsafeGetTensorImpl()->room());
      break;
    }
  }
  return error;
}

Error resize_tensor_wide(Tensor t, ArrayRef<int64_t> sizes) {
  int32_t narrow[kTensorDimensionLimit];
  if (sizes.size() > kTensorDimensionLimit) return Error::NotSupported;
  for (size_t i = 0; i < sizes.size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(sizes[i] >= 0 && sizes[i] <= INT32_MAX, InvalidArgument,
                             "resize: size %lld of dimension %zu is out of range", static_cast<long long>(sizes[i]), i);
    narrow[i] = static_cast<int32_t>(sizes[i]);
  }
  return resize_tensor(t, ArrayRef<int32_t>(narrow, sizes.size()));
}

}  // namespace et
