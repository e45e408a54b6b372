// allclose: one bool, whether |a - b| ≤ atol + rtol·|b| everywhere. A test operator; both overloads write `out`.
#include <cmath>

#include "runtime/kernels/common/convert.h"
#include "runtime/kernels/elementwise/engine.h"

namespace et::ET_KERNELS {
namespace {

bool close(double a, double b, double rtol, double atol, bool equal_nan) {
  if (a == b) return true;
  if (std::isnan(a) && std::isnan(b)) return equal_nan;
  if (!std::isfinite(a) || !std::isfinite(b)) return false;
  return std::fabs(a - b) <= atol + rtol * std::fabs(b);
}

Tensor& allclose_out(KernelRuntimeContext& ctx, const Tensor& a, const Tensor& b, double rtol, double atol,
                     bool equal_nan, bool, Tensor& out) {
  ET_KERNEL_CHECK_MSG(ctx, a.scalar_type() == b.scalar_type() && same_sizes(a, b), InvalidArgument, out,
                      "aten::allclose: self and other differ in dtype or sizes");
  ET_KERNEL_CHECK_MSG(ctx, out.scalar_type() == ScalarType::Bool && out.numel() == 1 && out.const_data_ptr() != nullptr,
                      InvalidArgument, out, "aten::allclose: out is not one bool");
  const Converter converter(a.scalar_type(), ScalarType::Double);
  ET_KERNEL_CHECK_MSG(ctx, converter.valid() && !is_complex(a.scalar_type()), InvalidArgument, out,
                      "aten::allclose: dtype %s is not supported", scalar_type_name(a.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, a.numel() == 0 || (a.const_data_ptr() != nullptr && b.const_data_ptr() != nullptr),
                      InvalidArgument, out, "aten::allclose: an argument has no data");
  int64_t strides[2][kTensorDimensionLimit];
  broadcast_strides(a, a.sizes(), strides[0]);
  broadcast_strides(b, a.sizes(), strides[1]);
  const StridedWalk<2> walk(a.sizes(), {strides[0], strides[1]});
  bool all = true;
  walk.run([&](const std::array<int64_t, 2>& at, int64_t n, const std::array<int64_t, 2>& by) {
    for (int64_t k = 0; k < n && all; ++k) {
      double x = 0;
      double y = 0;
      converter.run(&x, 1, a.const_data_ptr<std::byte>() + (at[0] + k * by[0]) * a.itemsize(), 1, 1);
      converter.run(&y, 1, b.const_data_ptr<std::byte>() + (at[1] + k * by[1]) * b.itemsize(), 1, 1);
      all = close(x, y, rtol, atol, equal_nan);
    }
  });
  *out.mutable_data_ptr<bool>() = all;
  return out;
}

}  // namespace

ET_KERNEL(allclose_out)

}  // namespace et::ET_KERNELS
