#include <algorithm>
#include <string>

#include "inspector/ingest/payloads/xnnpack/xnnpack_kind.h"
#include "inspector/ingest/program_facts.h"
#include "runtime/format/xnnpack_payload.h"

namespace et::inspector {
namespace {

std::string xnnpack_shape(std::span<const uint32_t> values) {
  std::string out;
  for (const uint32_t v : values) out += (out.empty() ? "" : "x") + std::to_string(v);
  return out;
}

// "F32 1x96x8 -> 1x96x8": what a person needs to recognise the node.
std::string xnnpack_label(const format::XnnpackPayload& payload, const format::XnnNode& node) {
  std::string label;
  for (const uint32_t id : node.inputs()) {
    const format::XnnValue v = payload.value_by_id(id);
    if (!v.valid() || v.constant_buffer_idx() != 0) continue;
    if (!label.empty()) label += ", ";
    label += std::string(v.datatype_name()) + " " + xnnpack_shape(v.dims());
  }
  for (const uint32_t id : node.outputs()) {
    const format::XnnValue v = payload.value_by_id(id);
    if (v.valid()) label += " -> " + std::string(v.datatype_name()) + " " + xnnpack_shape(v.dims());
  }
  return label;
}

// What decides whether XNNPACK makes a table of a chain of nodes.
void note_widths(const format::XnnpackPayload& payload, PayloadNode* node) {
  const auto look = [&](int64_t id, bool output) {
    const format::XnnValue v = payload.value_by_id(static_cast<uint32_t>(id));
    if (!v.valid()) return;
    using enum format::XnnDatatype;
    if (v.datatype() == QInt8 || v.datatype() == QUInt8 || v.datatype() == QCInt8) node->narrow.push_back(id);
    if (output) {
      node->leaves = node->leaves || v.is_external_output();
    } else if (v.constant_buffer_idx() != 0 &&
               std::all_of(v.dims().begin(), v.dims().end(), [](uint32_t d) { return d == 1; })) {
      node->scalars.push_back(id);
    }
  };
  for (const int64_t id : node->inputs) look(id, false);
  for (const int64_t id : node->outputs) look(id, true);
}

Conversion conversion_of(const format::XnnpackPayload& payload, const PayloadNode& node) {
  if (node.type != "Convert" || node.inputs.empty() || node.outputs.empty()) return Conversion::None;
  const auto is_real = [&](int64_t id) {
    const format::XnnValue v = payload.value_by_id(static_cast<uint32_t>(id));
    using enum format::XnnDatatype;
    return v.valid() && (v.datatype() == Fp32 || v.datatype() == Fp16 || v.datatype() == Bf16 || v.datatype() == PFp32);
  };
  const bool from = is_real(node.inputs[0]), to = is_real(node.outputs[0]);
  if (from == to) return Conversion::None;
  return from ? Conversion::Quantize : Conversion::Dequantize;
}

}  // namespace

FileError read_xnnpack(Span<const uint8_t> bytes, DelegateFacts* out) {
  format::XnnpackPayload payload;
  if (const auto e = format::XnnpackPayload::open(bytes, &payload); !e.ok()) return e;
  for (uint32_t i = 0; i < payload.node_count(); ++i) {
    const format::XnnNode n = payload.node(i);
    PayloadNode node;
    node.type = n.type_name();
    if (n.has_debug_handle()) {
      node.debug_handle = n.debug_handle();
    } else {
      node.inserted = true;
    }
    node.clamped = n.is_clamped();
    node.label = xnnpack_label(payload, n);
    for (const uint32_t id : n.inputs()) {
      if (id != format::kXnnNoValue) node.inputs.push_back(id);
    }
    for (const uint32_t id : n.outputs()) {
      if (id != format::kXnnNoValue) node.outputs.push_back(id);
    }
    note_widths(payload, &node);
    node.converts = conversion_of(payload, node);
    if (!node.outputs.empty()) {
      const format::XnnValue v = payload.value_by_id(static_cast<uint32_t>(node.outputs[0]));
      if (v.valid()) node.sizes.assign(v.dims().begin(), v.dims().end());
    }
    out->nodes.push_back(std::move(node));
  }
  out->weights_bytes = payload.constant_bytes();
  return {};
}

}  // namespace et::inspector
