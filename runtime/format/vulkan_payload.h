// Vulkan delegate payload: the compute graph as verified, zero-copy views of operators and values.
// Source: Vulkan delegate schema (identifier VK00) behind the VH00 header.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/file_error.h"
#include "base/span.h"

namespace et::format {

namespace vk_fb {
struct Graph;
}

const char* vulkan_dtype_name(int32_t type);
/// "BUFFER", "TEXTURE_3D", …; "DEFAULT" where the runtime chooses.
const char* vulkan_storage_name(uint32_t storage);
const char* vulkan_layout_name(uint32_t layout);

struct VulkanOperator {
  uint32_t node_id = 0;      // the delegate's debug identifier, 0 for none
  std::string_view name;     // "aten.mm.default"
  Span<const int32_t> args;  // value ids, the output last
};

struct VulkanValue {
  enum class Kind : uint8_t { Other, Int, Double, Bool, Tensor, List, Text };
  Kind kind = Kind::Other;
  int32_t dtype = 0;
  Span<const uint32_t> dims;
  int32_t constant = -1;  // index into the constants
  int32_t memory = -1;    // tensors of one number share memory
  uint32_t storage = 255, layout = 255;
  int64_t integer = 0;
  double real = 0;
  Span<const int32_t> list;  // value ids
  std::string_view text;
};

struct VulkanConstant {
  uint64_t offset = 0, size = 0;
  std::string_view key;  // of the program's named data; "" = in the payload
};

class VulkanPayload {
 public:
  /// Checks the whole payload. Errors: InvalidArgument (flatbuffer not aligned to 8 bytes),
  /// DelegateInvalidCompatibility (another identifier), InvalidProgram (truncated or inconsistent).
  static FileError open(Span<const uint8_t> payload, VulkanPayload* out);

  std::string_view version() const;
  uint64_t constant_bytes() const { return constant_bytes_; }
  uint32_t operator_count() const;
  VulkanOperator op(uint32_t i) const;
  uint32_t value_count() const;
  VulkanValue value(uint32_t i) const;
  uint32_t constant_count() const;
  VulkanConstant constant(uint32_t i) const;
  uint32_t shader_count() const;
  Span<const uint32_t> input_ids() const;
  Span<const uint32_t> output_ids() const;
  uint32_t storage_override() const;
  uint32_t layout_override() const;

 private:
  const vk_fb::Graph* graph_ = nullptr;
  uint64_t constant_bytes_ = 0;
};

}  // namespace et::format
