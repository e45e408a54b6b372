// Hadamard transforms in place, not normalised: of length 2^n, and with a matrix of order 28 across 28 rows.
#pragma once

#include <cstdint>

#include "runtime/kernels/common/variant.h"

namespace et::ET_KERNELS::hadamard {

/// Williamson's matrix of order 28: four by four blocks of circulants of order 7, [A B C D; -B A -D C; -C D A -B;
/// -D -C B A]. A bit of a first row is set for -1 (entry 0 is bit 0).
inline constexpr uint32_t kCirculants[4] = {0x7e, 0x3c, 0x5a, 0x66};
inline constexpr int kBlocks[4][4] = {{1, 2, 3, 4}, {-2, 1, -4, 3}, {-3, 4, 1, -2}, {-4, -3, 2, 1}};

struct Signs {
  int8_t at[28][28] = {};
  constexpr Signs() {
    for (int row = 0; row < 28; ++row) {
      for (int column = 0; column < 28; ++column) {
        const int block = kBlocks[row / 7][column / 7];
        const int first = (column % 7 - row % 7 + 7) % 7;
        const bool negative = (kCirculants[(block < 0 ? -block : block) - 1] >> first & 1u) != 0;
        at[row][column] = negative == (block < 0) ? 1 : -1;
      }
    }
  }
};
inline constexpr Signs kSigns;

/// `n` is a power of two.
template <class S>
void transform(S* x, int64_t n) {
  for (int64_t step = 1; step < n; step *= 2) {
    for (int64_t i = 0; i < n; i += 2 * step) {
      S* __restrict a = x + i;
      S* __restrict b = x + i + step;
      for (int64_t j = 0; j < step; ++j) {
        const S sum = a[j] + b[j], difference = a[j] - b[j];
        a[j] = sum;
        b[j] = difference;
      }
    }
  }
}

/// x is [28, n].
template <class S>
void across_28(S* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    S column[28];
    for (int r = 0; r < 28; ++r) column[r] = x[r * n + i];
    for (int r = 0; r < 28; ++r) {
      S sum = 0;
      for (int c = 0; c < 28; ++c) sum += static_cast<S>(kSigns.at[r][c]) * column[c];
      x[r * n + i] = sum;
    }
  }
}

}  // namespace et::ET_KERNELS::hadamard
