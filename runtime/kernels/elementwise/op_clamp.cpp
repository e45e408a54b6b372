// clamp, with numbers or tensors as bounds.
#include <limits>

#include "runtime/kernels/elementwise/engine.h"

namespace et::ET_KERNELS {
namespace {

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
                      InvalidArgument, out, "aten::clamp: min or max does not fit dtype %s", scalar_type_name(common));
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

ET_KERNEL(clamp_out)
ET_KERNEL(clamp_tensor_out)

}  // namespace et::ET_KERNELS
