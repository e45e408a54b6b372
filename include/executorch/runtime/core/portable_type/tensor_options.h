// Memory formats and layouts.
#pragma once

#include "runtime/core/device.h"

namespace executorch::runtime::etensor {
using ::et::Layout;
using ::et::MemoryFormat;
}  // namespace executorch::runtime::etensor
namespace torch::executor {
using ::executorch::runtime::etensor::Layout;
using ::executorch::runtime::etensor::MemoryFormat;
}  // namespace torch::executor
