// Blocks of float32 GEMMs with so few columns that most of a panel would be idle: dot products along k, of several rows
// with all columns at once.
#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"

#include "runtime/backends/xnnpack/compute/variant_fold.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

#define ET_XNN_UNROLL_FEW _Pragma("GCC unroll 16")

/// The first `count` values, zeros behind.
[[gnu::always_inline]] inline V::Type load_few(const float* from, int64_t count) {
#if ET_XNN_AVX512 && !ET_XNN_EMULATE
  return (V::Type)_mm512_maskz_loadu_ps(first_lanes(count), from);
#else
  float few[kLanes] = {};
  for (int64_t i = 0; i < count; ++i) few[i] = from[i];
  return V::load(few);
#endif
}

template <int Rows, int Columns, class Load>
[[gnu::always_inline]] inline void add_products(V::Type (&acc)[Rows][Columns], const float* const (&rows)[Rows],
                                                const float* const (&columns)[Columns], int64_t a, int64_t k,
                                                const Load& load) {
  V::Type w[Columns];
  ET_XNN_UNROLL_FEW
  for (int c = 0; c < Columns; ++c) w[c] = load(columns[c] + k);
  ET_XNN_UNROLL_FEW
  for (int r = 0; r < Rows; ++r) {
    const V::Type x = load(rows[r] + a);
    ET_XNN_UNROLL_FEW
    for (int c = 0; c < Columns; ++c) acc[r][c] += x * w[c];
  }
}

/// Rows rows of A from i on, times all columns.
template <int Rows, int Columns>
[[gnu::noinline]] void few_tile(const BlockF32& b, int64_t i) {
  V::Type acc[Rows][Columns] = {};
  const float* rows[Rows];
  const float* columns[Columns];
  place_rows(b.a, b.a_stride, b.lines, i, rows);
  for (int c = 0; c < Columns; ++c) columns[c] = b.columns + c * b.k;
  for (const RunOfK *run = b.runs, *end = run + b.run_count; run != end; ++run) {
    int64_t p = 0;
    for (; p + kLanes <= run->length; p += kLanes) {
      add_products(acc, rows, columns, run->a + p, run->k + p, [](const float* at) { return V::load(at); });
    }
    if (const int64_t rest = run->length - p; rest > 0) {
      add_products(acc, rows, columns, run->a + p, run->k + p, [&](const float* at) { return load_few(at, rest); });
    }
  }
  float* out = b.out + i * b.out_stride;
  for (int r = 0; r < Rows; ++r, out += b.out_stride) {
    ET_XNN_UNROLL_FEW
    for (int c = 0; c < Columns; ++c) {
      float x = fold_lanes(acc[r][c], [](V::Type p, V::Type q) { return p + q; });
      if (b.bias != nullptr) x += b.bias[c];
      out[c] = bounded(x, b.clamp);
    }
  }
}

template <int Columns>
void few_columns(const BlockF32& b) {
  constexpr int kRows = 24 / Columns < 8 ? 24 / Columns : 8;
  int64_t i = 0;
  for (; i + kRows <= b.m; i += kRows) few_tile<kRows, Columns>(b, i);
  for (; i < b.m; ++i) few_tile<1, Columns>(b, i);
}

}  // namespace

void block_few_f32(const BlockF32& b) {
  static_assert(PackedF32::kFewColumns == 8);
  switch (b.n) {
    case 1:
      return few_columns<1>(b);
    case 2:
      return few_columns<2>(b);
    case 3:
      return few_columns<3>(b);
    case 4:
      return few_columns<4>(b);
    case 5:
      return few_columns<5>(b);
    case 6:
      return few_columns<6>(b);
    case 7:
      return few_columns<7>(b);
    default:
      return few_columns<8>(b);
  }
}

}  // namespace et::xnn::ET_XNN_VARIANT
