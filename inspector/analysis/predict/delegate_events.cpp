#include "inspector/analysis/predict/delegate_events.h"

#include <cstring>
#include <span>

#include "inspector/analysis/predict/xnnpack_fusion.h"
#include "inspector/ingest/payloads/payload_kinds.h"
#include "runtime/format/delegate_metadata.h"
#include "runtime/format/demo_payload.h"
#include "runtime/format/tosa_payload.h"
#include "runtime/format/xnnpack_payload.h"

namespace et::inspector {
namespace {

using Bytes = std::span<const uint8_t>;

std::vector<uint8_t> record_of(format::DelegatePhase phase, const std::vector<format::DelegateNode>& nodes) {
  std::vector<uint8_t> out(format::delegate_metadata_size(nodes.size()));
  format::write_delegate_metadata(phase, nodes, out.data());
  return out;
}

ScalarType logged_type(format::XnnDatatype type) {
  using D = format::XnnDatatype;
  switch (type) {
    case D::QInt8:
    case D::QDInt8:
    case D::QPInt8:
      return ScalarType::Char;
    case D::QUInt8:
      return ScalarType::Byte;
    case D::QInt32:
    case D::Int32:
      return ScalarType::Int;
    default:
      return ScalarType::Float;
  }
}

std::string sizes_text(std::span<const uint32_t> dims) {
  std::string out;
  for (const uint32_t d : dims) out += (out.empty() ? "" : "x") + std::to_string(d);
  return out;
}

ForecastEvent event_of_nodes(const format::XnnpackPayload& payload, const std::vector<uint32_t>& nodes,
                             format::DelegatePhase phase, bool values) {
  constexpr size_t kMostNames = 5;
  ForecastEvent event;
  std::vector<format::DelegateNode> places;
  std::string numbers;
  event.name = phase == format::DelegatePhase::Init ? "Pack " : "";
  for (size_t i = 0; i < nodes.size(); ++i) {
    const format::XnnNode node = payload.node(nodes[i]);
    if (i < kMostNames) event.name += (i == 0 ? "" : " + ") + std::string(node.type_name());
    numbers += (i == 0 ? "" : "+") + std::to_string(nodes[i]);
    places.push_back({nodes[i], node.has_debug_handle() ? node.debug_handle() : format::kNoDebugHandle});
  }
  const format::XnnNode node = payload.node(nodes[0]);
  const format::XnnValue in = payload.value_by_id(node.inputs()[0]), out = payload.value_by_id(node.outputs()[0]);
  event.name += " (NHWC, F32, " + (in.valid() ? sizes_text(in.dims()) : "") + "->" +
                (out.valid() ? sizes_text(out.dims()) : "") + ") node " + numbers;
  event.metadata = record_of(phase, places);
  if (!values) return event;
  for (const uint32_t id : node.outputs()) {
    const format::XnnValue v = payload.value_by_id(id);
    if (v.valid()) event.values.push_back({logged_type(v.datatype()), {v.dims().begin(), v.dims().end()}});
  }
  return event;
}

bool packs_weights(const format::XnnpackPayload& payload, const format::XnnNode& node) {
  using T = format::XnnNodeType;
  const T type = node.type();
  if (type != T::Conv2d && type != T::DepthwiseConv2d && type != T::FullyConnected && type != T::ConvTranspose2d)
    return false;
  const format::XnnValue weights = payload.value_by_id(node.inputs()[1]);
  return weights.valid() && weights.constant().place != format::XnnConstant::Place::None;
}

bool forecast_xnnpack(Bytes bytes, bool values, DelegateForecast* out) {
  format::XnnpackPayload payload;
  if (!format::XnnpackPayload::open(bytes, &payload).ok()) return false;
  for (uint32_t i = 0; i < payload.node_count(); ++i) {
    if (packs_weights(payload, payload.node(i)))
      out->load.push_back(event_of_nodes(payload, {i}, format::DelegatePhase::Init, false));
    if (values) out->run.push_back(event_of_nodes(payload, {i}, format::DelegatePhase::Run, true));
  }
  out->first.push_back({"Plan shapes and memory", record_of(format::DelegatePhase::Plan, {}), {}});
  if (values) return true;
  for (const std::vector<uint32_t>& nodes : fused_nodes(payload))
    out->run.push_back(event_of_nodes(payload, nodes, format::DelegatePhase::Run, false));
  return true;
}

ScalarType tosa_type(std::string_view name) {
  struct Row {
    std::string_view name;
    ScalarType type;
  };
  constexpr Row kRows[] = {{"BOOL", ScalarType::Bool},    {"INT16", ScalarType::Short}, {"INT32", ScalarType::Int},
                           {"INT48", ScalarType::Long},   {"FP32", ScalarType::Float},  {"FP16", ScalarType::Half},
                           {"BF16", ScalarType::BFloat16}};
  for (const Row& row : kRows) {
    if (row.name == name) return row.type;
  }
  return ScalarType::Char;
}

bool forecast_tosa(Bytes bytes, bool values, DelegateForecast* out) {
  format::TosaPayload payload;
  if (!format::TosaPayload::open(bytes, &payload).ok()) return false;
  const format::TosaBlock block = payload.main_block();
  for (uint32_t i = 0; i < block.operator_count(); ++i) {
    const format::TosaOperator op = block.op(i);
    if (op.op_name() == std::string_view("CONST") || op.op_name() == std::string_view("CONST_SHAPE")) continue;
    ForecastEvent event;
    event.name = std::string(op.op_name()) + " op " + std::to_string(i);
    event.metadata = record_of(format::DelegatePhase::Run, {{i, format::kNoDebugHandle}});
    for (uint32_t k = 0; values && k < op.outputs().size(); ++k) {
      const format::TosaTensor t = block.find_tensor(op.outputs()[k]);
      if (t.valid()) {
        event.values.push_back({tosa_type(t.dtype_name()), {t.shape().begin(), t.shape().end()}});
        continue;
      }
      for (uint32_t s = 0; s < block.shape_count(); ++s) {
        const format::TosaShape shape = block.shape(s);
        if (shape.name() == op.outputs()[k])
          event.values.push_back({ScalarType::Long, {static_cast<int32_t>(shape.rank())}});
      }
    }
    out->run.push_back(std::move(event));
  }
  return true;
}

bool forecast_demo(Bytes bytes, bool values, DelegateForecast* out) {
  format::DemoPayload payload;
  if (!format::DemoPayload::open(format::DemoPayload::Dialect::Compiler, bytes, &payload).ok()) return false;
  for (const format::DemoOp& op : payload) {
    const auto i = static_cast<uint32_t>(out->run.size());
    ForecastEvent event;
    event.name = std::string(op.name) + " op " + std::to_string(i);
    event.metadata = record_of(format::DelegatePhase::Run, {{i, static_cast<uint32_t>(op.debug_handle)}});
    if (values) event.values.push_back({ScalarType::Float, {static_cast<int32_t>(op.numel)}});
    out->run.push_back(std::move(event));
  }
  return true;
}

std::vector<ForecastValue> tensors_of(const format::Method& method, const std::vector<int32_t>& values) {
  std::vector<ForecastValue> out;
  for (const int32_t v : values) {
    const format::TensorView t = method.value(static_cast<uint32_t>(v)).as_tensor();
    if (t.valid()) out.push_back({t.scalar_type(), {t.sizes().begin(), t.sizes().end()}});
  }
  return out;
}

bool forecast_program(Bytes bytes, bool values, DelegateForecast* out) {
  format::Program program;
  if (!format::Program::open(bytes, &program).ok()) return false;
  const format::Method method = program.method("forward");
  for (uint32_t i = 0; i < method.instruction_count(); ++i) {
    const format::Instruction in = method.instruction(i);
    const bool kernel = in.kind() == format::InstructionKind::KernelCall;
    if (!kernel && in.kind() != format::InstructionKind::DelegateCall) continue;
    ForecastEvent event;
    event.name = (kernel ? operator_text(method, in) : "delegate call") + " instruction " + std::to_string(i);
    event.metadata = record_of(format::DelegatePhase::Run, {{i, format::kNoDebugHandle}});
    if (values) event.values = tensors_of(method, logged_arguments(method, in));
    if (!kernel) {
      const DelegateForecast inner =
          forecast_delegate(method.delegate(static_cast<uint32_t>(in.delegate_index())), values);
      if (!inner.known) return false;
      for (ForecastEvent e : inner.run) {
        e.name.insert(0, event.name + ": ");
        e.metadata.clear();
        out->run.push_back(std::move(e));
      }
    }
    out->run.push_back(std::move(event));
  }
  return true;
}

using Forecast = bool (*)(Bytes bytes, bool values, DelegateForecast* out);
struct Row {
  std::string_view payload_kind;
  Forecast forecast;
};
constexpr Row kForecasts[] = {{"xnnpack", forecast_xnnpack},
                              {"tosa", forecast_tosa},
                              {"program", forecast_program},
                              {"demo_compiler", forecast_demo}};

}  // namespace

DelegateForecast forecast_delegate(const format::Delegate& delegate, bool values) {
  DelegateForecast out;
  out.backend = std::string(delegate.id());
  Bytes bytes = delegate.payload();
  const PayloadKind* kind = find_payload_kind(payload_kinds(), out.backend, bytes);
  if (kind == nullptr) return out;
  out.payload_kind = kind->name;
  // A payload may lie anywhere in the file, the verified views want it aligned.
  std::vector<uint64_t> aligned;
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 16 != 0) {
    aligned.resize(bytes.size() / 8 + 1);
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    bytes = {reinterpret_cast<const uint8_t*>(aligned.data()), bytes.size()};
  }
  for (const Row& row : kForecasts) {
    if (row.payload_kind == out.payload_kind) out.known = row.forecast(bytes, values, &out);
  }
  if (!out.known) out.load = out.first = out.run = {};
  return out;
}

std::string operator_text(const format::Method& method, const format::Instruction& in) {
  const format::OperatorName op = method.operator_name(static_cast<uint32_t>(in.op_index()));
  return std::string(op.name) + (op.overload.empty() ? "" : "." + std::string(op.overload));
}

std::vector<int32_t> logged_arguments(const format::Method& method, const format::Instruction& in) {
  const std::span<const int32_t> args = in.args();
  if (in.kind() == format::InstructionKind::DelegateCall) return {args.begin(), args.end()};
  if (args.empty()) return {};
  const format::Value last = method.value(static_cast<uint32_t>(args.back()));
  const size_t end = args.size() - 1;
  size_t results = 1;
  if (last.kind() == format::ValueKind::TensorList) {
    const bool list =
        end >= 1 && method.value(static_cast<uint32_t>(args[end - 1])).kind() == format::ValueKind::TensorList;
    results = list ? 1 : last.indices().size();
  }
  if (results == 1) {
    for (size_t i = 0; i < end; ++i) {
      if (args[i] == args.back()) return {args[i]};
    }
  }
  const size_t from = results < end ? end - results : 0;
  return {args.begin() + static_cast<std::ptrdiff_t>(from), args.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace et::inspector
