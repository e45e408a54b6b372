// Depthwise convolutions: row by row of the output, its middle by the loop for 3 x 3 kernels where that fits,
// everything else pixel by pixel.
#include <algorithm>

#include "runtime/backends/xnnpack/compute/conv_source.h"
#include "runtime/backends/xnnpack/compute/matrix_loops.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {
namespace {

/// run_row(DepthwiseRow) and run_pixel(pixels, out) do the work; `padding` is the value of pixels outside.
template <class T, class Row, class Pixel>
void depthwise(const ConvShape& s, const T* in, T padding, T* out, const Row& run_row, const Pixel& run_pixel) {
  const int64_t channels = s.out_channels, multiplier = channels / s.in_channels;
  const int64_t kernel_size = s.kernel_size(), step = s.in_pixel();
  const bool middle = s.kernel_h == 3 && s.kernel_w == 3 && !s.transposed && multiplier == 1;
  // Output columns whose whole kernel lies inside.
  int64_t x0 = s.out_w, x1 = s.out_w;
  if (middle) {
    x0 = std::min(s.out_w, (s.pad_left + s.stride_w - 1) / s.stride_w);
    const int64_t slack = s.in_w - 1 - 2 * s.dilation_w + s.pad_left;
    x1 = slack < 0 ? x0 : std::clamp(slack / s.stride_w + 1, x0, s.out_w);
  }
  const int64_t work = s.out_w * channels * kernel_size;
  parallel_for(0, s.batch * s.out_h, 65536 / (work + 1) + 1, [&](int64_t first, int64_t last) {
    T* outside = thread_workspace<T>(WorkspaceSlot::Padding, channels);
    std::fill(outside, outside + channels, padding);
    auto** pointers = thread_workspace<const T*>(WorkspaceSlot::Pointers, kernel_size);
    T* repeated = multiplier == 1 ? nullptr : thread_workspace<T>(WorkspaceSlot::Rows, kernel_size * channels);
    for (int64_t i = first; i < last; ++i) {
      const int64_t image = i / s.out_h, y = i % s.out_h;
      const T* base = in + image * s.in_h * s.in_w * step;
      T* line = out + i * s.out_w * s.out_pixel();
      const auto pixel = [&](int64_t x) {
        for (int64_t t = 0; t < kernel_size; ++t) {
          const int64_t row = source_row(s, y, t / s.kernel_w), column = source_column(s, x, t % s.kernel_w);
          if (row < 0 || column < 0) {
            pointers[t] = outside;
            continue;
          }
          const T* from = base + (row * s.in_w + column) * step;
          pointers[t] = from;
          if (multiplier == 1) continue;
          T* to = repeated + t * channels;
          for (int64_t c = 0; c < channels; ++c) to[c] = from[c / multiplier];
          pointers[t] = to;
        }
        run_pixel(pointers, line + x * s.out_pixel());
      };
      for (int64_t x = 0; x < x0; ++x) pixel(x);
      if (x1 > x0) {
        DepthwiseRow<T> row;
        for (int64_t r = 0; r < 3; ++r) {
          const int64_t from = source_row(s, y, r);
          row.rows[r] = from < 0 ? outside : base + (from * s.in_w + x0 * s.stride_w - s.pad_left) * step;
          row.step[r] = from < 0 ? 0 : step;
        }
        row.count = x1 - x0;
        row.stride = s.stride_w;
        row.dilation = s.dilation_w;
        row.out = line + x0 * s.out_pixel();
        row.out_pixel = s.out_pixel();
        run_row(row);
      }
      for (int64_t x = std::max(x0, x1); x < s.out_w; ++x) pixel(x);
    }
  });
}

}  // namespace

void depthwise_f32(const PackedDepthwiseF32& w, const ConvShape& s, const float* in, float* out, Clamp clamp) {
  const MatrixLoops& table = matrix_loops();
  depthwise<float>(
      s, in, 0.0f, out, [&](const DepthwiseRow<float>& row) { table.depthwise_row_f32(w, row, clamp); },
      [&](const float* const* pixels, float* to) { table.depthwise_pixel_f32(w, pixels, to, clamp); });
}

void depthwise_qs8(const PackedDepthwiseQs8& w, const ConvShape& s, const int8_t* in, int8_t* out,
                   const OutputQs8* bounded) {
  const MatrixLoops& table = matrix_loops();
  const OutputQs8& output = bounded != nullptr ? *bounded : w.output();
  depthwise<int8_t>(
      s, in, static_cast<int8_t>(w.input_zero_point()), out,
      [&](const DepthwiseRow<int8_t>& row) { table.depthwise_row_qs8(w, row, output); },
      [&](const int8_t* const* pixels, int8_t* to) { table.depthwise_pixel_qs8(w, pixels, to, output); });
}

}  // namespace et::xnn
