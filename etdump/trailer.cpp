// Trailer views. Everything is verified once in open(); afterwards the same checked reads cannot fail, so their results
// are not looked at again. Field ids are those of schema/trailer.fbs.
#include "etdump/trailer.h"

namespace et::etdump {

namespace {

using wire::Bytes;
using wire::Fault;
using wire::Table;
using wire::Vector;

// Vectors may be shared between runs, but a walk over all of them stays within this many times the trailer's size.
constexpr uint64_t kSharing = 16;

bool read_counter(const Table& t, Counter* out, Fault* f) {
  return t.string(0, "Counter.name", &out->name, nullptr, f) &&
         t.scalar<uint64_t>(1, 0, "Counter.value", &out->value, f);
}

bool read_allocation(const Table& t, AllocationInfo* out, Fault* f) {
  return t.scalar<int32_t>(0, -1, "Allocation.event", &out->event, f) &&
         t.string(1, "Allocation.allocator", &out->allocator, nullptr, f) &&
         t.scalar<uint64_t>(2, 0, "Allocation.bytes", &out->bytes, f) &&
         t.scalar<uint64_t>(3, 0, "Allocation.offset", &out->offset, f);
}

bool read_arena(const Table& t, ArenaInfo* out, Fault* f) {
  return t.string(0, "Arena.name", &out->name, nullptr, f) &&
         t.scalar<uint64_t>(1, 0, "Arena.capacity", &out->capacity, f) &&
         t.scalar<uint64_t>(2, 0, "Arena.high_water", &out->high_water, f);
}

bool read_label(const Table& t, KeyValueView* out, Fault* f) {
  return t.string(0, "KeyValue.key", &out->key, nullptr, f) && t.string(1, "KeyValue.value", &out->value, nullptr, f);
}

bool read_event(const Table& t, EventExt* out, Vector* counters, Fault* f) {
  return t.scalar<uint32_t>(0, 0, "EventExt.event", &out->event, f) &&
         t.vector(1, 4, "EventExt.counters", counters, f) &&
         t.int64_vector(2, "EventExt.output_sizes", &out->output_sizes, f) &&
         t.scalar<uint64_t>(3, 0, "EventExt.bytes_temp", &out->bytes_temp, f) &&
         t.scalar<uint32_t>(4, 0, "EventExt.thread", &out->thread, f);
}

bool read_run(const Table& t, TrailerRun* out, Vector* events, Vector* allocations, Vector* arenas, Fault* f) {
  return t.string(0, "Run.method", &out->method, nullptr, f) && t.string(1, "Run.kind", &out->kind, nullptr, f) &&
         t.scalar<uint64_t>(2, 0, "Run.execution", &out->execution, f) && t.vector(3, 4, "Run.events", events, f) &&
         t.vector(4, 4, "Run.allocations", allocations, f) && t.vector(5, 4, "Run.arenas", arenas, f) &&
         t.scalar<uint64_t>(6, 0, "Run.lost_events", &out->lost_events, f) &&
         t.scalar<uint32_t>(7, 0, "Run.error", &out->error, f) && t.string(8, "Run.phase", &out->phase, nullptr, f);
}

bool read_host(const Table& t, HostInfo* out, Fault* f) {
  return t.string(0, "Host.name", &out->name, nullptr, f) && t.string(1, "Host.cpu", &out->cpu, nullptr, f) &&
         t.scalar<uint32_t>(2, 0, "Host.cores", &out->cores, f) && t.string(3, "Host.os", &out->os, nullptr, f) &&
         t.scalar<uint32_t>(4, 0, "Host.threads_used", &out->threads_used, f) &&
         t.string(5, "Host.build", &out->build, nullptr, f) && t.string(6, "Host.kernels", &out->kernels, nullptr, f);
}

bool read_clock(const Table& t, ClockInfo* out, Fault* f) {
  return t.string(0, "Clock.name", &out->name, nullptr, f) &&
         t.scalar<uint64_t>(1, 0, "Clock.numerator", &out->numerator, f) &&
         t.scalar<uint64_t>(2, 0, "Clock.denominator", &out->denominator, f) &&
         t.scalar<int64_t>(3, 0, "Clock.utc_at_zero_ns", &out->utc_at_zero_ns, f);
}

bool read_program(const Table& t, ProgramId* out, Fault* f) {
  if (!t.byte_vector(0, "ProgramId.sha256", &out->sha256, nullptr, f) ||
      !t.scalar<uint64_t>(1, 0, "ProgramId.bytes", &out->bytes, f) ||
      !t.string(2, "ProgramId.path", &out->path, nullptr, f) ||
      !t.byte_vector(3, "ProgramId.data_sha256", &out->data_sha256, nullptr, f)) {
    return false;
  }
  if (!out->sha256.empty() && out->sha256.size() != 32) return f->set(t.at(), "ProgramId.sha256", "32 bytes");
  if (!out->data_sha256.empty() && out->data_sha256.size() != 32)
    return f->set(t.at(), "ProgramId.data_sha256", "32 bytes");
  return true;
}

// Walks a vector of tables, `check(table)` for each, within `*budget` bytes of slots.
template <class F>
bool each(const Bytes& bytes, const Vector& v, uint64_t* budget, Fault* f, F&& check) {
  if (v.count * 4 > *budget) return f->set(v.first, "Trailer", "lists that together are no longer than the file");
  *budget -= v.count * 4;
  for (uint64_t i = 0; i < v.count; ++i) {
    Table t;
    if (!Table::element(bytes, v, i, "Trailer", &t, f) || !check(t)) return false;
  }
  return true;
}

bool check_run(const Bytes& bytes, const Table& table, uint64_t* budget, Fault* f) {
  TrailerRun run;
  Vector events;
  Vector allocations;
  Vector arenas;
  if (!read_run(table, &run, &events, &allocations, &arenas, f)) return false;
  const bool events_ok = each(bytes, events, budget, f, [&](const Table& t) {
    EventExt event;
    Vector counters;
    return read_event(t, &event, &counters, f) && each(bytes, counters, budget, f, [&](const Table& c) {
             Counter counter;
             return read_counter(c, &counter, f);
           });
  });
  return events_ok &&
         each(bytes, allocations, budget, f,
              [&](const Table& t) {
                AllocationInfo allocation;
                return read_allocation(t, &allocation, f);
              }) &&
         each(bytes, arenas, budget, f, [&](const Table& t) {
           ArenaInfo arena;
           return read_arena(t, &arena, f);
         });
}

// Element `i` of a vector that open() has verified.
bool verified_element(const Bytes& bytes, const Vector& v, size_t i, Table* out) {
  Fault fault;
  return i < v.count && Table::element(bytes, v, i, "Trailer", out, &fault);
}

}  // namespace

bool Trailer::open(std::span<const uint8_t> file, uint64_t at, uint64_t size, Trailer* out) {
  *out = Trailer();
  if (at > file.size() || size > file.size() - at || size < 12) return false;
  const Bytes bytes{file.data() + at, size};
  if (std::memcmp(bytes.data + 4, "ETX1", 4) != 0) return false;
  Fault fault;
  Fault* f = &fault;
  uint64_t root = 0;
  Table t;
  Table host;
  Table clock;
  Table program;
  Trailer read;
  read.bytes_ = bytes;
  if (!Table::follow(bytes, 0, "Trailer", &root, f) || !Table::open(bytes, root, "Trailer", &t, f) ||
      !t.scalar<uint32_t>(0, 0, "Trailer.version", &read.version_, f) ||
      !t.string(1, "Trailer.producer", &read.producer_, nullptr, f) ||
      !t.table(2, "Trailer.host", &host, &read.has_host_, f) ||
      !t.table(3, "Trailer.clock", &clock, &read.has_clock_, f) ||
      !t.table(4, "Trailer.program", &program, &read.has_program_, f) ||
      !t.vector(5, 4, "Trailer.runs", &read.runs_, f) ||
      !t.scalar<uint64_t>(6, 0, "Trailer.lost_events", &read.lost_events_, f) ||
      !t.string(7, "Trailer.policy", &read.policy_, nullptr, f) ||
      !t.scalar<double>(8, 0, "Trailer.overhead_ns", &read.overhead_ns_, f) ||
      !t.vector(9, 4, "Trailer.labels", &read.labels_, f)) {
    return false;
  }
  if ((read.has_host_ && !read_host(host, &read.host_, f)) ||
      (read.has_clock_ && !read_clock(clock, &read.clock_, f)) ||
      (read.has_program_ && !read_program(program, &read.program_, f))) {
    return false;
  }
  uint64_t budget = size * kSharing;
  const bool sound =
      each(bytes, read.runs_, &budget, f, [&](const Table& run) { return check_run(bytes, run, &budget, f); }) &&
      each(bytes, read.labels_, &budget, f, [&](const Table& label) {
        KeyValueView pair;
        return read_label(label, &pair, f);
      });
  if (sound) *out = read;
  return sound;
}

KeyValueView Trailer::label(size_t i) const {
  KeyValueView out;
  Table t;
  Fault f;
  if (verified_element(bytes_, labels_, i, &t)) (void)read_label(t, &out, &f);
  return out;
}

TrailerRun Trailer::run(size_t i) const {
  TrailerRun out;
  Table t;
  Fault f;
  out.bytes_ = bytes_;
  if (verified_element(bytes_, runs_, i, &t))
    (void)read_run(t, &out, &out.events_, &out.allocations_, &out.arenas_, &f);
  return out;
}

EventExt TrailerRun::event(size_t i) const {
  EventExt out;
  Table t;
  Fault f;
  out.bytes_ = bytes_;
  if (verified_element(bytes_, events_, i, &t)) (void)read_event(t, &out, &out.counters_, &f);
  return out;
}

AllocationInfo TrailerRun::allocation(size_t i) const {
  AllocationInfo out;
  Table t;
  Fault f;
  if (verified_element(bytes_, allocations_, i, &t)) (void)read_allocation(t, &out, &f);
  return out;
}

ArenaInfo TrailerRun::arena(size_t i) const {
  ArenaInfo out;
  Table t;
  Fault f;
  if (verified_element(bytes_, arenas_, i, &t)) (void)read_arena(t, &out, &f);
  return out;
}

Counter EventExt::counter(size_t i) const {
  Counter out;
  Table t;
  Fault f;
  if (verified_element(bytes_, counters_, i, &t)) (void)read_counter(t, &out, &f);
  return out;
}

}  // namespace et::etdump
