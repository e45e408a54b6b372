// avg_pool2d and _adaptive_avg_pool2d: the mean of each window. Rows of outputs together where windows are small
// (NCHW), whole windows where they are large, channels together (NHWC).
#include "runtime/kernels/pooling/window.h"
#include "runtime/kernels/reduction/engine.h"

namespace et::ET_KERNELS {
namespace {

/// Outputs that are done together.
constexpr int64_t kWidth = 256;

/// The inner part [first, last) of one direction of a window, and what it counts for.
struct Extent {
  int64_t first, last, counted;
};

struct AveragePool {
  Pool pool;
  bool count_padding;
  int64_t divisor;  // 0: by the size of the window
  static constexpr bool kRegular = true;

  Extent extent(const PoolAxis& a, int64_t o) const {
    const int64_t from = a.start(o);
    const int64_t to = from + a.kernel < a.in + a.padding ? from + a.kernel : a.in + a.padding;
    Extent e{from < 0 ? 0 : from, to > a.in ? a.in : to, to - from};
    if (e.last < e.first) e.last = e.first;
    if (!count_padding) e.counted = e.last - e.first;
    return e;
  }
};

struct AdaptivePool {
  Pool pool;
  static constexpr bool kRegular = false;
  static constexpr int64_t divisor = 0;

  // floor(o·in/out) to ceil((o + 1)·in/out); sizes are below 2^31, so that this fits.
  Extent extent(const PoolAxis& a, int64_t o) const {
    const int64_t first = o * a.in / a.out;
    const int64_t last = ((o + 1) * a.in + a.out - 1) / a.out;
    return {first, last, last - first};
  }
};

template <class T>
using Sum = std::conditional_t<std::is_same_v<T, int64_t>, int64_t, opmath_t<T>>;

template <class T>
Sum<T> add(Sum<T> a, Sum<T> b) {
  return SumOp<Sum<T>>{}.step(a, b);
}

/// What the sum of a window is divided by; 0: the window is empty, its mean 0.
template <class P>
int64_t divisor_of(const P& p, const Extent& h, const Extent& w) {
  if (h.first >= h.last || w.first >= w.last) return 0;
  return p.divisor != 0 ? p.divisor : h.counted * w.counted;
}

template <class T>
T mean(Sum<T> sum, int64_t by) {
  if (by == 0) return T(0);
  if constexpr (std::is_same_v<T, int64_t>) {
    return by == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(sum)) : sum / by;
  } else {
    return T(sum / static_cast<Sum<T>>(by));
  }
}

/// n means with one divisor.
template <class T>
void means(const Sum<T>* sums, int64_t n, int64_t by, T* to, int64_t stride) {
  if constexpr (std::is_floating_point_v<T>) {
    if (by != 0 && stride == 1) {
      const T divisor = static_cast<T>(by);
      T* __restrict target = to;
      for (int64_t i = 0; i < n; ++i) target[i] = sums[i] / divisor;
      return;
    }
  }
  for (int64_t i = 0; i < n; ++i) to[i * stride] = mean<T>(sums[i], by);
}

template <class T, class P>
struct AvgPoolParams {
  const P& p;
  const T* in;
  T* out;
  Planes from, to;
};

/// One row of outputs of one plane, window position by window position.
template <class T, class P>
void plane_row(const AvgPoolParams<T, P>& params, int64_t n, int64_t c, int64_t oh) {
  const PoolAxis& w = params.p.pool.w;
  const Extent eh = params.p.extent(params.p.pool.h, oh);
  const int64_t step = w.stride * params.from.w_stride;
  Sum<T> sums[kWidth];
  for (int64_t tile = 0; tile < w.out; tile += kWidth) {
    const int64_t width = w.out - tile < kWidth ? w.out - tile : kWidth;
    for (int64_t i = 0; i < width; ++i) sums[i] = 0;
    for (int64_t ih = eh.first; ih < eh.last; ++ih) {
      const T* row = params.in + params.from.at(n, c) + ih * params.from.h_stride;
      for (int64_t kw = 0; kw < w.kernel; ++kw) {
        int64_t first, last;
        w.outputs(kw, &first, &last);
        if (first < tile) first = tile;
        if (last > tile + width) last = tile + width;
        if (first >= last) continue;
        const T* __restrict p = row + (w.start(first) + kw) * params.from.w_stride;
        Sum<T>* __restrict s = sums + (first - tile);
        if (step == 1) {
          for (int64_t i = 0; i < last - first; ++i) s[i] = add<T>(s[i], static_cast<Sum<T>>(p[i]));
        } else if (step == 2) {
          for (int64_t i = 0; i < last - first; ++i) s[i] = add<T>(s[i], static_cast<Sum<T>>(p[i * 2]));
        } else {
          for (int64_t i = 0; i < last - first; ++i) s[i] = add<T>(s[i], static_cast<Sum<T>>(p[i * step]));
        }
      }
    }
    T* to = params.out + params.to.at(n, c) + oh * params.to.h_stride;
    // Windows that lie inside altogether have one divisor.
    int64_t from, until, ignored;
    w.outputs(0, &from, &ignored);
    w.outputs(w.kernel - 1, &ignored, &until);
    from = from < tile ? tile : from;
    until = until > tile + width ? tile + width : until;
    if (from > until) from = until = tile;
    const auto border = [&](int64_t first, int64_t last) {
      for (int64_t o = first; o < last; ++o) {
        to[o * params.to.w_stride] = mean<T>(sums[o - tile], divisor_of(params.p, eh, params.p.extent(w, o)));
      }
    };
    border(tile, from);
    means<T>(sums + (from - tile), until - from, divisor_of(params.p, eh, params.p.extent(w, from)),
             to + from * params.to.w_stride, params.to.w_stride);
    border(until, tile + width);
  }
}

/// One output of one plane; windows may be as large as the plane.
template <class T, class P>
void plane_window(const AvgPoolParams<T, P>& params, int64_t n, int64_t c, int64_t oh, int64_t ow) {
  const Extent eh = params.p.extent(params.p.pool.h, oh);
  const Extent ew = params.p.extent(params.p.pool.w, ow);
  const T* plane = params.in + params.from.at(n, c) + ew.first * params.from.w_stride;
  const int64_t w_stride = params.from.w_stride;
  int64_t rows = eh.last - eh.first;
  int64_t columns = ew.last - ew.first;
  // Full rows are one run.
  if (w_stride == 1 && columns == params.from.h_stride) {
    columns *= rows;
    rows = rows > 0 ? 1 : 0;
  }
  typename SumOp<Sum<T>>::Wide total = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const T* p = plane + (eh.first + r) * params.from.h_stride;
    if constexpr (std::is_same_v<T, Sum<T>>) {
      if (w_stride == 1) {
        fold_row(SumOp<T>{}, p, columns, &total);
        continue;
      }
    }
    for (int64_t i = 0; i < columns; ++i) {
      SumOp<Sum<T>>{}.widen(&total, static_cast<Sum<T>>(p[i * w_stride]));
    }
  }
  params.out[params.to.at(n, c) + oh * params.to.h_stride + ow * params.to.w_stride] =
      mean<T>(static_cast<Sum<T>>(total), divisor_of(params.p, eh, ew));
}

/// All channels of one output, neighbours in memory.
template <class T, class P>
void pixel(const AvgPoolParams<T, P>& params, int64_t n, int64_t oh, int64_t ow) {
  const Extent eh = params.p.extent(params.p.pool.h, oh);
  const Extent ew = params.p.extent(params.p.pool.w, ow);
  Sum<T> sums[kWidth];
  for (int64_t tile = 0; tile < params.from.c; tile += kWidth) {
    const int64_t width = params.from.c - tile < kWidth ? params.from.c - tile : kWidth;
    for (int64_t i = 0; i < width; ++i) sums[i] = 0;
    for (int64_t ih = eh.first; ih < eh.last; ++ih) {
      for (int64_t iw = ew.first; iw < ew.last; ++iw) {
        const T* __restrict p =
            params.in + params.from.at(n, tile) + ih * params.from.h_stride + iw * params.from.w_stride;
        for (int64_t i = 0; i < width; ++i) sums[i] = add<T>(sums[i], static_cast<Sum<T>>(p[i]));
      }
    }
    T* to = params.out + params.to.at(n, tile) + oh * params.to.h_stride + ow * params.to.w_stride;
    means<T>(sums, width, divisor_of(params.p, eh, ew), to, params.to.c_stride);
  }
}

template <class T, class P>
void run(const P& p, const Tensor& in, const Tensor& out) {
  const AvgPoolParams<T, P> params{p, in.const_data_ptr<T>(), out.mutable_data_ptr<T>(), Planes(in), Planes(out)};
  const int64_t rows = p.pool.h.out;
  const int64_t columns = p.pool.w.out;
  const int64_t work = params.from.h * params.from.w / rows + columns;
  const bool by_row = P::kRegular && p.pool.w.kernel <= columns;
  if (params.from.channels_inside()) {
    parallel_for(0, params.from.n * rows, grain_for(work * params.from.c), [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        for (int64_t ow = 0; ow < columns; ++ow) pixel(params, i / rows, i % rows, ow);
      }
    });
    return;
  }
  parallel_for(0, params.from.n * params.from.c * rows, grain_for(work), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const int64_t n = i / rows / params.from.c;
      const int64_t c = i / rows % params.from.c;
      if (by_row) {
        plane_row(params, n, c, i % rows);
        continue;
      }
      for (int64_t ow = 0; ow < columns; ++ow) plane_window(params, n, c, i % rows, ow);
    }
  });
}

Tensor& avg_pool2d_out(KernelRuntimeContext& ctx, const Tensor& in, ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride,
                       ArrayRef<int64_t> padding, bool ceil_mode, bool count_include_pad,
                       optional<int64_t> divisor_override, Tensor& out) {
  constexpr const char* kOp = "aten::avg_pool2d.out";
  constexpr DtypeSet kDtypes = kFloatsH | dtype_bit(ScalarType::Long);
  ET_KERNEL_CHECK_MSG(ctx, in_set(in.scalar_type(), kDtypes) && in.scalar_type() == out.scalar_type(), InvalidArgument,
                      out, "%s: self is %s, out %s", kOp, scalar_type_name(in.scalar_type()),
                      scalar_type_name(out.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, !divisor_override.has_value() || *divisor_override != 0, InvalidArgument, out,
                      "%s: divisor_override is 0", kOp);
  AveragePool p{{}, count_include_pad, divisor_override.value_or(0)};
  if (!make_pool(ctx, kOp, in, {kernel, stride, padding, {}, ceil_mode}, &p.pool)) return out;
  if (!prepare_out(ctx, kOp, out, pooled_shape(in, p.pool.h.out, p.pool.w.out)) || out.numel() == 0) return out;
  dispatch<kDtypes>(in.scalar_type(), [&]<class T>() { run<T>(p, in, out); });
  return out;
}

Tensor& adaptive_avg_pool2d_out(KernelRuntimeContext& ctx, const Tensor& in, ArrayRef<int64_t> output_size,
                                Tensor& out) {
  constexpr const char* kOp = "aten::_adaptive_avg_pool2d.out";
  ET_KERNEL_CHECK_MSG(ctx, in_set(in.scalar_type(), kFloatsH) && in.scalar_type() == out.scalar_type(), InvalidArgument,
                      out, "%s: self is %s, out %s", kOp, scalar_type_name(in.scalar_type()),
                      scalar_type_name(out.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, output_size.size() == 1 || output_size.size() == 2, InvalidArgument, out,
                      "%s: output_size: expected 1 or 2 numbers, got %zu", kOp, output_size.size());
  for (int64_t n : output_size) {
    ET_KERNEL_CHECK_MSG(ctx, n >= 0 && n <= INT32_MAX, InvalidArgument, out, "%s: output_size of %lld", kOp,
                        static_cast<long long>(n));
  }
  ET_KERNEL_CHECK_MSG(ctx, in.dim() == 3 || in.dim() == 4, InvalidArgument, out,
                      "%s: expected self of rank 3 or 4, got %zd", kOp, in.dim());
  AdaptivePool p{};
  const size_t rank = in.sizes().size();
  p.pool.h.in = in.sizes()[rank - 2];
  p.pool.w.in = in.sizes()[rank - 1];
  p.pool.h.out = output_size[0];
  p.pool.w.out = output_size[output_size.size() - 1];
  ET_KERNEL_CHECK_MSG(ctx, p.pool.h.in > 0 && p.pool.w.in > 0, InvalidArgument, out, "%s: a plane of self is empty",
                      kOp);
  if (!check_memory(ctx, kOp, "self", in)) return out;
  if (!prepare_out(ctx, kOp, out, pooled_shape(in, p.pool.h.out, p.pool.w.out)) || out.numel() == 0) return out;
  dispatch<kFloatsH>(in.scalar_type(), [&]<class T>() { run<T>(p, in, out); });
  return out;
}

}  // namespace

ET_KERNEL(avg_pool2d_out)
ET_KERNEL(adaptive_avg_pool2d_out)

}  // namespace et::ET_KERNELS
