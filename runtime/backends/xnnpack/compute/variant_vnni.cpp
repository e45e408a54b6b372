// Blocks of int8 and four-bit GEMMs for AVX-512 with VNNI: one instruction multiplies four unsigned with four signed
// bytes for each of sixteen columns and adds them to int32 sums.
#include <algorithm>
#include <cstring>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/backends/xnnpack/compute/variant_rows.h"
#include "runtime/backends/xnnpack/compute/variant_rows512.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

constexpr int64_t kPanel = PackedQs8::kPanel;
static_assert(kPanel == PackedQd8::kPanel && kPanel == 16);

// Ten sums hide the latency of an instruction on two ports; the pointers of twelve rows are more than the registers
// hold.
constexpr int kRows = 11;
#define ET_XNN_UNROLL _Pragma("GCC unroll 16")

[[gnu::always_inline]] inline __m512i load_wide(const void* p) { return _mm512_loadu_si512(p); }
[[gnu::always_inline]] inline __m256i low_half(__m512i x) { return _mm512_castsi512_si256(x); }
[[gnu::always_inline]] inline __m256i high_half(__m512i x) { return _mm512_extracti64x4_epi64(x, 1); }
[[gnu::always_inline]] inline __m512i four_of(const void* bytes) {
  int32_t four = 0;
  std::memcpy(&four, bytes, sizeof four);
  return _mm512_set1_epi32(four);
}

// Emulated, this is hundreds of instructions: a call keeps the unrolled tiles small.
#if ET_XNN_EMULATE
#define ET_XNN_EMULATED_CALL [[gnu::noinline]]
#else
#define ET_XNN_EMULATED_CALL [[gnu::always_inline]] inline
#endif
/// sum + the dot products of four unsigned and four signed bytes.
ET_XNN_EMULATED_CALL __m512i add_dots(__m512i sum, __m512i a, __m512i b) { return _mm512_dpbusd_epi32(sum, a, b); }
#undef ET_XNN_EMULATED_CALL

typedef int32_t Sums __attribute__((vector_size(64)));

/// Where the rows of a block begin and how their values lie.
struct RowsOfA {
  const uint8_t* first;
  int64_t stride;
  LinesOfA lines;
  const RunOfK* runs;
  int64_t run_count;
};

/// Rows of A times one or two panels: start(row, column) is where sums begin, store(row, column, sums) where they go.
/// The rows hold bytes with 128 added (variant_gather.cpp); what that adds was taken off at the start.
template <int Rows, int Panels, class Block, class Start, class Store>
[[gnu::always_inline]] inline void tile(const Block& b, const RowsOfA& a, int64_t i, int64_t j, const Start& start,
                                        const Store& store) {
  const uint8_t* rows[Rows];
  place_rows(a.first, a.stride, a.lines, i, rows);
  Sums acc0[Rows], acc1[Rows];  // as vectors of int32: GCC 12 would keep arrays of __m512i in memory
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    acc0[r] = (Sums)start(i + r, j);
    if constexpr (Panels == 2) acc1[r] = (Sums)start(i + r, j + kPanel);
  }
  const int64_t steps = 2 * b.pairs, next = steps * kPanel;
  for (const RunOfK *run = a.runs, *end = run + a.run_count; run != end; ++run) {
    const int8_t* panel = b.panels + j * steps + run->k * kPanel;
    for (int64_t p = run->a, last = p + run->length; p < last; p += 4, panel += 4 * kPanel) {
      const __m512i w0 = load_wide(panel), w1 = load_wide(panel + (Panels == 2 ? next : 0));
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const __m512i x = four_of(rows[r] + p);
        acc0[r] = (Sums)add_dots((__m512i)acc0[r], x, w0);
        if constexpr (Panels == 2) acc1[r] = (Sums)add_dots((__m512i)acc1[r], x, w1);
      }
    }
  }
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    store(i + r, j, (__m512i)acc0[r]);
    if constexpr (Panels == 2) store(i + r, j + kPanel, (__m512i)acc1[r]);
  }
}

template <int Rows, int Panels>
[[gnu::noinline]] void tile_qs8(const BlockQs8& b, int64_t i, int64_t j) {
  const RowsOfA a{reinterpret_cast<const uint8_t*>(b.a), b.a_bytes, b.lines, b.runs, b.run_count};
  const auto start = [&](int64_t, int64_t column) __attribute__((always_inline)) { return load_wide(b.bias + column); };
  tile<Rows, Panels>(b, a, i, j, start, StoreQs8(b));
}

template <int Rows, int Panels>
[[gnu::noinline]] void tile_qd8(const BlockQd8& b, int64_t i, int64_t j) {
  const RunOfK whole{0, 0, 2 * b.pairs};
  const RowsOfA a{reinterpret_cast<const uint8_t*>(b.a), 2 * b.a_stride, {}, &whole, 1};
  const auto start = [&](int64_t row, int64_t column) __attribute__((always_inline)) {
    return _mm512_mullo_epi32(load_wide(b.sums + column), _mm512_set1_epi32(-128 - b.quant[row].zero_point));
  };
  tile<Rows, Panels>(b, a, i, j, start, StoreQd8(b));
}

/// acc[r] += rows of A times one chunk of four-bit weights (0..15).
template <int Rows>
[[gnu::always_inline]] inline void add_chunk(const int8_t* const (&rows)[Rows], int64_t chunk, const uint8_t* panel,
                                             Sums (&acc)[Rows]) {
  constexpr int64_t kChunk = PackedQd8::kChunk;
  const __m512i nibble = _mm512_set1_epi8(15);
  const uint8_t* w = panel + chunk * kChunk * kPanel / 2;
  ET_XNN_UNROLL
  for (int s = 0; s < 4; ++s) {
    const __m512i both = load_wide(w + s * 64);
    const __m512i low = _mm512_and_si512(both, nibble);
    const __m512i high = _mm512_and_si512(_mm512_srli_epi16(both, 4), nibble);
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      const int8_t* at = rows[r] + chunk * kChunk + 8 * s;
      acc[r] = (Sums)add_dots((__m512i)acc[r], low, four_of(at));
      acc[r] = (Sums)add_dots((__m512i)acc[r], high, four_of(at + 4));
    }
  }
}

template <int Rows>
[[gnu::noinline]] void tile_channel(const BlockQ4& b, int64_t i, int64_t j, const uint8_t* panel) {
  const int8_t* rows[Rows];
  Sums acc[Rows];
  const __m512i total = load_wide(b.int_sums + j);
  for (int r = 0; r < Rows; ++r) {
    rows[r] = b.a + (i + r) * b.a_stride;
    int32_t eights = 0;
    for (int64_t c = 0; c < b.chunks; ++c) eights += b.eights[(i + r) * b.chunks + c];
    const __m512i zero = _mm512_set1_epi32(-b.quant[i + r].zero_point);
    acc[r] = (Sums)_mm512_sub_epi32(_mm512_mullo_epi32(total, zero), _mm512_set1_epi32(eights));
  }
  for (int64_t c = 0; c < b.chunks; ++c) add_chunk<Rows>(rows, c, panel, acc);
  const __m256 scale0 = _mm256_loadu_ps(b.scale + j), scale1 = _mm256_loadu_ps(b.scale + j + 8);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    store_q4(b, i + r, j, _mm256_mul_ps(_mm256_cvtepi32_ps(low_half((__m512i)acc[r])), scale0),
             _mm256_mul_ps(_mm256_cvtepi32_ps(high_half((__m512i)acc[r])), scale1));
  }
}

template <int Rows>
[[gnu::noinline]] void tile_blocks(const BlockQ4& b, int64_t i, int64_t j, const uint8_t* panel) {
  const int8_t* rows[Rows];
  __m256 total[Rows][2];
  start_q4(b, i, j, rows, total);
  const float* scale = b.scale + j * b.blocks;
  for (int64_t c0 = 0; c0 < b.chunks; c0 += b.block_chunks, scale += kPanel) {
    const int64_t c_end = std::min(b.chunks, c0 + b.block_chunks);
    Sums acc[Rows];
    for (int r = 0; r < Rows; ++r) {
      int32_t eights = 0;
      for (int64_t c = c0; c < c_end; ++c) eights += b.eights[(i + r) * b.chunks + c];
      acc[r] = (Sums)_mm512_set1_epi32(-eights);
    }
    for (int64_t c = c0; c < c_end; ++c) add_chunk<Rows>(rows, c, panel, acc);
    const __m256 scale0 = _mm256_loadu_ps(scale), scale1 = _mm256_loadu_ps(scale + 8);
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      total[r][0] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(low_half((__m512i)acc[r])), scale0, total[r][0]);
      total[r][1] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(high_half((__m512i)acc[r])), scale1, total[r][1]);
    }
  }
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) store_q4(b, i + r, j, total[r][0], total[r][1]);
}

/// f<rows>(first row) for tiles of up to kRows rows.
template <int Rows = kRows, class F>
[[gnu::always_inline]] inline void with_rows(int64_t rows, const F& f) {
  if (rows == Rows) return f.template operator()<Rows>();
  if constexpr (Rows > 1) with_rows<Rows - 1>(rows, f);
}

/// f<rows, panels>(first row, first column) for tiles of one or two panels.
template <class F>
[[gnu::always_inline]] inline void each_wide_tile(int64_t m, int64_t n, const F& f) {
  int64_t j = 0;
  for (; n - j > kPanel; j += 2 * kPanel) {
    each_tile<kRows>(m, [&](int64_t i, int64_t rows) {
      with_rows(rows, [&]<int Rows>() { f.template operator()<Rows, 2>(i, j); });
    });
  }
  if (j >= n) return;
  each_tile<kRows>(
      m, [&](int64_t i, int64_t rows) { with_rows(rows, [&]<int Rows>() { f.template operator()<Rows, 1>(i, j); }); });
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
  each_wide_tile(b.m, b.n, [&]<int Rows, int Panels>(int64_t i, int64_t j) { tile_qs8<Rows, Panels>(b, i, j); });
}

void block_qd8(const BlockQd8& b) {
  each_wide_tile(b.m, b.n, [&]<int Rows, int Panels>(int64_t i, int64_t j) { tile_qd8<Rows, Panels>(b, i, j); });
}

void block_q4(const BlockQ4& b) {
  for (int64_t j = 0; j < b.n; j += kPanel) {
    const uint8_t* panel = b.panels + j * b.chunks * PackedQd8::kChunk / 2;
    each_tile<kRows>(b.m, [&](int64_t i, int64_t rows) {
      with_rows(rows, [&]<int Rows>() {
        if (b.block_chunks != 0)
          tile_blocks<Rows>(b, i, j, panel);
        else
          tile_channel<Rows>(b, i, j, panel);
      });
    });
  }
}

}  // namespace et::xnn::ET_XNN_VARIANT
