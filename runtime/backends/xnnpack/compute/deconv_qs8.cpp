// Deconvolutions in int8, as those in float32: output pixels `stride_w` apart meet the same kernel elements, and are a
// GEMM over lines of the input, which are copied with their padding. The kernel elements that they do not meet are
// left out of the sums, so what the packed bias takes off for them is given back.
#include "runtime/backends/xnnpack/compute/deconv_qs8.h"

#include <algorithm>

#include "runtime/backends/xnnpack/compute/conv_lines.h"
#include "runtime/backends/xnnpack/compute/conv_source.h"
#include "runtime/backends/xnnpack/compute/matrix_loops.h"
#include "runtime/backends/xnnpack/compute/split_gemm.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"

namespace et::xnn {
namespace {

constexpr int64_t kPanel = PackedQs8::kPanel;

/// The input's place, maybe outside, that output `at` meets at kernel element `k`. False: none.
bool meets(int64_t at, int64_t k, int64_t stride, int64_t dilation, int64_t padding, int64_t* place) {
  const int64_t from = at + padding - k * dilation;
  *place = from / stride;
  return from % stride == 0;
}

/// T: what the loops read in place (line_value).
template <class T>
class DeconvolutionQs8 {
 public:
  DeconvolutionQs8(const PackedQs8& w, const ConvShape& s, const int8_t* in, int8_t* out, const OutputQs8& output)
      : w_(w), s_(s), in_(in), out_(out) {
    block_.pairs = w.pairs();
    block_.symmetric = w.symmetric();
    block_.output = output;
    block_.out_stride = s.stride_w * s.out_pixel();
    block_.a_bytes = s.in_channels * static_cast<int64_t>(sizeof(T));
    for (int64_t step = 0; step < std::min(s.stride_w, s.out_w); ++step) {
      for (int64_t kx = 0; kx < s.kernel_w; ++kx) {
        int64_t column = 0;
        if (!meets_column(step, kx, &column)) continue;
        left_ = std::max(left_, -column);
        right_ = std::max(right_, column + pixels_of(step) - s.in_w);
      }
    }
    line_ = (left_ + s.in_w + right_) * s.in_channels;
  }

  bool pays() const {
    constexpr int64_t kFewestPixels = 128, kMostValues = 256 * 1024;
    const int64_t lines = (s_.kernel_h - 1) * s_.dilation_h / s_.stride_h + 2;
    return s_.batch * s_.in_h * s_.in_w >= kFewestPixels && lines * line_ <= kMostValues;
  }

  int64_t bias_count() const { return s_.stride_h * s_.stride_w * columns(); }
  /// For each step of the strides those of all columns.
  void find_biases(int32_t* to) const {
    for (int64_t i = 0; i < s_.stride_h * s_.stride_w; ++i) {
      for (int64_t c = 0; c < columns(); ++c) to[i * columns() + c] = w_.bias(0)[c];
    }
    const int32_t zero = w_.input_zero_point() + matrix_loops().int8_added;
    for (int64_t tap = 0; zero != 0 && tap < s_.kernel_size(); ++tap) {
      for (int64_t column = 0; column < columns(); column += kPanel) {
        uint32_t sums[kPanel] = {};
        sum_of_tap(column, tap, sums);
        for (int64_t y = 0; y < s_.stride_h; ++y) {
          for (int64_t x = 0; x < s_.stride_w; ++x) {
            int64_t place = 0;
            if (meets_row(y, tap / s_.kernel_w, &place) && meets_column(x, tap % s_.kernel_w, &place)) continue;
            int32_t* const bias = to + (y * s_.stride_w + x) * columns() + column;
            for (int64_t c = 0; c < kPanel; ++c)
              bias[c] = static_cast<int32_t>(static_cast<uint32_t>(bias[c]) + static_cast<uint32_t>(zero) * sums[c]);
          }
        }
      }
    }
  }

  /// Lines [i0, i1) of all images, columns of the panels [p0, p1).
  void run(int64_t i0, int64_t i1, int64_t p0, int64_t p1, const int32_t* biases) {
    RunOfK* const runs = thread_workspace<RunOfK>(WorkspaceSlot::Numbers, s_.kernel_size());
    block_.runs = runs;
    const int64_t together = std::max<int64_t>(1, kInt8BlockValues / line_) * s_.stride_h;
    each_lines(s_, i0, i1, together, [&](int64_t image, int64_t y0, int64_t y1) {
      int64_t first = 0;
      const T* const rows = copied_rows(image, y0, y1, &first);
      for (int64_t y = y0; y < y1; ++y) {
        for (int64_t step = 0; step < std::min(s_.stride_w, s_.out_w); ++step) {
          block_.run_count = runs_of(y, step, first, runs);
          block_.m = pixels_of(step);
          multiply(rows, biases + (y % s_.stride_h * s_.stride_w + step) * columns(),
                   out_ + ((image * s_.out_h + y) * s_.out_w + step) * s_.out_pixel(), p0, p1);
        }
      }
    });
  }

 private:
  bool meets_row(int64_t y, int64_t ky, int64_t* row) const {
    return meets(y, ky, s_.stride_h, s_.dilation_h, s_.pad_top, row);
  }
  bool meets_column(int64_t x, int64_t kx, int64_t* column) const {
    return meets(x, kx, s_.stride_w, s_.dilation_w, s_.pad_left, column);
  }
  /// Of all groups, with what fills up their panels.
  int64_t columns() const { return s_.groups * w_.panel_count() * kPanel; }
  /// Output columns step, step + stride_w, …
  int64_t pixels_of(int64_t step) const { return (s_.out_w - step + s_.stride_w - 1) / s_.stride_w; }

  /// Of the weights of kernel element `tap` for the panel that begins at `column`.
  void sum_of_tap(int64_t column, int64_t tap, uint32_t (&sums)[kPanel]) const {
    const int64_t depth = s_.in_group();
    const int8_t* at = w_.panels(0) + column * 2 * w_.pairs() + tap * depth * kPanel;
    const int64_t steps = matrix_loops().int8_steps;
    for (int64_t d = 0; d < depth; d += steps) {
      for (int64_t c = 0; c < kPanel; ++c) {
        for (int64_t i = 0; i < steps; ++i) sums[c] += static_cast<uint32_t>(*at++);
      }
    }
  }
  int64_t runs_of(int64_t y, int64_t step, int64_t first, RunOfK* to) const {
    const int64_t depth = s_.in_group();
    RunOfK* const begin = to;
    for (int64_t ky = 0; ky < s_.kernel_h; ++ky) {
      int64_t row = 0, column = 0;
      if (!meets_row(y, ky, &row)) continue;
      for (int64_t kx = 0; kx < s_.kernel_w; ++kx) {
        if (!meets_column(step, kx, &column)) continue;
        *to++ = {(row - first) * line_ + (left_ + column) * s_.in_channels, (ky * s_.kernel_w + kx) * depth, depth};
      }
    }
    return to - begin;
  }
  /// All rows that the output rows [y0, y1) meet, from `first` on; what is outside counts as the zero point.
  const T* copied_rows(int64_t image, int64_t y0, int64_t y1, int64_t* first) const {
    int64_t begin = s_.in_h, end = -s_.in_h;
    for (int64_t y = y0; y < y1; ++y) {
      for (int64_t ky = 0; ky < s_.kernel_h; ++ky) {
        int64_t row = 0;
        if (!meets_row(y, ky, &row)) continue;
        begin = std::min(begin, row);
        end = std::max(end, row + 1);
      }
    }
    *first = begin;
    auto* const rows = thread_workspace<T>(WorkspaceSlot::Rows, std::max<int64_t>(1, (end - begin) * line_));
    const T padding = line_value<T>(static_cast<int8_t>(w_.input_zero_point()));
    for (int64_t y = begin; y < end; ++y) {
      T* to = rows + (y - begin) * line_;
      if (y < 0 || y >= s_.in_h) {
        std::fill_n(to, line_, padding);
        continue;
      }
      const int8_t* from = in_ + (image * s_.in_h + y) * s_.in_w * s_.in_pixel();
      to = std::fill_n(to, left_ * s_.in_channels, padding);
      const bool dense = s_.in_pixel() == s_.in_channels;
      const int64_t pieces = dense ? 1 : s_.in_w, length = dense ? s_.in_w * s_.in_channels : s_.in_channels;
      for (int64_t i = 0; i < pieces; ++i, from += s_.in_pixel(), to += length) copy_line_values(from, length, to);
      std::fill_n(to, right_ * s_.in_channels, padding);
    }
    return rows;
  }
  void multiply(const T* rows, const int32_t* biases, int8_t* out, int64_t p0, int64_t p1) {
    const int64_t j = p0 * kPanel;
    block_.n = std::min(w_.n(), p1 * kPanel) - j;
    for (int64_t group = 0; group < s_.groups; ++group) {
      block_.a = reinterpret_cast<const int16_t*>(rows + group * s_.in_group());
      block_.panels = w_.panels(group) + j * 2 * w_.pairs();
      block_.bias = biases + group * w_.panel_count() * kPanel + j;
      block_.scale = w_.scale(group) + j;
      block_.out = out + group * w_.n() + j;
      matrix_loops().qs8(block_);
    }
  }

  const PackedQs8& w_;
  const ConvShape& s_;
  const int8_t* in_;
  int8_t* out_;
  int64_t left_ = 0, right_ = 0, line_ = 0;  // of a copied line: pixels around it, values
  BlockQs8 block_;
};

template <class T>
bool run_deconv(const PackedQs8& w, const ConvShape& s, const int8_t* in, int8_t* out, const OutputQs8& output) {
  const DeconvolutionQs8<T> whole(w, s, in, out, output);
  if (!whole.pays()) return false;
  auto* const biases = thread_workspace<int32_t>(WorkspaceSlot::Panel, whole.bias_count());
  whole.find_biases(biases);
  split_gemm(s.batch * s.out_h, w.panel_count(), work_of(s.out_pixels(), s.out_channels, w.k()),
             [&](int64_t i0, int64_t i1, int64_t p0, int64_t p1) {
               DeconvolutionQs8<T>(w, s, in, out, output).run(i0, i1, p0, p1, biases);
             });
  return true;
}

}  // namespace

bool deconv_qs8(const PackedQs8& w, const ConvShape& s, const int8_t* in, int8_t* out, const OutputQs8& output) {
  // Steps along k side by side, which begin where a kernel element does.
  const MatrixLoops& table = matrix_loops();
  if (table.line_bytes == 0 || w.run() > 0 || s.in_group() % table.int8_steps != 0) return false;
  return table.line_bytes == 1 ? run_deconv<uint8_t>(w, s, in, out, output)
                               : run_deconv<int16_t>(w, s, in, out, output);
}

}  // namespace et::xnn
