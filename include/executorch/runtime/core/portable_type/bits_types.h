// Elements that are bits without a meaning.
#pragma once

#include <cstdint>

#define ET_BITS_TYPE(name, integer)                                                   \
  struct alignas(sizeof(integer)) name {                                              \
    using underlying = integer;                                                       \
    integer val_;                                                                     \
    name() = default;                                                                 \
    explicit name(integer value) : val_(value) {}                                     \
    friend bool operator==(const name& a, const name& b) { return a.val_ == b.val_; } \
  };
namespace executorch::runtime::etensor {
ET_BITS_TYPE(bits1x8, uint8_t)
ET_BITS_TYPE(bits2x4, uint8_t)
ET_BITS_TYPE(bits4x2, uint8_t)
ET_BITS_TYPE(bits8, uint8_t)
ET_BITS_TYPE(bits16, uint16_t)
}  // namespace executorch::runtime::etensor
#undef ET_BITS_TYPE

namespace torch::executor {
using ::executorch::runtime::etensor::bits16;
using ::executorch::runtime::etensor::bits1x8;
using ::executorch::runtime::etensor::bits2x4;
using ::executorch::runtime::etensor::bits4x2;
using ::executorch::runtime::etensor::bits8;
}  // namespace torch::executor
