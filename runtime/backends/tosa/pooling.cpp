// AVG_POOL2D and MAX_POOL2D over [N, H, W, C].
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/backends/tosa/operators.h"
#include "runtime/backends/tosa/scale.h"
#include "runtime/platform/parallel.h"

namespace et::tosa {
namespace {

struct Pool {
  int64_t n, ih, iw, c, oh, ow, kh, kw, sy, sx, top, left;
};

bool output_size(OpBuilder& builder, int64_t in, int64_t before, int64_t after, int64_t kernel, int64_t stride,
                 int64_t out) {
  // Sizes are below 2^31, so that nothing of this overflows.
  const int64_t last_start = in + before + after - kernel;
  return (before < kernel && after < kernel && last_start >= 0 && last_start % stride == 0 &&
          out == last_start / stride + 1) ||
         builder.fail(
             "kernel size %lld, stride %lld, padding %lld, %lld: input size %lld does not give output size %lld",
             static_cast<long long>(kernel), static_cast<long long>(stride), static_cast<long long>(before),
             static_cast<long long>(after), static_cast<long long>(in), static_cast<long long>(out));
}

bool read_pool(OpBuilder& builder, Pool* p) {
  const Value &in = builder.in(0), &out = builder.out();
  std::vector<int64_t> kernel, stride, pad;
  if (!builder.has_rank(in, 4) || !builder.same_type(in, out) || !builder.numbers("kernel", 2, 1, &kernel) ||
      !builder.numbers("stride", 2, 1, &stride) || !builder.numbers("pad", 4, 0, &pad) || !builder.has_rank(out, 4) ||
      !builder.has_shape(out, {in.shape[0], out.shape[1], out.shape[2], in.shape[3]})) {
    return false;
  }
  *p = {in.shape[0], in.shape[1], in.shape[2], in.shape[3], out.shape[1], out.shape[2],
        kernel[0],   kernel[1],   stride[0],   stride[1],   pad[0],       pad[2]};
  return output_size(builder, p->ih, pad[0], pad[1], p->kh, p->sy, p->oh) &&
         output_size(builder, p->iw, pad[2], pad[3], p->kw, p->sx, p->ow) && builder.work(out.count, p->kh, p->kw);
}

/// For each output pixel: begin(acc), add(acc, row of C elements) for each kernel element inside the image, end(acc,
/// elements, row).
template <class T, class Acc, class Add, class End>
Kernel pool_loop(OpBuilder& builder, const Pool& p, Acc start, Add add, End end) {
  return [p, start, add, end, in = builder.in_id(0), out = builder.out_id()](Frame& f) {
    const T* from = f.at<T>(in);
    T* to = f.at<T>(out);
    parallel_for(0, p.n * p.oh, 1, [&](int64_t first, int64_t last) {
      std::vector<Acc> acc(static_cast<size_t>(p.c));
      for (int64_t row = first; row < last; ++row) {
        const int64_t n = row / p.oh, y0 = row % p.oh * p.sy - p.top;
        const int64_t ya = std::max<int64_t>(y0, 0), yb = std::min(y0 + p.kh, p.ih);
        for (int64_t ox = 0; ox < p.ow; ++ox) {
          const int64_t x0 = ox * p.sx - p.left;
          const int64_t xa = std::max<int64_t>(x0, 0), xb = std::min(x0 + p.kw, p.iw);
          std::fill(acc.begin(), acc.end(), start);
          for (int64_t y = ya; y < yb; ++y) {
            for (int64_t x = xa; x < xb; ++x) {
              const T* pixel = from + ((n * p.ih + y) * p.iw + x) * p.c;
              for (int64_t c = 0; c < p.c; ++c) {
                add(acc[static_cast<size_t>(c)], static_cast<Compute<T>>(pixel[c]));
              }
            }
          }
          T* pixel = to + (row * p.ow + ox) * p.c;
          end(acc.data(), (yb - ya) * (xb - xa), pixel);
        }
      }
    });
    return true;
  };
}

template <class T>
Kernel average(OpBuilder& builder, const Pool& p, int64_t in_zp, int64_t out_zp) {
  if constexpr (kIsFloat<T>) {
    return pool_loop<T>(
        builder, p, 0.0f, [](float& a, float x) { a += x; },
        [c = p.c](const float* acc, int64_t elements, T* out) {
          for (int64_t i = 0; i < c; ++i) out[i] = static_cast<T>(acc[i] / static_cast<float>(elements));
        });
  } else {
    return pool_loop<T>(
        builder, p, int64_t{0}, [in_zp](int64_t& a, int64_t x) { a += x - in_zp; },
        [c = p.c, out_zp](const int64_t* acc, int64_t elements, T* out) {
          const Scale s = reciprocal_scale(static_cast<uint32_t>(elements));
          for (int64_t i = 0; i < c; ++i) {
            const int64_t y = apply_scale(static_cast<int32_t>(acc[i]), s.multiplier, s.shift, false);
            out[i] = static_cast<T>(
                std::clamp<int64_t>(y + out_zp, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
          }
        });
  }
}

template <class T>
Kernel maximum(OpBuilder& builder, const Pool& p, bool ignore_nan) {
  using C = Compute<T>;
  C start;
  if constexpr (kIsFloat<T>) {
    start = ignore_nan ? std::numeric_limits<C>::quiet_NaN() : -std::numeric_limits<C>::infinity();
  } else {
    start = std::numeric_limits<T>::min();
  }
  const auto add = [ignore_nan](C& a, C x) {
    static_cast<void>(ignore_nan);  // integers have no NaN
    if constexpr (kIsFloat<T>) {
      if (std::isnan(a) || std::isnan(x)) {
        a = ignore_nan ? (std::isnan(a) ? x : a) : std::numeric_limits<C>::quiet_NaN();
        return;
      }
    }
    a = a >= x ? a : x;
  };
  return pool_loop<T>(builder, p, start, add, [c = p.c](const C* acc, int64_t, T* out) {
    for (int64_t i = 0; i < c; ++i) out[i] = static_cast<T>(acc[i]);
  });
}

}  // namespace

Kernel prepare_avg_pool2d(OpBuilder& builder) {
  Pool p{};
  int64_t in_zp = 0, out_zp = 0;
  const Type type = builder.in(0).type;
  if (!read_pool(builder, &p) || !builder.zero_point(1, type, type == Type::Int8, &in_zp) ||
      !builder.zero_point(2, type, type == Type::Int8, &out_zp)) {
    return {};
  }
  if (p.kh * p.kw > (1 << 24)) {
    builder.fail("kernel of %lld by %lld is too large", static_cast<long long>(p.kh), static_cast<long long>(p.kw));
    return {};
  }
  return dispatch<int8_t, int16_t, float, Half, BFloat16>(
      builder, builder.in(0), [&](auto t) { return average<typename decltype(t)::type>(builder, p, in_zp, out_zp); });
}

Kernel prepare_max_pool2d(OpBuilder& builder) {
  Pool p{};
  if (!read_pool(builder, &p)) return {};
  const bool ignore = is_float(builder.in(0).type) && builder.ignores_nan();
  return dispatch<int8_t, int16_t, float, Half, BFloat16>(
      builder, builder.in(0), [&](auto t) { return maximum<typename decltype(t)::type>(builder, p, ignore); });
}

}  // namespace et::tosa
