// Who computes matrix products and convolutions in float: our own code, or a library that an application links and
// selects at run time (et_kernels_onednn). The operators check and shape everything first; a provider sees valid jobs
// only and may decline any of them, which then run here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace et::matrix {

/// out[i][j] = alpha * sum_k a[i][k] * b[k][j] + beta * c[i][j], for each of `batch` problems. All strides are in
/// elements and may be any, 0 included for a, b and c; out is never c, a or b, except that c may be out itself with
/// the same strides.
template <class T>
struct Gemm {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  const T* a = nullptr;
  int64_t a_batch = 0, a_row = 0, a_col = 0;
  const T* b = nullptr;
  int64_t b_batch = 0, b_row = 0, b_col = 0;
  /// Null: nothing is added.
  const T* c = nullptr;
  int64_t c_batch = 0, c_row = 0, c_col = 0;
  T* out = nullptr;
  int64_t out_batch = 0, out_row = 0, out_col = 0;
  T alpha = T(1), beta = T(1);
};

/// A convolution over up to three spatial dimensions (missing ones have size 1), not transposed. Strides of tensors in
/// elements; [0] batch, [1] channel, [2..4] depth, height, width.
struct Convolution {
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  int64_t in_size[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, out_size[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, padding[3] = {0, 0, 0}, dilation[3] = {1, 1, 1};
  const float* in = nullptr;
  int64_t in_stride[5] = {};
  const float* weight = nullptr;
  int64_t weight_stride[5] = {};
  /// One value an output channel, or null.
  const float* bias = nullptr;
  float* out = nullptr;
  int64_t out_stride[5] = {};
};

/// Each function may be null and returns false for a job that it does not take; then `out` must be as before.
struct Provider {
  const char* name;
  bool (*gemm)(const Gemm<float>& job);
  bool (*convolution)(const Convolution& job);
};

namespace internal {
inline const Provider* g_provider = nullptr;
}
/// Null: our own code. Not while a method executes; the provider must live as long as it is selected.
inline void select_provider(const Provider* provider) { internal::g_provider = provider; }
inline const Provider* selected_provider() { return internal::g_provider; }

}  // namespace et::matrix
