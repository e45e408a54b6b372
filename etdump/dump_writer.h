// Serialises the records of an ETDumpGen: the ED00 part and the trailer. Each is called twice, first without a buffer
// to learn the size. Private to ETDumpGen.
#pragma once

#include "etdump/etdump_gen.h"
#include "etdump/flat_writer.h"
#include "etdump/tick_scale.h"

namespace et::etdump {

class DumpWriter {
 public:
  explicit DumpWriter(ETDumpGen& gen) : gen_(gen), scale_(gen.ratio_) {}

  /// Both return the bytes they need; `buffer` is null or has `size` of them.
  uint64_t dump(uint8_t* buffer, size_t size);
  uint64_t trailer(uint8_t* buffer, size_t size);

 private:
  using Place = FlatWriter::Place;
  using Id = NameTable::Id;

  /// f(run, first record of it or null) for each block, in order.
  template <class F>
  void each_run(F&& f) {
    Record* r = gen_.log_.oldest();
    if (gen_.has_cut_run_) f(gen_.cut_run_, r);
    for (; r != nullptr; r = gen_.log_.next(r)) {
      if (r->kind == RecordKind::Run) f(*static_cast<RunRecord*>(r), gen_.log_.next(r));
    }
  }
  /// f(record) for the records of one block.
  template <class F>
  void each_record(Record* first, F&& f) {
    for (Record* r = first; r != nullptr && r->kind != RecordKind::Run; r = gen_.log_.next(r)) f(*r);
  }
  bool is_event(const Record& r) const {
    return r.kind == RecordKind::Profile || r.kind == RecordKind::Debug ||
           (r.kind == RecordKind::Allocation && gen_.allocations_in_dump_);
  }
  uint32_t events_of(const Record& r) const {
    if (r.kind == RecordKind::Steps) return static_cast<uint32_t>(static_cast<const StepsRecord&>(r).events());
    return is_event(r) ? 1 : 0;
  }

  void begin(FlatWriter* w);
  Place text(NameTable& table, Id id);
  Place name(Id id) { return id == NameTable::kNone ? unknown_name() : text(gen_.names_, id); }
  Place optional_name(Id id) { return id == NameTable::kNone ? 0 : text(gen_.names_, id); }
  Place optional_fact(Id id) { return id == NameTable::kNone ? 0 : text(gen_.facts_, id); }
  Place unknown_name();
  // ED00
  Place write_event(Record& r);
  Place write_profile(const ProfileRecord& r);
  Place write_debug(DebugRecord& r);
  Place write_value(DebugRecord& r);
  Place write_tensor(TensorRecord& t);
  void write_run(RunRecord& run, Record* first);
  // ETX1
  void place_allocations(Record* first);
  void write_trailer_run(RunRecord& run, Record* first);
  Place write_notes(Record* first);
  bool write_note(const ProfileRecord& event, uint32_t index);
  template <class R, class F>
  Place write_list(Record* first, RecordKind kind, F&& make);
  Place write_host();
  Place write_clock();
  Place write_program();
  Place write_labels();

  ETDumpGen& gen_;
  TickScale scale_;
  FlatWriter* w_ = nullptr;
  Place unknown_ = 0;
};

}  // namespace et::etdump
