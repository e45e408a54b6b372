#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "inspector/ingest/payloads/vulkan/vulkan_kind.h"
#include "inspector/ingest/program_facts.h"
#include "runtime/format/vulkan_payload.h"

namespace et::inspector {
namespace {

constexpr size_t kMostInLabel = 8;

// "FLOAT32 1x16"
std::string vulkan_tensor(const format::VulkanValue& v) {
  std::string shape;
  for (const uint32_t size : v.dims) shape += (shape.empty() ? " " : "x") + std::to_string(size);
  return format::vulkan_dtype_name(v.dtype) + shape;
}

/// The tensors that an argument stands for: itself, or those of a list.
template <class F>
void each_vulkan_tensor(const format::VulkanPayload& payload, int64_t id, F f) {
  const format::VulkanValue v = payload.value(static_cast<uint32_t>(id));
  if (v.kind == format::VulkanValue::Kind::Tensor) f(id, v);
  for (const int32_t item : v.list) {
    if (item < 0) continue;
    const format::VulkanValue tensor = payload.value(static_cast<uint32_t>(item));
    if (tensor.kind == format::VulkanValue::Kind::Tensor) f(item, tensor);
  }
}

PayloadNode vulkan_node(const format::VulkanPayload& payload, const format::VulkanOperator& op) {
  PayloadNode node;
  node.type = std::string(op.name);
  std::string read, made;
  for (size_t a = 0; a < op.args.size(); ++a) {
    const bool output = a + 1 == op.args.size();
    size_t listed = 0;
    each_vulkan_tensor(payload, op.args[a], [&](int64_t id, const format::VulkanValue& v) {
      std::string& text = output ? made : read;
      (output ? node.outputs : node.inputs).push_back(id);
      if (output && node.sizes.empty()) node.sizes.assign(v.dims.begin(), v.dims.end());
      if (v.constant < 0 && ++listed <= kMostInLabel) text += (text.empty() ? "" : ", ") + vulkan_tensor(v);
    });
  }
  node.label = read + (made.empty() ? "" : " -> " + made);
  return node;
}

void add_vulkan_tensors(const format::VulkanPayload& payload, DelegateFacts* out) {
  for (const bool input : {true, false}) {
    const auto ids = input ? payload.input_ids() : payload.output_ids();
    for (size_t i = 0; i < ids.size(); ++i) {
      const format::VulkanValue v = payload.value(ids[i]);
      const bool tensor = v.kind == format::VulkanValue::Kind::Tensor;
      out->facts.push_back({"tensor", (input ? "input " : "output ") + std::to_string(i), std::nullopt,
                            tensor ? vulkan_tensor(v) + ", " + format::vulkan_storage_name(v.storage) + " " +
                                         format::vulkan_layout_name(v.layout)
                                   : "a number"});
    }
  }
}

}  // namespace

FileError read_vulkan(Span<const uint8_t> bytes, DelegateFacts* out) {
  format::VulkanPayload payload;
  if (const auto e = format::VulkanPayload::open(bytes, &payload); !e.ok()) return e;
  for (uint32_t i = 0; i < payload.operator_count(); ++i) out->nodes.push_back(vulkan_node(payload, payload.op(i)));
  int64_t named = 0, constants = 0, shared = 0;
  std::map<std::string, int64_t> storage;
  for (uint32_t i = 0; i < payload.constant_count(); ++i) named += payload.constant(i).key.empty() ? 0 : 1;
  for (uint32_t i = 0; i < payload.value_count(); ++i) {
    const format::VulkanValue v = payload.value(i);
    if (v.kind != format::VulkanValue::Kind::Tensor) continue;
    constants += v.constant >= 0 ? 1 : 0;
    shared += v.memory >= 0 ? 1 : 0;
    const std::string place =
        std::string(format::vulkan_storage_name(v.storage)) + " " + format::vulkan_layout_name(v.layout);
    ++storage[std::string(format::vulkan_dtype_name(v.dtype)) + ", " + place];
  }
  out->weights_bytes = payload.constant_bytes();
  out->facts.push_back({"version", "Vulkan graph", std::nullopt, std::string(payload.version())});
  out->facts.push_back({"memory", "constants", static_cast<int64_t>(out->weights_bytes),
                        std::to_string(constants) + " tensors, " + std::to_string(named) + " of them in named data"});
  add_vulkan_tensors(payload, out);
  for (const auto& [name, count] : storage) out->facts.push_back({"device", "tensors " + name, count, {}});
  out->facts.push_back({"device", "tensors that share memory", shared, {}});
  out->facts.push_back({"device", "shaders in the payload", int64_t{payload.shader_count()}, {}});
  return {};
}

}  // namespace et::inspector
