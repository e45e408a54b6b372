// Panels with eight steps of a column side by side: how four-bit weights become them. Included by variant_neon_*.cpp
// only.
#pragma once

#include "runtime/backends/xnnpack/compute/variant_neon.h"

namespace et::xnn::ET_XNN_VARIANT {

/// Four columns of eight steps, two columns a vector. A byte has step i of a column low, step i + 4 high.
struct FourColumns {
  [[gnu::always_inline]] explicit FourColumns(const uint8_t* packed) {
    const uint8x16_t both = vld1q_u8(packed);
    const int32x4_t low = vreinterpretq_s32_u8(vandq_u8(both, vdupq_n_u8(15)));
    const int32x4_t high = vreinterpretq_s32_u8(vshrq_n_u8(both, 4));
    pairs[0] = vreinterpretq_s8_s32(vzip1q_s32(low, high));
    pairs[1] = vreinterpretq_s8_s32(vzip2q_s32(low, high));
  }
  int8x16_t pairs[2];
};

inline void widen_chunk(const uint8_t* from, uint8_t* to) {
  for (int s = 0; s < 4; ++s, from += 4 * kPanel, to += 8 * kPanel) {
    ET_XNN_UNROLL
    for (int v = 0; v < 4; ++v) {
      const FourColumns four(from + 16 * v);
      vst1q_s8(reinterpret_cast<int8_t*>(to + 32 * v), four.pairs[0]);
      vst1q_s8(reinterpret_cast<int8_t*>(to + 32 * v + 16), four.pairs[1]);
    }
  }
}

}  // namespace et::xnn::ET_XNN_VARIANT
