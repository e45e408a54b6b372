// FFT2D and RFFT2D: Fourier transforms of [N, H, W], rows first, then columns, in double.
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "runtime/backends/tosa/operators.h"

namespace et::tosa {
namespace {

using Complex = std::complex<double>;

/// In place, `n` a power of two, elements `stride` apart; `sign` is that of the exponent.
void transform(Complex* x, int64_t n, int64_t stride, double sign) {
  for (int64_t i = 1, j = 0; i < n; ++i) {
    int64_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i * stride], x[j * stride]);
  }
  for (int64_t length = 2; length <= n; length *= 2) {
    for (int64_t k = 0; k < length / 2; ++k) {
      const Complex w =
          std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length));
      for (int64_t i = k; i < n; i += length) {
        const Complex a = x[i * stride], b = x[(i + length / 2) * stride] * w;
        x[i * stride] = a + b;
        x[(i + length / 2) * stride] = a - b;
      }
    }
  }
}

bool power_of_two(OpBuilder& builder, const Value& v) {
  if (!builder.is_type(v, Type::Fp32) || !builder.has_rank(v, 3)) return false;
  const auto h = static_cast<uint64_t>(v.shape[1]), w = static_cast<uint64_t>(v.shape[2]);
  if (!std::has_single_bit(h) || !std::has_single_bit(w)) {
    return builder.fail("expected sizes that are powers of two, got %s", shape_text(v.shape).c_str());
  }
  return builder.work(v.count, 64) && builder.memory(v.bytes() / static_cast<size_t>(v.shape[0]) * 4);
}

struct Planes {
  uint32_t real, imag;
  bool has_imag;
  uint32_t out_real, out_imag;
  int64_t n, h, w, kept;  // columns of the result that are kept
  double sign;
};

bool fourier(Frame& f, const Planes& p) {
  std::vector<Complex> plane(static_cast<size_t>(p.h * p.w));
  for (int64_t n = 0; n < p.n; ++n) {
    for (int64_t i = 0; i < p.h * p.w; ++i) {
      const int64_t at = n * p.h * p.w + i;
      plane[static_cast<size_t>(i)] = {f.at<float>(p.real)[at], p.has_imag ? f.at<float>(p.imag)[at] : 0.0f};
    }
    for (int64_t y = 0; y < p.h; ++y) transform(plane.data() + y * p.w, p.w, 1, p.sign);
    for (int64_t x = 0; x < p.kept; ++x) transform(plane.data() + x, p.h, p.w, p.sign);
    for (int64_t y = 0; y < p.h; ++y) {
      for (int64_t x = 0; x < p.kept; ++x) {
        const Complex& c = plane[static_cast<size_t>(y * p.w + x)];
        const int64_t at = (n * p.h + y) * p.kept + x;
        f.at<float>(p.out_real)[at] = static_cast<float>(c.real());
        f.at<float>(p.out_imag)[at] = static_cast<float>(c.imag());
      }
    }
  }
  return true;
}

}  // namespace

Kernel prepare_fft2d(OpBuilder& builder) {
  const Value& real = builder.in(0);
  if (!power_of_two(builder, real)) return {};
  for (const Value* v : {&builder.in(1), &builder.out(0), &builder.out(1)}) {
    if (!builder.same_type(real, *v) || !builder.same_shape(real, *v)) return {};
  }
  const Planes p{
      builder.in_id(0), builder.in_id(1), true,          builder.out_id(0), builder.out_id(1),
      real.shape[0],    real.shape[1],    real.shape[2], real.shape[2],     builder.flag("inverse") ? 1.0 : -1.0};
  return [p](Frame& f) { return fourier(f, p); };
}

Kernel prepare_rfft2d(OpBuilder& builder) {
  const Value& real = builder.in(0);
  if (!power_of_two(builder, real)) return {};
  const int64_t kept = real.shape[2] / 2 + 1;
  for (const Value* v : {&builder.out(0), &builder.out(1)}) {
    if (!builder.same_type(real, *v) || !builder.has_shape(*v, {real.shape[0], real.shape[1], kept})) return {};
  }
  const Planes p{builder.in_id(0), 0,    false, builder.out_id(0), builder.out_id(1), real.shape[0], real.shape[1],
                 real.shape[2],    kept, -1.0};
  return [p](Frame& f) { return fourier(f, p); };
}

}  // namespace et::tosa
