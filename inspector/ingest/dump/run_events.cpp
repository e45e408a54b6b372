#include "inspector/ingest/dump/run_events.h"

#include <functional>
#include <utility>

namespace et::inspector {
namespace {

uint64_t hash_of_key(std::string_view name, int32_t instruction, int64_t chain, int32_t id, std::string_view id_text,
                     bool debug) {
  uint64_t h = std::hash<std::string_view>()(name) * 31 + std::hash<std::string_view>()(id_text);
  for (const uint64_t v : {static_cast<uint64_t>(instruction), static_cast<uint64_t>(chain), static_cast<uint64_t>(id),
                           static_cast<uint64_t>(debug)}) {
    h = (h ^ v) * 0x9E3779B97F4A7C15ULL;
    h ^= h >> 29;
  }
  return h;
}

uint32_t key_of_event(EventKeys& known, const etdump::Event& e, size_t position) {
  const bool debug = e.kind == etdump::EventKind::Debug;
  const int64_t chain = debug && e.chain_index == -1 ? EventKey::kValueOutside : e.chain_index;
  auto equal = [&](const EventKey& k) {
    return k.instruction == e.instruction_id && k.chain == chain && k.debug == debug &&
           k.delegate_int == e.delegate_id_int && k.name == e.name && k.delegate_str == e.delegate_id_str;
  };
  // Runs repeat: the event at the same place of the last run is nearly always the same one.
  if (position < known.last_run.size() && equal(known.keys[known.last_run[position]])) return known.last_run[position];
  const uint64_t hash = hash_of_key(e.name, e.instruction_id, chain, e.delegate_id_int, e.delegate_id_str, debug);
  for (auto [it, end] = known.by_hash.equal_range(hash); it != end; ++it) {
    if (equal(known.keys[it->second])) return it->second;
  }
  EventKey key;
  key.debug = debug;
  key.name = std::string(e.name);
  key.instruction = e.instruction_id;
  key.chain = chain;
  key.delegate_int = e.delegate_id_int;
  key.delegate_str = std::string(e.delegate_id_str);
  known.keys.push_back(std::move(key));
  const auto id = static_cast<uint32_t>(known.keys.size() - 1);
  known.by_hash.emplace(hash, id);
  return id;
}

std::string identity_of(const DumpFile& dump, const etdump::Run& run) {
  std::string out(run.name());
  out += '\0';
  const int64_t input = run.bundled_input_index();
  out.append(reinterpret_cast<const char*>(&input), sizeof input);
  if (const auto trailer = dump.trailer_run(run.index())) out += trailer->method;
  return out;
}

}  // namespace

bool read_run_events(DumpFile& dump, size_t index, EventKeys& keys, ImportContext& context, RunEvents* out) {
  std::swap(keys.last_run, out->keys);
  out->keys.clear();
  out->indexes.clear();
  out->starts.clear();
  out->ends.clear();
  out->flags.clear();
  if (!dump.reader.run(index, &out->run)) {
    context.diagnostics.add("run-damaged", dump.path + ": run " + std::to_string(index) + " cannot be read");
    return false;
  }
  out->identity = identity_of(dump, out->run);
  etdump::Event event;
  for (size_t i = 0; i < out->run.event_count(); ++i) {
    if (!out->run.event(i, &event)) continue;
    uint8_t flags = 0;
    if (event.kind == etdump::EventKind::Debug) {
      flags = event.value.is_output() ? kOutputEvent | kDebugEvent : kDebugEvent;
    } else if (event.kind == etdump::EventKind::Allocation) {
      flags = kAllocationEvent;
    }
    const bool grouped = (flags & (kOutputEvent | kAllocationEvent)) == 0;
    out->keys.push_back(grouped ? key_of_event(keys, event, out->keys.size()) : 0);
    out->indexes.push_back(static_cast<uint32_t>(i));
    out->starts.push_back(event.start);
    out->ends.push_back(event.end);
    out->flags.push_back(flags);
  }
  return out->size() > 0;
}

}  // namespace et::inspector
