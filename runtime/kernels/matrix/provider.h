// Who computes GEMM and convolutions in float: our own code, or a library that an application links and
// selects at run time (et_kernels_onednn). The operators check and shape everything first; a provider sees valid
// parameters only and may decline any of them, which then run here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace et::matrix {

/// out[i][j] = alpha * sum_k a[i][k] * b[k][j] + beta * c[i][j], for each of `batch` problems. All strides are in
/// elements and may be any, 0 included for a, b and c; out is never c, a or b, except that c may be out itself with
/// the same strides.
template <class T>
struct GemmOperands {
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

  /// The same memory as elements of U.
  template <class U>
  GemmOperands<U> as() const {
    return {batch,
            m,
            n,
            k,
            static_cast<const U*>(a),
            a_batch,
            a_row,
            a_col,
            static_cast<const U*>(b),
            b_batch,
            b_row,
            b_col,
            static_cast<const U*>(c),
            c_batch,
            c_row,
            c_col,
            static_cast<U*>(out),
            out_batch,
            out_row,
            out_col};
  }
};
template <class T>
struct Gemm : GemmOperands<T> {
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

/// Each function may be null and returns false for what it does not take; then `out` must be as before.
struct Provider {
  const char* name;
  bool (*gemm)(const Gemm<float>& params);
  bool (*convolution)(const Convolution& params);
};

namespace internal {
inline const Provider* g_provider = nullptr;
}
/// Null: our own code. Not while a method executes; the provider must live as long as it is selected.
inline void select_provider(const Provider* provider) { internal::g_provider = provider; }
inline const Provider* selected_provider() { return internal::g_provider; }

}  // namespace et::matrix
