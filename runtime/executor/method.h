// Method: one method of a program, ready to run: values, resolved instructions, initialised delegates, all in the
// memory that the MemoryManager gives. After load nothing is allocated but temporary memory. Not safe for several
// threads.
#pragma once

#include "base/result.h"
#include "runtime/backends/backend.h"
#include "runtime/core/evalue.h"
#include "runtime/core/event_tracer.h"
#include "runtime/core/kernel_registry.h"
#include "runtime/core/memory_allocator.h"
#include "runtime/executor/method_meta.h"

namespace et {

class Program;

class Method {
 public:
  /// Longest "name.overload", terminating zero included.
  static constexpr size_t kMaxOperatorName = 100;
  /// Instructions of one execute(), unless set otherwise; a loop that does not end fails there.
  static constexpr uint64_t kMaxInstructions = 10000000;

  Method(Method&& other) noexcept;
  Method& operator=(Method&&) = delete;
  Method(const Method&) = delete;
  Method& operator=(const Method&) = delete;
  ~Method();

  // --- Inputs and outputs ---------------------------------------------------------------------------------------
  size_t inputs_size() const { return meta_.num_inputs(); }
  /// The value as it is now. `i` below inputs_size(); another one ends the process.
  const EValue& get_input(size_t i) const { return values_[input_index(i)]; }
  /// Copies the value into planned memory, or keeps the caller's data pointer, which must outlive the execution.
  /// InvalidArgument: no such input, another type, dtype, number or dim order; NotSupported: a shape that the program
  /// excludes; InvalidState: an execution is under way. The log names the input.
  Error set_input(const EValue& value, size_t i);
  /// All inputs; the count must match.
  Error set_inputs(ArrayRef<EValue> values);
  size_t outputs_size() const { return meta_.num_outputs(); }
  /// Refers to the method's memory; the next execution overwrites it. `i` below outputs_size();
  /// another one ends the process.
  const EValue& get_output(size_t i) const { return values_[output_index(i)]; }
  /// Copies handles; the rest of `out` becomes None. InvalidArgument: `out` is too short.
  Error get_outputs(Span<EValue> out) const;
  Error get_outputs(EValue* out, size_t length) const { return get_outputs(Span<EValue>(out, length)); }
  /// The same of the inputs.
  Error get_inputs(EValue* out, size_t length) const;
  EValue& mutable_input(size_t i) { return values_[input_index(i)]; }
  EValue& mutable_output(size_t i) { return values_[output_index(i)]; }
  /// Memory for an output that the program did not plan. InvalidState: it is planned; InvalidArgument: no
  /// such output, or fewer bytes than its upper bound.
  Error set_output_data_ptr(void* data, size_t size, size_t i);
  /// A tensor that the program names (a mutable buffer). NotFound.
  Result<Tensor> get_attribute(string_view name) const;

  // --- Execution ------------------------------------------------------------------------------------------------
  /// Runs all instructions. The values keep what was written when one of them fails.
  Error execute();
  /// Runs one instruction. EndOfMethod: there was none left; reset_execution() starts over.
  Error step();
  /// InvalidState before the end of the method, unless the last step failed.
  Error reset_execution();
  Error experimental_step() { return step(); }
  Error experimental_reset_execution() { return reset_execution(); }
  bool in_progress() const { return chain_ < chains_.size() && (chain_ != 0 || instruction_ != 0); }

  void set_max_instructions(uint64_t count) { max_instructions_ = count; }

  const MethodMeta& method_meta() const { return meta_; }
  EventTracer* get_event_tracer() const { return tracer_; }
  /// Between executions; null: the following ones are not traced.
  void set_event_tracer(EventTracer* tracer) { tracer_ = tracer; }
  MemoryAllocator* temp_allocator() const { return temp_; }
  /// Executions so far.
  uint64_t executions() const { return executions_; }
  /// Where execute() failed last: instruction index in chain 0, or −1.
  int64_t failed_instruction() const { return failed_instruction_; }

  size_t values_size() const { return value_count_; }
  const EValue& value(size_t i) const { return values_[i]; }

  /// "aten::add.out" into `buffer` of kMaxOperatorName bytes. InvalidProgram: too long.
  static Error operator_name(const format::Method& method, uint32_t index, char* buffer);

 private:
  friend class Program;
  friend class MethodLoader;

  enum class Kind : uint8_t { Kernel, Delegate, JumpFalse, Move, Free };
  struct Instruction {
    Kind kind = Kind::Kernel;
    bool check_data = false;   // an argument may have lost its memory, or be a constant that is written
    uint16_t logged_from = 0;  // arguments of a kernel that are logged as its outputs
    uint16_t logged_to = 0;
    uint32_t arg_count = 0;
    uint32_t index = 0;  // operator or delegate; JumpFalse: destination
    EValue** args = nullptr;
    OpFunction function = nullptr;
  };
  struct Chain {
    Span<Instruction> instructions;
  };
  struct OperatorNames {
    const char* full = nullptr;   // "aten::add.out"
    const char* event = nullptr;  // "native_call_add.out"; null for prim operators
  };
  struct DelegateState {
    const BackendInterface* backend = nullptr;  // null: it could not be loaded
    DelegateHandle* handle = nullptr;
    FreeableBuffer processed;
    const char* id = "";
  };

  Method(const Program& program, const MethodMeta& meta, MemoryManager* memory, EventTracer* tracer)
      : program_(&program), meta_(meta), memory_(memory), tracer_(tracer) {}
  static Result<Method> load(const Program& program, const MethodMeta& meta, MemoryManager* memory, EventTracer* tracer,
                             const NamedDataMap* named_data, ArrayRef<Kernel> kernels, bool stop_at_unloadable,
                             ArrayRef<BackendLoadOptions> options);

  /// Never true where tracing is compiled out, so that the compiler drops what follows from it.
  bool traced() const { return ET_EVENT_TRACER_ENABLED != 0 && tracer_ != nullptr; }
  size_t input_index(size_t i) const { return index_in(meta_.view().inputs(), i, "input"); }
  size_t output_index(size_t i) const { return index_in(meta_.view().outputs(), i, "output"); }
  static size_t index_in(ArrayRef<int32_t> list, size_t i, const char* what) {
    if (i >= list.size()) [[unlikely]]
      out_of_range(what, i, list.size());
    return static_cast<size_t>(list[i]);
  }
  [[noreturn]] static void out_of_range(const char* what, size_t i, size_t count);
  /// `at`: the index of input `i` in the table of values.
  Error set_tensor_input(const Tensor& value, size_t i, size_t at);
  Error check_ready() const;
  Error run_all();
  /// The same for a tracer that is told of steps.
  Error run_steps();
  Error too_many_instructions() const;
  bool wants_steps() const;
  static StepNames step_names(const void* method, ChainID chain, uint32_t instruction);
  /// Runs instruction `instruction_` of chain `chain_` and sets the next one.
  Error run_one();
  Error run_traced();
  Error call_kernel(const Instruction& in);
  Error call_delegate(const Instruction& in);
  Error call(const Instruction& in, size_t* next);
  Error check_arguments(const Instruction& in) const;
  void log_values(const Instruction& in);
  void log_outputs();
  void end_run(Error error);
  void destroy();

  const Program* program_;
  MethodMeta meta_;
  MemoryManager* memory_;
  MemoryAllocator* temp_ = nullptr;
  EventTracer* tracer_;
  EValue* values_ = nullptr;
  size_t value_count_ = 0;
  Span<Chain> chains_;
  Span<OperatorNames> operators_;
  Span<DelegateState> delegates_;
  bool* input_set_ = nullptr;
  bool own_temp_ = false;
  bool failed_step_ = false;
  size_t chain_ = 0;
  size_t instruction_ = 0;
  uint64_t executions_ = 0;
  uint64_t max_instructions_ = kMaxInstructions;
  uint32_t number_ = 0;  // of all loaded methods
  Timestamp ended_ = 0;  // where run_steps() read the clock last
  int64_t failed_instruction_ = -1;
};

}  // namespace et
