// Temporary memory of an application, and the platform's heap for what does not fit into it: kernels here may need more
// than ExecuTorch's do, and an application has sized its pool for those.
#pragma once

#include "runtime/core/memory_allocator.h"
#include "runtime/platform/platform.h"

namespace executorch::runtime::internal {

/// Lives in memory that nobody destroys: reset() gives everything back, which a method does after each instruction.
class OverflowAllocator final : public ::et::MemoryAllocator {
 public:
  explicit OverflowAllocator(::et::MemoryAllocator* first) : ::et::MemoryAllocator(0, nullptr), first_(first) {}

  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override {
    void* memory = first_->allocate(size, alignment);
    if (memory == nullptr) memory = from_heap(size, alignment);
    if (memory != nullptr) note_used(used() + size);
    return memory;
  }
  void reset() override {
    first_->reset();
    while (blocks_ != nullptr) {
      Block* const next = blocks_->next;
      ::et::platform().free(blocks_);
      blocks_ = next;
    }
    note_used(0);
  }

 private:
  struct Block {
    Block* next;
  };
  void* from_heap(size_t size, size_t alignment) {
    if (!isPowerOf2(alignment) || size > SIZE_MAX - sizeof(Block) - alignment) return nullptr;
    if (::et::platform().allocate == nullptr) return nullptr;
    auto* block = static_cast<Block*>(::et::platform().allocate(sizeof(Block) + alignment + size));
    if (block == nullptr) return nullptr;
    block->next = blocks_;
    blocks_ = block;
    return alignPointer(block + 1, alignment);
  }

  ::et::MemoryAllocator* first_;
  Block* blocks_ = nullptr;
};

}  // namespace executorch::runtime::internal
