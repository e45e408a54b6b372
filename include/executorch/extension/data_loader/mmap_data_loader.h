// MmapDataLoader: a mapped file.
#pragma once

#include "executorch/runtime/core/data_loader.h"
#include "executorch/runtime/core/result.h"
#include "runtime/loader/mmap_data_loader.h"

namespace executorch::extension {
using ::et::MmapDataLoader;
}  // namespace executorch::extension
namespace torch::executor::util {
using ::executorch::extension::MmapDataLoader;
}  // namespace torch::executor::util
