#include "etdump/etdump_gen.h"

#include <cstring>
#include <new>

#include "runtime/platform/log.h"

namespace et::etdump {
namespace {

constexpr size_t kMinBuffer = 1024;
constexpr size_t kMaxStrings = 64 << 10;  // of a caller's buffer
constexpr uint32_t kMessages = 8;         // log lines about ignored calls, per ETDump

}  // namespace

ETDumpGen::ETDumpGen(Span<uint8_t> buffer) {
  ticks_ = platform().ticks;
  wants_starts_ = false;
  new_tag();
  if (buffer.data() == nullptr) return;
  static_ = true;
  const size_t skew = (16 - (reinterpret_cast<uintptr_t>(buffer.data()) & 15)) & 15;
  if (buffer.size() < kMinBuffer + skew) {
    ET_LOG(Error, "ETDumpGen: a buffer of %zu bytes is too small for an ETDump; nothing is recorded", buffer.size());
    names_.use_memory(nullptr, 0);
    facts_.use_memory(nullptr, 0);
    return;
  }
  // Strings, records, then the ETDump itself. An event takes 40 bytes of records and about 48 of the ETDump; where
  // that is too little, trim() drops events.
  const size_t size = (buffer.size() - skew) & ~size_t{15};
  size_t strings = size / 6;
  if (strings > kMaxStrings) strings = kMaxStrings;
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

namespace {

size_t known_place(const char* name, size_t places) {
  // Names lie at regular distances: the upper half of a product tells them apart.
  const auto p = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(name));
  return (p * uint32_t{0x9e3779b1} >> 16) % places;
}

}  // namespace

/// Each address has two places: a program's names lie close together, and two of a loop may not take turns in one.
ETDumpGen::KnownName* ETDumpGen::known_name(const char* name) {
  const size_t at = known_place(name, kKnownNames);
  if (known_[at].source == name) return &known_[at];
  return known_[at ^ 1].source == name ? &known_[at ^ 1] : nullptr;
}

/// As name_id(), of texts that do not change within an event block: compared once in it.
ETDumpGen::Id ETDumpGen::call_id(const char* name) {
  const KnownName* const known = known_name(name);
  if (known != nullptr && known->block == block_number_) return known->id;
  const Id id = name_id(name);
  if (KnownName* const now = known_name(name); now != nullptr && now->id == id && now->block != kConstant) {
    now->block = block_number_;
  }
  return id;
}

ETDumpGen::Id ETDumpGen::name_id(const char* name) {
  if (name == nullptr) name = "(unnamed)";
  // The same place may hold another text by now.
  const KnownName* const known = known_name(name);
  return known != nullptr && std::strcmp(known->text, name) == 0 ? known->id : name_id_slowly(name);
}

/// As name_id(), of texts that never change: compared once.
ETDumpGen::Id ETDumpGen::constant_id(const char* name) {
  const KnownName* const known = known_name(name);
  if (known != nullptr && known->block == kConstant) return known->id;
  const Id id = name_id(name);
  if (KnownName* const now = known_name(name); now != nullptr && now->id == id) now->block = kConstant;
  return id;
}

[[gnu::noinline]] ETDumpGen::Id ETDumpGen::name_id_slowly(const char* name) {
  const Id id = names_.intern(name);
  if (id == NameTable::kNone) {
    ++lost_.names;
    return id;
  }
  const KnownName fresh = {name, names_.view(id).data(), id, 0};
  if (KnownName* const known = known_name(name); known != nullptr) {
    *known = fresh;
    return id;
  }
  const size_t at = known_place(name, kKnownNames);
  if (known_[at].source != nullptr) known_[at ^ 1] = known_[at];
  known_[at] = fresh;
  return id;
}

void ETDumpGen::new_tag() {
  const uintptr_t self = reinterpret_cast<uintptr_t>(this);
  tag_ = (static_cast<int64_t>(self >> 4 ^ self >> 18) + tag_ + 1) & 0x7fff;
  if (tag_ == 0) tag_ = 1;
}

// --- memory

void* ETDumpGen::append(size_t bytes) {
  close_steps();
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
    case RecordKind::Names:
    case RecordKind::Steps:  // of a ring there are none
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
  ignore(call, state_ == State::Empty ? "no event block was created" : "the ETDump is closed; create an event block");
  return false;
}

void ETDumpGen::ignore(const char* call, const char* why) {
  ++lost_.ignored_calls;
  if (messages_ == kMessages) return;
  ET_LOG(Error, "ETDumpGen::%s ignored: %s%s", call, why,
         ++messages_ == kMessages ? " (further messages are suppressed)" : "");
}

// --- blocks

void ETDumpGen::reset() {
  close_steps();
  log_.clear();
  step_names_ = nullptr;
  run_ = nullptr;
  has_cut_run_ = full_ = false;
  block_has_events_ = block_has_profile_ = run_told_ = false;
  blocks_ = 0;
  lost_ = {};
  messages_ = 0;
  state_ = State::Empty;
  if (names_.used() > names_.capacity() / 2) {
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

void ETDumpGen::expect_executions(uint64_t more) {
  if (blocks_ == 0 || state_ != State::Open) return;
  const uint64_t each = log_.used() / blocks_ + 1;
  log_.reserve(more > kMostReserved / each ? kMostReserved : static_cast<size_t>(more * each));
}

void ETDumpGen::create_event_block(const char* name) {
  if (state_ == State::Closed) reset();
  if (state_ == State::Empty) begin_dump();
  choose_steps();
  ticks_ = platform().ticks;
  state_ = State::Open;
  block_has_events_ = block_has_profile_ = false;
  if (++block_number_ == kConstant) block_number_ = 1;  // 0: never compared
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

void ETDumpGen::begin_run(const RunInfo& info) {
  const Id method = info.method == nullptr ? NameTable::kNone : name_id(info.method);
  const Id kind = info.kind == nullptr ? NameTable::kNone : constant_id(info.kind);
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
  // A block stays open until the next one: what it holds has begun, or is over.
  if (state_ == State::Open && !block_has_events_ && !run_told_) run_->phase = phase_;
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
