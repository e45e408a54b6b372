#include "runtime/core/device_allocator.h"

#include "runtime/platform/log.h"

namespace et {
namespace {

DeviceAllocator* g_device_allocators[kNumDeviceTypes] = {};

}  // namespace

void register_device_allocator(DeviceAllocator* allocator) {
  ET_CHECK_MSG(allocator != nullptr, "device allocator: got null");
  const auto i = static_cast<size_t>(allocator->device_type());
  ET_CHECK_MSG(i < kNumDeviceTypes, "device allocator: unknown device type %zu", i);
  ET_CHECK_MSG(g_device_allocators[i] == nullptr, "device allocator: Allocator already registered for device type %zu",
               i);
  g_device_allocators[i] = allocator;
}

DeviceAllocator* get_device_allocator(DeviceType type) {
  const auto i = static_cast<size_t>(type);
  return i < kNumDeviceTypes ? g_device_allocators[i] : nullptr;
}

}  // namespace et
