#include "inspector/ingest/dump/run_groups.h"

#include <functional>
#include <utility>

#include "inspector/ingest/dump/event_level.h"
#include "inspector/ingest/dump/json_name.h"

namespace et::inspector {
namespace {

/// Events of one instruction, chain and delegate id, in order of appearance: the different measurements, and the first
/// logged value.
struct EventGroup {
  int64_t first_profile = -1, first_debug = -1;
  std::vector<uint32_t> more_profile;  // rarely any

  /// Logged values belong to the first measurement of their group.
  uint32_t first() const { return static_cast<uint32_t>(first_profile < 0 ? first_debug : first_profile); }
  void add(uint32_t key, bool debug) {
    if (debug) {
      if (first_debug < 0) first_debug = key;
    } else if (first_profile < 0) {
      first_profile = key;
    } else {
      more_profile.push_back(key);
    }
  }
  template <typename Visit>
  void each_profile(Visit&& visit) const {
    if (first_profile >= 0) visit(static_cast<uint32_t>(first_profile));
    for (const uint32_t k : more_profile) visit(k);
  }
};
struct EventGroups {
  std::pmr::monotonic_buffer_resource arena;
  std::vector<EventGroup> groups;
  std::pmr::unordered_map<uint32_t, size_t> of_key{&arena};
};

void append_number(std::string* out, int64_t v) { out->append(reinterpret_cast<const char*>(&v), sizeof v); }

struct GroupId {
  int64_t instruction, chain, delegate_int;
  std::string_view delegate_str;
  bool operator==(const GroupId&) const = default;
};
struct GroupIdHash {
  size_t operator()(const GroupId& id) const {
    size_t hash = std::hash<std::string_view>()(id.delegate_str);
    for (const int64_t v : {id.instruction, id.chain, id.delegate_int})
      hash = (hash ^ static_cast<uint64_t>(v)) * 0x9E3779B97F4A7C15ULL;
    return hash;
  }
};

void group_events(const RunEvents& run, const EventKeys& keys, EventGroups& out) {
  std::pmr::unordered_map<GroupId, size_t, GroupIdHash> by_id(&out.arena);
  for (size_t i = 0; i < run.size(); ++i) {
    if (!run.grouped(i)) continue;
    const uint32_t k = run.keys[i];
    if (out.of_key.contains(k)) continue;
    const EventKey& key = keys[k];
    const GroupId id{key.instruction, key.chain, key.delegate_int, key.delegate_str};
    const auto [it, fresh] = by_id.try_emplace(id, out.groups.size());
    if (fresh) out.groups.emplace_back();
    out.of_key.emplace(k, it->second);
    out.groups[it->second].add(k, key.debug);
  }
}

/// Runs of equal signature share a block.
std::string signature_of(const EventGroups& events, const std::string& identity) {
  std::string signature = identity;
  for (const EventGroup& g : events.groups) {
    append_number(&signature, static_cast<int64_t>(g.more_profile.size()));
    append_number(&signature, g.first_profile);
    for (const uint32_t k : g.more_profile) append_number(&signature, k);
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
  auto& ops = groups.ops_of_block.emplace_back(&groups.arena);
  auto add_op = [&](uint32_t k) {
    Op op;
    op.block = ordinal;
    op.ordinal = static_cast<int32_t>(block.ops.size());
    op.key = keys[k];
    op.name = shown_name(op.key);
    if (auto json = read_json_name(op.key.delegate_str)) {
      op.name = std::move(json->title);
      op.map_key = std::move(json->map_key);
      op.metadata = std::move(json->arguments);
    }
    op.kind = op.key.debug ? OpKind::Value : level_of_event(op.key).kind;
    ops.emplace(k, static_cast<int32_t>(trace.ops.size()));
    block.ops.push_back(static_cast<int32_t>(trace.ops.size()));
    trace.ops.push_back(std::move(op));
  };
  for (const EventGroup& g : events.groups) {
    if (g.first_profile < 0) add_op(g.first());
    g.each_profile(add_op);
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

  EventGroups events;
  group_events(run, keys, events);
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
