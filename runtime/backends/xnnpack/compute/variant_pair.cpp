// Blocks of convolutions in float32 with narrow groups: two groups side by side in the columns of a tile, each with its
// own inputs. As one group with zeros between, a NaN of one would reach the other.
#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

using V = et::ET_KERNELS::VectorOf<float>;
constexpr int kLanes = V::kLanes;
constexpr int kPanel = static_cast<int>(PackedF32::kPanel), kHalf = kPanel / 2;
constexpr int kVectors = kPanel / kLanes;
#if defined(__AVX__) || defined(__aarch64__)
constexpr int kRows = 6;
#else
constexpr int kRows = 2;
#endif

/// One input of the first group in the lower half of the columns, one of the second in the upper.
[[gnu::always_inline]] inline void fill_halves(float first, float second, V::Type (&x)[kVectors]) {
  if constexpr (kVectors == 1) {
    typedef int32_t Mask __attribute__((vector_size(sizeof(V::Type))));
    Mask upper{};
    for (int l = kLanes / 2; l < kLanes; ++l) upper[l] = -1;
    x[0] = upper ? V::fill(second) : V::fill(first);
  } else {
    ET_UNROLL
    for (int v = 0; v < kVectors; ++v) x[v] = V::fill(v < kVectors / 2 ? first : second);
  }
}

template <int Rows>
[[gnu::noinline]] void tile(const BlockPairF32& b, int64_t i) {
  V::Type acc[Rows][kVectors];
  ET_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    ET_UNROLL
    for (int r = 0; r < Rows; ++r) acc[r][v] = V::load(b.bias + v * kLanes);
  }
  const int64_t stride = 2 * b.taps * b.depth;
  const float* rows[Rows];
  for (int r = 0; r < Rows; ++r) rows[r] = b.a + (i + r) * stride;
  const float* panel = b.panel;
  for (int64_t t = 0; t < b.taps; ++t) {
    for (int64_t p = 0; p < b.depth; ++p, panel += kPanel) {
      V::Type w[kVectors];
      ET_UNROLL
      for (int v = 0; v < kVectors; ++v) w[v] = V::load(panel + v * kLanes);
      ET_UNROLL
      for (int r = 0; r < Rows; ++r) {
        V::Type x[kVectors];
        fill_halves(rows[r][p], rows[r][b.depth + p], x);
        ET_UNROLL
        for (int v = 0; v < kVectors; ++v) acc[r][v] += x[v] * w[v];
      }
    }
    for (int r = 0; r < Rows; ++r) rows[r] += 2 * b.depth;
  }
  const V::Type low = V::fill(b.clamp.min), high = V::fill(b.clamp.max);
  for (int r = 0; r < Rows; ++r) {
    float row[kPanel];
    ET_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      V::Type x = acc[r][v];
      x = x < low ? low : x;
      V::store(row + v * kLanes, x > high ? high : x);
    }
    float* out = b.out + (i + r) * b.out_stride;
    if (b.n == kHalf) {
      std::memcpy(out, row, sizeof row);
      continue;
    }
    for (int64_t j = 0; j < b.n; ++j) {
      out[j] = row[j];
      out[b.n + j] = row[kHalf + j];
    }
  }
}

using Tile = void (*)(const BlockPairF32&, int64_t);
#if defined(__AVX__) || defined(__aarch64__)
constexpr Tile kTiles[] = {nullptr, tile<1>, tile<2>, tile<3>, tile<4>, tile<5>, tile<6>};
#else
constexpr Tile kTiles[] = {nullptr, tile<1>, tile<2>};
#endif
static_assert(std::size(kTiles) == kRows + 1);

}  // namespace

void block_pair_f32(const BlockPairF32& b) {
  each_tile<kRows>(b.m, [&](int64_t i, int64_t rows) { kTiles[rows](b, i); });
}

}  // namespace et::xnn::ET_XNN_VARIANT
