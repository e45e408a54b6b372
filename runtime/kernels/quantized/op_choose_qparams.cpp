// choose_qparams and choose_qparams_per_token_asymmetric: scale and zero point from the extremes of a tensor or of
// each token, with zero always in the range. Arithmetic as torch's: in the dtype of the input, rounded each time.
#include <cmath>
#include <limits>

#include "runtime/kernels/quantized/affine.h"

namespace et::ET_KERNELS {
namespace {

inline constexpr DtypeSet kInputs = kHalfs | dtype_bit(ScalarType::Float);

bool check_outputs(KernelRuntimeContext& context, const Tensor& input, const Tensor& scale, const Tensor& zero_point,
                   ArrayRef<int32_t> sizes, const char* name) {
  ET_KERNEL_CHECK_MSG(context, in_set(input.scalar_type(), kInputs), InvalidArgument, false, "%s: input is %s", name,
                      scalar_type_name(input.scalar_type()));
  ET_KERNEL_CHECK_MSG(context,
                      scale.scalar_type() == ScalarType::Double && zero_point.scalar_type() == ScalarType::Long,
                      InvalidArgument, false, "%s: expected float64 scale_out and int64 zero_point_out, got %s and %s",
                      name, scalar_type_name(scale.scalar_type()), scalar_type_name(zero_point.scalar_type()));
  return resize_out(context, scale, sizes, name) && resize_out(context, zero_point, sizes, name) &&
         check_memory(context, input, "input", name) && check_memory(context, scale, "scale_out", name) &&
         check_memory(context, zero_point, "zero_point_out", name);
}

void choose_qparams_out(KernelRuntimeContext& ctx, const Tensor& input, int64_t quant_min, int64_t quant_max,
                        double eps, ScalarType dtype, Tensor& scale_out, Tensor& zero_point_out) {
  constexpr const char* kName = "quantized_decomposed::choose_qparams";
  Shape one;
  one.push(1);
  if (!check_outputs(ctx, input, scale_out, zero_point_out, one.view(), kName)) return;
  ET_KERNEL_CHECK_MSG(ctx, in_set(dtype, kQuantized), InvalidArgument, , "%s: dtype is %s", kName,
                      scalar_type_name(dtype));
  ET_KERNEL_CHECK_MSG(
      ctx,
      quant_min <= 0 && quant_max >= 0 && quant_min < quant_max && quant_min >= INT32_MIN && quant_max <= INT32_MAX,
      InvalidArgument, , "%s: quant_min %lld and quant_max %lld must have 0 between them", kName,
      static_cast<long long>(quant_min), static_cast<long long>(quant_max));
  ET_KERNEL_CHECK_MSG(ctx, input.numel() > 0, InvalidArgument, , "%s: input is empty", kName);
  dispatch<kInputs>(input.scalar_type(), [&]<class I>() {
    const I* in = input.const_data_ptr<I>();
    float smallest = static_cast<float>(in[0]), largest = smallest;
    bool nan = false;
    for (int64_t i = 0; i < input.numel(); ++i) {
      const float x = static_cast<float>(in[i]);
      nan = nan || x != x;
      smallest = x < smallest ? x : smallest;
      largest = x > largest ? x : largest;
    }
    ET_KERNEL_CHECK_MSG(ctx, !nan, InvalidArgument, , "%s: input has NaN", kName);
    smallest = smallest < 0 ? smallest : 0;
    largest = largest > 0 ? largest : 0;
    const I range = static_cast<I>(largest - smallest);
    float scale =
        static_cast<float>(static_cast<I>(static_cast<float>(range) / static_cast<float>(quant_max - quant_min)));
    const float floor = static_cast<float>(eps);
    scale = scale > floor ? scale : floor;
    const float shift = std::nearbyint(smallest / scale);
    // As int32, what does not fit as x86 has it.
    const int32_t whole = shift > -2147483648.0f && shift < 2147483648.0f ? static_cast<int32_t>(shift) : INT32_MIN;
    const int32_t raw = static_cast<int32_t>(static_cast<uint32_t>(quant_min) - static_cast<uint32_t>(whole));
    const int64_t zero_point = raw < quant_min ? quant_min : raw > quant_max ? quant_max : raw;
    *scale_out.mutable_data_ptr<double>() = static_cast<double>(scale);
    *zero_point_out.mutable_data_ptr<int64_t>() = zero_point;
  });
}

void choose_qparams_per_token_asymmetric_out(KernelRuntimeContext& ctx, const Tensor& input, ScalarType /*dtype*/,
                                             Tensor& scale_out, Tensor& zero_point_out) {
  constexpr const char* kName = "quantized_decomposed::choose_qparams_per_token_asymmetric";
  ET_KERNEL_CHECK_MSG(ctx, input.dim() > 0 && input.size(input.dim() - 1) > 0, InvalidArgument, ,
                      "%s: input has no last dimension, or an empty one", kName);
  Shape rows = shape_of(input);
  rows.sizes[rows.rank - 1] = 1;
  if (!check_outputs(ctx, input, scale_out, zero_point_out, rows.view(), kName)) return;
  constexpr float kQmin = -128, kQmax = 127;
  dispatch<kInputs>(input.scalar_type(), [&]<class I>() {
    const auto round = [](float x) { return static_cast<float>(static_cast<I>(x)); };
    const I* data = input.const_data_ptr<I>();
    for_each_token(input, scale_out, [&](int64_t t, int64_t in_at, int64_t out_at, int64_t n, int64_t step, int64_t) {
      const I* in = data + in_at;
      float smallest = 0, largest = 0;
      for (int64_t i = 0; i < n; ++i) {
        const float x = static_cast<float>(in[i * step]);
        smallest = x < smallest || x != x ? x : smallest;
        largest = x > largest || x != x ? x : largest;
      }
      float scale = round(round(largest - smallest) / (kQmax - kQmin));
      const float eps = round(std::numeric_limits<float>::epsilon());
      scale = scale < eps ? eps : scale;
      const float low = round(smallest / scale), high = round(largest / scale);
      float zero_point = round(round(kQmin + low) + round(kQmax + high)) > 0 ? round(kQmin - low) : round(kQmax - high);
      zero_point = zero_point < kQmin ? kQmin : zero_point > kQmax ? kQmax : zero_point;
      zero_point = std::nearbyint(zero_point);
      scale_out.mutable_data_ptr<double>()[out_at] = static_cast<double>(scale);
      // The two outputs may lie differently.
      int64_t rest = t, at = 0;
      for (size_t d = rows.rank - 1; d-- > 0;) {
        at += rest % rows.sizes[d] * zero_point_out.strides()[d];
        rest /= rows.sizes[d];
      }
      zero_point_out.mutable_data_ptr<int64_t>()[at] =
          zero_point == zero_point ? static_cast<int64_t>(zero_point) : INT64_MIN;
    });
  });
}

}  // namespace

ET_KERNEL(choose_qparams_out)
ET_KERNEL(choose_qparams_per_token_asymmetric_out)

}  // namespace et::ET_KERNELS
