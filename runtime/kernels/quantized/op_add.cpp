// add of two quantised tensors: both as floats, added, quantised again.
#include "runtime/kernels/quantized/affine.h"

namespace et::ET_KERNELS {
namespace {

constexpr const char* kName = "quantized_decomposed::add";

bool check_range(KernelRuntimeContext& context, int64_t quant_min, int64_t quant_max, ScalarType dtype,
                 const char* argument) {
  const IntRange range = int_range(dtype);
  ET_KERNEL_CHECK_MSG(context, quant_min >= range.min && quant_max <= range.max && quant_min <= quant_max,
                      InvalidArgument, false, "%s: %s_quant_min %lld and %s_quant_max %lld do not fit %s", kName,
                      argument, static_cast<long long>(quant_min), argument, static_cast<long long>(quant_max),
                      scalar_type_name(dtype));
  return true;
}

Tensor& quantized_add_out(KernelRuntimeContext& ctx, const Tensor& a, double a_scale, int64_t a_zero_point,
                          int64_t a_quant_min, int64_t a_quant_max, const Tensor& b, double b_scale,
                          int64_t b_zero_point, int64_t b_quant_min, int64_t b_quant_max, double out_scale,
                          int64_t out_zero_point, int64_t out_quant_min, int64_t out_quant_max, Tensor& out) {
  const ScalarType dtype = a.scalar_type();
  ET_KERNEL_CHECK_MSG(ctx, in_set(dtype, kQuantized) && b.scalar_type() == dtype && out.scalar_type() == dtype,
                      InvalidArgument, out, "%s: expected one quantised dtype, got a %s, b %s, out %s", kName,
                      scalar_type_name(dtype), scalar_type_name(b.scalar_type()), scalar_type_name(out.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, same_sizes(a, b), InvalidArgument, out, "%s: a and b have different sizes", kName);
  if (!check_range(ctx, a_quant_min, a_quant_max, dtype, "a") ||
      !check_range(ctx, b_quant_min, b_quant_max, dtype, "b") ||
      !check_range(ctx, out_quant_min, out_quant_max, dtype, "out") || !resize_out(ctx, out, a.sizes(), kName) ||
      !check_memory(ctx, a, "a", kName) || !check_memory(ctx, b, "b", kName) || !check_memory(ctx, out, "out", kName) ||
      out.numel() == 0) {
    return out;
  }
  Affine<float> to;
  to.inverse = static_cast<float>(1.0 / out_scale);
  to.zero_point = static_cast<float>(out_zero_point);
  to.min = static_cast<float>(out_quant_min);
  to.max = static_cast<float>(out_quant_max);
  const float za = static_cast<float>(a_zero_point), zb = static_cast<float>(b_zero_point);
  const float sa = static_cast<float>(a_scale), sb = static_cast<float>(b_scale);
  int64_t strides[3][kTensorDimensionLimit];
  for (size_t d = 0; d < a.sizes().size(); ++d) {
    strides[0][d] = a.strides()[d];
    strides[1][d] = b.strides()[d];
    strides[2][d] = out.strides()[d];
  }
  const StridedWalk<3> walk(a.sizes(), {strides[0], strides[1], strides[2]});
  dispatch<kQuantized>(dtype, [&]<class Q>() {
    const Q* a_data = a.const_data_ptr<Q>();
    const Q* b_data = b.const_data_ptr<Q>();
    Q* out_data = out.mutable_data_ptr<Q>();
    parallel_for(0, walk.rows(), 1 + 32768 / (walk.row_length() + 1), [&](int64_t first, int64_t last) {
      walk.run(first, last, [&](const std::array<int64_t, 3>& at, int64_t n, const std::array<int64_t, 3>& step) {
#if ET_HELIUM
        if constexpr (kHeliumBytes<Q>) {
          if (step == std::array<int64_t, 3>{1, 1, 1} && helium_scale(sa) && helium_scale(sb) &&
              helium_scale(to.inverse)) {
            return helium_add(a_data + at[0], b_data + at[1], out_data + at[2], n, {za, zb}, {sa, sb}, to);
          }
        }
#endif
        for (int64_t i = 0; i < n; ++i) {
          const float x = (static_cast<float>(a_data[at[0] + i * step[0]]) - za) * sa;
          const float y = (static_cast<float>(b_data[at[1] + i * step[1]]) - zb) * sb;
          out_data[at[2] + i * step[2]] = quantize_one<float, Q>(x + y, to);
        }
      });
    });
  });
  return out;
}

}  // namespace

ET_KERNEL(quantized_add_out)

}  // namespace et::ET_KERNELS
