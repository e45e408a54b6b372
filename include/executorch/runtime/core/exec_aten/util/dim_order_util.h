// Dim orders and strides.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h"
#include "executorch/runtime/platform/assert.h"
#include "executorch/runtime/platform/compiler.h"

namespace executorch::runtime {

/// A permutation of 0 … dims − 1.
template <class D>
bool validate_dim_order(const D* dim_order, size_t dims) {
  if (dims > kTensorDimensionLimit) return false;
  uint32_t seen = 0;
  for (size_t i = 0; i < dims; ++i) {
    if (static_cast<size_t>(dim_order[i]) >= dims || (seen >> dim_order[i] & 1) != 0) return false;
    seen |= uint32_t{1} << dim_order[i];
  }
  return true;
}

template <class D>
bool is_contiguous_dim_order(const D* dim_order, size_t dims) {
  for (size_t i = 0; i < dims; ++i) {
    if (static_cast<size_t>(dim_order[i]) != i) return false;
  }
  return true;
}

/// Of rank 4 and 5: the batch, the space, the channels.
template <class D>
bool is_channels_last_dim_order(const D* dim_order, size_t dims) {
  if ((dims != 4 && dims != 5) || dim_order[0] != 0 || dim_order[dims - 1] != 1) return false;
  for (size_t i = 1; i + 1 < dims; ++i) {
    if (static_cast<size_t>(dim_order[i]) != i + 1) return false;
  }
  return true;
}

/// A dimension of size 0 counts as 1.
template <class S, class D, class T>
void dim_order_to_stride_nocheck(const S* sizes, const D* dim_order, size_t dims, T* strides) {
  T stride = 1;
  for (size_t i = dims; i-- > 0;) {
    const S size = sizes[dim_order[i]];
    strides[dim_order[i]] = stride;
    if (size != 0) stride = static_cast<T>(stride * size);
  }
}
/// InvalidArgument: no permutation.
template <class S, class D, class T>
ET_NODISCARD Error dim_order_to_stride(const S* sizes, const D* dim_order, size_t dims, T* strides) {
  ET_CHECK_OR_RETURN_ERROR(validate_dim_order(dim_order, dims), InvalidArgument,
                           "dim order: expected a permutation of [0, %zu)", dims);
  dim_order_to_stride_nocheck(sizes, dim_order, dims, strides);
  return Error::Ok;
}

/// Dimensions by falling stride; equal ones stay in their order. MemoryAllocationFailed: no place for the result.
template <class D, class T>
ET_NODISCARD Error stride_to_dim_order(const T* strides, size_t dims, D* dim_order) {
  ET_CHECK_OR_RETURN_ERROR(dim_order != nullptr, MemoryAllocationFailed, "dim order: no memory was given");
  ET_CHECK_OR_RETURN_ERROR(dims <= kTensorDimensionLimit, NotSupported, "dim order: %zu dimensions, at most %zu", dims,
                           kTensorDimensionLimit);
  for (size_t i = 0; i < dims; ++i) {
    size_t at = i;
    for (; at > 0 && strides[dim_order[at - 1]] < strides[i]; --at) dim_order[at] = dim_order[at - 1];
    dim_order[at] = static_cast<D>(i);
  }
  return Error::Ok;
}

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::dim_order_to_stride;
using ::executorch::runtime::dim_order_to_stride_nocheck;
using ::executorch::runtime::is_channels_last_dim_order;
using ::executorch::runtime::is_contiguous_dim_order;
using ::executorch::runtime::stride_to_dim_order;
}  // namespace torch::executor
