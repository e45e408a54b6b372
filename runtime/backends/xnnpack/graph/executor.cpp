#include "runtime/backends/xnnpack/graph/executor.h"

#include <algorithm>
#include <cstring>

#include "runtime/backends/xnnpack/compute/elementwise.h"
#include "runtime/backends/xnnpack/graph/event_names.h"
#include "runtime/backends/xnnpack/graph/fuse.h"
#include "runtime/platform/float_mode.h"
#include "runtime/platform/log.h"

namespace et::xnn {
namespace {

ScalarType scalar_type_of(const Value& v) {
  switch (v.storage) {
    case Storage::S32:
      return ScalarType::Int;
    case Storage::S8:
    case Storage::D8:
      return ScalarType::Char;
    case Storage::U8:
      return ScalarType::Byte;
    default:
      return v.datatype == format::XnnDatatype::Fp16   ? ScalarType::Half
             : v.datatype == format::XnnDatatype::Bf16 ? ScalarType::BFloat16
                                                       : ScalarType::Float;
  }
}

class Busy {
 public:
  explicit Busy(std::atomic<bool>& flag) : flag_(flag), first_(!flag.exchange(true)) {}
  ~Busy() {
    if (first_) flag_.store(false);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  bool first() const { return first_; }

 private:
  std::atomic<bool>& flag_;
  const bool first_;
};

}  // namespace

Executor::Executor(Graph graph, std::shared_ptr<Workspace> workspace, size_t limit)
    : graph_(std::move(graph)), workspace_(std::move(workspace)), limit_(limit) {
  arguments_.resize(graph_.values.size());
  chain_fits_.assign(graph_.chains.size(), true);
  choose_order(true);
}

// Fused: what is absorbed does not run, and its output is written by who absorbs it.
void Executor::choose_order(bool fused) {
  fused_ = fused;
  planned_ = false;
  order_.clear();
  events_.clear();
  for (const std::unique_ptr<Operator>& owned : graph_.operators) {
    Operator& op = *owned;
    op.clamp = fused ? op.fused_clamp : op.own_clamp;
    op.result = fused ? fused_result(graph_, op) : op.outputs[0];
    if (op.folds >= 0) {
      const Operator& first = *graph_.operators[static_cast<size_t>(op.folds)];
      op.inputs[0] = fused ? first.inputs[0] : first.outputs[0];
      op.use_folded(fused);
    }
    if (fused && op.absorbed) continue;
    Operator* runs = &op;
    if (fused && op.chain >= 0 && chain_fits_[static_cast<size_t>(op.chain)]) {
      runs = graph_.chains[static_cast<size_t>(op.chain)].get();
      if (&op != graph_.operators[runs->members.back()].get()) continue;
    }
    order_.push_back(runs);
    events_.push_back(
        {event_name(graph_, *runs, fused), event_metadata(graph_, *runs, format::DelegatePhase::Run, fused)});
  }
  times_.assign(order_.size() + 1, 0);
}

// Values in a chain are of one shape as declared; a bounded size of 1 in a run may still be broadcast.
bool Executor::chain_fits(const Operator& chain) const {
  const Shape& shape = graph_.values[chain.result].shape;
  return std::all_of(chain.members.begin(), chain.members.end(), [&](uint32_t m) {
    return graph_.values[fused_result(graph_, *graph_.operators[m])].shape == shape;
  });
}

Error Executor::execute(EventTracer* tracer, Span<EValue*> args) {
  const Busy busy(busy_);
  ET_CHECK_OR_RETURN_ERROR(busy.first(), InvalidState, "XNNPACK: the delegate is already running in another thread");
  const std::unique_lock<std::mutex> lock = workspace_->lock();
  return execute_alone(tracer, args);
}

Error Executor::execute_alone(EventTracer* tracer, Span<EValue*> args) {
  const bool fused =
      tracer == nullptr || tracer->event_tracer_debug_level() < EventTracerDebugLogLevel::kIntermediateOutputs;
  if (fused != fused_) choose_order(fused);
  bool changed = false;
  ET_CHECK_OK_OR_RETURN_ERROR(read_inputs(args, &changed));
  if (changed || !planned_) ET_CHECK_OK_OR_RETURN_ERROR(plan(tracer));
  ET_CHECK_OK_OR_RETURN_ERROR(write_shapes(args));
  // Others may have made a shared workspace larger.
  uint8_t* arena = workspace_->reserve(plan_.bytes());
  ET_CHECK_OR_RETURN_ERROR(arena != nullptr, MemoryAllocationFailed,
                           "XNNPACK: out of memory: %zu bytes for intermediate values", plan_.bytes());
  if (arena != arena_ || arguments_ != placed_) {
    arena_ = arena;
    placed_ = arguments_;
    plan_.place(graph_, arena_, arguments_);
  }
  for (const uint32_t i : graph_.inputs) {
    const Value& v = graph_.values[i];
    if (v.is_half()) convert_to_f32(v.shape.numel(), arguments_[i], v.float_type(), v.as<float>());
  }
  ET_CHECK_OK_OR_RETURN_ERROR(run(tracer));
  for (const uint32_t i : graph_.outputs) {
    const Value& v = graph_.values[i];
    const Tensor t = args[v.external]->toTensor();
    if (v.is_half()) convert_from_f32(v.shape.numel(), v.as<float>(), v.float_type(), arguments_[i]);
    if (t.scalar_type() != ScalarType::Long) continue;
    // Indices are int32 here; in place, from the last, since they grow.
    auto* wide = t.mutable_data_ptr<int64_t>();
    for (int64_t k = v.shape.numel(); k-- > 0;) {
      int32_t narrow;
      std::memcpy(&narrow, arguments_[i] + 4 * k, 4);
      wide[k] = narrow;
    }
  }
  return Error::Ok;
}

Error Executor::read_inputs(Span<EValue*> args, bool* changed) {
  for (const auto* list : {&graph_.inputs, &graph_.outputs}) {
    for (const uint32_t i : *list) {
      Value& v = graph_.values[i];
      const char* what = v.input ? "input" : "output";
      const auto number = static_cast<unsigned>(v.external);
      ET_CHECK_OR_RETURN_ERROR(v.external < args.size() && args[v.external]->isTensor(), InvalidArgument,
                               "XNNPACK: argument %u, an %s of the delegate, is %s", number, what,
                               v.external < args.size() ? "not a tensor" : "missing");
      const Tensor t = args[v.external]->toTensor();
      const ScalarType type = scalar_type_of(v);
      const bool fits =
          t.scalar_type() == type || (v.output && type == ScalarType::Int && t.scalar_type() == ScalarType::Long);
      ET_CHECK_OR_RETURN_ERROR(fits, InvalidArgument,
                               "XNNPACK: argument %u, an %s of the delegate: expected %s, got %s", number, what,
                               scalar_type_name(type), scalar_type_name(t.scalar_type()));
      arguments_[i] = t.mutable_data_ptr<uint8_t>();
      if (!v.input) continue;
      Shape s;
      s.rank = static_cast<int>(t.dim());
      ET_CHECK_OR_RETURN_ERROR(s.rank <= kMaxDims, InvalidArgument,
                               "XNNPACK: argument %u: %d dimensions, more than the supported %d", number, s.rank,
                               kMaxDims);
      for (int d = 0; d < s.rank; ++d) s.dims[d] = t.size(t.dim_order()[static_cast<size_t>(d)]);
      // Scalars are stored with one dimension.
      if (s.rank == 0 && v.declared.rank == 1) s = {1, {1}};
      ET_CHECK_OR_RETURN_ERROR(s.fits(), InvalidArgument, "XNNPACK: argument %u has shape [%s]", number,
                               s.text().c_str());
      ET_CHECK_OR_RETURN_ERROR(arguments_[i] != nullptr || s.numel() == 0, InvalidState,
                               "XNNPACK: argument %u has no memory", number);
      if (v.shape == s) continue;
      v.shape = s;
      *changed = true;
    }
  }
  return Error::Ok;
}

Error Executor::plan(EventTracer* tracer) {
  planned_ = false;
  const Timestamp start = tracer == nullptr ? 0 : current_ticks();
  for (const std::unique_ptr<Operator>& op : graph_.operators) {
    ET_CHECK_OK_OR_RETURN_ERROR(op->reshape(graph_));
    for (const uint32_t o : op->outputs) {
      ET_XNN_CHECK(graph_.values[o].shape.fits(), *op, InvalidArgument, "a result of [%s]",
                   graph_.values[o].shape.text().c_str());
    }
  }
  bool changed = false;
  for (size_t i = 0; i < graph_.chains.size(); ++i) {
    const bool fits = chain_fits(*graph_.chains[i]);
    changed = changed || fits != chain_fits_[i];
    chain_fits_[i] = fits;
  }
  if (changed) choose_order(fused_);
  ET_CHECK_OK_OR_RETURN_ERROR(plan_.make(graph_, order_, limit_));
  planned_ = true;
  arena_ = nullptr;  // nothing has its place yet
  ++plans_;
  if (tracer != nullptr) {
    uint8_t record[format::delegate_metadata_size(0)];
    format::write_delegate_metadata(format::DelegatePhase::Plan, {}, record);
    tracer->log_profiling_delegate("Plan shapes and memory", kUnsetDelegateDebugIntId, start, current_ticks(), record,
                                   sizeof record);
  }
  return Error::Ok;
}

Error Executor::write_shapes(Span<EValue*> args) {
  for (const uint32_t i : graph_.outputs) {
    const Value& v = graph_.values[i];
    const Tensor t = args[v.external]->toTensor();
    const auto number = static_cast<unsigned>(v.external);
    const bool scalar = t.dim() == 0 && v.shape.numel() == 1;
    if (!scalar) {
      ET_CHECK_OR_RETURN_ERROR(t.dim() == v.shape.rank, NotSupported,
                               "XNNPACK: output %u has %d dimensions, the delegate's result is [%s]", number,
                               static_cast<int>(t.dim()), v.shape.text().c_str());
      int32_t sizes[kMaxDims] = {};
      for (int d = 0; d < v.shape.rank; ++d) {
        ET_CHECK_OR_RETURN_ERROR(v.shape.dims[d] <= INT32_MAX, NotSupported, "XNNPACK: output %u would be [%s]", number,
                                 v.shape.text().c_str());
        sizes[t.dim_order()[static_cast<size_t>(d)]] = static_cast<int32_t>(v.shape.dims[d]);
      }
      const Error error = resize_tensor(t, ArrayRef<int32_t>(sizes, static_cast<size_t>(v.shape.rank)));
      ET_CHECK_OR_RETURN_ERROR(error == Error::Ok, NotSupported, "XNNPACK: output %u cannot be resized to [%s]", number,
                               v.shape.text().c_str());
    }
    arguments_[i] = t.mutable_data_ptr<uint8_t>();
    ET_CHECK_OR_RETURN_ERROR(arguments_[i] != nullptr || v.shape.numel() == 0, InvalidState,
                             "XNNPACK: output %u has no memory", number);
  }
  return Error::Ok;
}

Error Executor::run(EventTracer* tracer) {
  const FlushDenormals flush;  // as upstream's runtime: small activations would cost a hundred times as much
  uint8_t* scratch = plan_.scratch(arena_);
  for (size_t i = 0; i < order_.size(); ++i) {
    Operator& op = *order_[i];
    const Value& out = graph_.out(op);
    if (tracer != nullptr) times_[i] = current_ticks();
    if (out.shape.numel() != 0) {
      op.run(graph_, scratch);
      if (out.is_half() && !op.moves_only) round_f32(out.shape.numel(), out.float_type(), out.as<float>());
    }
    if (tracer == nullptr || fused_) continue;
    const Timestamp end = current_ticks();
    const Event& event = events_[i];
    tracer->log_profiling_delegate(event.name.c_str(), kUnsetDelegateDebugIntId, times_[i], end, event.metadata.data(),
                                   event.metadata.size());
    log_outputs(tracer, op, event.name.c_str());
  }
  if (tracer == nullptr || !fused_) return Error::Ok;
  // Written behind the run, so that writing is charged to no operator.
  times_[order_.size()] = current_ticks();
  for (size_t i = 0; i < order_.size(); ++i) {
    const Event& event = events_[i];
    tracer->log_profiling_delegate(event.name.c_str(), kUnsetDelegateDebugIntId, times_[i], times_[i + 1],
                                   event.metadata.data(), event.metadata.size());
  }
  return Error::Ok;
}

void Executor::log_outputs(EventTracer* tracer, const Operator& op, const char* name) {
  for (const uint32_t o : op.outputs) {
    const Value& v = graph_.values[o];
    int32_t sizes[kMaxDims] = {}, strides[kMaxDims] = {};
    uint8_t order[kMaxDims];
    int64_t step = 1;
    for (int d = v.shape.rank; d-- > 0;) {
      sizes[d] = static_cast<int32_t>(v.shape.dims[d]);
      strides[d] = static_cast<int32_t>(step);
      step *= std::max<int64_t>(v.shape.dims[d], 1);
      order[d] = static_cast<uint8_t>(d);
    }
    if (step > INT32_MAX) continue;
    const ScalarType type = v.is_half() ? ScalarType::Float : scalar_type_of(v);
    TensorImpl impl(type, static_cast<size_t>(v.shape.rank), sizes, v.data, order, strides);
    const EValue value{Tensor(&impl)};
    // A value that cannot be kept costs that value only; the tracer counts it.
    static_cast<void>(tracer->log_intermediate_output_delegate(name, kUnsetDelegateDebugIntId, value));
  }
}

}  // namespace et::xnn
