// Transposes of bytes, and of values of four bytes in squares of eight where there are registers for that.
#include <algorithm>
#include <utility>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"
#include "runtime/kernels/movement/transpose.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

#if defined(__AVX2__)
typedef float Eight __attribute__((vector_size(32), may_alias, aligned(1)));

[[gnu::always_inline]] inline Eight two_rows(const uint8_t* a, const uint8_t* b) {
  const __m128 low = _mm_loadu_ps(reinterpret_cast<const float*>(a)),
               high = _mm_loadu_ps(reinterpret_cast<const float*>(b));
  return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

/// Four columns of eight rows of four-byte values. Rows four apart share a vector, so that no shuffle crosses its
/// halves.
[[gnu::always_inline]] inline void four_columns(uint8_t* to, int64_t to_row, int64_t to_three, const uint8_t* from,
                                                const uint8_t* lower, int64_t from_row, int64_t from_three) {
  const Eight a = two_rows(from, lower), b = two_rows(from + from_row, lower + from_row);
  const Eight c = two_rows(from + 2 * from_row, lower + 2 * from_row);
  const Eight d = two_rows(from + from_three, lower + from_three);
  const Eight ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
  const Eight ab2 = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
  const Eight cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
  const Eight cd2 = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
  const auto put = [](uint8_t* at, Eight v) { *reinterpret_cast<Eight*>(at) = v; };
  put(to, __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13));
  put(to + to_row, __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15));
  put(to + 2 * to_row, __builtin_shufflevector(ab2, cd2, 0, 1, 8, 9, 4, 5, 12, 13));
  put(to + to_three, __builtin_shufflevector(ab2, cd2, 2, 3, 10, 11, 6, 7, 14, 15));
}

/// Squares of eight rows and `Columns` columns, one after the other: `size` rows of the source for the same rows of
/// the result, or columns for the same of the source. The last one overlaps the one before it. Inline:
/// a call for each line costs a fifth of the time.
template <int Columns, bool kAlongResult>
[[gnu::always_inline]] inline void line_of_squares(uint8_t* to, int64_t to_row, const uint8_t* from, int64_t from_row,
                                                   int64_t size) {
  constexpr int64_t kStep = kAlongResult ? 8 : Columns;
  const int64_t to_step = kAlongResult ? 4 : to_row, from_step = kAlongResult ? from_row : 4;
  const int64_t to_three = 3 * to_row, from_three = 3 * from_row;
  const auto next = [&]() __attribute__((always_inline)) {
    const uint8_t* const lower = from + 4 * from_row;
    four_columns(to, to_row, to_three, from, lower, from_row, from_three);
    if constexpr (Columns == 8) {
      four_columns(to + 4 * to_row, to_row, to_three, from + 16, lower + 16, from_row, from_three);
    }
  };
  for (int64_t squares = size / kStep; squares > 0; --squares) {
    next();
    to += kStep * to_step;
    from += kStep * from_step;
  }
  if (const int64_t left = size % kStep; left != 0) {
    to -= (kStep - left) * to_step;
    from -= (kStep - left) * from_step;
    next();
  }
}

/// Of four-byte values, at least eight rows of at least four. The lines that are written stay in the first cache; but
/// where the source's rows share its sets, what is read does.
void transpose_squares(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size,
                       int64_t b_size) {
  constexpr int64_t kHalfPage = 2048, kNear = 64, kBand = 128, kFew = 16;
  const auto whole = [](int64_t first, int64_t size, int64_t band) {  // less than a square is no band of its own
    return size - first - band < 8 ? size - first : band;
  };
  const int64_t rest = src_row % kHalfPage;
  if (a_size >= 8 && src_row >= kHalfPage - kNear && (rest < kNear || rest > kHalfPage - kNear)) {
    for (int64_t a = 0, band = 0; a < a_size; a += band) {
      band = whole(a, a_size, kFew);
      for (int64_t b = 0; b < b_size; b += 8) {
        const int64_t row = std::min(b, b_size - 8);
        line_of_squares<8, false>(dst + a * dst_row + row * 4, dst_row, src + a * 4 + row * src_row, src_row, band);
      }
    }
    return;
  }
  for (int64_t b = 0, band = 0; b < b_size; b += band) {
    band = whole(b, b_size, kBand);
    uint8_t* const to = dst + b * 4;
    const uint8_t* const from = src + b * src_row;
    int64_t a = 0;
    for (; a_size >= 8 && a_size - a > 4; a += 8) {
      const int64_t column = std::min(a, a_size - 8);
      line_of_squares<8, true>(to + column * dst_row, dst_row, from + column * 4, src_row, band);
    }
    for (; a < a_size; a += 4) {
      const int64_t column = std::min(a, a_size - 4);
      line_of_squares<4, true>(to + column * dst_row, dst_row, from + column * 4, src_row, band);
    }
  }
}

/// Of four rows or more, eight columns at a time; what is left of the rows overlaps, and so do columns.
void transpose_few_rows(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size,
                        int64_t b_size) {
  for (int64_t b = 0; b < b_size; b += 4) {
    const int64_t row = std::min(b, b_size - 4);
    for (int64_t a = 0; a < a_size; a += 8) {
      const int64_t column = std::min(a, a_size - 8);
      const uint8_t* const from = src + column * 4 + row * src_row;
      uint8_t* const to = dst + column * dst_row + row * 4;
      const auto read = [&](int i) { return _mm256_loadu_ps(reinterpret_cast<const float*>(from + i * src_row)); };
      const __m256 ab = _mm256_unpacklo_ps(read(0), read(1)), ab2 = _mm256_unpackhi_ps(read(0), read(1));
      const __m256 cd = _mm256_unpacklo_ps(read(2), read(3)), cd2 = _mm256_unpackhi_ps(read(2), read(3));
      const auto put = [&](int i, __m256 v) {  // columns i and i + 4
        _mm_storeu_ps(reinterpret_cast<float*>(to + i * dst_row), _mm256_castps256_ps128(v));
        _mm_storeu_ps(reinterpret_cast<float*>(to + (i + 4) * dst_row), _mm256_extractf128_ps(v, 1));
      };
      put(0, _mm256_shuffle_ps(ab, cd, 0x44));
      put(1, _mm256_shuffle_ps(ab, cd, 0xee));
      put(2, _mm256_shuffle_ps(ab2, cd2, 0x44));
      put(3, _mm256_shuffle_ps(ab2, cd2, 0xee));
    }
  }
}

typedef uint8_t Bytes __attribute__((vector_size(32), may_alias, aligned(1)));
constexpr int64_t kWide = 16, kTall = 32;  // of a square of bytes: of the source's rows, and how many of these

/// a0 b0 a1 b1 … of the lower or the upper quarters of both halves.
template <int kFrom, int... I>
[[gnu::always_inline]] inline Bytes zip(Bytes a, Bytes b, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(a, b, (I % 2 * 32 + I / 16 * 16 + kFrom + I % 16 / 2)...);
}
[[gnu::always_inline]] inline void zip_rows(const Bytes (&from)[kWide], Bytes (&to)[kWide]) {
  constexpr std::make_integer_sequence<int, 32> lanes{};
  ET_UNROLL
  for (int i = 0; i < kWide / 2; ++i) {
    to[2 * i] = zip<0>(from[i], from[i + kWide / 2], lanes);
    to[2 * i + 1] = zip<8>(from[i], from[i + kWide / 2], lanes);
  }
}

/// Rows 16 apart share a vector: zipping each of the first eight with that of the last, four times, transposes both.
/// Loops of eight, which are unrolled: or the vectors would go through memory.
[[gnu::noinline]] void square_of_bytes(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row) {
  constexpr int kEight = kWide / 2;
  const auto read = [&](int i) __attribute__((always_inline)) {
    const auto half = [&](int row) __attribute__((always_inline)) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(src + row * src_row));
    };
    return reinterpret_cast<Bytes>(_mm256_inserti128_si256(_mm256_castsi128_si256(half(i)), half(i + kWide), 1));
  };
  Bytes a[kWide], b[kWide];
  ET_UNROLL
  for (int i = 0; i < kEight; ++i) {
    a[i] = read(i);
    a[i + kEight] = read(i + kEight);
  }
  zip_rows(a, b);
  zip_rows(b, a);
  zip_rows(a, b);
  zip_rows(b, a);
  ET_UNROLL
  for (int i = 0; i < kWide; i += 2) {
    *reinterpret_cast<Bytes*>(dst + i * dst_row) = a[i];
    *reinterpret_cast<Bytes*>(dst + (i + 1) * dst_row) = a[i + 1];
  }
}

/// In blocks of whole cache lines, along the short rows first; squares at the edges overlap the ones before them.
void transpose_bytes(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size,
                     int64_t b_size) {
  constexpr int64_t kLine = 64;
  const auto block = [&](int64_t a0, int64_t b0) {
    for (int64_t b = b0; b < std::min(b0 + kLine, b_size); b += kTall) {
      for (int64_t a = a0; a < std::min(a0 + kLine, a_size); a += kWide) {
        const int64_t to = std::min(a, a_size - kWide), from = std::min(b, b_size - kTall);
        square_of_bytes(dst + to * dst_row + from, dst_row, src + to + from * src_row, src_row);
      }
    }
  };
  if (dst_row >= src_row) {
    for (int64_t b = 0; b < b_size; b += kLine) {
      for (int64_t a = 0; a < a_size; a += kLine) block(a, b);
    }
  } else {
    for (int64_t a = 0; a < a_size; a += kLine) {
      for (int64_t b = 0; b < b_size; b += kLine) block(a, b);
    }
  }
}
#endif

}  // namespace

void transpose_x8(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size, int64_t b_size) {
#if defined(__AVX2__)
  if (a_size >= kWide && b_size >= kTall) return transpose_bytes(dst, dst_row, src, src_row, a_size, b_size);
#endif
  et::ET_KERNELS::transpose<et::ET_KERNELS::Bytes1>(dst, dst_row, src, src_row, a_size, b_size);
}

void transpose_x32(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size, int64_t b_size) {
#if defined(__AVX2__)
  if (a_size >= 4 && b_size >= 8) return transpose_squares(dst, dst_row, src, src_row, a_size, b_size);
  if (a_size >= 8 && b_size >= 4) return transpose_few_rows(dst, dst_row, src, src_row, a_size, b_size);
#endif
  et::ET_KERNELS::transpose<et::ET_KERNELS::Bytes4>(dst, dst_row, src, src_row, a_size, b_size);
}

}  // namespace et::xnn::ET_XNN_VARIANT
