// Division in its forms: true, truncated, floored, and the remainders of the last two. An integer divided by zero fails
// the operator; floats follow IEEE 754, floored ones Python's rules.
#include <cmath>

#include "runtime/kernels/elementwise/engine.h"

namespace et::ET_KERNELS {
namespace {

struct Div {
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a / b;
  }
};

/// Notes a zero divisor; loops may run on several threads.
struct ZeroDivisor {
  bool* seen;
  bool zero(int64_t b) const {
    if (b != 0) return false;
    __atomic_store_n(seen, true, __ATOMIC_RELAXED);
    return true;
  }
  /// The minimum divided by -1 does not fit.
  static bool minus_one(int64_t b) { return b == -1; }
  static int64_t negative(int64_t a) { return static_cast<int64_t>(0 - static_cast<uint64_t>(a)); }
};

struct DivTrunc : ZeroDivisor {
  float operator()(float a, float b) const { return __builtin_truncf(a / b); }
  double operator()(double a, double b) const { return __builtin_trunc(a / b); }
  int64_t operator()(int64_t a, int64_t b) const {
    if (zero(b)) return 0;
    return minus_one(b) ? negative(a) : a / b;
  }
};

struct DivFloor : ZeroDivisor {
  template <class T>
  T operator()(T a, T b) const {
    const T quotient = a / b;
    if (b == 0) return quotient;
    // Exact multiple of b below a, so that the quotient is an integer but for its rounding.
    T rest = std::fmod(a, b);
    T whole = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) whole -= 1;
    if (whole == 0) return std::copysign(T(0), quotient);
    const T floored = std::floor(whole);
    return whole - floored > T(0.5) ? floored + 1 : floored;
  }
  int64_t operator()(int64_t a, int64_t b) const {
    if (zero(b)) return 0;
    if (minus_one(b)) return negative(a);
    const int64_t q = a / b;
    return q - static_cast<int64_t>(a % b != 0 && (a < 0) != (b < 0));
  }
};

struct Fmod : ZeroDivisor {
  float operator()(float a, float b) const { return std::fmod(a, b); }
  double operator()(double a, double b) const { return std::fmod(a, b); }
  int64_t operator()(int64_t a, int64_t b) const { return zero(b) || minus_one(b) ? 0 : a % b; }
};

/// The sign of the divisor.
struct Remainder : ZeroDivisor {
  template <class T>
  T operator()(T a, T b) const {
    const T rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  int64_t operator()(int64_t a, int64_t b) const {
    if (zero(b) || minus_one(b)) return 0;
    const int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
};

template <class F>
Tensor& divide(KernelRuntimeContext& ctx, const char* name, ScalarType common, const Operand& a, const Operand& b,
               Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, common != ScalarType::Bool, InvalidArgument, out, "%s: the arguments are bool", name);
  bool zero = false;
  F functor;
  functor.seen = &zero;
  map2<kNumbers>(ctx, name, functor, common, a, b, out);
  ET_KERNEL_CHECK_MSG(ctx, !zero, InvalidArgument, out, "%s: division of an integer by zero", name);
  return out;
}

Tensor& true_divide(KernelRuntimeContext& ctx, ScalarType common, const Operand& a, const Operand& b, Tensor& out) {
  return map2<kReals | kBitC>(ctx, "aten::div", Div{}, float_type(common), a, b, out);
}

Tensor& divide_in_mode(KernelRuntimeContext& ctx, ScalarType common, const Operand& a, const Operand& b,
                       const optional<string_view>& mode, Tensor& out) {
  if (!mode.has_value()) return true_divide(ctx, common, a, b, out);
  if (*mode == "trunc") return divide<DivTrunc>(ctx, "aten::div", common, a, b, out);
  if (*mode == "floor") return divide<DivFloor>(ctx, "aten::div", common, a, b, out);
  ET_KERNEL_CHECK_MSG(ctx, false, InvalidArgument, out, "aten::div: rounding_mode '%.*s' is not trunc or floor",
                      static_cast<int>(mode->size() < 40 ? mode->size() : 40), mode->data());
}

Tensor& div_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return true_divide(ctx, common_type(a, b), Operand(a), Operand(b), out);
}
Tensor& div_mode_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, const optional<string_view>& mode,
                     Tensor& out) {
  return divide_in_mode(ctx, common_type(a, b), Operand(a), Operand(b), mode, out);
}
Tensor& div_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  const ScalarType common = common_type(a, b);
  return true_divide(ctx, common, Operand(a), Operand(b, compute_type(float_type(common))), out);
}
Tensor& div_scalar_mode_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b,
                            const optional<string_view>& mode, Tensor& out) {
  const ScalarType common = common_type(a, b);
  const ScalarType as = mode.has_value() ? compute_type(common) : compute_type(float_type(common));
  return divide_in_mode(ctx, common, Operand(a), Operand(b, as), mode, out);
}
Tensor& floor_divide_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return divide<DivFloor>(ctx, "aten::floor_divide", common_type(a, b), Operand(a), Operand(b), out);
}
Tensor& fmod_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return divide<Fmod>(ctx, "aten::fmod", common_type(a, b), Operand(a), Operand(b), out);
}
Tensor& remainder_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {
  return divide<Remainder>(ctx, "aten::remainder", common_type(a, b), Operand(a), Operand(b), out);
}
// Here the number is rounded to the tensor's dtype.
Tensor& fmod_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  const ScalarType common = common_type(a, b);
  return divide<Fmod>(ctx, "aten::fmod", common, Operand(a), Operand(b, common), out);
}
Tensor& remainder_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) {
  const ScalarType common = common_type(a, b);
  return divide<Remainder>(ctx, "aten::remainder", common, Operand(a), Operand(b, common), out);
}

}  // namespace

ET_KERNEL(div_out)
ET_KERNEL(div_mode_out)
ET_KERNEL(div_scalar_out)
ET_KERNEL(div_scalar_mode_out)
ET_KERNEL(floor_divide_out)
ET_KERNEL(fmod_out)
ET_KERNEL(fmod_scalar_out)
ET_KERNEL(remainder_out)
ET_KERNEL(remainder_scalar_out)

}  // namespace et::ET_KERNELS
