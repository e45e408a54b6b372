#include "runtime/kernels/matrix/fft.h"

#include <cmath>
#include <numbers>

#include "runtime/platform/log.h"

namespace et::ET_KERNELS {
namespace {

constexpr int64_t kLargestRadix = 31;

/// exp(-2*pi*i*k/n), from an angle within an eighth of the circle.
Complex root(int64_t k, int64_t n) {
  k %= n;
  // Reflections: the angle is 2*pi*k/n; every step keeps it exact as a fraction of n.
  const int64_t k8 = 8 * k;
  const int64_t octant = k8 / n;
  const auto at = [n](int64_t eighths) {
    const double angle = static_cast<double>(eighths) * (std::numbers::pi / 4) / static_cast<double>(n);
    return Complex{std::cos(angle), std::sin(angle)};
  };
  Complex r;
  const int64_t rest = k8 - octant * n;  // in eighths of 1/n, [0, n)
  const Complex up = at(rest), down = at(n - rest);
  switch (octant) {
    case 0:
      r = up;
      break;
    case 1:
      r = {down.im, down.re};
      break;
    case 2:
      r = {-up.im, up.re};
      break;
    case 3:
      r = {-down.re, down.im};
      break;
    case 4:
      r = {-up.re, -up.im};
      break;
    case 5:
      r = {-down.im, -down.re};
      break;
    case 6:
      r = {up.im, -up.re};
      break;
    default:
      r = {down.re, -down.im};
      break;
  }
  return conj(r);
}

int64_t smallest_radix(int64_t n) {
  if (n % 4 == 0) return 4;
  for (int64_t p = 2; p <= kLargestRadix && p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

bool has_large_prime(int64_t n) {
  for (int64_t p = 2; p <= kLargestRadix; ++p) {
    while (n % p == 0) n /= p;
  }
  return n > 1;
}

/// Decimation in time: `in` in steps of `stride`; roots[k * unit] is the k-th root for n.
void transform(const Complex* in, int64_t stride, Complex* out, int64_t n, const Complex* roots, int64_t unit) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const int64_t p = smallest_radix(n), m = n / p;
  for (int64_t q = 0; q < p; ++q) transform(in + q * stride, stride * p, out + q * m, m, roots, unit * p);
  if (p == 2) {
    for (int64_t k = 0; k < m; ++k) {
      const Complex a = out[k], b = out[m + k] * roots[k * unit];
      out[k] = a + b;
      out[m + k] = a - b;
    }
    return;
  }
  if (p == 4) {
    for (int64_t k = 0; k < m; ++k) {
      const Complex a = out[k], b = out[m + k] * roots[k * unit], c = out[2 * m + k] * roots[2 * k * unit],
                    d = out[3 * m + k] * roots[3 * k * unit];
      const Complex s = a + c, t = a - c, u = b + d, v = b - d;
      out[k] = s + u;
      out[2 * m + k] = s - u;
      out[m + k] = {t.re + v.im, t.im - v.re};
      out[3 * m + k] = {t.re - v.im, t.im + v.re};
    }
    return;
  }
  Complex terms[kLargestRadix];
  for (int64_t k = 0; k < m; ++k) {
    for (int64_t q = 0; q < p; ++q) terms[q] = out[q * m + k] * roots[q * k * unit];
    for (int64_t r = 0; r < p; ++r) {
      Complex sum = terms[0];
      for (int64_t q = 1; q < p; ++q) sum = sum + terms[q] * roots[q * r % p * m * unit];
      out[r * m + k] = sum;
    }
  }
}

}  // namespace

bool Fft::prepare(KernelRuntimeContext& context, int64_t n, const char* name) {
  n_ = n;
  length_ = 0;
  if (has_large_prime(n)) {
    length_ = 1;
    while (length_ < 2 * n - 1) length_ *= 2;
  }
  const int64_t roots = length_ == 0 ? n : length_;
  const int64_t all = length_ == 0 ? roots : roots + n + 3 * length_;
  Result<void*> workspace = context.allocate_temp(static_cast<size_t>(all) * sizeof(Complex));
  ET_KERNEL_CHECK_MSG(context, workspace.ok(), MemoryAllocationFailed, false, "%s: no temporary memory", name);
  roots_ = static_cast<Complex*>(workspace.get());
  for (int64_t k = 0; k < roots; ++k) roots_[k] = root(k, roots);
  if (length_ == 0) return true;
  chirp_ = roots_ + roots;
  spectrum_ = chirp_ + n;
  a_ = spectrum_ + length_;
  b_ = a_ + length_;
  // k*k mod 2n, step by step: k*k itself may not fit.
  int64_t square = 0;
  for (int64_t k = 0; k < n; ++k) {
    chirp_[k] = root(square, 2 * n);
    square = (square + 2 * k + 1) % (2 * n);
  }
  for (int64_t k = 0; k < length_; ++k) a_[k] = {};
  for (int64_t k = 0; k < n; ++k) {
    a_[k] = conj(chirp_[k]);
    if (k > 0) a_[length_ - k] = a_[k];
  }
  transform(a_, 1, spectrum_, length_, roots_, 1);
  return true;
}

void Fft::forward(const Complex* in, Complex* out) const {
  if (length_ == 0) {
    transform(in, 1, out, n_, roots_, 1);
    return;
  }
  for (int64_t k = 0; k < n_; ++k) a_[k] = in[k] * chirp_[k];
  for (int64_t k = n_; k < length_; ++k) a_[k] = {};
  transform(a_, 1, b_, length_, roots_, 1);
  for (int64_t k = 0; k < length_; ++k) b_[k] = conj(b_[k] * spectrum_[k]);
  transform(b_, 1, a_, length_, roots_, 1);
  const double scale = 1.0 / static_cast<double>(length_);
  for (int64_t k = 0; k < n_; ++k) out[k] = conj(a_[k]) * Complex{scale, 0} * chirp_[k];
}

void Fft::backward(Complex* in, Complex* out) const {
  for (int64_t k = 0; k < n_; ++k) in[k] = conj(in[k]);
  forward(in, out);
  for (int64_t k = 0; k < n_; ++k) out[k] = conj(out[k]);
}

}  // namespace et::ET_KERNELS
