// EventTracer: what the runtime tells of an execution: when each instruction, kernel and delegate event began and
// ended, the values it produced, allocations, and which run they belong to. ETDumpGen (etdump/) writes them to a file;
// an application may pass its own tracer. The core accepts a null tracer everywhere.
//
// Times are ticks of the platform's clock (platform/platform.h). A tracer belongs to one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "runtime/core/evalue.h"
#include "runtime/core/span.h"
#include "runtime/platform/platform.h"

#ifndef ET_EVENT_TRACER_ENABLED
#define ET_EVENT_TRACER_ENABLED 1
#endif

namespace et {

using AllocatorID = uint32_t;
using ChainID = int32_t;
using DebugHandle = uint32_t;
using DelegateDebugIntId = int32_t;

inline constexpr ChainID kUnsetChainId = -1;
inline constexpr DebugHandle kUnsetDebugHandle = 0;
inline constexpr DelegateDebugIntId kUnsetDelegateDebugIntId = -1;
inline constexpr int kUnsetBundledInputIndex = -1;

enum class DelegateDebugIdType : uint8_t { kNone, kInt, kStr };
enum class LoggedEValueType : uint8_t { kIntermediateOutput, kProgramOutput };
enum class EventTracerDebugLogLevel : uint8_t { kNoLogging, kProgramOutputs, kIntermediateOutputs };
enum class EventTracerProfilingLevel : uint8_t { kProfileMethodOnly, kProfileAllEvents };

/// Chooses which intermediate outputs of delegates are dropped: true drops. The name says what the documentation of
/// upstream leaves open.
class EventTracerFilterBase {
 public:
  virtual ~EventTracerFilterBase() = default;
  /// Exactly one of `name` and `delegate_debug_index` is given.
  virtual Result<bool> filter(const char* name, DelegateDebugIntId delegate_debug_index) = 0;
};

/// An event that has begun.
struct EventTracerEntry {
  int64_t event_id = -1;
  ChainID chain_id = kUnsetChainId;
  DebugHandle debug_handle = kUnsetDebugHandle;
  Timestamp start_time = 0;
  DelegateDebugIdType delegate_event_id_type = DelegateDebugIdType::kNone;
  const char* name = nullptr;
  DelegateDebugIntId delegate_debug_index = kUnsetDelegateDebugIntId;
};

/// What a run is: an event block of the dump, told when it begins.
struct RunInfo {
  const char* method = "";  // lives as long as the program
  const char* kind = "";    // "load" or "execute"
  uint64_t execution = 0;   // counts the executions of the method from 0
};

/// One arena at the end of a run, bytes.
struct ArenaUse {
  const char* name = "";  // "planned:1", "temp", "method", "delegate:<id>"
  uint64_t capacity = 0;
  uint64_t high_water = 0;
};

/// What is known of an instruction beyond its times; belongs to the event that was recorded last.
struct EventNote {
  Span<EValue* const> outputs;  // values that the instruction wrote
  uint64_t temp_bytes = 0;      // most temporary memory at one time
};

/// The names that log_call() would get for an instruction.
struct StepNames {
  const char* event = nullptr;
  const char* call = "";
};

/// A chain of a loaded method, as a tracer needs it that is told of instructions by step().
struct StepChain {
  uint32_t method = 0;  // no two loaded methods have the same
  ChainID chain = 0;
  uint32_t instructions = 0;
  StepNames (*names)(const void* context, ChainID chain, uint32_t instruction) = nullptr;
  const void* context = nullptr;
};

class EventTracer {
 public:
  virtual ~EventTracer() = default;

  virtual void create_event_block(const char* name) = 0;
  /// An event is recorded when it ends. `name` must live as long as the tracer records, or be a string that
  /// the implementation copies.
  virtual EventTracerEntry start_profiling(const char* name, ChainID chain_id = kUnsetChainId,
                                           DebugHandle debug_handle = kUnsetDebugHandle) = 0;
  virtual void end_profiling(EventTracerEntry entry) = 0;
  /// A finished event whose times are known.
  virtual void log_profiling(const char* /*name*/, ChainID, DebugHandle, Timestamp /*start*/, Timestamp /*end*/) {}

  /// A finished instruction: its call and, where `event` is not null, what was called, which takes the same times. Both
  /// texts stay as they are at their addresses until the next event block.
  virtual void log_call(const char* event, const char* call, ChainID chain_id, DebugHandle debug_handle,
                        Timestamp start, Timestamp end) {
    if (event != nullptr) log_profiling(event, chain_id, debug_handle, start, end);
    log_profiling(call, chain_id, debug_handle, start, end);
  }
  /// False: log_call() needs no start_profiling() before it.
  bool wants_starts() const { return wants_starts_; }

  /// True: the executor may call step() instead of log_call(), with one clock read for the end of an instruction and
  /// the begin of the next.
  bool wants_steps() const { return wants_steps_; }
  /// A finished instruction. Where there is room, it follows the one told last in the same chain, and began when that
  /// ended.
  void step(const StepChain& chain, uint32_t instruction, Timestamp start, Timestamp end) {
    if (step_at_ != step_limit_) [[likely]] {
      *step_at_++ = end;
    } else {
      first_step(chain, instruction, start, end);
    }
  }
  /// The next step does not follow the one before it: another chain, or a jump.
  void break_steps() { step_limit_ = step_at_; }
  /// A step for which there is no room: a tracer that wants steps makes room for this one and those that follow.
  virtual void first_step(const StepChain& chain, uint32_t instruction, Timestamp start, Timestamp end) {
    const StepNames names = chain.names(chain.context, chain.chain, instruction);
    log_call(names.event, names.call, chain.chain, instruction, start, end);
  }

  /// Delegates: exactly one of `name` (null otherwise) and `delegate_debug_index` (−1 otherwise).
  virtual EventTracerEntry start_profiling_delegate(const char* name, DelegateDebugIntId delegate_debug_index) = 0;
  virtual void end_profiling_delegate(EventTracerEntry entry, const void* metadata = nullptr,
                                      size_t metadata_len = 0) = 0;
  virtual void log_profiling_delegate(const char* name, DelegateDebugIntId delegate_debug_index, Timestamp start,
                                      Timestamp end, const void* metadata = nullptr, size_t metadata_len = 0) = 0;

  /// Ids count from 1 within a block.
  virtual AllocatorID track_allocator(const char* name) = 0;
  virtual void track_allocation(AllocatorID id, size_t size) = 0;

  /// True: logged; false: not asked for. Errors: OutOfResources (the debug buffer is full), InvalidState.
  virtual Result<bool> log_evalue(const EValue& evalue, LoggedEValueType evalue_type) = 0;
  /// `value`: int, bool, double, tensor or list of tensors.
  virtual Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId delegate_debug_index,
                                                        const EValue& value);
  // The same by type, for tracers written for ExecuTorch: a tracer overrides either these or the one above.
  virtual Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId id, const Tensor& output) {
    return log_intermediate_output_delegate(name, id, EValue(output));
  }
  virtual Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId id,
                                                        ArrayRef<Tensor> output);
  virtual Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId id, const int& output) {
    return log_intermediate_output_delegate(name, id, EValue(int64_t{output}));
  }
  virtual Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId id, const bool& output) {
    return log_intermediate_output_delegate(name, id, EValue(output));
  }
  virtual Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId id, const double& output) {
    return log_intermediate_output_delegate(name, id, EValue(output));
  }
  virtual void set_delegation_intermediate_output_filter(EventTracerFilterBase* filter) = 0;

  // What ETDump has no place for; a tracer may ignore all of it.
  virtual void begin_run(const RunInfo&) {}
  virtual void end_run(Error) {}
  virtual void log_arena(const ArenaUse&) {}
  virtual void log_event_note(const EventNote&) {}

  void set_chain_debug_handle(ChainID chain_id, DebugHandle debug_handle) {
    chain_id_ = chain_id;
    debug_handle_ = debug_handle;
  }
  ChainID current_chain_id() const { return chain_id_; }
  DebugHandle current_debug_handle() const { return debug_handle_; }
  void set_bundled_input_index(int index) { bundled_input_index_ = index; }
  int bundled_input_index() const { return bundled_input_index_; }
  void set_event_tracer_debug_level(EventTracerDebugLogLevel level) { debug_level_ = level; }
  EventTracerDebugLogLevel event_tracer_debug_level() const { return debug_level_; }
  void set_event_tracer_profiling_level(EventTracerProfilingLevel level) { profiling_level_ = level; }
  EventTracerProfilingLevel event_tracer_profiling_level() const { return profiling_level_; }
  /// True: the executor calls log_event_note after each instruction.
  bool wants_event_notes() const { return wants_event_notes_; }
  void set_wants_event_notes(bool wants) { wants_event_notes_ = wants; }

 protected:
  bool wants_starts_ = true;
  bool wants_steps_ = false;
  Timestamp* step_at_ = nullptr;  // room for the ends of further steps
  Timestamp* step_limit_ = nullptr;

 private:
  ChainID chain_id_ = kUnsetChainId;
  DebugHandle debug_handle_ = kUnsetDebugHandle;
  int bundled_input_index_ = kUnsetBundledInputIndex;
  EventTracerDebugLogLevel debug_level_ = EventTracerDebugLogLevel::kNoLogging;
  EventTracerProfilingLevel profiling_level_ = EventTracerProfilingLevel::kProfileAllEvents;
  bool wants_event_notes_ = false;
};

}  // namespace et
