// ETDumpGen: the event tracer that makes ETDump files. While the model runs it keeps plain records (record.h); only
// get_etdump_data() turns them into the ED00 flatbuffer that upstream's Inspector reads, with the ETX1 trailer behind
// it.
//
// Recording needs no heap when a buffer is given, never ends the process, and costs some ten nanoseconds an event. On
// the heap, an execution is recorded as one tick an instruction (steps), unless values, notes, counters, threads or a
// ring ask for more. Calls that make no sense in the current state are ignored, counted and logged (the first few
// times). When memory is used up, events are lost by the chosen policy and counted, for each run and in total.
//
//   ETDumpGen tracer;                       // or tracer({buffer, size}) on a device
//   ... load and execute with &tracer ...
//   ETDumpResult dump = tracer.get_etdump_data();
//   if (dump.buf != nullptr) { write(dump.buf, dump.size); if (!tracer.is_static_etdump()) free(dump.buf); }
//
// One thread at a time: methods that run concurrently need a tracer each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "etdump/counter_reader.h"
#include "etdump/data_sink.h"
#include "etdump/name_table.h"
#include "etdump/record_log.h"
#include "runtime/core/event_tracer.h"

namespace et::etdump {

/// The ETDump: ED00 with its size prefix, then the trailer. Null and 0 without any event block.
struct ETDumpResult {
  void* buf;
  size_t size;
};

/// What happens when memory is used up: `Stop` keeps the oldest events, `Ring` the newest.
enum class FullPolicy : uint8_t { Stop, Ring };

// Facts for the trailer. Strings are copied; null and 0: not said. See formats of the trailer (schema/trailer.fbs).
struct HostFacts {
  const char* name = nullptr;
  const char* cpu = nullptr;
  const char* os = nullptr;
  const char* build = nullptr;    // compiler, flags
  const char* kernels = nullptr;  // providers linked
  uint32_t cores = 0;
  uint32_t threads_used = 0;
};
struct ProgramFacts {
  Span<const uint8_t> sha256 = {};       // 32 bytes, of the .pte, or empty
  Span<const uint8_t> data_sha256 = {};  // 32 bytes, of the .ptd, or empty
  uint64_t bytes = 0;
  const char* path = nullptr;  // as the user gave it
};

/// What is missing from the ETDump, since the last reset.
struct LossCounts {
  uint64_t events = 0;          // no memory left
  uint64_t runs = 0;            // blocks missing from the ETDump altogether
  uint64_t values = 0;          // values lost: the data sink was full or missing
  uint64_t skipped_values = 0;  // values of a kind that an ETDump cannot store (strings, None, lists of numbers)
  uint64_t names = 0;           // names lost for want of memory; their events are called "?"
  uint64_t ignored_calls = 0;   // calls that made no sense in the state of the tracer
};

class ETDumpGen : public EventTracer {
 public:
  static constexpr size_t kDefaultMaxBytes = size_t{256} << 20;
  static constexpr size_t kMaxLabels = 16;

  /// With a buffer everything happens in it, the result of get_etdump_data() too: about half is for records. Below some
  /// 2 KiB nothing fits. Without one, memory comes from the platform's heap, in chunks, up to set_max_bytes().
  explicit ETDumpGen(Span<uint8_t> buffer = {});
  ~ETDumpGen() override;
  ETDumpGen(const ETDumpGen&) = delete;
  ETDumpGen& operator=(const ETDumpGen&) = delete;

  void create_event_block(const char* name) override;
  EventTracerEntry start_profiling(const char* name, ChainID chain_id = kUnsetChainId,
                                   DebugHandle debug_handle = kUnsetDebugHandle) override;
  void end_profiling(EventTracerEntry entry) override;
  void log_profiling(const char* name, ChainID chain_id, DebugHandle debug_handle, Timestamp start,
                     Timestamp end) override;
  void log_call(const char* event, const char* call, ChainID chain_id, DebugHandle debug_handle, Timestamp start,
                Timestamp end) override;
  EventTracerEntry start_profiling_delegate(const char* name, DelegateDebugIntId delegate_debug_index) override;
  void end_profiling_delegate(EventTracerEntry entry, const void* metadata = nullptr, size_t metadata_len = 0) override;
  void log_profiling_delegate(const char* name, DelegateDebugIntId delegate_debug_index, Timestamp start, Timestamp end,
                              const void* metadata = nullptr, size_t metadata_len = 0) override;
  /// 0: ignored (no block is open, the block has events already, or it has 13 allocators).
  AllocatorID track_allocator(const char* name) override;
  void track_allocation(AllocatorID id, size_t size) override;
  /// OutOfResources: no memory left for the value or its event. InvalidState: no block, no sink, or a tensor without
  /// data.
  Result<bool> log_evalue(const EValue& evalue,
                          LoggedEValueType evalue_type = LoggedEValueType::kIntermediateOutput) override;
  using EventTracer::log_intermediate_output_delegate;
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId delegate_debug_index,
                                                const EValue& value) override;
  void set_delegation_intermediate_output_filter(EventTracerFilterBase* filter) override { filter_ = filter; }
  /// Kinds of runs and names of arenas are constants: their texts never change.
  void begin_run(const RunInfo& info) override;
  void end_run(Error error) override;
  void log_arena(const ArenaUse& use) override;
  void log_event_note(const EventNote& note) override;
  void first_step(const StepChain& chain, uint32_t instruction, Timestamp start, Timestamp end) override;

  // Where values go. Both stay in force until they are replaced; the sink must outlive the tracer's use.
  Result<bool> set_debug_buffer(Span<uint8_t> buffer);
  void set_data_sink(DataSinkBase* sink) { sink_ = sink; }
  DataSinkBase* get_data_sink() const { return sink_; }

  /// After the first of several executions: takes memory for `more` like those before and touches it, so that events
  /// cost no page fault. At most kMostReserved at a time.
  void expect_executions(uint64_t more);
  static constexpr size_t kMostReserved = size_t{64} << 20;

  /// The ETDump of all blocks so far. It closes the ETDump: the next create_event_block() begins a new one. Asked again
  /// before that, it gives the same content: without a buffer in fresh memory of the platform, which the caller frees
  /// (std::free on POSIX), with a buffer at the same place. Null and 0 when nothing was recorded or memory is missing.
  ETDumpResult get_etdump_data();
  /// Blocks that the ETDump would contain.
  size_t get_num_blocks() const { return blocks_; }
  bool is_static_etdump() const { return static_; }
  /// Forgets what was recorded; sinks, options and facts stay.
  void reset();
  const LossCounts& losses() const { return lost_; }

  // Options. The first two take effect with the next ETDump when one is in progress.
  void set_full_policy(FullPolicy policy) { wanted_policy_ = policy; }
  /// For records without a buffer; names may take an eighth of it on top.
  void set_max_bytes(size_t bytes) { wanted_bytes_ = bytes; }
  /// Also writes allocations as events, as upstream does, whose Inspector cannot load the ETDump then.
  void set_allocations_in_dump(bool in_dump) { allocations_in_dump_ = in_dump; }
  /// False (the default): values of types that upstream's Inspector cannot read are stored as the next wider type that
  /// it can (bfloat16 as float32, float8 as float16, uint32 and uint64 as int64, complex as pairs, quantised as plain
  /// integers), without loss; a uint64 tensor with values above 2^63 becomes float64. True: as they are.
  void set_exact_dtypes(bool exact) { exact_dtypes_ = exact; }
  /// False: the ETDump ends where upstream's would.
  void set_trailer(bool trailer) { trailer_ = trailer; }
  /// Null: none. The reader must outlive the tracer's use.
  void set_counter_reader(CounterReader* reader);
  /// Thread that the following events belong to; 0 is not written.
  void set_thread(uint32_t thread) {
    thread_ = thread;
    choose_steps();
  }

  // Facts, kept until replaced.
  void set_producer(const char* producer);
  void set_host(const HostFacts& host);
  void set_program(const ProgramFacts& program);
  /// "prefill", "decode"…: of what runs from now on. An execution that has begun, and one that is over, keep theirs.
  void set_phase(const char* phase);
  /// Replaces the value of a key that is there. False: more than kMaxLabels, or no memory.
  bool add_label(const char* key, const char* value);

 private:
  friend class DumpWriter;

  enum class State : uint8_t { Empty, Open, Closed };
  using Id = NameTable::Id;

  struct KnownName {
    const char* source;  // what was given
    const char* text;    // the copy
    Id id;
    uint32_t block;  // in which they were last compared, counted by block_number_; kConstant: once is enough
  };
  struct OpenCounters {
    uint16_t sequence;  // 0: free
    bool counted;       // `difference` is what was counted until `end`
    Id name;
    Timestamp start, end;
    uint64_t begin[CounterReader::kMaxCounters];
    uint64_t difference[CounterReader::kMaxCounters];
  };
  struct Host {
    Id name, cpu, os, build, kernels;
    uint32_t cores, threads_used;
  };
  struct Program {
    uint8_t sha256[32], data_sha256[32];
    bool has_sha256, has_data_sha256;
    uint64_t bytes;
    Id path;
  };

  // etdump_gen.cpp
  Id name_id(const char* name);
  Id name_id_slowly(const char* name);
  Id call_id(const char* name);
  Id constant_id(const char* name);
  KnownName* known_name(const char* name);
  void* append(size_t bytes);
  void* append_slowly(size_t bytes);
  void drop_one();
  void lose_event();
  void begin_dump();
  void new_tag();
  bool ready(const char* call);
  void ignore(const char* call, const char* why);
  Id fact(const char* text) { return text == nullptr || text[0] == 0 ? NameTable::kNone : facts_.intern(text); }

  // etdump_events.cpp
  bool owns(const EventTracerEntry& entry) const { return entry.event_id >> 48 == tag_; }
  bool one_id(const char* name, DelegateDebugIntId index, const char* call);
  void profile(uint8_t flags, uint32_t name, ChainID chain, DebugHandle handle, Timestamp begin, Timestamp end,
               const void* metadata = nullptr, size_t length = 0);
  void open_counters(EventTracerEntry* entry);
  bool count(OpenCounters* open);
  /// What was counted in the event; null: nothing was.
  const uint64_t* close_counters(const EventTracerEntry& entry);
  const uint64_t* counted_until(Id name, Timestamp start, Timestamp end);
  void note(const uint64_t* counted);

  // etdump_overhead.cpp
  void measure_overhead(const char* name);
  template <class F>
  uint64_t ticks_of(F&& f);
  double overhead_ticks() const;

  // etdump_steps.cpp
  void choose_steps();
  const NamesRecord* names_of(const StepChain& chain);
  bool open_steps(const StepChain& chain, uint32_t instruction, Timestamp start);
  void close_steps() {
    if (steps_ != nullptr) close_steps_slowly();
  }
  void close_steps_slowly();

  // etdump_values.cpp
  Result<bool> log_value(uint8_t flags, uint32_t id, const EValue& value);
  Result<bool> log_tensors(uint8_t flags, uint32_t id, uint64_t kind, ArrayRef<Tensor> tensors);
  DebugRecord* debug_record(uint8_t flags, uint32_t id, uint64_t kind, size_t bytes);

  // etdump_write.cpp
  ETDumpResult write();
  bool trim(uint64_t needed, uint64_t available);

  RecordLog log_;
  NameTable names_;  // of events; may be emptied with the records
  NameTable facts_;  // never emptied
  Timestamp (*ticks_)() = nullptr;
  int64_t tag_ = 1;               // bits 48… of event_id: entries of other tracers and older dumps are told apart
  StepsRecord* steps_ = nullptr;  // that takes further steps; behind it the log is empty
  const NamesRecord* step_names_ = nullptr;  // list of all
  RunRecord* run_ = nullptr;                 // open block: in the log, or cut_run_ or no_run_
  RunRecord cut_run_ = {};                   // ring: the block of the oldest records, whose own record is gone
  RunRecord no_run_ = {};                    // open block that there was no memory for
  bool has_cut_run_ = false;
  bool static_ = false;
  bool full_ = false;  // Stop: something was refused, so all that follows is
  bool block_has_events_ = false, block_has_profile_ = false;
  bool run_told_ = false, run_waits_ = false;
  bool calibrated_ = false;
  bool allocations_in_dump_ = false, exact_dtypes_ = false, trailer_ = true;
  bool laid_out_ = false;
  State state_ = State::Empty;
  FullPolicy policy_ = FullPolicy::Stop, wanted_policy_ = FullPolicy::Stop;
  size_t max_bytes_ = 0, wanted_bytes_ = kDefaultMaxBytes;
  Span<uint8_t> records_, output_;  // parts of the caller's buffer
  size_t blocks_ = 0;
  LossCounts lost_;
  uint32_t messages_ = 0;
  uint32_t thread_ = 0;
  double event_ticks_ = 0, step_ticks_ = 0, block_ticks_ = 0;  // that recording one takes
  TickRatio ratio_;                                            // applied to the closed ETDump
  int64_t utc_at_zero_ = 0;

  DataSinkBase* sink_ = nullptr;
  BufferDataSink buffer_sink_;
  EventTracerFilterBase* filter_ = nullptr;
  CounterReader* counters_ = nullptr;
  size_t counter_count_ = 0;
  uint16_t counter_sequence_ = 0;

  Id waiting_method_ = 0, waiting_kind_ = 0;
  uint64_t waiting_execution_ = 0;
  Id producer_ = 0, phase_ = 0;
  Id counter_names_[CounterReader::kMaxCounters] = {};
  Host host_ = {};
  Program program_ = {};
  bool has_host_ = false, has_program_ = false;
  size_t labels_ = 0;
  Id label_keys_[kMaxLabels] = {}, label_values_[kMaxLabels] = {};

  static constexpr size_t kKnownNames = sizeof(void*) == 8 ? 256 : 64;  // a device has little memory
  static constexpr uint32_t kConstant = UINT32_MAX;
  static constexpr size_t kOpenCounters = 8;
  KnownName known_[kKnownNames] = {};
  uint32_t block_number_ = 0;
  OpenCounters open_counters_[kOpenCounters] = {};
};

}  // namespace et::etdump
