// The inner loops of GEMMs, convolutions, pooling and transposes on one thread: blocks of rows times panels of
// packed weights. Compiled per variant as loops.h; packed layouts are those of the classes in matrix_*.h.
#pragma once

#include <cstdint>
#include <numeric>

#include "runtime/backends/xnnpack/compute/matrix_f32.h"
#include "runtime/backends/xnnpack/compute/matrix_qd8.h"
#include "runtime/backends/xnnpack/compute/matrix_qs8.h"

namespace et::xnn {

/// Largest number of rows of a tile; blocks of multiples of it waste nothing.
inline constexpr int64_t kTileRows = 6;

/// Weights of a GEMM that stay in the second cache: rows go through all of them, so that results are written side by
/// side.
inline constexpr int64_t kFewWeights = 24 * 1024;

/// Steps along k whose values of A lie side by side: `length` of them from a + `a` on, which meet step `k` of a panel
/// and those behind it.
struct RunOfK {
  int64_t a = 0, k = 0, length = 0;
};

/// Rows of A in lines of `count` rows (0: one line); `gap` more values lie between two lines than between two rows.
struct LinesOfA {
  int64_t count = 0, gap = 0;
};
/// Where the rows from `i` on are, `stride` apart within a line.
template <int Rows, class T>
[[gnu::always_inline]] inline void place_rows(const T* a, int64_t stride, LinesOfA lines, int64_t i,
                                              const T* (&rows)[Rows]) {
  const T* at = a + i * stride;
  if (lines.count == 0) {
    for (int r = 0; r < Rows; ++r, at += stride) rows[r] = at;
    return;
  }
  const auto index = static_cast<uint32_t>(i), count = static_cast<uint32_t>(lines.count);
  at += index / count * lines.gap;
  uint32_t x = index % count;
  for (int r = 0; r < Rows; ++r) {
    rows[r] = at;
    at += stride;
    if (++x == count) {
      x = 0;
      at += lines.gap;
    }
  }
}

/// m rows of A times the panels that n columns need. n counts from the first panel.
struct BlockF32 {
  int64_t m = 0, n = 0, k = 0;
  const float* a = nullptr;
  int64_t a_stride = 0;
  LinesOfA lines;
  /// Where a row of A is not in one piece; what no run names counts as 0. None: rows of k values.
  const RunOfK* runs = nullptr;
  int64_t run_count = 0;
  const float* panels = nullptr;
  /// Where there are few: PackedF32::columns(), instead of the panels.
  const float* columns = nullptr;
  const float* bias = nullptr;  // kPanel a panel; null: zeros
  float* out = nullptr;
  int64_t out_stride = 0;
  Clamp clamp;
};

/// m rows of A times the panel of two groups of n ≤ kPanel / 2 columns each, which begin at its halves. A row has for
/// each kernel element `depth` values of the first group and as many of the second.
struct BlockPairF32 {
  int64_t m = 0, n = 0, taps = 0, depth = 0;
  const float* a = nullptr;  // rows of 2 · taps · depth
  const float* panel = nullptr;
  const float* bias = nullptr;
  float* out = nullptr;  // 2 · n columns
  int64_t out_stride = 0;
  Clamp clamp;
};

/// A holds int16 pairs along k: rows of 2 · pairs values, zero behind k. Loops that read bytes (gather_i8, widen_rows)
/// have them at the front of such a row. A column of the panels has `int8_steps` of MatrixLoops side by side.
struct BlockQs8 {
  int64_t m = 0, n = 0, pairs = 0;
  const int16_t* a = nullptr;
  int64_t a_stride = 0;
  /// Rows may overlap, `a_bytes` apart (0: as a_stride says), and have their values in runs of multiples of
  /// int8_steps, as BlockF32 has them: of values of `line_bytes` of MatrixLoops.
  int64_t a_bytes = 0;
  LinesOfA lines;  // of bytes
  const RunOfK* runs = nullptr;
  int64_t run_count = 0;
  const int8_t* panels = nullptr;
  const int32_t* bias = nullptr;
  const float* scale = nullptr;
  OutputQs8 output;
  int8_t* out = nullptr;
  int64_t out_stride = 0;
  /// No weight is -128.
  bool symmetric = false;
  /// Workspace for a panel as int16, which pays when there are many rows, or null.
  int16_t* wide = nullptr;
};
struct BlockQd8 {
  int64_t m = 0, n = 0, pairs = 0;
  const int16_t* a = nullptr;
  int64_t a_stride = 0;
  const RowQuant* quant = nullptr;
  const int8_t* panels = nullptr;
  const int32_t* sums = nullptr;
  const float* scale = nullptr;
  const float* bias = nullptr;
  float* out = nullptr;
  int64_t out_stride = 0;
  Clamp clamp;
  bool symmetric = false;
  int16_t* wide = nullptr;
};
/// Four-bit weights. Rows of A have chunks · 32 bytes, zeros behind k.
struct BlockQ4 {
  int64_t m = 0, n = 0, chunks = 0;
  /// Chunks that share a scale; 0: one scale a column.
  int64_t block_chunks = 0, blocks = 1;
  const int8_t* a = nullptr;
  int64_t a_stride = 0;
  /// 8 · sum of the values of a row, for each chunk: [m][chunks].
  const int32_t* eights = nullptr;
  const RowQuant* quant = nullptr;
  const uint8_t* panels = nullptr;
  const int32_t* int_sums = nullptr;
  const float* sums = nullptr;
  const float* scale = nullptr;           // one a column, or
  const uint16_t* block_scale = nullptr;  // [panel][blocks][kPanel] of bfloat16
  const float* bias = nullptr;
  float* out = nullptr;
  int64_t out_stride = 0;
  Clamp clamp;
  /// Workspace for a panel as bytes (chunks · 32 · kPanel), or null.
  uint8_t* wide = nullptr;
};

/// Output pixels [first, first + count) as rows of kernel size · depth values. `in` stands at the group's first
/// channel.
template <class From, class To>
struct Gather {
  const ConvShape* shape = nullptr;
  int64_t first = 0, count = 0;
  const From* in = nullptr;
  From padding{};
  To* out = nullptr;
  int64_t out_stride = 0;
};

/// Pixels of a depthwise int8 convolution have at least so many readable channels.
inline constexpr int64_t kBytesRead = 8;

/// One row of output pixels [x0, x1) of a depthwise convolution with a 3 x 3 kernel, all of it inside along the width.
/// Row r of the input is read at rows[r] + pixel · step[r]; a step of 0 repeats one pixel (padding). Of floats with a
/// kernel of one element, too: it has row 0 only.
template <class T>
struct DepthwiseRow {
  const T* rows[3] = {};
  int64_t step[3] = {};
  int64_t count = 0, stride = 1, dilation = 1;
  T* out = nullptr;
  int64_t out_pixel = 0;
};

/// A row of output pixels of a depthwise convolution of floats, its padding included; dilation 1.
struct DepthwiseLine {
  const float* const* rows = nullptr;  // of the input, for each row of the kernel; null: padding
  int64_t kernel_h = 0, kernel_w = 0, in_w = 0, in_pixel = 0;
  int64_t pad_left = 0, stride = 1, out_w = 0;
  float* out = nullptr;
  int64_t out_pixel = 0;
};

/// Columns that an input channel of a depthwise convolution feeds at least where its values are spread over them.
inline constexpr int64_t kSpreadColumns = 16;
/// Output pixels side by side of such a convolution. Kernel element t of pixel x reads channel c at taps[t] + x · step
/// + c; of bytes a value is a pair of kernel elements as int16.
template <class From, class To>
struct SpreadRow {
  const From* const* taps = nullptr;
  int64_t tap_count = 0, step = 0, channels = 0, multiplier = 0, count = 0;
  To* out = nullptr;
  int64_t out_pixel = 0;
};

/// How many pixels of a depthwise convolution fill vectors of 16 lanes; 1: its channels do already, or nearly.
inline int64_t pixels_side_by_side(int64_t channels) {
  constexpr int64_t kLanes = 16;
  return channels > 0 && channels < kLanes && channels % 8 != 0 ? kLanes / std::gcd(channels, kLanes) : 1;
}

/// One output pixel of a pooling: the `count` input pixels of its window; then `repeat` - 1 more behind it, each window
/// `step` values further.
template <class T>
struct PoolWindow {
  int64_t count = 0;
  const T* const* pixels = nullptr;
  int64_t channels = 0;
  T* out = nullptr;
  int64_t repeat = 1, step = 0;
};

/// `count` tiles of 4x4 pixels side by side, two pixels apart (winograd_f32.h). Pixel (y, x) of the first is at rows[y]
/// + x · pixel; number g of tile i goes to out + g · out_step + i · channels. At least 16 channels.
struct WinogradTiles {
  const float* rows[4] = {};
  int64_t pixel = 0, channels = 0, count = 0;
  float* out = nullptr;
  int64_t out_step = 0;
};
/// Back to 2x2 output pixels a tile: sum g of tile i is at sums + g · step + i · channels; those of the first go to
/// `upper` and `lower` and `pixel` values behind.
struct WinogradSums {
  const float* sums = nullptr;
  int64_t step = 0, channels = 0, count = 0;
  const float* bias = nullptr;
  float* upper = nullptr;
  float* lower = nullptr;
  int64_t pixel = 0;
};

struct MatrixLoops {
  void (*f32)(const BlockF32& block);
  void (*pair_f32)(const BlockPairF32& block);
  void (*qs8)(const BlockQs8& block);
  void (*qd8)(const BlockQd8& block);
  void (*q4)(const BlockQ4& block);
  void (*gather_f32)(const Gather<float, float>& params);
  void (*gather_i8)(const Gather<int8_t, int16_t>& params);
  /// int8 rows as int16, `n` each, with zeros up to out_stride.
  void (*widen_rows)(int64_t m, int64_t n, const int8_t* in, int64_t in_stride, int16_t* out, int64_t out_stride);
  /// int8 rows with zeros up to `chunks` · 32, and `eights` of BlockQ4.
  void (*chunk_rows)(int64_t m, int64_t n, int64_t chunks, const int8_t* in, int64_t in_stride, int8_t* out,
                     int32_t* eights);
  /// `width` columns of a matrix into one panel: rows of k are `stride` apart, or, `transposed`, columns lie one after
  /// the other.
  void (*pack_f32)(int64_t width, int64_t k, bool transposed, const float* b, int64_t stride, float* panel);
  /// One row times a matrix in place, [k][n] or [n][k] (`transposed`).
  void (*row_f32)(int64_t n, int64_t k, bool transposed, const float* a, const float* b, float* out);
  void (*depthwise_row_f32)(const PackedDepthwiseF32& weights, const DepthwiseRow<float>& row, Clamp clamp);
  /// False, and nothing is done, for kernels, steps and numbers of pixels and channels that it is not made for.
  bool (*depthwise_line_f32)(const PackedDepthwiseF32& weights, const DepthwiseLine& line, Clamp clamp);
  /// One output pixel: the input pixels of the kernel elements, in order.
  void (*depthwise_pixel_f32)(const PackedDepthwiseF32& weights, const float* const* pixels, float* out, Clamp clamp);
  /// The same of groups of `group` input and as many output channels; weights as suits_groups() says.
  void (*grouped_pixel_f32)(const PackedDepthwiseF32& weights, int64_t group, const float* const* pixels, float* out,
                            Clamp clamp);
  void (*depthwise_row_qs8)(const PackedDepthwiseQs8& weights, const DepthwiseRow<int8_t>& row,
                            const OutputQs8& output);
  void (*depthwise_pixel_qs8)(const PackedDepthwiseQs8& weights, const int8_t* const* pixels, int8_t* out,
                              const OutputQs8& output);
  /// multiplier ≥ kSpreadColumns.
  void (*spread_f32)(const PackedDepthwiseF32& weights, const SpreadRow<float, float>& row, Clamp clamp);
  void (*spread_qs8)(const PackedDepthwiseQs8& weights, const SpreadRow<int32_t, int8_t>& row, const OutputQs8& output);
  /// a[i] in the lower and b[i] in the upper half, as int16.
  void (*pair_bytes)(int64_t n, const int8_t* a, const int8_t* b, int32_t* out);
  /// The largest value of each channel, at least `low` and at most `high`; a NaN loses.
  void (*max_pool_f32)(const PoolWindow<float>& window, float low, float high);
  void (*max_pool_s8)(const PoolWindow<int8_t>& window, int8_t low, int8_t high);
  void (*max_pool_u8)(const PoolWindow<uint8_t>& window, uint8_t low, uint8_t high);
  /// The sum of each channel times `part`.
  void (*mean_pool_f32)(const PoolWindow<float>& window, float part, Clamp clamp);
  /// Sums of the columns of a dense [rows][channels].
  void (*sum_rows_f32)(int64_t rows, int64_t channels, const float* in, float* sums);
  /// dst[a · dst_row + b] = src[a + b · src_row] for bytes, a < a_size, b < b_size.
  void (*transpose_x8)(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size,
                       int64_t b_size);
  /// dst[a · dst_row + 4b] = src[4a + b · src_row] for four bytes each, a < a_size, b < b_size.
  void (*transpose_x32)(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size,
                        int64_t b_size);
  void (*winograd_in)(const WinogradTiles& tiles);
  /// False: some result, before the bounds, is not finite.
  bool (*winograd_out)(const WinogradSums& sums, Clamp clamp);
  /// Floats of a vector, which has whole groups of grouped_pixel_f32.
  int64_t float_lanes = 4;
  /// How many steps along k of a column lie side by side in the panels of int8 that qs8 and qd8 read: 2, 4 or 8.
  int64_t int8_steps = 2;
  /// What gather_i8 and widen_rows add to the values that qs8 and qd8 read: 128 where those are unsigned bytes.
  int32_t int8_added = 0;
  /// `f32` takes columns.
  bool few_columns = false;
  /// There is spread_qs8.
  bool spreads_bytes = false;
  /// gather_i8 and widen_rows write bytes as they are: rows of a multiple of int8_steps bytes may be read in place.
  bool bytes_in_place = false;
  /// Bytes of a value of A in lines that qs8 reads in runs; 0: it reads whole rows only.
  int64_t line_bytes = 0;
};
/// Rows of int8 that qs8 and qd8 can read where they lie, as `a` and `a_stride` of the block: k bytes, `stride` apart.
inline bool readable_in_place(const MatrixLoops& loops, int64_t k, int64_t stride) {
  return loops.bytes_in_place && k % loops.int8_steps == 0 && stride % 2 == 0;
}
const MatrixLoops& matrix_loops();

}  // namespace et::xnn
