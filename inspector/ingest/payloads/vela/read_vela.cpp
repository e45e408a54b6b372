// Vela's command streams: what is counted and listed here needs no NPU.
#include <algorithm>
#include <optional>
#include <string>

#include "inspector/ingest/payloads/vela/vela_kind.h"
#include "inspector/ingest/program_facts.h"
#include "runtime/format/vela_payload.h"

namespace et::inspector {
namespace {

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
  if (op.kind != format::VelaOperation::Kind::Dma) {
    const auto macs = static_cast<int64_t>(std::min<uint64_t>(op.macs(), INT64_MAX));
    out->commands.push_back({static_cast<int64_t>(op.in_stream), macs, out->nodes.size()});
  }
  out->nodes.push_back(std::move(node));
}

std::vector<int64_t> sizes_of(const format::VelaTensor& t) {
  const auto* first = std::find_if(t.shape, t.shape + 6, [](int32_t size) { return size != 1; });
  return {first, static_cast<const int32_t*>(t.shape + 6)};
}

}  // namespace

FileError read_vela(Span<const uint8_t> bytes, DelegateFacts* out) {
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
  for (uint32_t i = 0; i < payload.input_count(); ++i) out->inputs.push_back(sizes_of(payload.input(i)));
  for (uint32_t i = 0; i < payload.output_count(); ++i) out->outputs.push_back(sizes_of(payload.output(i)));
  if (c.config_word != 0) {
    add("device", "MACs per cycle", c.macs_per_cycle(), c.product_name());
    if (c.has_shram()) add("device", "SHRAM KiB", c.shram_kib());
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
  // A command stream in another file is not an error of this one.
  return stream.code == Error::NotFound ? FileError::none() : stream;
}

}  // namespace et::inspector
