// dequantize_per_tensor, _per_channel, _per_token. Per tensor torch computes in the output's dtype; per channel and
// per token the difference is one of whole numbers, and their product has the scale's type.
#include "runtime/kernels/quantized/affine.h"

namespace et::ET_KERNELS {
namespace {

bool check_arguments(KernelRuntimeContext& context, const Tensor& input, ScalarType dtype,
                     const optional<ScalarType>& out_dtype, Tensor& out, const char* name) {
  ET_KERNEL_CHECK_MSG(context, is_quantized(dtype) && input.scalar_type() == dtype, InvalidArgument, false,
                      "%s: dtype is %s, input is %s", name, scalar_type_name(dtype),
                      scalar_type_name(input.scalar_type()));
  ET_KERNEL_CHECK_MSG(context, in_set(out.scalar_type(), kFloatsH), InvalidArgument, false, "%s: out is %s", name,
                      scalar_type_name(out.scalar_type()));
  ET_KERNEL_CHECK_MSG(context, !out_dtype.has_value() || *out_dtype == out.scalar_type(), InvalidArgument, false,
                      "%s: out_dtype is %s, out is %s", name, scalar_type_name(*out_dtype),
                      scalar_type_name(out.scalar_type()));
  return resize_out(context, out, input.sizes(), name) && check_memory(context, input, "input", name) &&
         check_memory(context, out, "out", name);
}

/// In O, rounded after each operation.
template <class O, class Q>
void dequantize_run(const Q* __restrict in, int64_t in_step, O* __restrict out, int64_t out_step, int64_t n,
                    opmath_t<O> zero_point, opmath_t<O> scale) {
  using S = opmath_t<O>;
  if constexpr (std::is_same_v<S, O>) {
    if (in_step == 1 && out_step == 1) {
#if ET_HELIUM
      if constexpr (kHeliumBytes<Q> && std::is_same_v<O, float>) {
        if (helium_scale(scale)) return helium_dequantize(in, out, n, zero_point, scale);
      }
#endif
      for (int64_t i = 0; i < n; ++i) out[i] = (static_cast<S>(in[i]) - zero_point) * scale;
      return;
    }
  }
  for (int64_t i = 0; i < n; ++i) {
    const O difference = static_cast<O>(static_cast<S>(static_cast<O>(static_cast<S>(in[i * in_step]))) - zero_point);
    out[i * out_step] = static_cast<O>(static_cast<S>(difference) * scale);
  }
}

Tensor& dequantize_tensor(KernelRuntimeContext& ctx, const Tensor& input, double scale, int64_t zero_point,
                          ScalarType dtype, const optional<ScalarType>& out_dtype, Tensor& out, const char* name) {
  if (!check_arguments(ctx, input, dtype, out_dtype, out, name)) return out;
  const auto run = [&](int64_t in_at, int64_t out_at, int64_t n, int64_t in_step, int64_t out_step) {
    dispatch<kQuantized>(quantized_type(input.scalar_type()), [&]<class Q>() {
      dispatch<kFloatsH>(out.scalar_type(), [&]<class O>() {
        dequantize_run<O, Q>(input.const_data_ptr<Q>() + in_at, in_step, out.mutable_data_ptr<O>() + out_at, out_step,
                             n, static_cast<opmath_t<O>>(zero_point), static_cast<opmath_t<O>>(scale));
      });
    });
  };
  if (same_dim_order(input, out)) {
    parallel_for(0, input.numel(), 32768, [&](int64_t from, int64_t to) { run(from, from, to - from, 1, 1); });
    return out;
  }
  for_each_channel(input, out, -1,
                   [&](int64_t, int64_t in_at, int64_t out_at, int64_t n, int64_t in_step, int64_t out_step) {
                     run(in_at, out_at, n, in_step, out_step);
                   });
  return out;
}

Tensor& dequantize_per_tensor_out(KernelRuntimeContext& ctx, const Tensor& input, double scale, int64_t zero_point,
                                  int64_t /*quant_min*/, int64_t /*quant_max*/, ScalarType dtype,
                                  const optional<ScalarType>& out_dtype, Tensor& out) {
  return dequantize_tensor(ctx, input, scale, zero_point, dtype, out_dtype, out,
                           "quantized_decomposed::dequantize_per_tensor");
}

Tensor& dequantize_per_tensor_tensor_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& scale,
                                         const Tensor& zero_point, int64_t /*quant_min*/, int64_t /*quant_max*/,
                                         ScalarType dtype, const optional<ScalarType>& out_dtype, Tensor& out) {
  constexpr const char* kName = "quantized_decomposed::dequantize_per_tensor.Tensor";
  if (!check_parameters(ctx, scale, 1, false, "scale", kName) ||
      !check_parameters(ctx, zero_point, 1, true, "zero_point", kName)) {
    return out;
  }
  return dequantize_tensor(ctx, input, parameter(scale, 0), integer_parameter(zero_point, 0), dtype, out_dtype, out,
                           kName);
}

/// The scales' type P: differences as whole numbers (as P, for zero points that are none), products rounded to P.
struct Parameters {
  const Tensor& scales;
  const Tensor* zero_points;

  template <class P>
  void run(const Tensor& input, const Tensor& out, int64_t i, int64_t in_at, int64_t out_at, int64_t n, int64_t in_step,
           int64_t out_step) const {
    using S = opmath_t<P>;
    const S scale = static_cast<S>(scales.const_data_ptr<P>()[i]);
    const bool whole = zero_points == nullptr || is_integral(zero_points->scalar_type());
    const int64_t zero_point = zero_points != nullptr && whole ? integer_parameter(*zero_points, i) : 0;
    const S float_zero_point = whole ? S(0) : static_cast<S>(parameter(*zero_points, i));
    dispatch<kQuantized>(quantized_type(input.scalar_type()), [&]<class Q>() {
      dispatch<kFloatsH>(out.scalar_type(), [&]<class O>() {
        const Q* from = input.const_data_ptr<Q>() + in_at;
        O* to = out.mutable_data_ptr<O>() + out_at;
        for (int64_t e = 0; e < n; ++e) {
          const int64_t q = static_cast<int64_t>(from[e * in_step]);
          // Zero points far outside of the dtype wrap around.
          const uint64_t apart = static_cast<uint64_t>(q) - static_cast<uint64_t>(zero_point);
          const S difference = whole ? static_cast<S>(static_cast<int64_t>(apart))
                                     : static_cast<S>(static_cast<P>(static_cast<S>(q) - float_zero_point));
          const P product = static_cast<P>(static_cast<S>(static_cast<P>(difference)) * scale);
          to[e * out_step] = static_cast<O>(static_cast<opmath_t<O>>(static_cast<S>(product)));
        }
      });
    });
  }
  void run_any(const Tensor& input, const Tensor& out, int64_t i, int64_t in_at, int64_t out_at, int64_t n,
               int64_t in_step, int64_t out_step) const {
    dispatch<kFloatsH>(scales.scalar_type(),
                       [&]<class P>() { run<P>(input, out, i, in_at, out_at, n, in_step, out_step); });
  }
};

bool check_zero_points(KernelRuntimeContext& context, const Tensor& t, int64_t count, const char* name) {
  return check_parameters(context, t, count, !in_set(t.scalar_type(), kFloatsH), "zero_points", name);
}

Tensor& dequantize_per_channel_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& scales,
                                   const optional<Tensor>& zero_points, int64_t axis, int64_t /*quant_min*/,
                                   int64_t /*quant_max*/, ScalarType dtype, const optional<ScalarType>& out_dtype,
                                   Tensor& out) {
  constexpr const char* kName = "quantized_decomposed::dequantize_per_channel";
  ET_KERNEL_CHECK_MSG(ctx, input.dim() > 0 && normalize_dim(&axis, input.dim()), InvalidArgument, out,
                      "%s: axis %lld of a tensor with %zd dimensions", kName, static_cast<long long>(axis),
                      input.dim());
  const int64_t channels = input.size(static_cast<ssize_t>(axis));
  if (!check_arguments(ctx, input, dtype, out_dtype, out, kName) ||
      !check_parameters(ctx, scales, channels, false, "scales", kName) ||
      (zero_points.has_value() && !check_zero_points(ctx, *zero_points, channels, kName))) {
    return out;
  }
  const Parameters parameters{scales, zero_points.has_value() ? &*zero_points : nullptr};
  for_each_channel(input, out, axis,
                   [&](int64_t c, int64_t in_at, int64_t out_at, int64_t n, int64_t in_step, int64_t out_step) {
                     parameters.run_any(input, out, c, in_at, out_at, n, in_step, out_step);
                   });
  return out;
}

Tensor& dequantize_per_token_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& scales,
                                 const Tensor& zero_points, int64_t /*quant_min*/, int64_t /*quant_max*/,
                                 ScalarType dtype, ScalarType output_dtype, Tensor& out) {
  constexpr const char* kName = "quantized_decomposed::dequantize_per_token";
  ET_KERNEL_CHECK_MSG(ctx, input.dim() > 0, InvalidArgument, out, "%s: input has no dimensions", kName);
  int64_t tokens = 1;
  for (ssize_t d = 0; d + 1 < input.dim(); ++d) tokens *= input.size(d);
  if (!check_arguments(ctx, input, dtype, output_dtype, out, kName) ||
      !check_parameters(ctx, scales, tokens, false, "scales", kName) ||
      !check_zero_points(ctx, zero_points, tokens, kName)) {
    return out;
  }
  const Parameters parameters{scales, &zero_points};
  for_each_token(input, out,
                 [&](int64_t t, int64_t in_at, int64_t out_at, int64_t n, int64_t in_step, int64_t out_step) {
                   parameters.run_any(input, out, t, in_at, out_at, n, in_step, out_step);
                 });
  return out;
}

}  // namespace

ET_KERNEL(dequantize_per_tensor_out)
ET_KERNEL(dequantize_per_tensor_tensor_out)
ET_KERNEL(dequantize_per_channel_out)
ET_KERNEL(dequantize_per_token_out)

}  // namespace et::ET_KERNELS
