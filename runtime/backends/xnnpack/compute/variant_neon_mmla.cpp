// Sums of int8 products with `smmla` (i8mm: Neoverse V1 and N2, Cortex-A510, A710 and later): one instruction adds the
// products of eight steps along k for two rows and two columns. Panels have eight steps side by side.
#include "runtime/backends/xnnpack/compute/variant_neon_eights.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

// 24 sums, 3 pairs of rows, and weights.
constexpr int kRows = 6, kVectors = 4;
constexpr int64_t kSteps = 8;

template <int Rows, int Vectors>
struct Sums {
  static constexpr int kRowPairs = (Rows + 1) / 2, kColumnPairs = 2 * Vectors;
  int32x4_t acc[kRowPairs][kColumnPairs];  // two columns of a row, the same of the next

  static constexpr int second(int pair) { return 2 * pair + 1 < Rows ? 2 * pair + 1 : 2 * pair; }
  [[gnu::always_inline]] static int32x4_t zip(int32x4_t a, int32x4_t b, bool high) {
    const int64x2_t x = vreinterpretq_s64_s32(a), y = vreinterpretq_s64_s32(b);
    return vreinterpretq_s32_s64(high ? vzip2q_s64(x, y) : vzip1q_s64(x, y));
  }
  [[gnu::always_inline]] void start(const int32x4_t (&values)[Rows][Vectors]) {
    ET_XNN_UNROLL
    for (int r = 0; r < kRowPairs; ++r) {
      ET_XNN_UNROLL
      for (int v = 0; v < Vectors; ++v) {
        acc[r][2 * v] = zip(values[2 * r][v], values[second(r)][v], false);
        acc[r][2 * v + 1] = zip(values[2 * r][v], values[second(r)][v], true);
      }
    }
  }
  [[gnu::always_inline]] void row(int r, int32x4_t (&values)[Vectors]) const {
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) values[v] = zip(acc[r / 2][2 * v], acc[r / 2][2 * v + 1], r % 2 != 0);
  }

  /// Eight steps of both rows of each pair.
  [[gnu::always_inline]] static void load_rows(const int8_t* const (&rows)[Rows], int64_t p,
                                               int8x16_t (&x)[kRowPairs]) {
    ET_XNN_UNROLL
    for (int r = 0; r < kRowPairs; ++r) x[r] = vcombine_s8(vld1_s8(rows[2 * r] + p), vld1_s8(rows[second(r)] + p));
  }
  [[gnu::always_inline]] void multiply(int64_t k, const int8_t* const (&rows)[Rows], const int8_t* panel, bool) {
    for (int64_t p = 0; p < k; p += kSteps, panel += kSteps * kPanel) {
      int8x16_t x[kRowPairs];
      load_rows(rows, p, x);
      ET_XNN_UNROLL
      for (int c = 0; c < kColumnPairs; c += 2) {
        const int8x16_t w0 = vld1q_s8(panel + 16 * c), w1 = vld1q_s8(panel + 16 * c + 16);
        ET_XNN_UNROLL
        for (int r = 0; r < kRowPairs; ++r) acc[r][c] = vmmlaq_s32(acc[r][c], x[r], w0);
        ET_XNN_UNROLL
        for (int r = 0; r < kRowPairs; ++r) acc[r][c + 1] = vmmlaq_s32(acc[r][c + 1], x[r], w1);
      }
    }
  }
  [[gnu::always_inline]] void add_chunks(const int8_t* const (&rows)[Rows], int64_t first, int64_t last,
                                         const uint8_t* panel) {
    const int64_t end = last * PackedQd8::kChunk;
    for (int64_t p = first * PackedQd8::kChunk; p < end; p += kSteps) {
      int8x16_t x[kRowPairs];
      load_rows(rows, p, x);
      ET_XNN_UNROLL
      for (int v = 0; v < Vectors; ++v) {
        const FourColumns four(panel + p * kPanel / 2 + 16 * v);
        ET_XNN_UNROLL
        for (int r = 0; r < kRowPairs; ++r) {
          acc[r][2 * v] = vmmlaq_s32(acc[r][2 * v], x[r], four.pairs[0]);
          acc[r][2 * v + 1] = vmmlaq_s32(acc[r][2 * v + 1], x[r], four.pairs[1]);
        }
      }
    }
  }
};

}  // namespace
}  // namespace et::xnn::ET_XNN_VARIANT

#include "runtime/backends/xnnpack/compute/variant_neon_tiles.h"
