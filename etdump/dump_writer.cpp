// The ED00 part: what upstream's reader sees. Field numbers are those of schema/etdump.fbs.
#include "etdump/dump_writer.h"

namespace et::etdump {
namespace {

// Our reader treats long strings shared between events as an attack, so each event gets its own copy.
constexpr size_t kLongestShared = 256;

namespace value_field {
constexpr unsigned kVal = 0, kTensor = 1, kTensorList = 2, kInt = 3, kDouble = 5, kBool = 6, kOutput = 7;
}
constexpr int8_t kIntValue = 1, kBoolValue = 2, kDoubleValue = 4, kTensorValue = 5;

constexpr uint64_t kRange32 = uint64_t{1} << 32;

}  // namespace

void DumpWriter::begin(FlatWriter* w) {
  w_ = w;
  unknown_ = 0;
  gen_.names_.forget_places();
  gen_.facts_.forget_places();
}

DumpWriter::Place DumpWriter::text(NameTable& table, Id id) {
  const std::string_view s = table.view(id);
  if (s.size() > kLongestShared) return w_->string(s);
  uint32_t& place = table.place(id);
  if (place == 0) place = w_->string(s);
  return place;
}

DumpWriter::Place DumpWriter::unknown_name() {
  if (unknown_ == 0) unknown_ = w_->string("?");
  return unknown_;
}

DumpWriter::Place DumpWriter::write_profile(const ProfileRecord& r) {
  const Place label = (r.flags & kDelegateInt) != 0 ? 0 : name(r.name);
  Place metadata = 0;
  if ((r.flags & kDelegate) != 0) {
    uint64_t length = 0;
    if ((r.flags & kMetadata) != 0) std::memcpy(&length, &r + 1, sizeof length);
    metadata = w_->bytes(reinterpret_cast<const uint8_t*>(&r + 1) + sizeof length, static_cast<size_t>(length));
  }
  // A counter of 32 bits may have wrapped. Other events that end before they start came so from a delegate: upstream's
  // reader would refuse the ETDump for them.
  uint64_t end = r.end;
  if (end < r.start) end = r.start < kRange32 ? end + kRange32 : r.start;
  w_->start_table();
  w_->add<uint64_t>(6, scale_.ns(r.start), 0);
  w_->add<uint64_t>(7, scale_.ns(end), 0);
  w_->add<int32_t>(1, r.chain, 0);
  w_->add<int32_t>(2, static_cast<int32_t>(r.handle), -1);
  if ((r.flags & kDelegateInt) != 0) w_->add<int32_t>(3, static_cast<int32_t>(r.name), -1);
  w_->refer((r.flags & kDelegateStr) != 0 ? 4 : 0, label);
  w_->refer(5, metadata);
  return w_->end_table();
}

DumpWriter::Place DumpWriter::write_tensor(TensorRecord& t) {
  const Place strides = w_->int64s(t.strides(), t.rank);
  const Place sizes = w_->int64s(t.sizes(), t.rank);
  w_->start_table();
  w_->add<int64_t>(3, t.offset, 0);
  w_->refer(1, sizes);
  w_->refer(2, strides);
  w_->add<int8_t>(0, static_cast<int8_t>(t.dtype), 0);
  return w_->end_table();
}

DumpWriter::Place DumpWriter::write_value(DebugRecord& r) {
  Place content = 0;
  unsigned id = 0;
  const auto scalar = [this](auto value) {
    w_->start_table();
    w_->add(0, value, decltype(value){});
    return w_->end_table();
  };
  if (r.value_kind == kIntValue) {
    id = value_field::kInt;
    content = scalar(r.integer);
  } else if (r.value_kind == kBoolValue) {
    id = value_field::kBool;
    content = scalar(static_cast<uint8_t>(r.integer));
  } else if (r.value_kind == kDoubleValue) {
    id = value_field::kDouble;
    content = scalar(r.number);
  } else {
    TensorRecord* const first = reinterpret_cast<TensorRecord*>(&r + 1);
    TensorRecord* t = first;
    for (size_t i = 0; i < r.count; ++i, t = t->next()) t->place = write_tensor(*t);
    id = r.value_kind == kTensorValue ? value_field::kTensor : value_field::kTensorList;
    if (r.value_kind == kTensorValue) {
      content = first->place;
    } else {
      const Place list = w_->slots(r.count);
      t = first;
      for (size_t i = 0; i < r.count; ++i, t = t->next()) w_->set_slot(list, i, t->place);
      w_->start_table();
      w_->refer(0, list);
      content = w_->end_table();
    }
  }
  Place output = 0;
  if ((r.flags & kOutput) != 0) output = scalar(uint8_t{1});
  w_->start_table();
  w_->refer(id, content);
  w_->refer(value_field::kOutput, output);
  w_->add<int8_t>(value_field::kVal, static_cast<int8_t>(r.value_kind), 0);
  return w_->end_table();
}

DumpWriter::Place DumpWriter::write_debug(DebugRecord& r) {
  const Place value = write_value(r);
  const Place label = (r.flags & kDelegateStr) != 0 ? name(r.name) : 0;
  w_->start_table();
  w_->add<uint64_t>(0, static_cast<uint64_t>(int64_t{r.chain}), 0);
  w_->add<int32_t>(1, static_cast<int32_t>(r.handle), -1);
  w_->refer(2, value);
  if ((r.flags & kDelegateInt) != 0) w_->add<int32_t>(3, static_cast<int32_t>(r.name), -1);
  w_->refer(4, label);
  return w_->end_table();
}

DumpWriter::Place DumpWriter::write_event(Record& r) {
  Place inner = 0;
  unsigned id = 0;
  switch (r.kind) {
    case RecordKind::Profile:
      inner = write_profile(static_cast<ProfileRecord&>(r));
      break;
    case RecordKind::Debug:
      id = 2;
      inner = write_debug(static_cast<DebugRecord&>(r));
      break;
    default: {
      const AllocationRecord& a = static_cast<AllocationRecord&>(r);
      id = 1;
      w_->start_table();
      w_->add<uint64_t>(1, a.bytes, 0);
      w_->add<int32_t>(0, static_cast<int32_t>(a.allocator), 0);
      inner = w_->end_table();
    }
  }
  w_->start_table();
  w_->refer(id, inner);
  return w_->end_table();
}

void DumpWriter::write_run(RunRecord& run, Record* first) {
  // Steps have no room for the places of their events. So each goes into the vector at once, which lies where the pass
  // that counts has found it.
  size_t count = 0;
  each_record(first, [&](Record& r) {
    if (r.kind == RecordKind::Steps) {
      static_cast<StepsRecord&>(r).each_event(
          [&](ProfileRecord& e) { w_->set_slot(run.events, count++, write_event(e)); });
    } else if (is_event(r)) {
      w_->set_slot(run.events, count++, write_event(r));
    }
  });
  const Place events = count == 0 ? 0 : w_->slots_set_before(count);
  run.events = events;
  Place allocators = 0;
  if (gen_.allocations_in_dump_ && run.allocator_count != 0) {
    Place tables[kAllocators];
    for (uint32_t i = 0; i < run.allocator_count; ++i) {
      const Place label = name(run.allocators[i]);
      w_->start_table();
      w_->refer(0, label);
      tables[i] = w_->end_table();
    }
    allocators = w_->slots(run.allocator_count);
    for (uint32_t i = 0; i < run.allocator_count; ++i) w_->set_slot(allocators, i, tables[i]);
  }
  const Place label = name(run.name);
  w_->start_table();
  w_->refer(0, label);
  w_->add<int32_t>(1, run.bundled_input_index, -1);
  w_->refer(2, allocators);
  w_->refer(3, events);
  run.place = w_->end_table();
}

uint64_t DumpWriter::dump(uint8_t* buffer, size_t size) {
  FlatWriter w(buffer, size);
  begin(&w);
  size_t runs = 0;
  each_run([&](RunRecord& run, Record* first) {
    write_run(run, first);
    ++runs;
  });
  const Place list = w.slots(runs);
  size_t i = 0;
  each_run([&](RunRecord& run, Record*) { w.set_slot(list, i++, run.place); });
  w.start_table();
  w.refer(1, list);
  w.finish(w.end_table(), "ED00");
  return w.size();
}

}  // namespace et::etdump
