// Payloads of delegates → nodes. One function a format; payload_kind() chooses.
#include <algorithm>
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

FileError read_xnnpack(std::span<const uint8_t> bytes, DelegateFacts* out) {
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

FileError read_tosa(std::span<const uint8_t> bytes, DelegateFacts* out) {
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
    }
  }
  return {};
}

// "1x3x32x32" without the ones in front that pad it to six sizes.
std::string vela_shape(const format::VelaTensor& t) {
  size_t first = 0;
  while (first < 5 && t.shape[first] == 1) ++first;
  if (first > 1) --first;  // the batch
  std::string out;
  for (size_t i = first; i < 6; ++i) out += (out.empty() ? "" : "x") + std::to_string(t.shape[i]);
  return out;
}

void add_vela_tensor(const char* name, uint32_t i, const format::VelaTensor& t, DelegateFacts* out) {
  std::optional<int64_t> bytes = t.elem_size;
  for (const int32_t size : t.shape) {
    if (int64_t product = 0; bytes && !__builtin_mul_overflow(*bytes, int64_t{size}, &product)) {
      bytes = product;
    } else {
      bytes.reset();
    }
  }
  out->facts.push_back({"tensor", name + std::string(" ") + std::to_string(i), bytes,
                        vela_shape(t) + " of " + std::to_string(t.elem_size) + " B, at byte " +
                            std::to_string(t.offset) + " of " +
                            format::vela_region_name(static_cast<uint32_t>(t.region))});
}

void add_vela_operation(const format::VelaOperation& op, void* to) {
  auto* const out = static_cast<DelegateFacts*>(to);
  PayloadNode node;
  node.type = op.name();
  if (op.kind == format::VelaOperation::Kind::Dma) {
    node.label = std::to_string(op.dma_bytes) + " B from " + format::vela_region_name(op.source_region) + " to " +
                 format::vela_region_name(op.target_region);
  } else {
    const std::string dtype = (op.is_signed ? "INT" : "UINT") + std::to_string(op.bits);
    const bool kernel = op.kind != format::VelaOperation::Kind::Elementwise;
    if (kernel) node.label = std::to_string(op.kernel_height) + "x" + std::to_string(op.kernel_width) + " ";
    node.label += "-> " + dtype + " " + std::to_string(op.height) + "x" + std::to_string(op.width) + "x" +
                  std::to_string(op.depth);
    if (op.weight_bytes > 0) node.label += ", weights " + std::to_string(op.weight_bytes) + " B";
    if (op.macs() > 0) node.label += ", " + std::to_string(op.macs()) + " MACs";
  }
  out->nodes.push_back(std::move(node));
}

FileError read_vela(std::span<const uint8_t> bytes, DelegateFacts* out) {
  format::VelaPayload payload;
  if (const auto e = format::VelaPayload::open(bytes, &payload); !e.ok()) return e;
  format::VelaCommands c;
  // What could be counted is worth showing.
  const FileError stream = payload.commands(&c, add_vela_operation, out);
  out->note = "scratch " + std::to_string(payload.scratch_size()) + " B, " + std::to_string(c.commands) +
              " commands: " + std::to_string(c.conv) + " conv, " + std::to_string(c.depthwise) + " depthwise, " +
              std::to_string(c.pool) + " pool, " + std::to_string(c.elementwise) + " elementwise, " +
              std::to_string(c.dma) + " dma";
  for (const format::VelaBlock& block : payload.blocks()) {
    if (block.name == "weight_data") out->weights_bytes = block.bytes.size();
    const auto size = static_cast<int64_t>(block.bytes.size());
    const std::string key(reinterpret_cast<const char*>(block.bytes.data()), block.external ? block.bytes.size() : 0);
    out->facts.push_back({"block", std::string(block.name), size,
                          block.external ? "named data " + key : "at byte " + std::to_string(block.offset)});
  }
  const auto add = [&](const char* kind, const char* name, uint64_t value, std::string text = {}) {
    out->facts.push_back({kind, name, static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX)), std::move(text)});
  };
  add("memory", "scratch", payload.scratch_size());
  add("memory", "weights", out->weights_bytes);
  for (uint32_t i = 0; i < payload.input_count(); ++i) add_vela_tensor("input", i, payload.input(i), out);
  for (uint32_t i = 0; i < payload.output_count(); ++i) add_vela_tensor("output", i, payload.output(i), out);
  if (c.config_word != 0) {
    add("device", "MACs per cycle", c.macs_per_cycle(), c.product() == 0 ? "Ethos-U55" : "Ethos-U65");
    add("device", "SHRAM KiB", c.shram_kib());
    add("device", "stream version", c.stream_version());
  }
  add("command", "NPU_OP_CONV", c.conv);
  add("command", "NPU_OP_DEPTHWISE", c.depthwise);
  add("command", "NPU_OP_POOL", c.pool);
  add("command", "NPU_OP_ELEMENTWISE", c.elementwise);
  add("command", "NPU_OP_DMA_START", c.dma, std::to_string(c.dma_bytes) + " B moved");
  add("command", "waits", c.waits, "for transfers and kernels");
  add("command", "stops", c.stops, "NPU_OP_STOP and IRQ");
  add("command", "settings", c.settings, "of registers");
  add("command", "all", c.commands, std::to_string(c.words) + " words");
  const auto copies = std::count_if(out->nodes.begin(), out->nodes.end(), [](const PayloadNode& n) {
    return n.type == "POOL AVERAGE" && n.label.starts_with("1x1 ");
  });
  add("work", "POOL AVERAGE of 1x1", static_cast<uint64_t>(copies), "copies, scalings and layout changes");
  add("work", "MACs", c.macs, "of convolutions; without the padding of blocks");
  // An external stream is no fault of the file.
  return stream.code == Error::NotFound ? FileError::none() : stream;
}

FileError read_demo(format::DemoPayload::Dialect dialect, std::span<const uint8_t> bytes, DelegateFacts* out) {
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

FileError read_nested(std::span<const uint8_t> bytes, DelegateFacts* out) {
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

// What the lowering was asked for. Values that are no text are told by their size.
void add_specs(const format::Delegate& delegate, DelegateFacts* out) {
  constexpr size_t kLongest = 200;
  for (uint32_t i = 0; i < delegate.compile_spec_count(); ++i) {
    const format::CompileSpec spec = delegate.compile_spec(i);
    const std::string_view value(reinterpret_cast<const char*>(spec.value.data()), spec.value.size());
    const bool text = std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; });
    std::string shown(text ? value.substr(0, kLongest) : std::string_view());
    if (text && value.size() > kLongest) shown += "…";
    out->facts.push_back({"spec", std::string(spec.key),
                          text ? std::nullopt : std::optional(static_cast<int64_t>(value.size())), std::move(shown)});
  }
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
  add_specs(delegate, &facts);
  FileError error;
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
