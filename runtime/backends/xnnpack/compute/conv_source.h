// Where an output pixel of a convolution reads its input.
#pragma once

#include "runtime/backends/xnnpack/compute/types.h"

namespace et::xnn {

/// The input's coordinate for an output's coordinate and kernel element `k` along one axis, or -1.
inline int64_t conv_source(int64_t out, int64_t k, int64_t in_size, int64_t stride, int64_t dilation, int64_t padding,
                           bool transposed) {
  int64_t at = 0;
  if (transposed) {
    at = out + padding - k * dilation;
    if (at < 0 || at % stride != 0) return -1;
    at /= stride;
  } else {
    at = out * stride - padding + k * dilation;
    if (at < 0) return -1;
  }
  return at < in_size ? at : -1;
}
inline int64_t source_row(const ConvShape& s, int64_t y, int64_t k) {
  return conv_source(y, k, s.in_h, s.stride_h, s.dilation_h, s.pad_top, s.transposed);
}
inline int64_t source_column(const ConvShape& s, int64_t x, int64_t k) {
  return conv_source(x, k, s.in_w, s.stride_w, s.dilation_w, s.pad_left, s.transposed);
}

}  // namespace et::xnn
