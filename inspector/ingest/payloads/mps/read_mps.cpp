#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "inspector/ingest/payloads/mps/mps_kind.h"
#include "inspector/ingest/program_facts.h"
#include "runtime/format/mps_payload.h"

namespace et::inspector {
namespace {

constexpr size_t kMostInMpsLabel = 8;

// "float32 1x16"
std::string mps_tensor(const format::MpsValue& v) {
  std::string shape;
  for (const int32_t size : v.dims) shape += (shape.empty() ? " " : "x") + std::to_string(size);
  return format::mps_dtype_name(v.dtype) + shape;
}

std::string mps_tensors(const format::MpsPayload& payload, const std::vector<int32_t>& ids) {
  std::string out;
  size_t listed = 0;
  for (const int32_t id : ids) {
    const format::MpsValue v = payload.value(static_cast<uint32_t>(id));
    if (v.constant_bytes == 0 && ++listed <= kMostInMpsLabel) out += (out.empty() ? "" : ", ") + mps_tensor(v);
  }
  return out;
}

}  // namespace

FileError read_mps(Span<const uint8_t> bytes, DelegateFacts* out) {
  format::MpsPayload payload;
  if (const auto e = format::MpsPayload::open(bytes, &payload); !e.ok()) return e;
  for (uint32_t i = 0; i < payload.operator_count(); ++i) {
    const format::MpsOperator op = payload.op(i);
    PayloadNode node;
    node.type = op.name.empty() ? "operator of a newer format" : std::string(op.name);
    node.inputs.assign(op.inputs.begin(), op.inputs.end());
    node.outputs.assign(op.outputs.begin(), op.outputs.end());
    if (!op.outputs.empty()) {
      const auto dims = payload.value(static_cast<uint32_t>(op.outputs.front())).dims;
      node.sizes.assign(dims.begin(), dims.end());
    }
    node.label = mps_tensors(payload, op.inputs) + " -> " + mps_tensors(payload, op.outputs);
    out->nodes.push_back(std::move(node));
  }
  int64_t constants = 0;
  std::map<std::string, int64_t> dtypes;
  for (uint32_t i = 0; i < payload.value_count(); ++i) {
    const format::MpsValue v = payload.value(i);
    ++dtypes[format::mps_dtype_name(v.dtype)];
    if (v.constant_bytes == 0) continue;
    ++constants;
    out->weights_bytes += v.constant_bytes;
  }
  out->facts.push_back({"version", payload.is_metal_kernel() ? "Metal kernel" : "MPS graph", std::nullopt,
                        std::string(payload.version())});
  out->facts.push_back(
      {"memory", "constants", static_cast<int64_t>(out->weights_bytes), std::to_string(constants) + " tensors"});
  for (const bool input : {true, false}) {
    const auto ids = input ? payload.input_ids() : payload.output_ids();
    for (size_t i = 0; i < ids.size(); ++i)
      out->facts.push_back({"tensor", (input ? "input " : "output ") + std::to_string(i), std::nullopt,
                            mps_tensor(payload.value(static_cast<uint32_t>(ids[i])))});
  }
  for (const auto& [name, count] : dtypes) out->facts.push_back({"device", "tensors " + name, count, {}});
  return {};
}

}  // namespace et::inspector
