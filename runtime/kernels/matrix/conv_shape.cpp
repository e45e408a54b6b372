#include "runtime/kernels/matrix/conv_shape.h"

namespace et::ET_KERNELS {
namespace {

// Larger steps never make sense, and what is multiplied with them stays within 64 bits.
constexpr int64_t kMaxStep = INT32_MAX;

bool read_list(KernelRuntimeContext& context, ArrayRef<int64_t> list, size_t spatial, int64_t min_value,
               const char* argument, const char* name, int64_t* out) {
  ET_KERNEL_CHECK_MSG(context, list.size() == spatial || list.size() == 1, InvalidArgument, false,
                      "%s: %s has %zu numbers for %zu spatial dimensions", name, argument, list.size(), spatial);
  for (size_t d = 0; d < spatial; ++d) {
    const int64_t value = list[list.size() == 1 ? 0 : d];
    ET_KERNEL_CHECK_MSG(context, value >= min_value && value <= kMaxStep, InvalidArgument, false, "%s: %s is %lld",
                        name, argument, static_cast<long long>(value));
    out[3 - spatial + d] = value;
  }
  return true;
}

}  // namespace

bool read_conv_shape(KernelRuntimeContext& context, const Tensor& input, const Tensor& weight, ArrayRef<int64_t> stride,
                     ArrayRef<int64_t> padding, ArrayRef<int64_t> dilation, bool transposed,
                     ArrayRef<int64_t> output_padding, int64_t groups, const char* name, ConvShape* out) {
  ET_KERNEL_CHECK_MSG(context, weight.dim() >= 3 && weight.dim() <= 5 && input.dim() == weight.dim(), InvalidArgument,
                      false, "%s: expected input and weight of rank 3, 4 or 5, got %zd and %zd", name, input.dim(),
                      weight.dim());
  ConvShape s;
  s.spatial = static_cast<size_t>(weight.dim() - 2);
  s.transposed = transposed;
  if (!read_list(context, stride, s.spatial, 1, "stride", name, s.stride) ||
      !read_list(context, padding, s.spatial, 0, "padding", name, s.padding) ||
      !read_list(context, dilation, s.spatial, 1, "dilation", name, s.dilation)) {
    return false;
  }
  if (transposed && !read_list(context, output_padding, s.spatial, 0, "output_padding", name, s.output_padding)) {
    return false;
  }
  ET_KERNEL_CHECK_MSG(context, groups >= 1 && groups <= kMaxStep, InvalidArgument, false, "%s: groups is %lld", name,
                      static_cast<long long>(groups));
  s.groups = groups;
  s.batch = input.size(0);
  s.in_channels = input.size(1);
  const int64_t w0 = weight.size(0), w1 = weight.size(1);
  if (transposed) {
    ET_KERNEL_CHECK_MSG(context, w0 == s.in_channels && w0 % groups == 0, InvalidArgument, false,
                        "%s: weight has %lld input channels in %lld groups, input has %lld", name,
                        static_cast<long long>(w0), static_cast<long long>(groups),
                        static_cast<long long>(s.in_channels));
    s.out_channels = w1 * groups;
  } else {
    ET_KERNEL_CHECK_MSG(context, w0 >= groups && w0 % groups == 0, InvalidArgument, false,
                        "%s: weight has %lld output channels, not a multiple of %lld groups", name,
                        static_cast<long long>(w0), static_cast<long long>(groups));
    ET_KERNEL_CHECK_MSG(context, w1 * groups == s.in_channels, InvalidArgument, false,
                        "%s: weight takes %lld channels in each of %lld groups, input has %lld", name,
                        static_cast<long long>(w1), static_cast<long long>(groups),
                        static_cast<long long>(s.in_channels));
    s.out_channels = w0;
  }
  for (size_t d = 3 - s.spatial; d < 3; ++d) {
    const ssize_t dim = static_cast<ssize_t>(d + s.spatial) - 1;
    s.in_size[d] = input.size(dim);
    s.kernel[d] = weight.size(dim);
    ET_KERNEL_CHECK_MSG(context, s.kernel[d] >= 1, InvalidArgument, false, "%s: weight has a spatial size of 0", name);
    const int64_t reach = s.dilation[d] * (s.kernel[d] - 1) + 1;
    if (transposed) {
      ET_KERNEL_CHECK_MSG(context, s.output_padding[d] < s.stride[d] || s.output_padding[d] < s.dilation[d],
                          InvalidArgument, false, "%s: output_padding %lld needs a larger stride or dilation", name,
                          static_cast<long long>(s.output_padding[d]));
      s.out_size[d] = (s.in_size[d] - 1) * s.stride[d] - 2 * s.padding[d] + reach + s.output_padding[d];
    } else {
      const int64_t range = s.in_size[d] + 2 * s.padding[d] - reach;
      s.out_size[d] = range < 0 ? 0 : range / s.stride[d] + 1;
    }
    // Where nothing is computed, any size will do.
    const bool empty = s.batch == 0 || s.in_channels == 0;
    ET_KERNEL_CHECK_MSG(context, (s.out_size[d] >= 1 || (empty && s.out_size[d] == 0)) && s.out_size[d] <= INT32_MAX,
                        InvalidArgument, false, "%s: the result would have size %lld in spatial dimension %zu", name,
                        static_cast<long long>(s.out_size[d]), d + s.spatial - 3);
    ET_KERNEL_CHECK_MSG(context, s.in_size[d] >= 1 || empty, InvalidArgument, false,
                        "%s: input has a spatial size of 0", name);
  }
  *out = s;
  return true;
}

void conv_strides(const Tensor& t, int64_t strides[5]) {
  const size_t spatial = static_cast<size_t>(t.dim() - 2);
  for (int i = 0; i < 5; ++i) strides[i] = 0;
  strides[0] = t.strides()[0];
  strides[1] = t.strides()[1];
  for (size_t d = 0; d < spatial; ++d) strides[5 - spatial + d] = t.strides()[2 + d];
}

}  // namespace et::ET_KERNELS
