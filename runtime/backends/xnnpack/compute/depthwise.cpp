// Depthwise convolutions: row by row of the output, its middle by the loop for 3 x 3 kernels where that fits (of floats
// for 1 x 1, too), everything else pixel by pixel. Where an input channel feeds several output channels, or bytes are
// fewer than the loops read at a time, the rows that an output row reads are repeated or widened first, once for all of
// its kernel elements; those that the next one reads as well are kept.
#include <algorithm>
#include <type_traits>

#include "runtime/backends/xnnpack/compute/conv_source.h"
#include "runtime/backends/xnnpack/compute/depthwise_narrow.h"
#include "runtime/backends/xnnpack/compute/depthwise_spread.h"
#include "runtime/backends/xnnpack/compute/matrix_loops.h"
#include "runtime/backends/xnnpack/compute/parallel_parts.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"
#include "runtime/platform/parallel.h"

namespace et::xnn {
namespace {

/// Rows of one image, `line` values apart, pixels `step`. Of more rows than `ring` the last ones are there, each at the
/// rest of its number.
template <class T>
struct Image {
  const T* rows = nullptr;
  int64_t ring = 0, line = 0, step = 0;
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

/// run_line(DepthwiseLine), or null, which may decline, run_row(DepthwiseRow), or null, and run_pixel(pixels, out) do
/// the work.
template <class T, class Line, class Row, class Pixel>
class Depthwise {
 public:
  Depthwise(const ConvShape& shape, T padding, const Line& run_line, const Row& run_row, const Pixel& run_pixel)
      : s_(shape),
        padding_(padding),
        run_line_(run_line),
        run_row_(run_row),
        run_pixel_(run_pixel),
        columns_(inside(shape)) {}

  /// Output row `y`, whose first pixel is `line`.
  void row(const Image<T>& in, int64_t y, T* line) const {
    if constexpr (std::is_same_v<T, float> && !std::is_null_pointer_v<Row>) {
      const bool whole = columns_.first == 0 && columns_.last == s_.out_w && source_row(s_, y, 0) >= 0;
      if (s_.kernel_size() == 1 && whole) return points(in, y, line);
    }
    const int64_t read = channels_read<T>(s_);
    T* const outside = thread_workspace<T>(WorkspaceSlot::Padding, read);
    std::fill(outside, outside + read, padding_);
    // The input's rows in front, those outside null; then the pixels of one output.
    auto** const rows = thread_workspace<const T*>(WorkspaceSlot::Pointers, s_.kernel_h + s_.kernel_size());
    for (int64_t ky = 0; ky < s_.kernel_h; ++ky) {
      const int64_t from = source_row(s_, y, ky);
      rows[ky] = from < 0 ? nullptr : in.rows + from % in.ring * in.line;
    }
    if constexpr (!std::is_null_pointer_v<Line>) {
      if (s_.dilation_w == 1 && whole_line(rows, in.step, line)) return;
    }
    const Source of{rows, rows + s_.kernel_h, outside, in.step};
    for (int64_t x = 0; x < columns_.first; ++x) border(of, x, line);
    if (columns_.last > columns_.first) middle(of, line);
    for (int64_t x = std::max(columns_.first, columns_.last); x < s_.out_w; ++x) border(of, x, line);
  }

 private:
  struct Source {
    const T* const* rows;
    const T** pixels;
    const T* outside;
    int64_t step;
  };
  /// A 1 x 1 kernel: to prepare anything, or a call for each pixel, would cost as much as the row.
  void points(const Image<T>& in, int64_t y, T* line) const {
    DepthwiseRow<T> row;
    row.rows[0] = in.rows + source_row(s_, y, 0) % in.ring * in.line;
    row.step[0] = in.step;
    row.count = s_.out_w;
    row.stride = s_.stride_w;
    row.out = line;
    row.out_pixel = s_.out_pixel();
    run_row_(row);
  }
  bool whole_line(const T* const* rows, int64_t step, T* to) const {
    DepthwiseLine line;
    line.rows = rows;
    line.kernel_h = s_.kernel_h;
    line.kernel_w = s_.kernel_w;
    line.in_w = s_.in_w;
    line.in_pixel = step;
    line.pad_left = s_.pad_left;
    line.stride = s_.stride_w;
    line.out_w = s_.out_w;
    line.out = to;
    line.out_pixel = s_.out_pixel();
    return run_line_(line);
  }
  void border(const Source& of, int64_t x, T* line) const {
    const T** to = of.pixels;
    const int64_t left = x * s_.stride_w - s_.pad_left;
    for (int64_t ky = 0; ky < s_.kernel_h; ++ky) {
      const T* const row = of.rows[ky];
      for (int64_t kx = 0, column = left; kx < s_.kernel_w; ++kx, column += s_.dilation_w) {
        const bool inside = row != nullptr && column >= 0 && column < s_.in_w;
        *to++ = inside ? row + column * of.step : of.outside;
      }
    }
    run_pixel_(of.pixels, line + x * s_.out_pixel());
  }
  /// The pixels of one output are those of the one before it, moved.
  void middle(const Source& of, T* line) const {
    if constexpr (!std::is_null_pointer_v<Row>) {
      if (s_.kernel_h == 3 && s_.kernel_w == 3) return middle_3x3(of, line);
    }
    auto* const steps = thread_workspace<int64_t>(WorkspaceSlot::Numbers, s_.kernel_size());
    const int64_t count = s_.kernel_size(), left = columns_.first * s_.stride_w - s_.pad_left;
    for (int64_t ky = 0, t = 0; ky < s_.kernel_h; ++ky) {
      for (int64_t kx = 0; kx < s_.kernel_w; ++kx, ++t) {
        const bool there = of.rows[ky] != nullptr;
        of.pixels[t] = there ? of.rows[ky] + (left + kx * s_.dilation_w) * of.step : of.outside;
        steps[t] = there ? s_.stride_w * of.step : 0;
      }
    }
    for (int64_t x = columns_.first; x < columns_.last; ++x) {
      run_pixel_(of.pixels, line + x * s_.out_pixel());
      if (x + 1 == columns_.last) break;
      for (int64_t t = 0; t < count; ++t) of.pixels[t] += steps[t];
    }
  }
  void middle_3x3(const Source& of, T* line) const {
    DepthwiseRow<T> row;
    for (int64_t r = 0; r < 3; ++r) {
      const bool there = of.rows[r] != nullptr;
      row.rows[r] = there ? of.rows[r] + (columns_.first * s_.stride_w - s_.pad_left) * of.step : of.outside;
      row.step[r] = there ? of.step : 0;
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
  const Line& run_line_;
  const Row& run_row_;
  const Pixel& run_pixel_;
  const Columns columns_;
};

/// Each channel of the pixels of a row that are read, `multiplier` times; zeros behind.
template <class T>
void repeat_channels(const ConvShape& s, const T* row, T* to) {
  const int64_t multiplier = s.out_channels / s.in_channels, read = channels_read<T>(s);
  const int64_t width = (s.kernel_w - 1) * s.dilation_w + 1;
  const auto pixels = [&](int64_t first, int64_t last) {
    const T* from = row + first * s.in_pixel();
    T* at = to + first * read;
    for (int64_t x = first; x < last; ++x, from += s.in_pixel()) {
      at = repeat_each(from, s.in_channels, multiplier, at);
      for (int64_t c = s.out_channels; c < read; ++c) *at++ = T(0);
    }
  };
  if (width >= s.stride_w) return pixels(0, s.in_w);
  for (int64_t x = 0; x < s.out_w; ++x) {
    const int64_t left = x * s.stride_w - s.pad_left;
    pixels(std::clamp<int64_t>(left, 0, s.in_w), std::clamp<int64_t>(left + width, 0, s.in_w));
  }
}

template <class T, class Line, class Row, class Pixel>
void depthwise(const ConvShape& s, const T* in, T padding, T* out, const Line& run_line, const Row& run_row,
               const Pixel& run_pixel) {
  const Depthwise<T, Line, Row, Pixel> work(s, padding, run_line, run_row, run_pixel);
  const bool repeats = s.out_channels != s.in_channels || channels_read<T>(s) > s.out_channels;
  const int64_t row_work = s.out_w * s.out_channels * s.kernel_size();
  const int64_t read = channels_read<T>(s), ring = std::min(s.in_h, (s.kernel_h - 1) * s.dilation_h + 1);
  const int64_t line = s.in_w * read + kRepeatedTogether;  // repeat_each() writes beyond what it has to
  const auto lines = [&](int64_t first, int64_t last) {
    T* const repeated = repeats ? thread_workspace<T>(WorkspaceSlot::Rows, ring * line) : nullptr;
    each_lines(s, first, last, s.out_h, [&](int64_t image, int64_t y0, int64_t y1) {
      const T* const rows = in + image * s.in_h * s.in_w * s.in_pixel();
      T* const to = out + image * s.out_h * s.out_w * s.out_pixel();
      int64_t there = 0;  // rows in front of it are repeated, or not needed any more
      for (int64_t y = y0; y < y1; ++y) {
        if (!repeats) {
          work.row({rows, s.in_h, s.in_w * s.in_pixel(), s.in_pixel()}, y, to + y * s.out_w * s.out_pixel());
          continue;
        }
        const int64_t top = y * s.stride_h - s.pad_top, end = top + (s.kernel_h - 1) * s.dilation_h + 1;
        for (there = std::max(there, top); there < std::min(end, s.in_h); ++there) {
          repeat_channels(s, rows + there * s.in_w * s.in_pixel(), repeated + there % ring * line);
        }
        work.row({repeated, ring, line, read}, y, to + y * s.out_w * s.out_pixel());
      }
    });
  };
  const int64_t rows = s.batch * s.out_h, grain = 65536 / (row_work + 1) + 1;
  // Each part repeats the rows that it begins with.
  repeats ? parallel_for(0, rows, grain, lines) : parallel_parts(rows, grain, lines);
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
    return depthwise<float>(s, in, 0.0f, out, nullptr, nullptr, pixel);
  }
  if (s.out_channels / s.in_channels >= kSpreadColumns) {
    return spread_depthwise<float>(s, in, 0.0f, 1, out,
                                   [&](const SpreadRow<float, float>& row) { table.spread_f32(w, row, clamp); });
  }
  const auto with = [&](const PackedDepthwiseF32& weights, const auto& run) {
    run([&](const DepthwiseRow<float>& row) { table.depthwise_row_f32(weights, row, clamp); },
        [&](const float* const* pixels, float* to) { table.depthwise_pixel_f32(weights, pixels, to, clamp); });
  };
  if (const PackedDepthwiseF32* wide = wide_of(w, s)) {
    return with(*wide, [&](const auto& row, const auto& pixel) { narrow<float>(s, in, 0.0f, out, row, pixel); });
  }
  const auto line = [&](const DepthwiseLine& of) { return table.depthwise_line_f32(w, of, clamp); };
  with(w, [&](const auto& row, const auto& pixel) { depthwise<float>(s, in, 0.0f, out, line, row, pixel); });
}

void depthwise_qs8(const PackedDepthwiseQs8& w, const ConvShape& s, const int8_t* in, int8_t* out,
                   const OutputQs8* bounded) {
  const MatrixLoops& table = matrix_loops();
  const OutputQs8& output = bounded != nullptr ? *bounded : w.output();
  const auto padding = static_cast<int8_t>(w.input_zero_point());
  if (w.row_taps() != 0) {
    return spread_depthwise<int8_t>(s, in, padding, w.row_taps(), out,
                                    [&](const SpreadRow<int32_t, int8_t>& row) { table.spread_qs8(w, row, output); });
  }
  const auto with = [&](const PackedDepthwiseQs8& weights, const auto& run) {
    run([&](const DepthwiseRow<int8_t>& row) { table.depthwise_row_qs8(weights, row, output); },
        [&](const int8_t* const* pixels, int8_t* to) { table.depthwise_pixel_qs8(weights, pixels, to, output); });
  };
  if (const PackedDepthwiseQs8* wide = wide_of(w, s)) {
    return with(*wide, [&](const auto& row, const auto& pixel) { narrow<int8_t>(s, in, padding, out, row, pixel); });
  }
  with(w, [&](const auto& row, const auto& pixel) { depthwise<int8_t>(s, in, padding, out, nullptr, row, pixel); });
}

}  // namespace et::xnn
