#include "inspector/analysis/predict/rehearsal.h"

#include <algorithm>
#include <cstdlib>

#include "etdump/record.h"
#include "runtime/kernels/operator_names.h"

namespace et::inspector {
namespace {

constexpr Timestamp kTick = 1000003;  // any: times have a fixed length in the file
constexpr uint64_t kMostValueBytes = uint64_t{1} << 40;

/// Counts what would be written and reads none of it.
class CountingSink final : public etdump::DataSinkBase {
 public:
  Result<size_t> write(const void*, size_t length) override { return add(length); }
  Result<size_t> write_made(size_t length, Fill, void*) override { return add(length); }
  size_t get_used_bytes() const override { return used_; }

 private:
  size_t add(size_t length) {
    const size_t at = used_;
    used_ += length;
    return at;
  }
  size_t used_ = 0;
};

const char* call_name(format::InstructionKind kind) {
  switch (kind) {
    case format::InstructionKind::KernelCall:
      return "OPERATOR_CALL";
    case format::InstructionKind::DelegateCall:
      return "DELEGATE_CALL";
    case format::InstructionKind::JumpFalseCall:
      return "JF_CALL";
    case format::InstructionKind::MoveCall:
      return "MOVE_CALL";
    default:
      return "FREE_CALL";
  }
}

/// As long as those of a machine are, about.
void describe(etdump::ETDumpGen* gen) {
  static constexpr uint8_t kHash[32] = {1};
  gen->set_producer("et-inspect runtime 0.1.0");
  gen->set_host({.name = "hostname",
                 .cpu = "a processor of some vendor @ 2.00GHz",
                 .os = "Linux 6.1.0 x86_64",
                 .build = "GCC 12.2.0, -O3, x86-64-v3",
                 .kernels = "et::kernels",
                 .cores = 8,
                 .threads_used = 1});
  gen->set_program({.sha256 = kHash, .data_sha256 = {}, .bytes = 1, .path = "a/folder/of/models/model.pte"});
}

uint64_t record_bytes(const ForecastEvent& event) {
  return sizeof(etdump::ProfileRecord) + 8 + (event.metadata.size() + 7) / 8 * 8;
}

}  // namespace

Rehearsal::Rehearsal(const format::Method& method, const PredictOptions& options)
    : method_(method), options_(options), name_(method.name()) {
  for (uint32_t i = 0; i < method.operator_count(); ++i) {
    const format::OperatorName op = method.operator_name(i);
    const std::string full = std::string(op.name) + (op.overload.empty() ? "" : "." + std::string(op.overload));
    const size_t base = full.find("::");
    names_.push_back("native_call_" + (base == std::string::npos ? full : full.substr(base + 2)));
    primitive_.push_back(is_primitive_operator(full));
  }
  for (uint32_t i = 0; i < method.delegate_count(); ++i)
    delegates_.push_back(forecast_delegate(method.delegate(i), options.values == LoggedValues::Intermediate));
  make_values();
  make_lists();
}

void Rehearsal::add_tensor(ScalarType type, std::vector<int32_t> sizes, std::vector<uint8_t> order, bool varies) {
  // A uint64 tensor is looked into before it is logged, as an int64 one is not; both have as many bytes.
  if (type == ScalarType::UInt64) type = ScalarType::Long;
  OwnTensor& t = tensors_.emplace_back(
      OwnTensor{std::move(sizes), {}, std::move(order), TensorImpl(ScalarType::Byte, 0, nullptr), varies});
  t.strides.resize(t.sizes.size());
  static_cast<void>(dim_order_to_strides(t.sizes, t.order, t.strides.data()));
  uint64_t bytes = element_size(type);
  for (const int32_t size : t.sizes) bytes = std::min(bytes * static_cast<uint64_t>(size), kMostValueBytes);
  static uint8_t somewhere = 0;  // never read: CountingSink
  t.impl = TensorImpl(type, t.sizes.size(), t.sizes.data(), bytes < kMostValueBytes ? &somewhere : nullptr,
                      t.order.data(), t.strides.data());
}

void Rehearsal::make_values() {
  values_.resize(method_.value_count());
  for (uint32_t i = 0; i < method_.value_count(); ++i) {
    const format::Value v = method_.value(i);
    switch (v.kind()) {
      case format::ValueKind::Int:
        values_[i] = EValue(v.as_int());
        break;
      case format::ValueKind::Bool:
        values_[i] = EValue(v.as_bool());
        break;
      case format::ValueKind::Double:
        values_[i] = EValue(v.as_double());
        break;
      case format::ValueKind::Tensor: {
        const format::TensorView t = v.as_tensor();
        const bool varies = t.shape_dynamism() != format::ShapeDynamism::Static;
        dynamic_ = dynamic_ || varies;
        add_tensor(t.scalar_type(), {t.sizes().begin(), t.sizes().end()}, {t.dim_order().begin(), t.dim_order().end()},
                   varies);
        values_[i] = EValue(Tensor(&tensors_.back().impl));
        break;
      }
      default:
        break;
    }
  }
}

void Rehearsal::make_lists() {
  for (uint32_t i = 0; i < method_.value_count(); ++i) {
    const format::Value v = method_.value(i);
    if (v.kind() != format::ValueKind::TensorList) continue;
    OwnList& list = lists_.emplace_back();
    const format::IndexList items = v.indices();
    for (uint32_t k = 0; k < items.size(); ++k)
      list.items.push_back(items[k] < 0 ? nullptr : &values_[static_cast<size_t>(items[k])]);
    list.unwrapped.resize(list.items.size());
    list.list = {list.items.data(), list.unwrapped.data(), list.items.size()};
    values_[i] = EValue(&list.list);
  }
}

bool Rehearsal::loggable(const EValue& value) const {
  if (!value.isTensor()) return true;
  const TensorImpl* impl = value.payload.as_tensor.unsafeGetTensorImpl();
  if (impl->nbytes() != 0 && impl->mutable_data() == nullptr) return false;
  if (log_varying_) return true;
  const auto own = std::find_if(tensors_.begin(), tensors_.end(), [&](const OwnTensor& t) { return &t.impl == impl; });
  return own == tensors_.end() || !own->varies;
}

bool Rehearsal::any_varies(const format::Instruction& in) const {
  const auto args = in.args();
  return std::any_of(args.begin(), args.end(), [&](int32_t v) {
    const format::TensorView t = method_.value(static_cast<uint32_t>(v)).as_tensor();
    return t.valid() && t.shape_dynamism() != format::ShapeDynamism::Static;
  });
}

Rehearsal::Counts Rehearsal::counts(const format::Instruction& in) const {
  if (options_.methods_only) return {};
  Counts out;
  out.calls = 1;
  const bool logs = options_.values == LoggedValues::Intermediate;
  if (in.kind() == format::InstructionKind::KernelCall) {
    out.kernels = primitive_[static_cast<size_t>(in.op_index())] ? 0 : 1;
    if (logs && out.kernels > 0) out.values = logged_arguments(method_, in).size();
  } else if (in.kind() == format::InstructionKind::DelegateCall) {
    const DelegateForecast& d = delegates_[static_cast<size_t>(in.delegate_index())];
    out.delegates = d.run.size();
    if (logs) out.values = in.args().size();
    for (const ForecastEvent& e : d.run) out.values += e.values.size();
  }
  return out;
}

uint64_t Rehearsal::weight(const format::Instruction& in) const {
  const Counts c = counts(in);
  uint64_t out = 1 + 128 * (c.kernels + c.calls + c.delegates + c.values);
  if (options_.values != LoggedValues::Intermediate || in.kind() != format::InstructionKind::KernelCall) return out;
  for (const int32_t v : logged_arguments(method_, in)) {
    const format::TensorView t = method_.value(static_cast<uint32_t>(v)).as_tensor();
    if (t.valid()) out += std::min(t.nbytes(), kMostValueBytes);
  }
  return out;
}

void Rehearsal::end_run(etdump::ETDumpGen* gen) const {
  gen->log_arena({"method", 1, 1});
  gen->log_arena({"temp", 1, 1});
  static constexpr const char* kNames[] = {"planned:1", "planned:2", "planned:3", "planned:4",
                                           "planned:5", "planned:6", "planned:7", "planned:8"};
  const size_t buffers = std::min(std::size(kNames) + 1, method_.buffer_sizes().size());
  for (size_t i = 1; i < buffers; ++i) gen->log_arena({kNames[i - 1], 1, 1});
  gen->end_run(Error::Ok);
}

void Rehearsal::load(etdump::ETDumpGen* gen) const {
  gen->create_event_block("Default");
  gen->begin_run({name_.c_str(), "load", 0});
  const EventTracerEntry whole = gen->start_profiling("Program::load_method");
  const EventTracerEntry init = gen->start_profiling("Method::init");
  for (const DelegateForecast& d : delegates_) {
    for (const ForecastEvent& e : d.load)
      gen->log_profiling_delegate(e.name.c_str(), kUnsetDelegateDebugIntId, kTick, kTick, e.metadata.data(),
                                  e.metadata.size());
  }
  gen->end_profiling(init);
  gen->end_profiling(whole);
  end_run(gen);
}

void Rehearsal::delegate_events(etdump::ETDumpGen* gen, const std::vector<ForecastEvent>& events, bool varies) {
  for (const ForecastEvent& e : events) {
    gen->log_profiling_delegate(e.name.c_str(), kUnsetDelegateDebugIntId, kTick, kTick,
                                e.metadata.empty() ? nullptr : e.metadata.data(), e.metadata.size());
    records_ += record_bytes(e);
    for (const ForecastValue& v : e.values) {
      std::vector<uint8_t> order(v.sizes.size());
      for (size_t d = 0; d < order.size(); ++d) order[d] = static_cast<uint8_t>(d);
      add_tensor(v.type, v.sizes, std::move(order), varies);
      const EValue value(Tensor(&tensors_.back().impl));
      if (loggable(value))
        static_cast<void>(gen->log_intermediate_output_delegate(e.name.c_str(), kUnsetDelegateDebugIntId, value));
      records_ += sizeof(etdump::DebugRecord) + etdump::TensorRecord::bytes(v.sizes.size());
      tensors_.pop_back();
    }
  }
}

void Rehearsal::delegate_call(etdump::ETDumpGen* gen, const format::Instruction& in) {
  const auto index = static_cast<size_t>(in.delegate_index());
  const bool varies = any_varies(in);
  if (!called_[index]) delegate_events(gen, delegates_[index].first, varies);
  called_[index] = true;
  delegate_events(gen, delegates_[index].run, varies);
}

void Rehearsal::instruction(etdump::ETDumpGen* gen, const format::Instruction& in, uint32_t chain, uint32_t index) {
  const auto chain_id = static_cast<ChainID>(chain);
  const auto handle = static_cast<DebugHandle>(index);
  gen->set_chain_debug_handle(chain_id, handle);
  const bool kernel = in.kind() == format::InstructionKind::KernelCall;
  const bool delegate = in.kind() == format::InstructionKind::DelegateCall;
  const bool primitive = kernel && primitive_[static_cast<size_t>(in.op_index())];
  if (delegate) delegate_call(gen, in);
  std::vector<EValue*> outputs;
  if (kernel || delegate) {
    for (const int32_t v : logged_arguments(method_, in)) outputs.push_back(&values_[static_cast<size_t>(v)]);
  }
  if (options_.values == LoggedValues::Intermediate && !primitive) {
    for (const EValue* v : outputs) {
      if (loggable(*v)) static_cast<void>(gen->log_evalue(*v, LoggedEValueType::kIntermediateOutput));
      records_ += sizeof(etdump::DebugRecord) + etdump::TensorRecord::bytes(4);
    }
  }
  if (!options_.methods_only) {
    if (kernel && !primitive)
      gen->log_profiling(names_[static_cast<size_t>(in.op_index())].c_str(), chain_id, handle, kTick, kTick);
    gen->log_profiling(call_name(in.kind()), chain_id, handle, kTick, kTick);
    records_ += (kernel && !primitive ? 2 : 1) * sizeof(etdump::ProfileRecord);
  }
  if (!options_.methods_only && options_.event_notes) {
    EventNote note;
    note.outputs = {outputs.data(), outputs.size()};
    gen->log_event_note(note);
    records_ += sizeof(etdump::NoteRecord);
    for (const EValue* v : outputs)
      records_ += 8 * (1 + (v->isTensor() ? static_cast<uint64_t>(v->payload.as_tensor.dim()) : 0));
  }
  gen->set_chain_debug_handle(kUnsetChainId, kUnsetDebugHandle);
}

void Rehearsal::execute(etdump::ETDumpGen* gen, const std::vector<std::vector<uint64_t>>& visits, uint64_t execution) {
  gen->create_event_block("Execute");
  gen->begin_run({name_.c_str(), "execute", execution});
  const EventTracerEntry whole = gen->start_profiling("Method::execute");
  for (uint32_t c = 0; c < visits.size(); ++c) {
    const format::Chain chain = method_.chain(c);
    for (uint32_t i = 0; i < chain.instruction_count(); ++i) {
      for (uint64_t n = 0; n < visits[c][i]; ++n) instruction(gen, chain.instruction(i), c, i);
    }
  }
  gen->end_profiling(whole);
  if (options_.values != LoggedValues::None) {
    for (const int32_t v : method_.outputs()) {
      const EValue& value = values_[static_cast<size_t>(v)];
      if (loggable(value)) static_cast<void>(gen->log_evalue(value, LoggedEValueType::kProgramOutput));
      records_ += sizeof(etdump::DebugRecord) + etdump::TensorRecord::bytes(4);
    }
  }
  end_run(gen);
  records_ += sizeof(etdump::RunRecord) + sizeof(etdump::ProfileRecord) + 4 * sizeof(etdump::ArenaRecord);
}

Rehearsed Rehearsal::run(const std::vector<std::vector<uint64_t>>& visits, uint64_t executions, const Extent& extent) {
  CountingSink sink;
  etdump::ETDumpGen gen;
  gen.set_max_bytes(size_t{4} << 30);
  gen.set_data_sink(&sink);
  gen.set_event_tracer_debug_level(
      options_.values == LoggedValues::Intermediate ? EventTracerDebugLogLevel::kIntermediateOutputs
      : options_.values == LoggedValues::Outputs    ? EventTracerDebugLogLevel::kProgramOutputs
                                                    : EventTracerDebugLogLevel::kNoLogging);
  if (options_.methods_only) gen.set_event_tracer_profiling_level(EventTracerProfilingLevel::kProfileMethodOnly);
  gen.set_wants_event_notes(options_.event_notes);
  if (extent.facts) describe(&gen);
  log_varying_ = extent.varying;
  records_ = 0;
  called_.assign(delegates_.size(), false);
  load(&gen);
  for (uint64_t e = 0; e < executions; ++e) execute(&gen, visits, e);
  const etdump::ETDumpResult dump = gen.get_etdump_data();
  std::free(dump.buf);
  return {dump.size, sink.get_used_bytes(), records_};
}

}  // namespace et::inspector
