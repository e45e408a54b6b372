// Discrete Fourier transforms of any length, in double: mixed radices for lengths of small primes, Bluestein's chirp
// convolution for the others. Forward: sum of x[j] * exp(-2*pi*i*j*k/n); nothing is normalised.
#pragma once

#include <cstdint>

#include "runtime/core/kernel_context.h"
#include "runtime/kernels/common/variant.h"

namespace et::ET_KERNELS {

struct Complex {
  double re = 0, im = 0;
};
inline Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
inline Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
inline Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
inline Complex conj(Complex a) { return {a.re, -a.im}; }

class Fft {
 public:
  /// Tables from the context's temporary memory; false: there is not enough (the context has failed).
  bool prepare(KernelRuntimeContext& context, int64_t n, const char* name);
  /// out = transform of in, both n long and different. Not from several threads at once.
  void forward(const Complex* in, Complex* out) const;
  /// The same with exp(+...). Overwrites `in`.
  void backward(Complex* in, Complex* out) const;

 private:
  int64_t n_ = 0;
  Complex* roots_ = nullptr;  // exp(-2*pi*i*k/length), of n_ or of the convolution
  // Bluestein: length of the convolution, 0 for none.
  int64_t length_ = 0;
  Complex* chirp_ = nullptr;     // exp(-pi*i*k*k/n)
  Complex* spectrum_ = nullptr;  // of the conjugate chirp
  Complex* a_ = nullptr;
  Complex* b_ = nullptr;
};

}  // namespace et::ET_KERNELS
