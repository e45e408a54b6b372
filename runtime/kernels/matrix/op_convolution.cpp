// convolution: checks, then the cheapest way to compute it.
#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/matrix/conv_direct.h"
#include "runtime/kernels/matrix/gemm.h"

namespace et::ET_KERNELS {
namespace {

/// A provider's params; only for float with float bias.
matrix::Convolution provider_job(const ConvShape& s, const ConvData& d) {
  matrix::Convolution params;
  params.batch = s.batch;
  params.in_channels = s.in_channels;
  params.out_channels = s.out_channels;
  params.groups = s.groups;
  for (int i = 0; i < 3; ++i) {
    params.in_size[i] = s.in_size[i];
    params.kernel[i] = s.kernel[i];
    params.out_size[i] = s.out_size[i];
    params.stride[i] = s.stride[i];
    params.padding[i] = s.padding[i];
    params.dilation[i] = s.dilation[i];
  }
  for (int i = 0; i < 5; ++i) {
    params.in_stride[i] = d.in_stride[i];
    params.weight_stride[i] = d.weight_stride[i];
    params.out_stride[i] = d.out_stride[i];
  }
  params.in = static_cast<const float*>(d.in);
  params.weight = static_cast<const float*>(d.weight);
  params.bias = static_cast<const float*>(d.bias);
  params.out = static_cast<float*>(d.out);
  return params;
}

/// All positions of a channel as one dimension; false: they lie otherwise.
bool merge_positions(const ConvShape& s, const int64_t strides[5], int64_t* stride) {
  *stride = 0;
  int64_t count = 1;
  for (int d = 2; d >= 0; --d) {
    if (s.out_size[d] == 1) continue;
    if (count == 1)
      *stride = strides[2 + d];
    else if (strides[2 + d] != *stride * count)
      return false;
    count *= s.out_size[d];
  }
  return true;
}

/// A kernel of one element without padding or stride is a matmul: weight times input.
template <class T>
bool as_product(KernelRuntimeContext& context, const ConvShape& s, const ConvData& d) {
  if (s.transposed || s.kernel_size() != 1) return false;
  for (int i = 0; i < 3; ++i) {
    if (s.padding[i] != 0 || (s.stride[i] != 1 && s.out_size[i] != 1)) return false;
  }
  if (d.bias != nullptr && d.bias_dtype != d.dtype) return false;
  int64_t in_position = 0, out_position = 0;
  if (!merge_positions(s, d.in_stride, &in_position) || !merge_positions(s, d.out_stride, &out_position)) return false;
  const int64_t per_group = s.in_channels / s.groups, out_per_group = s.out_channels / s.groups;
  if (out_per_group < 4) return false;
  Gemm<T> g;
  g.m = out_per_group;
  g.n = s.positions();
  g.k = per_group;
  // One batch of the matmul is an item of the batch or a group, whichever there are more of.
  const bool by_group = s.groups > s.batch;
  const int64_t outer = by_group ? s.batch : s.groups;
  g.batch = by_group ? s.groups : s.batch;
  const int64_t in_group = per_group * d.in_stride[1], out_group = out_per_group * d.out_stride[1];
  const int64_t weight_group = out_per_group * d.weight_stride[0];
  g.a_batch = by_group ? weight_group : 0;
  g.b_batch = by_group ? in_group : d.in_stride[0];
  g.out_batch = by_group ? out_group : d.out_stride[0];
  g.c_batch = by_group ? out_per_group * d.bias_stride : 0;
  g.a_row = d.weight_stride[0], g.a_col = d.weight_stride[1];
  g.b_row = d.in_stride[1], g.b_col = in_position;
  g.out_row = d.out_stride[1], g.out_col = out_position;
  g.c_row = d.bias_stride, g.c_col = 0;
  for (int64_t i = 0; i < outer; ++i) {
    g.a = static_cast<const T*>(d.weight) + (by_group ? 0 : i * weight_group);
    g.b = static_cast<const T*>(d.in) + i * (by_group ? d.in_stride[0] : in_group);
    g.out = static_cast<T*>(d.out) + i * (by_group ? d.out_stride[0] : out_group);
    g.c = d.bias == nullptr ? nullptr
                            : static_cast<const T*>(d.bias) + (by_group ? 0 : i * out_per_group * d.bias_stride);
    gemm_auto(context, g);
  }
  return true;
}

Tensor& convolution_out(KernelRuntimeContext& ctx, const Tensor& input, const Tensor& weight,
                        const optional<Tensor>& bias, ArrayRef<int64_t> stride, ArrayRef<int64_t> padding,
                        ArrayRef<int64_t> dilation, bool transposed, ArrayRef<int64_t> output_padding, int64_t groups,
                        Tensor& out) {
  constexpr const char* kName = "aten::convolution";
  ET_KERNEL_CHECK_MSG(ctx, input.scalar_type() == weight.scalar_type() && input.scalar_type() == out.scalar_type(),
                      InvalidArgument, out, "%s: input is %s, weight %s, out %s", kName,
                      scalar_type_name(input.scalar_type()), scalar_type_name(weight.scalar_type()),
                      scalar_type_name(out.scalar_type()));
  ConvShape s;
  if (!read_conv_shape(ctx, input, weight, stride, padding, dilation, transposed, output_padding, groups, kName, &s)) {
    return out;
  }
  ConvData d;
  if (bias.has_value()) {
    ET_KERNEL_CHECK_MSG(ctx, bias->dim() == 1 && bias->size(0) == s.out_channels, InvalidArgument, out,
                        "%s: bias has %zd elements in %zd dimensions, not %lld in one", kName, bias->numel(),
                        bias->dim(), static_cast<long long>(s.out_channels));
    d.bias = bias->const_data_ptr();
    d.bias_dtype = bias->scalar_type();
    d.bias_stride = bias->strides()[0];
    ET_KERNEL_CHECK_MSG(ctx, d.bias != nullptr || bias->numel() == 0, InvalidArgument, out, "%s: bias has no memory",
                        kName);
  }
  if (!resize_out(ctx, out, s.out_shape().view(), kName)) return out;
  if (out.numel() == 0) return out;
  d.dtype = input.scalar_type();
  d.in = input.const_data_ptr();
  d.weight = weight.const_data_ptr();
  d.out = out.mutable_data_ptr();
  ET_KERNEL_CHECK_MSG(
      ctx, (d.in != nullptr || input.numel() == 0) && (d.weight != nullptr || weight.numel() == 0) && d.out != nullptr,
      InvalidArgument, out, "%s: input, weight or out has no memory", kName);
  conv_strides(input, d.in_stride);
  conv_strides(weight, d.weight_stride);
  conv_strides(out, d.out_stride);
  if (d.dtype == ScalarType::Float && !transposed &&
      (d.bias == nullptr || (d.bias_dtype == d.dtype && d.bias_stride == 1))) {
    const matrix::Provider* provider = matrix::selected_provider();
    if (provider != nullptr && provider->convolution != nullptr && input.numel() > 0 &&
        provider->convolution(provider_job(s, d))) {
      return out;
    }
  }
  if (wants_ordered_transposed(s, d.dtype)) {
    run_ordered_transposed(ctx, s, d, kName);
    return out;
  }
  bool done = false;
  if (!is_small(s) && (!run_depthwise(ctx, s, d, kName, &done) || done)) return out;
  if (d.dtype == ScalarType::Float && !is_small(s) && as_product<float>(ctx, s, d)) return out;
  if (d.dtype == ScalarType::Double && as_product<double>(ctx, s, d)) return out;
  run_convolution(ctx, s, d, kName);
  return out;
}

}  // namespace

ET_KERNEL(convolution_out)

}  // namespace et::ET_KERNELS
