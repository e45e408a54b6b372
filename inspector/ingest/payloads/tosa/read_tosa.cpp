#include <string>
#include <unordered_map>
#include <vector>

#include "inspector/ingest/payloads/tosa/tosa_kind.h"
#include "inspector/ingest/program_facts.h"
#include "runtime/format/tosa_payload.h"

namespace et::inspector {
namespace {

// "INT8 1x16x16x8"
std::string tosa_type(const format::TosaTensor& tensor) {
  std::string shape;
  for (const int32_t size : tensor.shape()) shape += (shape.empty() ? " " : "x") + std::to_string(size);
  return std::string(tensor.dtype_name()) + shape;
}

/// Leading ones are a matter of taste.
std::vector<int64_t> sizes_without_ones(const format::TosaTensor& tensor) {
  std::vector<int64_t> out;
  for (const int32_t size : tensor.shape()) {
    if (size != 1 || !out.empty()) out.push_back(size);
  }
  return out;
}

}  // namespace

FileError read_tosa(Span<const uint8_t> bytes, DelegateFacts* out) {
  format::TosaPayload payload;
  if (const auto e = format::TosaPayload::open(bytes, &payload); !e.ok()) return e;
  const format::TosaBlock block = payload.main_block();
  std::unordered_map<std::string_view, int64_t> ids;
  std::vector<std::string> types;
  std::vector<std::vector<int64_t>> sizes;
  const auto add_value = [&](std::string_view name, const char* dtype, std::string type,
                             std::vector<int64_t> size = {}) {
    const auto [it, fresh] = ids.try_emplace(name, static_cast<int64_t>(out->values.size()));
    if (fresh) {
      out->values.push_back({std::string(name), dtype});
      types.push_back(std::move(type));
      sizes.push_back(std::move(size));
    }
    return it->second;
  };
  for (uint32_t i = 0; i < block.tensor_count(); ++i) {
    const format::TosaTensor t = block.tensor(i);
    add_value(t.name(), t.dtype_name(), tosa_type(t), sizes_without_ones(t));
    out->weights_bytes += t.data().size() + t.outside_size();
  }
  for (uint32_t i = 0; i < block.shape_count(); ++i) add_value(block.shape(i).name(), "SHAPE", "SHAPE");
  for (uint32_t i = 0; i < block.operator_count(); ++i) {
    const format::TosaOperator op = block.op(i);
    PayloadNode node;
    node.type = op.op_name();
    node.location = std::string(op.location());
    for (uint32_t k = 0; k < op.inputs().size(); ++k) node.inputs.push_back(add_value(op.inputs()[k], "", ""));
    std::string names, made;
    for (uint32_t k = 0; k < op.outputs().size(); ++k) {
      node.outputs.push_back(add_value(op.outputs()[k], "", ""));
      names += (k == 0 ? "" : ", ") + std::string(op.outputs()[k]);
      made += (k == 0 ? "" : ", ") + types[static_cast<size_t>(node.outputs.back())];
    }
    // What a person needs to recognise it: "tosa_conv2d_default: INT8 1x32x32x3 -> INT32 1x16x16x8".
    const std::string read = node.inputs.empty() ? "" : types[static_cast<size_t>(node.inputs[0])] + " -> ";
    node.label = names + ": " + read + made;
    out->nodes.push_back(std::move(node));
  }
  const format::TosaVersion v = payload.version();
  out->facts.push_back({"version", "TOSA", std::nullopt,
                        std::to_string(v.major) + "." + std::to_string(v.minor) + (v.draft ? " draft" : "")});
  out->facts.push_back({"memory", "constants", static_cast<int64_t>(out->weights_bytes), {}});
  for (const bool input : {true, false}) {
    const format::TosaNames names = input ? block.inputs() : block.outputs();
    for (uint32_t i = 0; i < names.size(); ++i) {
      const auto value = static_cast<size_t>(add_value(names[i], "", ""));
      out->facts.push_back({"tensor", (input ? "input " : "output ") + std::to_string(i), std::nullopt,
                            types[value] + ", " + std::string(names[i])});
      (input ? out->inputs : out->outputs).push_back(sizes[value]);
    }
  }
  return {};
}

}  // namespace et::inspector
