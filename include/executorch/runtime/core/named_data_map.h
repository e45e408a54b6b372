// NamedDataMap: tensors and blobs by key.
#pragma once

#include "executorch/runtime/core/data_loader.h"
#include "executorch/runtime/core/tensor_layout.h"

namespace executorch::runtime {
using ::et::NamedDataMap;
}  // namespace executorch::runtime
