#include "runtime/backends/xnnpack/graph/loader.h"

#include <algorithm>

#include "runtime/backends/xnnpack/graph/event_names.h"
#include "runtime/backends/xnnpack/graph/fuse.h"
#include "runtime/backends/xnnpack/graph/lost_conversions.h"
#include "runtime/backends/xnnpack/graph/operator_factories.h"
#include "runtime/format/delegate_metadata.h"
#include "runtime/platform/log.h"

namespace et::xnn {

using format::XnnDatatype;
using format::XnnQuantKind;

namespace {

#define ET_XNN_CHECK_VALUE(condition, id, error, ...)                         \
  do {                                                                        \
    if (!(condition)) {                                                       \
      char text[160];                                                         \
      std::snprintf(text, sizeof text, __VA_ARGS__);                          \
      ET_LOG(Error, "XNNPACK value %u: %s", static_cast<unsigned>(id), text); \
      return Error::error;                                                    \
    }                                                                         \
  } while (0)

Storage storage_of(XnnDatatype type) {
  switch (type) {
    case XnnDatatype::Fp32:
    case XnnDatatype::PFp32:
    case XnnDatatype::Fp16:
    case XnnDatatype::Bf16:
      return Storage::F32;
    case XnnDatatype::Int32:
      return Storage::S32;
    case XnnDatatype::QInt8:
      return Storage::S8;
    case XnnDatatype::QUInt8:
      return Storage::U8;
    case XnnDatatype::QDInt8:
    case XnnDatatype::QPInt8:
      return Storage::D8;
    default:
      return Storage::None;
  }
}

Error read_value(const format::XnnValue& stored, Value* out) {
  const uint32_t id = out->id = stored.id();
  out->datatype = stored.datatype();
  ET_XNN_CHECK_VALUE(out->datatype > XnnDatatype::Invalid && out->datatype <= XnnDatatype::Bf16, id, NotSupported,
                     "datatype %d", static_cast<int>(out->datatype));
  out->storage = storage_of(out->datatype);
  const std::span<const uint32_t> dims = stored.dims();
  ET_XNN_CHECK_VALUE(dims.size() <= static_cast<size_t>(kMaxDims), id, NotSupported,
                     "expected at most %d dimensions, got %zu", kMaxDims, dims.size());
  out->declared.rank = static_cast<int>(dims.size());
  std::copy(dims.begin(), dims.end(), out->declared.dims);
  ET_XNN_CHECK_VALUE(out->declared.fits(), id, InvalidProgram, "shape [%s] is out of range",
                     out->declared.text().c_str());
  out->shape = out->declared;
  out->input = stored.is_external_input();
  out->output = stored.is_external_output();
  if (out->input || out->output) out->external = stored.external_id();
  ET_XNN_CHECK_VALUE(!out->input || !out->output, id, NotSupported, "both an input and an output of the delegate");
  const bool constant = stored.constant_buffer_idx() != 0;
  ET_XNN_CHECK_VALUE(!constant || (!out->input && !out->output), id, InvalidProgram,
                     "a constant that is an input or output of the delegate");
  ET_XNN_CHECK_VALUE(constant || out->storage != Storage::None, id, NotSupported,
                     "type %s is supported for constants only", format::xnn_datatype_name(out->datatype));
  if (out->quantized()) {
    const bool per_tensor = stored.quant_kind() == XnnQuantKind::PerTensor;
    ET_XNN_CHECK_VALUE(per_tensor || constant, id, InvalidProgram, "%s without scale and zero point",
                       format::xnn_datatype_name(out->datatype));
    if (per_tensor) {
      out->scale = stored.scale();
      out->zero_point = stored.zero_point();
    }
    ET_XNN_CHECK_VALUE(out->scale > 1e-30f && out->scale < 1e30f, id, InvalidProgram, "scale %g",
                       static_cast<double>(out->scale));
    ET_XNN_CHECK_VALUE(out->zero_point >= quantized_min(out->storage) && out->zero_point <= quantized_max(out->storage),
                       id, InvalidProgram, "zero point %d", static_cast<int>(out->zero_point));
  } else if (stored.quant_kind() == XnnQuantKind::PerTensor) {
    out->scale = stored.scale();
    out->zero_point = stored.zero_point();
  }
  if (out->storage == Storage::D8) {
    ET_XNN_CHECK_VALUE(!constant && !out->input && !out->output, id, InvalidProgram,
                       "type %s is for intermediate values only", format::xnn_datatype_name(out->datatype));
    out->nonbatch_dims = stored.quant_kind() == XnnQuantKind::PerTokenDynamic ? stored.nonbatch_dims() : 1;
    ET_XNN_CHECK_VALUE(out->nonbatch_dims >= 1 && out->nonbatch_dims <= out->declared.rank, id, InvalidProgram,
                       "%d of its %d dimensions share a scale", out->nonbatch_dims, out->declared.rank);
  }
  out->defined = out->input;
  return Error::Ok;
}

// A float input that old payloads want quantised when the graph runs: nodes see the quantised value.
Error add_legacy_quantisation(Graph& g, uint32_t index) {
  Value& v = g.values[index];
  ET_XNN_CHECK_VALUE(v.input && v.storage == Storage::F32 && v.declared.rank >= 1, v.id, InvalidProgram,
                     "expected a float input of the delegate for dynamic quantisation");
  const auto from = static_cast<uint32_t>(g.values.size());
  g.values.push_back(v);
  Value& quantised = g.values[index];
  quantised.datatype = XnnDatatype::QDInt8;
  quantised.storage = Storage::D8;
  quantised.nonbatch_dims = 1;
  quantised.input = false;
  quantised.external = Value::kNotExternal;
  quantised.defined = false;
  std::unique_ptr<Operator> op = make_conversion(g, from, index);
  op->result = index;
  op->node = format::kXnnNoValue;
  g.operators.push_back(std::move(op));
  return Error::Ok;
}

Error read_values(const format::XnnpackPayload& payload, Graph* g) {
  g->values.reserve(payload.value_count());
  for (uint32_t i = 0; i < payload.value_count(); ++i) {
    const format::XnnValue stored = payload.value(i);
    Value v;
    ET_CHECK_OK_OR_RETURN_ERROR(read_value(stored, &v));
    ET_XNN_CHECK_VALUE(g->index_of.emplace(v.id, i).second, v.id, InvalidProgram, "defined twice");
    g->values.push_back(v);
  }
  for (uint32_t i = 0; i < payload.value_count(); ++i) {
    const XnnDatatype dynamic = payload.value(i).dynamic_datatype();
    if (payload.schema_version() != 0 || dynamic == XnnDatatype::Invalid) continue;
    ET_XNN_CHECK_VALUE(dynamic == XnnDatatype::QInt8, g->values[i].id, NotSupported,
                       "dynamic quantisation to %s is not supported", format::xnn_datatype_name(dynamic));
    ET_CHECK_OK_OR_RETURN_ERROR(add_legacy_quantisation(*g, i));
  }
  restore_lost_conversions(payload, g);
  for (uint32_t i = 0; i < g->values.size(); ++i) {
    if (g->values[i].input) g->inputs.push_back(i);
    if (g->values[i].output) g->outputs.push_back(i);
  }
  std::vector<uint32_t> seen;
  for (const auto* list : {&g->inputs, &g->outputs}) {
    for (const uint32_t i : *list) seen.push_back(g->values[i].external);
  }
  std::sort(seen.begin(), seen.end());
  if (const auto twice = std::adjacent_find(seen.begin(), seen.end()); twice != seen.end()) {
    ET_LOG(Error, "XNNPACK: argument %u of the delegate is assigned to two values", static_cast<unsigned>(*twice));
    return Error::InvalidProgram;
  }
  const auto by_external = [g](uint32_t a, uint32_t b) { return g->values[a].external < g->values[b].external; };
  std::sort(g->inputs.begin(), g->inputs.end(), by_external);
  std::sort(g->outputs.begin(), g->outputs.end(), by_external);
  return Error::Ok;
}

Error read_node(const format::XnnpackPayload& payload, uint32_t i, const ConstantSource& constants, Graph* g) {
  const format::XnnNode node = payload.node(i);
  const OperatorFactory make = factory_of(node.type());
  if (make == nullptr) {
    if (node.type() == format::XnnNodeType::Unknown) {
      return node_error(i, node.type(), Error::NotImplemented, "unknown node type %u",
                        static_cast<unsigned>(node.type_tag()));
    }
    return node_error(i, node.type(), Error::NotImplemented, "node type not implemented");
  }
  NodeReader reader(payload, node, *g, constants);
  std::unique_ptr<Operator> op;
  ET_CHECK_OK_OR_RETURN_ERROR(make(reader, &op));
  op->node = i;
  op->type = node.type();
  op->debug_handle = node.debug_handle();
  op->result = op->outputs[0];
  g->operators.push_back(std::move(op));
  return Error::Ok;
}

Error prepare(Graph& g, WeightCache& cache, EventTracer* tracer) {
  for (size_t i = 0; i < g.operators.size(); ++i) {
    Operator& op = *g.operators[i];
    const Timestamp start = tracer == nullptr ? 0 : current_ticks();
    ET_CHECK_OK_OR_RETURN_ERROR(op.prepare(g, cache));
    const Timestamp end = tracer == nullptr ? 0 : current_ticks();
    if (tracer == nullptr || op.packed_bytes == 0) continue;
    const std::vector<uint8_t> record = event_metadata(g, op, format::DelegatePhase::Init, false);
    tracer->log_profiling_delegate(("Pack " + event_name(g, op, false)).c_str(), kUnsetDelegateDebugIntId, start, end,
                                   record.data(), record.size());
  }
  return Error::Ok;
}

}  // namespace

Error load_graph(const format::XnnpackPayload& payload, const NamedDataMap* named_data, WeightCache& cache,
                 EventTracer* tracer, Graph* out) {
  ET_CHECK_OK_OR_RETURN_ERROR(read_values(payload, out));
  const ConstantSource constants(named_data);
  for (uint32_t i = 0; i < payload.node_count(); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(read_node(payload, i, constants, out));
  }
  for (const uint32_t o : out->outputs) {
    ET_XNN_CHECK_VALUE(out->values[o].defined, out->values[o].id, InvalidProgram,
                       "an output of the delegate that no node writes");
  }
  fuse(*out);
  return prepare(*out, cache, tracer);
}

}  // namespace et::xnn

#undef ET_XNN_CHECK_VALUE
