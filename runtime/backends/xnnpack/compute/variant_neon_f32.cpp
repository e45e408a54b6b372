// Blocks of float32 GEMMs for 64-bit ARM: four steps along k at a time, each a lane of the rows' vectors.
#include "runtime/backends/xnnpack/compute/variant_neon.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

// 20 sums, 5 rows, 2 vectors of weights: 27 of 32 registers.
constexpr int kFloatRows = 5;

template <int Rows, int Vectors>
struct FloatSums {
  // One row or two: several sums side by side, or the latency of the additions would count.
  static constexpr int kParts = Rows == 1 ? 4 : Rows == 2 ? 2 : 1;
  float32x4_t acc[kParts][Rows][Vectors];

  [[gnu::always_inline]] void start(const float* bias) {
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      const float32x4_t first = bias == nullptr ? vdupq_n_f32(0) : vld1q_f32(bias + 4 * v);
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) {
        acc[0][r][v] = first;
        ET_XNN_UNROLL
        for (int s = 1; s < kParts; ++s) acc[s][r][v] = vdupq_n_f32(0);
      }
    }
  }
  template <int Lane>
  [[gnu::always_inline]] void step(const float32x4_t (&x)[Rows], const float* w) {
    auto& sums = acc[Lane % kParts];
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; v += 2) {
      const float32x4_t w0 = vld1q_f32(w + 4 * v), w1 = vld1q_f32(w + 4 * v + 4);
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) sums[r][v] = vfmaq_laneq_f32(sums[r][v], w0, x[r], Lane);
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) sums[r][v + 1] = vfmaq_laneq_f32(sums[r][v + 1], w1, x[r], Lane);
    }
  }
  /// One run of A's values, from `p` to `k` of each row.
  [[gnu::always_inline]] void multiply(int64_t p, int64_t k, const float* const (&rows)[Rows], const float* panel) {
    constexpr int64_t kWidth = PackedF32::kPanel;
    float32x4_t x[Rows];
    for (; p + 4 <= k; p += 4, panel += 4 * kWidth) {
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) x[r] = vld1q_f32(rows[r] + p);
      step<0>(x, panel);
      step<1>(x, panel + kWidth);
      step<2>(x, panel + 2 * kWidth);
      step<3>(x, panel + 3 * kWidth);
    }
    for (; p < k; ++p, panel += kWidth) {
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) x[r] = vld1q_dup_f32(rows[r] + p);
      step<0>(x, panel);
    }
  }
  [[gnu::always_inline]] void row(int r, float32x4_t (&x)[Vectors]) const {
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) {
      x[v] = acc[0][r][v];
      ET_XNN_UNROLL
      for (int s = 1; s < kParts; ++s) x[v] = vaddq_f32(x[v], acc[s][r][v]);
    }
  }
};

template <int Rows, int Vectors>
[[gnu::noinline]] void tile_f32(const BlockF32& b, int64_t i, int64_t j) {
  FloatSums<Rows, Vectors> sums;
  sums.start(b.bias == nullptr ? nullptr : b.bias + j);
  const float* rows[Rows];
  place_rows(b.a, b.a_stride, b.lines, i, rows);
  const float* const panel = b.panels + j * b.k;
  for (const RunOfK *run = b.runs, *end = run + b.run_count; run != end; ++run) {
    sums.multiply(run->a, run->a + run->length, rows, panel + run->k * PackedF32::kPanel);
  }
  FloatRows<Vectors> results(b, i, j);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    float32x4_t x[Vectors];
    sums.row(r, x);
    results.store(x);
  }
}

}  // namespace

void block_f32(const BlockF32& block) {
  const RunOfK whole{0, 0, block.k};
  BlockF32 b = block;
  if (b.runs == nullptr) {
    b.runs = &whole;
    b.run_count = 1;
  }
  for (int64_t j = 0; j < b.n; j += PackedF32::kPanel) {
    each_height<kFloatRows>(b.m, [&]<int R>(int64_t i, int64_t count) {
      for (; count > 0; --count, i += R) {
        if (b.n - j > PackedF32::kPanel / 2)
          tile_f32<R, 4>(b, i, j);
        else
          tile_f32<R, 2>(b, i, j);
      }
    });
  }
}

}  // namespace et::xnn::ET_XNN_VARIANT
