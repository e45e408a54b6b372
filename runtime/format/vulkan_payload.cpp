// Opens Vulkan payloads and gives their views.
#include "runtime/format/vulkan_payload.h"

#include "runtime/format/flat.h"
#include "runtime/format/payload.h"
#include "vulkan_generated.h"

namespace et::format {
namespace {

constexpr uint64_t kVulkanHeader = 30;

/// The flatbuffer without its header, and the size of the constants behind it.
FileError vulkan_parts(Span<const uint8_t> payload, Span<const uint8_t>* flat, uint64_t* constants) {
  *flat = payload;
  *constants = 0;
  if (!has_magic(payload, 4, "VH00")) return FileError::none();
  if (payload.size() < kVulkanHeader) return invalid_payload(0, "Vulkan header", "30 bytes");
  const uint64_t at = read<uint32_t>(payload, 10), size = read<uint32_t>(payload, 14);
  const uint64_t from = read<uint32_t>(payload, 18), length = read<uint64_t>(payload, 22);
  if (!inside(at, size, payload.size()))
    return invalid_payload(10, "Vulkan header flatbuffer", "an offset and size inside the payload");
  if (!inside(from, length, payload.size()))
    return invalid_payload(18, "Vulkan header constants", "an offset and size inside the payload");
  *flat = payload.subspan(static_cast<size_t>(at), static_cast<size_t>(size));
  *constants = length;
  return FileError::none();
}

FileError check_vulkan(const vk_fb::Graph& graph, uint64_t constants, uint64_t base, size_t size) {
  const uint32_t values = count_of(graph.values());
  Budget budget(size);
  for (uint32_t i = 0; i < count_of(graph.chain()); ++i) {
    const auto args = span_of(graph.chain()->Get(i)->args());
    if (!budget.spend(args.size()))
      return invalid_payload(base, "Graph.chain[].args", "lists that together are no longer than the payload", i);
    for (const int32_t a : args) {
      if (a < 0 || static_cast<uint32_t>(a) >= values)
        return invalid_payload(base, "Graph.chain[].args", "numbers of values", i);
    }
  }
  for (uint32_t i = 0; i < values; ++i) {
    const auto* value = graph.values()->Get(i);
    if (const auto* t = value->value_as_Tensor();
        t != nullptr && t->constant_id() >= 0 && static_cast<uint32_t>(t->constant_id()) >= count_of(graph.constants()))
      return invalid_payload(base, "Tensor.constant_id", "the index of a constant", i);
    if (const auto* list = value->value_as_ValueList(); list != nullptr && !budget.spend(count_of(list->items())))
      return invalid_payload(base, "ValueList.items", "lists that together are no longer than the payload", i);
  }
  for (uint32_t i = 0; i < count_of(graph.constants()); ++i) {
    const auto* c = graph.constants()->Get(i);
    if (!view(c->named_key()).empty()) continue;
    if (!inside(c->offset(), c->length(), constants))
      return invalid_payload(base, "Graph.constants", "an offset and size inside the constants, or a key", i);
  }
  return FileError::none();
}

}  // namespace

const char* vulkan_dtype_name(int32_t type) {
  constexpr const char* kNames[] = {"BOOL", "UINT8", "INT8", "INT32", "FLOAT16", "FLOAT32", "FLOAT64", "INT64"};
  return type >= 0 && type < 8 ? kNames[type] : "UNKNOWN";
}
const char* vulkan_storage_name(uint32_t storage) {
  constexpr const char* kNames[] = {"BUFFER", "TEXTURE_3D", "TEXTURE_2D"};
  return storage < 3 ? kNames[storage] : storage == 255 ? "DEFAULT" : "UNKNOWN";
}
const char* vulkan_layout_name(uint32_t layout) {
  constexpr const char* kNames[] = {"WIDTH_PACKED", "HEIGHT_PACKED", "CHANNELS_PACKED", "INT8_4W4C", "INT8_4H4W",
                                    "INT8_4W",      "INT8_4C",       "UNKNOWN",         "INT8_4C1W", "INT8_CONV2D"};
  return layout < 10 ? kNames[layout] : layout == 255 ? "DEFAULT" : "UNKNOWN";
}

FileError VulkanPayload::open(Span<const uint8_t> payload, VulkanPayload* out) {
  *out = {};
  Span<const uint8_t> flat;
  uint64_t constants = 0;
  if (FileError e = vulkan_parts(payload, &flat, &constants); !e.ok()) return e;
  const auto base = static_cast<uint64_t>(flat.data() - payload.data());
  if (!fits_flatbuffer(flat.size())) return invalid_payload(base, "Vulkan graph", "a flatbuffer of 8 bytes to 2 GiB");
  if (!has_magic(flat, 4, "VK00")) {
    return failure(Error::DelegateInvalidCompatibility, base + 4, "Vulkan identifier", "VK00");
  }
  if (!aligned(flat.data(), 8)) {
    return failure(Error::InvalidArgument, base, "buffer", "a start address that is a multiple of 8");
  }
  flatbuffers::Verifier verifier(flat.data(), flat.size(), verifier_options(flat.size()));
  if (!verifier.VerifyBuffer<vk_fb::Graph>(nullptr)) {
    return invalid_payload(base, "Vulkan graph", "a valid flatbuffer (a table, vector or string is out of bounds)");
  }
  const auto* graph = flatbuffers::GetRoot<vk_fb::Graph>(flat.data());
  if (FileError e = check_vulkan(*graph, constants, base, flat.size()); !e.ok()) return e;
  out->graph_ = graph;
  out->constant_bytes_ = constants;
  return FileError::none();
}

std::string_view VulkanPayload::version() const { return graph_ ? view(graph_->version()) : std::string_view(); }
uint32_t VulkanPayload::operator_count() const { return graph_ ? count_of(graph_->chain()) : 0; }
VulkanOperator VulkanPayload::op(uint32_t i) const {
  const auto* call = graph_ ? element(graph_->chain(), i) : nullptr;
  if (call == nullptr) return {};
  return {call->node_id(), view(call->name()), span_of(call->args())};
}

uint32_t VulkanPayload::value_count() const { return graph_ ? count_of(graph_->values()) : 0; }
VulkanValue VulkanPayload::value(uint32_t i) const {
  VulkanValue out;
  const auto* value = graph_ ? element(graph_->values(), i) : nullptr;
  if (value == nullptr) return out;
  using enum VulkanValue::Kind;
  if (const auto* t = value->value_as_Tensor()) {
    out.kind = Tensor;
    out.dtype = static_cast<int32_t>(t->datatype());
    out.dims = span_of(t->dims());
    out.constant = t->constant_id();
    out.memory = t->mem_obj_id();
    out.storage = t->storage();
    out.layout = t->layout();
  } else if (const auto* n = value->value_as_Int()) {
    out.kind = Int;
    out.integer = n->v();
  } else if (const auto* s = value->value_as_SymInt()) {
    out.kind = Int;
    out.integer = s->value();
  } else if (const auto* d = value->value_as_Double()) {
    out.kind = Double;
    out.real = d->v();
  } else if (const auto* b = value->value_as_Bool()) {
    out.kind = Bool;
    out.integer = b->v() ? 1 : 0;
  } else if (const auto* l = value->value_as_ValueList()) {
    out.kind = List;
    out.list = span_of(l->items());
  } else if (const auto* text = value->value_as_Text()) {
    out.kind = Text;
    out.text = view(text->v());
  }
  return out;
}

uint32_t VulkanPayload::constant_count() const { return graph_ ? count_of(graph_->constants()) : 0; }
VulkanConstant VulkanPayload::constant(uint32_t i) const {
  const auto* c = graph_ ? element(graph_->constants(), i) : nullptr;
  if (c == nullptr) return {};
  return {c->offset(), c->length(), view(c->named_key())};
}
uint32_t VulkanPayload::shader_count() const { return graph_ ? count_of(graph_->shaders()) : 0; }
Span<const uint32_t> VulkanPayload::input_ids() const {
  return graph_ ? span_of(graph_->input_ids()) : Span<const uint32_t>();
}
Span<const uint32_t> VulkanPayload::output_ids() const {
  return graph_ ? span_of(graph_->output_ids()) : Span<const uint32_t>();
}
uint32_t VulkanPayload::storage_override() const { return graph_ ? graph_->storage_override() : 255; }
uint32_t VulkanPayload::layout_override() const { return graph_ ? graph_->layout_override() : 255; }

}  // namespace et::format
