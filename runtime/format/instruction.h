// Instructions of a chain, with the Python stack that each came from where the exporter kept it.
// Source: program.fbs (Chain, Instruction). Fields of another kind of instruction return -1 or an empty view.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/span.h"
#include "runtime/format/program_source.h"

namespace et::format {

/// Numbers are the union tags of program.fbs.
enum class InstructionKind : uint8_t {
  None = 0,  // an index outside the chain
  KernelCall = 1,
  DelegateCall = 2,
  MoveCall = 3,
  JumpFalseCall = 4,
  FreeCall = 5,
};
const char* instruction_kind_name(InstructionKind kind);

class Instruction {
 public:
  Instruction() = default;
  explicit Instruction(const pte_fb::Instruction* instruction) : instruction_(instruction) {}

  bool valid() const { return instruction_ != nullptr; }
  InstructionKind kind() const;

  /// KernelCall: index into the method's operators.
  int32_t op_index() const;
  /// DelegateCall: index into the method's delegates.
  int32_t delegate_index() const;
  /// KernelCall: schema arguments in order, then the result again. DelegateCall: inputs, then outputs. Value indices.
  Span<const int32_t> args() const;
  /// MoveCall: value indices.
  int32_t move_from() const;
  int32_t move_to() const;
  /// JumpFalseCall: value index of the condition.
  int32_t cond_value_index() const;
  /// JumpFalseCall: instruction index; equal to the chain's length it ends the chain.
  int32_t destination() const;
  /// FreeCall: value index.
  int32_t value_index() const;

 private:
  const pte_fb::Instruction* instruction_ = nullptr;
};

struct StackFrame {
  std::string_view filename;
  int32_t line = 0;
  std::string_view function;
  std::string_view code;  // the source line
};

/// Frames of one instruction, as the file orders them.
class StackTrace {
 public:
  StackTrace() = default;
  explicit StackTrace(const pte_fb::FrameList* frames) : frames_(frames) {}
  uint32_t size() const;
  /// An empty frame outside [0, size()).
  StackFrame frame(uint32_t i) const;

 private:
  const pte_fb::FrameList* frames_ = nullptr;
};

class Chain {
 public:
  Chain() = default;
  explicit Chain(const pte_fb::Chain* chain) : chain_(chain) {}
  uint32_t instruction_count() const;
  Instruction instruction(uint32_t i) const;
  /// True when the exporter wrote stack traces (emit_stacktrace).
  bool has_stack_traces() const;
  StackTrace stack_trace(uint32_t instruction) const;

 private:
  const pte_fb::Chain* chain_ = nullptr;
};

}  // namespace et::format
