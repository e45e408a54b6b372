// GEMMs and convolutions of static int8: rows widened to int16 or gathered, blocks over threads.
#include <cmath>

#include "runtime/backends/xnnpack/compute/conv_lines.h"
#include "runtime/backends/xnnpack/compute/deconv_qs8.h"
#include "runtime/backends/xnnpack/compute/split_gemm.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"

namespace et::xnn {

OutputQs8 output_qs8(Quantised quant, Clamp clamp) {
  const auto bound = [&](float real, int8_t unbounded) {
    if (std::isinf(real)) return real < 0 ? int8_t{-128} : int8_t{127};
    if (std::isnan(real)) return unbounded;
    float q = std::nearbyint(real / quant.scale) + static_cast<float>(quant.zero_point);
    q = q < -128.0f ? -128.0f : q;
    return static_cast<int8_t>(q > 127.0f ? 127.0f : q);
  };
  return {quant, bound(clamp.min, -128), bound(clamp.max, 127)};
}

void linear_qs8(const PackedQs8& w, int64_t m, const int8_t* a, int64_t a_stride, int8_t* out, int64_t out_stride,
                const OutputQs8* bounded) {
  ConvShape shape;
  shape.in_w = shape.out_w = m;
  shape.in_channels = w.k();
  shape.out_channels = w.n();
  shape.in_stride = a_stride;
  shape.out_stride = out_stride;
  conv_qs8(w, shape, a, out, bounded);
}

namespace {

/// Lines copied with their padding, in the values that the loops read in place.
template <class T>
class LinesQs8 {
 public:
  LinesQs8(const PackedQs8& w, const ConvShape& s, const int8_t* in, int8_t* out, const OutputQs8& output)
      : w_(w), s_(s), lines_(s, true), in_(in), out_(out) {
    block_.pairs = w.pairs();
    block_.a_bytes = s.stride_w * lines_.pixel * kBytes;
    block_.symmetric = w.symmetric();
    block_.output = output;
    block_.out_stride = s.out_pixel();
    if (w.run() > 0 && w.run() != s.kernel_w * lines_.depth) lines_.take_apart();
  }

  void run(int64_t i0, int64_t i1, int64_t p0, int64_t p1) {
    block_.run_count = s_.kernel_h * lines_.runs_of_row;
    RunOfK* const runs = thread_workspace<RunOfK>(WorkspaceSlot::Numbers, block_.run_count);
    lines_.runs(0, s_.kernel_h, runs);
    if (w_.run() > 0) {
      const int64_t padded = w_.k() / block_.run_count;
      for (int64_t i = 0; i < block_.run_count; ++i) runs[i].k = i * padded;
    }
    block_.runs = runs;
    lines_.each_block(i0, i1, kInt8BlockValues, [&](int64_t image, int64_t y0, int64_t y1, int64_t x0, int64_t x1) {
      const ConvLines::Columns columns = lines_.columns(x0, x1);
      const T* rows = copied_rows(image, y0, y1, columns);
      const int64_t line = lines_.copied_line(columns), column = x0 * s_.stride_w - lines_.copied_from(columns);
      const int64_t pixels = x1 - x0;
      block_.m = (y1 - y0) * pixels;
      block_.lines = {pixels, s_.stride_h * line * kBytes - pixels * block_.a_bytes};
      block_.wide = nullptr;
      if (kBytes == 2 && block_.m >= kWidePays)
        block_.wide = thread_workspace<int16_t>(WorkspaceSlot::Panel, 2 * w_.pairs() * PackedQs8::kPanel);
      for (int64_t group = 0; group < s_.groups; ++group) {
        for (int64_t p = p0; p < p1; p += kPanels) {
          const int64_t j = p * PackedQs8::kPanel;
          block_.n = std::min(w_.n(), std::min(p1, p + kPanels) * PackedQs8::kPanel) - j;
          block_.panels = w_.panels(group) + j * 2 * w_.pairs();
          block_.bias = w_.bias(group) + j;
          block_.scale = w_.scale(group) + j;
          block_.a = reinterpret_cast<const int16_t*>(rows + column * lines_.pixel + group * lines_.depth);
          block_.out = out_ + ((image * s_.out_h + y0) * s_.out_w + x0) * s_.out_pixel() + group * w_.n() + j;
          matrix_loops().qs8(block_);
        }
      }
    });
  }

 private:
  static constexpr int64_t kPanels = 2, kBytes = sizeof(T);

  const T* copied_rows(int64_t image, int64_t y0, int64_t y1, const ConvLines::Columns& c) {
    constexpr int64_t kReadBehind = 4;
    const int64_t pixel = lines_.pixel, line = lines_.copied_line(c), origin = lines_.copied_from(c);
    const int64_t top = y0 * s_.stride_h - s_.pad_top,
                  count = (y1 - 1 - y0) * s_.stride_h + (s_.kernel_h - 1) * s_.dilation_h + 1;
    auto* const rows = thread_workspace<T>(WorkspaceSlot::Rows, count * line + kReadBehind);
    const T padding = line_value<T>(static_cast<int8_t>(w_.input_zero_point()));
    for (int64_t y = 0; y < count; ++y) {
      T* const to = rows + y * line;
      if (top + y < 0 || top + y >= s_.in_h) {
        std::fill(to + (c.left - origin) * pixel, to + (c.right - origin) * pixel, padding);
        continue;
      }
      std::fill(to + (c.left - origin) * pixel, to + (c.begin - origin) * pixel, padding);
      std::fill(to + (c.end - origin) * pixel, to + (c.right - origin) * pixel, padding);
      const int8_t* from = in_ + ((image * s_.in_h + top + y) * s_.in_w + c.begin - s_.pad_left) * s_.in_pixel();
      const bool dense = s_.in_pixel() == pixel;
      const int64_t runs = dense ? 1 : c.end - c.begin, length = dense ? (c.end - c.begin) * pixel : pixel;
      for (int64_t r = 0; r < runs; ++r, from += s_.in_pixel()) {
        copy_line_values(from, length, to + (c.begin - origin + r) * pixel);
      }
    }
    return rows;
  }

  const PackedQs8& w_;
  const ConvShape& s_;
  ConvLines lines_;
  const int8_t* in_;
  int8_t* out_;
  BlockQs8 block_;
};

/// Whether lines are read in place: runs are multiples of the steps, but for the last one, behind which the weights
/// are 0.
bool takes_lines(const PackedQs8& w, const ConvShape& s) {
  if (w.run() > 0) return true;  // packed for nothing else
  const ConvLines lines(s, true);
  const int64_t run = lines.joined ? s.kernel_w * lines.depth : lines.depth;
  return matrix_loops().line_bytes > 0 && !s.is_pointwise() && ConvLines::pay(s, true) &&
         (run % matrix_loops().int8_steps == 0 || (s.kernel_h == 1 && lines.runs_of_row == 1));
}

}  // namespace

void conv_qs8(const PackedQs8& w, const ConvShape& shape, const int8_t* in, int8_t* out, const OutputQs8* bounded) {
  const MatrixLoops& table = matrix_loops();
  ConvShape s = shape;
  s.groups = w.groups();
  const int64_t k = w.k(), width = 2 * w.pairs();
  const OutputQs8& output = bounded != nullptr ? *bounded : w.output();
  if (s.transposed && deconv_qs8(w, s, in, out, output)) return;
  if (takes_lines(w, s)) {
    split_gemm(s.out_pixels(), w.panel_count(), work_of(s.out_pixels(), s.out_channels, k),
               [&](int64_t i0, int64_t i1, int64_t p0, int64_t p1) {
                 if (table.line_bytes == 1)
                   LinesQs8<uint8_t>(w, s, in, out, output).run(i0, i1, p0, p1);
                 else
                   LinesQs8<int16_t>(w, s, in, out, output).run(i0, i1, p0, p1);
               });
    return;
  }
  const bool dense = s.is_pointwise();
  split_gemm(s.out_pixels(), w.panel_count(), work_of(s.out_pixels(), s.out_channels, k),
             [&](int64_t i0, int64_t i1, int64_t p0, int64_t p1) {
               const int64_t j = p0 * PackedQs8::kPanel;
               BlockQs8 block;
               block.n = std::min(w.n(), p1 * PackedQs8::kPanel) - j;
               block.pairs = w.pairs();
               block.symmetric = w.symmetric();
               block.a_stride = width;
               block.output = output;
               block.out_stride = s.out_pixel();
               each_row_block(i0, i1, width, kInt8BlockValues, [&](int64_t first, int64_t last) {
                 const int64_t count = last - first;
                 auto* rows = thread_workspace<int16_t>(WorkspaceSlot::Rows, count * width);
                 if (count >= kWidePays)
                   block.wide = thread_workspace<int16_t>(WorkspaceSlot::Panel, width * PackedQs8::kPanel);
                 block.m = count;
                 block.a = rows;
                 for (int64_t group = 0; group < s.groups; ++group) {
                   const int8_t* from = in + group * s.in_group();
                   if (dense && readable_in_place(table, k, s.in_pixel())) {
                     block.a = reinterpret_cast<const int16_t*>(from + first * s.in_pixel());
                     block.a_stride = s.in_pixel() / 2;
                   } else if (dense) {
                     table.widen_rows(count, k, from + first * s.in_pixel(), s.in_pixel(), rows, width);
                   } else {
                     table.gather_i8({&s, first, count, from, static_cast<int8_t>(w.input_zero_point()), rows, width});
                   }
                   block.panels = w.panels(group) + j * width;
                   block.bias = w.bias(group) + j;
                   block.scale = w.scale(group) + j;
                   block.out = out + first * s.out_pixel() + group * w.n() + j;
                   table.qs8(block);
                 }
               });
             });
}

}  // namespace et::xnn
