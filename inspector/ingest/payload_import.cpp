// Payloads of delegates → nodes. One function a format; payload_kind() chooses.
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "inspector/ingest/program_import.h"
#include "runtime/format/demo_payload.h"
#include "runtime/format/payload.h"
#include "runtime/format/tosa_payload.h"
#include "runtime/format/vela_payload.h"

namespace et::inspector {
namespace {

std::string list_text(std::span<const uint32_t> values) {
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
    label += std::string(v.datatype_name()) + " " + list_text(v.dims());
  }
  for (const uint32_t id : node.outputs()) {
    const format::XnnValue v = payload.value_by_id(id);
    if (v.valid()) label += " -> " + std::string(v.datatype_name()) + " " + list_text(v.dims());
  }
  return label;
}

format::FileError read_xnnpack(std::span<const uint8_t> bytes, DelegateFacts* out) {
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
    out->nodes.push_back(std::move(node));
  }
  out->weights_bytes = payload.constant_bytes();
  return {};
}

// "INT8 1x16x16x8"
std::string tosa_type(const format::TosaTensor& tensor) {
  std::string shape;
  for (const int32_t size : tensor.shape()) shape += (shape.empty() ? " " : "x") + std::to_string(size);
  return std::string(tensor.dtype_name()) + shape;
}

format::FileError read_tosa(std::span<const uint8_t> bytes, DelegateFacts* out) {
  format::TosaPayload payload;
  if (const auto e = format::TosaPayload::open(bytes, &payload); !e.ok()) return e;
  const format::TosaBlock block = payload.main_block();
  std::unordered_map<std::string_view, int64_t> ids;
  std::vector<std::string> types;
  const auto add_value = [&](std::string_view name, const char* dtype, std::string type) {
    const auto [it, fresh] = ids.try_emplace(name, static_cast<int64_t>(out->values.size()));
    if (fresh) {
      out->values.push_back({std::string(name), dtype});
      types.push_back(std::move(type));
    }
    return it->second;
  };
  for (uint32_t i = 0; i < block.tensor_count(); ++i) {
    const format::TosaTensor t = block.tensor(i);
    add_value(t.name(), t.dtype_name(), tosa_type(t));
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
  return {};
}

format::FileError read_vela(std::span<const uint8_t> bytes, DelegateFacts* out) {
  format::VelaPayload payload;
  if (const auto e = format::VelaPayload::open(bytes, &payload); !e.ok()) return e;
  format::VelaCommands c;
  (void)payload.commands(&c);  // what could be counted is worth showing
  out->note = "scratch " + std::to_string(payload.scratch_size()) + " B, " + std::to_string(c.commands) +
              " commands: " + std::to_string(c.conv) + " conv, " + std::to_string(c.depthwise) + " depthwise, " +
              std::to_string(c.pool) + " pool, " + std::to_string(c.elementwise) + " elementwise, " +
              std::to_string(c.dma) + " dma";
  for (const format::VelaBlock& block : payload.blocks()) {
    if (block.name == "weight_data") out->weights_bytes = block.bytes.size();
  }
  return {};
}

format::FileError read_demo(format::DemoPayload::Dialect dialect, std::span<const uint8_t> bytes, DelegateFacts* out) {
  format::DemoPayload payload;
  if (const auto e = format::DemoPayload::open(dialect, bytes, &payload); !e.ok()) return e;
  for (const format::DemoOp& op : payload) {
    PayloadNode node;
    node.type = std::string(op.name);
    node.debug_handle = op.debug_handle;
    if (op.identifier >= 0) node.label = "identifier " + std::to_string(op.identifier);
    out->nodes.push_back(std::move(node));
  }
  return {};
}

format::FileError read_nested(std::span<const uint8_t> bytes, DelegateFacts* out) {
  format::Program program;
  if (const auto e = format::Program::open(bytes, &program); !e.ok()) return e;
  for (uint32_t m = 0; m < program.method_count(); ++m) {
    const format::Method method = program.method(m);
    for (uint32_t i = 0; i < method.instruction_count(); ++i) {
      const format::Instruction in = method.instruction(i);
      PayloadNode node;
      node.type = format::instruction_kind_name(in.kind());
      if (in.kind() == format::InstructionKind::KernelCall) {
        const format::OperatorName op = method.operator_name(static_cast<uint32_t>(in.op_index()));
        node.type = std::string(op.name) + (op.overload.empty() ? "" : "." + std::string(op.overload));
      } else if (in.kind() == format::InstructionKind::DelegateCall) {
        node.label = std::string(method.delegate(static_cast<uint32_t>(in.delegate_index())).id());
      }
      out->nodes.push_back(std::move(node));
    }
  }
  return {};
}

}  // namespace

DelegateFacts read_delegate(const format::Delegate& delegate, ImportContext& context, const std::string& where) {
  DelegateFacts facts;
  facts.backend = std::string(delegate.id());
  std::span<const uint8_t> bytes = delegate.payload();
  facts.payload_bytes = bytes.size();
  const format::PayloadKind kind = format::payload_kind(delegate.id(), bytes);
  facts.payload_kind = format::payload_kind_name(kind);
  // A payload may lie anywhere in the file, the verified views want it aligned.
  std::vector<uint64_t> aligned;
  if (reinterpret_cast<uintptr_t>(bytes.data()) % format::kProgramAlignment != 0) {
    aligned.resize(bytes.size() / 8 + 1);
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    bytes = {reinterpret_cast<const uint8_t*>(aligned.data()), bytes.size()};
  }
  format::FileError error;
  switch (kind) {
    case format::PayloadKind::Xnnpack:
      error = read_xnnpack(bytes, &facts);
      break;
    case format::PayloadKind::Tosa:
      error = read_tosa(bytes, &facts);
      break;
    case format::PayloadKind::Vela:
      error = read_vela(bytes, &facts);
      break;
    case format::PayloadKind::DemoCompiler:
      error = read_demo(format::DemoPayload::Dialect::Compiler, bytes, &facts);
      break;
    case format::PayloadKind::DemoDelegateMapping:
      error = read_demo(format::DemoPayload::Dialect::DelegateMapping, bytes, &facts);
      break;
    case format::PayloadKind::Program:
      error = read_nested(bytes, &facts);
      break;
    case format::PayloadKind::Empty:
    case format::PayloadKind::Unknown:
      return facts;
  }
  facts.readable = error.ok();
  if (!error.ok()) {
    facts.nodes.clear();
    context.diagnostics.add("delegate-payload-unreadable", Status::of_file(where, error).message());
  }
  return facts;
}

}  // namespace et::inspector
