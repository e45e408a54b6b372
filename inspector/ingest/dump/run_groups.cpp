#include "inspector/ingest/dump/run_groups.h"

#include <functional>
#include <utility>

#include "inspector/ingest/dump/event_level.h"

namespace et::inspector {
namespace {

/// Events of one instruction, chain and delegate id, in order of appearance: the different measurements, and the first
/// logged value.
struct EventGroup {
  std::vector<uint32_t> profile;
  int64_t first_debug = -1;

  /// Logged values belong to the first measurement of their group.
  uint32_t first() const { return profile.empty() ? static_cast<uint32_t>(first_debug) : profile.front(); }
};
struct EventGroups {
  std::vector<EventGroup> groups;
  std::unordered_map<uint32_t, size_t> of_key;
};

void append_number(std::string* out, int64_t v) { out->append(reinterpret_cast<const char*>(&v), sizeof v); }

std::string group_id(const EventKey& key) {
  std::string id = key.delegate_str;
  append_number(&id, key.instruction);
  append_number(&id, key.chain);
  append_number(&id, key.delegate_int);
  return id;
}

EventGroups group_events(const RunEvents& run, const EventKeys& keys) {
  EventGroups out;
  std::unordered_map<std::string, size_t> by_id;
  for (size_t i = 0; i < run.size(); ++i) {
    if (!run.grouped(i)) continue;
    const uint32_t k = run.keys[i];
    auto known = out.of_key.find(k);
    if (known == out.of_key.end()) {
      const auto [it, fresh] = by_id.try_emplace(group_id(keys[k]), out.groups.size());
      if (fresh) out.groups.emplace_back();
      known = out.of_key.emplace(k, it->second).first;
      if (!keys[k].debug) out.groups[it->second].profile.push_back(k);
    }
    EventGroup& g = out.groups[known->second];
    if (keys[k].debug && g.first_debug < 0) g.first_debug = k;
  }
  return out;
}

/// Runs of equal signature share a block.
std::string signature_of(const EventGroups& events, const std::string& identity) {
  std::string signature = identity;
  for (const EventGroup& g : events.groups) {
    append_number(&signature, static_cast<int64_t>(g.profile.size()));
    for (const uint32_t k : g.profile) append_number(&signature, k);
    append_number(&signature, g.first_debug);
  }
  return signature;
}

std::string shown_name(const EventKey& key) {
  if (key.delegate_int != -1) return std::to_string(key.delegate_int);
  if (!key.delegate_str.empty()) return key.delegate_str;
  return key.name;
}

void add_block(const RunEvents& run, const EventKeys& keys, const EventGroups& events, RunGroups& groups,
               Trace& trace) {
  const auto ordinal = static_cast<int32_t>(trace.blocks.size());
  Block& block = trace.blocks.emplace_back();
  block.ordinal = ordinal;
  block.name = std::string(run.run.name());
  block.bundled_input_index = run.run.bundled_input_index();
  auto& ops = groups.ops_of_block.emplace_back();
  auto add_op = [&](uint32_t k) {
    Op op;
    op.block = ordinal;
    op.ordinal = static_cast<int32_t>(block.ops.size());
    op.key = keys[k];
    op.name = shown_name(op.key);
    op.kind = op.key.debug ? OpKind::Value : level_of_event(op.key).kind;
    ops.emplace(k, static_cast<int32_t>(trace.ops.size()));
    block.ops.push_back(static_cast<int32_t>(trace.ops.size()));
    trace.ops.push_back(std::move(op));
  };
  for (const EventGroup& g : events.groups) {
    for (const uint32_t k : g.profile) add_op(k);
    if (g.profile.empty()) add_op(g.first());
  }
  groups.block_identity.push_back(run.identity);
}

int32_t find_variant(const RunEvents& run, const RunGroups& groups, uint64_t hash) {
  for (auto [it, end] = groups.variant_by_hash.equal_range(hash); it != end; ++it) {
    const Variant& v = groups.variants[static_cast<size_t>(it->second)];
    if (v.keys == run.keys && groups.block_identity[static_cast<size_t>(v.block)] == run.identity) return it->second;
  }
  return -1;
}

}  // namespace

RunPlace group_run(const RunEvents& run, const EventKeys& keys, RunGroups& groups, Trace& trace) {
  if (groups.last >= 0) {  // executions repeat: nearly always the same as before
    const Variant& v = groups.variants[static_cast<size_t>(groups.last)];
    if (v.keys == run.keys && groups.block_identity[static_cast<size_t>(v.block)] == run.identity) return {groups.last};
  }
  uint64_t hash = std::hash<std::string>()(run.identity);
  for (const uint32_t k : run.keys) hash = (hash ^ k) * 0x9E3779B97F4A7C15ULL;
  groups.last = find_variant(run, groups, hash);
  if (groups.last >= 0) return {groups.last};

  const EventGroups events = group_events(run, keys);
  const auto [block, fresh] = groups.block_by_signature.try_emplace(signature_of(events, run.identity),
                                                                    static_cast<int32_t>(trace.blocks.size()));
  if (fresh) add_block(run, keys, events, groups, trace);
  Variant variant;
  variant.keys = run.keys;
  variant.block = block->second;
  const auto& ops = groups.ops_of_block[static_cast<size_t>(variant.block)];
  variant.op_of_event.assign(run.size(), -1);
  for (size_t i = 0; i < run.size(); ++i) {
    if (!run.grouped(i)) continue;
    const auto direct = ops.find(run.keys[i]);
    variant.op_of_event[i] =
        direct != ops.end() ? direct->second : ops.at(events.groups[events.of_key.at(run.keys[i])].first());
  }
  groups.last = static_cast<int32_t>(groups.variants.size());
  groups.variants.push_back(std::move(variant));
  groups.variant_by_hash.emplace(hash, groups.last);
  return {groups.last, true, fresh};
}

}  // namespace et::inspector
