// Quantised integers: their numbers without scale and zero point.
#pragma once

#include <cstdint>

#include "executorch/runtime/core/portable_type/element_type.h"

namespace executorch::runtime::etensor {
ET_INTERNAL_ELEMENT_TYPE(qint8, int8_t)
ET_INTERNAL_ELEMENT_TYPE(quint8, uint8_t)
ET_INTERNAL_ELEMENT_TYPE(qint32, int32_t)
ET_INTERNAL_ELEMENT_TYPE(quint4x2, uint8_t)
ET_INTERNAL_ELEMENT_TYPE(quint2x4, uint8_t)
}  // namespace executorch::runtime::etensor

namespace torch::executor {
using ::executorch::runtime::etensor::qint32;
using ::executorch::runtime::etensor::qint8;
using ::executorch::runtime::etensor::quint2x4;
using ::executorch::runtime::etensor::quint4x2;
using ::executorch::runtime::etensor::quint8;
}  // namespace torch::executor
