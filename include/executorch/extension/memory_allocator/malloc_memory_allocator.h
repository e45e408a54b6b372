// MallocMemoryAllocator: grows by blocks of the heap.
#pragma once

#include "executorch/runtime/core/memory_allocator.h"

namespace executorch::extension {
using ::et::MallocMemoryAllocator;
}  // namespace executorch::extension
namespace torch::executor::util {
using ::executorch::extension::MallocMemoryAllocator;
}  // namespace torch::executor::util
