// Blocks of int8 and four-bit GEMMs for AVX-512 with VNNI: one instruction multiplies four unsigned with four signed
// bytes for each of sixteen columns and adds them to int32 sums.
#include <algorithm>
#include <cstring>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/backends/xnnpack/compute/variant_rows.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

constexpr int64_t kPanel = PackedQs8::kPanel;
static_assert(kPanel == PackedQd8::kPanel && kPanel == 16);

// Twelve sums hide the instruction's latency on two ports.
constexpr int kRows = 12;
#define ET_XNN_UNROLL _Pragma("GCC unroll 16")

[[gnu::always_inline]] inline __m512i load_wide(const void* p) { return _mm512_loadu_si512(p); }
[[gnu::always_inline]] inline __m256i low_half(__m512i x) { return _mm512_castsi512_si256(x); }
[[gnu::always_inline]] inline __m256i high_half(__m512i x) { return _mm512_extracti64x4_epi64(x, 1); }
[[gnu::always_inline]] inline __m512i four_of(const void* bytes) {
  int32_t four = 0;
  std::memcpy(&four, bytes, sizeof four);
  return _mm512_set1_epi32(four);
}

// Emulated, these two are hundreds of instructions: calls keep the unrolled tiles small.
#if ET_XNN_EMULATE
#define ET_XNN_EMULATED_CALL [[gnu::noinline]]
#else
#define ET_XNN_EMULATED_CALL [[gnu::always_inline]] inline
#endif
/// sum + the dot products of four unsigned and four signed bytes.
ET_XNN_EMULATED_CALL __m512i add_dots(__m512i sum, __m512i a, __m512i b) { return _mm512_dpbusd_epi32(sum, a, b); }
ET_XNN_EMULATED_CALL __m512i permute_words(__m512i order, __m512i x) { return _mm512_permutexvar_epi16(order, x); }
#undef ET_XNN_EMULATED_CALL

/// acc[r] += rows of A times one panel. The rows hold bytes with 128 added (variant_gather.cpp); 128 times the weights
/// is taken off again, which is one more dot product per step. Panels hold pairs along k: two of them are put together.
template <int Rows>
[[gnu::always_inline]] inline void multiply(int64_t pairs, const int16_t* a, int64_t a_stride, const int8_t* panel,
                                            __m512i (&acc)[Rows]) {
  // Words 0, 16, 1, 17, …: the pair of a column beside its next pair.
  const __m512i order = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21,
                                         5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
  const __m512i offset = _mm512_set1_epi8(static_cast<char>(0x80));
  const uint8_t* rows[Rows];
  for (int r = 0; r < Rows; ++r) rows[r] = reinterpret_cast<const uint8_t*>(a + r * a_stride);
  __m512i extra = _mm512_setzero_si512();
  const auto step = [&](int64_t p, __m512i two) __attribute__((always_inline)) {
    const __m512i w = permute_words(order, two);
    extra = add_dots(extra, offset, w);
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) acc[r] = add_dots(acc[r], four_of(rows[r] + 2 * p), w);
  };
  int64_t p = 0;
  for (; p + 2 <= pairs; p += 2) step(p, load_wide(panel + p * 32));
  if (p < pairs) {
    alignas(64) int8_t last[64] = {};
    std::memcpy(last, panel + p * 32, 32);
    step(p, load_wide(last));
  }
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) acc[r] = _mm512_sub_epi32(acc[r], extra);
}

template <int Rows>
[[gnu::noinline]] void tile_qs8(const BlockQs8& b, int64_t i, int64_t j) {
  __m512i acc[Rows];
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) acc[r] = load_wide(b.bias + j);
  multiply<Rows>(b.pairs, b.a + i * b.a_stride, b.a_stride, b.panels + j * b.pairs * 2, acc);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) store_qs8(b, i + r, j, low_half(acc[r]), high_half(acc[r]));
}

template <int Rows>
[[gnu::noinline]] void tile_qd8(const BlockQd8& b, int64_t i, int64_t j) {
  __m512i acc[Rows];
  const __m512i sums = load_wide(b.sums + j);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) acc[r] = _mm512_mullo_epi32(sums, _mm512_set1_epi32(-b.quant[i + r].zero_point));
  multiply<Rows>(b.pairs, b.a + i * b.a_stride, b.a_stride, b.panels + j * b.pairs * 2, acc);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) store_qd8(b, i + r, j, low_half(acc[r]), high_half(acc[r]));
}

/// acc[r] += rows of A times one chunk of four-bit weights (0..15).
template <int Rows>
[[gnu::always_inline]] inline void add_chunk(const int8_t* const (&rows)[Rows], int64_t chunk, const uint8_t* panel,
                                             __m512i (&acc)[Rows]) {
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
      acc[r] = add_dots(acc[r], low, four_of(at));
      acc[r] = add_dots(acc[r], high, four_of(at + 4));
    }
  }
}

template <int Rows>
[[gnu::noinline]] void tile_channel(const BlockQ4& b, int64_t i, int64_t j, const uint8_t* panel) {
  const int8_t* rows[Rows];
  __m512i acc[Rows];
  const __m512i total = load_wide(b.int_sums + j);
  for (int r = 0; r < Rows; ++r) {
    rows[r] = b.a + (i + r) * b.a_stride;
    int32_t eights = 0;
    for (int64_t c = 0; c < b.chunks; ++c) eights += b.eights[(i + r) * b.chunks + c];
    const __m512i zero = _mm512_set1_epi32(-b.quant[i + r].zero_point);
    acc[r] = _mm512_sub_epi32(_mm512_mullo_epi32(total, zero), _mm512_set1_epi32(eights));
  }
  for (int64_t c = 0; c < b.chunks; ++c) add_chunk<Rows>(rows, c, panel, acc);
  const __m256 scale0 = _mm256_loadu_ps(b.scale + j), scale1 = _mm256_loadu_ps(b.scale + j + 8);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    store_q4(b, i + r, j, _mm256_mul_ps(_mm256_cvtepi32_ps(low_half(acc[r])), scale0),
             _mm256_mul_ps(_mm256_cvtepi32_ps(high_half(acc[r])), scale1));
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
    __m512i acc[Rows];
    for (int r = 0; r < Rows; ++r) {
      int32_t eights = 0;
      for (int64_t c = c0; c < c_end; ++c) eights += b.eights[(i + r) * b.chunks + c];
      acc[r] = _mm512_set1_epi32(-eights);
    }
    for (int64_t c = c0; c < c_end; ++c) add_chunk<Rows>(rows, c, panel, acc);
    const __m256 scale0 = _mm256_loadu_ps(scale), scale1 = _mm256_loadu_ps(scale + 8);
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      total[r][0] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(low_half(acc[r])), scale0, total[r][0]);
      total[r][1] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(high_half(acc[r])), scale1, total[r][1]);
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

}  // namespace

void block_qs8(const BlockQs8& b) {
  for (int64_t j = 0; j < b.n; j += kPanel) {
    each_tile<kRows>(b.m,
                     [&](int64_t i, int64_t rows) { with_rows(rows, [&]<int Rows>() { tile_qs8<Rows>(b, i, j); }); });
  }
}

void block_qd8(const BlockQd8& b) {
  for (int64_t j = 0; j < b.n; j += kPanel) {
    each_tile<kRows>(b.m,
                     [&](int64_t i, int64_t rows) { with_rows(rows, [&]<int Rows>() { tile_qd8<Rows>(b, i, j); }); });
  }
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
