// Memory of the heap, kept by size.
#include <algorithm>
#include <cstdlib>

#include "executorch/extension/memory_allocator/cpu_caching_malloc_allocator.h"
#include "executorch/extension/memory_allocator/memory_allocator_utils.h"

namespace executorch::extension {

void* CPUCachingAllocator::allocate(size_t size, size_t alignment) {
  if (!isPowerOf2(alignment)) {
    ET_LOG(Error, "alignment %zu is not a power of two", alignment);
    return nullptr;
  }
  alignment = std::max(alignment, kCachingAllocatorDefaultAlignment);
  const ::et::Result<size_t> bytes = utils::get_aligned_size(size, alignment);
  if (!bytes.ok()) return nullptr;
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<void*>& kept = available_map_[*bytes];
  void* block = nullptr;
  if (!kept.empty()) {
    block = kept.back();
    kept.pop_back();
  } else {
    block = std::malloc(*bytes);
    if (block == nullptr) return nullptr;
    current_size_ += *bytes;
  }
  allocation_map_[block] = *bytes;
  return alignPointer(block, alignment);
}

void CPUCachingAllocator::reset() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (current_size_ > max_size_) return free_everything();
  for (const auto& [block, bytes] : allocation_map_) available_map_[bytes].push_back(block);
  allocation_map_.clear();
}

void CPUCachingAllocator::free_everything() {
  for (const auto& [bytes, blocks] : available_map_) {
    for (void* block : blocks) std::free(block);
  }
  for (const auto& [block, bytes] : allocation_map_) std::free(block);
  available_map_.clear();
  allocation_map_.clear();
  current_size_ = 0;
}

CPUCachingAllocator::~CPUCachingAllocator() { free_everything(); }

}  // namespace executorch::extension
