// TensorPtr: a tensor that owns its sizes, strides, dim order and, where it was given or made them, its data. Names,
// argument orders and defaults are those of ExecuTorch's extension/tensor.
//
// Arguments that contradict each other (a number of values that is not the product of the sizes, strides that no dim
// order has, a cast that torch refuses) are mistakes in the program: they end it with a message in the log.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "runtime/core/tensor.h"
#include "runtime/kernels/common/dtype.h"

namespace et {

using SizesType = TensorImpl::SizesType;
using DimOrderType = TensorImpl::DimOrderType;
using StridesType = TensorImpl::StridesType;

using TensorPtr = std::shared_ptr<Tensor>;

namespace tensor_ptr_internal {

/// Bytes of a tensor with these sizes; ends the program when there is no such tensor.
size_t checked_bytes(const std::vector<SizesType>& sizes, ScalarType type);
/// `count` elements converted; ends the program when torch would not cast so or has no such dtype.
std::vector<uint8_t> cast(const void* data, ScalarType from, ScalarType to, size_t count);
void check_count(const std::vector<SizesType>& sizes, size_t count);

}  // namespace tensor_ptr_internal

// --- Over existing memory --------------------------------------------------------------------------------------------

/// `deleter` gets the data pointer when the last TensorPtr goes. Empty `dim_order` and `strides`: row-major; one of
/// them is enough. Tensors of rank 0 are always STATIC.
TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, void* data, std::vector<DimOrderType> dim_order,
                          std::vector<StridesType> strides, ScalarType type = ScalarType::Float,
                          TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND,
                          std::function<void(void*)> deleter = nullptr);
inline TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, void* data, ScalarType type = ScalarType::Float,
                                 TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND,
                                 std::function<void(void*)> deleter = nullptr) {
  return make_tensor_ptr(std::move(sizes), data, {}, {}, type, dynamism, std::move(deleter));
}

// --- With owned data -------------------------------------------------------------------------------------------------

/// The raw bytes of a tensor of `type`.
TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, std::vector<uint8_t> data, std::vector<DimOrderType> dim_order,
                          std::vector<StridesType> strides, ScalarType type = ScalarType::Float,
                          TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND);
inline TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, std::vector<uint8_t> data,
                                 ScalarType type = ScalarType::Float,
                                 TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr(std::move(sizes), std::move(data), {}, {}, type, dynamism);
}

/// Values of T, cast when `type` is another dtype.
template <class T = float, ScalarType kDeduced = kernels::kDtypeOf<T>>
TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, std::vector<T> data, std::vector<DimOrderType> dim_order = {},
                          std::vector<StridesType> strides = {}, ScalarType type = kDeduced,
                          TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<uint8_t> bytes(data.begin(), data.end());
    tensor_ptr_internal::check_count(sizes, bytes.size());
    if (type != kDeduced) bytes = tensor_ptr_internal::cast(bytes.data(), kDeduced, type, bytes.size());
    return make_tensor_ptr(std::move(sizes), std::move(bytes), std::move(dim_order), std::move(strides), type,
                           dynamism);
  } else {
    tensor_ptr_internal::check_count(sizes, data.size());
    if (type != kDeduced) {
      return make_tensor_ptr(std::move(sizes), tensor_ptr_internal::cast(data.data(), kDeduced, type, data.size()),
                             std::move(dim_order), std::move(strides), type, dynamism);
    }
    auto owned = std::make_shared<std::vector<T>>(std::move(data));
    void* pointer = owned->data();
    return make_tensor_ptr(std::move(sizes), pointer, std::move(dim_order), std::move(strides), type, dynamism,
                           [owned](void*) {});
  }
}
template <class T = float, ScalarType kDeduced = kernels::kDtypeOf<T>>
TensorPtr make_tensor_ptr(std::vector<SizesType> sizes, std::initializer_list<T> list,
                          std::vector<DimOrderType> dim_order = {}, std::vector<StridesType> strides = {},
                          ScalarType type = kDeduced,
                          TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr<T, kDeduced>(std::move(sizes), std::vector<T>(list), std::move(dim_order), std::move(strides),
                                      type, dynamism);
}

/// Rank 1.
template <class T = float, ScalarType kDeduced = kernels::kDtypeOf<T>>
TensorPtr make_tensor_ptr(std::vector<T> data, ScalarType type = kDeduced,
                          TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  std::vector<SizesType> sizes{static_cast<SizesType>(data.size())};
  return make_tensor_ptr<T, kDeduced>(std::move(sizes), std::move(data), {0}, {1}, type, dynamism);
}
template <class T = float, ScalarType kDeduced = kernels::kDtypeOf<T>>
TensorPtr make_tensor_ptr(std::initializer_list<T> list, ScalarType type = kDeduced,
                          TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return make_tensor_ptr<T, kDeduced>(std::vector<T>(list), type, dynamism);
}

/// Rank 0.
template <class T, class = decltype(kernels::DtypeOf<T>::value)>
TensorPtr make_tensor_ptr(T value) {
  return make_tensor_ptr<T>(std::vector<SizesType>{}, std::vector<T>{value});
}

// --- Views of another tensor -----------------------------------------------------------------------------------------

/// Another shape of the same data, at most as many elements. What is left empty comes from `tensor` as far as the new
/// shape allows, the dynamism always. The data must outlive the view.
TensorPtr make_tensor_ptr(const Tensor& tensor, std::vector<SizesType> sizes = {},
                          std::vector<DimOrderType> dim_order = {}, std::vector<StridesType> strides = {},
                          std::function<void(void*)> deleter = nullptr);
/// Keeps `tensor_ptr` alive.
inline TensorPtr make_tensor_ptr(const TensorPtr& tensor_ptr, std::vector<SizesType> sizes = {},
                                 std::vector<DimOrderType> dim_order = {}, std::vector<StridesType> strides = {}) {
  return make_tensor_ptr(*tensor_ptr, std::move(sizes), std::move(dim_order), std::move(strides),
                         [tensor_ptr](void*) {});
}

// --- Copies ----------------------------------------------------------------------------------------------------------

TensorPtr clone_tensor_ptr(const Tensor& tensor, ScalarType type);
inline TensorPtr clone_tensor_ptr(const Tensor& tensor) { return clone_tensor_ptr(tensor, tensor.scalar_type()); }
inline TensorPtr clone_tensor_ptr(const TensorPtr& tensor, ScalarType type) { return clone_tensor_ptr(*tensor, type); }
inline TensorPtr clone_tensor_ptr(const TensorPtr& tensor) { return clone_tensor_ptr(*tensor); }

/// A copy in the memory of `device`, or from there on the processor; the dim order and dynamism stay. One of the two
/// is the processor, and the other's allocator is registered (device_allocator.h): otherwise the process ends.
TensorPtr clone_tensor_ptr_to(const TensorPtr& tensor, Device device);

/// As resize_tensor(): within the number of elements that the tensor was made with.
[[nodiscard]] Error resize_tensor_ptr(TensorPtr& tensor, const std::vector<SizesType>& sizes);

}  // namespace et
