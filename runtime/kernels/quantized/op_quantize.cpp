// quantize_per_tensor, _per_channel, _per_token.
#include "runtime/kernels/quantized/affine.h"

namespace et::ET_KERNELS {
namespace {

bool check_arguments(KernelRuntimeContext& context, const Tensor& input, int64_t quant_min, int64_t quant_max,
                     ScalarType dtype, Tensor& out, const char* name) {
  ET_KERNEL_CHECK_MSG(context, in_set(input.scalar_type(), kFloatsH), InvalidArgument, false, "%s: input is %s", name,
                      scalar_type_name(input.scalar_type()));
  ET_KERNEL_CHECK_MSG(context, is_quantized(dtype) && out.scalar_type() == dtype, InvalidArgument, false,
                      "%s: dtype is %s, out is %s", name, scalar_type_name(dtype), scalar_type_name(out.scalar_type()));
  const IntRange range = int_range(dtype);
  ET_KERNEL_CHECK_MSG(context, quant_min >= range.min && quant_max <= range.max && quant_min <= quant_max,
                      InvalidArgument, false, "%s: quant_min %lld and quant_max %lld do not fit %s", name,
                      static_cast<long long>(quant_min), static_cast<long long>(quant_max), scalar_type_name(dtype));
  return resize_out(context, out, input.sizes(), name) && check_memory(context, input, "input", name) &&
         check_memory(context, out, "out", name);
}

template <class S>
Affine<S> affine(S inverse, double zero_point, int64_t quant_min, int64_t quant_max) {
  Affine<S> a;
  a.inverse = inverse;
  a.zero_point = static_cast<S>(zero_point);
  a.min = static_cast<S>(quant_min);
  a.max = static_cast<S>(quant_max);
  return a;
}

/// A run from the element types that the tensors have.
template <class S>
void quantize_elements(const Tensor& input, int64_t in_at, int64_t in_step, const Tensor& out, int64_t out_at,
                       int64_t out_step, int64_t n, const Affine<S>& a) {
  dispatch<kFloatsH>(input.scalar_type(), [&]<class I>() {
    dispatch<kQuantized>(quantized_type(out.scalar_type()), [&]<class Q>() {
      quantize_run<S, Q, I>(input.const_data_ptr<I>() + in_at, in_step, out.mutable_data_ptr<Q>() + out_at, out_step, n,
                            a);
    });
  });
}

Tensor& quantize_tensor(KernelRuntimeContext& ctx, const Tensor& input, double scale, int64_t zero_point,
                        int64_t quant_min, int64_t quant_max, ScalarType dtype, Tensor& out, const char* name) {
  if (!check_arguments(ctx, input, quant_min, quant_max, dtype, out, name)) return out;
  const auto a = affine<float>(static_cast<float>(1.0 / scale), static_cast<double>(zero_point), quant_min, quant_max);
  if (same_dim_order(input, out)) {
    parallel_for(0, input.numel(), 32768,
                 [&](int64_t from, int64_t to) { quantize_elements(input, from, 1, out, from, 1, to - from, a); });
    return out;
  }
  for_each_channel(input, out, -1,
                   [&](int64_t, int64_t in_at, int64_t out_at, int64_t n, int64_t in_step, int64_t out_step) {
                     quantize_elements(input, in_at, in_step, out, out_at, out_step, n, a);
                   });
  return out;
}

Tensor& quantize_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& input, double scale, int64_t zero_point,
                                int64_t quant_min, int64_t quant_max, ScalarType dtype, Tensor& out) {
  return quantize_tensor(ctx, input, scale, zero_point, quant_min, quant_max, dtype, out,
                         "quantized_decomposed::quantize_per_tensor");
}

Tensor& quantize_per_tensor_tensor_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& scale,
                                       const Tensor& zero_point, int64_t quant_min, int64_t quant_max, ScalarType dtype,
                                       Tensor& out) {
  constexpr const char* kName = "quantized_decomposed::quantize_per_tensor.Tensor";
  if (!check_parameters(ctx, scale, 1, false, "scale", kName) ||
      !check_parameters(ctx, zero_point, 1, true, "zero_point", kName)) {
    return out;
  }
  return quantize_tensor(ctx, input, parameter(scale, 0), integer_parameter(zero_point, 0), quant_min, quant_max, dtype,
                         out, kName);
}

/// Scale i as its reciprocal in the type that torch computes in: that of the scales, but at least float.
template <class S>
Affine<S> channel_affine(const Tensor& scales, const Tensor& zero_points, int64_t i, int64_t quant_min,
                         int64_t quant_max) {
  return affine<S>(S(1) / static_cast<S>(parameter(scales, i)),
                   is_integral(zero_points.scalar_type()) ? static_cast<double>(integer_parameter(zero_points, i))
                                                          : parameter(zero_points, i),
                   quant_min, quant_max);
}

bool check_zero_points(KernelRuntimeContext& context, const Tensor& t, int64_t count, const char* name) {
  return check_parameters(context, t, count, !in_set(t.scalar_type(), kFloatsH), "zero_points", name);
}

Tensor& quantize_per_channel_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& scales,
                                 const Tensor& zero_points, int64_t axis, int64_t quant_min, int64_t quant_max,
                                 ScalarType dtype, Tensor& out) {
  constexpr const char* kName = "quantized_decomposed::quantize_per_channel";
  ET_KERNEL_CHECK_MSG(ctx, input.dim() > 0 && normalize_dim(&axis, input.dim()), InvalidArgument, out,
                      "%s: axis %lld of a tensor with %zd dimensions", kName, static_cast<long long>(axis),
                      input.dim());
  const int64_t channels = input.size(static_cast<ssize_t>(axis));
  if (!check_arguments(ctx, input, quant_min, quant_max, dtype, out, kName) ||
      !check_parameters(ctx, scales, channels, false, "scales", kName) ||
      !check_zero_points(ctx, zero_points, channels, kName)) {
    return out;
  }
  const bool wide = scales.scalar_type() == ScalarType::Double || zero_points.scalar_type() == ScalarType::Double;
  for_each_channel(input, out, axis,
                   [&](int64_t c, int64_t in_at, int64_t out_at, int64_t n, int64_t in_step, int64_t out_step) {
                     if (wide) {
                       quantize_elements(input, in_at, in_step, out, out_at, out_step, n,
                                         channel_affine<double>(scales, zero_points, c, quant_min, quant_max));
                     } else {
                       quantize_elements(input, in_at, in_step, out, out_at, out_step, n,
                                         channel_affine<float>(scales, zero_points, c, quant_min, quant_max));
                     }
                   });
  return out;
}

Tensor& quantize_per_token_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& scales,
                               const Tensor& zero_points, int64_t quant_min, int64_t quant_max, ScalarType dtype,
                               Tensor& out) {
  constexpr const char* kName = "quantized_decomposed::quantize_per_token";
  ET_KERNEL_CHECK_MSG(ctx, input.dim() > 0, InvalidArgument, out, "%s: input has no dimensions", kName);
  int64_t tokens = 1;
  for (ssize_t d = 0; d + 1 < input.dim(); ++d) tokens *= input.size(d);
  if (!check_arguments(ctx, input, quant_min, quant_max, dtype, out, kName) ||
      !check_parameters(ctx, scales, tokens, false, "scales", kName) ||
      !check_zero_points(ctx, zero_points, tokens, kName)) {
    return out;
  }
  const bool wide = scales.scalar_type() == ScalarType::Double || zero_points.scalar_type() == ScalarType::Double;
  const auto run = [&](auto a, int64_t in_at, int64_t out_at, int64_t n, int64_t in_step, int64_t out_step) {
    a.add_first = true;
    quantize_elements(input, in_at, in_step, out, out_at, out_step, n, a);
  };
  for_each_token(
      input, out, [&](int64_t t, int64_t in_at, int64_t out_at, int64_t n, int64_t in_step, int64_t out_step) {
        if (wide) {
          run(channel_affine<double>(scales, zero_points, t, quant_min, quant_max), in_at, out_at, n, in_step,
              out_step);
        } else {
          run(channel_affine<float>(scales, zero_points, t, quant_min, quant_max), in_at, out_at, n, in_step, out_step);
        }
      });
  return out;
}

}  // namespace

ET_KERNEL(quantize_per_tensor_out)
ET_KERNEL(quantize_per_tensor_tensor_out)
ET_KERNEL(quantize_per_channel_out)
ET_KERNEL(quantize_per_token_out)

}  // namespace et::ET_KERNELS
