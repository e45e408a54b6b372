// DeviceAllocator: memory of a device that is not the processor, and where its allocators are registered.
#pragma once

#include <cstddef>

#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/memory_allocator.h"
#include "executorch/runtime/core/portable_type/device.h"
#include "executorch/runtime/core/result.h"

namespace executorch::runtime {

class DeviceAllocator {
 public:
  static constexpr size_t kDefaultAlignment = MemoryAllocator::kDefaultAlignment;
  virtual ~DeviceAllocator() = default;
  virtual Result<void*> allocate(size_t nbytes, etensor::DeviceIndex index, size_t alignment = kDefaultAlignment) = 0;
  virtual void deallocate(void* memory, etensor::DeviceIndex index) = 0;
  virtual Error copy_host_to_device(void* to, const void* from, size_t nbytes, etensor::DeviceIndex index) = 0;
  virtual Error copy_device_to_host(void* to, const void* from, size_t nbytes, etensor::DeviceIndex index) = 0;
  virtual etensor::DeviceType device_type() const = 0;
};

/// One allocator a type of device; a second one of the same type ends the process.
class DeviceAllocatorRegistry {
 public:
  static DeviceAllocatorRegistry& instance() {
    static DeviceAllocatorRegistry registry;
    return registry;
  }
  DeviceAllocatorRegistry(const DeviceAllocatorRegistry&) = delete;
  DeviceAllocatorRegistry& operator=(const DeviceAllocatorRegistry&) = delete;
  void register_allocator(DeviceAllocator* allocator) {
    ET_CHECK_MSG(allocator != nullptr, "device allocator: got null");
    const auto i = static_cast<size_t>(allocator->device_type());
    ET_CHECK_MSG(i < etensor::kNumDeviceTypes, "device allocator: unknown device type %zu", i);
    ET_CHECK_MSG(allocators_[i] == nullptr, "device allocator: device type %zu has one", i);
    allocators_[i] = allocator;
  }
  /// Null: there is none.
  DeviceAllocator* get_allocator(etensor::DeviceType type) {
    const auto i = static_cast<size_t>(type);
    return i < etensor::kNumDeviceTypes ? allocators_[i] : nullptr;
  }

 private:
  DeviceAllocatorRegistry() = default;
  DeviceAllocator* allocators_[etensor::kNumDeviceTypes] = {};
};

inline void register_device_allocator(DeviceAllocator* allocator) {
  DeviceAllocatorRegistry::instance().register_allocator(allocator);
}
inline DeviceAllocator* get_device_allocator(etensor::DeviceType type) {
  return DeviceAllocatorRegistry::instance().get_allocator(type);
}

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::DeviceAllocator;
using ::executorch::runtime::DeviceAllocatorRegistry;
using ::executorch::runtime::get_device_allocator;
using ::executorch::runtime::register_device_allocator;
}  // namespace torch::executor
