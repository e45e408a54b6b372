// DeviceMemoryBuffer: memory of a device, given back when it goes.
#pragma once

#include <cstdint>
#include <utility>

#include "executorch/runtime/core/device_allocator.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/core/span.h"

namespace executorch::runtime {

class DeviceMemoryBuffer {
 public:
  /// NotFound: no allocator of that device; errors of the allocator.
  static Result<DeviceMemoryBuffer> create(size_t size, etensor::DeviceType type, etensor::DeviceIndex index = 0,
                                           size_t alignment = DeviceAllocator::kDefaultAlignment) {
    DeviceAllocator* allocator = get_device_allocator(type);
    ET_CHECK_OR_RETURN_ERROR(allocator != nullptr, NotFound, "no allocator for device type %d", static_cast<int>(type));
    const Result<void*> memory = allocator->allocate(size, index, alignment);
    if (!memory.ok()) return memory.error();
    return DeviceMemoryBuffer(*memory, size, allocator, index);
  }

  DeviceMemoryBuffer() = default;
  DeviceMemoryBuffer(DeviceMemoryBuffer&& other) noexcept { swap(other); }
  DeviceMemoryBuffer& operator=(DeviceMemoryBuffer&& other) noexcept {
    DeviceMemoryBuffer taken(std::move(other));
    swap(taken);
    return *this;
  }
  DeviceMemoryBuffer(const DeviceMemoryBuffer&) = delete;
  DeviceMemoryBuffer& operator=(const DeviceMemoryBuffer&) = delete;
  ~DeviceMemoryBuffer() {
    if (memory_ != nullptr && allocator_ != nullptr) allocator_->deallocate(memory_, index_);
  }

  void* data() const { return memory_; }
  size_t size() const { return size_; }
  /// The processor may not be able to read what it shows.
  Span<uint8_t> as_span() const { return {static_cast<uint8_t*>(memory_), size_}; }

 private:
  DeviceMemoryBuffer(void* memory, size_t size, DeviceAllocator* allocator, etensor::DeviceIndex index)
      : memory_(memory), size_(size), allocator_(allocator), index_(index) {}
  void swap(DeviceMemoryBuffer& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    std::swap(allocator_, other.allocator_);
    std::swap(index_, other.index_);
  }

  void* memory_ = nullptr;
  size_t size_ = 0;
  DeviceAllocator* allocator_ = nullptr;
  etensor::DeviceIndex index_ = 0;
};

}  // namespace executorch::runtime
