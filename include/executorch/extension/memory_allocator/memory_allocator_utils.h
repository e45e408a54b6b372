// Sizes for malloc.
#pragma once

#include <cstddef>
#include <cstdint>

#include "executorch/runtime/core/result.h"

namespace executorch::extension::utils {

/// Bytes to ask malloc for, so that an aligned piece of `size` bytes is among them. InvalidArgument: an overflow.
inline ::et::Result<size_t> get_aligned_size(size_t size, size_t alignment) {
  if (alignment <= alignof(std::max_align_t)) return size;
  ET_CHECK_OR_RETURN_ERROR(size < SIZE_MAX - (alignment - 1), InvalidArgument, "%zu bytes, aligned to %zu, overflow",
                           size, alignment);
  return size + alignment - 1;
}

}  // namespace executorch::extension::utils
