#include "runtime/core/memory_allocator.h"

#include "runtime/platform/log.h"
#include "runtime/platform/platform.h"

namespace et {
namespace {

bool is_power_of_two(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

}  // namespace

void* MemoryAllocator::allocate(size_t size, size_t alignment) {
  if (!is_power_of_two(alignment) || base_ == nullptr) return nullptr;
  const uintptr_t at = reinterpret_cast<uintptr_t>(base_) + used_;
  const size_t padding = (alignment - (at & (alignment - 1))) & (alignment - 1);
  if (padding > size_ - used_ || size > size_ - used_ - padding) {
    ET_LOG(Error, "memory: %zu bytes asked for, %zu of %zu free", size, size_ - used_, size_);
    return nullptr;
  }
  uint8_t* piece = base_ + used_ + padding;
  note_used(used_ + padding + size);
  return piece;
}

void* PlatformMemoryAllocator::allocate(size_t size, size_t alignment) {
  if (!is_power_of_two(alignment) || platform().allocate == nullptr) return nullptr;
  if (alignment < alignof(std::max_align_t)) alignment = alignof(std::max_align_t);
  size_t bytes = 0;
  if (__builtin_add_overflow(size, sizeof(Block) + alignment, &bytes)) return nullptr;
  auto* block = static_cast<Block*>(platform().allocate(bytes));
  if (block == nullptr) return nullptr;
  block->next = blocks_;
  blocks_ = block;
  note_used(used() + size);
  const uintptr_t at = reinterpret_cast<uintptr_t>(block + 1);
  return reinterpret_cast<void*>((at + alignment - 1) & ~(alignment - 1));
}

void PlatformMemoryAllocator::release() {
  while (blocks_ != nullptr) {
    Block* next = blocks_->next;
    platform().free(blocks_);
    blocks_ = next;
  }
}

Result<void*> HierarchicalAllocator::get_offset_address(uint32_t memory_id, uint64_t offset, size_t size) const {
  ET_CHECK_OR_RETURN_ERROR(memory_id < buffers_.size(), InvalidArgument, "memory id %u: there are %zu planned arenas",
                           static_cast<unsigned>(memory_id + 1), buffers_.size());
  const Span<uint8_t> buffer = buffers_[memory_id];
  ET_CHECK_OR_RETURN_ERROR(offset <= buffer.size() && size <= buffer.size() - offset, MemoryAllocationFailed,
                           "planned arena %u has %zu bytes, %zu at offset %llu do not fit",
                           static_cast<unsigned>(memory_id + 1), buffer.size(), size,
                           static_cast<unsigned long long>(offset));
  return static_cast<void*>(buffer.data() + offset);
}

}  // namespace et
