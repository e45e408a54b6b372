// where and masked_fill: one of two values by a mask.
#include "runtime/kernels/elementwise/engine.h"

namespace et::ET_KERNELS {
namespace {

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
  ET_KERNEL_CHECK_MSG(ctx, is_mask(condition), InvalidArgument, out, "aten::where: expected a bool condition, got %s",
                      scalar_type_name(condition.scalar_type()));
  return where(ctx, "aten::where", common_type(a, b), Operand(condition), Operand(a), Operand(b), out);
}
Tensor& masked_fill_scalar_out(KernelRuntimeContext& ctx, const Tensor& in, const Tensor& mask, const Scalar& value,
                               Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, is_mask(mask), InvalidArgument, out, "aten::masked_fill: expected a bool mask, got %s",
                      scalar_type_name(mask.scalar_type()));
  const ScalarType t = in.scalar_type();
  ET_KERNEL_CHECK_MSG(ctx, fits(value, t), InvalidArgument, out, "aten::masked_fill: value %g does not fit dtype %s",
                      value.to<double>(), scalar_type_name(t));
  return where(ctx, "aten::masked_fill", t, Operand(mask), Operand(value, t), Operand(in), out);
}

}  // namespace

ET_KERNEL(where_out)
ET_KERNEL(masked_fill_scalar_out)

}  // namespace et::ET_KERNELS
