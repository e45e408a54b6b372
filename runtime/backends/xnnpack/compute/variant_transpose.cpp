// Transposes of bytes, and of values of four bytes in squares of eight where there are registers for that.
#include <algorithm>
#include <utility>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/matrix/tile.h"
#include "runtime/kernels/movement/transpose.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

#if defined(__AVX2__)
typedef float Four __attribute__((vector_size(16), may_alias, aligned(1)));
typedef float Eight __attribute__((vector_size(32), may_alias, aligned(1)));

[[gnu::always_inline]] inline Eight two_rows(const uint8_t* a, const uint8_t* b) {
  const Four low = *reinterpret_cast<const Four*>(a), high = *reinterpret_cast<const Four*>(b);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

/// Eight rows of eight values. Rows four apart share a vector, so that no shuffle crosses its halves.
[[gnu::always_inline]] inline void square(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row) {
  for (int half = 0; half < 2; ++half, src += 16, dst += 4 * dst_row) {
    const Eight a = two_rows(src, src + 4 * src_row), b = two_rows(src + src_row, src + 5 * src_row);
    const Eight c = two_rows(src + 2 * src_row, src + 6 * src_row), d = two_rows(src + 3 * src_row, src + 7 * src_row);
    const Eight ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    const Eight ab2 = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    const Eight cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    const Eight cd2 = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    const auto put = [&](int i, Eight v) { *reinterpret_cast<Eight*>(dst + i * dst_row) = v; };
    put(0, __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13));
    put(1, __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15));
    put(2, __builtin_shufflevector(ab2, cd2, 0, 1, 8, 9, 4, 5, 12, 13));
    put(3, __builtin_shufflevector(ab2, cd2, 2, 3, 10, 11, 6, 7, 14, 15));
  }
}
#endif

#if defined(__AVX2__) && !ET_XNN_AVX512
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
void transpose_squares(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size,
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
#if defined(__AVX2__) && !ET_XNN_AVX512
  if (a_size >= kWide && b_size >= kTall) return transpose_squares(dst, dst_row, src, src_row, a_size, b_size);
#endif
  et::ET_KERNELS::transpose<et::ET_KERNELS::Bytes1>(dst, dst_row, src, src_row, a_size, b_size);
}

void transpose_x32(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size, int64_t b_size) {
#if defined(__AVX2__)
  // Squares at the edges overlap the ones before them. Of long rows few are walked at a time where they are about a
  // part of a page apart, and share sets of the first cache; of the source's rows few in any case: the processor
  // fetches ahead some streams only, and not beyond a page.
  constexpr int64_t kPage = 4096, kNear = 256, kFew = 16;
  const auto near = [](int64_t row, int64_t unit, int64_t most) {
    const int64_t rest = row % unit;
    return row >= unit - most && (rest < most || rest > unit - most);
  };
  const auto together = [&](int64_t row) { return near(row, kPage, kNear) ? kFew / 2 : kFew; };
  const bool scattered = dst_row >= src_row;  // long rows are those of the result
#if ET_XNN_AVX512                             // measured without it
  const bool shares = true, ahead = false;
#else
  const bool shares = near(dst_row, kPage, kNear) || near(dst_row, kPage / 4, 64), ahead = !scattered;
#endif
  const int64_t band = scattered && shares ? together(dst_row) : 64;
  const int64_t rows = scattered ? 1024 : together(src_row);
  const auto squares = [&]<int64_t Side>() {
    for (int64_t a0 = 0; a0 < a_size; a0 += band) {
      const int64_t a_end = std::min(a_size, a0 + band);
      for (int64_t b0 = 0; b0 < b_size; b0 += rows) {
        const int64_t b_end = std::min(b_size, b0 + rows);
        // What lies side by side in a row comes one after the other.
        const int64_t tall = (a_end - a0 + Side - 1) / Side, wide = (b_end - b0 + Side - 1) / Side;
        for (int64_t o = 0; o < (scattered ? wide : tall); ++o) {
          for (int64_t n = 0; n < (scattered ? tall : wide); ++n) {
            const int64_t a = std::min(a0 + (scattered ? n : o) * Side, a_size - Side);
            const int64_t b = std::min(b0 + (scattered ? o : n) * Side, b_size - Side);
            uint8_t* const to = dst + a * dst_row + b * 4;
            const uint8_t* const from = src + a * 4 + b * src_row;
            if constexpr (Side == 8) {
              for (int64_t i = 0; ahead && i < Side; ++i) __builtin_prefetch(from + i * src_row + 3 * 4 * Side);
              square(to, dst_row, from, src_row);
            } else {
              et::ET_KERNELS::transposing::square<4>(to, dst_row, from, src_row);
            }
          }
        }
      }
    }
  };
  if (a_size >= 8 && b_size >= 8) return squares.template operator()<8>();
  if (a_size >= 4 && b_size >= 4) return squares.template operator()<4>();
#endif
  et::ET_KERNELS::transpose<et::ET_KERNELS::Bytes4>(dst, dst_row, src, src_row, a_size, b_size);
}

}  // namespace et::xnn::ET_XNN_VARIANT
