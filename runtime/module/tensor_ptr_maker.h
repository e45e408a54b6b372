// TensorPtr factories: a builder over existing memory, and tensors filled with one value or random ones. Names,
// argument orders and defaults are those of ExecuTorch's extension/tensor.
#pragma once

#include <optional>

#include "runtime/core/scalar.h"
#include "runtime/module/tensor_ptr.h"

namespace et {

/// for_blob(data, {2, 3}).type(ScalarType::Int).deleter(free).make_tensor_ptr()
class TensorPtrMaker {
 public:
  TensorPtrMaker(const TensorPtrMaker&) = delete;
  TensorPtrMaker& operator=(const TensorPtrMaker&) = delete;
  TensorPtrMaker(TensorPtrMaker&&) = default;
  TensorPtrMaker& operator=(TensorPtrMaker&&) = default;

  TensorPtrMaker&& type(ScalarType type) { return type_ = type, std::move(*this); }
  TensorPtrMaker&& dim_order(std::vector<DimOrderType> order) {
    return dim_order_ = std::move(order), std::move(*this);
  }
  TensorPtrMaker&& strides(std::vector<StridesType> strides) { return strides_ = std::move(strides), std::move(*this); }
  TensorPtrMaker&& dynamism(TensorShapeDynamism dynamism) { return dynamism_ = dynamism, std::move(*this); }
  TensorPtrMaker&& deleter(std::function<void(void*)>&& deleter) {
    return deleter_ = std::move(deleter), std::move(*this);
  }
  /// Where the memory is; nothing here reads that of another device.
  TensorPtrMaker&& device(Device device) { return device_ = device, std::move(*this); }
  TensorPtr make_tensor_ptr() && {
    TensorPtr made = et::make_tensor_ptr(std::move(sizes_), data_, std::move(dim_order_), std::move(strides_), type_,
                                         dynamism_, std::move(deleter_));
    made->unsafeGetTensorImpl()->set_device(device_);
    return made;
  }
  operator TensorPtr() && { return std::move(*this).make_tensor_ptr(); }  // NOLINT: ends the chain

 private:
  TensorPtrMaker(void* data, std::vector<SizesType> sizes, ScalarType type)
      : sizes_(std::move(sizes)), data_(data), type_(type) {}
  friend TensorPtrMaker for_blob(void* data, std::vector<SizesType> sizes, ScalarType type);

  std::vector<SizesType> sizes_;
  std::vector<StridesType> strides_;
  std::vector<DimOrderType> dim_order_;
  std::function<void(void*)> deleter_;
  void* data_;
  ScalarType type_;
  TensorShapeDynamism dynamism_ = TensorShapeDynamism::DYNAMIC_BOUND;
  Device device_ = DeviceType::CPU;
};

/// The memory must outlive the tensor, unless a deleter takes it over.
inline TensorPtrMaker for_blob(void* data, std::vector<SizesType> sizes, ScalarType type = ScalarType::Float) {
  return TensorPtrMaker(data, std::move(sizes), type);
}

inline TensorPtr from_blob(void* data, std::vector<SizesType> sizes, ScalarType type = ScalarType::Float,
                           TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type).dynamism(dynamism).make_tensor_ptr();
}
inline TensorPtr from_blob(void* data, std::vector<SizesType> sizes, std::vector<StridesType> strides,
                           ScalarType type = ScalarType::Float,
                           TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type).strides(std::move(strides)).dynamism(dynamism).make_tensor_ptr();
}
inline TensorPtr from_blob(void* data, std::vector<SizesType> sizes, ScalarType type,
                           std::function<void(void*)>&& deleter,
                           TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type).deleter(std::move(deleter)).dynamism(dynamism).make_tensor_ptr();
}
inline TensorPtr from_blob(void* data, std::vector<SizesType> sizes, std::vector<StridesType> strides, ScalarType type,
                           std::function<void(void*)>&& deleter,
                           TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return for_blob(data, std::move(sizes), type)
      .strides(std::move(strides))
      .deleter(std::move(deleter))
      .dynamism(dynamism)
      .make_tensor_ptr();
}

// Each in three forms: with strides, like another tensor (its sizes and strides; its dtype unless another is given),
// and row-major.

/// Zeroed in fact, so that runs repeat.
TensorPtr empty_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                        ScalarType type = ScalarType::Float,
                        TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND);
/// The value must be representable in `type`: whole numbers for integers and bool, within its range.
TensorPtr full_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides, Scalar fill_value,
                       ScalarType type = ScalarType::Float,
                       TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND);
/// Uniform in [0, 1).
TensorPtr rand_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                       ScalarType type = ScalarType::Float,
                       TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND);
/// Normal, mean 0, deviation 1.
TensorPtr randn_strided(std::vector<SizesType> sizes, std::vector<StridesType> strides,
                        ScalarType type = ScalarType::Float,
                        TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND);
/// Whole numbers in [low, high).
TensorPtr randint_strided(int64_t low, int64_t high, std::vector<SizesType> sizes, std::vector<StridesType> strides,
                          ScalarType type = ScalarType::Int,
                          TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND);

namespace tensor_ptr_internal {

inline std::vector<SizesType> sizes_of(const TensorPtr& t) { return {t->sizes().begin(), t->sizes().end()}; }
inline std::vector<StridesType> strides_of(const TensorPtr& t) { return {t->strides().begin(), t->strides().end()}; }

}  // namespace tensor_ptr_internal

inline TensorPtr empty_like(const TensorPtr& other, std::optional<ScalarType> type = std::nullopt,
                            TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return empty_strided(tensor_ptr_internal::sizes_of(other), tensor_ptr_internal::strides_of(other),
                       type.value_or(other->scalar_type()), dynamism);
}
inline TensorPtr empty(std::vector<SizesType> sizes, ScalarType type = ScalarType::Float,
                       TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return empty_strided(std::move(sizes), {}, type, dynamism);
}

inline TensorPtr full_like(const TensorPtr& other, Scalar fill_value, std::optional<ScalarType> type = std::nullopt,
                           TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_strided(tensor_ptr_internal::sizes_of(other), tensor_ptr_internal::strides_of(other), fill_value,
                      type.value_or(other->scalar_type()), dynamism);
}
inline TensorPtr full(std::vector<SizesType> sizes, Scalar fill_value, ScalarType type = ScalarType::Float,
                      TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_strided(std::move(sizes), {}, fill_value, type, dynamism);
}
inline TensorPtr scalar_tensor(Scalar value, ScalarType type = ScalarType::Float) { return full({}, value, type); }

inline TensorPtr ones_like(const TensorPtr& other, std::optional<ScalarType> type = std::nullopt,
                           TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_like(other, 1, type, dynamism);
}
inline TensorPtr ones(std::vector<SizesType> sizes, ScalarType type = ScalarType::Float,
                      TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return full(std::move(sizes), 1, type, dynamism);
}
inline TensorPtr zeros_like(const TensorPtr& other, std::optional<ScalarType> type = std::nullopt,
                            TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return full_like(other, 0, type, dynamism);
}
inline TensorPtr zeros(std::vector<SizesType> sizes, ScalarType type = ScalarType::Float,
                       TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return full(std::move(sizes), 0, type, dynamism);
}

inline TensorPtr rand_like(const TensorPtr& other, std::optional<ScalarType> type = std::nullopt,
                           TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return rand_strided(tensor_ptr_internal::sizes_of(other), tensor_ptr_internal::strides_of(other),
                      type.value_or(other->scalar_type()), dynamism);
}
inline TensorPtr rand(std::vector<SizesType> sizes, ScalarType type = ScalarType::Float,
                      TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return rand_strided(std::move(sizes), {}, type, dynamism);
}
inline TensorPtr randn_like(const TensorPtr& other, std::optional<ScalarType> type = std::nullopt,
                            TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return randn_strided(tensor_ptr_internal::sizes_of(other), tensor_ptr_internal::strides_of(other),
                       type.value_or(other->scalar_type()), dynamism);
}
inline TensorPtr randn(std::vector<SizesType> sizes, ScalarType type = ScalarType::Float,
                       TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return randn_strided(std::move(sizes), {}, type, dynamism);
}
inline TensorPtr randint_like(const TensorPtr& other, int64_t low, int64_t high,
                              std::optional<ScalarType> type = std::nullopt,
                              TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return randint_strided(low, high, tensor_ptr_internal::sizes_of(other), tensor_ptr_internal::strides_of(other),
                         type.value_or(other->scalar_type()), dynamism);
}
inline TensorPtr randint(int64_t low, int64_t high, std::vector<SizesType> sizes, ScalarType type = ScalarType::Int,
                         TensorShapeDynamism dynamism = TensorShapeDynamism::DYNAMIC_BOUND) {
  return randint_strided(low, high, std::move(sizes), {}, type, dynamism);
}

}  // namespace et
