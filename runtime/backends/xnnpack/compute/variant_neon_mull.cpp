// Sums of int8 products for every 64-bit ARM: products of eight steps along k in int16, added in pairs to int32. Panels
// have eight steps side by side.
#include "runtime/backends/xnnpack/compute/variant_neon_eights.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

// 16 sums, one for each row and column, products, rows and weights.
constexpr int kRows = 2, kVectors = 2;
constexpr int64_t kSteps = 8;

template <int Rows, int Vectors>
struct Sums {
  static constexpr int kColumns = 4 * Vectors;
  int32x4_t acc[Rows][kColumns];  // each the sum of its lanes
  int32x4_t first[Rows][Vectors];

  [[gnu::always_inline]] void start(const int32x4_t (&values)[Rows][Vectors]) {
    std::memcpy(first, values, sizeof first);
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      ET_XNN_UNROLL
      for (int c = 0; c < kColumns; ++c) acc[r][c] = vdupq_n_s32(0);
    }
  }
  [[gnu::always_inline]] void row(int r, int32x4_t (&values)[Vectors]) const {
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      const int32x4_t* four = acc[r] + 4 * v;
      values[v] = vaddq_s32(first[r][v], vpaddq_s32(vpaddq_s32(four[0], four[1]), vpaddq_s32(four[2], four[3])));
    }
  }

  /// Eight steps in both halves.
  [[gnu::always_inline]] static int8x16_t eight_of(const int8_t* at) {
    return vreinterpretq_s8_s64(vld1q_dup_s64(reinterpret_cast<const int64_t*>(at)));
  }
  [[gnu::always_inline]] void add(int r, int c, int16x8_t products) { acc[r][c] = vpadalq_s16(acc[r][c], products); }

  /// Sixteen steps of two columns. Two products fit into int16 unless all four factors are -128.
  template <bool Symmetric>
  [[gnu::always_inline]] void add_sixteen(int r, int c, int8x16_t w0, int8x16_t w1, int8x16_t x0, int8x16_t x1) {
    int16x8_t a = vmull_s8(vget_low_s8(w0), vget_low_s8(x0)), b = vmull_high_s8(w0, x0);
    if constexpr (Symmetric) {
      a = vmlal_s8(a, vget_low_s8(w1), vget_low_s8(x1));
      b = vmlal_high_s8(b, w1, x1);
    } else {
      add(r, c, vmull_s8(vget_low_s8(w1), vget_low_s8(x1)));
      add(r, c + 1, vmull_high_s8(w1, x1));
    }
    add(r, c, a);
    add(r, c + 1, b);
  }
  template <bool Symmetric>
  [[gnu::always_inline]] void run(int64_t k, const int8_t* const (&rows)[Rows], const int8_t* panel) {
    int64_t p = 0;
    for (; p + 16 <= k; p += 16, panel += 16 * kPanel) {
      int8x16_t x0[Rows], x1[Rows];
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) {
        int64x2_t both = vreinterpretq_s64_s8(vld1q_s8(rows[r] + p));
        asm("" : "+w"(both));  // one load: GCC would make two of it
        x0[r] = vreinterpretq_s8_s64(vdupq_laneq_s64(both, 0));
        x1[r] = vreinterpretq_s8_s64(vdupq_laneq_s64(both, 1));
      }
      ET_XNN_UNROLL
      for (int c = 0; c < kColumns; c += 4) {
        const int8_t* w = panel + 8 * c;
        const int8x16_t w0 = vld1q_s8(w), v0 = vld1q_s8(w + 16);
        const int8x16_t w1 = vld1q_s8(w + 8 * kPanel), v1 = vld1q_s8(w + 8 * kPanel + 16);
        ET_XNN_UNROLL
        for (int r = 0; r < Rows; ++r) {
          add_sixteen<Symmetric>(r, c, w0, w1, x0[r], x1[r]);
          add_sixteen<Symmetric>(r, c + 2, v0, v1, x0[r], x1[r]);
        }
      }
    }
    if (p == k) return;
    ET_XNN_UNROLL
    for (int c = 0; c < kColumns; c += 2) {
      const int8x16_t w = vld1q_s8(panel + 8 * c);
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const int8x16_t x = eight_of(rows[r] + p);
        add(r, c, vmull_s8(vget_low_s8(w), vget_low_s8(x)));
        add(r, c + 1, vmull_high_s8(w, x));
      }
    }
  }
  [[gnu::always_inline]] void multiply(int64_t k, const int8_t* const (&rows)[Rows], const int8_t* panel,
                                       bool symmetric) {
    if (symmetric)
      run<true>(k, rows, panel);
    else
      run<false>(k, rows, panel);
  }

  /// A nibble times an int8 is at most 15 · 128: the four products of a chunk fit into int16.
  [[gnu::always_inline]] void add_chunks(const int8_t* const (&rows)[Rows], int64_t begin, int64_t end,
                                         const uint8_t* panel) {
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      const int64_t p = chunk * PackedQd8::kChunk;
      ET_XNN_UNROLL
      for (int v = 0; v < Vectors; ++v) {
        int16x8_t sum[Rows][4];
        ET_XNN_UNROLL
        for (int s = 0; s < 4; ++s) {
          const FourColumns four(panel + p * kPanel / 2 + 4 * kPanel * s + 16 * v);
          ET_XNN_UNROLL
          for (int r = 0; r < Rows; ++r) {
            const int8x16_t x = eight_of(rows[r] + p + 8 * s);
            ET_XNN_UNROLL
            for (int c = 0; c < 4; ++c) {
              const int8x16_t w = four.pairs[c / 2];
              if (s == 0)
                sum[r][c] = c % 2 == 0 ? vmull_s8(vget_low_s8(w), vget_low_s8(x)) : vmull_high_s8(w, x);
              else
                sum[r][c] =
                    c % 2 == 0 ? vmlal_s8(sum[r][c], vget_low_s8(w), vget_low_s8(x)) : vmlal_high_s8(sum[r][c], w, x);
            }
          }
        }
        ET_XNN_UNROLL
        for (int r = 0; r < Rows; ++r) {
          ET_XNN_UNROLL
          for (int c = 0; c < 4; ++c) add(r, 4 * v + c, sum[r][c]);
        }
      }
    }
  }
};

}  // namespace
}  // namespace et::xnn::ET_XNN_VARIANT

#include "runtime/backends/xnnpack/compute/variant_neon_tiles.h"
