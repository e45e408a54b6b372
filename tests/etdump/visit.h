// Reads everything that a dump has, through every accessor: what the damage sweeps and the fuzz target run.
#pragma once

#include <cstdint>
#include <vector>

#include "etdump/debug_buffer.h"
#include "etdump/reader.h"

namespace et::test {

struct Visit {
  bool opened = false;
  uint64_t runs = 0, events = 0, lost_events = 0, tensors = 0;
  uint64_t touched = 0;  // a checksum, so that no read is optimised away
};

inline uint64_t touch(std::string_view s) {
  uint64_t sum = s.size();
  for (const char c : s) sum = sum * 31 + static_cast<unsigned char>(c);
  return sum;
}

inline uint64_t touch(const etdump::Event& e) {
  uint64_t sum = touch(e.name) + touch(e.delegate_id_str) + e.start + e.end + static_cast<uint64_t>(e.chain_index) +
                 static_cast<uint64_t>(e.instruction_id) + static_cast<uint64_t>(e.delegate_id_int) +
                 e.allocation_size + static_cast<uint64_t>(e.allocator_id) + (e.is_delegated() ? 1 : 0);
  for (const uint8_t b : e.metadata) sum += b;
  return sum;
}

inline uint64_t touch(const etdump::Trailer& t) {
  uint64_t sum =
      touch(t.producer()) + touch(t.policy()) + touch(t.host().cpu) + touch(t.clock().name) + touch(t.program().path);
  for (const uint8_t b : t.program().sha256) sum += b;
  for (size_t i = 0; i < t.label_count(); ++i) sum += touch(t.label(i).key) + touch(t.label(i).value);
  for (size_t r = 0; r < t.run_count(); ++r) {
    const etdump::TrailerRun run = t.run(r);
    sum += touch(run.method) + touch(run.kind) + touch(run.phase);
    for (size_t i = 0; i < run.event_count(); ++i) {
      const etdump::EventExt e = run.event(i);
      for (size_t c = 0; c < e.counter_count(); ++c) sum += touch(e.counter(c).name) + e.counter(c).value;
      for (const int64_t s : e.output_sizes) sum += static_cast<uint64_t>(s);
    }
    for (size_t i = 0; i < run.allocation_count(); ++i) sum += touch(run.allocation(i).allocator);
    for (size_t i = 0; i < run.arena_count(); ++i) sum += touch(run.arena(i).name);
  }
  return sum;
}

/// Walks the whole file as a user would. `debug` is the debug buffer that tensors are read from.
inline Visit visit_all(std::span<const uint8_t> file, std::span<const uint8_t> debug = {}) {
  Visit out;
  etdump::Reader reader;
  out.opened = etdump::Reader::open(file, &reader).ok();
  if (!out.opened) return out;
  const etdump::DebugBuffer buffer(debug);
  if (reader.trailer() != nullptr) out.touched += touch(*reader.trailer());
  for (size_t r = 0; r < reader.run_count(); ++r) {
    etdump::Run run;
    if (!reader.run(r, &run)) continue;
    ++out.runs;
    out.touched += touch(run.name());
    for (size_t i = 0; i < run.allocator_count(); ++i) out.touched += touch(run.allocator_name(i));
    for (size_t i = 0; i < run.event_count(); ++i) {
      etdump::Event event;
      if (!run.event(i, &event)) {
        ++out.lost_events;
        continue;
      }
      ++out.events;
      out.touched += touch(event);
      const etdump::Value& value = event.value;
      out.touched += static_cast<uint64_t>(value.as_int()) + (value.as_bool() ? 1 : 0) + (value.is_output() ? 1 : 0) +
                     (value.as_double() > 0 ? 1 : 0);
      for (size_t t = 0; t < value.tensor_count(); ++t) {
        const etdump::TensorInfo tensor = value.tensor(t);
        for (const int64_t s : tensor.sizes) out.touched += static_cast<uint64_t>(s);
        for (const int64_t s : tensor.strides) out.touched += static_cast<uint64_t>(s);
        out.touched += summarise(buffer, tensor).nan_count;
        ++out.tensors;
      }
    }
  }
  out.touched += reader.lost_tables();
  for (const etdump::Loss& loss : reader.losses()) out.touched += touch(loss.field) + touch(loss.expected);
  return out;
}

}  // namespace et::test
