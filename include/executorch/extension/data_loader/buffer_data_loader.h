// BufferDataLoader: a program in memory.
#pragma once

#include "executorch/runtime/core/data_loader.h"
#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/platform/log.h"
#include "runtime/loader/buffer_data_loader.h"

namespace executorch::extension {
using ::et::BufferDataLoader;
}  // namespace executorch::extension
namespace torch::executor::util {
using ::executorch::extension::BufferDataLoader;
}  // namespace torch::executor::util
