// Comparisons, logical and bitwise operators, shifts.
#include "runtime/kernels/elementwise/engine.h"

namespace et::ET_KERNELS {
namespace {

struct Eq {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};
struct Ne {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return a != b;
  }
};
struct Lt {
  template <class T>
  bool operator()(T a, T b) const {
    return a < b;
  }
};
struct Le {
  template <class T>
  bool operator()(T a, T b) const {
    return a <= b;
  }
};

// A number is rounded to the dtype of the comparison first: float16 0.1 == 0.1. a > b is b < a, with the same loops.
#define ET_COMPARISON(op, F, types, first, second)                                                         \
  Tensor& op##_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {             \
    const Types t(compute_type(common_type(a, b)), ScalarType::Bool);                                      \
    return map2<types>(ctx, "aten::" #op, F{}, t, Operand(first), Operand(second), out);                   \
  }                                                                                                        \
  Tensor& op##_scalar_out(KernelRuntimeContext& ctx, const Tensor& x, const Scalar& number, Tensor& out) { \
    const ScalarType common = common_type(x, number);                                                      \
    const Types t(compute_type(common), ScalarType::Bool);                                                 \
    const Operand a(x);                                                                                    \
    const Operand b(number, common);                                                                       \
    return map2<types>(ctx, "aten::" #op, F{}, t, first, second, out);                                     \
  }
ET_COMPARISON(eq, Eq, kNumbers | kBitC, a, b)
ET_COMPARISON(ne, Ne, kNumbers | kBitC, a, b)
ET_COMPARISON(lt, Lt, kNumbers, a, b)
ET_COMPARISON(le, Le, kNumbers, a, b)
ET_COMPARISON(gt, Lt, kNumbers, b, a)
ET_COMPARISON(ge, Le, kNumbers, b, a)
#undef ET_COMPARISON

// On bools (bytes, any but 0 is true) and on the bits of integers.
struct And {
  bool operator()(uint8_t a, uint8_t b) const { return static_cast<int>(a != 0) & static_cast<int>(b != 0); }
  int64_t operator()(int64_t a, int64_t b) const { return a & b; }
};
struct Or {
  bool operator()(uint8_t a, uint8_t b) const { return (a | b) != 0; }
  int64_t operator()(int64_t a, int64_t b) const { return a | b; }
};
struct Xor {
  bool operator()(uint8_t a, uint8_t b) const { return (a != 0) != (b != 0); }
  int64_t operator()(int64_t a, int64_t b) const { return a ^ b; }
};

template <class F>
Tensor& bitwise(KernelRuntimeContext& ctx, const char* name, ScalarType common, const Operand& a, const Operand& b,
                Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, is_integral(common, true), InvalidArgument, out, "%s: dtype %s has no bits to combine", name,
                      scalar_type_name(common));
  const Types types(common == ScalarType::Bool ? common : ScalarType::Long, common);
  return map2<kBitB | kBitI>(ctx, name, F{}, types, a, b, out);
}

#define ET_LOGIC(op, F)                                                                                         \
  Tensor& logical_##op##_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {        \
    return map2<kBitB>(ctx, "aten::logical_" #op, F{}, Types(ScalarType::Bool, ScalarType::Bool), Operand(a),   \
                       Operand(b), out);                                                                        \
  }                                                                                                             \
  Tensor& bitwise_##op##_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {        \
    const ScalarType common = common_type(a, b);                                                                \
    return bitwise<F>(ctx, "aten::bitwise_" #op, common, Operand(a), Operand(b), out);                          \
  }                                                                                                             \
  Tensor& bitwise_##op##_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) { \
    const ScalarType common = common_type(a, b);                                                                \
    return bitwise<F>(ctx, "aten::bitwise_" #op, common, Operand(a), Operand(b, common), out);                  \
  }
ET_LOGIC(and, And)
ET_LOGIC(or, Or)
ET_LOGIC(xor, Xor)
#undef ET_LOGIC

// Amounts that are negative or not below the width of the dtype shift everything out.
struct LeftShift {
  int64_t operator()(int64_t a, int64_t b) const {
    const bool inside = static_cast<uint64_t>(b) < width;
    return inside ? static_cast<int64_t>(static_cast<uint64_t>(a) << (b & 63)) : 0;
  }
  uint64_t width;
};
struct RightShift {
  int64_t operator()(int64_t a, int64_t b) const { return a >> (static_cast<uint64_t>(b) < width ? b & 63 : 63); }
  uint64_t width;
};
template <class F>
Tensor& shift(KernelRuntimeContext& ctx, const char* name, ScalarType common, const Operand& a, const Operand& b,
              Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, is_integral(common), InvalidArgument, out, "%s: dtype %s cannot be shifted", name,
                      scalar_type_name(common));
  return map2<kBitI>(ctx, name, F{element_size(common) * 8}, common, a, b, out);
}
#define ET_SHIFT(op, F)                                                                               \
  Tensor& op##_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, Tensor& out) {        \
    const ScalarType common = common_type(a, b);                                                      \
    return shift<F>(ctx, "aten::" #op, common, Operand(a), Operand(b), out);                          \
  }                                                                                                   \
  Tensor& op##_scalar_out(KernelRuntimeContext& ctx, const Tensor& a, const Scalar& b, Tensor& out) { \
    const ScalarType common = common_type(a, b);                                                      \
    return shift<F>(ctx, "aten::" #op, common, Operand(a), Operand(b, common), out);                  \
  }
ET_SHIFT(bitwise_left_shift, LeftShift)
ET_SHIFT(bitwise_right_shift, RightShift)
#undef ET_SHIFT

}  // namespace

#define ET_ROW(op)    \
  ET_KERNEL(op##_out) \
  ET_KERNEL(op##_scalar_out)
ET_ROW(eq)
ET_ROW(ne)
ET_ROW(lt)
ET_ROW(le)
ET_ROW(gt)
ET_ROW(ge)
ET_ROW(bitwise_and)
ET_ROW(bitwise_or)
ET_ROW(bitwise_xor)
ET_ROW(bitwise_left_shift)
ET_ROW(bitwise_right_shift)
#undef ET_ROW
ET_KERNEL(logical_and_out)
ET_KERNEL(logical_or_out)
ET_KERNEL(logical_xor_out)

}  // namespace et::ET_KERNELS
