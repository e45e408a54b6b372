// softmax and log_softmax along one dim, the maximum taken off first. Rows that lie in memory as float or double are
// done in place of the output, columns side by side; everything else goes through chunks.
#include <cmath>

#include "runtime/kernels/common/vector_math.h"
#include "runtime/kernels/reduction/engine.h"

namespace et::ET_KERNELS {
namespace {

inline float exponential(float x) { return vm::exp(x); }
inline double exponential(double x) { return std::exp(x); }

// Where there is a NaN the sum becomes NaN, and with it the whole row: it does not have to be the maximum.
template <class C>
inline C greater(C a, C x) {
  return x > a ? x : a;
}

template <class T>
struct MaxOp {
  using C = T;
  using Wide = T;
  static constexpr int64_t kDepth = INT64_MAX;
  C first() const { return -std::numeric_limits<T>::infinity(); }
  Wide wide_first() const { return first(); }
  C step(C a, C x) const { return greater(a, x); }
  C join(C a, C b) const { return greater(a, b); }
  void widen(Wide* total, C a) const { *total = greater(*total, a); }
};

/// Contiguous in and out of C.
template <class C, bool kLog>
void one_row(const C* in, C* out, int64_t n) {
  C top = MaxOp<C>{}.first();
  fold_row(MaxOp<C>{}, in, n, &top);
  double sum = 0;
  if constexpr (kLog) {
    C buffer[kChunk];
    for (int64_t i = 0; i < n; i += kChunk) {
      const int64_t m = n - i < kChunk ? n - i : kChunk;
      for (int64_t j = 0; j < m; ++j) buffer[j] = exponential(in[i + j] - top);
      fold_row(SumOp<C>{}, buffer, m, &sum);
    }
    const C log_sum = static_cast<C>(std::log(sum));
    for (int64_t i = 0; i < n; ++i) out[i] = (in[i] - top) - log_sum;
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = exponential(in[i] - top);
    fold_row(SumOp<C>{}, out, n, &sum);
    const C scale = static_cast<C>(1.0 / sum);
    for (int64_t i = 0; i < n; ++i) out[i] *= scale;
  }
}

/// One row of any dtype and stride.
template <class C, bool kLog>
void one_row_in_chunks(const ChunkReader<C>& reader, const ChunkWriter<C>& writer, int64_t in, int64_t in_stride,
                       int64_t out, int64_t out_stride, int64_t n) {
  C buffer[kChunk];
  C top = MaxOp<C>{}.first();
  double sum = 0;
  for (int64_t i = 0; i < n; i += kChunk) {
    const int64_t m = n - i < kChunk ? n - i : kChunk;
    fold_row(MaxOp<C>{}, reader.get(in + i * in_stride, in_stride, m, buffer), m, &top);
  }
  C values[kChunk];
  for (int64_t i = 0; i < n; i += kChunk) {
    const int64_t m = n - i < kChunk ? n - i : kChunk;
    const C* p = reader.get(in + i * in_stride, in_stride, m, buffer);
    for (int64_t j = 0; j < m; ++j) values[j] = exponential(p[j] - top);
    fold_row(SumOp<C>{}, values, m, &sum);
  }
  const C log_sum = static_cast<C>(std::log(sum));
  const C scale = static_cast<C>(1.0 / sum);
  for (int64_t i = 0; i < n; i += kChunk) {
    const int64_t m = n - i < kChunk ? n - i : kChunk;
    if (kLog || n > kChunk) {  // else `values` still holds the exponentials
      const C* p = reader.get(in + i * in_stride, in_stride, m, buffer);
      if constexpr (kLog) {
        for (int64_t j = 0; j < m; ++j) values[j] = (p[j] - top) - log_sum;
      } else {
        for (int64_t j = 0; j < m; ++j) values[j] = exponential(p[j] - top);
      }
    }
    if constexpr (!kLog) {
      for (int64_t j = 0; j < m; ++j) values[j] *= scale;
    }
    writer.put(out + i * out_stride, out_stride, m, values);
  }
}

/// `width` ≤ 128 columns of n elements, neighbours in memory.
template <class C, bool kLog>
void columns(const C* in, int64_t in_stride, C* out, int64_t out_stride, int64_t n, int64_t width) {
  constexpr int64_t kWidth = 128;
  C top[kWidth];
  C sum[kWidth] = {};
  for (int64_t j = 0; j < width; ++j) top[j] = in[j];
  for (int64_t i = 1; i < n; ++i) {
    const C* __restrict p = in + i * in_stride;
    for (int64_t j = 0; j < width; ++j) top[j] = greater(top[j], p[j]);
  }
  for (int64_t i = 0; i < n; ++i) {
    const C* p = in + i * in_stride;
    C* q = out + i * out_stride;
    if constexpr (kLog) {
      for (int64_t j = 0; j < width; ++j) sum[j] += exponential(p[j] - top[j]);
    } else {
      C e[kWidth];
      for (int64_t j = 0; j < width; ++j) {
        e[j] = exponential(p[j] - top[j]);
        sum[j] += e[j];
      }
      for (int64_t j = 0; j < width; ++j) q[j] = e[j];
    }
  }
  for (int64_t j = 0; j < width; ++j) sum[j] = kLog ? static_cast<C>(std::log(sum[j])) : C{1} / sum[j];
  for (int64_t i = 0; i < n; ++i) {
    const C* p = in + i * in_stride;
    C* q = out + i * out_stride;
    for (int64_t j = 0; j < width; ++j) q[j] = kLog ? (p[j] - top[j]) - sum[j] : q[j] * sum[j];
  }
}

template <class C, bool kLog>
void run(const ReducePlan& plan, const Tensor& in, const Tensor& out, int64_t n, int64_t in_stride,
         int64_t out_stride) {
  const ChunkReader<C> reader(in);
  const ChunkWriter<C> writer(out);
  const C* source = reader.direct();
  C* target = writer.direct();
  const bool direct = source != nullptr && target != nullptr;
  const int64_t inner = plan.inner_kept ? plan.inner.size : 1;
  const int64_t inner_out = plan.inner.out[0];
  parallel_for(0, plan.kept_count, grain_for(n * inner), [&](int64_t first, int64_t last) {
    plan.for_kept(first, last, [&](int64_t at, int64_t to, int64_t) {
      if (direct && inner > 1 && inner_out == 1) {
        for (int64_t j = 0; j < inner; j += 128) {
          columns<C, kLog>(source + at + j, in_stride, target + to + j, out_stride, n,
                           inner - j < 128 ? inner - j : 128);
        }
      } else if (direct && inner == 1 && in_stride == 1 && out_stride == 1) {
        one_row<C, kLog>(source + at, target + to, n);
      } else {
        for (int64_t j = 0; j < inner; ++j) {
          one_row_in_chunks<C, kLog>(reader, writer, at + j, in_stride, to + j * inner_out, out_stride, n);
        }
      }
    });
  });
}

template <bool kLog>
Tensor& any_softmax(KernelRuntimeContext& ctx, const char* op, const Tensor& in, int64_t dim, bool half_to_float,
                    Tensor& out) {
  int64_t d = dim;
  ET_KERNEL_CHECK_MSG(ctx, normalize_dim(&d, in.dim()), InvalidArgument, out,
                      "%s: dim %lld is out of range for a tensor of rank %zd", op, static_cast<long long>(dim),
                      in.dim());
  ET_KERNEL_CHECK_MSG(ctx, !half_to_float, InvalidArgument, out, "%s: half_to_float is not supported on the CPU", op);
  ET_KERNEL_CHECK_MSG(ctx, in_set(in.scalar_type(), kChunkFloats) && in_set(out.scalar_type(), kChunkFloats),
                      InvalidArgument, out, "%s: self is %s and out %s; both must be floating", op,
                      scalar_type_name(in.scalar_type()), scalar_type_name(out.scalar_type()));
  if (!prepare_out(ctx, op, out, shape_of(in)) || out.numel() == 0) return out;
  DimSet set;
  set.has[d] = true;
  ReducePlan plan;
  if (!make_plan(ctx, op, in, set, out, out, true, &plan)) return out;
  const bool scalar = in.dim() == 0;
  const int64_t n = scalar ? 1 : in.sizes()[static_cast<size_t>(d)];
  // A dim of one element has no stride that matters.
  const int64_t in_stride = n == 1 ? 1 : in.strides()[static_cast<size_t>(d)];
  const int64_t out_stride = n == 1 ? 1 : out.strides()[static_cast<size_t>(d)];
  if (in.scalar_type() == ScalarType::Double) {
    run<double, kLog>(plan, in, out, n, in_stride, out_stride);
  } else {
    run<float, kLog>(plan, in, out, n, in_stride, out_stride);
  }
  return out;
}

Tensor& softmax_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool half_to_float, Tensor& out) {
  return any_softmax<false>(ctx, "aten::_softmax.out", in, dim, half_to_float, out);
}
Tensor& log_softmax_out(KernelRuntimeContext& ctx, const Tensor& in, int64_t dim, bool half_to_float, Tensor& out) {
  return any_softmax<true>(ctx, "aten::_log_softmax.out", in, dim, half_to_float, out);
}

}  // namespace

ET_KERNEL(softmax_out)
ET_KERNEL(log_softmax_out)

}  // namespace et::ET_KERNELS
