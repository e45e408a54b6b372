// Reads ops, blocks and their sources for the timeline; the placing of samples is in timeline_lanes.cpp.
#include "inspector/analysis/timeline/timeline.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/json_list_reader.h"
#include "inspector/analysis/timeline/timeline_lanes.h"

namespace et::inspector {
namespace {

// Samples of a run are numbered with 32 bits.
constexpr size_t kMaxSamplesPerRun = 0x7ffffff0;

Status damaged(const Store& store, const std::string& what) {
  return {Error::InvalidExternalData, (store.path().empty() ? std::string("store") : store.path()) + ": " + what};
}

// A statement ends in the same way after its last row and on an error; the connection knows which it was.
Status ended_well(const Store& store, const char* what) {
  const int rc = sqlite3_errcode(store.db());
  if (rc == SQLITE_OK || rc == SQLITE_DONE || rc == SQLITE_ROW) return {};
  return damaged(store, std::string("cannot read ") + what + ": " + sqlite3_errmsg(store.db()));
}

}  // namespace

std::string TimelineOp::label() const {
  if (kind == "delegate_call" && !backend.empty()) return name + " " + backend;
  if (kind == "operator_call") {
    const std::string_view type = only_json_string(op_types);
    return type.empty() ? name : std::string(type);
  }
  return name;
}

std::string TimelineBlock::label() const {
  const std::string& base = method.empty() ? name : method;
  if (kind == "execute") return base;
  return method.empty() ? name : method + " (" + kind + ")";
}

Status Timeline::load(const Store& store, int64_t trace_id, Timeline* out) {
  Timeline t;
  t.trace_ = trace_id;
  t.tracks_.emplace_back();
  Statement st = store.query("SELECT unit, coalesce(name, '') FROM traces WHERE trace_id = ?1");
  st.bind_all(trace_id);
  if (!st.step()) return {Error::NotFound, "no trace #" + std::to_string(trace_id) + " in the store"};
  t.unit_ = st.str(0);
  t.trace_name_ = st.str(1);
  for (auto part : {&Timeline::load_blocks, &Timeline::load_ops, &Timeline::load_sources}) {
    if (Status s = (t.*part)(store); !s.ok()) return s;
  }
  *out = std::move(t);
  return {};
}

Status Timeline::load_blocks(const Store& store) {
  Statement st = store.query(
      "SELECT block_id, coalesce(name, ''), kind, coalesce(method, ''), total_ns, runs FROM blocks WHERE trace_id = ?1 "
      "ORDER BY ordinal, block_id");
  st.bind_all(trace_);
  while (st.step()) {
    TimelineBlock b;
    b.id = st.integer(0);
    b.name = st.str(1);
    b.kind = st.str(2);
    b.method = st.str(3);
    b.total = st.integer(4);
    b.runs = st.integer(5);
    blocks_.push_back(std::move(b));
  }
  return ended_well(store, "blocks");
}

Status Timeline::load_ops(const Store& store) {
  std::unordered_map<int64_t, int32_t> block_at;
  for (size_t i = 0; i < blocks_.size(); ++i) block_at.emplace(blocks_[i].id, static_cast<int32_t>(i));
  // Lists that are no JSON are left out: exports embed them as they are.
  Statement st = store.query(
      "SELECT op_id, parent_op_id, block_id, name, kind, coalesce(backend, ''), coalesce(delegate_debug_id, ''), "
      "coalesce(role, ''), instruction_id, CASE WHEN json_valid(op_types) THEN op_types ELSE '' END, "
      "CASE WHEN json_valid(debug_handles) THEN debug_handles ELSE '' END, clock, count, sum_ns, self_ns, "
      "resolution_limited FROM ops WHERE trace_id = ?1 ORDER BY block_id, ordinal, op_id");
  st.bind_all(trace_);
  std::vector<std::optional<int64_t>> parents;
  std::unordered_map<int64_t, int32_t> op_at;
  while (st.step()) {
    const auto block = block_at.find(st.integer(2));
    if (block == block_at.end()) return damaged(store, "an op belongs to no block of its trace");
    TimelineOp o;
    o.id = st.integer(0);
    parents.push_back(st.maybe_integer(1));
    o.block = block->second;
    o.name = st.str(3);
    o.kind = st.str(4);
    o.backend = st.str(5);
    o.delegate_debug_id = st.str(6);
    o.role = st.str(7);
    o.instruction = st.maybe_integer(8);
    if (st.text(9) != "[]") o.op_types = st.str(9);
    if (st.text(10) != "[]") o.debug_handles = st.str(10);
    const auto clock = st.maybe_text(11);
    o.track = find_track(&tracks_, clock, o.backend);
    o.count = st.integer(12);
    o.sum = st.integer(13);
    o.self = st.integer(14);
    o.resolution_limited = st.integer(15) != 0;
    TimelineBlock& owner = blocks_[static_cast<size_t>(o.block)];
    o.ordinal = static_cast<int32_t>(owner.ops.size());
    const auto index = static_cast<int32_t>(ops_.size());
    owner.ops.push_back(index);
    op_at.emplace(o.id, index);
    ops_.push_back(std::move(o));
  }
  if (Status s = ended_well(store, "ops"); !s.ok()) return s;
  for (size_t i = 0; i < ops_.size(); ++i) {
    if (!parents[i]) continue;
    const auto p = op_at.find(*parents[i]);
    if (p == op_at.end() || ops_[static_cast<size_t>(p->second)].block != ops_[i].block) {
      return damaged(store, "op " + std::to_string(ops_[i].id) + " is enclosed by an op of another block");
    }
    ops_[i].parent = p->second;
  }
  const Status nested = nest_ops();
  return nested.ok() ? nested : damaged(store, nested.message());
}

// Depths, and ops of a block sorted so that enclosing ones come first. Events stand in a dump when they end, so an
// enclosing op usually has the larger ordinal.
Status Timeline::nest_ops() {
  const auto depths = depths_of(lane_ops());
  if (!depths) return {Error::InvalidExternalData, "ops enclose each other in a circle or far too deep"};
  for (size_t i = 0; i < ops_.size(); ++i) ops_[i].depth = (*depths)[i];
  for (TimelineBlock& b : blocks_) {
    std::stable_sort(b.ops.begin(), b.ops.end(), [&](int32_t a, int32_t c) {
      return ops_[static_cast<size_t>(a)].depth < ops_[static_cast<size_t>(c)].depth;
    });
  }
  return {};
}

std::vector<LaneOp> Timeline::lane_ops() const {
  std::vector<LaneOp> ops;
  ops.reserve(ops_.size());
  for (const TimelineOp& o : ops_) ops.push_back({o.parent, o.track, o.ordinal});
  return ops;
}

// The node that a person should be sent to first: the surest one, among equals the first.
Status Timeline::load_sources(const Store& store) {
  std::unordered_map<int64_t, int32_t> op_at;
  for (size_t i = 0; i < ops_.size(); ++i) op_at.emplace(ops_[i].id, static_cast<int32_t>(i));
  Statement st = store.query(
      "SELECT o.op_id, coalesce(n.file, ''), coalesce(n.line, 0), coalesce(n.function, ''), coalesce(n.module_path, "
      "''), "
      "coalesce(n.module_type, '') FROM ops o JOIN links l ON l.op_id = o.op_id JOIN nodes n ON n.node_id = l.node_id "
      "WHERE o.trace_id = ?1 ORDER BY o.op_id, l.confidence DESC, l.ordinal");
  st.bind_all(trace_);
  int64_t last = -1;
  while (st.step()) {
    if (st.integer(0) == last) continue;
    last = st.integer(0);
    const auto at = op_at.find(last);
    if (at == op_at.end()) continue;
    TimelineOp& o = ops_[static_cast<size_t>(at->second)];
    o.file = st.str(1);
    o.line = st.integer(2);
    o.function = st.str(3);
    o.module_path = st.str(4);
    o.module_type = st.str(5);
  }
  return ended_well(store, "links");
}

Status Timeline::walk(const Store& store, int64_t max_executions, const Visitor& visit) const {
  SampleCursors cursors(store, ops_.size());
  const std::vector<LaneOp> places = lane_ops();
  LanePlacer placer(places, tracks_.size());
  std::vector<TimelineSample> samples;
  std::vector<Slice> slices;
  std::unordered_map<int64_t, int32_t> block_at;
  for (size_t i = 0; i < blocks_.size(); ++i) block_at.emplace(blocks_[i].id, static_cast<int32_t>(i));

  Statement st = store.query(
      "SELECT run_id, block_id, ordinal, execution, coalesce(start_ns, 0), duration_ns, is_cold, complete FROM "
      "executions "
      "WHERE trace_id = ?1 ORDER BY ordinal, run_id");
  st.bind_all(trace_);
  int64_t executions = 0;
  while (st.step()) {
    TimelineRun run;
    run.id = st.integer(0);
    const auto block = block_at.find(st.integer(1));
    if (block == block_at.end())
      return damaged(store, "run " + std::to_string(run.id) + " belongs to no block of its trace");
    run.block = block->second;
    run.ordinal = st.integer(2);
    run.execution = st.integer(3);
    run.start = st.integer(4);
    run.duration = st.integer(5);
    run.is_cold = st.integer(6) != 0;
    run.complete = st.integer(7) != 0;
    samples.clear();
    for (const int32_t op : blocks_[static_cast<size_t>(run.block)].ops) {
      cursors.take(op, ops_[static_cast<size_t>(op)].id, run.id, &samples);
    }
    if (!cursors.error().empty()) return damaged(store, "cannot read samples: " + cursors.error());
    if (samples.size() > kMaxSamplesPerRun)
      return damaged(store, "run " + std::to_string(run.id) + " has too many samples");
    slices.clear();
    placer.place(samples, &slices);
    if (Status s = visit(run, slices); !s.ok()) return s;
    if (blocks_[static_cast<size_t>(run.block)].kind == "execute" && ++executions == max_executions) return {};
  }
  if (Status s = ended_well(store, "runs"); !s.ok()) return s;
  if (const auto left = cursors.unread()) {
    return damaged(store, "samples of op " + std::to_string(ops_[static_cast<size_t>(*left)].id) +
                              " are not in the order of their runs");
  }
  return {};
}

void for_begin_end(std::span<const Slice> slices, const std::function<void(const Slice&)>& begin,
                   const std::function<void(const Slice&)>& end) {
  std::vector<const Slice*> open;
  auto close_down_to = [&](size_t level) {
    while (open.size() > level) {
      end(*open.back());
      open.pop_back();
    }
  };
  for (const Slice& s : slices) {
    close_down_to(static_cast<size_t>(s.level));
    begin(s);
    open.push_back(&s);
  }
  close_down_to(0);
}

}  // namespace et::inspector
