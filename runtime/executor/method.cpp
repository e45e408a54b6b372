// Running a method: inputs, instructions, outputs. Source: execution semantics of the program format.
#include "runtime/executor/method.h"

#include <cstring>

#include "runtime/executor/program.h"
#include "runtime/platform/log.h"

namespace et {
namespace {

bool same_order(ArrayRef<uint8_t> a, ArrayRef<uint8_t> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

// Two dim orders store the same sequence of elements when they differ only in dimensions of size 1.
bool same_layout(const Tensor& a, const Tensor& b) {
  if (same_order(a.dim_order(), b.dim_order())) return true;
  for (size_t d = 0; d < a.sizes().size(); ++d) {
    if (a.sizes()[d] > 1 && a.strides()[d] != b.strides()[d]) return false;
  }
  return true;
}

// Copies element by element between layouts; both tensors have the same sizes.
void copy_reordered(const Tensor& from, const Tensor& to) {
  const size_t rank = static_cast<size_t>(from.dim());
  const size_t width = from.element_size();
  const auto* source = from.const_data_ptr<uint8_t>();
  auto* target = to.mutable_data_ptr<uint8_t>();
  int32_t index[kTensorDimensionLimit] = {};
  for (ssize_t n = 0; n < from.numel(); ++n) {
    int64_t a = 0;
    int64_t b = 0;
    for (size_t d = 0; d < rank; ++d) {
      a += static_cast<int64_t>(index[d]) * from.strides()[d];
      b += static_cast<int64_t>(index[d]) * to.strides()[d];
    }
    std::memcpy(target + b * static_cast<int64_t>(width), source + a * static_cast<int64_t>(width), width);
    for (size_t d = rank; d-- > 0;) {
      if (++index[d] < from.sizes()[d]) break;
      index[d] = 0;
    }
  }
}

bool close_enough(double given, double traced) {
  if (given != given || traced != traced) return given != given && traced != traced;
  if (given == traced) return true;  // infinities too
  const double distance = given > traced ? given - traced : traced - given;
  const double size = traced < 0 ? -traced : traced;
  return distance <= 1e-4 + 1e-5 * size;
}

bool has_memory(const Tensor& t) { return t.const_data_ptr() != nullptr || t.nbytes() == 0; }

}  // namespace

// --- Inputs and outputs ---------------------------------------------------------------------------------------------

Error Method::set_input(const EValue& value, size_t i) {
  ET_CHECK_OR_RETURN_ERROR(!in_progress(), InvalidState, "input %zu: an execution is under way", i);
  ET_CHECK_OR_RETURN_ERROR(i < inputs_size(), InvalidArgument, "input %zu: method %s has %zu inputs", i, meta_.name(),
                           inputs_size());
  const EValue& own = values_[input_index(i)];
  ET_CHECK_OR_RETURN_ERROR(own.tag == value.tag, InvalidArgument, "input %zu: the method takes %s, given is %s", i,
                           tag_name(own.tag), tag_name(value.tag));
  switch (value.tag) {
    case Tag::None:
      break;
    case Tag::Tensor:
      ET_CHECK_OK_OR_RETURN_ERROR(set_tensor_input(value.toTensor(), i));
      break;
    case Tag::Int:
      ET_CHECK_OR_RETURN_ERROR(own.toInt() == value.toInt(), InvalidArgument,
                               "input %zu: the program was made for the number %lld, given is %lld", i,
                               static_cast<long long>(own.toInt()), static_cast<long long>(value.toInt()));
      break;
    case Tag::Bool:
      ET_CHECK_OR_RETURN_ERROR(own.toBool() == value.toBool(), InvalidArgument,
                               "input %zu: the program was made for %s", i, own.toBool() ? "true" : "false");
      break;
    case Tag::Double:
      ET_CHECK_OR_RETURN_ERROR(close_enough(value.toDouble(), own.toDouble()), InvalidArgument,
                               "input %zu: the program was made for the number %g, given is %g", i, own.toDouble(),
                               value.toDouble());
      break;
    case Tag::String:
      ET_CHECK_OR_RETURN_ERROR(own.toString() == value.toString(), InvalidArgument,
                               "input %zu: the program was made for another text", i);
      break;
    default:
      ET_LOG(Error, "input %zu: %s cannot be an input", i, tag_name(value.tag));
      return Error::InvalidArgument;
  }
  input_set_[i] = true;
  return Error::Ok;
}

Error Method::set_tensor_input(const Tensor& value, size_t i) {
  const Tensor own = values_[input_index(i)].toTensor();
  TensorImpl* impl = own.unsafeGetTensorImpl();
  ET_CHECK_OR_RETURN_ERROR(value.unsafeGetTensorImpl() != nullptr, InvalidArgument, "input %zu: an empty tensor handle",
                           i);
  ET_CHECK_OR_RETURN_ERROR(own.scalar_type() == value.scalar_type(), InvalidArgument,
                           "input %zu: the method takes %s, given is %s", i, scalar_type_name(own.scalar_type()),
                           scalar_type_name(value.scalar_type()));
  const format::TensorView view = meta_.view().value(static_cast<uint32_t>(input_index(i))).as_tensor();
  const bool planned = view.has_allocation() || view.data_buffer_idx() != 0;
  // The room of the pointer given last time does not bound this one.
  if (!planned) impl->set_data(nullptr);
  const Error resized = resize_tensor(own, value.sizes());
  ET_CHECK_OR_RETURN_ERROR(resized == Error::Ok, NotSupported, "input %zu: a shape that the program excludes", i);
  if (value.const_data_ptr() == nullptr && value.nbytes() > 0) {
    ET_CHECK_OR_RETURN_ERROR(planned, InvalidArgument, "input %zu: the tensor has no data", i);
    return Error::Ok;  // planned memory keeps what it holds
  }
  if (planned) {
    ET_CHECK_OR_RETURN_ERROR(!impl->is_read_only(), InvalidArgument, "input %zu is a constant of the program", i);
    if (value.nbytes() == 0 || value.const_data_ptr() == own.const_data_ptr()) return Error::Ok;
    if (same_layout(value, own)) {
      std::memmove(own.mutable_data_ptr(), value.const_data_ptr(), value.nbytes());
    } else {
      copy_reordered(value, own);
    }
    return Error::Ok;
  }
  ET_CHECK_OR_RETURN_ERROR(same_layout(value, own), InvalidArgument,
                           "input %zu: the dim order differs from the program's, and the input is not copied", i);
  impl->set_data(value.mutable_data_ptr(), static_cast<size_t>(value.numel()));
  return Error::Ok;
}

Error Method::set_inputs(ArrayRef<EValue> values) {
  ET_CHECK_OR_RETURN_ERROR(values.size() == inputs_size(), InvalidArgument, "method %s takes %zu inputs, given are %zu",
                           meta_.name(), inputs_size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) ET_CHECK_OK_OR_RETURN_ERROR(set_input(values[i], i));
  return Error::Ok;
}

Error Method::get_outputs(Span<EValue> out) const {
  ET_CHECK_OR_RETURN_ERROR(out.size() >= outputs_size(), InvalidArgument, "method %s has %zu outputs, room is for %zu",
                           meta_.name(), outputs_size(), out.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = i < outputs_size() ? get_output(i) : EValue();
  return Error::Ok;
}

Error Method::set_output_data_ptr(void* data, size_t size, size_t i) {
  ET_CHECK_OR_RETURN_ERROR(i < outputs_size(), InvalidArgument, "output %zu: method %s has %zu outputs", i,
                           meta_.name(), outputs_size());
  const EValue& own = get_output(i);
  ET_CHECK_OR_RETURN_ERROR(own.isTensor(), InvalidArgument, "output %zu is no tensor but %s", i, tag_name(own.tag));
  const format::TensorView view = meta_.view().value(static_cast<uint32_t>(output_index(i))).as_tensor();
  ET_CHECK_OR_RETURN_ERROR(view.data() == format::TensorData::None, InvalidState,
                           "output %zu: the program planned its memory", i);
  TensorImpl* impl = own.payload.as_tensor;
  ET_CHECK_OR_RETURN_ERROR(data != nullptr && size >= impl->nbytes(), InvalidArgument,
                           "output %zu needs %zu bytes, given are %zu", i, impl->nbytes(), size);
  impl->set_data(data, size / impl->element_size());
  return Error::Ok;
}

Result<Tensor> Method::get_attribute(string_view name) const {
  for (uint32_t i = 0; i < value_count_; ++i) {
    if (!values_[i].isTensor() || name.empty()) continue;
    if (meta_.view().value(i).as_tensor().fully_qualified_name() == name) return values_[i].toTensor();
  }
  return Error::NotFound;
}

// --- Execution ------------------------------------------------------------------------------------------------------

Error Method::check_ready() const {
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
  bool constant = last.isTensor() && last.payload.as_tensor->is_read_only();
  if (last.isTensorList()) {
    for (const Tensor& t : last.toTensorList()) constant = constant || t.unsafeGetTensorImpl()->is_read_only();
  }
  ET_CHECK_OR_RETURN_ERROR(!constant, InvalidProgram, "%s: the result is a constant of the program", name());
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
  ET_CHECK_OR_RETURN_ERROR(
      d.backend != nullptr, NotFound,
      "method %s: instruction %zu: delegate %u: backend %s is not available here, or refused the payload", meta_.name(),
      instruction_, static_cast<unsigned>(in.index), d.id);
  const Error error = d.backend->execute(context, d.handle, {in.args, in.arg_count});
  if (error != Error::Ok) {
    ET_LOG(Error, "method %s: instruction %zu: delegate %u (%s) failed: %s", meta_.name(), instruction_,
           static_cast<unsigned>(in.index), d.id, error_name(error));
  }
  return error;
}

namespace {

// True: go on with the next instruction. A tensor holds when all of its elements do, an empty one too.
Result<bool> condition(const EValue& v) {
  if (v.isBool()) return v.toBool();
  ET_CHECK_OR_RETURN_ERROR(v.isTensor(), InvalidProgram, "the condition of a jump is %s", tag_name(v.tag));
  const Tensor t = v.toTensor();
  ET_CHECK_OR_RETURN_ERROR(t.scalar_type() == ScalarType::Bool, InvalidProgram,
                           "the condition of a jump is a tensor of %s", scalar_type_name(t.scalar_type()));
  ET_CHECK_OR_RETURN_ERROR(has_memory(t), InvalidState, "the condition of a jump has no memory");
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
      ET_CHECK_OR_RETURN_ERROR(in.args[0]->isTensor(), InvalidProgram, "a free instruction names %s",
                               tag_name(in.args[0]->tag));
      in.args[0]->payload.as_tensor->set_data(nullptr);
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
  // Numbers that primitive operators compute are no values of the model's graph; upstream's tools do not expect them.
  if (in.kind == Kind::Kernel && operators_[in.index].event == nullptr) return;
  const uint32_t end = in.kind == Kind::Kernel ? in.logged_to : in.arg_count;
  for (uint32_t i = in.kind == Kind::Kernel ? in.logged_from : 0; i < end; ++i) {
    // A value that cannot be kept costs that value only; the tracer counts it.
    static_cast<void>(tracer_->log_evalue(*in.args[i], LoggedEValueType::kIntermediateOutput));
  }
}

// Names and order of events: as upstream's Inspector expects them. Values are logged after the clock was read, so that
// copying them is charged to nobody.
Error Method::run_traced() {
  const Instruction& in = chains_[chain_].instructions[instruction_];
  const auto chain = static_cast<ChainID>(chain_);
  const auto handle = static_cast<DebugHandle>(instruction_);
  const bool all = tracer_->event_tracer_profiling_level() == EventTracerProfilingLevel::kProfileAllEvents;
  static constexpr const char* kNames[] = {"OPERATOR_CALL", "DELEGATE_CALL", "JF_CALL", "MOVE_CALL", "FREE_CALL"};
  tracer_->set_chain_debug_handle(chain, handle);
  size_t next = 0;
  Error error = Error::Ok;
  if (all) {
    const EventTracerEntry entry = tracer_->start_profiling(kNames[static_cast<size_t>(in.kind)], chain, handle);
    if (in.kind == Kind::Kernel && operators_[in.index].event != nullptr) {
      // Both events take the same two clock reads: the dispatch between them costs less than a read.
      error = call(in, &next);
      const Timestamp end = current_ticks();
      if (error == Error::Ok) log_values(in);
      tracer_->log_profiling(operators_[in.index].event, chain, handle, entry.start_time, end);
      tracer_->log_profiling(kNames[0], chain, handle, entry.start_time, end);
    } else {
      error = call(in, &next);
      const Timestamp end = current_ticks();
      if (error == Error::Ok) log_values(in);
      tracer_->log_profiling(kNames[static_cast<size_t>(in.kind)], chain, handle, entry.start_time, end);
    }
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

Error Method::run_all() {
  ET_CHECK_OK_OR_RETURN_ERROR(check_ready());
  uint64_t done = 0;
  if (temp_ != nullptr) temp_->reset();
  for (chain_ = 0; chain_ < chains_.size(); ++chain_) {
    instruction_ = 0;
    const size_t count = chains_[chain_].instructions.size();
    while (instruction_ < count) {
      const Error error = run_one();
      if (error != Error::Ok) [[unlikely]] {
        failed_instruction_ = static_cast<int64_t>(instruction_);
        return error;
      }
      ET_CHECK_OR_RETURN_ERROR(++done <= max_instructions_, InvalidProgram,
                               "method %s: more than %llu instructions; does a loop not end?", meta_.name(),
                               static_cast<unsigned long long>(max_instructions_));
    }
  }
  return Error::Ok;
}

Error Method::execute() {
  ET_CHECK_OR_RETURN_ERROR(!in_progress(), InvalidState, "method %s: execute while stepping", meta_.name());
  failed_instruction_ = -1;
  Error error = Error::Ok;
  if (!traced()) {
    error = run_all();
  } else {
    tracer_->create_event_block("Execute");
    tracer_->begin_run({meta_.name(), "execute", executions_});
    const EventTracerEntry whole = tracer_->start_profiling("Method::execute");
    error = run_all();
    if (error == Error::Ok) {
      tracer_->end_profiling(whole);
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
                           "method %s: reset before the end of the execution", meta_.name());
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
  tracer_->log_arena({"method", memory_->method_allocator()->size(), memory_->method_allocator()->high_water()});
  if (temp_ != nullptr) tracer_->log_arena({"temp", temp_->size(), temp_->high_water()});
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
      failed_instruction_(other.failed_instruction_) {
  other.delegates_ = {};
  other.own_temp_ = false;
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
