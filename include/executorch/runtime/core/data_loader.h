// DataLoader: where the bytes of a program come from.
#pragma once

#include "executorch/runtime/core/freeable_buffer.h"
#include "executorch/runtime/core/result.h"
#include "runtime/loader/data_loader.h"

namespace executorch::runtime {
using ::et::DataLoader;
}  // namespace executorch::runtime
namespace torch::executor {
using ::executorch::runtime::DataLoader;
}  // namespace torch::executor
