// DeviceAllocator: memory of a device that is not the processor, and where its allocators are registered.
#pragma once

#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/memory_allocator.h"
#include "executorch/runtime/core/portable_type/device.h"
#include "executorch/runtime/core/result.h"
#include "runtime/core/device_allocator.h"

namespace executorch::runtime {

using ::et::DeviceAllocator;
using ::et::get_device_allocator;
using ::et::register_device_allocator;

/// The same functions as an object.
class DeviceAllocatorRegistry {
 public:
  static DeviceAllocatorRegistry& instance() {
    static DeviceAllocatorRegistry registry;
    return registry;
  }
  DeviceAllocatorRegistry(const DeviceAllocatorRegistry&) = delete;
  DeviceAllocatorRegistry& operator=(const DeviceAllocatorRegistry&) = delete;
  void register_allocator(DeviceAllocator* allocator) { ::et::register_device_allocator(allocator); }
  /// Null: there is none.
  DeviceAllocator* get_allocator(etensor::DeviceType type) { return ::et::get_device_allocator(type); }

 private:
  DeviceAllocatorRegistry() = default;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::DeviceAllocator;
using ::executorch::runtime::DeviceAllocatorRegistry;
using ::executorch::runtime::get_device_allocator;
using ::executorch::runtime::register_device_allocator;
}  // namespace torch::executor
