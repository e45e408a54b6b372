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
    ET_LOG(Error, "allocator: requested %zu bytes, %zu of %zu are free", size, size_ - used_, size_);
    return nullptr;
  }
  uint8_t* piece = base_ + used_ + padding;
  note_used(used_ + padding + size);
  return piece;
}

void* PlatformMemoryAllocator::allocate(size_t size, size_t alignment) {
  constexpr size_t kMin = 4096;
  constexpr size_t kMaxAhead = size_t{1} << 20;
  if (!is_power_of_two(alignment) || platform().allocate == nullptr) return nullptr;
  const auto place = [&]() -> uint8_t* {
    if (blocks_ == nullptr) return nullptr;
    const uintptr_t begin = reinterpret_cast<uintptr_t>(blocks_ + 1);
    const uintptr_t at = (begin + taken_ + alignment - 1) & ~(static_cast<uintptr_t>(alignment) - 1);
    if (at < begin || at - begin > blocks_->size || size > blocks_->size - (at - begin)) return nullptr;
    taken_ = at - begin + size;
    return reinterpret_cast<uint8_t*>(at);
  };
  uint8_t* piece = place();
  if (piece == nullptr) {
    size_t bytes = total_ < kMaxAhead ? total_ : kMaxAhead;
    if (bytes < kMin) bytes = kMin;
    size_t needed = 0;
    if (__builtin_add_overflow(size, alignment, &needed)) return nullptr;
    if (bytes < needed) bytes = needed;
    size_t with_header = 0;
    if (__builtin_add_overflow(bytes, sizeof(Block), &with_header)) return nullptr;
    auto* block = static_cast<Block*>(platform().allocate(with_header));
    if (block == nullptr) return nullptr;
    *block = {blocks_, bytes};
    blocks_ = block;
    taken_ = 0;
    total_ += bytes;
    piece = place();
  }
  note_used(used() + size);
  return piece;
}

void PlatformMemoryAllocator::reset() {
  Block* largest = blocks_;
  for (Block* b = blocks_; b != nullptr; b = b->next) {
    if (b->size > largest->size) largest = b;
  }
  for (Block* b = blocks_; b != nullptr;) {
    Block* next = b->next;
    if (b != largest) {
      total_ -= b->size;
      platform().free(b);
    }
    b = next;
  }
  blocks_ = largest;
  if (largest != nullptr) largest->next = nullptr;
  taken_ = 0;
  note_used(0);
}

PlatformMemoryAllocator::~PlatformMemoryAllocator() {
  while (blocks_ != nullptr) {
    Block* next = blocks_->next;
    platform().free(blocks_);
    blocks_ = next;
  }
}

Result<void*> HierarchicalAllocator::get_offset_address(uint32_t memory_id, uint64_t offset, size_t size) const {
  ET_CHECK_OR_RETURN_ERROR(memory_id < buffer_count(), InvalidArgument,
                           "memory id %u is out of range: there are %zu planned arenas",
                           static_cast<unsigned>(memory_id + 1), buffer_count());
  const Span<uint8_t> buffer = this->buffer(memory_id);
  ET_CHECK_OR_RETURN_ERROR(offset <= buffer.size() && size <= buffer.size() - offset, MemoryAllocationFailed,
                           "planned arena %u has %zu bytes; %zu bytes at offset %llu exceed it",
                           static_cast<unsigned>(memory_id + 1), buffer.size(), size,
                           static_cast<unsigned long long>(offset));
  return static_cast<void*>(buffer.data() + offset);
}

}  // namespace et
