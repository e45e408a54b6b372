// FileDataLoader: reads parts of a file.
#pragma once

#include <cstddef>

#include "executorch/runtime/core/data_loader.h"
#include "executorch/runtime/core/result.h"
#include "runtime/loader/file_data_loader.h"

namespace executorch::extension {
using ::et::FileDataLoader;
}  // namespace executorch::extension
namespace torch::executor::util {
using ::executorch::extension::FileDataLoader;
}  // namespace torch::executor::util
