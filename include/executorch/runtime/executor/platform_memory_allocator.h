// PlatformMemoryAllocator: grows by blocks of the platform's heap.
#pragma once

#include "executorch/runtime/core/memory_allocator.h"

namespace executorch::runtime::internal {
using ::et::PlatformMemoryAllocator;
}  // namespace executorch::runtime::internal
