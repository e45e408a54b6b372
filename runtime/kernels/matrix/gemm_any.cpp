// GEMM of every dtype. What is not float or double is converted block by block into a number type that sums exactly
// or with more digits (float for the 16-bit floats, unsigned integers modulo 2^32 or 2^64, complex numbers as they
// are, complex32 as complex64), and rounded once when alpha and beta have been applied.
#include <algorithm>
#include <type_traits>

#include "runtime/kernels/common/dtype.h"
#include "runtime/kernels/matrix/gemm.h"
#include "runtime/platform/log.h"

namespace et::ET_KERNELS {
namespace {

template <class T>
Gemm<T> typed(const AnyGemm& j) {
  Gemm<T> g{j.as<T>()};
  if constexpr (std::is_floating_point_v<T>) {
    g.alpha = j.alpha.to<T>();
    g.beta = j.beta.to<T>();
  }
  return g;
}

/// The accumulator of T.
template <class T>
struct SumOf {
  using type = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;
};
template <>
struct SumOf<Half> {
  using type = float;
};
template <>
struct SumOf<BFloat16> {
  using type = float;
};
template <class R>
struct SumOf<std::complex<R>> {
  using type = std::complex<R>;
};

template <>
struct SumOf<ComplexHalf> {
  using type = std::complex<float>;
};

template <class S, class T>
S widen(T x) {
  if constexpr (std::is_same_v<T, ComplexHalf>) {
    return S(static_cast<float>(x.real), static_cast<float>(x.imag));
  } else {
    return static_cast<S>(x);
  }
}
template <class T, class S>
T narrow(S x) {
  if constexpr (std::is_same_v<T, ComplexHalf>) {
    return T(Half(x.real()), Half(x.imag()));
  } else {
    return static_cast<T>(x);
  }
}

// Without std::complex's care for infinities, which takes a call each.
template <class S>
void add_product(S* sum, S x, S y) {
  *sum += x * y;
}
template <class R>
void add_product(std::complex<R>* sum, std::complex<R> x, std::complex<R> y) {
  *sum += std::complex<R>(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
}

template <class S>
S scalar_as(const Scalar& s) {
  if constexpr (std::is_integral_v<S>)
    return static_cast<S>(s.to<int64_t>());
  else if constexpr (std::is_floating_point_v<S>)
    return s.to<S>();
  else
    return S(s.to<typename S::value_type>());
}

constexpr int64_t kRows = 32, kCols = 64, kBlockDepth = 128;

/// One block of sums, row-major in `sums`: sums = a * b over all of k.
template <class T, class S>
void sum_block(const AnyGemm& j, const T* a, const T* b, int64_t rows, int64_t cols, S* sums, S* wide_a, S* wide_b) {
  std::fill(sums, sums + rows * cols, S(0));
  for (int64_t p0 = 0; p0 < j.k; p0 += kBlockDepth) {
    const int64_t depth = std::min(kBlockDepth, j.k - p0);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t p = 0; p < depth; ++p) wide_a[i * depth + p] = widen<S>(a[i * j.a_row + (p0 + p) * j.a_col]);
    }
    for (int64_t p = 0; p < depth; ++p) {
      for (int64_t c = 0; c < cols; ++c) wide_b[p * cols + c] = widen<S>(b[(p0 + p) * j.b_row + c * j.b_col]);
    }
    if constexpr (std::is_floating_point_v<S>) {
      Gemm<S> g;
      g.m = rows, g.n = cols, g.k = depth;
      g.a = wide_a, g.a_row = depth, g.a_col = 1;
      g.b = wide_b, g.b_row = cols, g.b_col = 1;
      g.c = sums, g.c_row = cols, g.c_col = 1;
      g.out = sums, g.out_row = cols, g.out_col = 1;
      gemm<S>(g, nullptr);
    } else {
      for (int64_t i = 0; i < rows; ++i) {
        S* __restrict out = sums + i * cols;
        for (int64_t p = 0; p < depth; ++p) {
          const S x = wide_a[i * depth + p];
          const S* __restrict y = wide_b + p * cols;
          for (int64_t c = 0; c < cols; ++c) add_product(out + c, x, y[c]);
        }
      }
    }
  }
}

template <class T, class S>
bool gemm_converted(KernelRuntimeContext& context, const AnyGemm& j, const char* name) {
  const int64_t max_rows = std::min(kRows, j.m), max_cols = std::min(kCols, j.n), depth = std::min(kBlockDepth, j.k);
  const int64_t elements = max_rows * max_cols + max_rows * depth + depth * max_cols;
  Result<void*> workspace = context.allocate_temp(static_cast<size_t>(elements) * sizeof(S), 64);
  ET_KERNEL_CHECK_MSG(context, workspace.ok(), MemoryAllocationFailed, false, "%s: no temporary memory", name);
  S* sums = static_cast<S*>(workspace.get());
  S* wide_a = sums + max_rows * max_cols;
  S* wide_b = wide_a + max_rows * depth;
  const S alpha = scalar_as<S>(j.alpha), beta = scalar_as<S>(j.beta);
  const Gemm<T> g = typed<T>(j);
  for (int64_t batch = 0; batch < g.batch; ++batch) {
    for (int64_t i0 = 0; i0 < g.m; i0 += kRows) {
      const int64_t rows = std::min(kRows, g.m - i0);
      for (int64_t j0 = 0; j0 < g.n; j0 += kCols) {
        const int64_t cols = std::min(kCols, g.n - j0);
        sum_block<T, S>(j, g.a + batch * g.a_batch + i0 * g.a_row, g.b + batch * g.b_batch + j0 * g.b_col, rows, cols,
                        sums, wide_a, wide_b);
        const int64_t c0 = batch * g.c_batch + i0 * g.c_row + j0 * g.c_col;
        T* out = g.out + batch * g.out_batch + i0 * g.out_row + j0 * g.out_col;
        for (int64_t i = 0; i < rows; ++i) {
          for (int64_t c = 0; c < cols; ++c) {
            S value = alpha * sums[i * cols + c];
            if (g.c != nullptr) value += beta * widen<S>(g.c[c0 + i * g.c_row + c * g.c_col]);
            out[i * g.out_row + c * g.out_col] = narrow<T>(value);
          }
        }
      }
    }
  }
  return true;
}

}  // namespace

bool gemm_any(KernelRuntimeContext& context, const AnyGemm& params, const char* name) {
  if (params.dtype == ScalarType::Float) {
    // So little work that sums in double cost nothing: the result is then the exact one, rounded once.
    const double multiplications =
        static_cast<double>(params.m) * static_cast<double>(params.n) * static_cast<double>(params.k);
    if (multiplications < 1 << 16) return gemm_converted<float, double>(context, params, name);
    gemm_auto(context, typed<float>(params));
    return true;
  }
  if (params.dtype == ScalarType::Double) {
    gemm_auto(context, typed<double>(params));
    return true;
  }
  if constexpr (in_set(ScalarType::ComplexHalf, kSelectedDtypes)) {
    if (params.dtype == ScalarType::ComplexHalf) {
      return gemm_converted<ComplexHalf, std::complex<float>>(context, params, name);
    }
  }
  bool done = false;
  const bool known = dispatch<kHalfs | kInts | kComplex>(
      params.dtype, [&]<class T>() { done = gemm_converted<T, typename SumOf<T>::type>(context, params, name); });
  ET_KERNEL_CHECK_MSG(context, known, InvalidArgument, false, "%s: no matmul of %s", name,
                      scalar_type_name(params.dtype));
  return done;
}

}  // namespace et::ET_KERNELS
