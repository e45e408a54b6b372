// Device: where a tensor's memory is.
#pragma once

#include "runtime/core/device.h"

namespace executorch::runtime::etensor {
using ::et::Device;
using ::et::DeviceIndex;
using ::et::DeviceType;
using ::et::kNumDeviceTypes;
}  // namespace executorch::runtime::etensor
namespace torch::executor {
using ::executorch::runtime::etensor::Device;
using ::executorch::runtime::etensor::DeviceType;
}  // namespace torch::executor
