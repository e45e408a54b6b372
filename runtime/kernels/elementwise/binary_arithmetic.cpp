// add, sub, rsub, mul, maximum, minimum, atan2: tensor with tensor and tensor with number. Integers wrap.
#include <cmath>

#include "runtime/kernels/elementwise/engine.h"

namespace et::ET_KERNELS {
namespace {

inline constexpr DtypeSet kNumbersC = kNumbers | kBitC;

/// Integer arithmetic modulo 2^64; other types as they are.
template <class T>
struct Wrapped {
  using type = T;
};
template <>
struct Wrapped<int64_t> {
  using type = uint64_t;
};
template <class T>
using wrapped_t = typename Wrapped<T>::type;

struct Add {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(static_cast<wrapped_t<T>>(a) + static_cast<wrapped_t<T>>(b));
  }
};
struct Sub {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(static_cast<wrapped_t<T>>(a) - static_cast<wrapped_t<T>>(b));
  }
};
struct AddScaled {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(static_cast<wrapped_t<T>>(a) + static_cast<wrapped_t<T>>(b) * alpha.as<wrapped_t<T>>());
  }
  Complex operator()(const Complex& a, const Complex& b) const { return a + b * alpha.real; }
  Number alpha;
};
struct Mul {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return static_cast<T>(static_cast<wrapped_t<T>>(a) * static_cast<wrapped_t<T>>(b));
  }
  // Without the recovery of infinities, as torch's loops.
  Complex operator()(const Complex& a, const Complex& b) const {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
};

Scalar negated(const Scalar& s) {
  if (s.isFloatingPoint()) return Scalar(-s.to<double>());
  return Scalar(static_cast<int64_t>(0 - static_cast<uint64_t>(s.to<int64_t>())));
}

/// a + alpha·b; `sign` -1 takes b away.
Tensor& add(KernelRuntimeContext& ctx, const char* name, ScalarType common, const Operand& a, const Operand& b,
            const Scalar& alpha, int sign, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, !(is_integral(common, true) && alpha.isFloatingPoint()), InvalidArgument, out,
                      "%s: alpha is a float, but the arguments are integers", name);
  ET_KERNEL_CHECK_MSG(ctx, common == ScalarType::Bool || !alpha.isBoolean(), InvalidArgument, out,
                      "%s: alpha is a bool, but the arguments are not", name);
  ET_KERNEL_CHECK_MSG(ctx, sign > 0 || common != ScalarType::Bool, InvalidArgument, out, "%s: the arguments are bool",
                      name);
  ET_KERNEL_CHECK_MSG(ctx, common == ScalarType::Bool || fits(alpha, common), InvalidArgument, out,
                      "%s: alpha does not fit dtype %s", name, scalar_type_name(common));
  if (alpha.to<double>() == 1.0) {
    return sign > 0 ? map2<kNumbersC>(ctx, name, Add{}, common, a, b, out)
                    : map2<kNumbersC>(ctx, name, Sub{}, common, a, b, out);
  }
  return map2<kNumbersC>(ctx, name, AddScaled{Number(sign > 0 ? alpha : negated(alpha))}, common, a, b, out);
}

Tensor& add_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, const Scalar& alpha, Tensor& out) {
  return add(ctx, "aten::add", common_type(a, b), Operand(a), Operand(b), alpha, 1, out);
}
Tensor& sub_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, const Scalar& alpha, Tensor& out) {
  return add(ctx, "aten::sub", common_type(a, b), Operand(a), Operand(b), alpha, -1, out);
}
Tensor& mul_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  const ScalarType common = common_type(a, b);
  return map2<kNumbersC>(ctx, "aten::mul", Mul{}, common, Operand(a), Operand(b), out);
}

// The number is not rounded to a 16-bit float first.
Tensor& add_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, const Scalar& alpha, Tensor& out) {
  const ScalarType common = common_type(a, b);
  return add(ctx, "aten::add", common, Operand(a), Operand(b, compute_type(common)), alpha, 1, out);
}
Tensor& sub_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, const Scalar& alpha, Tensor& out) {
  const ScalarType common = common_type(a, b);
  return add(ctx, "aten::sub", common, Operand(a), Operand(b, compute_type(common)), alpha, -1, out);
}
Tensor& rsub_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, const Scalar& alpha, Tensor& out) {
  const ScalarType common = common_type(a, b);
  return add(ctx, "aten::rsub", common, Operand(b, compute_type(common)), Operand(a), alpha, -1, out);
}
Tensor& mul_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  const ScalarType common = common_type(a, b);
  return map2<kNumbersC>(ctx, "aten::mul", Mul{}, common, Operand(a), Operand(b, compute_type(common)), out);
}

// NaN on either side gives NaN.
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return ((a > b) | (a != a)) ? a : b;
  }
};
struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return ((a < b) | (a != a)) ? a : b;
  }
};
Tensor& maximum_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  const ScalarType common = common_type(a, b);
  return map2<kNumbers>(ctx, "aten::maximum", Maximum{}, common, Operand(a), Operand(b), out);
}
Tensor& minimum_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  const ScalarType common = common_type(a, b);
  return map2<kNumbers>(ctx, "aten::minimum", Minimum{}, common, Operand(a), Operand(b), out);
}

struct Atan2 {
  template <class T>
  T operator()(T a, T b) const {
    return std::atan2(a, b);
  }
};
Tensor& atan2_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  const ScalarType common = float_type(common_type(a, b));
  return map2<kReals>(ctx, "aten::atan2", Atan2{}, common, Operand(a), Operand(b), out);
}

}  // namespace

ET_KERNEL(add_out)
ET_KERNEL(sub_out)
ET_KERNEL(mul_out)
ET_KERNEL(add_scalar_out)
ET_KERNEL(sub_scalar_out)
ET_KERNEL(rsub_scalar_out)
ET_KERNEL(mul_scalar_out)
ET_KERNEL(maximum_out)
ET_KERNEL(minimum_out)
ET_KERNEL(atan2_out)

}  // namespace et::ET_KERNELS
