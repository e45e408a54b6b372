#include "python/src/event_groups.h"

#include <functional>
#include <unordered_map>

#include "etdump/reader.h"

namespace et::python {
namespace {

size_t mixed(size_t seed, size_t value) { return seed ^ (value + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2)); }

size_t hash_of(const EventIdentity& e) {
  size_t h = std::hash<std::string_view>()(e.name);
  h = mixed(h, static_cast<size_t>(e.delegate_int));
  return mixed(h, std::hash<std::string_view>()(e.delegate_text));
}

struct RowHash {
  size_t operator()(const RowKey& k) const {
    size_t h = mixed(static_cast<size_t>(k.instruction), (k.has_profile ? 2u : 0u) + (k.has_debug ? 1u : 0u));
    h = mixed(h, hash_of(k.profile));
    return mixed(h, hash_of(k.debug));
  }
};

/// Events of one instruction, and of one event inside of its delegate.
struct Place {
  int32_t instruction = -1;
  int64_t chain = 0;
  int32_t delegate_int = -1;
  std::string_view delegate_text;
  bool operator==(const Place&) const = default;
};
struct PlaceHash {
  size_t operator()(const Place& p) const {
    size_t h = mixed(static_cast<size_t>(p.instruction), static_cast<size_t>(p.chain));
    h = mixed(h, static_cast<size_t>(p.delegate_int));
    return mixed(h, std::hash<std::string_view>()(p.delegate_text));
  }
};

struct PlaceEvents {
  int32_t instruction = -1;
  bool has_debug = false;
  EventIdentity debug = {};  // of the first debug event
  std::vector<std::pair<EventIdentity, RowSample>> profiles = {};
  std::vector<etdump::Value> values = {};
};

std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

EventIdentity identity_of(const etdump::Event& e) { return {e.name, e.delegate_id_int, e.delegate_id_str}; }

/// The run's events by place, in order of their first one.
std::vector<PlaceEvents> collate(const etdump::Run& run, std::vector<etdump::Value>* outputs) {
  std::vector<PlaceEvents> places;
  std::unordered_map<Place, size_t, PlaceHash> index;
  places.reserve(run.event_count());
  index.reserve(run.event_count());
  etdump::Event e;
  for (size_t i = 0; i < run.event_count(); ++i) {
    if (!run.event(i, &e) || e.kind == etdump::EventKind::Allocation) continue;
    const Place place{e.instruction_id, e.chain_index, e.delegate_id_int, e.delegate_id_str};
    const auto [at, fresh] = index.try_emplace(place, places.size());
    if (fresh) places.push_back({.instruction = e.instruction_id});
    PlaceEvents& p = places[at->second];
    if (e.kind == etdump::EventKind::Profile) {
      p.profiles.push_back({identity_of(e), {.start = e.start, .end = e.end, .metadata = text_of(e.metadata)}});
    } else if (e.value.is_output()) {
      outputs->push_back(e.value);
    } else {
      if (!p.has_debug) p.debug = identity_of(e);
      p.has_debug = true;
      p.values.push_back(e.value);
    }
  }
  return places;
}

struct RunRows {
  std::vector<RowKey> keys;
  std::vector<RowSample> samples;
};

/// A row for each event name of a place; of several equal ones the last counts, as upstream's does.
RunRows rows_of(std::vector<PlaceEvents> places) {
  RunRows out;
  std::unordered_map<RowKey, size_t, RowHash> index;
  index.reserve(places.size());
  const auto put = [&](RowKey key, RowSample sample) {
    const auto [at, fresh] = index.try_emplace(key, out.keys.size());
    if (fresh) {
      out.keys.push_back(key);
      out.samples.push_back(std::move(sample));
    } else {
      out.samples[at->second] = std::move(sample);
    }
  };
  for (PlaceEvents& p : places) {
    if (p.profiles.empty() && !p.has_debug) continue;  // a place of outputs alone
    RowKey key{.instruction = p.instruction, .has_debug = p.has_debug, .debug = p.debug};
    if (p.profiles.empty()) put(key, {.values = p.values});
    for (auto& [identity, sample] : p.profiles) {
      key.has_profile = true;
      key.profile = identity;
      sample.values = p.values;
      put(key, std::move(sample));
    }
  }
  return out;
}

}  // namespace

Status group_events(std::span<const uint8_t> file, const std::string& path, EventGroups* out) {
  etdump::Reader reader;
  if (FileError e = etdump::Reader::open(file, &reader); !e.ok()) {
    const Status status = Status::of_file(path, e);
    return {Error::InvalidExternalData, status.message()};
  }
  std::unordered_multimap<size_t, size_t> by_hash;
  for (size_t r = 0; r < reader.run_count(); ++r) {
    etdump::Run run;
    if (!reader.run(r, &run)) continue;
    std::vector<etdump::Value> outputs;
    RunRows rows = rows_of(collate(run, &outputs));
    size_t hash = std::hash<std::string_view>()(run.name());
    hash = mixed(hash, static_cast<size_t>(run.bundled_input_index()));
    for (const RowKey& key : rows.keys) hash = mixed(hash, RowHash()(key));
    EventGroup* group = nullptr;
    for (auto [at, end] = by_hash.equal_range(hash); at != end; ++at) {
      EventGroup& g = out->groups[at->second];
      if (g.name == run.name() && g.bundled_input_index == run.bundled_input_index() && g.rows == rows.keys) group = &g;
    }
    if (group == nullptr) {
      by_hash.emplace(hash, out->groups.size());
      out->groups.push_back({.name = run.name(), .bundled_input_index = run.bundled_input_index(), .rows = rows.keys});
      group = &out->groups.back();
    }
    group->runs.push_back(std::move(rows.samples));
    group->outputs.push_back(std::move(outputs));
  }
  out->lost = reader.lost_tables();
  if (!reader.losses().empty()) {
    const etdump::Loss& loss = reader.losses().front();
    out->first_loss =
        path + ": " + loss.field + " at byte " + std::to_string(loss.offset) + ": expected " + loss.expected;
  }
  return {};
}

}  // namespace et::python
