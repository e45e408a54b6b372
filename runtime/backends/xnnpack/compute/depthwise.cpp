// Depthwise convolutions: row by row of the output, its middle by the loop for 3 x 3 kernels where that fits,
// everything else pixel by pixel. Where an input channel feeds several output channels, or bytes are fewer than the
// loops read at a time, the rows that a block of the output reads are repeated or widened first, once for all of its
// kernel elements.
#include <algorithm>
#include <type_traits>

#include "runtime/backends/xnnpack/compute/conv_source.h"
#include "runtime/backends/xnnpack/compute/depthwise_narrow.h"
#include "runtime/backends/xnnpack/compute/matrix_loops.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {
namespace {

constexpr int64_t kRepeatedBytes = 256 * 1024;  // repeated rows of a block that stay in the second cache

/// Rows of one image from `first_row` on, pixels `step` apart.
template <class T>
struct Image {
  const T* rows = nullptr;
  int64_t first_row = 0, step = 0;
};

/// Output columns whose whole kernel lies inside.
struct Columns {
  int64_t first = 0, last = 0;
};
Columns inside(const ConvShape& s) {
  const int64_t first = std::min(s.out_w, (s.pad_left + s.stride_w - 1) / s.stride_w);
  const int64_t slack = s.in_w - 1 - (s.kernel_w - 1) * s.dilation_w + s.pad_left;
  return {first, slack < 0 ? first : std::clamp(slack / s.stride_w + 1, first, s.out_w)};
}

/// Channels of a pixel that the loops read, whatever is in those that do not count.
template <class T>
int64_t channels_read(const ConvShape& s) {
  return sizeof(T) == 1 ? std::max(s.out_channels, kBytesRead) : s.out_channels;
}

/// run_row(DepthwiseRow), or null, and run_pixel(pixels, out) do the work.
template <class T, class Row, class Pixel>
class Depthwise {
 public:
  Depthwise(const ConvShape& shape, T padding, const Row& run_row, const Pixel& run_pixel)
      : s_(shape), padding_(padding), run_row_(run_row), run_pixel_(run_pixel), columns_(inside(shape)) {}

  /// Rows [y0, y1) of the output whose first pixel is `out`.
  void rows(const Image<T>& in, int64_t y0, int64_t y1, T* out) const {
    const int64_t read = channels_read<T>(s_);
    T* outside = thread_workspace<T>(WorkspaceSlot::Padding, read);
    std::fill(outside, outside + read, padding_);
    auto** pixels = thread_workspace<const T*>(WorkspaceSlot::Pointers, s_.kernel_size());
    auto* steps = thread_workspace<int64_t>(WorkspaceSlot::Numbers, s_.kernel_size());
    for (int64_t y = y0; y < y1; ++y) {
      T* line = out + y * s_.out_w * s_.out_pixel();
      for (int64_t x = 0; x < columns_.first; ++x) border(in, outside, y, x, pixels, line);
      if (columns_.last > columns_.first) middle(in, outside, y, pixels, steps, line);
      for (int64_t x = std::max(columns_.first, columns_.last); x < s_.out_w; ++x) {
        border(in, outside, y, x, pixels, line);
      }
    }
  }

 private:
  const T* pixel(const Image<T>& in, int64_t row, int64_t column) const {
    return in.rows + ((row - in.first_row) * s_.in_w + column) * in.step;
  }
  void border(const Image<T>& in, const T* outside, int64_t y, int64_t x, const T** pixels, T* line) const {
    for (int64_t ky = 0; ky < s_.kernel_h; ++ky) {
      const int64_t row = source_row(s_, y, ky);
      for (int64_t kx = 0; kx < s_.kernel_w; ++kx) {
        const int64_t column = row < 0 ? -1 : source_column(s_, x, kx);
        pixels[ky * s_.kernel_w + kx] = column < 0 ? outside : pixel(in, row, column);
      }
    }
    run_pixel_(pixels, line + x * s_.out_pixel());
  }
  /// The pixels of one output are those of the one before it, moved.
  void middle(const Image<T>& in, const T* outside, int64_t y, const T** pixels, int64_t* steps, T* line) const {
    if constexpr (!std::is_null_pointer_v<Row>) {
      if (s_.kernel_h == 3 && s_.kernel_w == 3) return middle_3x3(in, outside, y, line);
    }
    const int64_t count = s_.kernel_size(), left = columns_.first * s_.stride_w - s_.pad_left;
    for (int64_t t = 0; t < count; ++t) {
      const int64_t row = source_row(s_, y, t / s_.kernel_w);
      pixels[t] = row < 0 ? outside : pixel(in, row, left + t % s_.kernel_w * s_.dilation_w);
      steps[t] = row < 0 ? 0 : s_.stride_w * in.step;
    }
    for (int64_t x = columns_.first; x < columns_.last; ++x) {
      run_pixel_(pixels, line + x * s_.out_pixel());
      if (x + 1 == columns_.last) break;
      for (int64_t t = 0; t < count; ++t) pixels[t] += steps[t];
    }
  }
  void middle_3x3(const Image<T>& in, const T* outside, int64_t y, T* line) const {
    DepthwiseRow<T> row;
    for (int64_t r = 0; r < 3; ++r) {
      const int64_t from = source_row(s_, y, r);
      row.rows[r] = from < 0 ? outside : pixel(in, from, columns_.first * s_.stride_w - s_.pad_left);
      row.step[r] = from < 0 ? 0 : in.step;
    }
    row.count = columns_.last - columns_.first;
    row.stride = s_.stride_w;
    row.dilation = s_.dilation_w;
    row.out = line + columns_.first * s_.out_pixel();
    row.out_pixel = s_.out_pixel();
    run_row_(row);
  }

  const ConvShape& s_;
  const T padding_;
  const Row& run_row_;
  const Pixel& run_pixel_;
  const Columns columns_;
};

/// Each channel of the pixels of rows [first, last), `multiplier` times; zeros behind.
template <class T>
Image<T> repeat_channels(const ConvShape& s, const T* image, int64_t first, int64_t last) {
  const int64_t multiplier = s.out_channels / s.in_channels, count = (last - first) * s.in_w;
  const int64_t read = channels_read<T>(s);
  T* rows = thread_workspace<T>(WorkspaceSlot::Rows, std::max<int64_t>(count, 1) * read + kRepeatedTogether);
  const T* from = image + first * s.in_w * s.in_pixel();
  T* to = rows;
  for (int64_t i = 0; i < count; ++i, from += s.in_pixel()) {
    to = repeat_each(from, s.in_channels, multiplier, to);
    for (int64_t c = s.out_channels; c < read; ++c) *to++ = T(0);
  }
  return {rows, first, read};
}

template <class T, class Row, class Pixel>
void depthwise(const ConvShape& s, const T* in, T padding, T* out, const Row& run_row, const Pixel& run_pixel) {
  const Depthwise<T, Row, Pixel> work(s, padding, run_row, run_pixel);
  const bool repeats = s.out_channels != s.in_channels || channels_read<T>(s) > s.out_channels;
  const int64_t row_bytes = s.in_w * channels_read<T>(s) * static_cast<int64_t>(sizeof(T));
  const int64_t block = repeats ? std::max<int64_t>(1, kRepeatedBytes / (row_bytes * s.stride_h + 1)) : s.out_h;
  const int64_t row_work = s.out_w * s.out_channels * s.kernel_size();
  parallel_for(0, s.batch * s.out_h, 65536 / (row_work + 1) + 1, [&](int64_t first, int64_t last) {
    each_lines(s, first, last, block, [&](int64_t image, int64_t y0, int64_t y1) {
      Image<T> from{in + image * s.in_h * s.in_w * s.in_pixel(), 0, s.in_pixel()};
      if (repeats) {
        const int64_t top = std::clamp<int64_t>(y0 * s.stride_h - s.pad_top, 0, s.in_h);
        const int64_t end = (y1 - 1) * s.stride_h - s.pad_top + (s.kernel_h - 1) * s.dilation_h + 1;
        from = repeat_channels(s, from.rows, top, std::clamp(end, top, s.in_h));
      }
      work.rows(from, y0, y1, out + image * s.out_h * s.out_w * s.out_pixel());
    });
  });
}

template <class T, class Row, class Pixel>
void narrow(const ConvShape& s, const T* in, T padding, T* out, const Row& run_row, const Pixel& run_pixel) {
  NarrowDepthwise<T, Row, Pixel>(s, pixels_side_by_side(s.out_channels), padding, run_row, run_pixel).run(in, out);
}
/// The weights for pixels side by side where they fill a row of the output; null: pixel by pixel.
template <class Packed>
const Packed* wide_of(const Packed& weights, const ConvShape& s) {
  const Packed* wide = weights.wide();
  // The copy has columns and rows that larger steps never read.
  if (wide == nullptr || !wide->valid() || s.stride_w > 2) return nullptr;
  return s.out_w * 2 >= pixels_side_by_side(s.out_channels) ? wide : nullptr;
}

}  // namespace

bool suits_groups(const ConvShape& s) {
  const int64_t group = s.in_group(), lanes = matrix_loops().float_lanes;
  return (group == 4 || group == 8) && group == s.out_group() && !s.transposed && lanes % group == 0 &&
         s.out_channels % lanes == 0;
}

void depthwise_f32(const PackedDepthwiseF32& w, const ConvShape& s, const float* in, float* out, Clamp clamp) {
  const MatrixLoops& table = matrix_loops();
  if (s.in_group() > 1) {
    const auto pixel = [&](const float* const* pixels, float* to) {
      table.grouped_pixel_f32(w, s.in_group(), pixels, to, clamp);
    };
    return depthwise<float>(s, in, 0.0f, out, nullptr, pixel);
  }
  const auto with = [&](const PackedDepthwiseF32& weights, const auto& run) {
    run([&](const DepthwiseRow<float>& row) { table.depthwise_row_f32(weights, row, clamp); },
        [&](const float* const* pixels, float* to) { table.depthwise_pixel_f32(weights, pixels, to, clamp); });
  };
  if (const PackedDepthwiseF32* wide = wide_of(w, s)) {
    return with(*wide, [&](const auto& row, const auto& pixel) { narrow<float>(s, in, 0.0f, out, row, pixel); });
  }
  with(w, [&](const auto& row, const auto& pixel) { depthwise<float>(s, in, 0.0f, out, row, pixel); });
}

void depthwise_qs8(const PackedDepthwiseQs8& w, const ConvShape& s, const int8_t* in, int8_t* out,
                   const OutputQs8* bounded) {
  const MatrixLoops& table = matrix_loops();
  const OutputQs8& output = bounded != nullptr ? *bounded : w.output();
  const auto padding = static_cast<int8_t>(w.input_zero_point());
  const auto with = [&](const PackedDepthwiseQs8& weights, const auto& run) {
    run([&](const DepthwiseRow<int8_t>& row) { table.depthwise_row_qs8(weights, row, output); },
        [&](const int8_t* const* pixels, int8_t* to) { table.depthwise_pixel_qs8(weights, pixels, to, output); });
  };
  if (const PackedDepthwiseQs8* wide = wide_of(w, s)) {
    return with(*wide, [&](const auto& row, const auto& pixel) { narrow<int8_t>(s, in, padding, out, row, pixel); });
  }
  with(w, [&](const auto& row, const auto& pixel) { depthwise<int8_t>(s, in, padding, out, row, pixel); });
}

}  // namespace et::xnn
