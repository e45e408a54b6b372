// Convolutions in float32. Where output pixels lie side by side, the rows of the GEMM are read in place: line by line,
// in runs along the kernel's rows, from a copy of the input's lines with their padding where there is one. Elsewhere
// they are gathered.
#include "runtime/backends/xnnpack/compute/conv_lines.h"
#include "runtime/backends/xnnpack/compute/deconv_f32.h"
#include "runtime/backends/xnnpack/compute/provided_f32.h"
#include "runtime/backends/xnnpack/compute/split_gemm.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"

namespace et::xnn {
namespace {

constexpr int64_t kGatheredFloats = 24 * 1024;  // rows that are gathered at a time
constexpr int64_t kLineFloats = 48 * 1024;      // lines of the input that stay in the second cache

/// Two groups a panel: their rows are gathered at once.
void conv_paired_f32(const PackedF32& w, const ConvShape& shape, const float* in, float* out, Clamp clamp) {
  const MatrixLoops& table = matrix_loops();
  ConvShape s = shape;
  s.groups = w.groups();
  const int64_t k = 2 * w.k();
  split_gemm(s.out_pixels(), 1, work_of(s.out_pixels(), s.out_channels, k / 2),
             [&](int64_t i0, int64_t i1, int64_t, int64_t) {
               BlockPairF32 block;
               block.n = w.n();
               block.depth = s.in_group() / 2;
               block.taps = s.kernel_size();
               block.out_stride = s.out_pixel();
               block.clamp = clamp;
               each_row_block(i0, i1, k, kGatheredFloats, [&](int64_t first, int64_t last) {
                 block.m = last - first;
                 float* rows = thread_workspace<float>(WorkspaceSlot::Rows, block.m * k);
                 block.a = rows;
                 for (int64_t group = 0; group < s.groups; ++group) {
                   table.gather_f32({&s, first, block.m, in + group * s.in_group(), 0.0f, rows, k});
                   block.panel = w.panels(group);
                   block.bias = w.bias(group);
                   block.out = out + first * s.out_pixel() + group * 2 * w.n();
                   table.pair_f32(block);
                 }
               });
             });
}

/// Lines in place, or from a copy with their padding.
class LinesF32 {
 public:
  LinesF32(const PackedF32& w, const ConvShape& s, const float* in, float* out, Clamp clamp)
      : w_(w), s_(s), lines_(s, false), in_(in), out_(out) {
    block_.k = w.k();
    block_.a_stride = s.stride_w * lines_.pixel;
    block_.out_stride = s.out_pixel();
    block_.clamp = clamp;
  }

  /// Output pixels [i0, i1) of all images, columns of the panels [p0, p1).
  void run(int64_t i0, int64_t i1, int64_t p0, int64_t p1) {
    const int64_t panels = w_.n() * w_.k() <= kFewWeights ? p1 - p0 : kPanels;
    lines_.each_block(i0, i1, kLineFloats, [&](int64_t image, int64_t y0, int64_t y1, int64_t x0, int64_t x1) {
      const float* rows = in_ + image * s_.in_h * s_.in_w * s_.in_pixel();
      int64_t first = 0, line = lines_.width * lines_.pixel, column = x0 * s_.stride_w;
      if (lines_.padded) {
        const ConvLines::Columns columns = lines_.columns(x0, x1);
        first = std::clamp<int64_t>(y0 * s_.stride_h - s_.pad_top, 0, s_.in_h);
        const int64_t end = (y1 - 1) * s_.stride_h - s_.pad_top + (s_.kernel_h - 1) * s_.dilation_h + 1;
        rows = padded_rows(rows, first, std::clamp<int64_t>(end, first, s_.in_h), columns);
        line = lines_.copied_line(columns);
        column -= lines_.copied_from(columns);
      }
      const int64_t pixels = x1 - x0;
      block_.lines = {pixels, s_.stride_h * line - pixels * block_.a_stride};
      for (int64_t group = 0; group < s_.groups; ++group) {
        for (int64_t p = p0; p < p1; p += panels) {
          const int64_t j = p * PackedF32::kPanel;
          block_.n = std::min(w_.n(), std::min(p1, p + panels) * PackedF32::kPanel) - j;
          block_.panels = w_.panels(group) + j * w_.k();
          block_.columns = w_.columns(group);
          block_.bias = w_.bias(group) + j;
          for (int64_t y = y0, end = y0; y < y1; y = end) {
            const int64_t top = y * s_.stride_h - s_.pad_top;
            choose_runs(top);
            end = y + same_runs(y, y1);
            const int64_t row = top + first_ky_ * s_.dilation_h - first;
            block_.m = (end - y) * pixels;
            block_.a = rows + row * line + column * lines_.pixel + group * lines_.depth;
            block_.out = out_ + ((image * s_.out_h + y) * s_.out_w + x0) * s_.out_pixel() + group * w_.n() + j;
            matrix_loops().f32(block_);
          }
        }
      }
    });
  }

 private:
  static constexpr int64_t kPanels = 2;  // at a time: what the loops take

  const float* padded_rows(const float* image, int64_t first, int64_t end, const ConvLines::Columns& c) {
    const int64_t pixel = lines_.pixel, line = lines_.copied_line(c), origin = lines_.copied_from(c);
    float* const rows = thread_workspace<float>(WorkspaceSlot::Rows, std::max<int64_t>(1, (end - first) * line));
    for (int64_t y = first; y < end; ++y) {
      float* const to = rows + (y - first) * line;
      const float* from = image + (y * s_.in_w + c.begin - s_.pad_left) * s_.in_pixel();
      std::fill(to + (c.left - origin) * pixel, to + (c.begin - origin) * pixel, 0.0f);
      std::fill(to + (c.end - origin) * pixel, to + (c.right - origin) * pixel, 0.0f);
      float* at = to + (c.begin - origin) * pixel;
      if (s_.in_pixel() == pixel) {
        std::copy(from, from + (c.end - c.begin) * pixel, at);
        continue;
      }
      for (int64_t x = c.begin; x < c.end; ++x, from += s_.in_pixel(), at += pixel) std::copy(from, from + pixel, at);
    }
    return rows;
  }

  /// How many output lines from y on, up to y1, are one block: those whose whole kernel lies inside.
  int64_t same_runs(int64_t y, int64_t y1) const {
    if (first_ky_ != 0 || end_ky_ != s_.kernel_h) return 1;
    const int64_t last = (s_.in_h - 1 - (s_.kernel_h - 1) * s_.dilation_h + s_.pad_top) / s_.stride_h;
    return std::min(y1, last + 1) - y;
  }
  /// The runs of an output line whose kernel begins at input line `top`: rows of the kernel beyond the image add
  /// nothing.
  void choose_runs(int64_t top) {
    const int64_t dilation = s_.dilation_h;
    const int64_t begin = top >= 0 ? 0 : std::min(s_.kernel_h, (-top + dilation - 1) / dilation);
    const int64_t end =
        top >= s_.in_h ? begin : std::clamp((s_.in_h - top + dilation - 1) / dilation, begin, s_.kernel_h);
    if (begin == first_ky_ && end == end_ky_) return;
    first_ky_ = begin;
    end_ky_ = end;
    block_.run_count = (end - begin) * lines_.runs_of_row;
    RunOfK* runs = thread_workspace<RunOfK>(WorkspaceSlot::Numbers, std::max<int64_t>(1, block_.run_count));
    lines_.runs(begin, end, runs);
    block_.runs = runs;
  }

  const PackedF32& w_;
  const ConvShape& s_;
  const ConvLines lines_;
  const float* in_;
  float* out_;
  int64_t first_ky_ = -1, end_ky_ = -1;
  BlockF32 block_;
};

/// Rows of the GEMM one by one, as a deconvolution or very short lines have them.
void conv_gathered_f32(const PackedF32& w, const ConvShape& s, const float* in, float* out, Clamp clamp, int64_t i0,
                       int64_t i1, int64_t p0, int64_t p1) {
  const int64_t j = p0 * PackedF32::kPanel;
  BlockF32 block;
  block.n = std::min(w.n(), p1 * PackedF32::kPanel) - j;
  block.k = block.a_stride = w.k();
  block.out_stride = s.out_pixel();
  block.clamp = clamp;
  each_row_block(i0, i1, w.k(), kGatheredFloats, [&](int64_t first, int64_t last) {
    block.m = last - first;
    float* rows = thread_workspace<float>(WorkspaceSlot::Rows, block.m * w.k());
    block.a = rows;
    for (int64_t group = 0; group < s.groups; ++group) {
      matrix_loops().gather_f32({&s, first, block.m, in + group * s.in_group(), 0.0f, rows, w.k()});
      block.panels = w.panels(group) + j * w.k();
      block.columns = w.columns(group);
      block.bias = w.bias(group) + j;
      block.out = out + first * s.out_pixel() + group * w.n() + j;
      matrix_loops().f32(block);
    }
  });
}

}  // namespace

void conv_f32(const PackedF32& w, const ConvShape& s, const float* in, float* out, Clamp clamp) {
  if (w.paired()) return conv_paired_f32(w, s, in, out, clamp);
  if (s.is_pointwise() && s.groups == 1) {
    return linear_f32(w, s.out_pixels(), in, s.in_pixel(), out, s.out_pixel(), clamp);
  }
  if (provided_conv_f32(w, s, in, out, clamp)) return;
  if (s.transposed && deconv_f32(w, s, in, out, clamp)) return;
  const bool in_place = ConvLines::pay(s, false);
  split_gemm(s.out_pixels(), w.panel_count(), work_of(s.out_pixels(), s.out_channels, w.k()),
             [&](int64_t i0, int64_t i1, int64_t p0, int64_t p1) {
               if (in_place)
                 LinesF32(w, s, in, out, clamp).run(i0, i1, p0, p1);
               else
                 conv_gathered_f32(w, s, in, out, clamp, i0, i1, p0, p1);
             });
}

}  // namespace et::xnn
