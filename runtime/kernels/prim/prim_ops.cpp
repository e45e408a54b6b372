// Arithmetic of programs on their own numbers (sizes of dynamic shapes, conditions), and the operators that read such a
// number from a tensor. A wrong count of values fails with InvalidProgram, a wrong type with InvalidType; integers
// wrap, and an integer divided by zero fails with InvalidArgument.
#include <cmath>
#include <functional>

#include "runtime/kernels/common/convert.h"
#include "runtime/kernels/common/kernel.h"

namespace et::ET_KERNELS {
namespace {

using Stack = Span<EValue*>;

bool is_slot(const EValue& v) { return v.isScalar() || v.isNone(); }

/// `count` values, the last of which takes a number.
bool expect(KernelRuntimeContext& ctx, const char* name, Stack stack, size_t count) {
  ET_KERNEL_CHECK_MSG(ctx, stack.size() == count, InvalidProgram, false, "%s: %zu values, not %zu", name, stack.size(),
                      count);
  ET_KERNEL_CHECK_MSG(ctx, is_slot(*stack[count - 1]), InvalidType, false, "%s: the result would replace a %s", name,
                      tag_name(stack[count - 1]->tag));
  return true;
}
void wrong_type(KernelRuntimeContext& ctx, const char* name, const EValue& v) {
  ET_LOG(Error, "%s: a %s is not supported", name, tag_name(v.tag));
  ctx.fail(Error::InvalidType);
}
bool is_number(const EValue& v) { return v.isInt() || v.isDouble(); }
double as_double(const EValue& v) { return v.isInt() ? static_cast<double>(v.toInt()) : v.toDouble(); }
uint64_t bits(int64_t v) { return static_cast<uint64_t>(v); }

/// F computes with two int64 or two doubles. Bools count as integers when kBools, and are refused otherwise.
template <class F, bool kBools = false>
void binary(KernelRuntimeContext& ctx, const char* name, Stack stack) {
  if (!expect(ctx, name, stack, 3)) return;
  const EValue& a = *stack[0];
  const EValue& b = *stack[1];
  if (kBools && a.isBool() && b.isBool()) {
    *stack[2] = EValue(F{}(int64_t{a.toBool()}, int64_t{b.toBool()}));
    return;
  }
  if (!is_number(a)) return wrong_type(ctx, name, a);
  if (!is_number(b)) return wrong_type(ctx, name, b);
  *stack[2] = a.isInt() && b.isInt() ? EValue(F{}(a.toInt(), b.toInt())) : EValue(F{}(as_double(a), as_double(b)));
}

/// F on the bits of integers, which wrap, or on doubles.
template <class F>
struct Wrapping {
  int64_t operator()(int64_t a, int64_t b) const { return static_cast<int64_t>(F{}(bits(a), bits(b))); }
  double operator()(double a, double b) const { return F{}(a, b); }
};
struct TrueDivide {
  template <class T>
  double operator()(T a, T b) const {
    return static_cast<double>(a) / static_cast<double>(b);
  }
};
template <class F>
void compare(KernelRuntimeContext& ctx, const char* name, Stack stack) {
  binary<F, true>(ctx, name, stack);
}

void add(KernelRuntimeContext& ctx, Stack stack) { binary<Wrapping<std::plus<>>>(ctx, "executorch_prim::add", stack); }
void sub(KernelRuntimeContext& ctx, Stack stack) { binary<Wrapping<std::minus<>>>(ctx, "executorch_prim::sub", stack); }
void mul(KernelRuntimeContext& ctx, Stack stack) {
  binary<Wrapping<std::multiplies<>>>(ctx, "executorch_prim::mul", stack);
}
void truediv(KernelRuntimeContext& ctx, Stack stack) { binary<TrueDivide>(ctx, "executorch_prim::truediv", stack); }
void eq(KernelRuntimeContext& ctx, Stack stack) { compare<std::equal_to<>>(ctx, "executorch_prim::eq", stack); }
void gt(KernelRuntimeContext& ctx, Stack stack) { compare<std::greater<>>(ctx, "executorch_prim::gt", stack); }
void lt(KernelRuntimeContext& ctx, Stack stack) { compare<std::less<>>(ctx, "executorch_prim::lt", stack); }
void ge(KernelRuntimeContext& ctx, Stack stack) { compare<std::greater_equal<>>(ctx, "executorch_prim::ge", stack); }
void le(KernelRuntimeContext& ctx, Stack stack) { compare<std::less_equal<>>(ctx, "executorch_prim::le", stack); }

enum class Rounding : uint8_t { Floor, Cut };
/// Quotient and remainder of a / b; false: b is zero.
bool divide(KernelRuntimeContext& ctx, const char* name, int64_t a, int64_t b, Rounding rounding, int64_t* quotient,
            int64_t* remainder) {
  ET_KERNEL_CHECK_MSG(ctx, b != 0, InvalidArgument, false, "%s: %lld divided by zero", name, static_cast<long long>(a));
  // The minimum has no counterpart.
  *quotient = b == -1 ? static_cast<int64_t>(0 - bits(a)) : a / b;
  *remainder = b == -1 ? 0 : a % b;
  if (rounding == Rounding::Floor && *remainder != 0 && (a < 0) != (b < 0)) --*quotient;
  return true;
}
double floor_divide(double a, double b) {
  if (b == 0) return std::signbit(a) ? -INFINITY : INFINITY;
  const double rest = std::fmod(a, b);
  const double quotient = (a - rest) / b;
  return rest != 0 && std::signbit(b) != std::signbit(rest) ? quotient - 1 : quotient;
}

void floordiv(KernelRuntimeContext& ctx, Stack stack) {
  constexpr const char* kName = "executorch_prim::floordiv.Scalar";
  if (!expect(ctx, kName, stack, 3)) return;
  const EValue& a = *stack[0];
  const EValue& b = *stack[1];
  if (!is_number(a)) return wrong_type(ctx, kName, a);
  if (!is_number(b)) return wrong_type(ctx, kName, b);
  if (!a.isInt() || !b.isInt()) {
    *stack[2] = EValue(floor_divide(as_double(a), as_double(b)));
    return;
  }
  int64_t quotient = 0;
  int64_t remainder = 0;
  if (divide(ctx, kName, a.toInt(), b.toInt(), Rounding::Floor, &quotient, &remainder)) *stack[2] = EValue(quotient);
}

/// Integers only, cut towards zero as the operators of that name do.
void divide_ints(KernelRuntimeContext& ctx, const char* name, Stack stack, bool wants_quotient) {
  if (!expect(ctx, name, stack, 3)) return;
  if (!stack[0]->isInt()) return wrong_type(ctx, name, *stack[0]);
  if (!stack[1]->isInt()) return wrong_type(ctx, name, *stack[1]);
  int64_t quotient = 0;
  int64_t remainder = 0;
  if (divide(ctx, name, stack[0]->toInt(), stack[1]->toInt(), Rounding::Cut, &quotient, &remainder)) {
    *stack[2] = EValue(wants_quotient ? quotient : remainder);
  }
}
void floordiv_int(KernelRuntimeContext& ctx, Stack stack) {
  divide_ints(ctx, "executorch_prim::floordiv.int", stack, true);
}
void mod_int(KernelRuntimeContext& ctx, Stack stack) { divide_ints(ctx, "executorch_prim::mod.int", stack, false); }
void mod_scalar(KernelRuntimeContext& ctx, Stack stack) {
  divide_ints(ctx, "executorch_prim::mod.Scalar", stack, false);
}

void extreme(KernelRuntimeContext& ctx, const char* name, Stack stack, bool largest) {
  if (!expect(ctx, name, stack, 3)) return;
  if (!stack[0]->isInt()) return wrong_type(ctx, name, *stack[0]);
  if (!stack[1]->isInt()) return wrong_type(ctx, name, *stack[1]);
  const int64_t a = stack[0]->toInt();
  const int64_t b = stack[1]->toInt();
  *stack[2] = EValue((a > b) == largest ? a : b);
}
void sym_max(KernelRuntimeContext& ctx, Stack stack) { extreme(ctx, "executorch_prim::sym_max", stack, true); }
void sym_min(KernelRuntimeContext& ctx, Stack stack) { extreme(ctx, "executorch_prim::sym_min", stack, false); }

void neg(KernelRuntimeContext& ctx, Stack stack) {
  constexpr const char* kName = "executorch_prim::neg.Scalar";
  if (!expect(ctx, kName, stack, 2)) return;
  const EValue& a = *stack[0];
  if (!is_number(a)) return wrong_type(ctx, kName, a);
  *stack[1] = a.isInt() ? EValue(static_cast<int64_t>(0 - bits(a.toInt()))) : EValue(-a.toDouble());
}

/// Conversions between the kinds of numbers: out-of-range doubles saturate, NaN gives 0.
void sym_float(KernelRuntimeContext& ctx, Stack stack) {
  constexpr const char* kName = "executorch_prim::sym_float.Scalar";
  if (!expect(ctx, kName, stack, 2)) return;
  if (!stack[0]->isScalar()) return wrong_type(ctx, kName, *stack[0]);
  *stack[1] = EValue(stack[0]->toScalar().to<double>());
}
void sym_int(KernelRuntimeContext& ctx, Stack stack) {
  constexpr const char* kName = "executorch_prim::sym_int.Scalar";
  if (!expect(ctx, kName, stack, 2)) return;
  if (!stack[0]->isScalar()) return wrong_type(ctx, kName, *stack[0]);
  *stack[1] = EValue(stack[0]->toScalar().to<int64_t>());
}
void round_to_int(KernelRuntimeContext& ctx, const char* name, Stack stack, double (*rounding)(double)) {
  if (!expect(ctx, name, stack, 2)) return;
  if (!stack[0]->isDouble()) return wrong_type(ctx, name, *stack[0]);
  *stack[1] = EValue(Scalar(rounding(stack[0]->toDouble())).to<int64_t>());
}
void ceil(KernelRuntimeContext& ctx, Stack stack) {
  round_to_int(ctx, "executorch_prim::ceil.Scalar", stack, [](double v) { return std::ceil(v); });
}
void round(KernelRuntimeContext& ctx, Stack stack) {
  round_to_int(ctx, "executorch_prim::round.Scalar", stack, [](double v) { return std::nearbyint(v); });
}
void trunc(KernelRuntimeContext& ctx, Stack stack) {
  round_to_int(ctx, "executorch_prim::trunc.Scalar", stack, [](double v) { return std::trunc(v); });
}

void sym_not(KernelRuntimeContext& ctx, Stack stack) {
  constexpr const char* kName = "executorch_prim::sym_not.Scalar";
  if (!expect(ctx, kName, stack, 2)) return;
  if (!stack[0]->isBool()) return wrong_type(ctx, kName, *stack[0]);
  *stack[1] = EValue(!stack[0]->toBool());
}
void sym_ite(KernelRuntimeContext& ctx, Stack stack) {
  constexpr const char* kName = "executorch_prim::sym_ite.Scalar";
  if (!expect(ctx, kName, stack, 4)) return;
  if (!stack[0]->isBool()) return wrong_type(ctx, kName, *stack[0]);
  const EValue& chosen = stack[0]->toBool() ? *stack[1] : *stack[2];
  if (!chosen.isScalar()) return wrong_type(ctx, kName, chosen);
  *stack[3] = chosen;
}

void sym_size(KernelRuntimeContext& ctx, Stack stack) {
  constexpr const char* kName = "aten::sym_size.int";
  if (!expect(ctx, kName, stack, 3)) return;
  if (!stack[0]->isTensor()) return wrong_type(ctx, kName, *stack[0]);
  if (!stack[1]->isInt()) return wrong_type(ctx, kName, *stack[1]);
  const Tensor t = stack[0]->toTensor();
  int64_t dim = stack[1]->toInt();
  ET_KERNEL_CHECK_MSG(ctx, t.dim() > 0 && normalize_dim(&dim, t.dim()), InvalidArgument, ,
                      "%s: dim %lld of a tensor of rank %zd", kName, static_cast<long long>(dim), t.dim());
  *stack[2] = EValue(int64_t{t.size(static_cast<ssize_t>(dim))});
}
void sym_numel(KernelRuntimeContext& ctx, Stack stack) {
  constexpr const char* kName = "aten::sym_numel";
  if (!expect(ctx, kName, stack, 2)) return;
  if (!stack[0]->isTensor()) return wrong_type(ctx, kName, *stack[0]);
  *stack[1] = EValue(int64_t{stack[0]->toTensor().numel()});
}

/// The first element: bool, int or double by the dtype's category.
void local_scalar_dense(KernelRuntimeContext& ctx, Stack stack) {
  constexpr const char* kName = "aten::_local_scalar_dense";
  if (!expect(ctx, kName, stack, 2)) return;
  if (!stack[0]->isTensor()) return wrong_type(ctx, kName, *stack[0]);
  const Tensor t = stack[0]->toTensor();
  ET_KERNEL_CHECK_MSG(ctx, t.numel() >= 1 && t.const_data_ptr() != nullptr, InvalidArgument, ,
                      "%s: self has no element", kName);
  const ScalarType type = t.scalar_type();
  const ScalarType wide = is_floating(type) ? ScalarType::Double : ScalarType::Long;
  const Converter converter(type, wide);
  ET_KERNEL_CHECK_MSG(ctx, converter.valid() && !is_complex(type), InvalidArgument, , "%s: self is %s", kName,
                      scalar_type_name(type));
  if (wide == ScalarType::Double) {
    double v = 0;
    converter.run(&v, 1, t.const_data_ptr(), 1, 1);
    *stack[1] = EValue(v);
  } else {
    int64_t v = 0;
    converter.run(&v, 1, t.const_data_ptr(), 1, 1);
    *stack[1] = type == ScalarType::Bool ? EValue(v != 0) : EValue(v);
  }
}

}  // namespace

#define ET_ROW(function)                                                         \
  void boxed_prim_##function(KernelRuntimeContext& context, Span<EValue*> args); \
  void boxed_prim_##function(KernelRuntimeContext& context, Span<EValue*> args) { function(context, args); }
ET_ROW(add)
ET_ROW(sub)
ET_ROW(mul)
ET_ROW(truediv)
ET_ROW(eq)
ET_ROW(gt)
ET_ROW(lt)
ET_ROW(ge)
ET_ROW(le)
ET_ROW(floordiv)
ET_ROW(floordiv_int)
ET_ROW(mod_int)
ET_ROW(mod_scalar)
ET_ROW(sym_max)
ET_ROW(sym_min)
ET_ROW(neg)
ET_ROW(sym_float)
ET_ROW(sym_int)
ET_ROW(ceil)
ET_ROW(round)
ET_ROW(trunc)
ET_ROW(sym_not)
ET_ROW(sym_ite)
ET_ROW(sym_size)
ET_ROW(sym_numel)
ET_ROW(local_scalar_dense)
#undef ET_ROW

}  // namespace et::ET_KERNELS
