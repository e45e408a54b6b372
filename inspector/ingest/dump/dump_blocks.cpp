// Grouping runs into blocks and events into ops, by upstream's rules (etdump format page, section 3), with nesting.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "etdump/delegate_metadata.h"
#include "inspector/ingest/dump/dump_detail.h"
#include "inspector/ingest/dump/dump_import.h"
#include "inspector/ingest/dump/nesting.h"

namespace et::inspector {
namespace {

struct NamedLevel {
  std::string_view name;
  NestingLevel level;
  OpKind kind;
};
constexpr NamedLevel kLevels[] = {
    {"Method::execute", NestingLevel::Method, OpKind::Framework},
    {"Method::init", NestingLevel::Method, OpKind::Framework},
    {"Program::load_method", NestingLevel::Method, OpKind::Framework},
    {"Method::step", NestingLevel::Step, OpKind::Framework},
    {"OPERATOR_CALL", NestingLevel::Call, OpKind::OperatorCall},
    {"DELEGATE_CALL", NestingLevel::Call, OpKind::DelegateCall},
    {"JF_CALL", NestingLevel::Call, OpKind::Control},
    {"MOVE_CALL", NestingLevel::Call, OpKind::Control},
    {"FREE_CALL", NestingLevel::Call, OpKind::Control},
};

NamedLevel level_of(const EventKey& key) {
  if (key.delegated()) return {"", NestingLevel::Delegate, OpKind::DelegateOp};
  for (const NamedLevel& l : kLevels) {
    if (key.name == l.name) return l;
  }
  return {"", NestingLevel::Inner, OpKind::Kernel};
}

std::string shown_name(const EventKey& key) {
  if (key.delegate_int != -1) return std::to_string(key.delegate_int);
  if (!key.delegate_str.empty()) return key.delegate_str;
  return key.name;
}

void append_number(std::string* out, int64_t v) { out->append(reinterpret_cast<const char*>(&v), sizeof v); }

}  // namespace

std::string detail::run_identity(const etdump::Reader& reader, const etdump::Run& run) {
  std::string out(run.name());
  out += '\0';
  append_number(&out, run.bundled_input_index());
  if (const etdump::Trailer* t = reader.trailer(); t != nullptr && run.index() < t->run_count())
    out += t->run(run.index()).method;
  return out;
}

void DumpImport::make_variant(Trace& trace, const etdump::Run& run, Variant& variant, const NewBlock& on_new_block) {
  // Groups in order of appearance; within a group the different profile events, and whether values were logged.
  struct Group {
    uint32_t first_key;
    std::vector<uint32_t> profile;
    int64_t first_debug = -1;
  };
  std::vector<Group> groups;
  std::unordered_map<std::string, size_t> group_by_id;
  std::unordered_map<uint32_t, size_t> group_of_key;
  for (size_t i = 0; i < run_.keys.size(); ++i) {
    if ((run_.flags[i] & (detail::kOutput | detail::kAllocation)) != 0) continue;
    const uint32_t k = run_.keys[i];
    auto known = group_of_key.find(k);
    if (known == group_of_key.end()) {
      const EventKey& key = keys_[k];
      std::string id = key.delegate_str;
      append_number(&id, key.instruction);
      append_number(&id, key.chain);
      append_number(&id, key.delegate_int);
      const auto [it, fresh] = group_by_id.try_emplace(id, groups.size());
      if (fresh) groups.push_back({k, {}, -1});
      known = group_of_key.emplace(k, it->second).first;
      Group& g = groups[it->second];
      if (!key.debug) g.profile.push_back(k);
    }
    Group& g = groups[known->second];
    if (keys_[k].debug && g.first_debug < 0) g.first_debug = k;
  }
  std::string signature = detail::run_identity(reader_, run);
  std::vector<uint32_t> op_keys;
  for (const Group& g : groups) {
    for (const uint32_t k : g.profile) op_keys.push_back(k);
    if (g.profile.empty()) op_keys.push_back(static_cast<uint32_t>(g.first_debug));
    append_number(&signature, static_cast<int64_t>(g.profile.size()));
    for (const uint32_t k : g.profile) append_number(&signature, k);
    append_number(&signature, g.first_debug);
  }
  const auto [it, fresh] = block_by_signature_.try_emplace(signature, static_cast<int32_t>(trace.blocks.size()));
  variant.block = it->second;
  if (fresh) {
    block_identity_.push_back(detail::run_identity(reader_, run));
    trace.blocks.emplace_back();
    Block& block = trace.blocks.back();
    block.row = block_ids_->next();
    block.ordinal = it->second;
    block.name = std::string(run.name());
    block.bundled_input_index = run.bundled_input_index();
    std::unordered_map<uint32_t, int32_t> ops;
    for (const uint32_t k : op_keys) {
      Op op;
      op.row = op_ids_->next();
      op.block = it->second;
      op.ordinal = static_cast<int32_t>(block.ops.size());
      op.key = keys_[k];
      op.name = shown_name(op.key);
      op.kind = op.key.debug ? OpKind::Value : level_of(op.key).kind;
      ops.emplace(k, static_cast<int32_t>(trace.ops.size()));
      block.ops.push_back(static_cast<int32_t>(trace.ops.size()));
      samples_.declare(trace.ops.size(), op.row);
      trace.ops.push_back(std::move(op));
    }
    block_ops_.push_back(std::move(ops));
  }
  const auto& ops = block_ops_[static_cast<size_t>(variant.block)];
  variant.op_of_event.assign(run_.keys.size(), -1);
  for (size_t i = 0; i < run_.keys.size(); ++i) {
    if ((run_.flags[i] & (detail::kOutput | detail::kAllocation)) != 0) continue;
    const uint32_t k = run_.keys[i];
    if (const auto direct = ops.find(k); direct != ops.end()) {
      variant.op_of_event[i] = direct->second;
    } else {  // a logged value belongs to the first measurement of its group
      const Group& g = groups[group_of_key.at(k)];
      variant.op_of_event[i] = ops.at(g.profile.empty() ? static_cast<uint32_t>(g.first_debug) : g.profile.front());
    }
  }
  nest_variant(trace, variant, fresh, run, on_new_block);
}

void DumpImport::nest_variant(Trace& trace, Variant& variant, bool fresh, const etdump::Run& run,
                              const NewBlock& on_new_block) {
  std::vector<NestingEvent> events;
  std::vector<uint32_t> at;
  for (size_t i = 0; i < run_.keys.size(); ++i) {
    if (run_.flags[i] != 0) continue;
    const EventKey& key = keys_[run_.keys[i]];
    events.push_back({level_of(key).level, key.instruction, key.chain, run_.starts[i], run_.ends[i]});
    at.push_back(static_cast<uint32_t>(i));
  }
  const std::vector<int32_t> parents = nest(events);
  auto op_at = [&](size_t n) -> Op& { return trace.ops[static_cast<size_t>(variant.op_of_event[at[n]])]; };
  Block& block = trace.blocks[static_cast<size_t>(variant.block)];
  if (fresh) {
    for (size_t n = 0; n < events.size(); ++n) {
      Op& op = op_at(n);
      if (parents[n] < 0 || op.parent >= 0) continue;
      op.parent = variant.op_of_event[at[static_cast<size_t>(parents[n])]];
      Op& parent = trace.ops[static_cast<size_t>(op.parent)];
      parent.has_children = true;
    }
    bool executes = false, loads = false;
    for (const int32_t o : block.ops) {
      Op& op = trace.ops[static_cast<size_t>(o)];
      executes |= op.name == "Method::execute";
      loads |= op.name == "Program::load_method";
      if (op.kind != OpKind::Kernel) continue;
      const bool in_kernel_call =
          op.parent >= 0 && (trace.ops[static_cast<size_t>(op.parent)].kind == OpKind::OperatorCall ||
                             trace.ops[static_cast<size_t>(op.parent)].kind == OpKind::Kernel);
      const bool alone = op.parent < 0 || trace.ops[static_cast<size_t>(op.parent)].kind == OpKind::Framework;
      if (!in_kernel_call && !(alone && op.key.chain >= 0)) op.kind = OpKind::Backend;
    }
    block.complete = executes;
    block.kind = executes || block.name == "Execute" ? "execute" : loads || block.name == "Default" ? "load" : "other";
    if (const etdump::Trailer* t = reader_.trailer(); t != nullptr && run.index() < t->run_count()) {
      const etdump::TrailerRun tr = t->run(run.index());
      block.trailer_method = std::string(tr.method);
      if (!tr.kind.empty()) block.kind = std::string(tr.kind);
    }
    on_new_block(trace, block);
    for (size_t n = 0; n < events.size(); ++n) {
      Op& op = op_at(n);
      etdump::Event event;
      if (op.kind != OpKind::DelegateOp || !op.metadata.empty() || !run.event(run_.indexes[at[n]], &event)) continue;
      if (format::DelegateMetadata record; format::DelegateMetadata::open(event.metadata, &record)) {
        op.recorded = true;
        for (uint32_t i = 0; i < record.count(); ++i) op.recorded_nodes.push_back(record.node(i));
        if (record.phase() != format::DelegatePhase::Run) op.role = format::delegate_phase_name(record.phase());
      }
      for (const etdump::MetadataEntry& e : etdump::decode_metadata(op.backend, event.metadata)) {
        op.metadata += (op.metadata.empty() ? "" : "; ") + e.key + "=" + e.value;
      }
    }
    // Delegate events that lie outside of what encloses them count something else than the trace's clock.
    for (size_t n = 0; n < events.size(); ++n) {
      Op& op = op_at(n);
      if (op.kind != OpKind::DelegateOp || parents[n] < 0 || op.clock_given || op.foreign()) continue;
      const NestingEvent& outer = events[static_cast<size_t>(parents[n])];
      if (outer.start > outer.end || (events[n].start >= outer.start && events[n].start <= outer.end)) continue;
      op.clock = "unknown";
      context_.diagnostics.add("delegate-clock-foreign",
                               place(run.index(), run_.indexes[at[n]]) + " (" + op.name + ", backend " +
                                   (op.backend.empty() ? "unknown" : op.backend) + "): starts outside of its call");
    }
  }
  for (size_t n = 0; n < events.size(); ++n) {
    if (parents[n] < 0 && !op_at(n).foreign()) variant.roots.push_back(at[n]);
  }
}

void DumpImport::add_run(Trace& trace, const etdump::Run& run, int32_t variant_index) {
  const Variant& variant = variants_[static_cast<size_t>(variant_index)];
  Block& block = trace.blocks[static_cast<size_t>(variant.block)];
  const int64_t row = run_ids_->next();
  std::optional<int64_t> start, error, lost;
  std::optional<std::string> phase;
  bool first_of_method = false;
  if (block.kind == "load") saw_load_ = true;
  if (block.kind == "execute") {
    ++trace.executions;
    // Of an unknown method only the very first execution is surely cold.
    first_of_method = !method_ran_[block.method] && (saw_load_ || reader_.trailer() != nullptr);
    if (first_of_method && block.method.empty() && trace.executions > 1) first_of_method = false;
    method_ran_[block.method] = true;
  }
  if (const etdump::Trailer* t = reader_.trailer(); t != nullptr && run.index() < t->run_count()) {
    const etdump::TrailerRun tr = t->run(run.index());
    error = tr.error;
    lost = static_cast<int64_t>(tr.lost_events);
    if (!tr.phase.empty()) phase = std::string(tr.phase);
    first_of_method = block.kind == "execute" && tr.execution == 0;
  }
  int64_t total = 0;
  size_t next_root = 0;
  for (size_t i = 0; i < run_.keys.size(); ++i) {
    if (run_.flags[i] != 0) continue;
    const Op& op = trace.ops[static_cast<size_t>(variant.op_of_event[i])];
    const int64_t at = op.foreign() ? static_cast<int64_t>(std::min<uint64_t>(run_.starts[i], INT64_MAX))
                                    : to_trace_time(run_.starts[i]);
    const int64_t duration = duration_of(op, run_.starts[i], run_.ends[i], run.index(), run_.indexes[i]);
    samples_.add(static_cast<size_t>(variant.op_of_event[i]), {row, at, duration});
    if (next_root < variant.roots.size() && variant.roots[next_root] == i) {
      ++next_root;
      start = start ? std::min(*start, at) : at;
      if (__builtin_add_overflow(total, duration, &total)) total = INT64_MAX;
    }
  }
  if (first_of_method) block.cold_run = row;
  insert_run_.run(row, context_.trace, block.row, run.index(), block.run_durations.size(), start, total,
                  first_of_method, block.complete || block.kind != "execute", error, lost, phase);
  block.run_durations.push_back(total);
  if (!block.complete && block.kind == "execute") {
    context_.diagnostics.add("execution-incomplete", context_.inputs.dump + ": run " + std::to_string(run.index()) +
                                                         " has no Method::execute event");
  }
  add_extras(trace, run, variant, row);
  add_values(trace, run, variant, row);
}

}  // namespace et::inspector
