// float16 and bfloat16 as bits.
#pragma once

#include <bit>
#include <cstdint>

#include "runtime/backends/xnnpack/compute/matrix_f32.h"

namespace et::xnn {

inline float bf16_to_f32(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
/// Rounds to even; a NaN stays one.
inline uint16_t f32_to_bf16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}
inline float f16_to_f32(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t rest = bits & 0x7fffu;
  if (rest >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  // The exponent's bias differs by 112. Subnormal numbers are normal in float32, and made without any there: those may
  // count as 0.
  const uint32_t value = rest < 0x400u
                             ? std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(rest)) * 0x1p-24f)
                             : (rest << 13) + (112u << 23);
  return std::bit_cast<float>(value | sign);
}
/// Rounds to even; a NaN stays one.
inline uint16_t f32_to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (rest >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds to 65536 or more
  if (rest < 0x38800000u) {
    // Subnormal: adding 1/2 rounds the value to multiples of 2^-24.
    const float rounded = std::bit_cast<float>(rest) + 0.5f;
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(rounded) - 0x3f000000u));
  }
  return static_cast<uint16_t>(sign | (rest - 0x38000000u + 0xfffu + (rest >> 13 & 1u)) >> 13);
}

inline float load_float(const void* data, FloatType type, int64_t i) {
  switch (type) {
    case FloatType::F32:
      return static_cast<const float*>(data)[i];
    case FloatType::F16:
      return f16_to_f32(static_cast<const uint16_t*>(data)[i]);
    case FloatType::BF16:
      break;
  }
  return bf16_to_f32(static_cast<const uint16_t*>(data)[i]);
}

}  // namespace et::xnn
