// Opening a dump and walking its runs. Grouping is in dump_blocks.cpp, values in dump_values.cpp, statistics in
// dump_statistics.cpp.
#include "inspector/ingest/dump/dump_import.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "inspector/ingest/dump/dump_detail.h"
#include "inspector/match/int128.h"

namespace et::inspector {
namespace {

uint64_t hash_of(std::string_view name, int32_t instruction, int64_t chain, int32_t id, std::string_view id_text,
                 bool debug) {
  uint64_t h = std::hash<std::string_view>()(name) * 31 + std::hash<std::string_view>()(id_text);
  for (const uint64_t v : {static_cast<uint64_t>(instruction), static_cast<uint64_t>(chain), static_cast<uint64_t>(id),
                           static_cast<uint64_t>(debug)}) {
    h = (h ^ v) * 0x9E3779B97F4A7C15ULL;
    h ^= h >> 29;
  }
  return h;
}

struct TimeScale {
  const char* name;
  uint64_t numerator;  // ns per tick
};
constexpr TimeScale kScales[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {"cycles", 1}};

}  // namespace

void DumpImport::RunEvents::clear() {
  keys.clear();
  indexes.clear();
  starts.clear();
  ends.clear();
  flags.clear();
}

Status DumpImport::open() {
  const IngestInputs& in = context_.inputs;
  const auto scale = std::find_if(std::begin(kScales), std::end(kScales),
                                  [&](const auto& s) { return in.source_time_scale == s.name; });
  if (scale == std::end(kScales)) {
    return {Error::InvalidArgument,
            "unknown time scale '" + in.source_time_scale + "', expected ns, us, ms, s or cycles"};
  }
  scale_numerator_ = scale->numerator;
  if (in.dump.empty()) {
    if (in.debug_buffer.empty()) return {};
    return {Error::InvalidArgument,
            in.debug_buffer + ": a debug buffer says nothing without its dump; give the ETDump"};
  }
  Status status = MappedFile::open(in.dump, &file_);
  if (!status.ok()) return of_bad_file(status);
  if (const auto e = etdump::Reader::open(file_.bytes(), &reader_); !e.ok())
    return of_bad_file(Status::of_file(in.dump, e));
  if (!in.debug_buffer.empty()) {
    status = MappedFile::open(in.debug_buffer, &buffer_file_);
    if (!status.ok()) return of_bad_file(status);
    has_buffer_ = true;
  }
  return {};
}

std::vector<std::string> DumpImport::trailer_methods() const {
  std::vector<std::string> names;
  const etdump::Trailer* trailer = reader_.trailer();
  for (size_t i = 0; trailer != nullptr && i < trailer->run_count(); ++i) {
    const std::string name(trailer->run(i).method);
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string DumpImport::place(size_t run, uint32_t event) const {
  return context_.inputs.dump + ": run " + std::to_string(run) + ", event " + std::to_string(event);
}

uint32_t DumpImport::key_of(const etdump::Event& e, size_t position) {
  const bool debug = e.kind == etdump::EventKind::Debug;
  const int64_t chain = debug && e.chain_index == -1 ? EventKey::kValueOutside : e.chain_index;
  auto equal = [&](const EventKey& k) {
    return k.instruction == e.instruction_id && k.chain == chain && k.debug == debug &&
           k.delegate_int == e.delegate_id_int && k.name == e.name && k.delegate_str == e.delegate_id_str;
  };
  // Runs repeat: the event at the same place of the last run is nearly always the same one.
  if (position < last_keys_.size() && equal(keys_[last_keys_[position]])) return last_keys_[position];
  const uint64_t hash = hash_of(e.name, e.instruction_id, chain, e.delegate_id_int, e.delegate_id_str, debug);
  for (auto [it, end] = key_by_hash_.equal_range(hash); it != end; ++it) {
    if (equal(keys_[it->second])) return it->second;
  }
  EventKey key;
  key.debug = debug;
  key.name = std::string(e.name);
  key.instruction = e.instruction_id;
  key.chain = chain;
  key.delegate_int = e.delegate_id_int;
  key.delegate_str = std::string(e.delegate_id_str);
  keys_.push_back(std::move(key));
  const auto id = static_cast<uint32_t>(keys_.size() - 1);
  key_by_hash_.emplace(hash, id);
  return id;
}

bool DumpImport::read_run(const etdump::Run& run) {
  run_.clear();
  etdump::Event event;
  for (size_t i = 0; i < run.event_count(); ++i) {
    if (!run.event(i, &event)) continue;
    uint8_t flags = 0;
    if (event.kind == etdump::EventKind::Debug) {
      flags = event.value.is_output() ? detail::kOutput | detail::kDebug : detail::kDebug;
    } else if (event.kind == etdump::EventKind::Allocation) {
      flags = detail::kAllocation;
    }
    // Outputs and allocations take no part in the grouping: all share the key 0.
    const bool plain = (flags & (detail::kOutput | detail::kAllocation)) != 0;
    run_.keys.push_back(plain ? 0 : key_of(event, run_.keys.size()));
    run_.indexes.push_back(static_cast<uint32_t>(i));
    run_.starts.push_back(event.start);
    run_.ends.push_back(event.end);
    run_.flags.push_back(flags);
  }
  return !run_.keys.empty();
}

int32_t DumpImport::variant_of(Trace& trace, const etdump::Run& run, const NewBlock& on_new_block) {
  const std::string identity = detail::run_identity(reader_, run);
  auto equal = [&](const Variant& v) {
    return v.keys == run_.keys && block_identity_[static_cast<size_t>(v.block)] == identity;
  };
  if (last_variant_ >= 0 && equal(variants_[static_cast<size_t>(last_variant_)])) return last_variant_;
  uint64_t hash = std::hash<std::string>()(identity);
  for (const uint32_t k : run_.keys) hash = (hash ^ k) * 0x9E3779B97F4A7C15ULL;
  for (auto [it, end] = variant_by_hash_.equal_range(hash); it != end; ++it) {
    if (equal(variants_[static_cast<size_t>(it->second)])) return it->second;
  }
  Variant variant;
  variant.keys = run_.keys;
  make_variant(trace, run, variant, on_new_block);
  variants_.push_back(std::move(variant));
  const auto id = static_cast<int32_t>(variants_.size() - 1);
  variant_by_hash_.emplace(hash, id);
  return id;
}

int64_t DumpImport::to_trace_time(uint64_t ticks) {
  const Uint128 t = static_cast<Uint128>(ticks) * scale_numerator_ / scale_denominator_;
  if (t <= static_cast<Uint128>(INT64_MAX)) return static_cast<int64_t>(t);
  context_.diagnostics.add("time-out-of-range",
                           context_.inputs.dump + ": a time of " + std::to_string(ticks) + " ticks");
  return INT64_MAX;
}

int64_t DumpImport::duration_of(const Op& op, uint64_t start, uint64_t end, size_t run, uint32_t event) {
  bool wrapped = false, invalid = false;
  const uint64_t ticks = etdump::elapsed_ticks(start, end, &wrapped, &invalid);
  if (wrapped) context_.diagnostics.add("time-wrapped", place(run, event) + ": the clock wrapped");
  if (invalid) {
    context_.diagnostics.add("time-invalid", place(run, event) + " (" + op.name + "): start " + std::to_string(start) +
                                                 " is behind end " + std::to_string(end));
  }
  if (!op.clock_given) return to_trace_time(ticks);
  if (op.clock_denominator == 0) return static_cast<int64_t>(std::min<uint64_t>(ticks, INT64_MAX));
  const Uint128 ns =
      (static_cast<Uint128>(ticks) * op.clock_numerator + op.clock_denominator / 2) / op.clock_denominator;
  return static_cast<int64_t>(std::min<Uint128>(ns, static_cast<Uint128>(INT64_MAX)));
}

Status DumpImport::read(Trace& trace, const NewBlock& on_new_block) {
  Store& store = context_.store;
  trace.cycles = context_.inputs.source_time_scale == "cycles";
  run_ids_.emplace(store, "raw_run");
  block_ids_.emplace(store, "raw_block");
  op_ids_.emplace(store, "raw_op");
  insert_run_ = store.query("INSERT INTO raw_run VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)");
  insert_value_ = store.query(
      "INSERT INTO raw_value "
      "VALUES(NULL,?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22)");
  insert_counter_ = store.query("INSERT INTO raw_counter VALUES(?1,?2,?3,?4,?5)");
  insert_allocation_ = store.query("INSERT INTO raw_allocation VALUES(?1,?2,?3,?4,?5,?6)");
  insert_arena_ = store.query("INSERT INTO raw_runtime_arena VALUES(?1,?2,?3,?4,?5)");
  keys_.emplace_back();  // key 0: what takes no part in the grouping

  uint64_t released = 0;
  for (size_t r = 0; r < reader_.run_count(); ++r) {
    if (!context_.report("reading events", r, reader_.run_count())) return {Error::InvalidState, "cancelled"};
    etdump::Run run;
    if (!reader_.run(r, &run)) {
      context_.diagnostics.add("run-damaged", context_.inputs.dump + ": run " + std::to_string(r) + " cannot be read");
      continue;
    }
    if (!read_run(run)) continue;
    trace.events += run_.keys.size();
    last_variant_ = variant_of(trace, run, on_new_block);
    add_run(trace, run, last_variant_);
    std::swap(last_keys_, run_.keys);
    if (samples_.full() && !samples_.flush(false))
      return {Error::AccessFailed, store.path() + ": " + store.error_text()};
    if (trace.events - released > (uint64_t{1} << 18)) {  // a mapped dump must not fill the memory
      file_.release_pages();
      released = trace.events;
    }
  }
  if (!samples_.flush(true)) return {Error::AccessFailed, store.path() + ": " + store.error_text()};
  detail::report_reader_state(reader_, context_, trace);
  return {};
}

}  // namespace et::inspector
