// Blocks of float32 GEMMs: tiles of rows x kPanel results in registers.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"

#define ET_XNN_UNROLL_ROWS _Pragma("GCC unroll 16")

namespace et::xnn::ET_XNN_VARIANT {
namespace {

using V = et::ET_KERNELS::VectorOf<float>;
constexpr int kLanes = V::kLanes;
constexpr int kPanel = static_cast<int>(PackedF32::kPanel);
constexpr int kVectors = kPanel / kLanes;
// 16 registers of 8 lanes hold 6 rows, of 4 lanes 3; where there are 32 of 4 lanes 6. With 16 lanes a row is one sum,
// and 11 pointers to rows are what the processor has registers for; two panels side by side are 22 sums of 11 rows.
#if ET_XNN_AVX512
constexpr int kRows = 11;
constexpr int kPairRows = 11;
// Rows whose lines fall into one set of the first cache: more of them would not stay there.
constexpr int kAliasedRows = 6;
#elif defined(__AVX__) || defined(__aarch64__)
constexpr int kRows = 6;
#else
constexpr int kRows = 3;
#endif

template <class X>
[[gnu::always_inline]] inline X bounded(X x, Clamp clamp) {
  const X low = clamp.min - X{}, high = clamp.max - X{};
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
#if ET_XNN_AVX512 && !ET_XNN_EMULATE
  _mm512_mask_storeu_ps(out, first_lanes(width), (__m512)x[0]);
#else
  float row[kPanel];
  for (int v = 0; v < kVectors; ++v) V::store(row + v * kLanes, x[v]);
  store_few(out, row, width);
#endif
}

#if defined(__AVX__)
/// Half a panel.
typedef float Half __attribute__((vector_size(32)));
constexpr int64_t kHalfPanel = kPanel / 2;

[[gnu::always_inline]] inline void store_half(Half x, float* out, int64_t width) {
  if (width >= kHalfPanel) {
    _mm256_storeu_ps(out, (__m256)x);
    return;
  }
#if ET_XNN_AVX512 && !ET_XNN_EMULATE
  _mm256_mask_storeu_ps(out, static_cast<__mmask8>(first_lanes(width)), (__m256)x);
#else
  float row[kHalfPanel];
  std::memcpy(row, &x, sizeof row);
  store_few(out, row, width);
#endif
}
#endif

[[gnu::always_inline]] inline V::Type start_of(const BlockF32& b, int64_t column) {
  return b.bias == nullptr ? V::Type{} : V::load(b.bias + column);
}

/// Rows rows of A from i on, times the panel at column j.
template <int Rows>
[[gnu::noinline]] void tile(const BlockF32& b, int64_t i, int64_t j) {
  V::Type acc[Rows][kVectors];
  ET_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const V::Type start = start_of(b, j + v * kLanes);
    ET_XNN_UNROLL_ROWS
    for (int r = 0; r < Rows; ++r) acc[r][v] = start;
  }
  const float* rows[Rows];
  place_rows(b.a, b.a_stride, b.lines, i, rows);
  for (const RunOfK *run = b.runs, *end = run + b.run_count; run != end; ++run) {
    const float* panel = b.panels + j * b.k + run->k * kPanel;
    for (int64_t p = run->a, last = p + run->length; p < last; ++p, panel += kPanel) {
      V::Type w[kVectors];
      ET_UNROLL
      for (int v = 0; v < kVectors; ++v) w[v] = V::load(panel + v * kLanes);
      ET_XNN_UNROLL_ROWS
      for (int r = 0; r < Rows; ++r) {
        const V::Type x = V::fill(rows[r][p]);
        ET_UNROLL
        for (int v = 0; v < kVectors; ++v) acc[r][v] += x * w[v];
      }
    }
  }
  // What stores could change, as far as the compiler knows, is read before them.
  const Clamp clamp = b.clamp;
  const int64_t width = b.n - j, out_stride = b.out_stride;
  float* out = b.out + i * out_stride + j;
  if (width >= kPanel) [[likely]] {
    ET_XNN_UNROLL_ROWS
    for (int r = 0; r < Rows; ++r, out += out_stride) {
      ET_UNROLL
      for (int v = 0; v < kVectors; ++v) V::store(out + v * kLanes, bounded(acc[r][v], clamp));
    }
    return;
  }
  ET_XNN_UNROLL_ROWS
  for (int r = 0; r < Rows; ++r, out += out_stride) store_row(acc[r], out, width, clamp);
}

/// One or two rows: several sums side by side, or the latency of the additions would count.
template <int Rows>
[[gnu::noinline]] void thin_tile(const BlockF32& b, int64_t i, int64_t j) {
  constexpr int kParts = (kVectors == 1 ? 8 : 4) / Rows;
  V::Type acc[kParts][Rows][kVectors] = {};
  ET_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    ET_UNROLL
    for (int r = 0; r < Rows; ++r) acc[0][r][v] = start_of(b, j + v * kLanes);
  }
  const float* rows[Rows];
  place_rows(b.a, b.a_stride, b.lines, i, rows);
  for (const RunOfK *run = b.runs, *end = run + b.run_count; run != end; ++run) {
    const float* panel = b.panels + j * b.k + run->k * kPanel;
    const int64_t last = run->a + run->length;
    int64_t p = run->a;
    for (; p + kParts <= last; p += kParts, panel += kParts * kPanel) {
      ET_UNROLL
      for (int s = 0; s < kParts; ++s) {
        ET_UNROLL
        for (int r = 0; r < Rows; ++r) {
          const V::Type x = V::fill(rows[r][p + s]);
          ET_UNROLL
          for (int v = 0; v < kVectors; ++v) acc[s][r][v] += x * V::load(panel + s * kPanel + v * kLanes);
        }
      }
    }
    for (; p < last; ++p, panel += kPanel) {
      ET_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const V::Type x = V::fill(rows[r][p]);
        ET_UNROLL
        for (int v = 0; v < kVectors; ++v) acc[0][r][v] += x * V::load(panel + v * kLanes);
      }
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
    store_row(sum, b.out + (i + r) * b.out_stride + j, b.n - j, b.clamp);
  }
}

using Tile = void (*)(const BlockF32&, int64_t, int64_t);
#if ET_XNN_AVX512
[[gnu::always_inline]] inline Half half_of(V::Type x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7); }

/// Rows rows of A times two panels, or `kHalf`: one and the first half of another, beyond which there are no columns.
/// Each element of A that is read serves both.
template <int Rows, bool kHalf>
[[gnu::noinline]] void pair_tile(const BlockF32& b, int64_t i, int64_t j) {
  static_assert(kVectors == 1);
  using Second = std::conditional_t<kHalf, Half, V::Type>;
  const auto second = [](V::Type x) __attribute__((always_inline)) {
    if constexpr (kHalf)
      return half_of(x);
    else
      return x;
  };
  V::Type acc0[Rows];
  Second acc1[Rows];
  const V::Type start0 = start_of(b, j);
  const Second start1 = second(start_of(b, j + kPanel));
  const float* rows[Rows];
  place_rows(b.a, b.a_stride, b.lines, i, rows);
  ET_XNN_UNROLL_ROWS
  for (int r = 0; r < Rows; ++r) {
    acc0[r] = start0;
    acc1[r] = start1;
  }
  const int64_t next = b.k * kPanel;
  for (const RunOfK *run = b.runs, *end = run + b.run_count; run != end; ++run) {
    const float* panel = b.panels + j * b.k + run->k * kPanel;
    for (int64_t p = run->a, last = p + run->length; p < last; ++p, panel += kPanel) {
      const V::Type w0 = V::load(panel);
      const Second w1 = second(V::load(panel + next));
      ET_XNN_UNROLL_ROWS
      for (int r = 0; r < Rows; ++r) {
        const V::Type x = V::fill(rows[r][p]);
        acc0[r] += x * w0;
        acc1[r] += second(x) * w1;
      }
    }
  }
  float* out = b.out + i * b.out_stride + j;
  const int64_t width = b.n - j - kPanel;
  ET_XNN_UNROLL_ROWS
  for (int r = 0; r < Rows; ++r, out += b.out_stride) {
    V::store(out, bounded(acc0[r], b.clamp));
    if constexpr (kHalf) {
      store_half(bounded(acc1[r], b.clamp), out + kPanel, width);
    } else {
      const V::Type last[kVectors] = {acc1[r]};
      store_row(last, out + kPanel, width, b.clamp);
    }
  }
}
template <bool kHalf>
constexpr Tile kPairTiles[] = {nullptr,
                               nullptr,
                               nullptr,
                               pair_tile<3, kHalf>,
                               pair_tile<4, kHalf>,
                               pair_tile<5, kHalf>,
                               pair_tile<6, kHalf>,
                               pair_tile<7, kHalf>,
                               pair_tile<8, kHalf>,
                               pair_tile<9, kHalf>,
                               pair_tile<10, kHalf>,
                               pair_tile<11, kHalf>};
static_assert(std::size(kPairTiles<false>) == kPairRows + 1);
/// The columns from j on, of which there are more than one panel.
void pair(const BlockF32& b, int64_t i, int64_t j, int64_t rows) {
  const bool half = b.n - j - kPanel <= kHalfPanel;
  (half ? kPairTiles<true> : kPairTiles<false>)[rows](b, i, j);
}
constexpr Tile kTiles[] = {nullptr, thin_tile<1>, thin_tile<2>, tile<3>, tile<4>,  tile<5>,
                           tile<6>, tile<7>,      tile<8>,      tile<9>, tile<10>, tile<11>};
#elif defined(__AVX__) || defined(__aarch64__)
constexpr Tile kTiles[] = {nullptr, thin_tile<1>, thin_tile<2>, tile<3>, tile<4>, tile<5>, tile<6>};
#else
constexpr Tile kTiles[] = {nullptr, thin_tile<1>, tile<2>, tile<3>};
#endif
static_assert(std::size(kTiles) == kRows + 1);

#if defined(__AVX__)
/// The first half of a panel, beyond which there are no columns, of more rows.
template <int Rows>
[[gnu::noinline]] void half_tile(const BlockF32& b, int64_t i, int64_t j) {
  const auto load = [](const float* from) { return (Half)_mm256_loadu_ps(from); };
  Half acc[Rows];
  const Half start = b.bias == nullptr ? Half{} : load(b.bias + j);
  ET_XNN_UNROLL_ROWS
  for (int r = 0; r < Rows; ++r) acc[r] = start;
  const float* rows[Rows];
  place_rows(b.a, b.a_stride, b.lines, i, rows);
  for (const RunOfK *run = b.runs, *end = run + b.run_count; run != end; ++run) {
    const float* panel = b.panels + j * b.k + run->k * kPanel;
    for (int64_t p = run->a, last = p + run->length; p < last; ++p, panel += kPanel) {
      const Half w = load(panel);
      ET_XNN_UNROLL_ROWS
      for (int r = 0; r < Rows; ++r) acc[r] += (Half)_mm256_set1_ps(rows[r][p]) * w;
    }
  }
  float* out = b.out + i * b.out_stride + j;
  const int64_t width = b.n - j;
  ET_XNN_UNROLL_ROWS
  for (int r = 0; r < Rows; ++r, out += b.out_stride) store_half(bounded(acc[r], b.clamp), out, width);
}
constexpr int kHalfRows = kRows < 10 ? 10 : kRows;
constexpr Tile kHalfTiles[] = {nullptr,      thin_tile<1>, thin_tile<2>, half_tile<3>, half_tile<4>,  half_tile<5>,
                               half_tile<6>, half_tile<7>, half_tile<8>, half_tile<9>, half_tile<10>, half_tile<11>};
static_assert(std::size(kHalfTiles) > kHalfRows);

/// Of the panel at column j.
Tile tile_of(const BlockF32& b, int64_t j, int64_t rows) { return (b.n - j <= kHalfPanel ? kHalfTiles : kTiles)[rows]; }
#endif

}  // namespace

#if !defined(__aarch64__)  // variant_neon_f32.cpp
void block_f32(const BlockF32& block) {
  const RunOfK whole{0, 0, block.k};
  BlockF32 b = block;
  if (b.runs == nullptr) {
    b.runs = &whole;
    b.run_count = 1;
  }
  int64_t j = 0;
#if ET_XNN_AVX512
  if (b.columns != nullptr) return block_few_f32(b);
  if (b.m > 2) {
    constexpr int64_t kSetFloats = 1024;  // lines so far apart share a set
    const bool aliased = b.a_stride % kSetFloats == 0 && b.k > 4 * kLanes;
    if (b.n > 2 * kPanel && b.n * b.k <= kFewWeights && !aliased) {
      each_tile<kPairRows>(b.m, [&](int64_t i, int64_t rows) {
        int64_t column = 0;
        for (; b.n - column > kPanel; column += 2 * kPanel) pair(b, i, column, rows);
        if (column < b.n) tile_of(b, column, rows)(b, i, column);
      });
      return;
    }
    for (; b.n - j > kPanel; j += 2 * kPanel) {
      const auto both = [&](int64_t i, int64_t rows) { pair(b, i, j, rows); };
      if (aliased)
        each_tile<kAliasedRows>(b.m, both);
      else
        each_tile<kPairRows>(b.m, both);
    }
  }
#endif
#if defined(__AVX__) && !ET_XNN_AVX512
  if (b.n > kPanel && b.n * b.k <= kFewWeights) {
    each_tile<kRows>(b.m, [&](int64_t i, int64_t rows) {
      for (int64_t column = 0; column < b.n; column += kPanel) {
        tile_of(b, column, rows)(b, i, column);
      }
    });
    return;
  }
#endif
  for (; j < b.n; j += kPanel) {
#if defined(__AVX__)
    if (b.n - j <= kHalfPanel) {
      return each_tile<kHalfRows>(b.m, [&](int64_t i, int64_t rows) { tile_of(b, j, rows)(b, i, j); });
    }
#endif
    each_tile<kRows>(b.m, [&](int64_t i, int64_t rows) { kTiles[rows](b, i, j); });
  }
}

#endif

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
#if defined(__AVX2__)
  constexpr int64_t kSquare = 4;
  if (width >= kSquare && k >= kSquare) {
    if (width < kPanel) std::fill(panel, panel + k * kPanel, 0.0f);
    constexpr int64_t kItem = sizeof(float);
    transpose_x32(reinterpret_cast<uint8_t*>(panel), kPanel * kItem, reinterpret_cast<const uint8_t*>(b), k * kItem, k,
                  width);
    return;
  }
#endif
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
