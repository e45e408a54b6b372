// Quantised integers: their numbers without scale and zero point.
#pragma once

#include <cstdint>

#define ET_QUANTISED_TYPE(name, integer)                                              \
  struct alignas(sizeof(integer)) name {                                              \
    using underlying = integer;                                                       \
    integer val_;                                                                     \
    name() = default;                                                                 \
    explicit name(integer value) : val_(value) {}                                     \
    friend bool operator==(const name& a, const name& b) { return a.val_ == b.val_; } \
  };
namespace executorch::runtime::etensor {
ET_QUANTISED_TYPE(qint8, int8_t)
ET_QUANTISED_TYPE(quint8, uint8_t)
ET_QUANTISED_TYPE(qint32, int32_t)
ET_QUANTISED_TYPE(quint4x2, uint8_t)
ET_QUANTISED_TYPE(quint2x4, uint8_t)
}  // namespace executorch::runtime::etensor
#undef ET_QUANTISED_TYPE

namespace torch::executor {
using ::executorch::runtime::etensor::qint32;
using ::executorch::runtime::etensor::qint8;
using ::executorch::runtime::etensor::quint2x4;
using ::executorch::runtime::etensor::quint4x2;
using ::executorch::runtime::etensor::quint8;
}  // namespace torch::executor
