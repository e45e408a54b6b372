// CPUCachingAllocator: memory of the heap, kept for the next round by size; safe to use from several threads.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "executorch/runtime/core/memory_allocator.h"

namespace executorch::extension {

inline constexpr size_t kCachingAllocatorDefaultAlignment = 64;

class CPUCachingAllocator : public ::executorch::runtime::MemoryAllocator {
 public:
  /// reset() gives all back to the heap once more than `max_size` bytes are held.
  explicit CPUCachingAllocator(uint32_t max_size) : MemoryAllocator(0, nullptr), max_size_(max_size) {}
  ~CPUCachingAllocator() override;
  void* allocate(size_t size, size_t alignment = kCachingAllocatorDefaultAlignment) override;
  void reset() override;

 protected:
  std::unordered_map<size_t, std::vector<void*>> available_map_;
  std::unordered_map<void*, size_t> allocation_map_;
  std::mutex mutex_;
  size_t max_size_;
  size_t current_size_ = 0;

 private:
  void free_everything();
};

}  // namespace executorch::extension
