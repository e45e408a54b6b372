// Depthwise convolutions whose input channels feed a panel of outputs each, or more: the rows of the input that an
// output row reads are copied with their padding (of bytes, as pairs of neighbouring kernel elements), once for all of
// its kernel elements, and the loops spread each value over its columns.
#pragma once

#include <algorithm>
#include <type_traits>

#include "runtime/backends/xnnpack/compute/conv_source.h"
#include "runtime/backends/xnnpack/compute/matrix_loops.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {

/// run_row(SpreadRow) does the work. `row_taps`: as of PackedDepthwiseQs8; of floats 1, each kernel element on its own.
template <class T, class RunRow>
class SpreadDepthwise {
 public:
  using Element = std::conditional_t<sizeof(T) == 1, int32_t, T>;

  SpreadDepthwise(const ConvShape& shape, T padding, int64_t row_taps, const RunRow& run_row)
      : s_(shape),
        padding_(padding),
        row_taps_(row_taps),
        run_row_(run_row),
        ring_(std::min(shape.in_h, (shape.kernel_h - 1) * shape.dilation_h + 1)),
        line_(((shape.out_w - 1) * shape.stride_w + (shape.kernel_w - 1) * shape.dilation_w + 1) * shape.in_channels) {}

  void run(const T* in, T* out) const {
    const int64_t row_work = s_.out_w * s_.out_channels * s_.kernel_size();
    parallel_for(0, s_.batch * s_.out_h, 65536 / (row_work + 1) + 1, [&](int64_t first, int64_t last) {
      // Behind the last rows one that is nothing but padding.
      Element* const copied = thread_workspace<Element>(WorkspaceSlot::Rows, (ring_ + 1) * line_);
      copy_row(nullptr, copied + ring_ * line_);
      each_lines(s_, first, last, s_.out_h, [&](int64_t image, int64_t y0, int64_t y1) {
        rows(in + image * s_.in_h * s_.in_w * s_.in_pixel(), y0, y1, copied,
             out + image * s_.out_h * s_.out_w * s_.out_pixel());
      });
    });
  }

 private:
  void rows(const T* in, int64_t y0, int64_t y1, Element* copied, T* out) const {
    const int64_t steps = (row_taps_ + 1) / 2, count = s_.kernel_size() / row_taps_ * steps;
    auto** const taps = thread_workspace<const Element*>(WorkspaceSlot::Pointers, count);
    SpreadRow<Element, T> row;
    row.taps = taps;
    row.tap_count = count;
    row.step = s_.stride_w * s_.in_channels;
    row.channels = s_.in_channels;
    row.multiplier = s_.out_channels / s_.in_channels;
    row.count = s_.out_w;
    row.out_pixel = s_.out_pixel();
    int64_t there = 0;  // rows in front of it are copied, or not needed any more
    for (int64_t y = y0; y < y1; ++y) {
      const int64_t top = y * s_.stride_h - s_.pad_top, end = top + (s_.kernel_h - 1) * s_.dilation_h + 1;
      for (there = std::max(there, top); there < std::min(end, s_.in_h); ++there) {
        copy_row(in + there * s_.in_w * s_.in_pixel(), copied + there % ring_ * line_);
      }
      const Element** to = taps;
      for (int64_t ky = 0; ky < s_.kernel_h; ++ky) {
        const int64_t from = source_row(s_, y, ky);
        const Element* const line = copied + (from < 0 ? ring_ : from % ring_) * line_;
        for (int64_t kx = 0; kx < s_.kernel_w; kx += row_taps_) {
          for (int64_t i = 0; i < steps; ++i) *to++ = line + (kx + 2 * i) * s_.dilation_w * s_.in_channels;
        }
      }
      row.out = out + y * s_.out_w * s_.out_pixel();
      run_row_(row);
    }
  }

  /// A row of the input, null: none, between its padding.
  void copy_row(const T* in, Element* to) const {
    if constexpr (sizeof(T) == 1) {
      const int64_t next = s_.dilation_w * s_.in_channels;  // where the pair of a kernel element is
      T* const bytes = thread_workspace<T>(WorkspaceSlot::Bytes, line_ + next);
      pad_row(in, bytes);
      std::fill_n(bytes + line_, next, padding_);
      matrix_loops().pair_bytes(line_, bytes, bytes + next, to);
    } else {
      pad_row(in, to);
    }
  }
  void pad_row(const T* in, T* to) const {
    T* const end = to + line_;
    if (in != nullptr) {
      const int64_t columns = line_ / s_.in_channels, left = std::min(s_.pad_left, columns);
      const int64_t pixels = std::min(s_.in_w, columns - left);
      to = std::fill_n(to, left * s_.in_channels, padding_);
      if (s_.in_pixel() == s_.in_channels) {
        to = std::copy_n(in, pixels * s_.in_channels, to);
      } else {
        for (int64_t x = 0; x < pixels; ++x, in += s_.in_pixel()) to = std::copy_n(in, s_.in_channels, to);
      }
    }
    std::fill(to, end, padding_);
  }

  const ConvShape& s_;
  const T padding_;
  const int64_t row_taps_;
  const RunRow& run_row_;
  const int64_t ring_, line_;
};

template <class T, class RunRow>
void spread_depthwise(const ConvShape& s, const T* in, T padding, int64_t row_taps, T* out, const RunRow& run_row) {
  SpreadDepthwise<T, RunRow>(s, padding, row_taps, run_row).run(in, out);
}

}  // namespace et::xnn
