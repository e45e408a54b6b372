// DeviceAllocator: memory of a device that is not the processor, and where its allocators are registered.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "runtime/core/device.h"
#include "runtime/core/memory_allocator.h"

namespace et {

/// What an application brings along for its device. Pointers into the device's memory mean nothing to the processor:
/// they are only handed back to the allocator.
class DeviceAllocator {
 public:
  static constexpr size_t kDefaultAlignment = MemoryAllocator::kDefaultAlignment;
  virtual ~DeviceAllocator() = default;
  virtual Result<void*> allocate(size_t nbytes, DeviceIndex index, size_t alignment = kDefaultAlignment) = 0;
  virtual void deallocate(void* memory, DeviceIndex index) = 0;
  virtual Error copy_host_to_device(void* to, const void* from, size_t nbytes, DeviceIndex index) = 0;
  virtual Error copy_device_to_host(void* to, const void* from, size_t nbytes, DeviceIndex index) = 0;
  virtual DeviceType device_type() const = 0;
};

/// One allocator a type of device, for the life of the process; null, an unknown type or a second one of the same type
/// ends the process. Not while a method executes.
void register_device_allocator(DeviceAllocator* allocator);
/// Null: there is none.
DeviceAllocator* get_device_allocator(DeviceType type);

}  // namespace et
