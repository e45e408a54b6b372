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
ET_XNN_EMULATED_CALL __m256i add_dots(__m256i sum, __m256i a, __m256i b) { return _mm256_dpbusd_epi32(sum, a, b); }
#undef ET_XNN_EMULATED_CALL

typedef int32_t Sums __attribute__((vector_size(64)));
/// The last panel of a tile, or, where it has no more than eight columns, its first half.
template <bool kHalf>
struct LastPanel {
  typedef __m512i Vector;
  typedef Sums Acc;
  [[gnu::always_inline]] static Vector of(__m512i x) { return x; }
  [[gnu::always_inline]] static Vector load(const int8_t* p) { return load_wide(p); }
  [[gnu::always_inline]] static __m512i whole(Acc x) { return (__m512i)x; }
};
template <>
struct LastPanel<true> {
  typedef __m256i Vector;
  typedef int32_t Acc __attribute__((vector_size(32)));
  [[gnu::always_inline]] static Vector of(__m512i x) { return _mm512_castsi512_si256(x); }
  [[gnu::always_inline]] static Vector load(const int8_t* p) { return ET_XNN_VARIANT::load(p); }
  [[gnu::always_inline]] static __m512i whole(Acc x) {
    return _mm512_inserti64x4(_mm512_setzero_si512(), (__m256i)x, 0);
  }
};
constexpr int64_t kHalfPanel = kPanel / 2;

/// Where the rows of a block begin and how their values lie.
struct RowsOfA {
  const uint8_t* first;
  int64_t stride;
  LinesOfA lines;
  const RunOfK* runs;
  int64_t run_count;
};

/// Rows of A times one or two panels, of the last one maybe a half: start(row, column) is where sums begin, store(row,
/// column, sums) where they go. The rows hold bytes with 128 added (variant_gather.cpp); what that adds was taken off
/// at the start.
template <int Rows, int Panels, bool kHalf, class Block, class Start, class Store>
[[gnu::always_inline]] inline void tile(const Block& b, const RowsOfA& a, int64_t i, int64_t j, const Start& start,
                                        const Store& store) {
  using Last = LastPanel<kHalf>;
  constexpr int64_t kLast = (Panels - 1) * kPanel;
  const uint8_t* rows[Rows];
  place_rows(a.first, a.stride, a.lines, i, rows);
  Sums first[Rows];  // as vectors of int32: GCC 12 would keep arrays of __m512i in memory
  typename Last::Acc last[Rows];
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    if constexpr (Panels == 2) first[r] = (Sums)start(i + r, j);
    last[r] = (typename Last::Acc)Last::of(start(i + r, j + kLast));
  }
  const int64_t steps = 2 * b.pairs, next = steps * kLast;
  for (const RunOfK *run = a.runs, *end = run + a.run_count; run != end; ++run) {
    const int8_t* panel = b.panels + j * steps + run->k * kPanel;
    for (int64_t p = run->a, stop = p + run->length; p < stop; p += 4, panel += 4 * kPanel) {
      [[maybe_unused]] const __m512i w = load_wide(panel);
      const typename Last::Vector w_last = Last::load(panel + next);
      ask_for<Rows>(panel);
      if constexpr (Panels == 2) ask_for<Rows>(panel + next);
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const __m512i x = four_of(rows[r] + p);
        if constexpr (Panels == 2) first[r] = (Sums)add_dots((__m512i)first[r], x, w);
        last[r] = (typename Last::Acc)add_dots((typename Last::Vector)last[r], Last::of(x), w_last);
      }
    }
  }
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    if constexpr (Panels == 2) store(i + r, j, (__m512i)first[r]);
    store(i + r, j + kLast, Last::whole(last[r]));
  }
}

template <int Rows, int Panels, bool kHalf>
[[gnu::noinline]] void tile_qs8(const BlockQs8& b, int64_t i, int64_t j) {
  const RowsOfA a{reinterpret_cast<const uint8_t*>(b.a), b.a_bytes, b.lines, b.runs, b.run_count};
  const auto start = [&](int64_t, int64_t column) __attribute__((always_inline)) { return load_wide(b.bias + column); };
  tile<Rows, Panels, kHalf>(b, a, i, j, start, StoreQs8(b));
}

template <int Rows, int Panels>
[[gnu::noinline]] void tile_qd8(const BlockQd8& b, int64_t i, int64_t j) {
  const RunOfK whole{0, 0, 2 * b.pairs};
  const RowsOfA a{reinterpret_cast<const uint8_t*>(b.a), 2 * b.a_stride, {}, &whole, 1};
  const auto start = [&](int64_t row, int64_t column) __attribute__((always_inline)) {
    return _mm512_mullo_epi32(load_wide(b.sums + column), _mm512_set1_epi32(-128 - b.quant[row].zero_point));
  };
  tile<Rows, Panels, false>(b, a, i, j, start, StoreQd8(b));
}

typedef float Floats __attribute__((vector_size(64)));

/// Sums of rows of A times chunks of four-bit weights (0..15). Of few rows the products with the high halves of the
/// bytes are summed sixteenfold: taking those halves costs one instruction then, and there are two chains of sums.
template <int Rows>
struct SumsQ4 {
  static constexpr bool kSplit = Rows <= 2;
  static constexpr int64_t kMostChunks = 1024;  // of which sums of sixteenfold products fit into an int32
  Sums low[Rows], high[Rows];

  [[gnu::always_inline]] void start(int r, __m512i sum) {
    low[r] = (Sums)sum;
    if constexpr (kSplit) high[r] = (Sums)_mm512_setzero_si512();
  }
  [[gnu::always_inline]] void add(const int8_t* const (&rows)[Rows], int64_t chunk, const uint8_t* panel) {
    constexpr int64_t kChunk = PackedQd8::kChunk;
    const __m512i nibble = _mm512_set1_epi8(15);
    const uint8_t* w = panel + chunk * kChunk * kPanel / 2;
    ET_XNN_UNROLL
    for (int s = 0; s < 4; ++s) {
      ask_for<Rows>(w + s * 64);
      const __m512i both = load_wide(w + s * 64), l = _mm512_and_si512(both, nibble);
      const __m512i h =
          kSplit ? _mm512_andnot_si512(nibble, both) : _mm512_and_si512(_mm512_srli_epi16(both, 4), nibble);
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const int8_t* at = rows[r] + chunk * kChunk + 8 * s;
        low[r] = (Sums)add_dots((__m512i)low[r], l, four_of(at));
        Sums& to = kSplit ? high[r] : low[r];
        to = (Sums)add_dots((__m512i)to, h, four_of(at + 4));
      }
    }
  }
  [[gnu::always_inline]] __m512i sum(int r) const {
    if constexpr (kSplit) return (__m512i)(low[r] + (high[r] >> 4));
    return (__m512i)low[r];
  }
};

/// Sixteen of bfloat16.
[[gnu::always_inline]] inline __m512 load_wide_bf16(const uint16_t* p) {
  typedef uint16_t Halves __attribute__((vector_size(32)));
  typedef uint32_t Words __attribute__((vector_size(64)));
  return (__m512)(__builtin_convertvector((Halves)load(p), Words) << 16);  // the emulation has no such conversion
}

/// `x` is the sum times the weights' scale, less the zero point's part.
[[gnu::always_inline]] inline void store_wide_q4(const BlockQ4& b, int64_t i, int64_t j, __m512 x) {
  x = _mm512_fmadd_ps(x, _mm512_set1_ps(b.quant[i].scale), _mm512_loadu_ps(b.bias + j));
  x = _mm512_min_ps(_mm512_set1_ps(b.clamp.max), _mm512_max_ps(_mm512_set1_ps(b.clamp.min), x));
  float* out = b.out + i * b.out_stride + j;
  if (b.n - j >= 16) [[likely]] {
    _mm512_storeu_ps(out, x);
    return;
  }
  float few[16];
  _mm512_storeu_ps(few, x);
  for (int64_t c = 0; c < b.n - j; ++c) out[c] = few[c];
}

template <int Rows>
[[gnu::noinline]] void tile_channel(const BlockQ4& b, int64_t i, int64_t j, const uint8_t* panel) {
  const int8_t* rows[Rows];
  SumsQ4<Rows> sums;
  const __m512i total = load_wide(b.int_sums + j);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    rows[r] = b.a + (i + r) * b.a_stride;
    int32_t eights = 0;
    for (int64_t c = 0; c < b.chunks; ++c) eights += b.eights[(i + r) * b.chunks + c];
    const __m512i zero = _mm512_set1_epi32(-b.quant[i + r].zero_point);
    sums.start(r, _mm512_sub_epi32(_mm512_mullo_epi32(total, zero), _mm512_set1_epi32(eights)));
  }
  for (int64_t c0 = 0; c0 < b.chunks; c0 += sums.kMostChunks) {
    for (int64_t c = c0; c < std::min(b.chunks, c0 + sums.kMostChunks); ++c) sums.add(rows, c, panel);
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) sums.start(r, sums.sum(r));
  }
  const __m512 scale = _mm512_loadu_ps(b.scale + j);
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    store_wide_q4(b, i + r, j, _mm512_mul_ps(to_floats((__m512i)sums.low[r]), scale));
  }
}

template <int Rows>
[[gnu::noinline]] void tile_blocks(const BlockQ4& b, int64_t i, int64_t j, const uint8_t* panel) {
  const int8_t* rows[Rows];
  Floats total[Rows];
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) {
    rows[r] = b.a + (i + r) * b.a_stride;
    const __m512 zero = _mm512_set1_ps(static_cast<float>(-b.quant[i + r].zero_point));
    total[r] = (Floats)_mm512_mul_ps(zero, _mm512_loadu_ps(b.sums + j));
  }
  const uint16_t* scale = b.block_scale + j * b.blocks;
  const int32_t* eights = b.eights + i * b.chunks;
  for (int64_t c0 = 0; c0 < b.chunks; c0 += b.block_chunks, scale += kPanel) {
    const int64_t c_end = std::min(b.chunks, c0 + b.block_chunks);
    SumsQ4<Rows> sums;
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      int32_t less = eights[r * b.chunks + c0];
      for (int64_t c = c0 + 1; c < c_end; ++c) less += eights[r * b.chunks + c];
      sums.start(r, _mm512_set1_epi32(-less));
    }
    for (int64_t first = c0; first < c_end; first += sums.kMostChunks) {
      for (int64_t c = first; c < std::min(c_end, first + sums.kMostChunks); ++c) sums.add(rows, c, panel);
      if (c_end - c0 <= sums.kMostChunks) break;
      ET_XNN_UNROLL
      for (int r = 0; r < Rows; ++r) sums.start(r, sums.sum(r));
    }
    const __m512 factor = load_wide_bf16(scale);
    ask_for<Rows>(scale);
    ET_XNN_UNROLL
    for (int r = 0; r < Rows; ++r) {
      total[r] = (Floats)_mm512_fmadd_ps(to_floats(sums.sum(r)), factor, (__m512)total[r]);
    }
  }
  ET_XNN_UNROLL
  for (int r = 0; r < Rows; ++r) store_wide_q4(b, i + r, j, (__m512)total[r]);
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
  each_wide_tile(b.m, b.n, [&]<int Rows, int Panels>(int64_t i, int64_t j) {
    if (b.n - j - (Panels - 1) * kPanel <= kHalfPanel)
      tile_qs8<Rows, Panels, true>(b, i, j);
    else
      tile_qs8<Rows, Panels, false>(b, i, j);
  });
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
