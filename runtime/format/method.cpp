// Views of methods, operators, delegates and instructions.
#include "program_generated.h"
#include "runtime/format/flat.h"
#include "runtime/format/program.h"

namespace et::format {

const char* instruction_kind_name(InstructionKind kind) {
  switch (kind) {
    case InstructionKind::None:
      return "None";
    case InstructionKind::KernelCall:
      return "KernelCall";
    case InstructionKind::DelegateCall:
      return "DelegateCall";
    case InstructionKind::MoveCall:
      return "MoveCall";
    case InstructionKind::JumpFalseCall:
      return "JumpFalseCall";
    case InstructionKind::FreeCall:
      return "FreeCall";
  }
  return "unknown";
}

std::string_view Method::name() const { return valid() ? view(plan_->name()) : std::string_view(); }

std::string_view Method::encoded_inputs() const {
  const auto* c = valid() ? plan_->container_meta_type() : nullptr;
  return c == nullptr ? std::string_view() : view(c->encoded_inp_str());
}
std::string_view Method::encoded_outputs() const {
  const auto* c = valid() ? plan_->container_meta_type() : nullptr;
  return c == nullptr ? std::string_view() : view(c->encoded_out_str());
}

Span<const int32_t> Method::inputs() const { return valid() ? span_of(plan_->inputs()) : Span<const int32_t>(); }
Span<const int32_t> Method::outputs() const { return valid() ? span_of(plan_->outputs()) : Span<const int32_t>(); }

uint32_t Method::value_count() const { return valid() ? count_of(plan_->values()) : 0; }
Value Method::value(uint32_t i) const { return valid() ? Value(source_, element(plan_->values(), i)) : Value(); }

uint32_t Method::operator_count() const { return valid() ? count_of(plan_->operators()) : 0; }
OperatorName Method::operator_name(uint32_t i) const {
  const auto* op = valid() ? element(plan_->operators(), i) : nullptr;
  return op == nullptr ? OperatorName() : OperatorName{view(op->name()), view(op->overload())};
}

uint32_t Method::delegate_count() const { return valid() ? count_of(plan_->delegates()) : 0; }
Delegate Method::delegate(uint32_t i) const {
  return valid() ? Delegate(source_, element(plan_->delegates(), i)) : Delegate();
}

Span<const int64_t> Method::buffer_sizes() const {
  return valid() ? span_of(plan_->non_const_buffer_sizes()) : Span<const int64_t>();
}
uint32_t Method::buffer_device_count() const { return valid() ? count_of(plan_->non_const_buffer_device()) : 0; }
BufferDevice Method::buffer_device(uint32_t i) const {
  const auto* d = valid() ? element(plan_->non_const_buffer_device(), i) : nullptr;
  return d == nullptr ? BufferDevice() : BufferDevice{d->buffer_idx(), d->device_type(), d->device_index()};
}

uint32_t Method::chain_count() const { return valid() ? count_of(plan_->chains()) : 0; }
Chain Method::chain(uint32_t i) const { return valid() ? Chain(element(plan_->chains(), i)) : Chain(); }

std::string_view Delegate::id() const { return valid() ? view(delegate_->id()) : std::string_view(); }

Span<const uint8_t> Delegate::payload() const {
  const auto* where = valid() ? delegate_->processed() : nullptr;
  if (where == nullptr) return {};
  if (where->location() == 1) return source_.segment(where->index());
  const auto* data = element(source_.root->backend_delegate_data(), where->index());
  return data == nullptr ? Span<const uint8_t>() : span_of(data->data());
}
bool Delegate::payload_in_segment() const {
  const auto* where = valid() ? delegate_->processed() : nullptr;
  return where != nullptr && where->location() == 1;
}
uint32_t Delegate::payload_index() const {
  const auto* where = valid() ? delegate_->processed() : nullptr;
  return where == nullptr ? 0 : where->index();
}
uint32_t Delegate::compile_spec_count() const { return valid() ? count_of(delegate_->compile_specs()) : 0; }
CompileSpec Delegate::compile_spec(uint32_t i) const {
  const auto* spec = valid() ? element(delegate_->compile_specs(), i) : nullptr;
  return spec == nullptr ? CompileSpec() : CompileSpec{view(spec->key()), span_of(spec->value())};
}

uint32_t Chain::instruction_count() const { return chain_ == nullptr ? 0 : count_of(chain_->instructions()); }
Instruction Chain::instruction(uint32_t i) const {
  return chain_ == nullptr ? Instruction() : Instruction(element(chain_->instructions(), i));
}
bool Chain::has_stack_traces() const { return chain_ != nullptr && count_of(chain_->stacktrace()) != 0; }
StackTrace Chain::stack_trace(uint32_t instruction) const {
  return chain_ == nullptr ? StackTrace() : StackTrace(element(chain_->stacktrace(), instruction));
}

uint32_t StackTrace::size() const { return frames_ == nullptr ? 0 : count_of(frames_->items()); }
StackFrame StackTrace::frame(uint32_t i) const {
  const auto* f = frames_ == nullptr ? nullptr : element(frames_->items(), i);
  return f == nullptr ? StackFrame()
                      : StackFrame{view(f->filename()), f->lineno(), view(f->name()), view(f->context())};
}

InstructionKind Instruction::kind() const {
  return valid() ? static_cast<InstructionKind>(instruction_->instr_args_type()) : InstructionKind::None;
}
int32_t Instruction::op_index() const {
  const auto* c = valid() ? instruction_->instr_args_as_KernelCall() : nullptr;
  return c == nullptr ? -1 : c->op_index();
}
int32_t Instruction::delegate_index() const {
  const auto* c = valid() ? instruction_->instr_args_as_DelegateCall() : nullptr;
  return c == nullptr ? -1 : c->delegate_index();
}
Span<const int32_t> Instruction::args() const {
  if (!valid()) return {};
  if (const auto* c = instruction_->instr_args_as_KernelCall()) return span_of(c->args());
  if (const auto* c = instruction_->instr_args_as_DelegateCall()) return span_of(c->args());
  return {};
}
int32_t Instruction::move_from() const {
  const auto* c = valid() ? instruction_->instr_args_as_MoveCall() : nullptr;
  return c == nullptr ? -1 : c->move_from();
}
int32_t Instruction::move_to() const {
  const auto* c = valid() ? instruction_->instr_args_as_MoveCall() : nullptr;
  return c == nullptr ? -1 : c->move_to();
}
int32_t Instruction::cond_value_index() const {
  const auto* c = valid() ? instruction_->instr_args_as_JumpFalseCall() : nullptr;
  return c == nullptr ? -1 : c->cond_value_index();
}
int32_t Instruction::destination() const {
  const auto* c = valid() ? instruction_->instr_args_as_JumpFalseCall() : nullptr;
  return c == nullptr ? -1 : c->destination_instruction();
}
int32_t Instruction::value_index() const {
  const auto* c = valid() ? instruction_->instr_args_as_FreeCall() : nullptr;
  return c == nullptr ? -1 : c->value_index();
}

}  // namespace et::format
