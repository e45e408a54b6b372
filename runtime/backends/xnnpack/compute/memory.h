// Memory of packed weights: zero at first, large pages where the system has them, given back when the weights go.
#pragma once

#include <cstddef>

namespace et::xnn {

/// Zeroed, aligned to 64 bytes. Null: there is none.
void* allocate_zeroed(size_t bytes);
/// `bytes`: as allocated.
void free_zeroed(void* memory, size_t bytes);

}  // namespace et::xnn
