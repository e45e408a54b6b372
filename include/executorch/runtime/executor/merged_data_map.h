// MergedDataMap: several maps as one.
#pragma once

#include "executorch/runtime/core/named_data_map.h"
#include "runtime/executor/data_maps.h"

namespace executorch::runtime::internal {
using ::et::MergedDataMap;
}  // namespace executorch::runtime::internal
