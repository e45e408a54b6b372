// The engine of all convolutions: a direct one over padded input. A transposed convolution becomes one such convolution
// for each phase of its output, each with the kernel elements that reach it, so that nothing is multiplied with the
// zeros between the inputs.
#pragma once

#include "runtime/kernels/matrix/conv_shape.h"

namespace et::ET_KERNELS {

/// Tensors of a convolution; strides in elements as conv_strides() gives them. `bias` (one number an output channel,
/// of any real dtype) may be null.
struct ConvData {
  ScalarType dtype = ScalarType::Float;
  const void* in = nullptr;
  int64_t in_stride[5] = {};
  const void* weight = nullptr;
  int64_t weight_stride[5] = {};
  const void* bias = nullptr;
  ScalarType bias_dtype = ScalarType::Float;
  int64_t bias_stride = 1;
  void* out = nullptr;
  int64_t out_stride[5] = {};
};

/// dtypes of convolutions: all integers, all floats. out_size of the shape says what is computed. False: failed.
bool run_convolution(KernelRuntimeContext& context, const ConvShape& shape, const ConvData& data, const char* name);

/// The same in the order in which torch adds (see conv_transposed_ordered.cpp), where that shows.
bool wants_ordered_transposed(const ConvShape& shape, ScalarType dtype);
bool run_ordered_transposed(KernelRuntimeContext& context, const ConvShape& shape, const ConvData& data,
                            const char* name);

/// Depthwise float images directly; *done: it was one. False: failed.
bool run_depthwise(KernelRuntimeContext& context, const ConvShape& shape, const ConvData& data, const char* name,
                   bool* done);

/// So little work that sums in double cost nothing: the result is then the exact one, rounded once.
bool is_small(const ConvShape& shape);

}  // namespace et::ET_KERNELS
