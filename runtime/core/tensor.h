// Tensor: a handle to a TensorImpl, which describes one dense tensor and points to its bytes. Neither owns anything:
// sizes, strides, dim order and data belong to whoever made the TensorImpl and must outlive it. Copying a Tensor
// copies the handle. A tensor has no storage offset, and its strides are those of its dim order.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/error.h"
#include "base/scalar_type.h"
#include "runtime/core/device.h"
#include "runtime/core/span.h"

namespace et {

/// Most dimensions of a tensor in a program.
inline constexpr size_t kTensorDimensionLimit = 16;

enum class TensorShapeDynamism : uint8_t { STATIC = 0, DYNAMIC_BOUND = 1, DYNAMIC_UNBOUND = 2 };

class TensorImpl {
 public:
  using SizesType = int32_t;
  using DimOrderType = uint8_t;
  using StridesType = int32_t;

  /// `sizes`, `dim_order` and `strides` have `dim` entries. The sizes may be null only when `dim` is 0; without the
  /// other two the tensor carries data to and from methods, and kernels refuse it. The sizes and strides are written
  /// when the tensor is resized, unless it is STATIC. Strides are in elements.
  TensorImpl(ScalarType type, size_t dim, SizesType* sizes, void* data = nullptr, DimOrderType* dim_order = nullptr,
             StridesType* strides = nullptr, TensorShapeDynamism dynamism = TensorShapeDynamism::STATIC,
             DeviceType device_type = DeviceType::CPU, DeviceIndex device_index = 0);

  ScalarType scalar_type() const { return type_; }
  ScalarType dtype() const { return type_; }
  /// `i` in [0, dim()); another one ends the process.
  ssize_t size(ssize_t i) const {
    if (i < 0 || i >= static_cast<ssize_t>(dim_)) __builtin_trap();
    return sizes_[i];
  }
  Device device() const { return device_; }
  DeviceType device_type() const { return device_.type(); }
  DeviceIndex device_index() const { return device_.index(); }
  ssize_t dim() const { return static_cast<ssize_t>(dim_); }
  ssize_t numel() const { return numel_; }
  size_t nbytes() const { return static_cast<size_t>(numel_) * element_size_; }
  size_t element_size() const { return element_size_; }
  ArrayRef<SizesType> sizes() const { return {sizes_, dim_}; }
  ArrayRef<StridesType> strides() const { return {strides_, dim_}; }
  ArrayRef<DimOrderType> dim_order() const { return {dim_order_, dim_}; }
  TensorShapeDynamism shape_dynamism() const { return dynamism_; }
  /// False: it was made without strides or dim order, or has more dimensions than kTensorDimensionLimit, so that the
  /// runtime's kernels refuse it.
  bool has_layout() const { return !no_layout_; }
  /// Elements that fit into the tensor's memory: those it was made with.
  size_t numel_bound() const { return numel_bound_; }
  void* mutable_data() const { return data_; }
  template <class T>
  T* mutable_data() const {
    return static_cast<T*>(data_);
  }
  const void* data() const { return data_; }
  template <class T>
  const T* data() const {
    return static_cast<const T*>(data_);
  }
  /// Memory with room for numel_bound() elements, or null.
  void set_data(void* data) {
    data_ = data;
    room_ = numel_bound_;
  }
  void set_device(Device device) { device_ = device; }
  /// As resize(); what resize() refuses ends the process.
  void set_sizes_contiguous(ArrayRef<SizesType> sizes) {
    if (resize(sizes) != Error::Ok) __builtin_trap();
  }
  /// Memory with room for `room` elements: no resize goes beyond.
  void set_data(void* data, size_t room) {
    data_ = data;
    room_ = room < numel_bound_ ? room : numel_bound_;
  }
  size_t room() const { return room_; }
  /// For tensors whose memory comes from the caller and whose upper bound the program leaves open.
  void set_numel_bound(size_t bound) { numel_bound_ = room_ = bound; }
  /// Constants of a program: nothing may write them.
  bool is_read_only() const { return read_only_; }
  void set_read_only(bool read_only) { read_only_ = read_only; }
  /// While an operator has the tensor as an argument twice: what it reads must not change its shape as it writes.
  bool is_shape_fixed() const { return shape_fixed_; }
  void set_shape_fixed(bool fixed) { shape_fixed_ = fixed; }

  /// New sizes with the same rank; strides follow from the dim order. The data stay where they are.
  /// NotSupported: another rank, a changed STATIC or fixed tensor, or more elements than room(); a negative size is
  /// InvalidArgument.
  Error resize(ArrayRef<SizesType> sizes);

 private:
  SizesType* sizes_;
  StridesType* strides_;
  DimOrderType* dim_order_;
  void* data_;
  ssize_t numel_;
  size_t numel_bound_;
  size_t room_;
  uint8_t dim_;
  uint8_t element_size_;
  ScalarType type_;
  TensorShapeDynamism dynamism_;
  bool read_only_ : 1;
  bool no_layout_ : 1;
  bool shape_fixed_ = false;
  Device device_;
};

class Tensor {
 public:
  using SizesType = TensorImpl::SizesType;
  using DimOrderType = TensorImpl::DimOrderType;
  using StridesType = TensorImpl::StridesType;

  Tensor() = default;
  explicit constexpr Tensor(TensorImpl* impl) : impl_(impl) {}

  TensorImpl* unsafeGetTensorImpl() const { return impl_; }
  ScalarType scalar_type() const { return impl_->scalar_type(); }
  ScalarType dtype() const { return impl_->scalar_type(); }
  ssize_t dim() const { return impl_->dim(); }
  ssize_t numel() const { return impl_->numel(); }
  size_t nbytes() const { return impl_->nbytes(); }
  size_t element_size() const { return impl_->element_size(); }
  ssize_t itemsize() const { return static_cast<ssize_t>(impl_->element_size()); }
  /// `i` in [0, dim()).
  ssize_t size(ssize_t i) const { return impl_->size(i); }
  Device device() const { return impl_->device(); }
  DeviceType device_type() const { return impl_->device_type(); }
  DeviceIndex device_index() const { return impl_->device_index(); }
  ArrayRef<SizesType> sizes() const { return impl_->sizes(); }
  ArrayRef<StridesType> strides() const { return impl_->strides(); }
  ArrayRef<DimOrderType> dim_order() const { return impl_->dim_order(); }
  TensorShapeDynamism shape_dynamism() const { return impl_->shape_dynamism(); }

  template <class T>
  T* mutable_data_ptr() const {
    return static_cast<T*>(impl_->mutable_data());
  }
  void* mutable_data_ptr() const { return impl_->mutable_data(); }
  template <class T>
  const T* const_data_ptr() const {
    return static_cast<const T*>(impl_->mutable_data());
  }
  const void* const_data_ptr() const { return impl_->mutable_data(); }
  template <class T>
  T* data_ptr() const {
    return static_cast<T*>(impl_->mutable_data());
  }
  void* data_ptr() const { return impl_->mutable_data(); }
  void set_data(void* data) const { impl_->set_data(data); }

 private:
  TensorImpl* impl_ = nullptr;
};

using TensorList = ArrayRef<Tensor>;

/// Strides in elements of `sizes` stored in `dim_order` (outermost first); a dimension of size 0 counts as 1.
/// False: one that matters does not fit into 32 bits.
bool dim_order_to_strides(ArrayRef<int32_t> sizes, ArrayRef<uint8_t> dim_order, int32_t* strides);
/// True for 0, 1, 2, …
bool is_contiguous_dim_order(ArrayRef<uint8_t> dim_order);
/// True for N, spatial…, C of rank 4 and 5.
bool is_channels_last_dim_order(ArrayRef<uint8_t> dim_order);
/// As TensorImpl::resize, with a message in the log.
Error resize_tensor(Tensor t, ArrayRef<int32_t> sizes);
Error resize_tensor_wide(Tensor t, ArrayRef<int64_t> sizes);
/// Of 64-bit sizes; a template, so that a braced list means those of 32 bits.
template <class Size, class = std::enable_if_t<std::is_same_v<Size, int64_t>>>
Error resize_tensor(Tensor t, ArrayRef<Size> sizes) {
  return resize_tensor_wide(t, sizes);
}

}  // namespace et
