// max_pool2d_with_indices: the greatest of each window and its place in the plane. Among equals the first wins, the
// last NaN wins over everything. Rows of outputs are done together (NCHW), or channels (NHWC), so that comparisons
// vectorise.
#include "runtime/kernels/pooling/window.h"
#include "runtime/kernels/reduction/extremum.h"

namespace et::ET_KERNELS {
namespace {

constexpr const char* kMaxPool = "aten::max_pool2d_with_indices.out";
/// Outputs that are done together.
constexpr int64_t kMaxWidth = 256;

/// Best so far of up to kMaxWidth outputs. A place of −1 is the first position of the window.
template <class T>
struct Bests {
  using V = opmath_t<T>;
  V value[kMaxWidth];
  int32_t place[kMaxWidth];

  void reset(int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      value[i] = Extremum<V, true>::worst();
      place[i] = -1;
    }
  }
  /// n candidates, `Step` apart (0: `step`); their places are `step_place` apart. Each loop is a constant stride, which
  /// vectorises.
  template <int64_t Step>
  void take(int64_t first, int64_t n, const T* __restrict p, int64_t step, int32_t at, int32_t step_place) {
    V* __restrict v = value + first;
    int32_t* __restrict where = place + first;
    const int64_t s = Step != 0 ? Step : step;
    for (int64_t i = 0; i < n; ++i) {
      const V x = static_cast<V>(p[i * s]);
      const bool better = Extremum<V, true>::beats_or_nan(x, v[i]);
      v[i] = better ? x : v[i];
      where[i] = better ? at + static_cast<int32_t>(i) * step_place : where[i];
    }
  }
};

/// Position of a window's first element, as eager names it for windows where nothing is greater than the start value.
int64_t first_place(const Pool& pool, int64_t oh, int64_t ow) {
  const auto first = [](const PoolAxis& a, int64_t o) {
    const int64_t from = a.start(o);
    return from >= 0 ? from : from + (-from + a.dilation - 1) / a.dilation * a.dilation;
  };
  return first(pool.h, oh) * pool.w.in + first(pool.w, ow);
}

template <class T>
struct MaxPoolParams {
  const Pool& pool;
  const T* in;
  T* out;
  int64_t* places;
  Planes from, to, to_places;

  /// Results [0, n), `step` and `place_step` apart. False: some window has no place yet.
  bool store_all(const Bests<T>& b, int64_t n, int64_t at, int64_t step, int64_t place_at, int64_t place_step) const {
    int32_t min_place = 0;
    for (int64_t i = 0; i < n; ++i) min_place = b.place[i] < min_place ? b.place[i] : min_place;
    if (min_place < 0) return false;
    if (step == 1 && place_step == 1) {
      T* __restrict values = out + at;
      int64_t* __restrict where = places + place_at;
      for (int64_t i = 0; i < n; ++i) values[i] = static_cast<T>(b.value[i]);
      for (int64_t i = 0; i < n; ++i) where[i] = b.place[i];
    } else {
      for (int64_t i = 0; i < n; ++i) {
        out[at + i * step] = static_cast<T>(b.value[i]);
        places[place_at + i * place_step] = b.place[i];
      }
    }
    return true;
  }
  void store(const Bests<T>& b, int64_t i, int64_t oh, int64_t ow, int64_t at, int64_t place_at) const {
    out[at] = static_cast<T>(b.value[i]);
    places[place_at] = b.place[i] >= 0 ? b.place[i] : first_place(pool, oh, ow);
  }
};

/// A row of input split into even and odd columns, for stride 2: each kernel position is then a contiguous run.
template <class T>
struct Halves {
  /// Columns beyond the outputs that the kernel may reach, in pairs.
  static constexpr int64_t kReach = 64;
  T half[2][kMaxWidth + kReach];

  static bool suits(const PoolAxis& w, int64_t w_stride) {
    return w.stride == 2 && w_stride == 1 && w.kernel > 1 && (w.kernel - 1) * w.dilation < 2 * kReach;
  }
  /// half[k][j] is column base + 2j + k where the row has it, for j in [0, n); base may be negative.
  void split(const T* __restrict row, int64_t columns, int64_t base, int64_t n) {
    T* __restrict even = half[0];
    T* __restrict odd = half[1];
    const int64_t first = base < 0 ? (1 - base) / 2 : 0;
    int64_t last = columns > base ? (columns - base) / 2 : 0;
    last = last < n ? last : n;
    if (base < 0 && base % 2 != 0 && first <= n) odd[first - 1] = row[0];
    for (int64_t j = first; j < last; ++j) {
      even[j] = row[base + 2 * j];
      odd[j] = row[base + 2 * j + 1];
    }
    if (last >= first && last < n && base + 2 * last < columns) even[last] = row[base + 2 * last];
  }
};

/// One row of outputs of one plane.
template <class T>
void plane_row(const MaxPoolParams<T>& params, int64_t n, int64_t c, int64_t oh, Bests<T>& bests) {
  const PoolAxis& h = params.pool.h;
  const PoolAxis& w = params.pool.w;
  const T* plane = params.in + params.from.at(n, c);
  const int64_t step = w.stride * params.from.w_stride;
  int64_t kh_first, kh_last;
  h.inside(oh, &kh_first, &kh_last);
  for (int64_t tile = 0; tile < w.out; tile += kMaxWidth) {
    const int64_t width = w.out - tile < kMaxWidth ? w.out - tile : kMaxWidth;
    bests.reset(width);
    const bool halved = Halves<T>::suits(w, params.from.w_stride);
    Halves<T> halves;
    for (int64_t kh = kh_first; kh < kh_last; ++kh) {
      const int64_t ih = h.start(oh) + kh * h.dilation;
      if (halved) {
        halves.split(plane + ih * params.from.h_stride, w.in, w.start(tile), width + (w.kernel - 1) * w.dilation / 2);
      }
      for (int64_t kw = 0; kw < w.kernel; ++kw) {
        int64_t first, last;
        w.outputs(kw, &first, &last);
        if (first < tile) first = tile;
        if (last > tile + width) last = tile + width;
        if (first >= last) continue;
        const int64_t iw = w.start(first) + kw * w.dilation;
        const T* p = plane + ih * params.from.h_stride + iw * params.from.w_stride;
        const int32_t at = static_cast<int32_t>(ih * w.in + iw);
        const int32_t step_place = static_cast<int32_t>(w.stride);
        if (halved) {
          const int64_t shift = kw * w.dilation;
          bests.template take<1>(first - tile, last - first, halves.half[shift % 2] + (first - tile + shift / 2), 1, at,
                                 step_place);
        } else if (step == 1) {
          bests.template take<1>(first - tile, last - first, p, 1, at, step_place);
        } else {
          bests.template take<0>(first - tile, last - first, p, step, at, step_place);
        }
      }
    }
    const int64_t at = params.to.at(n, c) + oh * params.to.h_stride;
    const int64_t place_at = params.to_places.at(n, c) + oh * params.to_places.h_stride;
    if (params.store_all(bests, width, at + tile * params.to.w_stride, params.to.w_stride,
                         place_at + tile * params.to_places.w_stride, params.to_places.w_stride)) {
      continue;
    }
    for (int64_t i = 0; i < width; ++i) {
      params.store(bests, i, oh, tile + i, at + (tile + i) * params.to.w_stride,
                   place_at + (tile + i) * params.to_places.w_stride);
    }
  }
}

/// One row of outputs, window by window: for kernels wider than the output, most of which may lie outside.
template <class T>
void plane_windows(const MaxPoolParams<T>& params, int64_t n, int64_t c, int64_t oh, Bests<T>& bests) {
  const PoolAxis& h = params.pool.h;
  const PoolAxis& w = params.pool.w;
  const T* plane = params.in + params.from.at(n, c);
  int64_t kh_first, kh_last;
  h.inside(oh, &kh_first, &kh_last);
  for (int64_t ow = 0; ow < w.out; ++ow) {
    bests.reset(1);
    int64_t kw_first, kw_last;
    w.inside(ow, &kw_first, &kw_last);
    for (int64_t kh = kh_first; kh < kh_last; ++kh) {
      const int64_t ih = h.start(oh) + kh * h.dilation;
      for (int64_t kw = kw_first; kw < kw_last; ++kw) {
        const int64_t iw = w.start(ow) + kw * w.dilation;
        bests.template take<1>(0, 1, plane + ih * params.from.h_stride + iw * params.from.w_stride, 1,
                               static_cast<int32_t>(ih * w.in + iw), 0);
      }
    }
    params.store(bests, 0, oh, ow, params.to.at(n, c) + oh * params.to.h_stride + ow * params.to.w_stride,
                 params.to_places.at(n, c) + oh * params.to_places.h_stride + ow * params.to_places.w_stride);
  }
}

/// All channels of one output pixel, neighbours in memory.
template <class T>
void pixel(const MaxPoolParams<T>& params, int64_t n, int64_t oh, int64_t ow, Bests<T>& bests) {
  const PoolAxis& h = params.pool.h;
  const PoolAxis& w = params.pool.w;
  int64_t kh_first, kh_last, kw_first, kw_last;
  h.inside(oh, &kh_first, &kh_last);
  w.inside(ow, &kw_first, &kw_last);
  for (int64_t tile = 0; tile < params.from.c; tile += kMaxWidth) {
    const int64_t width = params.from.c - tile < kMaxWidth ? params.from.c - tile : kMaxWidth;
    bests.reset(width);
    for (int64_t kh = kh_first; kh < kh_last; ++kh) {
      const int64_t ih = h.start(oh) + kh * h.dilation;
      for (int64_t kw = kw_first; kw < kw_last; ++kw) {
        const int64_t iw = w.start(ow) + kw * w.dilation;
        const T* p = params.in + params.from.at(n, tile) + ih * params.from.h_stride + iw * params.from.w_stride;
        bests.template take<1>(0, width, p, 1, static_cast<int32_t>(ih * w.in + iw), 0);
      }
    }
    const int64_t at = params.to.at(n, tile) + oh * params.to.h_stride + ow * params.to.w_stride;
    const int64_t place_at =
        params.to_places.at(n, tile) + oh * params.to_places.h_stride + ow * params.to_places.w_stride;
    if (params.store_all(bests, width, at, params.to.c_stride, place_at, params.to_places.c_stride)) continue;
    for (int64_t i = 0; i < width; ++i) {
      params.store(bests, i, oh, ow, at + i * params.to.c_stride, place_at + i * params.to_places.c_stride);
    }
  }
}

template <class T>
void run(const MaxPoolParams<T>& params) {
  const int64_t rows = params.pool.h.out;
  const int64_t work = params.pool.w.out * params.pool.h.kernel * params.pool.w.kernel;
  if (params.from.channels_inside()) {
    parallel_for(0, params.from.n * rows, grain_for(work * params.from.c), [&](int64_t first, int64_t last) {
      Bests<T> bests;
      for (int64_t i = first; i < last; ++i) {
        for (int64_t ow = 0; ow < params.pool.w.out; ++ow) pixel(params, i / rows, i % rows, ow, bests);
      }
    });
    return;
  }
  parallel_for(0, params.from.n * params.from.c * rows, grain_for(work), [&](int64_t first, int64_t last) {
    Bests<T> bests;
    for (int64_t i = first; i < last; ++i) {
      const int64_t plane = i / rows;
      if (params.pool.w.kernel <= params.pool.w.out) {
        plane_row(params, plane / params.from.c, plane % params.from.c, i % rows, bests);
      } else {
        plane_windows(params, plane / params.from.c, plane % params.from.c, i % rows, bests);
      }
    }
  });
}

void max_pool2d_out(KernelRuntimeContext& ctx, const Tensor& in, ArrayRef<int64_t> kernel, ArrayRef<int64_t> stride,
                    ArrayRef<int64_t> padding, ArrayRef<int64_t> dilation, bool ceil_mode, Tensor& out,
                    Tensor& indices) {
  Pool pool;
  ET_KERNEL_CHECK_MSG(ctx, in_set(in.scalar_type(), kRealH) && in.scalar_type() == out.scalar_type(), InvalidArgument, ,
                      "%s: self is %s, out %s", kMaxPool, scalar_type_name(in.scalar_type()),
                      scalar_type_name(out.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, indices.scalar_type() == ScalarType::Long, InvalidArgument, ,
                      "%s: expected int64 indices, got %s", kMaxPool, scalar_type_name(indices.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, !dilation.empty(), InvalidArgument, , "%s: dilation is empty", kMaxPool);
  if (!make_pool(ctx, kMaxPool, in, {kernel, stride, padding, dilation, ceil_mode}, &pool)) return;
  ET_KERNEL_CHECK_MSG(ctx, pool.h.in * pool.w.in <= INT32_MAX && pool.w.stride * pool.w.out <= INT32_MAX,
                      InvalidArgument, , "%s: a plane of %lld by %lld is too large", kMaxPool,
                      static_cast<long long>(pool.h.in), static_cast<long long>(pool.w.in));
  const Shape shape = pooled_shape(in, pool.h.out, pool.w.out);
  if (!prepare_out(ctx, kMaxPool, out, shape) || !prepare_out(ctx, kMaxPool, indices, shape) || out.numel() == 0)
    return;
  dispatch<kRealH>(in.scalar_type(), [&]<class T>() {
    run(MaxPoolParams<T>{pool, in.const_data_ptr<T>(), out.mutable_data_ptr<T>(), indices.mutable_data_ptr<int64_t>(),
                         Planes(in), Planes(out), Planes(indices)});
  });
}

}  // namespace

ET_KERNEL(max_pool2d_out)

}  // namespace et::ET_KERNELS
