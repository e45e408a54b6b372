// Sums of int8 products with `sdot` (Armv8.2 with dotprod: Cortex-A55 and A75, Neoverse N1 and later): one instruction
// adds the products of four steps along k for four columns. Panels have four steps side by side.
#include "runtime/backends/xnnpack/compute/variant_neon.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

// 20 sums, 5 rows, 4 vectors of weights: 29 of 32 registers.
constexpr int kRows = 5, kVectors = 4;
constexpr int64_t kSteps = 4;

template <int Rows, int Vectors>
struct Sums {
  int32x4_t acc[Rows][Vectors];

  [[gnu::always_inline]] void start(const int32x4_t (&values)[Rows][Vectors]) { std::memcpy(acc, values, sizeof acc); }
  [[gnu::always_inline]] void row(int r, int32x4_t (&values)[Vectors]) const {
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) values[v] = acc[r][v];
  }

  /// Four steps along k: lane `Lane` of the rows' vectors.
  template <int Lane>
  [[gnu::always_inline]] void step(const int8x16_t (&x)[Rows], const int8_t* w) {
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; v += 2) {
      const int8x16_t w0 = vld1q_s8(w + 16 * v), w1 = vld1q_s8(w + 16 * v + 16);
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) acc[r][v] = vdotq_laneq_s32(acc[r][v], w0, x[r], Lane);
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) acc[r][v + 1] = vdotq_laneq_s32(acc[r][v + 1], w1, x[r], Lane);
    }
  }
  [[gnu::always_inline]] void multiply(int64_t k, const int8_t* const (&rows)[Rows], const int8_t* panel, bool) {
    int8x16_t x[Rows];
    int64_t p = 0;
    for (; p + 16 <= k; p += 16, panel += 16 * kPanel) {
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) x[r] = vld1q_s8(rows[r] + p);
      step<0>(x, panel);
      step<1>(x, panel + 4 * kPanel);
      step<2>(x, panel + 8 * kPanel);
      step<3>(x, panel + 12 * kPanel);
    }
    for (; p < k; p += 4, panel += 4 * kPanel) {
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) x[r] = four_of(rows[r] + p);
      step<0>(x, panel);
    }
  }

  /// Eight steps of nibbles: those of the low halves meet lane `Lane`, those of the high ones the next.
  template <int Lane>
  [[gnu::always_inline]] void nibble_step(const int8x16_t (&x)[Rows], const uint8_t* w) {
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      const uint8x16_t both = vld1q_u8(w + 16 * v);
      const int8x16_t low = vreinterpretq_s8_u8(vandq_u8(both, vdupq_n_u8(15)));
      const int8x16_t high = vreinterpretq_s8_u8(vshrq_n_u8(both, 4));
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) acc[r][v] = vdotq_laneq_s32(acc[r][v], low, x[r], Lane);
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) acc[r][v] = vdotq_laneq_s32(acc[r][v], high, x[r], Lane + 1);
    }
  }
  [[gnu::always_inline]] void add_chunks(const int8_t* const (&rows)[Rows], int64_t first, int64_t last,
                                         const uint8_t* panel) {
    const int64_t end = last * PackedQd8::kChunk;
    for (int64_t p = first * PackedQd8::kChunk; p < end; p += 16) {
      const uint8_t* w = panel + p * kPanel / 2;
      int8x16_t x[Rows];
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) x[r] = vld1q_s8(rows[r] + p);
      nibble_step<0>(x, w);
      nibble_step<2>(x, w + 4 * kPanel);
    }
  }
};

void widen_chunk(const uint8_t* from, uint8_t* to) {
  for (int s = 0; s < 4; ++s, from += 4 * kPanel, to += 8 * kPanel) {
    ET_XNN_UNROLL
    for (int v = 0; v < 4; ++v) {
      const uint8x16_t both = vld1q_u8(from + 16 * v);
      vst1q_u8(to + 16 * v, vandq_u8(both, vdupq_n_u8(15)));
      vst1q_u8(to + 4 * kPanel + 16 * v, vshrq_n_u8(both, 4));
    }
  }
}

}  // namespace
}  // namespace et::xnn::ET_XNN_VARIANT

#include "runtime/backends/xnnpack/compute/variant_neon_tiles.h"
