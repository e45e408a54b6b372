// Loops over blocks of float32: a fast vectorised function first, and libm for the elements that it says it is not good
// for.
#pragma once

#include <cstdint>

#include "runtime/kernels/common/variant.h"

namespace et::ET_KERNELS {

/// fast(k, &bad) computes element k and sets `bad` to non-zero when slow(k) has to do it.
template <class Fast, class Slow>
void loop_in_blocks(float* __restrict out, int64_t n, const Fast& fast, const Slow& slow) {
  constexpr int64_t kBlock = 64;
  for (int64_t done = 0; done < n; done += kBlock) {
    const int64_t m = n - done < kBlock ? n - done : kBlock;
    uint32_t bad[kBlock];
    uint32_t any = 0;
    for (int64_t k = 0; k < m; ++k) {
      out[done + k] = fast(done + k, &bad[k]);
      any |= bad[k];
    }
    if (any == 0) [[likely]]
      continue;
    for (int64_t k = 0; k < m; ++k) {
      if (bad[k] != 0) out[done + k] = slow(done + k);
    }
  }
}

}  // namespace et::ET_KERNELS
