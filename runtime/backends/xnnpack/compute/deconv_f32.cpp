// Deconvolutions in float32. Output pixels `stride_w` apart meet the same kernel elements and read input pixels side by
// side: a row of the output is as many GEMMs as there are steps of a stride, over lines of the input read in place, or
// from a copy with zeros around it where the kernel reaches beyond the image.
#include "runtime/backends/xnnpack/compute/deconv_f32.h"

#include <algorithm>

#include "runtime/backends/xnnpack/compute/conv_source.h"
#include "runtime/backends/xnnpack/compute/matrix_loops.h"
#include "runtime/backends/xnnpack/compute/split_gemm.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"

namespace et::xnn {
namespace {

constexpr int64_t kCopiedFloats = 32 * 1024, kMostFloats = 256 * 1024;

class Deconvolution {
 public:
  Deconvolution(const PackedF32& w, const ConvShape& s, const float* in, float* out, Clamp clamp)
      : w_(w), s_(s), in_(in), out_(out) {
    block_.k = w.k();
    block_.clamp = clamp;
    block_.out_stride = s.stride_w * s.out_pixel();
    for (int64_t step = 0; step < std::min(s.stride_w, s.out_w); ++step) {
      const int64_t last = pixels_of(step) - 1;
      for (int64_t kx = 0; kx < s.kernel_w; ++kx) {
        int64_t column = 0;
        if (!first_column(step, kx, &column)) continue;
        left_ = std::max(left_, -column);
        right_ = std::max(right_, column + last + 1 - s.in_w);
      }
    }
    copied_ = left_ > 0 || right_ > 0;
    pixel_ = copied_ ? s.in_channels : s.in_pixel();
    line_ = (left_ + s.in_w + right_) * pixel_;
    block_.a_stride = pixel_;
  }

  /// Lines with what a wide kernel puts around them stay in the cache.
  bool lines_fit() const { return !copied_ || s_.kernel_h * line_ <= kMostFloats; }
  /// Lines [i0, i1) of all images, columns of the panels [p0, p1).
  void run(int64_t i0, int64_t i1, int64_t p0, int64_t p1) {
    RunOfK* const runs = thread_workspace<RunOfK>(WorkspaceSlot::Numbers, s_.kernel_size());
    const int64_t together = copied_ ? std::max<int64_t>(1, kCopiedFloats / line_ * s_.stride_h) : s_.out_h;
    each_lines(s_, i0, i1, together, [&](int64_t image, int64_t y0, int64_t y1) {
      const float* rows = in_ + image * s_.in_h * s_.in_w * s_.in_pixel();
      int64_t first = 0;
      if (copied_) {
        first = s_.in_h;
        int64_t end = 0;
        for (int64_t y = y0; y < y1; ++y) {
          for (int64_t ky = 0; ky < s_.kernel_h; ++ky) {
            const int64_t row = source_row(s_, y, ky);
            if (row < 0) continue;
            first = std::min(first, row);
            end = std::max(end, row + 1);
          }
        }
        rows = copy(rows, first, end);
      }
      for (int64_t y = y0; y < y1; ++y) {
        for (int64_t step = 0; step < std::min(s_.stride_w, s_.out_w); ++step) {
          block_.run_count = runs_of(y, step, first, runs);
          block_.runs = runs;
          multiply(rows, out_ + ((image * s_.out_h + y) * s_.out_w + step) * s_.out_pixel(), pixels_of(step), p0, p1);
        }
      }
    });
  }

 private:
  /// Output columns step, step + stride_w, …
  int64_t pixels_of(int64_t step) const { return (s_.out_w - step + s_.stride_w - 1) / s_.stride_w; }
  /// The input column, maybe outside, that the first of them meets at kernel element `kx`; the others read its
  /// neighbours. False: they do not meet that element.
  bool first_column(int64_t step, int64_t kx, int64_t* column) const {
    const int64_t at = step + s_.pad_left - kx * s_.dilation_w;
    *column = at / s_.stride_w;
    return at % s_.stride_w == 0;
  }
  int64_t runs_of(int64_t y, int64_t step, int64_t first, RunOfK* to) const {
    const int64_t depth = s_.in_group();
    RunOfK* const begin = to;
    for (int64_t ky = 0; ky < s_.kernel_h; ++ky) {
      const int64_t row = source_row(s_, y, ky);
      if (row < 0) continue;
      for (int64_t kx = 0; kx < s_.kernel_w; ++kx) {
        int64_t column = 0;
        if (!first_column(step, kx, &column)) continue;
        *to++ = {(row - first) * line_ + (left_ + column) * pixel_, (ky * s_.kernel_w + kx) * depth, depth};
      }
    }
    return to - begin;
  }
  const float* copy(const float* image, int64_t first, int64_t end) const {
    float* const rows = thread_workspace<float>(WorkspaceSlot::Rows, std::max<int64_t>(1, (end - first) * line_));
    for (int64_t y = first; y < end; ++y) {
      const float* from = image + y * s_.in_w * s_.in_pixel();
      float* to = std::fill_n(rows + (y - first) * line_, left_ * pixel_, 0.0f);
      for (int64_t x = 0; x < s_.in_w; ++x, from += s_.in_pixel()) to = std::copy_n(from, pixel_, to);
      std::fill_n(to, right_ * pixel_, 0.0f);
    }
    return rows;
  }
  void multiply(const float* rows, float* out, int64_t pixels, int64_t p0, int64_t p1) {
    const int64_t j = p0 * PackedF32::kPanel;
    block_.m = pixels;
    block_.n = std::min(w_.n(), p1 * PackedF32::kPanel) - j;
    for (int64_t group = 0; group < s_.groups; ++group) {
      block_.a = rows + group * s_.in_group();
      block_.panels = w_.panels(group) + j * w_.k();
      block_.bias = w_.bias(group) + j;
      block_.out = out + group * w_.n() + j;
      matrix_loops().f32(block_);
    }
  }

  const PackedF32& w_;
  const ConvShape& s_;
  const float* in_;
  float* out_;
  int64_t left_ = 0, right_ = 0, pixel_ = 0, line_ = 0;  // of a line that is read: zeros around it, values
  bool copied_ = false;
  BlockF32 block_;
};

}  // namespace

bool deconv_f32(const PackedF32& w, const ConvShape& s, const float* in, float* out, Clamp clamp) {
  if (!Deconvolution(w, s, in, out, clamp).lines_fit()) return false;
  split_gemm(
      s.batch * s.out_h, w.panel_count(), work_of(s.out_pixels(), s.out_channels, w.k()),
      [&](int64_t i0, int64_t i1, int64_t p0, int64_t p1) { Deconvolution(w, s, in, out, clamp).run(i0, i1, p0, p1); });
  return true;
}

}  // namespace et::xnn
