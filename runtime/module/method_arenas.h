// MethodArenas: the memory that a method needs, taken from the heap: method memory, planned arenas (zeroed) and
// temporary memory. For applications with a heap; Module and the command line tools use it.
#pragma once

#include <memory>
#include <vector>

#include "runtime/core/memory_allocator.h"
#include "runtime/executor/method_meta.h"

namespace et {

class MethodArenas {
 public:
  /// An arena that several methods share, or that the application places; null data: allocated here.
  struct Given {
    size_t memory_id = 0;  // from 1
    Span<uint8_t> bytes;
  };

  /// MemoryAllocationFailed: the program asks for more than there is, or a given arena is too small.
  static Result<std::unique_ptr<MethodArenas>> create(const MethodMeta& meta, const std::vector<Given>& given = {},
                                                      MemoryAllocator* method_allocator = nullptr,
                                                      MemoryAllocator* temp_allocator = nullptr);

  /// Planned memory of the application, which must outlive the method.
  static std::unique_ptr<MethodArenas> around(const HierarchicalAllocator& planned,
                                              MemoryAllocator* method_allocator = nullptr,
                                              MemoryAllocator* temp_allocator = nullptr);

  MemoryManager* manager() { return &manager_; }
  const HierarchicalAllocator& planned() const { return planned_; }
  MemoryAllocator* method_allocator() const { return manager_.method_allocator(); }
  MemoryAllocator* temp_allocator() const { return manager_.temp_allocator(); }

 private:
  struct Free {
    void operator()(uint8_t* p) const;
  };
  MethodArenas(std::vector<std::unique_ptr<uint8_t, Free>> owned, std::vector<Span<uint8_t>> spans,
               MemoryAllocator* method_allocator, MemoryAllocator* temp_allocator);

  std::vector<std::unique_ptr<uint8_t, Free>> owned_;
  std::vector<Span<uint8_t>> spans_;
  HierarchicalAllocator planned_;
  PlatformMemoryAllocator own_method_;
  PlatformMemoryAllocator own_temp_;
  MemoryManager manager_;
};

}  // namespace et
