// Blocks of int8 GEMMs with int32 sums: A as pairs of int16, so that one multiply-add takes two steps along k for
// eight columns. Weights are int8 in the same order; with many rows a panel is widened once.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "runtime/backends/xnnpack/compute/variant_few_int8.h"
#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/backends/xnnpack/compute/variant_rows.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

constexpr int64_t kPanel = PackedQs8::kPanel;

#if defined(__AVX2__)

#define ET_XNN_UNROLL _Pragma("GCC unroll 16")

/// 8 columns of a pair.
template <bool Wide>
[[gnu::always_inline]] inline __m256i load_pair(const void* panel, int64_t pair, int half) {
  if constexpr (Wide) {
    return load(static_cast<const int16_t*>(panel) + pair * 32 + half * 16);
  } else {
    return _mm256_cvtepi8_epi16(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(static_cast<const int8_t*>(panel) + pair * 32 + half * 16)));
  }
}

void widen_panel(int64_t pairs, const int8_t* panel, int16_t* wide) {
  for (int64_t i = 0; i < pairs * 2; ++i) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(wide + i * 16),
                        _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(panel + i * 16))));
  }
}

/// acc[r] += `pairs` pairs of rows of A from byte `at` on, times one panel, or its first eight columns.
template <int Rows, bool Wide, int Halves>
[[gnu::always_inline]] inline void multiply(int64_t pairs, const uint8_t* const (&rows)[Rows], int64_t at,
                                            const void* panel, __m256i (&acc)[Rows][Halves]) {
  for (int64_t p = 0; p < pairs; ++p, at += 4) {
    if constexpr (!Wide) ask_for<Rows>(static_cast<const int8_t*>(panel) + p * 32);
    __m256i w[Halves];
    for (int h = 0; h < Halves; ++h) w[h] = load_pair<Wide>(panel, p, h);
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      int32_t pair = 0;
      std::memcpy(&pair, rows[r] + at, sizeof pair);
      const __m256i x = _mm256_set1_epi32(pair);
      for (int h = 0; h < Halves; ++h) acc[r][h] = _mm256_add_epi32(acc[r][h], _mm256_madd_epi16(x, w[h]));
    }
  }
}

template <int Rows, bool Wide, int Halves>
[[gnu::always_inline]] inline void multiply(const BlockQs8& b, int64_t i, const void* panel,
                                            __m256i (&acc)[Rows][Halves]) {
  const uint8_t* rows[Rows];
  place_rows(reinterpret_cast<const uint8_t*>(b.a), b.a_bytes, b.lines, i, rows);
  for (const RunOfK *run = b.runs, *end = run + b.run_count; run != end; ++run) {
    const int64_t from = run->k * kPanel * (Wide ? 2 : 1);
    multiply<Rows, Wide>((run->length + 1) / 2, rows, 2 * run->a, static_cast<const uint8_t*>(panel) + from, acc);
  }
}

template <int Rows, bool Wide>
[[gnu::noinline]] void tile_qs8(const BlockQs8& b, int64_t i, int64_t j, const void* panel) {
  __m256i acc[Rows][2];
  const __m256i start0 = load(b.bias + j), start1 = load(b.bias + j + 8);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    acc[r][0] = start0;
    acc[r][1] = start1;
  }
  multiply<Rows, Wide>(b, i, panel, acc);
  BytesOfRows store(b, i, j);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) store.row(acc[r][0], acc[r][1]);
}

/// The first eight columns only, of more rows: where the other half of the panel would be idle.
template <int Rows, bool Wide>
[[gnu::noinline]] void half_tile_qs8(const BlockQs8& b, int64_t i, int64_t j, const void* panel) {
  __m256i acc[Rows][1];
  const __m256i start = load(b.bias + j);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) acc[r][0] = start;
  multiply<Rows, Wide>(b, i, panel, acc);
  BytesOfRows store(b, i, j);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) store.row(acc[r][0]);
}

template <int Rows, bool Wide>
[[gnu::noinline]] void tile_qd8(const BlockQd8& b, int64_t i, int64_t j, const void* panel) {
  __m256i acc[Rows][2];
  const __m256i sum0 = load(b.sums + j), sum1 = load(b.sums + j + 8);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    const __m256i zero = _mm256_set1_epi32(-b.quant[i + r].zero_point);
    acc[r][0] = _mm256_mullo_epi32(sum0, zero);
    acc[r][1] = _mm256_mullo_epi32(sum1, zero);
  }
  const uint8_t* rows[Rows];
  place_rows(reinterpret_cast<const uint8_t*>(b.a), 2 * b.a_stride, {}, i, rows);
  multiply<Rows, Wide>(b.pairs, rows, 0, panel, acc);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) store_qd8(b, i + r, j, acc[r][0], acc[r][1]);
}

template <class Block>
using TileOf = void (*)(const Block&, int64_t, int64_t, const void*);
template <bool Wide>
constexpr TileOf<BlockQs8> kTilesQs8[] = {nullptr,           tile_qs8<1, Wide>, tile_qs8<2, Wide>, tile_qs8<3, Wide>,
                                          tile_qs8<4, Wide>, tile_qs8<5, Wide>, tile_qs8<6, Wide>};
template <bool Wide>
constexpr TileOf<BlockQd8> kTilesQd8[] = {nullptr,           tile_qd8<1, Wide>, tile_qd8<2, Wide>, tile_qd8<3, Wide>,
                                          tile_qd8<4, Wide>, tile_qd8<5, Wide>, tile_qd8<6, Wide>};

constexpr int64_t kHalfPanel = kPanel / 2, kHalfRows = 10;
template <bool Wide>
constexpr TileOf<BlockQs8> kHalfTilesQs8[] = {nullptr,
                                              half_tile_qs8<1, Wide>,
                                              half_tile_qs8<2, Wide>,
                                              half_tile_qs8<3, Wide>,
                                              half_tile_qs8<4, Wide>,
                                              half_tile_qs8<5, Wide>,
                                              half_tile_qs8<6, Wide>,
                                              half_tile_qs8<7, Wide>,
                                              half_tile_qs8<8, Wide>,
                                              half_tile_qs8<9, Wide>,
                                              half_tile_qs8<10, Wide>};
static_assert(std::size(kHalfTilesQs8<false>) == kHalfRows + 1);

template <class Block>
void run_block(const Block& b, const TileOf<Block>* plain, const TileOf<Block>* wide) {
  for (int64_t j = 0; j < b.n; j += kPanel) {
    const int8_t* panel = b.panels + j * b.pairs * 2;
    if constexpr (std::is_same_v<Block, BlockQs8>) {
      if (b.n - j <= kHalfPanel) {
        const auto* const tiles = b.wide != nullptr ? kHalfTilesQs8<true> : kHalfTilesQs8<false>;
        if (b.wide != nullptr) widen_panel(b.pairs, panel, b.wide);
        const void* const weights = b.wide != nullptr ? static_cast<const void*>(b.wide) : panel;
        each_tile<kHalfRows>(b.m, [&](int64_t i, int64_t rows) { tiles[rows](b, i, j, weights); });
        return;
      }
    }
    if (b.wide != nullptr) {
      widen_panel(b.pairs, panel, b.wide);
      each_tile<kTileRows>(b.m, [&](int64_t i, int64_t rows) { wide[rows](b, i, j, b.wide); });
    } else {
      each_tile<kTileRows>(b.m, [&](int64_t i, int64_t rows) { plain[rows](b, i, j, panel); });
    }
  }
}

}  // namespace

void block_qs8(const BlockQs8& block) {
  const RunOfK whole{0, 0, 2 * block.pairs};
  BlockQs8 b = block;
  if (b.runs == nullptr) {
    b.runs = &whole;
    b.run_count = 1;
  }
  if (b.a_bytes == 0) b.a_bytes = 2 * b.a_stride;
  if (few_pay(b)) return run_few(b);
  run_block(b, kTilesQs8<false>, kTilesQs8<true>);
}
void block_qd8(const BlockQd8& block) { run_block(block, kTilesQd8<false>, kTilesQd8<true>); }

#else

/// sums[c] for the columns of a panel.
void sums_of_row(int64_t pairs, const int16_t* a, const int8_t* panel, uint32_t (&sums)[kPanel]) {
  for (int64_t p = 0; p < pairs; ++p) {
    const int32_t x0 = a[2 * p], x1 = a[2 * p + 1];
    for (int64_t c = 0; c < kPanel; ++c) {
      sums[c] += static_cast<uint32_t>(x0 * panel[p * 32 + 2 * c] + x1 * panel[p * 32 + 2 * c + 1]);
    }
  }
}

}  // namespace

void block_qs8(const BlockQs8& b) {
  const int32_t zero = b.output.quant.zero_point;
  const auto low = static_cast<float>(b.output.min - zero), high = static_cast<float>(b.output.max - zero);
  for (int64_t j = 0; j < b.n; j += kPanel) {
    for (int64_t i = 0; i < b.m; ++i) {
      uint32_t sums[kPanel];
      for (int64_t c = 0; c < kPanel; ++c) sums[c] = static_cast<uint32_t>(b.bias[j + c]);
      sums_of_row(b.pairs, b.a + i * b.a_stride, b.panels + j * b.pairs * 2, sums);
      for (int64_t c = 0; c < std::min(kPanel, b.n - j); ++c) {
        float x = static_cast<float>(static_cast<int32_t>(sums[c])) * b.scale[j + c];
        x = x > low ? x : low;
        x = x < high ? x : high;
        b.out[i * b.out_stride + j + c] = static_cast<int8_t>(static_cast<int32_t>(std::nearbyint(x)) + zero);
      }
    }
  }
}

void block_qd8(const BlockQd8& b) {
  for (int64_t j = 0; j < b.n; j += kPanel) {
    for (int64_t i = 0; i < b.m; ++i) {
      uint32_t sums[kPanel];
      const auto zero = static_cast<uint32_t>(-b.quant[i].zero_point);
      for (int64_t c = 0; c < kPanel; ++c) sums[c] = static_cast<uint32_t>(b.sums[j + c]) * zero;
      sums_of_row(b.pairs, b.a + i * b.a_stride, b.panels + j * b.pairs * 2, sums);
      for (int64_t c = 0; c < std::min(kPanel, b.n - j); ++c) {
        float x = static_cast<float>(static_cast<int32_t>(sums[c])) * b.quant[i].scale * b.scale[j + c] + b.bias[j + c];
        x = x < b.clamp.min ? b.clamp.min : x;
        b.out[i * b.out_stride + j + c] = x > b.clamp.max ? b.clamp.max : x;
      }
    }
  }
}

#endif

}  // namespace et::xnn::ET_XNN_VARIANT
