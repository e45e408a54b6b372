// What a convolution's arguments say, checked: sizes, strides and steps of up to three spatial dimensions. Shared by
// convolution and its gradients.
#pragma once

#include "runtime/kernels/common/kernel.h"

namespace et::ET_KERNELS {

/// Spatial dimensions are depth, height, width; missing ones (in front) have size 1.
struct ConvShape {
  size_t spatial = 0;  // 1, 2 or 3
  bool transposed = false;
  int64_t batch = 0, in_channels = 0, out_channels = 0, groups = 1;
  int64_t in_size[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, out_size[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, padding[3] = {0, 0, 0}, dilation[3] = {1, 1, 1}, output_padding[3] = {0, 0, 0};

  int64_t kernel_size() const { return kernel[0] * kernel[1] * kernel[2]; }
  int64_t positions() const { return out_size[0] * out_size[1] * out_size[2]; }
  Shape out_shape() const {
    Shape s;
    s.push(batch);
    s.push(out_channels);
    for (size_t d = 3 - spatial; d < 3; ++d) s.push(out_size[d]);
    return s;
  }
};

/// Fails the context with a message that names the argument, and returns false, unless everything fits together.
bool read_conv_shape(KernelRuntimeContext& context, const Tensor& input, const Tensor& weight, ArrayRef<int64_t> stride,
                     ArrayRef<int64_t> padding, ArrayRef<int64_t> dilation, bool transposed,
                     ArrayRef<int64_t> output_padding, int64_t groups, const char* name, ConvShape* out);

/// Strides of a tensor of rank spatial + 2 as batch, channel, depth, height, width.
void conv_strides(const Tensor& t, int64_t strides[5]);

}  // namespace et::ET_KERNELS
