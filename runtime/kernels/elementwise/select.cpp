// Operators that choose between values: where, masked_fill, clamp.
#include <cmath>
#include <limits>

#include "runtime/kernels/elementwise/engine.h"

namespace et::kernels {
namespace {

inline constexpr DtypeSet kNumbers = kBitF | kBitD | kBitI;

struct Bytes16 {
  uint64_t low, high;
};
template <class T>
void choose(void* out, const void* const* in, int64_t n, const void*) {
  auto* __restrict o = static_cast<T*>(out);
  const auto* __restrict condition = static_cast<const uint8_t*>(in[0]);
  const auto* __restrict a = static_cast<const T*>(in[1]);
  const auto* __restrict b = static_cast<const T*>(in[2]);
  for (int64_t k = 0; k < n; ++k) {
    if constexpr (sizeof(T) == 16) {
      o[k] = *(condition[k] != 0 ? a + k : b + k);
    } else {
      // Both are read, so that the choice is a blend.
      const T x = a[k];
      const T y = b[k];
      o[k] = condition[k] != 0 ? x : y;
    }
  }
}
Loop loop_for_size(size_t size) {
  switch (size) {
    case 1:
      return choose<uint8_t>;
    case 2:
      return choose<uint16_t>;
    case 4:
      return choose<uint32_t>;
    case 8:
      return choose<uint64_t>;
    default:
      return choose<Bytes16>;
  }
}

/// Nothing is computed, so the loop works on the common dtype itself.
Tensor& where(KernelRuntimeContext& ctx, const char* name, ScalarType common, const Operand& condition,
              const Operand& a, const Operand& b, Tensor& out) {
  const Work work{name,  common, loop_for_size(element_size(common)), nullptr, {ScalarType::Bool, common, common},
                  common};
  const Operand operands[] = {condition, a, b};
  run_elementwise(ctx, work, operands, out);
  return out;
}
bool is_mask(const Tensor& t) { return t.scalar_type() == ScalarType::Bool || t.scalar_type() == ScalarType::Byte; }

Tensor& where_out(KernelRuntimeContext& ctx, const Tensor& condition, const Tensor& a, const Tensor& b, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, is_mask(condition), InvalidArgument, out, "aten::where: condition has dtype %d, not bool",
                      static_cast<int>(condition.scalar_type()));
  return where(ctx, "aten::where", common_type(a, b), Operand(condition), Operand(a), Operand(b), out);
}
Tensor& masked_fill_scalar_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mask, const Scalar& value,
                               Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, is_mask(mask), InvalidArgument, out, "aten::masked_fill: mask has dtype %d, not bool",
                      static_cast<int>(mask.scalar_type()));
  const ScalarType t = in.scalar_type();
  ET_KERNEL_CHECK_MSG(ctx, fits(value, t), InvalidArgument, out, "aten::masked_fill: value %g does not fit dtype %d",
                      value.to<double>(), static_cast<int>(t));
  return where(ctx, "aten::masked_fill", t, Operand(mask), Operand(value, t), Operand(in), out);
}

/// NaN in any argument gives NaN; a lower bound above the upper one gives the upper.
struct Clamp {
  template <class T>
  T operator()(T x, T low, T high) const {
    x = ((x < low) | (low != low)) ? low : x;
    return ((x > high) | (high != high)) ? high : x;
  }
  template <class T>
  T operator()(T x) const {
    return (*this)(x, min.as<T>(), max.as<T>());
  }
  Number min, max;
};

Scalar no_bound(ScalarType compute, bool upper) {
  if (compute == ScalarType::Long) {
    return upper ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
  }
  const double inf = std::numeric_limits<double>::infinity();
  return upper ? inf : -inf;
}

Tensor& clamp_out(KernelRuntimeContext& ctx, const Tensor& in, const optional<Scalar>& min, const optional<Scalar>& max,
                  Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, min.has_value() || max.has_value(), InvalidArgument, out,
                      "aten::clamp: min and max are both None");
  ScalarType common = in.scalar_type();
  if (min.has_value()) common = promote_with_scalar(common, *min);
  if (max.has_value()) common = promote_with_scalar(common, *max);
  ET_KERNEL_CHECK_MSG(ctx, (!min.has_value() || fits(*min, common)) && (!max.has_value() || fits(*max, common)),
                      InvalidArgument, out, "aten::clamp: min or max does not fit dtype %d", static_cast<int>(common));
  // A negative bound of an unsigned dtype wraps, as torch's conversion does.
  const ScalarType compute = compute_type(common);
  const auto bound = [&](const optional<Scalar>& s, bool upper) {
    if (!s.has_value()) return no_bound(compute, upper);
    return common == ScalarType::Byte ? Scalar(static_cast<uint8_t>(s->to<int64_t>())) : *s;
  };
  const Clamp f{bound(min, false), bound(max, true)};
  return map1<kNumbers>(ctx, "aten::clamp", f, common, in, out);
}

Tensor& clamp_tensor_out(KernelRuntimeContext& ctx, const Tensor& in, const optional<Tensor>& min,
                         const optional<Tensor>& max, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, min.has_value() || max.has_value(), InvalidArgument, out,
                      "aten::clamp: min and max are both None");
  ScalarType common = in.scalar_type();
  if (min.has_value()) common = promote_types(common, min->scalar_type());
  if (max.has_value()) common = promote_types(common, max->scalar_type());
  const ScalarType compute = compute_type(common);
  const Operand operands[] = {Operand(in), min.has_value() ? Operand(*min) : Operand(no_bound(compute, false), compute),
                              max.has_value() ? Operand(*max) : Operand(no_bound(compute, true), compute)};
  const Clamp f{Scalar(0), Scalar(0)};
  run_elementwise(ctx, make_work<kNumbers, 3>("aten::clamp", f, common), operands, out);
  return out;
}

}  // namespace

ET_KERNEL(where_out)
ET_KERNEL(masked_fill_scalar_out)
ET_KERNEL(clamp_out)
ET_KERNEL(clamp_tensor_out)

}  // namespace et::kernels
