// RESIZE of [N, H, W, C]: nearest neighbour and bilinear. Integers are weighted without division; the result is larger
// by both scales.
#include <algorithm>

#include "runtime/backends/tosa/operators.h"
#include "runtime/platform/parallel.h"

namespace et::tosa {
namespace {

/// One of the two directions: position·d + offset = index·n + rest.
struct ResizeAxis {
  int64_t in, out, n, d, offset;

  int64_t position(int64_t o) const { return o * d + offset; }
  int64_t index(int64_t o) const {
    const int64_t p = position(o);
    return p >= 0 ? p / n : -((-p + n - 1) / n);
  }
  int64_t rest(int64_t o) const { return position(o) - index(o) * n; }
  int64_t low(int64_t o) const { return std::clamp<int64_t>(index(o), 0, in - 1); }
  int64_t high(int64_t o) const { return std::clamp<int64_t>(index(o) + 1, 0, in - 1); }
};

struct Resize {
  int64_t images, channels;
  ResizeAxis y, x;
};

bool read_axis(OpBuilder& builder, int64_t in, int64_t out, int64_t n, int64_t d, int64_t offset, int64_t border,
               ResizeAxis* a) {
  *a = {in, out, n, d, offset};
  if (in >= 16384 || out >= 16384) return builder.fail("expected at most 16383 pixels per side");
  if (n <= 0 || d <= 0 || n > 2048 || d >= 16 * n || offset < -n || offset >= 16 * n || border < -16 * n ||
      border >= n) {
    return builder.fail("scale %lld/%lld, offset %lld or border %lld is out of range", static_cast<long long>(n),
                        static_cast<long long>(d), static_cast<long long>(offset), static_cast<long long>(border));
  }
  const int64_t last_start = (in - 1) * n - offset + border;
  return (last_start >= 0 && last_start % d == 0 && out == last_start / d + 1) ||
         builder.fail("scale %lld/%lld, offset %lld, border %lld: input size %lld does not give output size %lld",
                      static_cast<long long>(n), static_cast<long long>(d), static_cast<long long>(offset),
                      static_cast<long long>(border), static_cast<long long>(in), static_cast<long long>(out));
}

bool read_resize(OpBuilder& builder, Resize* r) {
  const Value &in = builder.in(0), &out = builder.out();
  std::vector<int64_t> scale, offset, border;
  for (size_t i = 1; i < 4; ++i) {
    if (!builder.is_type(builder.in(i), Type::Shape)) return false;
    if (builder.in(i).count != (i == 1 ? 4 : 2))
      return builder.fail("operand %zu: expected %d elements, got %lld", i, i == 1 ? 4 : 2,
                          static_cast<long long>(builder.in(i).count));
  }
  if (!builder.constant(1, &scale) || !builder.constant(2, &offset) || !builder.constant(3, &border) ||
      !builder.has_rank(in, 4) || !builder.has_rank(out, 4) ||
      !builder.has_shape(out, {in.shape[0], out.shape[1], out.shape[2], in.shape[3]})) {
    return false;
  }
  for (const std::vector<int64_t>* list : {&scale, &offset, &border}) {
    for (const int64_t x : *list) {
      if (x > (1 << 20) || x < -(1 << 20)) return builder.fail("its scale, offset or border is out of range");
    }
  }
  r->images = in.shape[0];
  r->channels = in.shape[3];
  return read_axis(builder, in.shape[1], out.shape[1], scale[0], scale[1], offset[0], border[0], &r->y) &&
         read_axis(builder, in.shape[2], out.shape[2], scale[2], scale[3], offset[1], border[1], &r->x) &&
         builder.work(out.count, 4);
}

/// pixel(out, four input pixels, oy, ox) for each output pixel.
template <class In, class Out, class Pixel>
Kernel resize_loop(OpBuilder& builder, const Resize& r, Pixel pixel) {
  return [r, pixel, in = builder.in_id(0), out = builder.out_id()](Frame& f) {
    const In* from = f.at<In>(in);
    Out* to = f.at<Out>(out);
    parallel_for(0, r.images * r.y.out, 1, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        const int64_t n = row / r.y.out, oy = row % r.y.out;
        const In* top = from + (n * r.y.in + r.y.low(oy)) * r.x.in * r.channels;
        const In* bottom = from + (n * r.y.in + r.y.high(oy)) * r.x.in * r.channels;
        for (int64_t ox = 0; ox < r.x.out; ++ox) {
          const int64_t a = r.x.low(ox) * r.channels, b = r.x.high(ox) * r.channels;
          pixel(to + (row * r.x.out + ox) * r.channels, top + a, top + b, bottom + a, bottom + b, oy, ox);
        }
      }
    });
    return true;
  };
}

template <class T>
Kernel nearest(OpBuilder& builder, const Resize& r) {
  return resize_loop<T, T>(builder, r,
                           [r](T* out, const T* p00, const T* p01, const T* p10, const T* p11, int64_t oy, int64_t ox) {
                             const bool low_y = 2 * r.y.rest(oy) >= r.y.n, right = 2 * r.x.rest(ox) >= r.x.n;
                             const T* from = low_y ? (right ? p11 : p10) : (right ? p01 : p00);
                             std::copy(from, from + r.channels, out);
                           });
}

template <class In, class Out>
Kernel bilinear(OpBuilder& builder, const Resize& r) {
  return resize_loop<In, Out>(
      builder, r, [r](Out* out, const In* p00, const In* p01, const In* p10, const In* p11, int64_t oy, int64_t ox) {
        using W = std::conditional_t<kIsFloat<In>, float, int64_t>;
        W dy = static_cast<W>(r.y.rest(oy)), dx = static_cast<W>(r.x.rest(ox));
        W unit_y = static_cast<W>(r.y.n), unit_x = static_cast<W>(r.x.n);
        if constexpr (kIsFloat<In>) {
          dy /= unit_y;
          dx /= unit_x;
          unit_y = unit_x = 1;
        }
        for (int64_t c = 0; c < r.channels; ++c) {
          const auto v = [c](const In* p) { return static_cast<W>(static_cast<Compute<In>>(p[c])); };
          W acc = v(p00) * (unit_y - dy) * (unit_x - dx);
          acc += v(p01) * (unit_y - dy) * dx;
          acc += v(p10) * dy * (unit_x - dx);
          acc += v(p11) * dy * dx;
          out[c] = static_cast<Out>(acc);
        }
      });
}

}  // namespace

Kernel prepare_resize(OpBuilder& builder) {
  Resize r{};
  if (!read_resize(builder, &r)) return {};
  const int64_t mode = builder.number("mode");
  const Type type = builder.in(0).type;
  if (mode != 1 && mode != 2) {
    builder.fail("mode %lld is not supported", static_cast<long long>(mode));
    return {};
  }
  if (mode == 1 || is_float(type)) {
    if (!builder.same_type(builder.in(0), builder.out())) return {};
    return dispatch<int8_t, int16_t, float, Half, BFloat16>(builder, builder.in(0), [&](auto t) {
      using T = typename decltype(t)::type;
      if constexpr (kIsFloat<T>) {
        if (mode == 2) return bilinear<T, T>(builder, r);
      }
      return nearest<T>(builder, r);
    });
  }
  if (!builder.is_type(builder.out(), type == Type::Int8 ? Type::Int32 : Type::Int48)) return {};
  return type == Type::Int8
             ? bilinear<int8_t, int32_t>(builder, r)
             : dispatch<int16_t>(builder, builder.in(0), [&](auto) { return bilinear<int16_t, int64_t>(builder, r); });
}

}  // namespace et::tosa
