// How the rows of a convolution's GEMM lie in lines of its input: output pixels side by side read values side by side,
// in runs along the kernel's rows. Where there is padding, or the loops want other values, the lines are copied first.
#pragma once

#include <algorithm>

#include "runtime/backends/xnnpack/compute/matrix_loops.h"

namespace et::xnn {

/// As the loops read lines of int8 in place: unsigned bytes with 128 added, or int16.
template <class T>
T line_value(int8_t x) {
  if constexpr (sizeof(T) == 1) return static_cast<uint8_t>(static_cast<uint8_t>(x) ^ 0x80u);
  return static_cast<T>(x);
}
template <class T>
void copy_line_values(const int8_t* from, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = line_value<T>(from[i]);
}

struct ConvLines {
  /// Of a shorter line, rows of several lines are gathered.
  static constexpr int64_t kFewPixels = 4;

  /// Whether that pays: a copy of lines of which steps skip the most takes longer than gathering what is read.
  static bool pay(const ConvShape& s, bool copied) {
    if (s.transposed || s.out_w < kFewPixels) return false;
    return !ConvLines(s, copied).padded || s.kernel_size() * s.out_h * s.out_w > s.in_h * s.in_w;
  }

  /// `copied`: in any case.
  ConvLines(const ConvShape& shape, bool copied) : s(shape), depth(shape.in_group()) {
    const int64_t needed = (s.out_w - 1) * s.stride_w + (s.kernel_w - 1) * s.dilation_w + 1;
    padded = copied || s.pad_left > 0 || needed > s.in_w;
    width = padded ? needed : s.in_w;
    pixel = padded ? s.in_channels : s.in_pixel();
    joined = s.dilation_w == 1 && pixel == depth;
    runs_of_row = joined ? 1 : s.kernel_w;
  }

  /// Each kernel element is a run of its own.
  void take_apart() {
    joined = false;
    runs_of_row = s.kernel_w;
  }

  /// f(image, first line, line behind the last, first column, column behind the last) for the output pixels [i0, i1) of
  /// all images, in pieces whose input has at most `values` values where that is possible.
  template <class F>
  void each_block(int64_t i0, int64_t i1, int64_t values, const F& f) const {
    const int64_t most = std::clamp<int64_t>(values / std::max<int64_t>(1, width * pixel * s.stride_h), 1, s.out_h);
    const int64_t piece = std::max<int64_t>(kFewPixels, values / std::max<int64_t>(1, s.stride_w * pixel));
    while (i0 < i1) {
      const int64_t line = i0 / s.out_w, x0 = i0 % s.out_w, image = line / s.out_h, y0 = line % s.out_h;
      int64_t count = (i1 - i0) / s.out_w, x1 = s.out_w;  // whole lines
      if (x0 != 0 || count == 0 || x1 > piece) {
        count = 1;
        x1 = std::min(s.out_w, x0 + std::min(i1 - i0, piece));
      }
      count = std::min({count, most, s.out_h - y0});
      f(image, y0, y0 + count, x0, x1);
      i0 += count * (x1 - x0);
    }
  }

  /// The runs of rows [begin, end) of the kernel, from the first of them on; `to` has room for as many as there are.
  void runs(int64_t begin, int64_t end, RunOfK* to) const {
    for (int64_t ky = begin; ky < end; ++ky) {
      const int64_t row = (ky - begin) * s.dilation_h * width * pixel, k = ky * s.kernel_w * depth;
      if (joined) {
        *to++ = {row, k, s.kernel_w * depth};
        continue;
      }
      for (int64_t kx = 0; kx < s.kernel_w; ++kx) *to++ = {row + kx * s.dilation_w * pixel, k + kx * depth, depth};
    }
  }

  /// Columns of a copied line that the output columns [x0, x1) read: [left, right), of them [begin, end) from the
  /// image.
  struct Columns {
    int64_t left, begin, end, right;
  };
  Columns columns(int64_t x0, int64_t x1) const {
    const int64_t left = x0 * s.stride_w, right = (x1 - 1) * s.stride_w + (s.kernel_w - 1) * s.dilation_w + 1;
    const int64_t begin = std::clamp(s.pad_left, left, right);
    return {left, begin, std::clamp(s.pad_left + s.in_w, begin, right), right};
  }

  /// Values from one copied line to the next, and the column at which one begins: of a kernel of one row only the
  /// columns that are read are copied, as such lines may be very long.
  int64_t copied_line(const Columns& c) const { return (s.kernel_h == 1 ? c.right - c.left : width) * pixel; }
  int64_t copied_from(const Columns& c) const { return s.kernel_h == 1 ? c.left : 0; }

  const ConvShape& s;
  const int64_t depth;
  bool padded = false, joined = false;
  int64_t width = 0, pixel = 0;  // of the lines that are read: pixels, values
  int64_t runs_of_row = 0;
};

}  // namespace et::xnn
