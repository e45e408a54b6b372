// Depthwise convolutions of few channels whose kernel moves by one column: pixels side by side are computed like
// channels of one pixel, so that no lane of a vector is idle. The weights are those of one pixel, repeated.
#pragma once

#include <algorithm>
#include <array>

#include "runtime/backends/xnnpack/compute/conv_source.h"
#include "runtime/backends/xnnpack/compute/matrix_loops.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {

/// repeat_each() writes up to so many elements at a time: fewer than that behind what it has to.
constexpr int64_t kRepeatedTogether = 16;
template <int64_t kTogether, class T>
[[gnu::always_inline]] inline T* repeat_by(const T* in, int64_t count, int64_t times, T* to) {
  for (int64_t i = 0; i < count; ++i, to += times) {
    for (int64_t done = 0; done < times; done += kTogether) {
      for (int64_t k = 0; k < kTogether; ++k) to[done + k] = in[i];
    }
  }
  return to;
}

/// Each of `count` elements `times` times. Returns where the next one goes.
template <class T>
[[gnu::always_inline]] inline T* repeat_each(const T* in, int64_t count, int64_t times, T* to) {
  if (times == 1) return std::copy_n(in, count, to);
  if (times <= 4) return repeat_by<2>(in, count, times, to);
  if (times <= 8) return repeat_by<8>(in, count, times, to);
  return repeat_by<kRepeatedTogether>(in, count, times, to);
}

/// run_row(DepthwiseRow) and run_pixel(pixels, out) as those of depthwise.cpp, for `side_by_side` pixels at once.
template <class T, class Row, class Pixel>
class NarrowDepthwise {
 public:
  NarrowDepthwise(const ConvShape& shape, int64_t side_by_side, T padding, const Row& run_row, const Pixel& run_pixel)
      : s_(shape),
        padding_(padding),
        run_row_(run_row),
        run_pixel_(run_pixel),
        side_by_side_(side_by_side),
        wide_(side_by_side * shape.out_channels),
        count_((shape.out_w + side_by_side - 1) / side_by_side),
        columns_(count_ * side_by_side + (shape.kernel_w - 1) * shape.dilation_w / shape.stride_w),
        row_(shape.stride_w * columns_ * shape.out_channels) {}

  void run(const T* in, T* out) const {
    const int64_t row_bytes = row_ * static_cast<int64_t>(sizeof(T));
    const int64_t block = std::max<int64_t>(1, kBlockBytes / (row_bytes * s_.stride_h + 1));
    const int64_t row_work = s_.out_w * s_.out_channels * s_.kernel_size();
    parallel_for(0, s_.batch * s_.out_h, 65536 / (row_work + 1) + 1, [&](int64_t first, int64_t last) {
      each_lines(s_, first, last, block, [&](int64_t image, int64_t y0, int64_t y1) {
        rows(in + image * s_.in_h * s_.in_w * s_.in_pixel(), y0, y1,
             out + image * s_.out_h * s_.out_w * s_.out_pixel());
      });
    });
  }

 private:
  static constexpr int64_t kBlockBytes = 128 * 1024;

  void rows(const T* in, int64_t y0, int64_t y1, T* out) const {
    const int64_t top = std::clamp<int64_t>(y0 * s_.stride_h - s_.pad_top, 0, s_.in_h);
    const int64_t end = (y1 - 1) * s_.stride_h - s_.pad_top + (s_.kernel_h - 1) * s_.dilation_h + 1;
    const int64_t bottom = std::clamp(end, top, s_.in_h);
    // The rows with their padding, behind them one that is nothing else.
    T* const copied = thread_workspace<T>(WorkspaceSlot::Rows, (bottom - top + 1) * row_ + kRepeatedTogether);
    for (int64_t y = top; y < bottom; ++y) copy_row(in + y * s_.in_w * s_.in_pixel(), copied + (y - top) * row_);
    T* const outside = copied + (bottom - top) * row_;
    std::fill(outside, outside + row_, padding_);
    const auto row_of = [&](int64_t y, int64_t ky) {
      const int64_t row = source_row(s_, y, ky);
      return row < 0 ? outside : copied + (row - top) * row_;
    };
    const bool dense = s_.out_pixel() == s_.out_channels;
    const bool in_place = dense && count_ * side_by_side_ == s_.out_w;
    T* const line = in_place ? nullptr : thread_workspace<T>(WorkspaceSlot::Panel, count_ * wide_);
    for (int64_t y = y0; y < y1; ++y) {
      T* const to = out + y * s_.out_w * s_.out_pixel();
      T* const computed = in_place ? to : line;
      if (s_.kernel_h == 3 && s_.kernel_w == 3 && s_.stride_w == 1)
        row_3x3({row_of(y, 0), row_of(y, 1), row_of(y, 2)}, computed);
      else
        any_row(row_of, y, computed);
      if (in_place) continue;
      if (dense) {
        std::copy_n(computed, s_.out_w * s_.out_channels, to);
        continue;
      }
      for (int64_t x = 0; x < s_.out_w; ++x) {
        std::copy_n(computed + x * s_.out_channels, s_.out_channels, to + x * s_.out_pixel());
      }
    }
  }
  /// A row of the input between its padding, each channel as often as outputs read it; columns `stride_w` apart
  /// together.
  void copy_row(const T* in, T* to) const {
    for (int64_t rest = 0; rest < s_.stride_w; ++rest, to += columns_ * s_.out_channels) {
      const int64_t left = std::clamp<int64_t>((s_.pad_left - rest + s_.stride_w - 1) / s_.stride_w, 0, columns_);
      const int64_t first = left * s_.stride_w + rest - s_.pad_left;
      const int64_t inside = first < s_.in_w ? (s_.in_w - first + s_.stride_w - 1) / s_.stride_w : 0;
      const int64_t pixels = std::min(inside, columns_ - left);
      T* const at = copy_pixels(in + first * s_.in_pixel(), pixels, std::fill_n(to, left * s_.out_channels, padding_));
      std::fill(at, to + columns_ * s_.out_channels, padding_);
    }
  }
  T* copy_pixels(const T* in, int64_t pixels, T* to) const {
    const int64_t multiplier = s_.out_channels / s_.in_channels, step = s_.stride_w * s_.in_pixel();
    if (multiplier == 1 && step == s_.in_channels) return std::copy_n(in, pixels * step, to);
    for (int64_t x = 0; x < pixels; ++x, in += step) to = repeat_each(in, s_.in_channels, multiplier, to);
    return to;
  }
  void row_3x3(std::array<const T*, 3> rows, T* out) const {
    DepthwiseRow<T> row;
    for (size_t r = 0; r < 3; ++r) {
      row.rows[r] = rows[r];
      row.step[r] = s_.out_channels;
    }
    row.count = count_;
    row.stride = side_by_side_;
    row.dilation = s_.dilation_w;
    row.out = out;
    row.out_pixel = wide_;
    run_row_(row);
  }
  template <class RowOf>
  void any_row(const RowOf& row_of, int64_t y, T* out) const {
    const int64_t taps = s_.kernel_size();
    auto** pixels = thread_workspace<const T*>(WorkspaceSlot::Pointers, taps);
    for (int64_t ky = 0, t = 0; ky < s_.kernel_h; ++ky) {
      const T* const row = row_of(y, ky);
      for (int64_t kx = 0; kx < s_.kernel_w; ++kx) {
        const int64_t column = kx * s_.dilation_w;
        pixels[t++] = row + (column % s_.stride_w * columns_ + column / s_.stride_w) * s_.out_channels;
      }
    }
    for (int64_t i = 0; i < count_; ++i, out += wide_) {
      run_pixel_(pixels, out);
      for (int64_t t = 0; t < taps; ++t) pixels[t] += wide_;
    }
  }

  const ConvShape& s_;
  const T padding_;
  const Row& run_row_;
  const Pixel& run_pixel_;
  const int64_t side_by_side_, wide_, count_, columns_, row_;
};

}  // namespace et::xnn
