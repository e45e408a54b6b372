// Unary operators that round nothing but to integers: signs, rounding, bits and tests.
#include <cmath>

#include "runtime/kernels/common/vector_math.h"
#include "runtime/kernels/elementwise/engine.h"

namespace et::ET_KERNELS {
namespace {

struct Abs {
  float operator()(float x) const { return vm::fabs(x); }
  double operator()(double x) const { return std::fabs(x); }
  int64_t operator()(int64_t x) const {
    return static_cast<int64_t>(x < 0 ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x));
  }
  double operator()(const Complex& x) const { return std::hypot(x.real(), x.imag()); }
};
Tensor& abs_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  const ScalarType t = in.scalar_type();
  const Abs f;
  Work work = make_work<kNumbers | kBitC, 1>("aten::abs", f, t);
  if (is_complex(t)) work.logical = t == ScalarType::ComplexDouble ? ScalarType::Double : ScalarType::Float;
  const Operand operands[] = {Operand(in)};
  run_elementwise(ctx, work, operands, out);
  return out;
}

struct Neg {
  template <class T>
  T operator()(T x) const {
    return -x;
  }
  int64_t operator()(int64_t x) const { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }
};
Tensor& neg_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, in.scalar_type() != ScalarType::Bool, InvalidArgument, out, "aten::neg: self is bool");
  return map1<kNumbers | kBitC>(ctx, "aten::neg", Neg{}, in.scalar_type(), in, out);
}

struct Same {
  template <class T>
  T operator()(T x) const {
    return x;
  }
  Complex operator()(const Complex& x) const { return std::conj(x); }
};
Tensor& conj_physical_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return map1<kNumbers | kBitC>(ctx, "aten::_conj_physical", Same{}, in.scalar_type(), in, out);
}

struct Sign {
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(static_cast<T>(x > T(0)) - static_cast<T>(x < T(0)));
  }
};
Tensor& sign_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return map1<kNumbers>(ctx, "aten::sign", Sign{}, in.scalar_type(), in, out);
}

struct Relu {
  template <class T>
  T operator()(T x) const {
    return x < T(0) ? T(0) : x;
  }
};
Tensor& relu_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, in.scalar_type() != ScalarType::Bool, InvalidArgument, out, "aten::relu: self is bool");
  return map1<kNumbers>(ctx, "aten::relu", Relu{}, in.scalar_type(), in, out);
}

// Rounding leaves integers alone; to even at half.
#define ET_ROUNDING(op, function)                                                        \
  struct op##_of {                                                                       \
    float operator()(float x) const { return __builtin_##function##f(x); }               \
    double operator()(double x) const { return __builtin_##function(x); }                \
    int64_t operator()(int64_t x) const { return x; }                                    \
  };                                                                                     \
  Tensor& op##_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {           \
    ET_KERNEL_CHECK_MSG(ctx, in.scalar_type() != ScalarType::Bool, InvalidArgument, out, \
                        "aten::" #op ": self is bool");                                  \
    return map1<kNumbers>(ctx, "aten::" #op, op##_of{}, in.scalar_type(), in, out);      \
  }
ET_ROUNDING(ceil, ceil)
ET_ROUNDING(floor, floor)
ET_ROUNDING(round, rint)
ET_ROUNDING(trunc, trunc)
#undef ET_ROUNDING

/// Work whose result is bool, whatever it reads, and with kOnlyBool into bool alone.
template <DtypeSet kTypes, bool kOnlyBool = false, class F>
Tensor& test(KernelRuntimeContext& ctx, const char* name, const F& f, ScalarType compute, const Tensor& in,
             Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, out.scalar_type() == ScalarType::Bool || !kOnlyBool, InvalidArgument, out,
                      "%s: expected out to be bool, got %s", name, scalar_type_name(out.scalar_type()));
  return map1<kTypes>(ctx, name, f, Types(compute, ScalarType::Bool), in, out);
}
struct IsNan {
  template <class T>
  bool operator()(T x) const {
    return x != x;
  }
};
struct IsInf {
  float magnitude(float x) const { return vm::fabs(x); }
  double magnitude(double x) const { return std::fabs(x); }
  template <class T>
  bool operator()(T x) const {
    return magnitude(x) == std::numeric_limits<T>::infinity();
  }
  bool operator()(int64_t) const { return false; }
  bool operator()(const Complex& x) const { return (*this)(x.real()) || (*this)(x.imag()); }
};
Tensor& isnan_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return test<kNumbers | kBitC, true>(ctx, "aten::isnan", IsNan{}, compute_type(in.scalar_type()), in, out);
}
Tensor& isinf_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return test<kNumbers | kBitC, true>(ctx, "aten::isinf", IsInf{}, compute_type(in.scalar_type()), in, out);
}

struct Not {
  bool operator()(uint8_t x) const { return x == 0; }
  int64_t operator()(int64_t x) const { return ~x; }
};
Tensor& logical_not_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  return test<kBitB>(ctx, "aten::logical_not", Not{}, ScalarType::Bool, in, out);
}
Tensor& bitwise_not_out(KernelRuntimeContext& ctx, const Tensor& in, Tensor& out) {
  const ScalarType t = in.scalar_type();
  ET_KERNEL_CHECK_MSG(ctx, is_integral(t, true), InvalidArgument, out, "aten::bitwise_not: self has dtype %s",
                      scalar_type_name(t));
  const ScalarType compute = t == ScalarType::Bool ? t : ScalarType::Long;
  return map1<kBitB | kBitI>(ctx, "aten::bitwise_not", Not{}, Types(compute, t), in, out);
}

}  // namespace

ET_KERNEL(abs_out)
ET_KERNEL(neg_out)
ET_KERNEL(conj_physical_out)
ET_KERNEL(sign_out)
ET_KERNEL(relu_out)
ET_KERNEL(ceil_out)
ET_KERNEL(floor_out)
ET_KERNEL(round_out)
ET_KERNEL(trunc_out)
ET_KERNEL(isnan_out)
ET_KERNEL(isinf_out)
ET_KERNEL(logical_not_out)
ET_KERNEL(bitwise_not_out)

}  // namespace et::ET_KERNELS
