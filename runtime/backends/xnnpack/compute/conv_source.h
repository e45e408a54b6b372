// Where an output pixel of a convolution reads its input.
#pragma once

#include <algorithm>

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

/// f(image, first line, line behind the last) for the output lines [i0, i1) of all images, at most `together` at once.
template <class F>
void each_lines(const ConvShape& s, int64_t i0, int64_t i1, int64_t together, const F& f) {
  while (i0 < i1) {
    const int64_t image = i0 / s.out_h, y0 = i0 % s.out_h, y1 = std::min({s.out_h, y0 + i1 - i0, y0 + together});
    f(image, y0, y1);
    i0 += y1 - y0;
  }
}

}  // namespace et::xnn
