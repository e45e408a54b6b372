// convolution_backward: the gradient of the input is a convolution of the gradient of the output (transposed where the
// forward one was not, and the other way round); those of weight and bias are sums over all positions.
#include <cstring>

#include "runtime/kernels/common/kernel.h"
#include "runtime/kernels/matrix/conv_direct.h"

namespace et::ET_KERNELS {
namespace {

constexpr const char* kConvolutionBackward = "aten::convolution_backward";

/// What connects an output position with a kernel element: the input index of one dimension, or -1 outside. For a
/// transposed convolution `small` is its input and `large` its output.
int64_t kernel_index(const ConvShape& s, int axis, int64_t position, int64_t element, int64_t size) {
  const int64_t at = position * s.stride[axis] - s.padding[axis] + element * s.dilation[axis];
  return at < 0 || at >= size ? -1 : at;
}

/// grad_weight[a][b][element] = sum over batch and positions p of small[a][p] * large[b][p * stride - padding + element
/// * dilation]: `small` is grad_output and `large` the input, or exchanged for a transposed convolution.
template <class I>
void weight_gradient(const ConvShape& s, const I* small, const int64_t* small_stride, const I* large,
                     const int64_t* large_stride, I* out, const int64_t* out_stride) {
  const int64_t* small_size = s.transposed ? s.in_size : s.out_size;
  const int64_t* large_size = s.transposed ? s.out_size : s.in_size;
  const int64_t rows = s.transposed ? s.in_channels : s.out_channels;
  const int64_t cols = (s.transposed ? s.out_channels : s.in_channels) / s.groups;
  const int64_t rows_per_group = rows / s.groups, elements = s.kernel_size();
  const auto one = [&](int64_t a, int64_t b, int64_t element) {
    const int64_t k[3] = {element / (s.kernel[1] * s.kernel[2]), element / s.kernel[2] % s.kernel[1],
                          element % s.kernel[2]};
    const int64_t large_channel = a / rows_per_group * cols + b;
    // Positions along the width whose partner lies inside.
    const int64_t shift = k[2] * s.dilation[2] - s.padding[2];
    int64_t x0 = shift >= 0 ? 0 : (-shift + s.stride[2] - 1) / s.stride[2];
    int64_t x1 = shift >= large_size[2] ? 0 : (large_size[2] - shift - 1) / s.stride[2] + 1;
    if (x1 > small_size[2]) x1 = small_size[2];
    double sum = 0;
    for (int64_t n = 0; n < s.batch; ++n) {
      for (int64_t z = 0; z < small_size[0]; ++z) {
        const int64_t lz = kernel_index(s, 0, z, k[0], large_size[0]);
        if (lz < 0) continue;
        for (int64_t y = 0; y < small_size[1]; ++y) {
          const int64_t ly = kernel_index(s, 1, y, k[1], large_size[1]);
          if (ly < 0) continue;
          const I* p = small + n * small_stride[0] + a * small_stride[1] + z * small_stride[2] + y * small_stride[3];
          const I* q = large + n * large_stride[0] + large_channel * large_stride[1] + lz * large_stride[2] +
                       ly * large_stride[3] + shift * large_stride[4];
          const int64_t step = s.stride[2] * large_stride[4];
          for (int64_t x = x0; x < x1; ++x) {
            sum += static_cast<double>(p[x * small_stride[4]]) * static_cast<double>(q[x * step]);
          }
        }
      }
    }
    out[a * out_stride[0] + b * out_stride[1] + k[0] * out_stride[2] + k[1] * out_stride[3] + k[2] * out_stride[4]] =
        static_cast<I>(static_cast<opmath_t<I>>(sum));
  };
  parallel_for(0, rows * cols, 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      for (int64_t element = 0; element < elements; ++element) one(i / cols, i % cols, element);
    }
  });
}

template <class I>
void bias_gradient(const ConvShape& s, const I* grad, const int64_t* stride, I* out) {
  for (int64_t o = 0; o < s.out_channels; ++o) {
    double sum = 0;
    for (int64_t n = 0; n < s.batch; ++n) {
      for (int64_t z = 0; z < s.out_size[0]; ++z) {
        for (int64_t y = 0; y < s.out_size[1]; ++y) {
          const I* row = grad + n * stride[0] + o * stride[1] + z * stride[2] + y * stride[3];
          for (int64_t x = 0; x < s.out_size[2]; ++x) sum += static_cast<double>(row[x * stride[4]]);
        }
      }
    }
    out[o] = static_cast<I>(static_cast<opmath_t<I>>(sum));
  }
}

/// The shape of the convolution that gives the gradient of the input.
ConvShape input_gradient_shape(const ConvShape& s) {
  ConvShape g = s;
  g.transposed = !s.transposed;
  g.in_channels = s.out_channels;
  g.out_channels = s.in_channels;
  for (int d = 0; d < 3; ++d) {
    g.in_size[d] = s.out_size[d];
    g.out_size[d] = s.in_size[d];
  }
  return g;
}

void fill_zero(const Tensor& t) {
  if (t.nbytes() > 0) std::memset(t.mutable_data_ptr(), 0, t.nbytes());
}

void convolution_backward_out(KernelRuntimeContext& ctx, const Tensor& grad_output, const Tensor& input,
                              const Tensor& weight, const optional<ArrayRef<int64_t>>& bias_sizes,
                              ArrayRef<int64_t> stride, ArrayRef<int64_t> padding, ArrayRef<int64_t> dilation,
                              bool transposed, ArrayRef<int64_t> output_padding, int64_t groups,
                              ArrayRef<bool> output_mask, Tensor& grad_input, Tensor& grad_weight, Tensor& grad_bias) {
  const ScalarType dtype = input.scalar_type();
  ET_KERNEL_CHECK_MSG(ctx, grad_output.scalar_type() == dtype && weight.scalar_type() == dtype && is_floating(dtype),
                      InvalidArgument, , "%s: expected one floating dtype, got grad_output %s, input %s, weight %s",
                      kConvolutionBackward, scalar_type_name(grad_output.scalar_type()), scalar_type_name(dtype),
                      scalar_type_name(weight.scalar_type()));
  ET_KERNEL_CHECK_MSG(ctx, output_mask.size() == 3, InvalidArgument, , "%s: output_mask has %zu values",
                      kConvolutionBackward, output_mask.size());
  ConvShape s;
  if (!read_conv_shape(ctx, input, weight, stride, padding, dilation, transposed, output_padding, groups,
                       kConvolutionBackward, &s)) {
    return;
  }
  const Shape expected = s.out_shape();
  bool fits = grad_output.sizes().size() == expected.rank;
  for (size_t d = 0; fits && d < expected.rank; ++d) fits = grad_output.sizes()[d] == expected.sizes[d];
  ET_KERNEL_CHECK_MSG(ctx, fits, InvalidArgument, ,
                      "%s: grad_output does not have the shape of the convolution's result", kConvolutionBackward);
  ET_KERNEL_CHECK_MSG(
      ctx,
      !bias_sizes.has_value() || bias_sizes->empty() || (bias_sizes->size() == 1 && (*bias_sizes)[0] == s.out_channels),
      InvalidArgument, , "%s: bias_sizes is not [%lld]", kConvolutionBackward, static_cast<long long>(s.out_channels));
  for (const Tensor* t : {&grad_output, &input, &weight}) {
    ET_KERNEL_CHECK_MSG(ctx, t->numel() == 0 || t->const_data_ptr() != nullptr, InvalidArgument, ,
                        "%s: an argument has no memory", kConvolutionBackward);
  }
  const Tensor* outs[3] = {&grad_input, &grad_weight, &grad_bias};
  Shape bias_shape;
  bias_shape.push(s.out_channels);
  const Shape shapes[3] = {shape_of(input), shape_of(weight), bias_shape};
  for (size_t i = 0; i < 3; ++i) {
    if (!output_mask[i]) continue;
    ET_KERNEL_CHECK_MSG(ctx, outs[i]->scalar_type() == dtype, InvalidArgument, , "%s: out%zu is %s, the input %s",
                        kConvolutionBackward, i, scalar_type_name(outs[i]->scalar_type()), scalar_type_name(dtype));
    if (!resize_out(ctx, *outs[i], shapes[i].view(), kConvolutionBackward)) return;
    ET_KERNEL_CHECK_MSG(ctx, outs[i]->numel() == 0 || outs[i]->const_data_ptr() != nullptr, InvalidArgument, ,
                        "%s: out%zu has no memory", kConvolutionBackward, i);
  }
  ConvData d;
  d.dtype = dtype;
  conv_strides(grad_output, d.in_stride);
  conv_strides(weight, d.weight_stride);
  if (output_mask[0] && grad_input.numel() > 0) {
    if (grad_output.numel() == 0) {
      fill_zero(grad_input);
    } else {
      d.in = grad_output.const_data_ptr();
      d.weight = weight.const_data_ptr();
      d.out = grad_input.mutable_data_ptr();
      conv_strides(grad_input, d.out_stride);
      const ConvShape g = input_gradient_shape(s);
      const bool ok = wants_ordered_transposed(g, dtype) ? run_ordered_transposed(ctx, g, d, kConvolutionBackward)
                                                         : run_convolution(ctx, g, d, kConvolutionBackward);
      if (!ok) return;
    }
  }
  int64_t input_stride[5], out_stride[5];
  conv_strides(input, input_stride);
  if (output_mask[1] && grad_weight.numel() > 0) {
    conv_strides(grad_weight, out_stride);
    dispatch<kFloatsH>(dtype, [&]<class I>() {
      const I* grad = grad_output.const_data_ptr<I>();
      const I* in = input.const_data_ptr<I>();
      I* to = grad_weight.mutable_data_ptr<I>();
      if (s.transposed)
        weight_gradient(s, in, input_stride, grad, d.in_stride, to, out_stride);
      else
        weight_gradient(s, grad, d.in_stride, in, input_stride, to, out_stride);
    });
  }
  if (output_mask[2] && grad_bias.numel() > 0) {
    dispatch<kFloatsH>(dtype, [&]<class I>() {
      bias_gradient(s, grad_output.const_data_ptr<I>(), d.in_stride, grad_bias.mutable_data_ptr<I>());
    });
  }
}

}  // namespace

ET_KERNEL(convolution_backward_out)

}  // namespace et::ET_KERNELS
