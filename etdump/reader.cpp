// Opening an ETDump and walking its runs and events. Field ids are those of schema/etdump.fbs.
#include "etdump/reader.h"

#include <algorithm>

namespace et::etdump {

namespace {

using wire::Bytes;
using wire::Fault;
using wire::Table;
using wire::Vector;

constexpr uint64_t kSlot = 4;          // bytes of one offset in a vector of tables
constexpr uint64_t kFreeString = 256;  // bytes of a string or of metadata that cost nothing
constexpr uint64_t kTrailerAlignment = 16;

bool has_id(std::span<const uint8_t> file, uint64_t at, const char (&id)[5]) {
  return file.size() >= at + 4 && std::memcmp(file.data() + at, id, 4) == 0;
}

uint64_t cost_of(std::string_view s) { return s.size() > kFreeString ? s.size() : 0; }

FileError refuse(uint64_t offset, const char* field, const char* expected) {
  FileError e;
  e.code = Error::InvalidArgument;
  e.offset = offset;
  e.field = field;
  e.expected = expected;
  return e;
}

bool read_tensor(const Table& table, TensorInfo* out, Fault* fault) {
  if (!table.scalar<int8_t>(0, 0, "Tensor.scalar_type", &out->raw_dtype, fault) ||
      !table.int64_vector(1, "Tensor.sizes", &out->sizes, fault) ||
      !table.int64_vector(2, "Tensor.strides", &out->strides, fault) ||
      !table.scalar<int64_t>(3, 0, "Tensor.offset", &out->offset, fault)) {
    return false;
  }
  out->dtype = static_cast<ScalarType>(out->raw_dtype);
  if (out->sizes.size() > Reader::kMaxRank) return fault->set(table.at(), "Tensor.sizes", "at most 64 dimensions");
  if (out->strides.size() > Reader::kMaxRank) return fault->set(table.at(), "Tensor.strides", "at most 64 dimensions");
  return true;
}

}  // namespace

// Reads and checks a Value, so that its accessors cannot fail later.
class ValueReader {
 public:
  static bool read(const Table& table, Value* out, uint64_t* cost, Fault* fault) {
    int8_t kind = 0;
    if (!table.scalar<int8_t>(0, 0, "Value.val", &kind, fault)) return false;
    if (kind < 0 || kind > static_cast<int8_t>(ValueKind::String))
      return fault->set(table.at(), "Value.val", "a value type from 0 to 7");
    out->kind_ = static_cast<ValueKind>(kind);
    bool set = true;
    switch (out->kind_) {
      case ValueKind::Null:
      case ValueKind::String:
        break;
      case ValueKind::Int:
        if (!boxed<int64_t>(table, 3, "Value.int_value", &out->int_, &set, fault)) return false;
        break;
      case ValueKind::Bool: {
        uint8_t value = 0;
        if (!boxed<uint8_t>(table, 6, "Value.bool_value", &value, &set, fault)) return false;
        out->int_ = value != 0;
        break;
      }
      case ValueKind::Float: {
        float value = 0;
        if (!boxed<float>(table, 4, "Value.float_value", &value, &set, fault)) return false;
        out->double_ = value;
        break;
      }
      case ValueKind::Double:
        if (!boxed<double>(table, 5, "Value.double_value", &out->double_, &set, fault)) return false;
        break;
      case ValueKind::Tensor:
        if (!tensor(table, out, &set, fault)) return false;
        break;
      case ValueKind::TensorList:
        if (!tensor_list(table, out, &set, cost, fault)) return false;
        break;
    }
    if (!set) return fault->set(table.at(), "Value.val", "the member that its type names");
    uint8_t output = 0;
    if (!boxed<uint8_t>(table, 7, "Value.output", &output, &set, fault)) return false;
    out->output_ = output != 0;
    return true;
  }

 private:
  // The tables Int, Bool, Float and Double hold one scalar each.
  template <class T>
  static bool boxed(const Table& table, unsigned id, const char* name, T* out, bool* set, Fault* fault) {
    Table box;
    *out = T{};
    return table.table(id, name, &box, set, fault) && (!*set || box.scalar<T>(0, T{}, name, out, fault));
  }

  static bool tensor(const Table& table, Value* out, bool* set, Fault* fault) {
    Table t;
    TensorInfo info;
    if (!table.table(1, "Value.tensor", &t, set, fault)) return false;
    if (!*set) return true;
    out->bytes_ = t.bytes();
    out->tensors_ = {t.at(), 1, 1};
    return read_tensor(t, &info, fault);
  }

  static bool tensor_list(const Table& table, Value* out, bool* set, uint64_t* cost, Fault* fault) {
    Table list;
    if (!table.table(2, "Value.tensor_list", &list, set, fault)) return false;
    if (!*set) return true;
    Vector tensors;
    if (!list.vector(0, kSlot, "TensorList.tensors", &tensors, fault)) return false;
    if (tensors.count * kSlot > *cost)
      return fault->set(tensors.first - 4, "TensorList.tensors", "tensors that are not shared between events");
    *cost -= tensors.count * kSlot;
    out->bytes_ = list.bytes();
    out->tensors_ = tensors;
    out->list_ = true;
    for (uint64_t i = 0; i < tensors.count; ++i) {
      Table t;
      TensorInfo info;
      if (!Table::element(list.bytes(), tensors, i, "TensorList.tensors", &t, fault) || !read_tensor(t, &info, fault))
        return false;
    }
    return true;
  }
};

TensorInfo Value::tensor(size_t i) const {
  TensorInfo info;
  Table t;
  Fault fault;
  if (i >= tensors_.count) return info;
  const bool found =
      list_ ? Table::element(bytes_, tensors_, i, "", &t, &fault) : Table::open(bytes_, tensors_.first, "", &t, &fault);
  if (!found || !read_tensor(t, &info, &fault)) return {};
  return info;
}

namespace {

bool read_ids(const Table& table, unsigned int_id, unsigned str_id, Event* out, Fault* fault) {
  if (!table.scalar<int32_t>(int_id, -1, "Event.delegate_debug_id_int", &out->delegate_id_int, fault) ||
      !table.string(str_id, "Event.delegate_debug_id_str", &out->delegate_id_str, nullptr, fault)) {
    return false;
  }
  out->has_delegate_id_str = !out->delegate_id_str.empty();
  return true;
}

bool read_profile(const Table& table, Event* out, Fault* fault) {
  int32_t chain = 0;
  if (!table.string(0, "ProfileEvent.name", &out->name, &out->has_name, fault) ||
      !table.scalar<int32_t>(1, 0, "ProfileEvent.chain_index", &chain, fault) ||
      !table.scalar<int32_t>(2, -1, "ProfileEvent.instruction_id", &out->instruction_id, fault) ||
      !read_ids(table, 3, 4, out, fault) ||
      !table.byte_vector(5, "ProfileEvent.delegate_debug_metadata", &out->metadata, &out->has_metadata, fault) ||
      !table.scalar<uint64_t>(6, 0, "ProfileEvent.start_time", &out->start, fault) ||
      !table.scalar<uint64_t>(7, 0, "ProfileEvent.end_time", &out->end, fault)) {
    return false;
  }
  out->chain_index = chain;
  return true;
}

bool read_debug(const Table& table, Event* out, uint64_t* cost, Fault* fault) {
  uint64_t chain = 0;
  Table value;
  bool has_value = false;
  if (!table.scalar<uint64_t>(0, 0, "DebugEvent.chain_index", &chain, fault) ||
      !table.scalar<int32_t>(1, -1, "DebugEvent.instruction_id", &out->instruction_id, fault) ||
      !table.table(2, "DebugEvent.debug_entry", &value, &has_value, fault) || !read_ids(table, 3, 4, out, fault) ||
      !table.string(5, "DebugEvent.name", &out->name, &out->has_name, fault)) {
    return false;
  }
  out->chain_index = static_cast<int64_t>(chain);
  if (!has_value) return fault->set(table.at(), "DebugEvent.debug_entry", "a value");
  return ValueReader::read(value, &out->value, cost, fault);
}

bool read_allocation(const Table& table, Event* out, Fault* fault) {
  out->chain_index = -1;
  return table.scalar<int32_t>(0, 0, "AllocationEvent.allocator_id", &out->allocator_id, fault) &&
         table.scalar<uint64_t>(1, 0, "AllocationEvent.allocation_size", &out->allocation_size, fault);
}

// `cost`: bytes of shared things that this event may still visit; lowered by what it did visit.
bool read_event(const Bytes& bytes, const Vector& events, size_t i, Event* out, uint64_t* cost, Fault* fault) {
  *out = Event{};
  out->index = static_cast<uint32_t>(i);
  Table event;
  if (!Table::element(bytes, events, i, "RunData.events", &event, fault)) return false;
  uint64_t profile = 0;
  uint64_t allocation = 0;
  uint64_t debug = 0;
  if (!event.reference(0, "Event.profile_event", &profile, fault) ||
      !event.reference(1, "Event.allocation_event", &allocation, fault) ||
      !event.reference(2, "Event.debug_event", &debug, fault)) {
    return false;
  }
  if ((profile != 0) + (allocation != 0) + (debug != 0) != 1)
    return fault->set(event.at(), "Event", "exactly one of profile, allocation and debug event");
  Table inner;
  if (profile != 0) {
    out->kind = EventKind::Profile;
    if (!Table::open(bytes, profile, "Event.profile_event", &inner, fault) || !read_profile(inner, out, fault))
      return false;
  } else if (debug != 0) {
    out->kind = EventKind::Debug;
    if (!Table::open(bytes, debug, "Event.debug_event", &inner, fault) || !read_debug(inner, out, cost, fault))
      return false;
  } else {
    out->kind = EventKind::Allocation;
    if (!Table::open(bytes, allocation, "Event.allocation_event", &inner, fault) ||
        !read_allocation(inner, out, fault)) {
      return false;
    }
  }
  const uint64_t texts = cost_of(out->name) + cost_of(out->delegate_id_str) +
                         (out->metadata.size() > kFreeString ? out->metadata.size() : 0);
  if (texts > *cost) return fault->set(inner.at(), "Event", "long strings that are not shared between events");
  *cost -= texts;
  return true;
}

}  // namespace

std::string_view Run::allocator_name(size_t i) const {
  Table table;
  Fault fault;
  std::string_view name;
  if (reader_ == nullptr || i >= allocators_.count) return {};
  if (!Table::element(reader_->bytes_, allocators_, i, "RunData.allocators", &table, &fault) ||
      !table.string(0, "Allocator.name", &name, nullptr, &fault)) {
    return {};
  }
  return name;
}

bool Run::event(size_t i, Event* out) const {
  if (reader_ == nullptr || i >= events_.count) return false;
  return reader_->visit_event(index_, events_, i, out);
}

bool Reader::visit_event(uint32_t run, const wire::Vector& events, size_t i, Event* out) {
  Fault fault;
  // Only the first visit of a pass costs; looking at an event again is free.
  const bool fresh = run == last_run_ && i >= next_event_;
  uint64_t unlimited = UINT64_MAX;
  if (fresh) next_event_ = i + 1;
  if (read_event(bytes_, events, i, out, fresh ? &budget_ : &unlimited, &fault)) return true;
  const int64_t r = run;
  const int64_t e = static_cast<int64_t>(i);
  if (r > counted_event_run_ || (r == counted_event_run_ && e > counted_event_)) {
    counted_event_run_ = r;
    counted_event_ = e;
    lose(run, e, fault, 1);
  }
  return false;
}

void Reader::lose(uint32_t run, int64_t event, const wire::Fault& fault, uint64_t tables) {
  lost_tables_ += tables;
  if (kept_losses_ < losses_.size()) losses_[kept_losses_++] = {fault.offset, run, event, fault.field, fault.expected};
}

// Charges the slots of a vector of tables. What does not fit any more is cut off, and the number of elements that
// cannot be visited is returned: those behind the end of the file (when the file is cut, and so many are believable;
// else 1 for a count that is damaged) and those cut off here.
uint64_t Reader::charge(wire::Vector* v) {
  uint64_t missing = 0;
  if (v->count < v->declared) {
    const bool believable = truncated_ && v->declared <= promised_ / kSlot;
    missing = believable ? v->declared - v->count : 1;
  }
  const uint64_t affordable = budget_ / kSlot;
  if (v->count > affordable) {
    missing += v->count - affordable;
    v->count = affordable;
  }
  budget_ -= v->count * kSlot;
  return missing;
}

bool Reader::run(size_t i, Run* out) {
  *out = Run();
  if (i >= runs_.count) return false;
  const int64_t r = static_cast<int64_t>(i);
  const uint32_t number = static_cast<uint32_t>(i);
  if (r <= last_run_) budget_ = bytes_.end;
  last_run_ = r;
  next_event_ = 0;
  const bool fresh = r > counted_run_;
  if (fresh) counted_run_ = r;

  Fault fault;
  auto lost = [&](uint64_t tables) {
    if (fresh) lose(number, -1, fault, tables);
  };
  Table table;
  if (!Table::element(bytes_, runs_, i, "ETDump.run_data", &table, &fault)) {
    lost(1);
    return false;
  }
  out->reader_ = this;
  out->index_ = number;
  if (!table.clipped_vector(3, kSlot, "RunData.events", &out->events_, &fault)) {
    lost(1);
    return false;
  }
  // What else is wrong with the run does not take its events away.
  if (!table.string(0, "RunData.name", &out->name_, &out->has_name_, &fault)) lost(1);
  if (cost_of(out->name_) > budget_) {
    fault.set(table.at(), "RunData.name", "a long string that is not shared between runs");
    lost(1);
    out->name_ = {};
    out->has_name_ = false;
  }
  budget_ -= cost_of(out->name_);
  if (!table.scalar<int32_t>(1, -1, "RunData.bundled_input_index", &out->bundled_input_index_, &fault)) lost(1);
  if (!table.clipped_vector(2, kSlot, "RunData.allocators", &out->allocators_, &fault)) lost(1);
  if (const uint64_t missing = charge(&out->allocators_); missing != 0) {
    fault.set(out->allocators_.first - 4, "RunData.allocators", "a vector inside the file, not shared between runs");
    lost(missing);
  }
  if (const uint64_t missing = charge(&out->events_); missing != 0) {
    fault.set(out->events_.first - 4, "RunData.events", "a vector inside the file, not shared between runs");
    lost(missing);
  }
  return true;
}

void Reader::find_trailer(std::span<const uint8_t> file) {
  const uint64_t dump_end = 4 + promised_;
  const uint64_t at = (dump_end + kTrailerAlignment - 1) / kTrailerAlignment * kTrailerAlignment;
  if (dump_end > file.size()) {
    truncated_ = true;
    return;
  }
  if (at >= file.size()) return;
  trailer_state_ = TrailerState::Damaged;
  if (file.size() - at < 4) return;
  const uint64_t size = Bytes{file.data(), file.size()}.load<uint32_t>(at);
  if (size > file.size() - at - 4 || !Trailer::open(file, at + 4, size, &trailer_)) return;
  trailer_state_ = TrailerState::Present;
  bytes_.end = dump_end;
}

FileError Reader::open(std::span<const uint8_t> file, Reader* out) {
  out->reset();
  if (file.size() < 8) return refuse(0, "ETDump", "at least 8 bytes");
  out->size_prefixed_ = has_id(file, 8, "ED00");
  if (!out->size_prefixed_ && !has_id(file, 4, "ED00"))
    return refuse(4, "ETDump identifier", "\"ED00\" at byte 8 (size-prefixed) or 4");
  out->bytes_ = {file.data(), file.size()};
  if (out->size_prefixed_) {
    out->promised_ = out->bytes_.load<uint32_t>(0);
    out->find_trailer(file);
  }

  Fault fault;
  uint64_t root = 0;
  Table table;
  if (!Table::follow(out->bytes_, out->size_prefixed_ ? 4 : 0, "ETDump root", &root, &fault) ||
      !Table::open(out->bytes_, root, "ETDump root", &table, &fault) ||
      !table.clipped_vector(1, kSlot, "ETDump.run_data", &out->runs_, &fault)) {
    return refuse(fault.offset, fault.field, fault.expected);
  }
  if (!table.scalar<uint32_t>(0, 0, "ETDump.version", &out->version_, &fault)) out->lose(Loss::kNoRun, -1, fault, 1);
  out->budget_ = out->bytes_.end;
  if (out->runs_.count < out->runs_.declared) {
    fault.set(out->runs_.first - 4, "ETDump.run_data", "a vector inside the file");
    const bool believable = out->truncated_ && out->runs_.declared <= out->promised_ / kSlot;
    out->lose(Loss::kNoRun, -1, fault, believable ? out->runs_.declared - out->runs_.count : 1);
  }
  return FileError::none();
}

void Reader::reset() {
  bytes_ = {};
  runs_ = {};
  version_ = 0;
  promised_ = 0;
  size_prefixed_ = truncated_ = false;
  trailer_state_ = TrailerState::Absent;
  trailer_ = {};
  budget_ = 0;
  last_run_ = counted_run_ = counted_event_run_ = counted_event_ = -1;
  next_event_ = 0;
  lost_tables_ = 0;
  kept_losses_ = 0;
}

}  // namespace et::etdump
