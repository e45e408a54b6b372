// Where a tensor's memory is, and torch's numbers of memory formats and layouts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace et {

enum class DeviceType : int8_t { CPU = 0, CUDA = 1 };
inline constexpr size_t kNumDeviceTypes = 2;
using DeviceIndex = int8_t;

class Device {
 public:
  using Type = DeviceType;
  constexpr Device(DeviceType type, DeviceIndex index = 0) : type_(type), index_(index) {}  // NOLINT: as torch's
  constexpr DeviceType type() const { return type_; }
  constexpr DeviceIndex index() const { return index_; }
  constexpr bool is_cpu() const { return type_ == DeviceType::CPU; }
  friend constexpr bool operator==(const Device& a, const Device& b) {
    return a.type_ == b.type_ && a.index_ == b.index_;
  }
  friend constexpr bool operator!=(const Device& a, const Device& b) { return !(a == b); }

 private:
  DeviceType type_;
  DeviceIndex index_;
};

enum class MemoryFormat : int8_t { Contiguous = 0, Preserve = 1, ChannelsLast = 2, ChannelsLast3d = 3 };
enum class Layout : int8_t { Strided = 0, Sparse = 1, SparseCsr = 2, Mkldnn = 3, NumOptions = 4 };

}  // namespace et
