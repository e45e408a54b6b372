// Profile events: recorded when they end, with the counters that were read around them.
#include <cstring>
#include <new>

#include "etdump/etdump_gen.h"
#include "runtime/platform/log.h"

namespace et::etdump {
namespace {

constexpr size_t up8(size_t n) { return (n + 7) & ~size_t{7}; }

}  // namespace

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
  const uint64_t* counted = counters_ == nullptr ? nullptr : close_counters(entry);
  if (!ready("end_profiling")) return;
  if (!owns(entry) || entry.delegate_event_id_type != DelegateDebugIdType::kNone) [[unlikely]] {
    ignore("end_profiling", owns(entry) ? "the event is a delegate event" : "this tracer did not start the event");
    return;
  }
  profile(0, static_cast<uint32_t>(entry.event_id), entry.chain_id, entry.debug_handle, entry.start_time, end);
  if (counted != nullptr || thread_ != 0) note(counted);
}

void ETDumpGen::log_profiling(const char* name, ChainID chain_id, DebugHandle debug_handle, Timestamp start,
                              Timestamp end) {
  if (!ready("log_profiling")) return;
  const Id id = name_id(name);
  const uint64_t* counted = counters_ == nullptr ? nullptr : counted_until(id, start, end);
  if (chain_id == kUnsetChainId) {
    chain_id = current_chain_id();
    debug_handle = current_debug_handle();
  }
  profile(0, id, chain_id, debug_handle, start, end);
  if (counted != nullptr || thread_ != 0) note(counted);
}

void ETDumpGen::log_call(const char* event, const char* call, ChainID chain_id, DebugHandle debug_handle,
                         Timestamp start, Timestamp end) {
  if (counters_ != nullptr || thread_ != 0) {
    return EventTracer::log_call(event, call, chain_id, debug_handle, start, end);
  }
  if (!ready("log_call")) return;
  if (event != nullptr) profile(0, call_id(event), chain_id, debug_handle, start, end);
  profile(0, call_id(call), chain_id, debug_handle, start, end);
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
  const uint64_t* counted = counters_ == nullptr ? nullptr : close_counters(entry);
  if (!ready("end_profiling_delegate")) return;
  if (!owns(entry) || entry.delegate_event_id_type == DelegateDebugIdType::kNone) {
    ignore("end_profiling_delegate",
           owns(entry) ? "the event is not a delegate event" : "this tracer did not start the event");
    return;
  }
  const bool by_name = entry.delegate_event_id_type == DelegateDebugIdType::kStr;
  profile(by_name ? kDelegateStr : kDelegateInt,
          by_name ? static_cast<uint32_t>(entry.event_id) : static_cast<uint32_t>(entry.delegate_debug_index),
          current_chain_id(), current_debug_handle(), entry.start_time, end, metadata,
          metadata == nullptr ? 0 : metadata_len);
  if (counted != nullptr || thread_ != 0) note(counted);
}

void ETDumpGen::log_profiling_delegate(const char* name, DelegateDebugIntId delegate_debug_index, Timestamp start,
                                       Timestamp end, const void* metadata, size_t metadata_len) {
  if (!ready("log_profiling_delegate") || !one_id(name, delegate_debug_index, "log_profiling_delegate")) return;
  profile(name != nullptr ? kDelegateStr : kDelegateInt,
          name != nullptr ? name_id(name) : static_cast<uint32_t>(delegate_debug_index), current_chain_id(),
          current_debug_handle(), start, end, metadata, metadata == nullptr ? 0 : metadata_len);
  if (thread_ != 0) note(nullptr);
}

// --- counters

void ETDumpGen::set_counter_reader(CounterReader* reader) {
  counters_ = reader;
  counter_count_ = reader == nullptr ? 0 : reader->count();
  if (counter_count_ > CounterReader::kMaxCounters) {
    // read() writes all values, so a shorter array cannot hold them.
    ET_LOG(Error, "ETDumpGen: %zu counters exceed the limit of %zu; none is recorded", counter_count_,
           CounterReader::kMaxCounters);
    counter_count_ = 0;
  }
  if (counter_count_ == 0) counters_ = nullptr;
  wants_starts_ = counters_ != nullptr;
  for (size_t i = 0; i < counter_count_; ++i) counter_names_[i] = fact(reader->name(i));
  for (OpenCounters& open : open_counters_) open.sequence = 0;
  calibrated_ = false;
  choose_steps();
}

void ETDumpGen::open_counters(EventTracerEntry* entry) {
  if (++counter_sequence_ == 0) counter_sequence_ = 1;
  // Entries that never end give their place to newer ones.
  OpenCounters& open = open_counters_[counter_sequence_ % kOpenCounters];
  open.sequence = counters_->read(open.begin) ? counter_sequence_ : uint16_t{0};
  open.counted = false;
  open.name = static_cast<Id>(entry->event_id);
  if (open.sequence != 0) entry->event_id |= static_cast<int64_t>(open.sequence) << 32;
  open.start = entry->start_time = ticks_();
}

bool ETDumpGen::count(OpenCounters* open) {
  uint64_t now[CounterReader::kMaxCounters];
  open->counted = counters_->read(now);
  for (size_t i = 0; open->counted && i < counter_count_; ++i) open->difference[i] = now[i] - open->begin[i];
  return open->counted;
}

const uint64_t* ETDumpGen::close_counters(const EventTracerEntry& entry) {
  const uint16_t sequence = static_cast<uint16_t>(entry.event_id >> 32);
  OpenCounters& open = open_counters_[sequence % kOpenCounters];
  if (sequence == 0 || open.sequence != sequence || !owns(entry)) return nullptr;
  open.sequence = 0;
  return count(&open) ? open.difference : nullptr;
}

// An event may be started with start_profiling and finished with log_profiling, when the caller reads the clock itself;
// and several events may share the two clock reads, as a kernel and its OPERATOR_CALL do. Each of them gets what was
// counted between the same two moments. Where several events are open that began at one tick, the one of the same name
// is meant, else the innermost; only the event's own name ends it.
const uint64_t* ETDumpGen::counted_until(Id name, Timestamp start, Timestamp end) {
  OpenCounters* found = nullptr;
  const auto age = [this](const OpenCounters& o) { return static_cast<uint16_t>(counter_sequence_ - o.sequence); };
  for (OpenCounters& open : open_counters_) {
    if (open.sequence == 0 || open.start != start) continue;
    const bool named = open.name == name;
    const bool better = found == nullptr || (named != (found->name == name) ? named : age(open) < age(*found));
    if (better) found = &open;
  }
  if (found == nullptr) return nullptr;
  const bool shared = found->counted && found->end == end;
  if (found->name == name) found->sequence = 0;
  found->end = end;
  return shared || count(found) ? found->difference : nullptr;
}

void ETDumpGen::note(const uint64_t* counted) {
  if (!block_has_profile_) return;
  const size_t count = counted == nullptr ? 0 : counter_count_;
  const size_t bytes = sizeof(NoteRecord) + 8 * count;
  void* at = append(bytes);
  if (at == nullptr) return;
  NoteRecord* r = new (at) NoteRecord{};
  r->kind = RecordKind::Note;
  r->words = static_cast<uint32_t>(bytes / 8);
  r->thread = thread_;
  r->counters = static_cast<uint16_t>(count);
  for (size_t i = 0; i < count; ++i) r->values()[i] = counted[i];
}

}  // namespace et::etdump
