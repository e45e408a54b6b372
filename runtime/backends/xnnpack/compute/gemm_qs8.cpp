// GEMMs and convolutions of static int8: rows widened to int16 or gathered, blocks over threads.
#include <cmath>

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

void conv_qs8(const PackedQs8& w, const ConvShape& shape, const int8_t* in, int8_t* out, const OutputQs8* bounded) {
  const MatrixLoops& table = matrix_loops();
  ConvShape s = shape;
  s.groups = w.groups();
  const int64_t k = w.k(), width = 2 * w.pairs();
  const bool dense = s.is_pointwise();
  split_gemm(s.out_pixels(), w.panel_count(), work_of(s.out_pixels(), s.out_channels, k),
             [&](int64_t i0, int64_t i1, int64_t p0, int64_t p1) {
               const int64_t j = p0 * PackedQs8::kPanel;
               BlockQs8 block;
               block.n = std::min(w.n(), p1 * PackedQs8::kPanel) - j;
               block.pairs = w.pairs();
               block.a_stride = width;
               block.output = bounded != nullptr ? *bounded : w.output();
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
                   if (dense) {
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
