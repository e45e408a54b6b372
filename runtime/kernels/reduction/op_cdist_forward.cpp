// _cdist_forward and _pdist_forward: p-norm distances of rows, not by way of a matmul, which loses digits. Those of
// float16 and bfloat16 are computed in float and rounded once.
#include <cmath>
#include <type_traits>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/reduction/plan.h"

namespace et::ET_KERNELS {
namespace {

// One functor a norm: step adds |a − b|, finish ends it. Lanes keep the chains short and let the loops vectorise.
struct Count {
  template <class T>
  T step(T sum, T d) const {
    return sum + (d == T{0} ? T{0} : T{1});
  }
  template <class T>
  T join(T a, T b) const {
    return a + b;
  }
  template <class T>
  T finish(T sum) const {
    return sum;
  }
};
struct Manhattan : Count {
  template <class T>
  T step(T sum, T d) const {
    return sum + d;
  }
};
struct Euclid : Count {
  template <class T>
  T step(T sum, T d) const {
    return sum + d * d;
  }
  template <class T>
  T finish(T sum) const {
    return std::sqrt(sum);
  }
};
struct Chebyshev : Count {
  template <class T>
  T step(T best, T d) const {
    return ((d > best) | (d != d)) ? d : best;
  }
  template <class T>
  T join(T a, T b) const {
    return step(a, b);
  }
};
struct Power : Count {
  double p;
  template <class T>
  T step(T sum, T d) const {
    return sum + std::pow(d, static_cast<T>(p));
  }
  template <class T>
  T finish(T sum) const {
    return std::pow(sum, static_cast<T>(1.0 / p));
  }
};

template <class T, class Norm>
T distance(const Norm& norm, const T* __restrict a, const T* __restrict b, int64_t n) {
  constexpr int64_t kLanes = 64 / static_cast<int64_t>(sizeof(T));
  T total = 0;
  int64_t i = 0;
  if (n >= kLanes) {
    T lane[kLanes] = {};
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t l = 0; l < kLanes; ++l) lane[l] = norm.step(lane[l], std::abs(a[i + l] - b[i + l]));
    }
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (int64_t l = 0; l < half; ++l) lane[l] = norm.join(lane[l], lane[l + half]);
    }
    total = lane[0];
  }
  for (; i < n; ++i) total = norm.step(total, std::abs(a[i] - b[i]));
  return norm.finish(total);
}

template <class F>
void with_norm(double p, const F& f) {
  if (p == 0) return f(Count{});
  if (p == 1) return f(Manhattan{});
  if (p == 2) return f(Euclid{});
  if (std::isinf(p)) return f(Chebyshev{});
  Power power;
  power.p = p;
  f(power);
}

/// The rows of the last two dims of a tensor.
struct Matrix {
  int64_t rows, columns, row_stride, column_stride;
  explicit Matrix(const Tensor& t) {
    const size_t r = t.sizes().size();
    rows = t.sizes()[r - 2];
    columns = t.sizes()[r - 1];
    row_stride = t.strides()[r - 2];
    column_stride = t.strides()[r - 1];
  }
};

template <class T, class Norm>
T distance(const Norm& norm, const T* a, int64_t a_stride, const T* b, int64_t b_stride, int64_t n) {
  using M = opmath_t<T>;
  if constexpr (std::is_same_v<M, T>) {
    if (n <= 1 || (a_stride == 1 && b_stride == 1)) return distance(norm, a, b, n);
  }
  M total = 0;
  for (int64_t i = 0; i < n; ++i) {
    total = norm.step(total, std::abs(static_cast<M>(a[i * a_stride]) - static_cast<M>(b[i * b_stride])));
  }
  return static_cast<T>(norm.finish(total));
}

Tensor& cdist_forward_out(KernelRuntimeContext& ctx, const Tensor& x1, const Tensor& x2, double p,
                          optional<int64_t> /*compute_mode*/, Tensor& out) {
  constexpr const char* kOp = "aten::_cdist_forward.out";
  ET_KERNEL_CHECK_MSG(ctx, p >= 0, InvalidArgument, out, "%s: expected p of 0 or more, got %g", kOp, p);
  ET_KERNEL_CHECK_MSG(ctx, x1.dim() >= 2 && x2.dim() >= 2, InvalidArgument, out,
                      "%s: expected x1 and x2 of rank 2 or more, got %zd and %zd", kOp, x1.dim(), x2.dim());
  ET_KERNEL_CHECK_MSG(ctx,
                      in_set(x1.scalar_type(), kFloatsH) && x1.scalar_type() == x2.scalar_type() &&
                          x1.scalar_type() == out.scalar_type(),
                      InvalidArgument, out, "%s: expected x1, x2 and out of one floating dtype", kOp);
  const size_t r1 = x1.sizes().size();
  const size_t r2 = x2.sizes().size();
  const int64_t columns = x1.sizes()[r1 - 1];
  ET_KERNEL_CHECK_MSG(ctx, columns == x2.sizes()[r2 - 1], InvalidArgument, out,
                      "%s: rows of %lld in x1 and of %lld in x2", kOp, static_cast<long long>(columns),
                      static_cast<long long>(x2.sizes()[r2 - 1]));
  if (!check_memory(ctx, kOp, "x1", x1) || !check_memory(ctx, kOp, "x2", x2)) return out;
  Shape shape;
  ET_KERNEL_CHECK_MSG(ctx, broadcast_shapes(x1.sizes().first(r1 - 2), x2.sizes().first(r2 - 2), &shape),
                      InvalidArgument, out, "%s: the batches of x1 and x2 do not broadcast", kOp);
  const Shape batch = shape;
  shape.push(x1.sizes()[r1 - 2]);
  shape.push(x2.sizes()[r2 - 2]);
  if (!prepare_out(ctx, kOp, out, shape) || out.numel() == 0) return out;
  // Strides of the batches: rank may differ, sizes of 1 stretch.
  int64_t strides[3][kTensorDimensionLimit] = {};
  const Tensor* tensors[3] = {&x1, &x2, &out};
  for (size_t k = 0; k < 3; ++k) {
    const size_t own = tensors[k]->sizes().size() - 2;
    for (size_t d = 0; d < own; ++d) {
      if (tensors[k]->sizes()[d] != 1) strides[k][batch.rank - own + d] = tensors[k]->strides()[d];
    }
  }
  const Matrix m1(x1);
  const Matrix m2(x2);
  const Matrix to(out);
  dispatch<kFloatsH>(x1.scalar_type(), [&]<class T>() {
    with_norm(p, [&](const auto& norm) {
      const StridedWalk<3> walk(batch.view(), {strides[0], strides[1], strides[2]});
      walk.run([&](const std::array<int64_t, 3>& offset, int64_t n, const std::array<int64_t, 3>& stride) {
        for (int64_t i = 0; i < n; ++i) {
          const T* a = x1.const_data_ptr<T>() + offset[0] + i * stride[0];
          const T* b = x2.const_data_ptr<T>() + offset[1] + i * stride[1];
          T* result = out.mutable_data_ptr<T>() + offset[2] + i * stride[2];
          parallel_for(0, m1.rows, grain_for(m2.rows * columns), [&](int64_t first, int64_t last) {
            for (int64_t r = first; r < last; ++r) {
              for (int64_t s = 0; s < m2.rows; ++s) {
                result[r * to.row_stride + s * to.column_stride] = distance(
                    norm, a + r * m1.row_stride, m1.column_stride, b + s * m2.row_stride, m2.column_stride, columns);
              }
            }
          });
        }
      });
    });
  });
  return out;
}

Tensor& pdist_forward_out(KernelRuntimeContext& ctx, const Tensor& in, double p, Tensor& out) {
  constexpr const char* kOp = "aten::_pdist_forward.out";
  ET_KERNEL_CHECK_MSG(ctx, p >= 0, InvalidArgument, out, "%s: expected p of 0 or more, got %g", kOp, p);
  ET_KERNEL_CHECK_MSG(ctx, in.dim() == 2, InvalidArgument, out, "%s: expected self of rank 2, got %zd", kOp, in.dim());
  ET_KERNEL_CHECK_MSG(ctx, in_set(in.scalar_type(), kFloatsH) && in.scalar_type() == out.scalar_type(), InvalidArgument,
                      out, "%s: expected self and out of one floating dtype", kOp);
  if (!check_memory(ctx, kOp, "self", in)) return out;
  const Matrix m(in);
  const int64_t rows = m.rows;
  const int64_t pairs = rows * (rows - 1) / 2;
  ET_KERNEL_CHECK_MSG(ctx, pairs <= INT32_MAX, InvalidArgument, out, "%s: %lld rows make too many pairs", kOp,
                      static_cast<long long>(rows));
  Shape shape;
  shape.push(pairs);
  if (!prepare_out(ctx, kOp, out, shape) || out.numel() == 0) return out;
  dispatch<kFloatsH>(in.scalar_type(), [&]<class T>() {
    with_norm(p, [&](const auto& norm) {
      const T* a = in.const_data_ptr<T>();
      T* to = out.mutable_data_ptr<T>();
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t s = r + 1; s < rows; ++s) {
          *to++ =
              distance(norm, a + r * m.row_stride, m.column_stride, a + s * m.row_stride, m.column_stride, m.columns);
        }
      }
    });
  });
  return out;
}

}  // namespace

ET_KERNEL(cdist_forward_out)
ET_KERNEL(pdist_forward_out)

}  // namespace et::ET_KERNELS
