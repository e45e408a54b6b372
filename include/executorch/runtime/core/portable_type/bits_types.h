// Elements that are bits without a meaning.
#pragma once

#include <cstdint>

#include "executorch/runtime/core/portable_type/element_type.h"

namespace executorch::runtime::etensor {
ET_INTERNAL_ELEMENT_TYPE(bits1x8, uint8_t)
ET_INTERNAL_ELEMENT_TYPE(bits2x4, uint8_t)
ET_INTERNAL_ELEMENT_TYPE(bits4x2, uint8_t)
ET_INTERNAL_ELEMENT_TYPE(bits8, uint8_t)
ET_INTERNAL_ELEMENT_TYPE(bits16, uint16_t)
}  // namespace executorch::runtime::etensor

namespace torch::executor {
using ::executorch::runtime::etensor::bits16;
using ::executorch::runtime::etensor::bits1x8;
using ::executorch::runtime::etensor::bits2x4;
using ::executorch::runtime::etensor::bits4x2;
using ::executorch::runtime::etensor::bits8;
}  // namespace torch::executor
