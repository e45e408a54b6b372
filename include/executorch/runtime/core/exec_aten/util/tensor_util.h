// Checks and small computations on tensors, for kernels.
#pragma once

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "executorch/runtime/core/array_ref.h"
#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/core/exec_aten/util/dim_order_util.h"
#include "executorch/runtime/core/exec_aten/util/scalar_type_util.h"
#include "executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h"
#include "executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h"
#include "executorch/runtime/core/span.h"
#include "executorch/runtime/platform/assert.h"
#include "executorch/runtime/platform/compiler.h"
#include "runtime/core/tensor.h"

#define ET_TENSOR_CHECK_PREFIX__ "Tensors do not match"
#define ET_MIN2(a, b) (std::min(a, b))
#define ET_MIN3(a, b, c) (std::min(a, std::min(b, c)))
#define ET_NORMALIZE_IX(index, bound) (index) < 0 ? (index) + (bound) : (index)

#define ET_CHECK_VALID_IX(index, bound)                                                                            \
  ET_CHECK_MSG((index) >= -static_cast<int64_t>(bound) && (index) < static_cast<int64_t>(bound),                   \
               "index %lld is not in [-%lld, %lld)", static_cast<long long>(index), static_cast<long long>(bound), \
               static_cast<long long>(bound))
#define ET_CHECK_VALID_DIM(dim, bound) ET_CHECK_VALID_IX(dim, bound)
#define ET_CHECK_NON_ZERO_DIM_SIZE(dim, t)                               \
  do {                                                                   \
    const ssize_t et_dim_ = ET_NORMALIZE_IX(dim, (t).dim());             \
    ET_CHECK_MSG((t).size(et_dim_) != 0, "dim %zd has size 0", et_dim_); \
  } while (0)
#define ET_CHECK_SAME_SHAPE2(a, b) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_shape(a, b), ET_TENSOR_CHECK_PREFIX__)
#define ET_CHECK_SAME_SHAPE3(a, b, c) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_shape(a, b, c), ET_TENSOR_CHECK_PREFIX__)
#define ET_CHECK_SAME_DTYPE2(a, b) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_dtype(a, b), ET_TENSOR_CHECK_PREFIX__)
#define ET_CHECK_SAME_DTYPE3(a, b, c) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_dtype(a, b, c), ET_TENSOR_CHECK_PREFIX__)
#define ET_CHECK_SAME_SHAPE_AND_DTYPE2(a, b) \
  do {                                       \
    ET_CHECK_SAME_SHAPE2(a, b);              \
    ET_CHECK_SAME_DTYPE2(a, b);              \
  } while (0)
#define ET_CHECK_SAME_SHAPE_AND_DTYPE3(a, b, c) \
  do {                                          \
    ET_CHECK_SAME_SHAPE3(a, b, c);              \
    ET_CHECK_SAME_DTYPE3(a, b, c);              \
  } while (0)
#define ET_CHECK_DEFAULT_OR_CHANNELSLAST_DIMORDER(t)                                   \
  ET_CHECK_MSG(::executorch::runtime::tensor_is_default_or_channels_last_dim_order(t), \
               "expected a row-major or a channels-last tensor")
#define ET_CHECK_CONTIGUOUS(t) \
  ET_CHECK_MSG(::executorch::runtime::tensor_is_contiguous(t), "expected a row-major tensor")
#define ET_CHECK_SAME_STRIDES2(a, b) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_strides(a, b), ET_TENSOR_CHECK_PREFIX__)
#define ET_CHECK_SAME_STRIDES3(a, b, c) \
  ET_CHECK_MSG(::executorch::runtime::tensors_have_same_strides(a, b, c), ET_TENSOR_CHECK_PREFIX__)
#define ET_LOG_AND_RETURN_IF_FALSE(condition) ET_CHECK_OR_RETURN_FALSE(condition, "")
#define ET_LOG_MSG_AND_RETURN_IF_FALSE(condition, format, ...) \
  ET_CHECK_OR_RETURN_FALSE(condition, format, ##__VA_ARGS__)

#undef ET_KERNEL_CHECK
#undef ET_KERNEL_CHECK_MSG
#define ET_KERNEL_CHECK(context, condition, error, value) \
  do {                                                    \
    if (!(condition)) {                                   \
      ET_LOG(Error, "Check failed (%s)", #condition);     \
      (context).fail(::et::Error::error);                 \
      return value;                                       \
    }                                                     \
  } while (0)
#define ET_KERNEL_CHECK_MSG(context, condition, error, value, format, ...)    \
  do {                                                                        \
    if (!(condition)) {                                                       \
      ET_LOG(Error, "Check failed (%s): " format, #condition, ##__VA_ARGS__); \
      (context).fail(::et::Error::error);                                     \
      return value;                                                           \
    }                                                                         \
  } while (0)
#define ET_EXTRACT_SCALAR_TENSOR(tensor, out) \
  ET_CHECK_MSG(extract_scalar_tensor(tensor, &out), #tensor ": expected one element that the type holds")

namespace executorch::runtime {

using ::executorch::aten::ArrayRef;
using ::executorch::aten::Tensor;
using ::executorch::aten::TensorImpl;
using ::executorch::aten::TensorShapeDynamism;

// --- Dtypes
// ------------------------------------------------------------------------------------------------------------

#define ET_TENSOR_TYPE_CHECK(name, condition)                                             \
  inline bool name(Tensor t) {                                                            \
    const ScalarType type = t.scalar_type();                                              \
    ET_CHECK_OR_RETURN_FALSE(condition, "a tensor of %s is not allowed", toString(type)); \
    return true;                                                                          \
  }
ET_TENSOR_TYPE_CHECK(tensor_is_bool_type, type == ScalarType::Bool)
ET_TENSOR_TYPE_CHECK(tensor_is_floating_type, isFloatingType(type))
ET_TENSOR_TYPE_CHECK(tensor_is_real_type, isRealType(type))
ET_TENSOR_TYPE_CHECK(tensor_is_realh_type, isRealHType(type))
ET_TENSOR_TYPE_CHECK(tensor_is_realhbf16_type, isRealHBF16Type(type))
ET_TENSOR_TYPE_CHECK(tensor_is_realhb_type, isRealHBType(type))
ET_TENSOR_TYPE_CHECK(tensor_is_realhbbf16_type, isRealHBBF16Type(type))
ET_TENSOR_TYPE_CHECK(tensor_is_complex_type, isComplexType(type))
ET_TENSOR_TYPE_CHECK(tensor_is_bits_type, isBitsType(type))
#undef ET_TENSOR_TYPE_CHECK
inline bool tensor_is_integral_type(Tensor t, bool includeBool = false) {
  ET_CHECK_OR_RETURN_FALSE(isIntegralType(t.scalar_type(), includeBool), "expected integers, got %s",
                           toString(t.scalar_type()));
  return true;
}
template <class... Types>
bool tensor_is_type(Tensor t, ScalarType type, Types... more) {
  const bool found = t.scalar_type() == type || ((t.scalar_type() == more) || ...);
  ET_CHECK_OR_RETURN_FALSE(found, "expected a tensor of %s, got %s", toString(type), toString(t.scalar_type()));
  return true;
}
inline bool tensor_can_cast_to(Tensor a, ScalarType type) {
  ET_CHECK_OR_RETURN_FALSE(canCast(a.scalar_type(), type), "%s cannot be written as %s", toString(a.scalar_type()),
                           toString(type));
  return true;
}
inline bool tensors_have_same_dtype(Tensor a, Tensor b) {
  ET_CHECK_OR_RETURN_FALSE(a.scalar_type() == b.scalar_type(), ET_TENSOR_CHECK_PREFIX__ ": dtype={%s, %s}",
                           toString(a.scalar_type()), toString(b.scalar_type()));
  return true;
}
inline bool tensors_have_same_dtype(Tensor a, Tensor b, Tensor c) {
  return tensors_have_same_dtype(a, b) && tensors_have_same_dtype(b, c);
}

// --- Ranks and sizes
// ---------------------------------------------------------------------------------------------------

inline bool dim_is_valid(int64_t dim, int64_t upper_bound) {
  ET_CHECK_OR_RETURN_FALSE(dim >= -upper_bound && dim < upper_bound, "dim %lld is not in [-%lld, %lld)",
                           static_cast<long long>(dim), static_cast<long long>(upper_bound),
                           static_cast<long long>(upper_bound));
  return true;
}
/// A scalar counts as one dimension of size 1.
inline ssize_t nonzero_dim(const Tensor& t) { return t.dim() == 0 ? 1 : t.dim(); }
inline ssize_t nonempty_size(const Tensor& t, ssize_t dim) { return t.dim() == 0 ? 1 : t.size(dim); }
inline bool tensor_is_rank(Tensor t, size_t rank) {
  ET_CHECK_OR_RETURN_FALSE(static_cast<size_t>(t.dim()) == rank, "expected rank %zu, got %zd", rank, t.dim());
  return true;
}
inline bool tensor_has_rank_greater_or_equal_to(Tensor t, size_t rank) {
  ET_CHECK_OR_RETURN_FALSE(static_cast<size_t>(t.dim()) >= rank, "expected at least rank %zu, got %zd", rank, t.dim());
  return true;
}
inline bool tensor_has_rank_smaller_or_equal_to(Tensor t, size_t rank) {
  ET_CHECK_OR_RETURN_FALSE(static_cast<size_t>(t.dim()) <= rank, "expected at most rank %zu, got %zd", rank, t.dim());
  return true;
}
inline bool tensor_has_dim(Tensor t, int64_t d) { return dim_is_valid(d, nonzero_dim(t)); }
inline bool tensor_has_non_empty_dim(Tensor t, int64_t d) {
  ET_LOG_AND_RETURN_IF_FALSE(tensor_has_dim(t, d));
  ET_LOG_AND_RETURN_IF_FALSE(nonempty_size(t, ET_NORMALIZE_IX(d, t.dim())) != 0);
  return true;
}
/// The tensor has a dimension; `d` is one of its.
inline bool tensor_dim_has_index(Tensor t, int64_t d, int64_t index) {
  ET_CHECK(t.dim() != 0);
  if (d < 0) d += t.dim();
  ET_CHECK(d >= 0 && d < t.dim());
  ET_CHECK_OR_RETURN_FALSE(index >= -t.size(d) && index < t.size(d), "index %lld is not in dim %lld of size %zd",
                           static_cast<long long>(index), static_cast<long long>(d), t.size(d));
  return true;
}
inline bool tensors_have_same_rank(Tensor a, Tensor b) {
  ET_CHECK_OR_RETURN_FALSE(a.dim() == b.dim(), ET_TENSOR_CHECK_PREFIX__ ": rank={%zd, %zd}", a.dim(), b.dim());
  return true;
}
inline bool tensors_have_same_size_at_dims(Tensor a, size_t dim_a, Tensor b, size_t dim_b) {
  ET_CHECK_OR_RETURN_FALSE(dim_a < static_cast<size_t>(a.dim()) && dim_b < static_cast<size_t>(b.dim()),
                           "dims %zu and %zu: the ranks are %zd and %zd", dim_a, dim_b, a.dim(), b.dim());
  const ssize_t size_a = a.size(static_cast<ssize_t>(dim_a));
  const ssize_t size_b = b.size(static_cast<ssize_t>(dim_b));
  ET_CHECK_OR_RETURN_FALSE(size_a == size_b, ET_TENSOR_CHECK_PREFIX__ ": size={%zd, %zd}", size_a, size_b);
  return true;
}
/// Tensors of one element have the same shape whatever their rank is.
inline bool tensors_have_same_shape(Tensor a, Tensor b) {
  if (a.numel() == 1 && b.numel() == 1) return true;
  ET_CHECK_OR_RETURN_FALSE(a.sizes() == b.sizes(), ET_TENSOR_CHECK_PREFIX__ ": shape={%s, %s}",
                           tensor_shape_to_c_string(a.sizes()).data(), tensor_shape_to_c_string(b.sizes()).data());
  return true;
}
inline bool tensors_have_same_shape(Tensor a, Tensor b, Tensor c) {
  return tensors_have_same_shape(a, b) && tensors_have_same_shape(b, c) && tensors_have_same_shape(a, c);
}
inline bool tensors_have_same_shape_and_dtype(Tensor a, Tensor b) {
  return tensors_have_same_shape(a, b) && tensors_have_same_dtype(a, b);
}
inline bool tensors_have_same_shape_and_dtype(Tensor a, Tensor b, Tensor c) {
  return tensors_have_same_shape(a, b, c) && tensors_have_same_dtype(a, b, c);
}
inline bool tensor_has_expected_size(Tensor a, ArrayRef<::executorch::aten::SizesType> expected) {
  ET_CHECK_OR_RETURN_FALSE(a.sizes() == expected, "expected shape %s, got %s",
                           tensor_shape_to_c_string(expected).data(), tensor_shape_to_c_string(a.sizes()).data());
  return true;
}
inline bool tensor_is_scalar(Tensor t) { return t.dim() == 0 && t.numel() == 1; }

// --- Layouts
// -----------------------------------------------------------------------------------------------------------

inline bool tensors_have_same_strides(Tensor a, Tensor b) {
  ET_CHECK_OR_RETURN_FALSE(a.strides() == b.strides(), ET_TENSOR_CHECK_PREFIX__ ": strides={%s, %s}",
                           tensor_shape_to_c_string(a.strides()).data(), tensor_shape_to_c_string(b.strides()).data());
  return true;
}
inline bool tensors_have_same_strides(Tensor a, Tensor b, Tensor c) {
  return tensors_have_same_strides(a, b) && tensors_have_same_strides(b, c);
}
inline bool tensor_is_contiguous(Tensor t) {
  ssize_t stride = 1;
  for (ssize_t d = t.dim() - 1; d >= 0; --d) {
    ET_CHECK_OR_RETURN_FALSE(t.strides()[d] == stride,
                             "the stride of the %zd-th dimension shall be that of a row-major tensor", d);
    stride *= t.size(d);
  }
  return true;
}
/// InvalidArgument: `size` is not the rank.
ET_NODISCARD inline Error get_dim_order(const Tensor& t, ::executorch::aten::DimOrderType* out, size_t size) {
  ET_CHECK_OR_RETURN_ERROR(size == t.dim_order().size(), InvalidArgument, "dim order: room for %zu, rank %zd", size,
                           t.dim());
  std::copy(t.dim_order().begin(), t.dim_order().end(), out);
  return Error::Ok;
}
inline bool tensor_has_valid_dim_order(Tensor t) {
  ET_CHECK_OR_RETURN_FALSE(validate_dim_order(t.dim_order().data(), t.dim_order().size()),
                           "the dim order is no permutation");
  return true;
}
inline bool tensor_is_default_dim_order(Tensor t) {
  ET_CHECK_OR_RETURN_FALSE(is_contiguous_dim_order(t.dim_order().data(), t.dim_order().size()),
                           "expected a row-major tensor");
  return true;
}
inline bool tensor_is_channels_last_dim_order(Tensor t) {
  ET_CHECK_OR_RETURN_FALSE(is_channels_last_dim_order(t.dim_order().data(), t.dim_order().size()),
                           "expected a channels-last tensor");
  return true;
}
inline bool tensor_is_default_or_channels_last_dim_order(Tensor t) {
  return is_contiguous_dim_order(t.dim_order().data(), t.dim_order().size()) || tensor_is_channels_last_dim_order(t);
}
/// All are row-major, or all are channels-last.
inline bool tensors_have_same_dim_order(ArrayRef<Tensor> list) {
  bool contiguous = true;
  bool channels_last = true;
  for (const Tensor& t : list) {
    contiguous = contiguous && is_contiguous_dim_order(t.dim_order().data(), t.dim_order().size());
    channels_last = channels_last && is_channels_last_dim_order(t.dim_order().data(), t.dim_order().size());
  }
  ET_CHECK_OR_RETURN_FALSE(list.size() < 2 || contiguous || channels_last, "%zu tensors have different dim orders",
                           list.size());
  return true;
}
inline bool tensors_have_same_dim_order(const Tensor& a, const Tensor& b) {
  const Tensor list[] = {a, b};
  return tensors_have_same_dim_order(list);
}
inline bool tensors_have_same_dim_order(const Tensor& a, const Tensor& b, const Tensor& c) {
  const Tensor list[] = {a, b, c};
  return tensors_have_same_dim_order(list);
}
inline bool tensors_have_same_dim_order(const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d) {
  const Tensor list[] = {a, b, c, d};
  return tensors_have_same_dim_order(list);
}

// --- Indices
// -----------------------------------------------------------------------------------------------------------

/// The product of the sizes before `dim`.
inline size_t getLeadingDims(const Tensor& t, int64_t dim) {
  ET_CHECK_MSG(dim >= 0 && dim <= t.dim(), "Ending dimension %lld should be in the range [0, %zd]",
               static_cast<long long>(dim), t.dim());
  size_t count = 1;
  for (int64_t i = 0; i < dim; ++i) {
    ET_CHECK(!__builtin_mul_overflow(count, static_cast<size_t>(t.size(i)), &count));
  }
  return count;
}
/// The product of the sizes behind `dim`.
inline size_t getTrailingDims(const Tensor& t, int64_t dim) {
  ET_CHECK_MSG(dim >= -1 && dim < t.dim(), "Starting dimension %lld should be in the range [-1, %zd)",
               static_cast<long long>(dim), t.dim());
  size_t count = 1;
  for (int64_t i = dim + 1; i < t.dim(); ++i) {
    ET_CHECK(!__builtin_mul_overflow(count, static_cast<size_t>(t.size(i)), &count));
  }
  return count;
}
/// Row-major.
inline size_t coordinateToIndex(const Tensor& t, const size_t* coordinate) {
  size_t index = 0;
  for (ssize_t d = 0; d < t.dim(); ++d) index = index * static_cast<size_t>(t.size(d)) + coordinate[d];
  return index;
}
inline void memoizeTrailingDims(const Tensor& t, size_t trailing[kTensorDimensionLimit]) {
  size_t count = 1;
  for (ssize_t d = t.dim() - 1; d >= 0; --d) {
    trailing[d] = count;
    count *= static_cast<size_t>(t.size(d));
  }
}
inline size_t coordinateToIndexWithTrailingDimsMemo(const Tensor& t, const size_t* coordinate,
                                                    const size_t trailing[kTensorDimensionLimit]) {
  size_t index = 0;
  for (ssize_t d = 0; d < t.dim(); ++d) index += coordinate[d] * trailing[d];
  return index;
}
inline void indexToCoordinate(const Tensor& t, size_t index, size_t* coordinate) {
  ET_CHECK(index < static_cast<size_t>(t.numel()));
  for (ssize_t d = t.dim() - 1; d >= 0; --d) {
    coordinate[d] = index % static_cast<size_t>(t.size(d));
    index /= static_cast<size_t>(t.size(d));
  }
}
inline size_t calculate_linear_index(const ::executorch::aten::SizesType* coordinate,
                                     const ::executorch::aten::StridesType* strides, size_t ndim) {
  size_t index = 0;
  for (size_t i = 0; i < ndim; ++i) index += static_cast<size_t>(coordinate[i]) * static_cast<size_t>(strides[i]);
  return index;
}

// --- Tensors of one element
// --------------------------------------------------------------------------------------------

/// False: another number of elements, a dtype of another kind, or a value that T does not hold.
template <class T>
bool extract_scalar_tensor(Tensor t, T* out) {
  if (t.numel() != 1) return false;
  if constexpr (std::is_same_v<T, bool>) {
    if (t.scalar_type() != ScalarType::Bool) return false;
    *out = t.const_data_ptr<bool>()[0];
    return true;
  } else if constexpr (std::is_integral_v<T>) {
#define ET_READ_ONE(ctype, name)                                                                          \
  case ScalarType::name: {                                                                                \
    const int64_t value = t.const_data_ptr<ctype>()[0];                                                   \
    if (value < static_cast<int64_t>(std::numeric_limits<T>::lowest())) return false;                     \
    if (value > 0 && static_cast<uint64_t>(value) > static_cast<uint64_t>(std::numeric_limits<T>::max())) \
      return false;                                                                                       \
    *out = static_cast<T>(value);                                                                         \
    return true;                                                                                          \
  }
    switch (t.scalar_type()) {
      ET_FORALL_INT_TYPES(ET_READ_ONE)
      default:
        return false;
    }
#undef ET_READ_ONE
  } else {
#define ET_READ_ONE(ctype, name)                                                                  \
  case ScalarType::name: {                                                                        \
    const double value = static_cast<double>(t.const_data_ptr<ctype>()[0]);                       \
    if (std::isfinite(value) && (value < static_cast<double>(std::numeric_limits<T>::lowest()) || \
                                 value > static_cast<double>(std::numeric_limits<T>::max())))     \
      return false;                                                                               \
    *out = static_cast<T>(value);                                                                 \
    return true;                                                                                  \
  }
    switch (t.scalar_type()) {
      ET_FORALL_REALHBF16_TYPES(ET_READ_ONE)
      default:
        return false;
    }
#undef ET_READ_ONE
  }
}

// --- Memory and resizing
// -----------------------------------------------------------------------------------------------

namespace internal {

/// The destination refers to the bytes of the source.
ET_NODISCARD Error share_tensor_data(const Tensor& to, const Tensor& from);
ET_NODISCARD Error copy_tensor_data(const Tensor& to, const Tensor& from);
ET_NODISCARD Error set_tensor_data(const Tensor& t, void* buffer, size_t buffer_size);
void reset_data_ptr(const Tensor& t);
ET_NODISCARD Error resize_tensor_impl(::executorch::aten::TensorImpl* impl,
                                      ArrayRef<::executorch::aten::SizesType> new_sizes);

}  // namespace internal

using ::et::resize_tensor;
ET_DEPRECATED inline void resize(Tensor t, ArrayRef<::executorch::aten::SizesType> new_sizes) {
  ET_CHECK_MSG(resize_tensor(t, new_sizes) == Error::Ok, "the tensor cannot be resized");
}

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::calculate_linear_index;
using ::executorch::runtime::coordinateToIndex;
using ::executorch::runtime::coordinateToIndexWithTrailingDimsMemo;
using ::executorch::runtime::dim_is_valid;
using ::executorch::runtime::extract_scalar_tensor;
using ::executorch::runtime::get_dim_order;
using ::executorch::runtime::getLeadingDims;
using ::executorch::runtime::getTrailingDims;
using ::executorch::runtime::indexToCoordinate;
using ::executorch::runtime::kTensorDimensionLimit;
using ::executorch::runtime::memoizeTrailingDims;
using ::executorch::runtime::nonempty_size;
using ::executorch::runtime::nonzero_dim;
using ::executorch::runtime::resize;
using ::executorch::runtime::resize_tensor;
using ::executorch::runtime::tensor_can_cast_to;
using ::executorch::runtime::tensor_dim_has_index;
using ::executorch::runtime::tensor_has_dim;
using ::executorch::runtime::tensor_has_expected_size;
using ::executorch::runtime::tensor_has_non_empty_dim;
using ::executorch::runtime::tensor_has_rank_greater_or_equal_to;
using ::executorch::runtime::tensor_has_rank_smaller_or_equal_to;
using ::executorch::runtime::tensor_has_valid_dim_order;
using ::executorch::runtime::tensor_is_bits_type;
using ::executorch::runtime::tensor_is_bool_type;
using ::executorch::runtime::tensor_is_channels_last_dim_order;
using ::executorch::runtime::tensor_is_complex_type;
using ::executorch::runtime::tensor_is_contiguous;
using ::executorch::runtime::tensor_is_default_dim_order;
using ::executorch::runtime::tensor_is_default_or_channels_last_dim_order;
using ::executorch::runtime::tensor_is_floating_type;
using ::executorch::runtime::tensor_is_integral_type;
using ::executorch::runtime::tensor_is_rank;
using ::executorch::runtime::tensor_is_real_type;
using ::executorch::runtime::tensor_is_realh_type;
using ::executorch::runtime::tensor_is_realhb_type;
using ::executorch::runtime::tensor_is_realhbbf16_type;
using ::executorch::runtime::tensor_is_realhbf16_type;
using ::executorch::runtime::tensor_is_scalar;
using ::executorch::runtime::tensor_is_type;
using ::executorch::runtime::tensors_have_same_dim_order;
using ::executorch::runtime::tensors_have_same_dtype;
using ::executorch::runtime::tensors_have_same_rank;
using ::executorch::runtime::tensors_have_same_shape;
using ::executorch::runtime::tensors_have_same_shape_and_dtype;
using ::executorch::runtime::tensors_have_same_size_at_dims;
using ::executorch::runtime::tensors_have_same_strides;
namespace internal {
using ::executorch::runtime::internal::copy_tensor_data;
using ::executorch::runtime::internal::reset_data_ptr;
using ::executorch::runtime::internal::resize_tensor_impl;
using ::executorch::runtime::internal::set_tensor_data;
using ::executorch::runtime::internal::share_tensor_data;
}  // namespace internal
}  // namespace torch::executor
