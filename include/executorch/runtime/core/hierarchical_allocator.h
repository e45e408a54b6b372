// HierarchicalAllocator: the planned arenas of a method.
#pragma once

#include "executorch/runtime/core/memory_allocator.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/core/span.h"

namespace executorch::runtime {
using ::et::HierarchicalAllocator;
}  // namespace executorch::runtime
namespace torch::executor {
using ::executorch::runtime::HierarchicalAllocator;
}  // namespace torch::executor
