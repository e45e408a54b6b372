// Unary operators whose results are floats: integers become float32 first. float32 (and so the 16-bit floats) by the
// vectorised functions where there is one, else by libm.
#include <cmath>

#include "runtime/kernels/common/vector_math.h"
#include "runtime/kernels/elementwise/blocks.h"
#include "runtime/kernels/elementwise/engine.h"

namespace et::ET_KERNELS {
namespace {

inline constexpr DtypeSet kRealsC = kReals | kBitC;

template <DtypeSet kTypes, class F>
Tensor& unary_float(KernelRuntimeContext& ctx, const char* name, const F& f, const Tensor& in, Tensor& out) {
  return map1<kTypes>(ctx, name, f, float_type(in.scalar_type()), in, out);
}

// One row: operator, compute types, float, double and complex form of f(x).
#define ET_UNARY(op, types, on_float, on_double, on_complex)                   \
  struct op##_of {                                                             \
    float operator()(float x) const { return on_float; }                       \
    double operator()(double x) const { return on_double; }                    \
    Complex operator()(const Complex& x) const { return on_complex; }          \
  };                                                                           \
  Tensor& op##_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) { \
    return unary_float<types>(ctx, "aten::" #op, op##_of{}, in, out);          \
  }
ET_UNARY(acos, kRealsC, std::acos(x), std::acos(x), std::acos(x))
ET_UNARY(acosh, kRealsC, std::acosh(x), std::acosh(x), std::acosh(x))
ET_UNARY(asin, kRealsC, std::asin(x), std::asin(x), std::asin(x))
ET_UNARY(asinh, kRealsC, std::asinh(x), std::asinh(x), std::asinh(x))
ET_UNARY(atan, kRealsC, std::atan(x), std::atan(x), std::atan(x))
ET_UNARY(atanh, kRealsC, std::atanh(x), std::atanh(x), std::atanh(x))
ET_UNARY(cosh, kRealsC, std::cosh(x), std::cosh(x), std::cosh(x))
ET_UNARY(erf, kReals, vm::erf(x), std::erf(x), x)
ET_UNARY(exp, kRealsC, vm::exp(x), std::exp(x), std::exp(x))
ET_UNARY(expm1, kRealsC, vm::expm1(x), std::expm1(x), std::exp(x) - 1.0)
ET_UNARY(log, kRealsC, vm::log(x), std::log(x), std::log(x))
ET_UNARY(log10, kRealsC, std::log10(x), std::log10(x), std::log10(x))
ET_UNARY(log1p, kRealsC, vm::log1p(x), std::log1p(x), std::log(1.0 + x))
ET_UNARY(log2, kRealsC, vm::log2(x), std::log2(x), std::log(x) / 0.693147180559945309)
ET_UNARY(reciprocal, kRealsC, 1.0f / x, 1.0 / x, 1.0 / x)
ET_UNARY(rsqrt, kRealsC, 1.0f / std::sqrt(x), 1.0 / std::sqrt(x), 1.0 / std::sqrt(x))
ET_UNARY(sigmoid, kRealsC, vm::sigmoid(x), 1.0 / (1.0 + std::exp(-x)), 1.0 / (1.0 + std::exp(-x)))
ET_UNARY(sinh, kRealsC, std::sinh(x), std::sinh(x), std::sinh(x))
ET_UNARY(sqrt, kRealsC, std::sqrt(x), std::sqrt(x), std::sqrt(x))
ET_UNARY(tan, kRealsC, std::tan(x), std::tan(x), std::tan(x))
ET_UNARY(tanh, kRealsC, vm::tanh(x), std::tanh(x), std::tanh(x))
#undef ET_UNARY

// Sine and cosine: float32 beyond the range of the fast reduction by libm.
struct Sin {
  float operator()(float x) const { return std::sin(x); }
  double operator()(double x) const { return std::sin(x); }
  Complex operator()(const Complex& x) const { return std::sin(x); }
  static float fast(float x) { return vm::sin_bounded(x); }
};
struct Cos {
  float operator()(float x) const { return std::cos(x); }
  double operator()(double x) const { return std::cos(x); }
  Complex operator()(const Complex& x) const { return std::cos(x); }
  static float fast(float x) { return vm::cos_bounded(x); }
};
template <class F>
void trig_floats(void* out, const void* const* in, int64_t n, const void*) {
  const auto* a = static_cast<const float*>(in[0]);
  loop_in_blocks(
      static_cast<float*>(out), n,
      [a](int64_t k, uint32_t* bad) {
        *bad = vm::fabs(a[k]) < vm::kTrigLimit ? 0u : 1u;
        return F::fast(a[k]);
      },
      [a](int64_t k) { return F{}(a[k]); });
}
template <class F>
Tensor& trig(KernelRuntimeContext& ctx, const char* name, const Tensor& in, Tensor& out) {
  elementwise::Loops loops = elementwise::kLoops<F, kRealsC, 1>;
  loops.single.loop = trig_floats<F>;
  const F f;
  elementwise::map1(ctx, name, loops, &f, float_type(in.scalar_type()), in, out);
  return out;
}
Tensor& sin_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return trig<Sin>(ctx, "aten::sin", in, out);
}
Tensor& cos_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return trig<Cos>(ctx, "aten::cos", in, out);
}

struct Logit {
  template <class T>
  T operator()(T x) const {
    const T low = static_cast<T>(eps);
    const T high = static_cast<T>(1) - low;
    T y = clamp && x < low ? low : x;
    y = clamp && y > high ? high : y;
    if constexpr (std::is_same_v<T, float>) return vm::log(y / (1.0f - y));
    return static_cast<T>(std::log(y / (1.0 - y)));
  }
  double eps;
  bool clamp;
};
Tensor& logit_out(KernelRuntimeContext& ctx, const Tensor& in, const optional<double>& eps, Tensor& out) {
  return unary_float<kReals>(ctx, "aten::logit", Logit{eps.value_or(0.0), eps.has_value() && *eps >= 0}, in, out);
}

}  // namespace

#define ET_ROW(op) ET_KERNEL(op##_out)
ET_ROW(acos)
ET_ROW(acosh)
ET_ROW(asin)
ET_ROW(asinh)
ET_ROW(atan)
ET_ROW(atanh)
ET_ROW(cos)
ET_ROW(cosh)
ET_ROW(erf)
ET_ROW(exp)
ET_ROW(expm1)
ET_ROW(log)
ET_ROW(log10)
ET_ROW(log1p)
ET_ROW(log2)
ET_ROW(reciprocal)
ET_ROW(rsqrt)
ET_ROW(sigmoid)
ET_ROW(sin)
ET_ROW(sinh)
ET_ROW(sqrt)
ET_ROW(tan)
ET_ROW(tanh)
ET_ROW(logit)
#undef ET_ROW

}  // namespace et::ET_KERNELS
