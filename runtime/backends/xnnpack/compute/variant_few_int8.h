// Blocks of int8 GEMMs with so few columns that most of a panel would be idle, with AVX2: dot products along k, of
// several rows with all columns at once. Included by variant_int8.cpp only.
#pragma once

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/backends/xnnpack/compute/variant_rows.h"

#if defined(__AVX2__)
namespace et::xnn::ET_XNN_VARIANT {
namespace {

#define ET_XNN_UNROLL_FEW _Pragma("GCC unroll 4")

constexpr int64_t kFewColumns = 4, kPairsOfVector = 8;
constexpr int kMostFewRows = 4;
/// So many sums as there are registers for.
constexpr int few_rows(int columns) { return columns == kFewColumns ? 3 : kMostFewRows; }

/// Whether that takes less than half a panel: a vector of pairs costs each column what a pair costs the half panel, and
/// sums have to be folded.
bool few_pay(const BlockQs8& b) {
  if (b.wide == nullptr || b.n > kFewColumns) return false;
  int64_t vectors = 0, pairs = 0;
  for (const RunOfK *run = b.runs, *end = run + b.run_count; run != end; ++run) {
    const int64_t count = (run->length + 1) / 2;
    pairs += count;
    vectors += (count + kPairsOfVector - 1) / kPairsOfVector;
  }
  return 5 * vectors * b.n + 48 <= 3 * pairs;
}

/// The first columns of a panel as int16, each in one piece.
void take_columns(int64_t pairs, const int8_t* panel, int64_t count, int16_t* to) {
  for (int64_t c = 0; c < count; ++c) {
    const int8_t* from = panel + 2 * c;
    for (int64_t p = 0; p < pairs; ++p, from += 2 * PackedQs8::kPanel) {
      *to++ = from[0];
      *to++ = from[1];
    }
  }
}

template <int Rows, int Columns, class Load>
[[gnu::always_inline]] inline void add_products(__m256i (&acc)[Rows][Columns], const uint8_t* const (&rows)[Rows],
                                                int64_t at, const int16_t* weights, int64_t column,
                                                const Load& load_row) {
  __m256i w[Columns];
  ET_XNN_UNROLL_FEW
  for (int c = 0; c < Columns; ++c) w[c] = load(weights + c * column);
  ET_XNN_UNROLL_FEW
  for (int r = 0; r < Rows; ++r) {
    const __m256i x = load_row(rows[r] + at);
    ET_XNN_UNROLL_FEW
    for (int c = 0; c < Columns; ++c) acc[r][c] = _mm256_add_epi32(acc[r][c], _mm256_madd_epi16(x, w[c]));
  }
}

/// The sum of each column's lanes.
template <int Columns>
[[gnu::always_inline]] inline __m128i fold_columns(const __m256i (&acc)[Columns]) {
  const auto column = [&](int c) { return c < Columns ? acc[c < Columns ? c : 0] : _mm256_setzero_si256(); };
  const __m256i pairs = Columns == 1 ? _mm256_hadd_epi32(acc[0], acc[0]) : _mm256_hadd_epi32(column(0), column(1));
  const __m256i all = _mm256_hadd_epi32(pairs, Columns <= 2 ? pairs : _mm256_hadd_epi32(column(2), column(3)));
  return _mm_add_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}

/// Rows rows of A from i on; `columns` as take_columns() leaves them, behind which a vector more is readable.
template <int Rows, int Columns>
[[gnu::noinline]] void few_tile_qs8(const BlockQs8& b, int64_t i, const int16_t* columns) {
  alignas(32) static constexpr int32_t kRests[2 * kPairsOfVector] = {-1, -1, -1, -1, -1, -1, -1, -1};
  __m256i acc[Rows][Columns];
  ET_XNN_UNROLL_FEW
  for (int r = 0; r < Rows; ++r) {
    ET_XNN_UNROLL_FEW
    for (int c = 0; c < Columns; ++c) acc[r][c] = _mm256_setzero_si256();
  }
  const uint8_t* rows[Rows];
  place_rows(reinterpret_cast<const uint8_t*>(b.a), b.a_bytes, b.lines, i, rows);
  for (const RunOfK *run = b.runs, *end = run + b.run_count; run != end; ++run) {
    const int64_t pairs = (run->length + 1) / 2, whole = pairs / kPairsOfVector * kPairsOfVector;
    const int16_t* w = columns + run->k;
    for (int64_t p = 0; p < whole; p += kPairsOfVector) {
      add_products(acc, rows, 2 * run->a + 4 * p, w + 2 * p, 2 * b.pairs, [](const uint8_t* at) { return load(at); });
    }
    if (whole == pairs) continue;
    const __m256i rest = load(kRests + kPairsOfVector - (pairs - whole));
    add_products(acc, rows, 2 * run->a + 4 * whole, w + 2 * whole, 2 * b.pairs,
                 [&](const uint8_t* at) { return _mm256_maskload_epi32(reinterpret_cast<const int*>(at), rest); });
  }
  const __m128i start = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b.bias));
  BytesOfRows store(b, i, 0);
  ET_XNN_UNROLL_FEW
  for (int r = 0; r < Rows; ++r) store.row(_mm256_castsi128_si256(_mm_add_epi32(start, fold_columns(acc[r]))));
}

using FewTile = void (*)(const BlockQs8&, int64_t, const int16_t*);
template <int Columns>
constexpr FewTile kFewTiles[] = {nullptr, few_tile_qs8<1, Columns>, few_tile_qs8<2, Columns>, few_tile_qs8<3, Columns>,
                                 few_tile_qs8<few_rows(Columns), Columns>};

template <int Columns>
void few_columns(const BlockQs8& b) {
  take_columns(b.pairs, b.panels, Columns, b.wide);
  each_tile<few_rows(Columns)>(b.m, [&](int64_t i, int64_t rows) { kFewTiles<Columns>[rows](b, i, b.wide); });
}

/// All of a block for which few_pay() holds.
void run_few(const BlockQs8& b) {
  switch (b.n) {
    case 1:
      return few_columns<1>(b);
    case 2:
      return few_columns<2>(b);
    case 3:
      return few_columns<3>(b);
    default:
      return few_columns<4>(b);
  }
}

}  // namespace
}  // namespace et::xnn::ET_XNN_VARIANT
#endif
