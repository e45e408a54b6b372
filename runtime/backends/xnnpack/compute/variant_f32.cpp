// Blocks of float32 GEMMs: tiles of rows x kPanel results in registers.
#include <algorithm>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

using V = et::ET_KERNELS::VectorOf<float>;
constexpr int kLanes = V::kLanes;
constexpr int kPanel = static_cast<int>(PackedF32::kPanel);
constexpr int kVectors = kPanel / kLanes;
// 16 registers of 8 lanes hold 6 rows, of 4 lanes 3; where there are 32 of 4 lanes 6. With 16 lanes a row is one sum: 8
// of them hide the latency of the additions.
#if ET_XNN_AVX512
constexpr int kRows = 8;
#elif defined(__AVX__) || defined(__aarch64__)
constexpr int kRows = 6;
#else
constexpr int kRows = 3;
#endif

[[gnu::always_inline]] inline V::Type bounded(V::Type x, Clamp clamp) {
  const V::Type low = V::fill(clamp.min), high = V::fill(clamp.max);
  x = x < low ? low : x;
  return x > high ? high : x;
}

[[gnu::always_inline]] inline void store_row(const V::Type (&acc)[kVectors], float* out, int64_t width, Clamp clamp) {
  V::Type x[kVectors];
  ET_UNROLL
  for (int v = 0; v < kVectors; ++v) x[v] = bounded(acc[v], clamp);
  if (width >= kPanel) [[likely]] {
    ET_UNROLL
    for (int v = 0; v < kVectors; ++v) V::store(out + v * kLanes, x[v]);
    return;
  }
  float row[kPanel];
  for (int v = 0; v < kVectors; ++v) V::store(row + v * kLanes, x[v]);
  for (int64_t j = 0; j < width; ++j) out[j] = row[j];
}

/// Rows rows of A times one panel.
template <int Rows>
[[gnu::noinline]] void tile(int64_t k, const float* a, int64_t a_stride, const float* panel, const float* bias,
                            float* out, int64_t out_stride, int64_t width, Clamp clamp) {
  V::Type acc[Rows][kVectors];
  ET_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const V::Type start = bias == nullptr ? V::Type{} : V::load(bias + v * kLanes);
    ET_UNROLL
    for (int r = 0; r < Rows; ++r) acc[r][v] = start;
  }
  const float* rows[Rows];
  for (int r = 0; r < Rows; ++r) rows[r] = a + r * a_stride;
  for (int64_t p = 0; p < k; ++p, panel += kPanel) {
    V::Type w[kVectors];
    ET_UNROLL
    for (int v = 0; v < kVectors; ++v) w[v] = V::load(panel + v * kLanes);
    ET_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const V::Type x = V::fill(rows[r][p]);
      ET_UNROLL
      for (int v = 0; v < kVectors; ++v) acc[r][v] += x * w[v];
    }
  }
  ET_UNROLL
  for (int r = 0; r < Rows; ++r) store_row(acc[r], out + r * out_stride, width, clamp);
}

/// One or two rows: several sums side by side, or the latency of the additions would count.
template <int Rows>
[[gnu::noinline]] void thin_tile(int64_t k, const float* a, int64_t a_stride, const float* panel, const float* bias,
                                 float* out, int64_t out_stride, int64_t width, Clamp clamp) {
  constexpr int kParts = (kVectors == 1 ? 8 : 4) / Rows;
  V::Type acc[kParts][Rows][kVectors] = {};
  if (bias != nullptr) {
    for (int r = 0; r < Rows; ++r) {
      for (int v = 0; v < kVectors; ++v) acc[0][r][v] = V::load(bias + v * kLanes);
    }
  }
  int64_t p = 0;
  for (; p + kParts <= k; p += kParts, panel += kParts * kPanel) {
    ET_UNROLL
    for (int s = 0; s < kParts; ++s) {
      ET_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const V::Type x = V::fill(a[r * a_stride + p + s]);
        ET_UNROLL
        for (int v = 0; v < kVectors; ++v) acc[s][r][v] += x * V::load(panel + s * kPanel + v * kLanes);
      }
    }
  }
  for (; p < k; ++p, panel += kPanel) {
    ET_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const V::Type x = V::fill(a[r * a_stride + p]);
      ET_UNROLL
      for (int v = 0; v < kVectors; ++v) acc[0][r][v] += x * V::load(panel + v * kLanes);
    }
  }
  ET_UNROLL
  for (int r = 0; r < Rows; ++r) {
    V::Type sum[kVectors];
    ET_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      sum[v] = acc[0][r][v];
      ET_UNROLL
      for (int s = 1; s < kParts; ++s) sum[v] += acc[s][r][v];
    }
    store_row(sum, out + r * out_stride, width, clamp);
  }
}

using Tile = void (*)(int64_t, const float*, int64_t, const float*, const float*, float*, int64_t, int64_t, Clamp);
#if ET_XNN_AVX512
constexpr Tile kTiles[] = {nullptr, thin_tile<1>, thin_tile<2>, tile<3>, tile<4>, tile<5>, tile<6>, tile<7>, tile<8>};
#elif defined(__AVX__) || defined(__aarch64__)
constexpr Tile kTiles[] = {nullptr, thin_tile<1>, thin_tile<2>, tile<3>, tile<4>, tile<5>, tile<6>};
#else
constexpr Tile kTiles[] = {nullptr, thin_tile<1>, tile<2>, tile<3>};
#endif
static_assert(std::size(kTiles) == kRows + 1);

}  // namespace

void block_f32(const BlockF32& b) {
  for (int64_t j = 0; j < b.n; j += kPanel) {
    const float* panel = b.panels + j * b.k;
    const float* bias = b.bias == nullptr ? nullptr : b.bias + j;
    each_tile<kRows>(b.m, [&](int64_t i, int64_t rows) {
      kTiles[rows](b.k, b.a + i * b.a_stride, b.a_stride, panel, bias, b.out + i * b.out_stride + j, b.out_stride,
                   b.n - j, b.clamp);
    });
  }
}

void pack_f32(int64_t width, int64_t k, bool transposed, const float* b, int64_t stride, float* panel) {
  if (!transposed) {
    for (int64_t p = 0; p < k; ++p, b += stride, panel += kPanel) {
      if (width == kPanel) {
        for (int c = 0; c < kPanel; ++c) panel[c] = b[c];
      } else {
        for (int64_t c = 0; c < kPanel; ++c) panel[c] = c < width ? b[c] : 0.0f;
      }
    }
    return;
  }
  const float* rows[kPanel];
  for (int64_t c = 0; c < kPanel; ++c) rows[c] = b + std::min(c, width - 1) * k;
  int64_t p = 0;
  for (; p + 4 <= k; p += 4) {
    float* to = panel + p * kPanel;
    for (int c = 0; c < kPanel; ++c) {
      to[c] = rows[c][p];
      to[kPanel + c] = rows[c][p + 1];
      to[2 * kPanel + c] = rows[c][p + 2];
      to[3 * kPanel + c] = rows[c][p + 3];
    }
  }
  for (; p < k; ++p) {
    for (int c = 0; c < kPanel; ++c) panel[p * kPanel + c] = rows[c][p];
  }
}

void row_f32(int64_t n, int64_t k, bool transposed, const float* a, const float* b, float* out) {
  if (!transposed) {
    // Columns in blocks whose sums stay in registers or the first cache.
    constexpr int64_t kBlock = 64;
    for (int64_t j = 0; j < n; j += kBlock) {
      const int64_t width = std::min(kBlock, n - j);
      float sum[kBlock] = {};
      for (int64_t p = 0; p < k; ++p) {
        const float x = a[p];
        const float* row = b + p * n + j;
        if (width == kBlock) {
          for (int64_t c = 0; c < kBlock; ++c) sum[c] += x * row[c];
        } else {
          for (int64_t c = 0; c < width; ++c) sum[c] += x * row[c];
        }
      }
      for (int64_t c = 0; c < width; ++c) out[j + c] = sum[c];
    }
    return;
  }
  for (int64_t j = 0; j < n; j += 4) {
    const int64_t count = std::min<int64_t>(4, n - j);
    const float* rows[4];
    for (int64_t c = 0; c < 4; ++c) rows[c] = b + (j + std::min(c, count - 1)) * k;
    V::Type acc[4][2] = {};
    int64_t p = 0;
    for (; p + 2 * kLanes <= k; p += 2 * kLanes) {
      const V::Type x0 = V::load(a + p), x1 = V::load(a + p + kLanes);
      ET_UNROLL
      for (int c = 0; c < 4; ++c) {
        acc[c][0] += V::load(rows[c] + p) * x0;
        acc[c][1] += V::load(rows[c] + p + kLanes) * x1;
      }
    }
    for (int64_t c = 0; c < count; ++c) {
      const V::Type both = acc[c][0] + acc[c][1];
      float sum = 0;
      for (int l = 0; l < kLanes; ++l) sum += both[l];
      for (int64_t q = p; q < k; ++q) sum += rows[c][q] * a[q];
      out[j + c] = sum;
    }
  }
}

}  // namespace et::xnn::ET_XNN_VARIANT
