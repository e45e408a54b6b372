// MemoryManager: the memory of one method.
#pragma once

#include "executorch/runtime/core/hierarchical_allocator.h"

namespace executorch::runtime {
using ::et::MemoryManager;
}  // namespace executorch::runtime
namespace torch::executor {
using ::executorch::runtime::MemoryManager;
}  // namespace torch::executor
