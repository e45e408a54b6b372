// Transposes of bytes, and of values of four bytes in squares of eight where there are registers for that.
#include <algorithm>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
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

}  // namespace

void transpose_x8(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size, int64_t b_size) {
  et::ET_KERNELS::transpose<et::ET_KERNELS::Bytes1>(dst, dst_row, src, src_row, a_size, b_size);
}

void transpose_x32(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size, int64_t b_size) {
#if defined(__AVX2__)
  // Squares at the edges overlap the ones before them. Of long rows few are walked at a time: the processor fetches
  // ahead some streams only, and rows about a page apart share sets of the first cache.
  const auto together = [](int64_t row, int64_t few) {
    constexpr int64_t kPage = 4096, kNear = 256;
    const int64_t rest = row % kPage;
    return row >= kPage - kNear && (rest < kNear || rest > kPage - kNear) ? few / 2 : few;
  };
  const bool scattered = dst_row >= src_row;  // long rows are those of the result
  const int64_t band = scattered ? together(dst_row, 16) : 64;
  const int64_t rows = scattered ? 1024 : together(src_row, 16);
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
            if constexpr (Side == 8)
              square(to, dst_row, from, src_row);
            else
              et::ET_KERNELS::transposing::square<4>(to, dst_row, from, src_row);
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
