// Where the runtime's memory comes from: bump allocators over memory that the application gives, planned arenas, and
// the manager that holds the three kinds a method needs. High-water marks are kept so that tools can report them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/error.h"
#include "base/result.h"
#include "runtime/core/device.h"
#include "runtime/core/span.h"

namespace et {

/// Hands out pieces of [base, base + size) one after the other; reset() takes all of them back.
class MemoryAllocator {
 public:
  static constexpr size_t kDefaultAlignment = alignof(void*);

  /// Null with a size ends the process.
  MemoryAllocator(size_t size, uint8_t* base) : base_(base), size_(size) {
    if ((base == nullptr && size != 0) || size > UINTPTR_MAX - reinterpret_cast<uintptr_t>(base)) __builtin_trap();
  }
  virtual ~MemoryAllocator() = default;
  MemoryAllocator(const MemoryAllocator&) = delete;
  MemoryAllocator& operator=(const MemoryAllocator&) = delete;

  /// `alignment` is a power of two. Null when exhausted, or for a bad alignment. A `size` of 0 gives a valid pointer.
  virtual void* allocate(size_t size, size_t alignment = kDefaultAlignment);
  virtual void reset() { used_ = 0; }

  /// Room for `count` objects, not constructed; null on overflow or exhaustion.
  template <class T>
  T* allocate_list(size_t count) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, sizeof(T), &bytes)) return nullptr;
    return static_cast<T*>(allocate(bytes, alignof(T) > kDefaultAlignment ? alignof(T) : kDefaultAlignment));
  }
  template <class T>
  T* allocate_instance() {
    return allocate_list<T>(1);
  }

  template <class T>
  T* allocateInstance(size_t alignment = alignof(T)) {
    return static_cast<T*>(allocate(sizeof(T), alignment));
  }
  template <class T>
  T* allocateList(size_t count, size_t alignment = alignof(T)) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, sizeof(T), &bytes)) return nullptr;
    return static_cast<T*>(allocate(bytes, alignment));
  }

  virtual uint8_t* base_address() const { return base_; }
  /// Bytes; 0 where there is no fixed limit.
  virtual uint32_t size() const { return static_cast<uint32_t>(size_); }
  size_t capacity() const { return size_; }
  virtual size_t used_size() const { return used_; }
  virtual size_t free_size() const { return size_ - used_; }
  /// Kept for source compatibility: memory is reported by arena, without asking.
  void enable_profiling(const char*) {}
  /// Bytes in use, padding included, and their maximum so far.
  size_t used() const { return used_; }
  size_t high_water() const { return high_water_; }

 protected:
  static constexpr bool isPowerOf2(size_t value) { return value != 0 && (value & (value - 1)) == 0; }
  static uint8_t* alignPointer(void* pointer, size_t alignment) {
    return reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(pointer) + alignment - 1) & ~(alignment - 1));
  }
  int32_t prof_id() const { return -1; }
  void note_used(size_t used) {
    used_ = used;
    if (used > high_water_) high_water_ = used;
  }

 private:
  uint8_t* base_;
  size_t size_;
  size_t used_ = 0;
  size_t high_water_ = 0;
};

/// Grows by blocks of the platform's heap. reset() keeps the largest block for the next round, so that repeated use of
/// about the same size asks the heap once; the destructor gives all back.
class PlatformMemoryAllocator : public MemoryAllocator {
 public:
  PlatformMemoryAllocator() : MemoryAllocator(0, nullptr) {}
  ~PlatformMemoryAllocator() override;
  void* allocate(size_t size, size_t alignment = kDefaultAlignment) override;
  void reset() override;

 private:
  struct Block {
    Block* next;
    size_t size;  // bytes behind this header
  };
  Block* blocks_ = nullptr;  // the first is the one that pieces come from
  size_t taken_ = 0;         // bytes of the first
  size_t total_ = 0;         // bytes of all
};
using MallocMemoryAllocator = PlatformMemoryAllocator;

/// The planned arenas of a method: buffer i holds what the program calls memory id i + 1. Several methods may share
/// one.
class HierarchicalAllocator {
 public:
  /// `devices`: where each buffer is; none: all belong to the processor. Another count than that of the buffers ends
  /// the process.
  explicit HierarchicalAllocator(Span<Span<uint8_t>> buffers, ArrayRef<Device> devices = {})
      : buffers_(buffers), devices_(devices) {
    if (!devices.empty() && devices.size() != buffers.size()) __builtin_trap();
  }
  /// As older applications write it: all memory of each of these.
  HierarchicalAllocator(uint32_t count, MemoryAllocator* allocators) : allocators_(allocators, count) {}
  ArrayRef<Device> planned_buffer_devices() const { return devices_; }
  size_t buffer_count() const { return allocators_.empty() ? buffers_.size() : allocators_.size(); }
  Span<uint8_t> buffer(size_t i) const {
    return allocators_.empty() ? buffers_[i] : Span<uint8_t>(allocators_[i].base_address(), allocators_[i].size());
  }
  /// `size` bytes at `offset` of buffer `memory_id` (from 0). InvalidArgument: no such buffer;
  /// MemoryAllocationFailed: they do not fit.
  Result<void*> get_offset_address(uint32_t memory_id, uint64_t offset, size_t size) const;

 private:
  Span<Span<uint8_t>> buffers_;
  Span<MemoryAllocator> allocators_;
  ArrayRef<Device> devices_;
};

/// Memory of one method: `method_allocator` for what lives as long as it, `planned_memory` for tensors, and
/// `temp_allocator` for kernels and delegates during one instruction (null: the platform's heap, if it has one).
class MemoryManager {
 public:
  explicit MemoryManager(MemoryAllocator* method_allocator, HierarchicalAllocator* planned_memory = nullptr,
                         MemoryAllocator* temp_allocator = nullptr)
      : method_(method_allocator), planned_(planned_memory), temp_(temp_allocator) {}
  /// As older applications write it; the first is not used.
  MemoryManager(MemoryAllocator* /*constants*/, HierarchicalAllocator* planned_memory,
                MemoryAllocator* method_allocator, MemoryAllocator* temp_allocator)
      : MemoryManager(method_allocator, planned_memory, temp_allocator) {}
  MemoryAllocator* method_allocator() const { return method_; }
  HierarchicalAllocator* planned_memory() const { return planned_; }
  MemoryAllocator* temp_allocator() const { return temp_; }
  ArrayRef<Device> planned_buffer_devices() const {
    return planned_ == nullptr ? ArrayRef<Device>() : planned_->planned_buffer_devices();
  }
  bool has_device_memory() const { return !planned_buffer_devices().empty(); }

 private:
  MemoryAllocator* method_;
  HierarchicalAllocator* planned_;
  MemoryAllocator* temp_;
};

}  // namespace et
