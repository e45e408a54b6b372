// Fast Hadamard transforms in place, normalised by the root of 2^n. Of length 28 * 2^n: 28 of them, then a Hadamard
// matrix of order 28 across them, which is not normalised.
#pragma once

#include <cmath>
#include <cstdint>

#include "runtime/kernels/llm/hadamard.h"

namespace executorch {

template <class T>
void fast_hadamard_transform(T* vec, int log2_vec_size) {
  const int64_t n = int64_t{1} << log2_vec_size;
  ::et::kernels::hadamard::transform(vec, n);
  const T scale = static_cast<T>(1 / std::sqrt(static_cast<double>(n)));
  for (int64_t i = 0; i < n; ++i) vec[i] = vec[i] * scale;
}
template <class T>
void fast_hadamard_transform_28N(T* vec, int log2_vec_size) {
  const int64_t n = int64_t{1} << log2_vec_size;
  for (int64_t row = 0; row < 28; ++row) fast_hadamard_transform(vec + row * n, log2_vec_size);
  ::et::kernels::hadamard::across_28(vec, n);
}

/// Of numbers with one scale and no zero point: sums in more bits, one rounding, then the nearest int16. The scale of
/// the result is that of `vec`.
void fast_hadamard_transform_symmetric_quantized_s16(int16_t* vec, int log2_vec_size);
void fast_hadamard_transform_symmetric_quantized_s16_28N(int16_t* vec, int log2_vec_size);

}  // namespace executorch
