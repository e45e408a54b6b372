// Opens XNNPACK payloads and reads nodes and values through the table of xnnpack_tables.h.
#include "runtime/format/xnnpack_payload.h"

#include <cmath>

#include "runtime/format/flat.h"
#include "runtime/format/xnnpack_tables.h"
#include "xnnpack_generated.h"

namespace et::format {

namespace {

constexpr uint64_t kHeaderLength = 30;
constexpr uint32_t kMaxExterns = 4096;
constexpr uint32_t kExternalInput = 1;
constexpr uint32_t kExternalOutput = 2;

/// Where the flatbuffer and the constants lie; offsets from the payload's start.
struct Parts {
  bool has_header = false;
  uint64_t flat_offset = 0;
  uint64_t flat_size = 0;
  uint64_t constant_offset = 0;
  uint64_t constant_size = 0;
};

FileError read_parts(Span<const uint8_t> payload, Parts* out) {
  *out = {};
  out->flat_size = payload.size();
  if (payload.size() < 8) return invalid_payload(0, "XNNPACK payload", "at least 8 bytes");
  if (std::memcmp(payload.data() + 4, "XH00", 4) != 0) return FileError::none();
  out->has_header = true;
  if (payload.size() < kHeaderLength) return invalid_payload(0, "XNNPACK header", "30 bytes");
  if (read<uint16_t>(payload, 8) < kHeaderLength)
    return invalid_payload(8, "XNNPACK header length", "at least 30 bytes");
  out->flat_offset = read<uint32_t>(payload, 10);
  out->flat_size = read<uint32_t>(payload, 14);
  out->constant_offset = read<uint32_t>(payload, 18);
  out->constant_size = read<uint64_t>(payload, 22);
  if (!inside(out->flat_offset, out->flat_size, payload.size())) {
    return invalid_payload(10, "XNNPACK header flatbuffer", "an offset and size inside the payload");
  }
  if (!inside(out->constant_offset, out->constant_size, payload.size())) {
    return invalid_payload(18, "XNNPACK header constants", "an offset and size inside the payload");
  }
  return FileError::none();
}

const xnn_fb::XNNTensorValue* tensor_of(const xnn_fb::XValue* value) {
  if (value == nullptr) return nullptr;
  if (const auto* plain = value->xvalue_union_as_XNNTensorValue()) return plain;
  const auto* quantised = value->xvalue_union_as_XNNQuantizedTensorValue();
  return quantised == nullptr ? nullptr : quantised->tensor_value();
}

const flatbuffers::Table* parameters_of(const xnn_fb::XNode& node) {
  return static_cast<const flatbuffers::Table*>(node.xnode_union());
}

uint32_t uint_field(const xnn_fb::XNode& node, const XnnField& f) {
  return parameters_of(node)->GetField<uint32_t>(f.slot, 0);
}

/// The quantised value's parameter table of type T, or null.
template <class T>
const T* quant(const xnn_fb::XValue* value) {
  const auto* q = value == nullptr ? nullptr : value->xvalue_union_as_XNNQuantizedTensorValue();
  return q == nullptr ? nullptr : q->quant_params_as<T>();
}

const xnn_fb::XValue* find_value(const xnn_fb::XNNGraph& graph, uint32_t id) {
  if (id == kXnnNoValue) return nullptr;
  const auto* values = graph.xvalues();
  const auto* there = element(values, id);  // writers number values by position
  if (there != nullptr && tensor_of(there)->id_out() == id) return there;
  for (uint32_t i = 0; i < values->size(); ++i) {
    if (tensor_of(values->Get(i))->id_out() == id) return values->Get(i);
  }
  return nullptr;
}

class Checker {
 public:
  Checker(Span<const uint8_t> payload, const Parts& parts, const xnn_fb::XNNGraph& graph)
      : payload_(payload), parts_(parts), graph_(graph), budget_(payload.size()) {}

  FileError run() {
    if (graph_.xnodes() == nullptr) return bad(&graph_, "XNNGraph.xnodes", "a list of nodes");
    if (graph_.xvalues() == nullptr) return bad(&graph_, "XNNGraph.xvalues", "a list of values");
    if (graph_.num_externs() > kMaxExterns) return bad(&graph_, "XNNGraph.num_externs", "at most 4096");
    if (FileError e = constants(); !e.ok()) return e;
    for (uint32_t i = 0; i < graph_.xvalues()->size(); ++i) {
      if (FileError e = value(*graph_.xvalues()->Get(i), i); !e.ok()) return e;
    }
    for (uint32_t i = 0; i < graph_.xnodes()->size(); ++i) {
      if (FileError e = node(*graph_.xnodes()->Get(i), i); !e.ok()) return e;
    }
    return FileError::none();
  }

 private:
  FileError bad(const void* at, const char* field, const char* expected, int64_t index = -1) const {
    return invalid_payload(static_cast<uint64_t>(static_cast<const uint8_t*>(at) - payload_.data()), field, expected,
                           index);
  }

  FileError constants() const {
    if (!parts_.has_header) return FileError::none();
    for (uint32_t i = 0; i < count_of(graph_.constant_data()); ++i) {
      const auto* c = graph_.constant_data()->Get(i);
      if (c->named_key() != nullptr) continue;
      if (!inside(c->offset(), c->size(), parts_.constant_size)) {
        return bad(c, "XNNGraph.constant_data", "an offset and size inside the constants, or a key", i);
      }
    }
    return FileError::none();
  }

  bool is_constant(uint32_t index) const {
    if (index == 0) return true;
    const bool table = parts_.has_header && count_of(graph_.constant_data()) != 0;
    return index < (table ? count_of(graph_.constant_data()) : count_of(graph_.constant_buffer()));
  }

  FileError value(const xnn_fb::XValue& v, uint32_t i) {
    const auto* t = tensor_of(&v);
    if (t == nullptr) return bad(&v, "XValue.xvalue_union", "a plain or a quantised tensor", i);
    if (t->num_dims() != count_of(t->dims())) return bad(t, "XNNTensorValue.dims", "num_dims dimensions", i);
    if ((t->flags() & ~(kExternalInput | kExternalOutput)) != 0) {
      return bad(t, "XNNTensorValue.flags", "external input (1) and external output (2) only", i);
    }
    const bool external = t->flags() != 0;
    if ((external || t->external_id() != kXnnNoValue) && t->external_id() >= graph_.num_externs()) {
      return bad(t, "XNNTensorValue.external_id", "a number below num_externs", i);
    }
    if (t->id_out() == kXnnNoValue) return bad(t, "XNNTensorValue.id_out", "a value id", i);
    positional_ = positional_ && t->id_out() == i;
    if (!is_constant(t->constant_buffer_idx())) {
      return bad(t, "XNNTensorValue.constant_buffer_idx", "the index of a constant", i);
    }
    const auto* q = v.xvalue_union_as_XNNQuantizedTensorValue();
    if (q == nullptr) return FileError::none();
    if (q->quant_params_type() == xnn_fb::XNNQuantParams::NONE ||
        q->quant_params_type() > xnn_fb::XNNQuantParams::MAX || q->quant_params() == nullptr) {
      return bad(q, "XNNQuantizedTensorValue.quant_params", "a kind from 1 to 4", i);
    }
    uint32_t scales = 0;
    if (const auto* p = q->quant_params_as_PerChannelQuant()) scales = p->scale_buffer_idx();
    if (const auto* p = q->quant_params_as_PerChannelGroupQuant()) scales = p->scale_buffer_idx();
    if (!is_constant(scales)) return bad(q, "XNNQuantizedTensorValue.scale_buffer_idx", "the index of a constant", i);
    return FileError::none();
  }

  bool knows(uint32_t id) {
    if (positional_) return id < graph_.xvalues()->size();
    return budget_.spend(graph_.xvalues()->size() / 64 + 1) && find_value(graph_, id) != nullptr;
  }

  FileError node(const xnn_fb::XNode& n, uint32_t i) {
    const auto tag = static_cast<uint8_t>(n.xnode_union_type());
    if (tag == 0) return bad(&n, "XNode.xnode_union", "a node", i);
    const auto fields = xnn_node_info(tag).fields;
    if (fields.empty()) return FileError::none();  // a type of a newer schema: shown, not read
    if (n.xnode_union() == nullptr) return bad(&n, "XNode.xnode_union", "a node", i);
    for (const XnnField& f : fields) {
      if (f.role != XnnParameter::Role::Input && f.role != XnnParameter::Role::Output) continue;
      const uint32_t id = uint_field(n, f);
      if (id != kXnnNoValue && !knows(id)) return bad(&n, f.name, "a value id, or none", i);
    }
    return FileError::none();
  }

  Span<const uint8_t> payload_;
  const Parts& parts_;
  const xnn_fb::XNNGraph& graph_;
  Budget budget_;
  bool positional_ = true;
};

}  // namespace

FileError XnnpackPayload::open(Span<const uint8_t> payload, XnnpackPayload* out) {
  *out = XnnpackPayload();
  Parts parts;
  if (FileError e = read_parts(payload, &parts); !e.ok()) return e;
  const auto flat = payload.subspan(static_cast<size_t>(parts.flat_offset), static_cast<size_t>(parts.flat_size));
  if (!fits_flatbuffer(flat.size()))
    return invalid_payload(parts.flat_offset, "XNNGraph", "a flatbuffer of 8 bytes to 2 GiB");
  const bool current = std::memcmp(flat.data() + 4, "XN01", 4) == 0;
  if (!current && std::memcmp(flat.data() + 4, "XN00", 4) != 0) {
    return failure(Error::DelegateInvalidCompatibility, parts.flat_offset + 4, "XNNPACK identifier", "XN00 or XN01");
  }
  if (!aligned(flat.data(), 8)) {
    return failure(Error::InvalidArgument, parts.flat_offset, "buffer", "a start address that is a multiple of 8");
  }
  flatbuffers::Verifier verifier(flat.data(), flat.size(), verifier_options(flat.size()));
  if (!verifier.VerifyBuffer<xnn_fb::XNNGraph>(nullptr)) {
    return invalid_payload(parts.flat_offset, "XNNGraph",
                           "a valid flatbuffer (a table, vector or string is out of bounds)");
  }
  const auto* graph = flatbuffers::GetRoot<xnn_fb::XNNGraph>(flat.data());
  if (FileError e = Checker(payload, parts, *graph).run(); !e.ok()) return e;
  out->payload_ = payload;
  out->constants_ =
      payload.subspan(static_cast<size_t>(parts.constant_offset), static_cast<size_t>(parts.constant_size));
  out->graph_ = graph;
  out->flatbuffer_bytes_ = parts.flat_size;
  out->schema_version_ = current ? 1 : 0;
  out->has_header_ = parts.has_header;
  return FileError::none();
}

std::string_view XnnpackPayload::version() const { return valid() ? view(graph_->version()) : std::string_view(); }
uint32_t XnnpackPayload::node_count() const { return valid() ? count_of(graph_->xnodes()) : 0; }
XnnNode XnnpackPayload::node(uint32_t i) const {
  return valid() ? XnnNode(element(graph_->xnodes(), i), i) : XnnNode();
}
uint32_t XnnpackPayload::value_count() const { return valid() ? count_of(graph_->xvalues()) : 0; }

XnnValue XnnpackPayload::value(uint32_t i) const {
  return valid() ? XnnValue(*this, element(graph_->xvalues(), i)) : XnnValue();
}
XnnValue XnnpackPayload::value_by_id(uint32_t id) const {
  return valid() ? XnnValue(*this, find_value(*graph_, id)) : XnnValue();
}
uint32_t XnnpackPayload::extern_count() const { return valid() ? graph_->num_externs() : 0; }
Span<const uint32_t> XnnpackPayload::input_ids() const {
  return valid() ? span_of(graph_->input_ids()) : Span<const uint32_t>();
}
Span<const uint32_t> XnnpackPayload::output_ids() const {
  return valid() ? span_of(graph_->output_ids()) : Span<const uint32_t>();
}

uint8_t XnnNode::type_tag() const { return valid() ? static_cast<uint8_t>(node_->xnode_union_type()) : uint8_t{0}; }
XnnNodeType XnnNode::type() const {
  const uint8_t tag = type_tag();
  return tag <= static_cast<uint8_t>(xnn_fb::XNodeUnion::MAX) ? static_cast<XnnNodeType>(tag) : XnnNodeType::Unknown;
}
uint32_t XnnNode::debug_handle() const { return valid() ? node_->debug_handle() : kXnnNoDebugHandle; }
bool XnnNode::has_bounds() const { return valid() && node_->output_min_max() != nullptr; }
float XnnNode::output_min() const { return has_bounds() ? node_->output_min_max()->output_min() : -INFINITY; }
float XnnNode::output_max() const { return has_bounds() ? node_->output_min_max()->output_max() : INFINITY; }
bool XnnNode::is_clamped() const { return output_min() > -INFINITY || output_max() < INFINITY; }

XnnIds XnnNode::inputs() const {
  XnnIds ids;
  for (const XnnField& f : xnn_node_info(type_tag()).fields) {
    if (f.role == XnnParameter::Role::Input) ids.push(uint_field(*node_, f));
  }
  return ids;
}
XnnIds XnnNode::outputs() const {
  XnnIds ids;
  for (const XnnField& f : xnn_node_info(type_tag()).fields) {
    if (f.role == XnnParameter::Role::Output) ids.push(uint_field(*node_, f));
  }
  return ids;
}
uint32_t XnnNode::flags() const {
  for (const XnnField& f : xnn_node_info(type_tag()).fields) {
    if (f.role == XnnParameter::Role::Flags) return uint_field(*node_, f);
  }
  return 0;
}

uint32_t XnnNode::parameter_count() const { return static_cast<uint32_t>(xnn_node_info(type_tag()).fields.size()); }

XnnParameter XnnNode::parameter(uint32_t i) const {
  XnnParameter p;
  if (i >= parameter_count()) return p;
  const XnnField& f = xnn_node_info(type_tag()).fields[i];
  p.name = f.name;
  p.kind = f.kind;
  p.role = f.role;
  const auto* table = parameters_of(*node_);
  switch (f.kind) {
    case XnnParameter::Kind::Uint:
      p.uint_value = table->GetField<uint32_t>(f.slot, 0);
      break;
    case XnnParameter::Kind::Float:
      p.float_value = table->GetField<float>(f.slot, 0);
      break;
    case XnnParameter::Kind::UintList:
      p.list = span_of(table->GetPointer<const flatbuffers::Vector<uint32_t>*>(f.slot));
      break;
  }
  return p;
}

bool XnnNode::find_parameter(std::string_view name, XnnParameter* out) const {
  for (uint32_t i = 0; i < parameter_count(); ++i) {
    if (name == xnn_node_info(type_tag()).fields[i].name) {
      *out = parameter(i);
      return true;
    }
  }
  return false;
}

uint32_t XnnNode::uint_parameter(std::string_view name, uint32_t fallback) const {
  XnnParameter p;
  return find_parameter(name, &p) && p.kind == XnnParameter::Kind::Uint ? p.uint_value : fallback;
}

XnnValue::XnnValue(const XnnpackPayload& payload, const xnn_fb::XValue* value) : payload_(payload), value_(value) {}

uint32_t XnnValue::id() const { return valid() ? tensor_of(value_)->id_out() : kXnnNoValue; }
XnnDatatype XnnValue::datatype() const {
  return valid() ? static_cast<XnnDatatype>(tensor_of(value_)->datatype()) : XnnDatatype::Invalid;
}
Span<const uint32_t> XnnValue::dims() const {
  return valid() ? span_of(tensor_of(value_)->dims()) : Span<const uint32_t>();
}
uint32_t XnnValue::external_id() const { return valid() ? tensor_of(value_)->external_id() : kXnnNoValue; }
uint32_t XnnValue::flags() const { return valid() ? tensor_of(value_)->flags() : 0; }
bool XnnValue::is_external_input() const { return (flags() & kExternalInput) != 0; }
bool XnnValue::is_external_output() const { return (flags() & kExternalOutput) != 0; }
uint32_t XnnValue::constant_buffer_idx() const { return valid() ? tensor_of(value_)->constant_buffer_idx() : 0; }
XnnConstant XnnValue::constant() const { return payload_.constant(constant_buffer_idx()); }
XnnDatatype XnnValue::dynamic_datatype() const {
  return valid() ? static_cast<XnnDatatype>(tensor_of(value_)->dq_datatype()) : XnnDatatype::Invalid;
}

XnnConstant XnnpackPayload::constant(uint32_t index) const {
  XnnConstant c;
  if (!valid() || index == 0) return c;
  if (has_header_ && count_of(graph_->constant_data()) != 0) {
    const auto* entry = element(graph_->constant_data(), index);
    if (entry == nullptr) return c;
    if (entry->named_key() != nullptr) {
      c.place = XnnConstant::Place::Named;
      c.key = view(entry->named_key());
      return c;
    }
    c.bytes = constants_.subspan(static_cast<size_t>(entry->offset()), static_cast<size_t>(entry->size()));
  } else {
    const auto* buffer = element(graph_->constant_buffer(), index);
    if (buffer == nullptr) return c;
    c.bytes = span_of(buffer->storage());
  }
  c.place = XnnConstant::Place::Payload;
  if (!c.bytes.empty()) c.offset = static_cast<uint64_t>(c.bytes.data() - payload_.data());
  return c;
}

XnnQuantKind XnnValue::quant_kind() const {
  const auto* q = valid() ? value_->xvalue_union_as_XNNQuantizedTensorValue() : nullptr;
  return q == nullptr ? XnnQuantKind::None : static_cast<XnnQuantKind>(q->quant_params_type());
}
float XnnValue::scale() const {
  const auto* q = quant<xnn_fb::PerTensorQuant>(value_);
  return q == nullptr ? 0 : q->scale();
}
int32_t XnnValue::zero_point() const {
  const auto* q = quant<xnn_fb::PerTensorQuant>(value_);
  return q == nullptr ? 0 : q->zero_point();
}
Span<const float> XnnValue::scales() const {
  if (const auto* q = quant<xnn_fb::PerChannelQuant>(value_)) return span_of(q->scale());
  if (const auto* q = quant<xnn_fb::PerChannelGroupQuant>(value_)) return span_of(q->scale());
  return {};
}
Span<const uint16_t> XnnValue::scales_bf16() const {
  const auto* q = quant<xnn_fb::PerChannelGroupQuant>(value_);
  return q == nullptr ? Span<const uint16_t>() : span_of(q->scale_bf16());
}
XnnConstant XnnValue::scale_constant() const {
  if (const auto* q = quant<xnn_fb::PerChannelQuant>(value_)) return payload_.constant(q->scale_buffer_idx());
  if (const auto* q = quant<xnn_fb::PerChannelGroupQuant>(value_)) return payload_.constant(q->scale_buffer_idx());
  return {};
}
uint32_t XnnValue::scale_count() const {
  if (const auto* q = quant<xnn_fb::PerChannelQuant>(value_)) {
    return q->num_scales() != 0 ? q->num_scales() : count_of(q->scale());
  }
  if (const auto* q = quant<xnn_fb::PerChannelGroupQuant>(value_)) {
    if (q->num_scales() != 0) return q->num_scales();
    return count_of(q->scale()) != 0 ? count_of(q->scale()) : count_of(q->scale_bf16());
  }
  return quant_kind() == XnnQuantKind::PerTensor ? 1 : 0;
}
int32_t XnnValue::channel_dim() const {
  if (const auto* q = quant<xnn_fb::PerChannelQuant>(value_)) return q->channel_dim();
  if (const auto* q = quant<xnn_fb::PerChannelGroupQuant>(value_)) return q->channel_dim();
  return 0;
}
int32_t XnnValue::group_size() const {
  const auto* q = quant<xnn_fb::PerChannelGroupQuant>(value_);
  return q == nullptr ? 0 : q->group_size();
}
int32_t XnnValue::nonbatch_dims() const {
  const auto* q = quant<xnn_fb::PerTokenDynamicQuant>(value_);
  return q == nullptr ? 0 : q->num_nonbatch_dims();
}

}  // namespace et::format
