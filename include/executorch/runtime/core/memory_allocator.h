// MemoryAllocator: hands out pieces of a buffer.
#pragma once

#include <cinttypes>

#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/platform/profiler.h"
#include "runtime/core/memory_allocator.h"

namespace executorch::runtime {
using ::et::MemoryAllocator;
}  // namespace executorch::runtime
namespace torch::executor {
using ::executorch::runtime::MemoryAllocator;
}  // namespace torch::executor
/// A piece of memory of an allocator; without one the function returns MemoryAllocationFailed.
#define ET_TRY_ALLOCATE_OR(allocator, bytes, ...)   \
  __extension__({                                   \
    void* et_piece_ = (allocator)->allocate(bytes); \
    if (et_piece_ == nullptr && (bytes) > 0) {      \
      __VA_ARGS__                                   \
    }                                               \
    et_piece_;                                      \
  })
#define ET_TRY_ALLOCATE_INSTANCE_OR(allocator, type, ...)             \
  __extension__({                                                     \
    type* et_piece_ = (allocator)->template allocateInstance<type>(); \
    if (et_piece_ == nullptr) {                                       \
      __VA_ARGS__                                                     \
    }                                                                 \
    et_piece_;                                                        \
  })
#define ET_TRY_ALLOCATE_LIST_OR(allocator, type, count, ...)           \
  __extension__({                                                      \
    type* et_piece_ = (allocator)->template allocateList<type>(count); \
    if (et_piece_ == nullptr && (count) > 0) {                         \
      __VA_ARGS__                                                      \
    }                                                                  \
    et_piece_;                                                         \
  })
#define ET_ALLOCATE_OR_RETURN_ERROR(allocator, bytes) \
  ET_TRY_ALLOCATE_OR(allocator, bytes, return ::et::Error::MemoryAllocationFailed;)
#define ET_ALLOCATE_INSTANCE_OR_RETURN_ERROR(allocator, type) \
  ET_TRY_ALLOCATE_INSTANCE_OR(allocator, type, return ::et::Error::MemoryAllocationFailed;)
#define ET_ALLOCATE_LIST_OR_RETURN_ERROR(allocator, type, count) \
  ET_TRY_ALLOCATE_LIST_OR(allocator, type, count, return ::et::Error::MemoryAllocationFailed;)
