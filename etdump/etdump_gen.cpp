#include "etdump/etdump_gen.h"

#include <cstring>
#include <new>

#include "runtime/platform/log.h"

namespace et::etdump {
namespace {

constexpr size_t kLeastBuffer = 1024;
constexpr size_t kMostStrings = 64 << 10;  // of a caller's buffer
constexpr uint32_t kMessages = 8;          // log lines about ignored calls, per dump
constexpr size_t kMostSizes = 4096;        // numbers of one note

constexpr size_t up8(size_t n) { return (n + 7) & ~size_t{7}; }

}  // namespace

ETDumpGen::ETDumpGen(Span<uint8_t> buffer) {
  ticks_ = platform().ticks;
  new_tag();
  if (buffer.data() == nullptr) return;
  static_ = true;
  const size_t skew = (16 - (reinterpret_cast<uintptr_t>(buffer.data()) & 15)) & 15;
  if (buffer.size() < kLeastBuffer + skew) {
    ET_LOG(Error, "ETDumpGen: a buffer of %zu bytes is too small for a dump, it records nothing", buffer.size());
    names_.use_memory(nullptr, 0);
    facts_.use_memory(nullptr, 0);
    return;
  }
  // Strings, records, then the dump itself. An event takes 40 bytes of records and about 48 of the dump; where that
  // does not hold, trim() finds out.
  const size_t size = (buffer.size() - skew) & ~size_t{15};
  size_t strings = size / 6;
  if (strings > kMostStrings) strings = kMostStrings;
  const size_t facts = strings / 3 & ~size_t{15};
  strings &= ~size_t{15};
  uint8_t* at = buffer.data() + skew;
  facts_.use_memory(at, facts);
  names_.use_memory(at + facts, strings - facts);
  const size_t rest = size - strings;
  const size_t trailer = rest / 8 < 768 ? rest / 8 : 768;
  const size_t records = ((rest - trailer) / 24 * 10) & ~size_t{15};
  records_ = {at + strings, records};
  output_ = {at + strings + records, rest - records};
}

ETDumpGen::~ETDumpGen() = default;

// --- names

ETDumpGen::Id ETDumpGen::name_id(const char* name) {
  const uintptr_t p = reinterpret_cast<uintptr_t>(name);
  const KnownName& known = known_[(p >> 3 ^ p >> 9 ^ p) % kKnownNames];
  // The same place may hold another text by now.
  if (known.source == name && known.id != NameTable::kNone && std::strcmp(known.text, name) == 0) return known.id;
  return name_id_slowly(name);
}

ETDumpGen::Id ETDumpGen::name_id_slowly(const char* name) {
  if (name == nullptr) name = "(unnamed)";
  const Id id = names_.intern(name);
  if (id == NameTable::kNone) {
    ++lost_.names;
    return id;
  }
  const uintptr_t p = reinterpret_cast<uintptr_t>(name);
  known_[(p >> 3 ^ p >> 9 ^ p) % kKnownNames] = {name, names_.view(id).data(), id};
  return id;
}

void ETDumpGen::new_tag() {
  const uintptr_t self = reinterpret_cast<uintptr_t>(this);
  tag_ = (static_cast<int64_t>(self >> 4 ^ self >> 18) + tag_ + 1) & 0x7fff;
  if (tag_ == 0) tag_ = 1;
}

// --- memory

void* ETDumpGen::append(size_t bytes) {
  if (full_) return nullptr;
  void* at = log_.append(bytes);
  return at != nullptr ? at : append_slowly(bytes);
}

void* ETDumpGen::append_slowly(size_t bytes) {
  if (!log_.ring()) {
    full_ = true;
    return nullptr;
  }
  if (log_.too_long(bytes)) return nullptr;
  void* at = nullptr;
  while (at == nullptr && log_.oldest() != nullptr) {
    drop_one();
    at = log_.append(bytes);
  }
  return at;
}

// Ring: the oldest record goes, and what belongs to it alone.
void ETDumpGen::drop_one() {
  Record* oldest = log_.oldest();
  switch (oldest->kind) {
    case RecordKind::Run:
      // All events of the block before it are gone: so is the block.
      if (has_cut_run_) {
        --blocks_;
        ++lost_.runs;
      }
      cut_run_ = *static_cast<RunRecord*>(oldest);
      has_cut_run_ = true;
      if (run_ == oldest) run_ = &cut_run_;
      break;
    case RecordKind::Profile:
    case RecordKind::Debug:
      ++cut_run_.lost;
      ++lost_.events;
      break;
    case RecordKind::Allocation:
    case RecordKind::Arena:
    case RecordKind::Note:
      break;
  }
  log_.drop_oldest();
  while ((oldest = log_.oldest()) != nullptr && oldest->kind == RecordKind::Note) log_.drop_oldest();
}

void ETDumpGen::lose_event() {
  ++lost_.events;
  ++run_->lost;
}

bool ETDumpGen::ready(const char* call) {
  if (state_ == State::Open) [[likely]]
    return true;
  ignore(call, state_ == State::Empty ? "no event block was created" : "the dump is closed; create an event block");
  return false;
}

void ETDumpGen::ignore(const char* call, const char* why) {
  ++lost_.ignored_calls;
  if (messages_ == kMessages) return;
  ET_LOG(Error, "ETDumpGen::%s ignored: %s%s", call, why,
         ++messages_ == kMessages ? " (no more of these messages)" : "");
}

// --- blocks

void ETDumpGen::reset() {
  log_.clear();
  run_ = nullptr;
  has_cut_run_ = full_ = false;
  block_has_events_ = block_has_profile_ = run_told_ = false;
  blocks_ = 0;
  lost_ = {};
  messages_ = 0;
  state_ = State::Empty;
  if (names_.used() > names_.room() / 2) {
    names_.clear();
    for (KnownName& known : known_) known = {};
    run_waits_ = false;
    new_tag();
  }
}

void ETDumpGen::begin_dump() {
  if (laid_out_ && policy_ == wanted_policy_ && max_bytes_ == wanted_bytes_) return;
  laid_out_ = true;
  policy_ = wanted_policy_;
  max_bytes_ = wanted_bytes_;
  const bool ring = policy_ == FullPolicy::Ring;
  if (static_) {
    log_.use_memory(records_.data(), records_.size(), ring);
  } else {
    log_.use_heap(max_bytes_, ring);
    names_.use_heap(max_bytes_ / 8 < (64 << 10) ? size_t{64 << 10} : max_bytes_ / 8);
  }
}

void ETDumpGen::create_event_block(const char* name) {
  if (state_ == State::Closed) reset();
  if (state_ == State::Empty) begin_dump();
  ticks_ = platform().ticks;
  state_ = State::Open;
  block_has_events_ = block_has_profile_ = false;
  const Id id = name_id(name);
  void* at = append(sizeof(RunRecord));
  if (at == nullptr) {
    ++lost_.runs;
    run_ = &no_run_;
  } else {
    ++blocks_;
    run_ = static_cast<RunRecord*>(at);
  }
  new (run_) RunRecord{};
  run_->kind = RecordKind::Run;
  run_->words = sizeof(RunRecord) / 8;
  run_->name = id;
  run_->bundled_input_index = bundled_input_index();
  run_->phase = phase_;
  run_told_ = run_waits_;
  if (run_waits_) {
    run_->method = waiting_method_;
    run_->run_kind = waiting_kind_;
    run_->execution = waiting_execution_;
    run_waits_ = false;
  }
  if (!calibrated_) measure_overhead(name);
}

// What one event costs, with the names and memory at hand: the least mean of a few rounds. Leaves no trace.
void ETDumpGen::measure_overhead(const char* name) {
  calibrated_ = true;
  constexpr size_t kEvents = 32;
  const size_t each = sizeof(ProfileRecord) + (counter_count_ == 0 ? 0 : sizeof(NoteRecord) + 8 * counter_count_);
  if (full_ || log_.room() < 2 * kEvents * each) return;
  const size_t before = log_.room();
  uint64_t least = UINT64_MAX;
  for (int round = 0; round < 4; ++round) {
    const Timestamp begin = ticks_();
    for (size_t i = 0; i < kEvents; ++i) end_profiling(start_profiling(name, 0, 0));
    const Timestamp end = ticks_();
    if (end - begin < least) least = end - begin;
    log_.retract(before - log_.room());
  }
  overhead_ticks_ = static_cast<double>(least) / kEvents;
  block_has_events_ = block_has_profile_ = false;
}

void ETDumpGen::begin_run(const RunInfo& info) {
  const Id method = info.method == nullptr ? NameTable::kNone : names_.intern(info.method);
  const Id kind = info.kind == nullptr ? NameTable::kNone : names_.intern(info.kind);
  // Told before the block is created: it waits for it.
  if (state_ != State::Open || (block_has_events_ && run_told_)) {
    waiting_method_ = method;
    waiting_kind_ = kind;
    waiting_execution_ = info.execution;
    run_waits_ = true;
    return;
  }
  run_->method = method;
  run_->run_kind = kind;
  run_->execution = info.execution;
  run_told_ = true;
}

void ETDumpGen::end_run(Error error) {
  if (ready("end_run")) run_->error = static_cast<uint32_t>(error);
}

// --- profile events

void ETDumpGen::profile(uint8_t flags, uint32_t name, ChainID chain, DebugHandle handle, Timestamp begin, Timestamp end,
                        const void* metadata, size_t length) {
  block_has_events_ = true;
  const size_t bytes = sizeof(ProfileRecord) + (length == 0 ? 0 : 8 + up8(length));
  void* at = append(bytes);
  if (at == nullptr) [[unlikely]] {
    lose_event();
    block_has_profile_ = false;
    return;
  }
  block_has_profile_ = true;
  ProfileRecord* r = new (at) ProfileRecord;
  r->kind = RecordKind::Profile;
  r->flags = flags;
  r->count = 0;
  r->words = static_cast<uint32_t>(bytes / 8);
  r->place = 0;
  r->name = name;
  r->chain = chain;
  r->handle = handle;
  r->start = begin;
  r->end = end;
  if (length != 0) {
    r->flags |= kMetadata;
    const uint64_t stored = length;
    std::memcpy(r + 1, &stored, sizeof stored);
    std::memcpy(reinterpret_cast<uint8_t*>(r + 1) + sizeof stored, metadata, length);
  }
}

EventTracerEntry ETDumpGen::start_profiling(const char* name, ChainID chain_id, DebugHandle debug_handle) {
  EventTracerEntry entry;
  entry.event_id = tag_ << 48 | name_id(name);
  entry.name = name;
  entry.chain_id = chain_id == kUnsetChainId ? current_chain_id() : chain_id;
  entry.debug_handle = chain_id == kUnsetChainId ? current_debug_handle() : debug_handle;
  if (counters_ != nullptr) [[unlikely]] {
    open_counters(&entry);
  } else {
    entry.start_time = ticks_();
  }
  return entry;
}

void ETDumpGen::end_profiling(EventTracerEntry entry) {
  const Timestamp end = ticks_();
  uint64_t now[CounterReader::kMost];
  const OpenCounters* begun = counters_ == nullptr ? nullptr : close_counters(entry, now);
  if (!ready("end_profiling")) return;
  if (!owns(entry) || entry.delegate_event_id_type != DelegateDebugIdType::kNone) [[unlikely]] {
    ignore("end_profiling", owns(entry) ? "the event belongs to a delegate" : "this tracer did not start the event");
    return;
  }
  profile(0, static_cast<uint32_t>(entry.event_id), entry.chain_id, entry.debug_handle, entry.start_time, end);
  if (begun != nullptr || thread_ != 0) note(begun, now);
}

void ETDumpGen::log_profiling(const char* name, ChainID chain_id, DebugHandle debug_handle, Timestamp start,
                              Timestamp end) {
  if (!ready("log_profiling")) return;
  // An event may be started with start_profiling and finished here, when the caller reads the clock itself.
  uint64_t now[CounterReader::kMost];
  const OpenCounters* begun = nullptr;
  if (counters_ != nullptr) {
    EventTracerEntry entry;
    for (const OpenCounters& open : open_counters_) {
      if (open.sequence == 0 || open.start != start) continue;
      entry.event_id = tag_ << 48 | static_cast<int64_t>(open.sequence) << 32;
      begun = close_counters(entry, now);
      break;
    }
  }
  if (chain_id == kUnsetChainId) {
    chain_id = current_chain_id();
    debug_handle = current_debug_handle();
  }
  profile(0, name_id(name), chain_id, debug_handle, start, end);
  if (begun != nullptr || thread_ != 0) note(begun, now);
}

bool ETDumpGen::one_id(const char* name, DelegateDebugIntId index, const char* call) {
  if ((name == nullptr) != (index == kUnsetDelegateDebugIntId)) return true;
  ignore(call, "exactly one of name and delegate_debug_index must be given");
  return false;
}

EventTracerEntry ETDumpGen::start_profiling_delegate(const char* name, DelegateDebugIntId delegate_debug_index) {
  EventTracerEntry entry;
  if (!one_id(name, delegate_debug_index, "start_profiling_delegate")) return entry;
  entry.event_id = tag_ << 48 | (name == nullptr ? NameTable::kNone : name_id(name));
  entry.name = name;
  entry.delegate_debug_index = delegate_debug_index;
  entry.delegate_event_id_type = name == nullptr ? DelegateDebugIdType::kInt : DelegateDebugIdType::kStr;
  entry.chain_id = current_chain_id();
  entry.debug_handle = current_debug_handle();
  if (counters_ != nullptr) {
    open_counters(&entry);
  } else {
    entry.start_time = ticks_();
  }
  return entry;
}

void ETDumpGen::end_profiling_delegate(EventTracerEntry entry, const void* metadata, size_t metadata_len) {
  const Timestamp end = ticks_();
  uint64_t now[CounterReader::kMost];
  const OpenCounters* begun = counters_ == nullptr ? nullptr : close_counters(entry, now);
  if (!ready("end_profiling_delegate")) return;
  if (!owns(entry) || entry.delegate_event_id_type == DelegateDebugIdType::kNone) {
    ignore("end_profiling_delegate",
           owns(entry) ? "the event belongs to no delegate" : "this tracer did not start the event");
    return;
  }
  const bool by_name = entry.delegate_event_id_type == DelegateDebugIdType::kStr;
  profile(by_name ? kDelegateStr : kDelegateInt,
          by_name ? static_cast<uint32_t>(entry.event_id) : static_cast<uint32_t>(entry.delegate_debug_index),
          current_chain_id(), current_debug_handle(), entry.start_time, end, metadata,
          metadata == nullptr ? 0 : metadata_len);
  if (begun != nullptr || thread_ != 0) note(begun, now);
}

void ETDumpGen::log_profiling_delegate(const char* name, DelegateDebugIntId delegate_debug_index, Timestamp start,
                                       Timestamp end, const void* metadata, size_t metadata_len) {
  if (!ready("log_profiling_delegate") || !one_id(name, delegate_debug_index, "log_profiling_delegate")) return;
  profile(name != nullptr ? kDelegateStr : kDelegateInt,
          name != nullptr ? name_id(name) : static_cast<uint32_t>(delegate_debug_index), current_chain_id(),
          current_debug_handle(), start, end, metadata, metadata == nullptr ? 0 : metadata_len);
  if (thread_ != 0) note(nullptr, nullptr);
}

// --- what belongs to an event

void ETDumpGen::set_counter_reader(CounterReader* reader) {
  counters_ = reader;
  counter_count_ = reader == nullptr ? 0 : reader->count();
  if (counter_count_ > CounterReader::kMost) {
    // It writes all of its values, so it cannot be read into less room.
    ET_LOG(Error, "ETDumpGen: %zu counters, at most %zu are recorded: none is", counter_count_, CounterReader::kMost);
    counter_count_ = 0;
  }
  if (counter_count_ == 0) counters_ = nullptr;
  for (size_t i = 0; i < counter_count_; ++i) counter_names_[i] = fact(reader->name(i));
  for (OpenCounters& open : open_counters_) open.sequence = 0;
  calibrated_ = false;
}

void ETDumpGen::open_counters(EventTracerEntry* entry) {
  if (++counter_sequence_ == 0) counter_sequence_ = 1;
  // Entries that never end give their place to newer ones.
  OpenCounters& open = open_counters_[counter_sequence_ % kOpenCounters];
  open.sequence = counters_->read(open.values) ? counter_sequence_ : uint16_t{0};
  if (open.sequence != 0) entry->event_id |= static_cast<int64_t>(open.sequence) << 32;
  open.start = entry->start_time = ticks_();
}

const ETDumpGen::OpenCounters* ETDumpGen::close_counters(const EventTracerEntry& entry, uint64_t* now) {
  const uint16_t sequence = static_cast<uint16_t>(entry.event_id >> 32);
  OpenCounters& open = open_counters_[sequence % kOpenCounters];
  if (sequence == 0 || open.sequence != sequence || !owns(entry)) return nullptr;
  open.sequence = 0;
  return counters_->read(now) ? &open : nullptr;
}

void ETDumpGen::note(const OpenCounters* begun, const uint64_t* now) {
  if (!block_has_profile_) return;
  const size_t count = begun == nullptr ? 0 : counter_count_;
  const size_t bytes = sizeof(NoteRecord) + 8 * count;
  void* at = append(bytes);
  if (at == nullptr) return;
  NoteRecord* r = new (at) NoteRecord{};
  r->kind = RecordKind::Note;
  r->words = static_cast<uint32_t>(bytes / 8);
  r->thread = thread_;
  r->counters = static_cast<uint16_t>(count);
  for (size_t i = 0; i < count; ++i) r->values()[i] = now[i] - begun->values[i];
}

void ETDumpGen::log_event_note(const EventNote& note) {
  if (!ready("log_event_note")) return;
  if (!block_has_profile_) {
    // Of an event that was lost nothing more needs to be said.
    if (run_->lost == 0) ignore("log_event_note", "there is no event that it belongs to");
    return;
  }
  // Each output: rank and sizes; what is no tensor has rank 0.
  const auto each_output = [&note](auto&& number) {
    for (const EValue* output : note.outputs) {
      const auto one = [&number](const TensorImpl* t) {
        number(t == nullptr ? 0 : static_cast<int64_t>(t->dim()));
        for (ssize_t d = 0; t != nullptr && d < t->dim(); ++d) number(t->sizes()[static_cast<size_t>(d)]);
      };
      if (output == nullptr || (!output->isTensor() && !output->isTensorList())) {
        number(int64_t{0});
      } else if (output->isTensor()) {
        one(output->payload.as_tensor);
      } else {
        for (const Tensor& t : output->toTensorList()) one(t.unsafeGetTensorImpl());
      }
    }
  };
  size_t count = 0;
  each_output([&count](int64_t) { ++count; });
  if (count > kMostSizes) count = 0;
  const size_t bytes = sizeof(NoteRecord) + 8 * count;
  void* at = append(bytes);
  if (at == nullptr) return;
  NoteRecord* r = new (at) NoteRecord{};
  r->kind = RecordKind::Note;
  r->words = static_cast<uint32_t>(bytes / 8);
  r->temp_bytes = note.temp_bytes;
  r->sizes = static_cast<uint16_t>(count);
  uint64_t* to = r->values();
  if (count != 0) each_output([&to](int64_t n) { *to++ = static_cast<uint64_t>(n); });
}

void ETDumpGen::log_arena(const ArenaUse& use) {
  if (!ready("log_arena")) return;
  const Id name = use.name == nullptr ? NameTable::kNone : names_.intern(use.name);
  void* at = append(sizeof(ArenaRecord));
  if (at == nullptr) return;
  ArenaRecord* r = new (at) ArenaRecord{};
  r->kind = RecordKind::Arena;
  r->words = sizeof(ArenaRecord) / 8;
  r->name = name;
  r->capacity = use.capacity;
  r->high_water = use.high_water;
}

AllocatorID ETDumpGen::track_allocator(const char* name) {
  if (!ready("track_allocator")) return 0;
  if (block_has_events_) {
    ignore("track_allocator", "allocators come before the events of a block");
    return 0;
  }
  if (run_->allocator_count == kAllocators) {
    ignore("track_allocator", "too many allocators in one block");
    return 0;
  }
  run_->allocators[run_->allocator_count] = name_id(name);
  return ++run_->allocator_count;
}

void ETDumpGen::track_allocation(AllocatorID id, size_t size) {
  if (!ready("track_allocation")) return;
  if (id == 0 || id > run_->allocator_count) return ignore("track_allocation", "no such allocator in this block");
  block_has_events_ = true;
  void* at = append(sizeof(AllocationRecord));
  if (at == nullptr) return lose_event();
  AllocationRecord* r = new (at) AllocationRecord{};
  r->kind = RecordKind::Allocation;
  r->words = sizeof(AllocationRecord) / 8;
  r->name = run_->allocators[id - 1];
  r->allocator = id;
  r->bytes = size;
  r->ticks = ticks_();
  r->event = -1;
}

// --- facts

void ETDumpGen::set_producer(const char* producer) { producer_ = fact(producer); }

void ETDumpGen::set_host(const HostFacts& host) {
  host_ = {fact(host.name),    fact(host.cpu), fact(host.os),    fact(host.build),
           fact(host.kernels), host.cores,     host.threads_used};
  has_host_ = true;
}

void ETDumpGen::set_program(const ProgramFacts& program) {
  program_ = {};
  program_.bytes = program.bytes;
  program_.path = fact(program.path);
  const auto copy = [](Span<const uint8_t> from, uint8_t* to) {
    if (from.size() == 32) std::memcpy(to, from.data(), 32);
    return from.size() == 32;
  };
  program_.has_sha256 = copy(program.sha256, program_.sha256);
  program_.has_data_sha256 = copy(program.data_sha256, program_.data_sha256);
  has_program_ = true;
}

void ETDumpGen::set_phase(const char* phase) {
  phase_ = fact(phase);
  if (state_ == State::Open) run_->phase = phase_;
}

bool ETDumpGen::add_label(const char* key, const char* value) {
  const Id k = fact(key);
  const Id v = fact(value);
  if (k == NameTable::kNone || (v == NameTable::kNone && value != nullptr && value[0] != 0)) return false;
  size_t i = 0;
  while (i < labels_ && label_keys_[i] != k) ++i;
  if (i == kMaxLabels) return false;
  label_keys_[i] = k;
  label_values_[i] = v;
  if (i == labels_) ++labels_;
  return true;
}

Result<bool> ETDumpGen::set_debug_buffer(Span<uint8_t> buffer) {
  Result<BufferDataSink> sink = BufferDataSink::create(buffer);
  if (!sink.ok()) return sink.error();
  buffer_sink_ = std::move(*sink);
  sink_ = &buffer_sink_;
  return true;
}

}  // namespace et::etdump
