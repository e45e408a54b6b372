// TensorImpl: sizes, strides, dtype and memory of a tensor.
#pragma once

#include "executorch/runtime/core/array_ref.h"
#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/portable_type/device.h"
#include "executorch/runtime/core/portable_type/scalar_type.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/core/tensor_shape_dynamism.h"
#include "executorch/runtime/platform/compiler.h"
#include "runtime/core/tensor.h"

#define ET_PRI_TENSOR_SIZE "zd"
#define ET_PRI_TENSOR_DIM "zd"
#define ET_PRI_TENSOR_NUMEL "zd"
#define ET_PRI_SIZES_AND_STRIDES "d"

namespace executorch::runtime::etensor {

using ::et::TensorImpl;

/// Elements of a tensor. InvalidArgument: a negative size, or more than ssize_t holds.
inline Result<ssize_t> safe_numel(const int32_t* sizes, ssize_t dim) {
  ET_CHECK_OR_RETURN_ERROR(dim == 0 || sizes != nullptr, InvalidArgument, "sizes: expected %zd, got null", dim);
  ssize_t count = 1;
  for (ssize_t i = 0; i < dim; ++i) {
    ET_CHECK_OR_RETURN_ERROR(sizes[i] >= 0, InvalidArgument, "size %d of dimension %zd is negative", sizes[i], i);
    ET_CHECK_OR_RETURN_ERROR(!__builtin_mul_overflow(count, static_cast<ssize_t>(sizes[i]), &count), InvalidArgument,
                             "sizes: the number of elements overflows at dimension %zd", i);
  }
  return count;
}
/// The same; a wrong size ends the process.
inline ssize_t compute_numel(const int32_t* sizes, ssize_t dim) {
  const Result<ssize_t> count = safe_numel(sizes, dim);
  ET_CHECK_MSG(count.ok(), "sizes: expected a number of elements that can be counted");
  return *count;
}

}  // namespace executorch::runtime::etensor

namespace torch::executor {
using ::executorch::runtime::etensor::compute_numel;
using ::executorch::runtime::etensor::safe_numel;
using ::executorch::runtime::etensor::TensorImpl;
}  // namespace torch::executor
