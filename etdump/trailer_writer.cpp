// The ETX1 part: what ED00 has no place for. Field numbers are those of schema/trailer.fbs.
#include <charconv>

#include "etdump/dump_writer.h"

#ifndef ET_VERSION
#define ET_VERSION "0"
#endif

namespace et::etdump {
namespace {

constexpr uint32_t kVersion = 1;
constexpr char kProducer[] = "et-inspect " ET_VERSION;

struct LossLabel {
  const char* key;
  uint64_t LossCounts::*count;
};
// Losses that the trailer has no field for.
constexpr LossLabel kLossLabels[] = {{"et.lost_runs", &LossCounts::runs},
                                     {"et.lost_values", &LossCounts::values},
                                     {"et.skipped_values", &LossCounts::skipped_values},
                                     {"et.lost_names", &LossCounts::names},
                                     {"et.ignored_calls", &LossCounts::ignored_calls}};

}  // namespace

// The event during which an allocation happened is the first that ends after it and began before it.
void DumpWriter::place_allocations(Record* first) {
  AllocationRecord* open = nullptr;
  int32_t index = 0;
  const auto meet = [&](const ProfileRecord& event) {
    for (; open != nullptr && event.start <= open->ticks; open = open->below) open->event = index;
  };
  each_record(first, [&](Record& r) {
    if (r.kind == RecordKind::Allocation) {
      AllocationRecord& a = static_cast<AllocationRecord&>(r);
      a.below = open;
      a.event = -1;
      open = &a;
    } else if (r.kind == RecordKind::Profile) {
      meet(static_cast<ProfileRecord&>(r));
    } else if (r.kind == RecordKind::Steps) {
      static_cast<StepsRecord&>(r).each_event([&](ProfileRecord& e) { meet(e), ++index; });
    }
    if (is_event(r)) ++index;
  });
}

// The notes between `event` and the next profile event make one EventExt, whose place the first of them keeps.
bool DumpWriter::write_note(const ProfileRecord& event, uint32_t index) {
  NoteRecord* leader = nullptr;
  NoteRecord* counters = nullptr;
  NoteRecord* sizes = nullptr;
  uint64_t temp = 0;
  uint32_t thread = 0;
  Record* r = gen_.log_.next(&event);
  const auto ends = [](RecordKind k) {
    return k == RecordKind::Run || k == RecordKind::Profile || k == RecordKind::Steps;
  };
  for (; r != nullptr && !ends(r->kind); r = gen_.log_.next(r)) {
    if (r->kind != RecordKind::Note) continue;
    NoteRecord* n = static_cast<NoteRecord*>(r);
    if (leader == nullptr) leader = n;
    if (n->counters != 0) counters = n;
    if (n->sizes != 0) sizes = n;
    if (n->temp_bytes > temp) temp = n->temp_bytes;
    if (n->thread != 0) thread = n->thread;
  }
  if (leader == nullptr || (counters == nullptr && sizes == nullptr && temp == 0 && thread == 0)) return false;
  Place counter_list = 0;
  if (counters != nullptr) {
    Place tables[CounterReader::kMaxCounters];
    for (size_t i = 0; i < counters->counters; ++i) {
      const Place label = optional_fact(gen_.counter_names_[i]);
      w_->start_table();
      w_->add<uint64_t>(1, counters->values()[i], 0);
      w_->refer(0, label);
      tables[i] = w_->end_table();
    }
    counter_list = w_->slots(counters->counters);
    for (size_t i = 0; i < counters->counters; ++i) w_->set_slot(counter_list, i, tables[i]);
  }
  Place size_list = 0;
  if (sizes != nullptr) {
    size_list = w_->int64s(reinterpret_cast<const int64_t*>(sizes->values() + sizes->counters), sizes->sizes);
  }
  w_->start_table();
  w_->add<uint64_t>(3, temp, 0);
  w_->add<uint32_t>(0, index, 0);
  w_->refer(1, counter_list);
  w_->refer(2, size_list);
  w_->add<uint32_t>(4, thread, 0);
  leader->place = w_->end_table();
  return true;
}

DumpWriter::Place DumpWriter::write_notes(Record* first) {
  each_record(first, [](Record& r) {
    if (r.kind == RecordKind::Note) r.place = 0;
  });
  uint32_t index = 0;
  size_t count = 0;
  each_record(first, [&](Record& r) {
    if (r.kind == RecordKind::Profile && write_note(static_cast<ProfileRecord&>(r), index)) ++count;
    index += events_of(r);
  });
  if (count == 0) return 0;
  const Place list = w_->slots(count);
  size_t i = 0;
  each_record(first, [&](Record& r) {
    if (r.kind == RecordKind::Note && r.place != 0) w_->set_slot(list, i++, r.place);
  });
  return list;
}

// A vector with one table, written by make(record), for each record of `kind`.
template <class R, class F>
DumpWriter::Place DumpWriter::write_list(Record* first, RecordKind kind, F&& make) {
  size_t count = 0;
  each_record(first, [&](Record& r) {
    if (r.kind != kind) return;
    r.place = make(static_cast<R&>(r));
    ++count;
  });
  if (count == 0) return 0;
  const Place list = w_->slots(count);
  size_t i = 0;
  each_record(first, [&](Record& r) {
    if (r.kind == kind) w_->set_slot(list, i++, r.place);
  });
  return list;
}

void DumpWriter::write_trailer_run(RunRecord& run, Record* first) {
  place_allocations(first);
  const Place notes = write_notes(first);
  const Place allocations = write_list<AllocationRecord>(first, RecordKind::Allocation, [&](AllocationRecord& a) {
    const Place label = name(a.name);
    w_->start_table();
    w_->add<uint64_t>(2, a.bytes, 0);
    w_->add<int32_t>(0, a.event, -1);
    w_->refer(1, label);
    return w_->end_table();
  });
  const Place arenas = write_list<ArenaRecord>(first, RecordKind::Arena, [&](ArenaRecord& a) {
    const Place label = name(a.name);
    w_->start_table();
    w_->add<uint64_t>(1, a.capacity, 0);
    w_->add<uint64_t>(2, a.high_water, 0);
    w_->refer(0, label);
    return w_->end_table();
  });
  const Place method = optional_name(run.method);
  const Place kind = optional_name(run.run_kind);
  const Place phase = optional_fact(run.phase);
  w_->start_table();
  w_->add<uint64_t>(2, run.execution, 0);
  w_->add<uint64_t>(6, run.lost, 0);
  w_->refer(0, method);
  w_->refer(1, kind);
  w_->refer(3, notes);
  w_->refer(4, allocations);
  w_->refer(5, arenas);
  w_->add<uint32_t>(7, run.error, 0);
  w_->refer(8, phase);
  run.place = w_->end_table();
}

DumpWriter::Place DumpWriter::write_host() {
  if (!gen_.has_host_) return 0;
  const auto& h = gen_.host_;
  const Id texts[] = {h.name, h.cpu, h.os, h.build, h.kernels};
  constexpr unsigned kFields[] = {0, 1, 3, 5, 6};
  Place places[5];
  for (size_t i = 0; i < 5; ++i) places[i] = optional_fact(texts[i]);
  w_->start_table();
  for (size_t i = 0; i < 5; ++i) w_->refer(kFields[i], places[i]);
  w_->add<uint32_t>(2, h.cores, 0);
  w_->add<uint32_t>(4, h.threads_used, 0);
  return w_->end_table();
}

DumpWriter::Place DumpWriter::write_clock() {
  const Place label = w_->string(platform().clock_name);
  w_->start_table();
  w_->add<uint64_t>(1, gen_.ratio_.numerator, 0);
  w_->add<uint64_t>(2, gen_.ratio_.denominator, 0);
  w_->add<int64_t>(3, gen_.utc_at_zero_, 0);
  w_->refer(0, label);
  return w_->end_table();
}

DumpWriter::Place DumpWriter::write_program() {
  if (!gen_.has_program_) return 0;
  const auto& p = gen_.program_;
  const Place sha = p.has_sha256 ? w_->bytes(p.sha256, sizeof p.sha256) : 0;
  const Place data_sha = p.has_data_sha256 ? w_->bytes(p.data_sha256, sizeof p.data_sha256) : 0;
  const Place path = optional_fact(p.path);
  w_->start_table();
  w_->add<uint64_t>(1, p.bytes, 0);
  w_->refer(0, sha);
  w_->refer(2, path);
  w_->refer(3, data_sha);
  return w_->end_table();
}

DumpWriter::Place DumpWriter::write_labels() {
  constexpr size_t kLosses = sizeof kLossLabels / sizeof kLossLabels[0];
  Place tables[ETDumpGen::kMaxLabels + kLosses];
  size_t count = 0;
  const auto add = [&](Place key, Place value) {
    w_->start_table();
    w_->refer(0, key);
    w_->refer(1, value);
    tables[count++] = w_->end_table();
  };
  for (size_t i = 0; i < gen_.labels_; ++i) {
    const Place key = optional_fact(gen_.label_keys_[i]);
    add(key, optional_fact(gen_.label_values_[i]));
  }
  for (const LossLabel& loss : kLossLabels) {
    const uint64_t value = gen_.lost_.*loss.count;
    if (value == 0) continue;
    char digits[24];
    const char* end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    const Place key = w_->string(loss.key);
    add(key, w_->string({digits, static_cast<size_t>(end - digits)}));
  }
  if (count == 0) return 0;
  const Place list = w_->slots(count);
  for (size_t i = 0; i < count; ++i) w_->set_slot(list, i, tables[i]);
  return list;
}

uint64_t DumpWriter::trailer(uint8_t* buffer, size_t size) {
  FlatWriter w(buffer, size);
  begin(&w);
  size_t count = 0;
  each_run([&](RunRecord& run, Record* first) {
    write_trailer_run(run, first);
    ++count;
  });
  const Place runs = w.slots(count);
  size_t i = 0;
  each_run([&](RunRecord& run, Record*) { w.set_slot(runs, i++, run.place); });
  const Place labels = write_labels();
  const Place program = write_program();
  const Place clock = write_clock();
  const Place host = write_host();
  const Place policy = w.string(gen_.policy_ == FullPolicy::Ring ? "ring" : "stop");
  const Place producer = gen_.producer_ == NameTable::kNone ? w.string(kProducer) : optional_fact(gen_.producer_);
  w.start_table();
  w.add<uint64_t>(6, gen_.lost_.events, 0);
  w.add<double>(8, scale_.ns(gen_.overhead_ticks()), 0);
  w.add<uint32_t>(0, kVersion, 0);
  w.refer(1, producer);
  w.refer(2, host);
  w.refer(3, clock);
  w.refer(4, program);
  w.refer(5, runs);
  w.refer(7, policy);
  w.refer(9, labels);
  w.finish(w.end_table(), "ETX1");
  return w.size();
}

}  // namespace et::etdump
