// Executing a method: instructions one by one, with their events. Source: execution semantics of the program format.
#include "runtime/executor/method.h"

#include "runtime/platform/log.h"
#include "runtime/platform/tick_reader.h"

namespace et {
namespace {

bool has_memory(const Tensor& t) { return t.const_data_ptr() != nullptr || t.nbytes() == 0; }

}  // namespace

Error Method::check_ready() const {
  ET_CHECK_OR_RETURN_ERROR(program_ != nullptr, InvalidState, "method %s was moved from", meta_.name());
  for (size_t i = 0; i < inputs_size(); ++i) {
    ET_CHECK_OR_RETURN_ERROR(input_set_[i], InvalidArgument, "method %s: input %zu was not set", meta_.name(), i);
  }
  return Error::Ok;
}

// What an instruction reads must have memory, and what it writes must not be a constant.
Error Method::check_arguments(const Instruction& in) const {
  const auto name = [&] { return in.kind == Kind::Kernel ? operators_[in.index].full : delegates_[in.index].id; };
  for (uint32_t i = 0; i < in.arg_count; ++i) {
    const EValue& v = *in.args[i];
    bool there = true;
    if (v.isTensor()) there = has_memory(v.toTensor());
    if (v.isTensorList()) {
      for (const Tensor& t : v.toTensorList()) there = there && t.unsafeGetTensorImpl() != nullptr && has_memory(t);
    }
    if (v.isListOptionalTensor()) {
      for (const optional<Tensor>& t : v.toListOptionalTensor()) {
        there = there && (!t.has_value() || t->unsafeGetTensorImpl() == nullptr || has_memory(*t));
      }
    }
    ET_CHECK_OR_RETURN_ERROR(there, InvalidState, "%s: argument %u has no memory (freed, or never set)", name(),
                             static_cast<unsigned>(i));
  }
  if (in.kind != Kind::Kernel) return Error::Ok;
  const EValue& last = *in.args[in.arg_count - 1];
  bool constant = last.isTensor() && last.payload.as_tensor.unsafeGetTensorImpl()->is_read_only();
  if (last.isTensorList()) {
    for (const Tensor& t : last.toTensorList()) constant = constant || t.unsafeGetTensorImpl()->is_read_only();
  }
  ET_CHECK_OR_RETURN_ERROR(!constant, InvalidProgram, "%s: the output is a constant of the program", name());
  return Error::Ok;
}

Error Method::call_kernel(const Instruction& in) {
  if (in.check_data) [[unlikely]]
    ET_CHECK_OK_OR_RETURN_ERROR(check_arguments(in));
  KernelRuntimeContext context(tracer_, temp_);
  in.function(context, {in.args, in.arg_count});
  if (context.failure_state() != Error::Ok) [[unlikely]] {
    ET_LOG(Error, "method %s: instruction %zu: %s failed: %s", meta_.name(), instruction_, operators_[in.index].full,
           error_name(context.failure_state()));
  }
  return context.failure_state();
}

Error Method::call_delegate(const Instruction& in) {
  if (in.check_data) ET_CHECK_OK_OR_RETURN_ERROR(check_arguments(in));
  BackendExecutionContext context(tracer_, temp_, meta_.view().name());
  const DelegateState& d = delegates_[in.index];
  ET_CHECK_OR_RETURN_ERROR(d.backend != nullptr, NotFound,
                           "method %s: instruction %zu: delegate %u: backend %s is unavailable or rejected the payload",
                           meta_.name(), instruction_, static_cast<unsigned>(in.index), d.id);
  const Error error = d.backend->execute(context, d.handle, {in.args, in.arg_count});
  if (error != Error::Ok) {
    ET_LOG(Error, "method %s: instruction %zu: delegate %u (%s) failed: %s", meta_.name(), instruction_,
           static_cast<unsigned>(in.index), d.id, error_name(error));
  }
  return error;
}

namespace {

// True: go on with the next instruction. A tensor counts as true when all its elements are; so does an empty one.
Result<bool> condition(const EValue& v) {
  if (v.isBool()) return v.toBool();
  ET_CHECK_OR_RETURN_ERROR(v.isTensor(), InvalidProgram, "jump condition: expected a bool or a tensor, got %s",
                           tag_name(v.tag));
  const Tensor t = v.toTensor();
  ET_CHECK_OR_RETURN_ERROR(t.scalar_type() == ScalarType::Bool, InvalidProgram,
                           "jump condition: expected a Bool tensor, got %s", scalar_type_name(t.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(has_memory(t), InvalidState, "jump condition: tensor has no memory");
  for (ssize_t i = 0; i < t.numel(); ++i) {
    if (t.const_data_ptr<uint8_t>()[i] == 0) return false;
  }
  return true;
}

}  // namespace

// An index list reads its items at each use: nothing to do for it here.
Error Method::call(const Instruction& in, size_t* next) {
  *next = instruction_ + 1;
  switch (in.kind) {
    case Kind::Kernel:
      return call_kernel(in);
    case Kind::Delegate:
      return call_delegate(in);
    case Kind::JumpFalse: {
      Result<bool> holds = condition(*in.args[0]);
      if (!holds.ok()) return holds.error();
      if (!*holds) *next = in.index;
      return Error::Ok;
    }
    case Kind::Move:
      *in.args[1] = *in.args[0];
      return Error::Ok;
    case Kind::Free:
      ET_CHECK_OR_RETURN_ERROR(in.args[0]->isTensor(), InvalidProgram, "free instruction: expected a tensor, got %s",
                               tag_name(in.args[0]->tag));
      in.args[0]->payload.as_tensor.unsafeGetTensorImpl()->set_data(nullptr);
      return Error::Ok;
  }
  return Error::Internal;
}

Error Method::run_one() {
  if (traced()) return run_traced();
  size_t next = 0;
  const Error error = call(chains_[chain_].instructions[instruction_], &next);
  if (temp_ != nullptr && temp_->used() != 0) temp_->reset();
  if (error == Error::Ok) instruction_ = next;
  return error;
}

void Method::log_values(const Instruction& in) {
  if (tracer_->event_tracer_debug_level() < EventTracerDebugLogLevel::kIntermediateOutputs) return;
  if (in.kind > Kind::Delegate) return;
  // Numbers that primitive operators compute are not in the model's graph; upstream's tools do not expect them.
  if (in.kind == Kind::Kernel && operators_[in.index].event == nullptr) return;
  const uint32_t end = in.kind == Kind::Kernel ? in.logged_to : in.arg_count;
  for (uint32_t i = in.kind == Kind::Kernel ? in.logged_from : 0; i < end; ++i) {
    // A value that cannot be kept costs that value only; the tracer counts it.
    static_cast<void>(tracer_->log_evalue(*in.args[i], LoggedEValueType::kIntermediateOutput));
  }
}

StepNames Method::step_names(const void* method, ChainID chain, uint32_t instruction) {
  static constexpr const char* kNames[] = {"OPERATOR_CALL", "DELEGATE_CALL", "JF_CALL", "MOVE_CALL", "FREE_CALL"};
  const Method& m = *static_cast<const Method*>(method);
  const Instruction& in = m.chains_[static_cast<size_t>(chain)].instructions[instruction];
  return {in.kind == Kind::Kernel ? m.operators_[in.index].event : nullptr, kNames[static_cast<size_t>(in.kind)]};
}

// Names and order of events: as upstream's Inspector expects them. Values are logged after the clock was read, so that
// no event is charged for copying them.
Error Method::run_traced() {
  const Instruction& in = chains_[chain_].instructions[instruction_];
  const auto chain = static_cast<ChainID>(chain_);
  const auto handle = static_cast<DebugHandle>(instruction_);
  const bool all = tracer_->event_tracer_profiling_level() == EventTracerProfilingLevel::kProfileAllEvents;
  tracer_->set_chain_debug_handle(chain, handle);
  size_t next = 0;
  Error error = Error::Ok;
  if (all) {
    const auto [event, name] = step_names(this, chain, handle);
    const Timestamp start =
        tracer_->wants_starts() ? tracer_->start_profiling(name, chain, handle).start_time : current_ticks();
    error = call(in, &next);
    const Timestamp end = current_ticks();
    if (error == Error::Ok) log_values(in);
    // Both events take the same two clock reads: the dispatch between them costs less than a read.
    tracer_->log_call(event, name, chain, handle, start, end);
  } else {
    error = call(in, &next);
    if (error == Error::Ok) log_values(in);
  }
  if (tracer_->wants_event_notes() && all) {
    EventNote note;
    if (in.kind == Kind::Kernel) note.outputs = {in.args + in.logged_from, size_t{in.logged_to} - in.logged_from};
    if (in.kind == Kind::Delegate) note.outputs = {in.args, in.arg_count};
    note.temp_bytes = temp_ == nullptr ? 0 : temp_->used();
    tracer_->log_event_note(note);
  }
  tracer_->set_chain_debug_handle(kUnsetChainId, kUnsetDebugHandle);
  if (temp_ != nullptr && temp_->used() != 0) temp_->reset();
  if (error == Error::Ok) instruction_ = next;
  return error;
}

/// Nothing is recorded of an instruction but its times.
bool Method::wants_steps() const {
  return tracer_->wants_steps() && !tracer_->wants_event_notes() &&
         tracer_->event_tracer_profiling_level() == EventTracerProfilingLevel::kProfileAllEvents &&
         tracer_->event_tracer_debug_level() < EventTracerDebugLogLevel::kIntermediateOutputs;
}

// As run_all(), with one clock read for an instruction: its end is the begin of the next, which so takes the few
// nanoseconds of recording the one before it.
Error Method::run_steps() {
  EventTracer& tracer = *tracer_;
  const TickReader ticks;
  uint64_t done = 0;
  Timestamp begin = 0;
  Error error = Error::Ok;
  for (; error == Error::Ok && chain_ < chains_.size(); chain_ += error == Error::Ok) {
    const Span<Instruction> instructions = chains_[chain_].instructions;
    const StepChain steps = {number_, static_cast<ChainID>(chain_), static_cast<uint32_t>(instructions.size()),
                             &step_names, this};
    tracer.break_steps();
    instruction_ = 0;
    begin = ticks();
    while (instruction_ < instructions.size()) {
      const auto at = static_cast<uint32_t>(instruction_);
      tracer.set_chain_debug_handle(steps.chain, at);
      const Instruction& in = instructions[at];
      size_t next = instruction_ + 1;
      error = in.kind == Kind::Kernel ? call_kernel(in) : call(in, &next);
      const Timestamp end = ticks();
      tracer.step(steps, at, begin, end);
      begin = end;
      if (temp_ != nullptr && temp_->used() != 0) temp_->reset();
      if (error != Error::Ok) [[unlikely]] {
        failed_instruction_ = static_cast<int64_t>(instruction_);
        break;
      }
      if (next != instruction_ + 1) tracer.break_steps();
      instruction_ = next;
      if (++done > max_instructions_) [[unlikely]] {
        error = too_many_instructions();
        break;
      }
    }
  }
  ended_ = begin;
  tracer.break_steps();
  tracer.set_chain_debug_handle(kUnsetChainId, kUnsetDebugHandle);
  return error;
}

Error Method::too_many_instructions() const {
  ET_LOG(Error, "method %s: exceeded the limit of %llu instructions (endless loop?)", meta_.name(),
         static_cast<unsigned long long>(max_instructions_));
  return Error::InvalidProgram;
}

Error Method::run_all() {
  ET_CHECK_OK_OR_RETURN_ERROR(check_ready());
  uint64_t done = 0;
  if (temp_ != nullptr) temp_->reset();
  chain_ = 0;
  if (traced() && wants_steps()) return run_steps();
  for (; chain_ < chains_.size(); ++chain_) {
    instruction_ = 0;
    const size_t count = chains_[chain_].instructions.size();
    while (instruction_ < count) {
      const Error error = run_one();
      if (error != Error::Ok) [[unlikely]] {
        failed_instruction_ = static_cast<int64_t>(instruction_);
        return error;
      }
      if (++done > max_instructions_) [[unlikely]]
        return too_many_instructions();
    }
  }
  return Error::Ok;
}

Error Method::execute() {
  static constexpr const char* kExecute = "Method::execute";
  ET_CHECK_OR_RETURN_ERROR(!in_progress(), InvalidState, "method %s: execute() called while stepping", meta_.name());
  failed_instruction_ = -1;
  Error error = Error::Ok;
  if (!traced()) {
    error = run_all();
  } else {
    tracer_->create_event_block("Execute");
    tracer_->begin_run({meta_.name(), "execute", executions_});
    const bool started = tracer_->wants_starts();
    const EventTracerEntry whole = started ? tracer_->start_profiling(kExecute) : EventTracerEntry{};
    const Timestamp begin = started ? whole.start_time : current_ticks();
    ended_ = 0;
    error = run_all();
    if (error == Error::Ok) {
      if (started) {
        tracer_->end_profiling(whole);
      } else {
        tracer_->log_profiling(kExecute, kUnsetChainId, kUnsetDebugHandle, begin,
                               ended_ != 0 ? ended_ : current_ticks());
      }
      log_outputs();
    }
    end_run(error);
  }
  ++executions_;
  chain_ = 0;
  instruction_ = 0;
  failed_step_ = false;
  return error;
}

Error Method::step() {
  if (chain_ >= chains_.size()) return Error::EndOfMethod;
  if (chain_ == 0 && instruction_ == 0) ET_CHECK_OK_OR_RETURN_ERROR(check_ready());
  const size_t count = chains_[chain_].instructions.size();
  failed_step_ = false;
  if (instruction_ < count) {
    EventTracerEntry entry;
    const auto chain = static_cast<ChainID>(chain_);
    const auto handle = static_cast<DebugHandle>(instruction_);
    if (traced()) entry = tracer_->start_profiling("Method::step", chain, handle);
    const Error error = run_one();
    if (traced()) tracer_->log_profiling("Method::step", chain, handle, entry.start_time, current_ticks());
    if (error != Error::Ok) {
      failed_step_ = true;
      failed_instruction_ = static_cast<int64_t>(instruction_);
      return error;
    }
  }
  if (instruction_ >= count) {
    instruction_ = 0;
    ++chain_;
    if (traced()) log_outputs();
  }
  return Error::Ok;
}

Error Method::reset_execution() {
  ET_CHECK_OR_RETURN_ERROR(chain_ >= chains_.size() || failed_step_, InvalidState,
                           "method %s: reset_execution() called before the end of the execution", meta_.name());
  chain_ = 0;
  instruction_ = 0;
  failed_step_ = false;
  return Error::Ok;
}

void Method::log_outputs() {
  if (tracer_->event_tracer_debug_level() < EventTracerDebugLogLevel::kProgramOutputs) return;
  for (size_t i = 0; i < outputs_size(); ++i) {
    static_cast<void>(tracer_->log_evalue(get_output(i), LoggedEValueType::kProgramOutput));
  }
}

void Method::end_run(Error error) {
  tracer_->log_arena({"method", memory_->method_allocator()->capacity(), memory_->method_allocator()->high_water()});
  if (temp_ != nullptr) tracer_->log_arena({"temp", temp_->capacity(), temp_->high_water()});
  const HierarchicalAllocator* planned = memory_->planned_memory();
  for (size_t i = 0; planned != nullptr && i < planned->buffer_count(); ++i) {
    static constexpr const char* kNames[] = {"planned:1", "planned:2", "planned:3", "planned:4",
                                             "planned:5", "planned:6", "planned:7", "planned:8"};
    if (i >= sizeof(kNames) / sizeof(kNames[0])) break;
    const Result<int64_t> used = meta_.memory_planned_buffer_size(i);
    tracer_->log_arena({kNames[i], planned->buffer(i).size(), used.ok() ? static_cast<uint64_t>(*used) : 0});
  }
  tracer_->end_run(error);
}

Method::Method(Method&& other) noexcept
    : program_(other.program_),
      meta_(other.meta_),
      memory_(other.memory_),
      temp_(other.temp_),
      tracer_(other.tracer_),
      values_(other.values_),
      value_count_(other.value_count_),
      chains_(other.chains_),
      operators_(other.operators_),
      delegates_(other.delegates_),
      input_set_(other.input_set_),
      own_temp_(other.own_temp_),
      failed_step_(other.failed_step_),
      chain_(other.chain_),
      instruction_(other.instruction_),
      executions_(other.executions_),
      max_instructions_(other.max_instructions_),
      number_(other.number_),
      failed_instruction_(other.failed_instruction_) {
  other.delegates_ = {};
  other.own_temp_ = false;
  other.program_ = nullptr;  // it cannot run any more
}

void Method::destroy() {
  for (DelegateState& d : delegates_) {
    if (d.backend != nullptr) d.backend->destroy(d.handle);
    d.~DelegateState();
  }
  delegates_ = {};
  // Its memory is the method allocator's; what it holds is the platform's.
  if (own_temp_) temp_->~MemoryAllocator();
  own_temp_ = false;
}

Method::~Method() { destroy(); }

}  // namespace et
