// Puts the ops of a table on the timeline; the placing of samples is in timeline_lanes.cpp.
#include "inspector/analysis/timeline/timeline.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/json_list_reader.h"
#include "inspector/analysis/ops/executions.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/timeline/timeline_lanes.h"

namespace et::inspector {
namespace {

// Samples of a run are numbered with 32 bits.
constexpr size_t kMaxSamplesPerRun = 0x7ffffff0;

// The node that a person should be sent to first.
const NodeFacts* surest_node(const OpTable& table, const OpEntry& op) {
  const OpNode* best = nullptr;
  if (!table.whole_call_text(op).empty()) return nullptr;
  for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) {
    if (best == nullptr || table.nodes[i].confidence > best->confidence) best = &table.nodes[i];
  }
  return best == nullptr ? nullptr : best->node;
}

}  // namespace

std::string TimelineBlock::label() const {
  if (method().empty()) return entry->name;
  return kind() == "execute" ? method() : method() + " (" + kind() + ")";
}

Status Timeline::load(const Store& store, int64_t trace_id, Timeline* out) {
  Timeline t;
  Status status = load_op_table(store, trace_id, {}, &t.table_);
  if (status.ok()) status = t.check_complete(store);
  if (status.ok()) status = t.place_ops(store);
  if (status.ok()) *out = std::move(t);
  return status;
}

// Reports can do without what a damaged store says of an op's place; a picture cannot.
Status Timeline::check_complete(const Store& store) const {
  Statement st = store.query("SELECT count(*), count(parent) FROM raw_op WHERE trace = ?1");
  st.bind_all(table_.trace_id);
  st.step();
  if (Status s = st.finish("ops"); !s.ok()) return s;
  if (st.integer(0) != static_cast<int64_t>(table_.ops.size()))
    return store.damaged("an op belongs to no block of its trace");
  const auto enclosed =
      std::count_if(table_.ops.begin(), table_.ops.end(), [](const OpEntry& op) { return op.parent.has_value(); });
  return st.integer(1) == enclosed ? Status()
                                   : store.damaged("an op is enclosed by itself or by an op of another trace");
}

Status Timeline::place_ops(const Store& store) {
  tracks_.emplace_back();
  ops_.reserve(table_.ops.size());
  for (const OpBlock& block : table_.blocks) {
    TimelineBlock& b = blocks_.emplace_back();
    b.entry = &block;
    for (size_t i = 0; i < block.ops; ++i) {
      const OpEntry& op = table_.ops[block.first_op + i];
      if (op.parent && table_.ops[*op.parent].block != op.block)
        return store.damaged("op " + std::to_string(op.id) + " is enclosed by an op of another block");
      TimelineOp& o = ops_.emplace_back();
      o.entry = &op;
      o.source = surest_node(table_, op);
      o.title = table_.texts.keep(row_title(table_, op));
      o.parent = op.parent ? static_cast<int32_t>(*op.parent) : -1;
      o.block = static_cast<int32_t>(op.block);
      o.track = find_track(&tracks_, op.clock.view(), op.backend.text());
      o.ordinal = static_cast<int32_t>(i);
      b.ops.push_back(static_cast<int32_t>(block.first_op + i));
    }
  }
  const Status nested = nest_ops();
  return nested.ok() ? nested : store.damaged(nested.message());
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

Status Timeline::walk(const Store& store, int64_t max_executions, const Visitor& visit) const {
  SampleCursors cursors(store, ops_.size());
  const std::vector<LaneOp> places = lane_ops();
  LanePlacer placer(places, tracks_.size());
  std::vector<TimelineSample> samples;
  std::vector<Slice> slices;
  ExecutionNumbers numbers(table_.blocks);
  std::unordered_map<int64_t, int32_t> block_at;
  for (size_t i = 0; i < blocks_.size(); ++i) block_at.emplace(blocks_[i].entry->id, static_cast<int32_t>(i));

  Statement st = store.query(
      "SELECT run_id, block_id, ordinal, coalesce(start_ns, 0), duration_ns, is_cold, complete FROM executions "
      "WHERE trace_id = ?1 ORDER BY ordinal, run_id");
  st.bind_all(table_.trace_id);
  int64_t executions = 0;
  while (st.step()) {
    TimelineRun run;
    run.id = st.integer(0);
    const auto block = block_at.find(st.integer(1));
    if (block == block_at.end())
      return store.damaged("run " + std::to_string(run.id) + " belongs to no block of its trace");
    run.block = block->second;
    run.ordinal = st.integer(2);
    run.execution = numbers.next(static_cast<size_t>(run.block));
    run.start = st.integer(3);
    run.duration = st.integer(4);
    run.is_cold = st.integer(5) != 0;
    run.complete = st.integer(6) != 0;
    samples.clear();
    for (const int32_t op : blocks_[static_cast<size_t>(run.block)].ops) {
      cursors.take(op, table_.ops[static_cast<size_t>(op)].id, run.id, &samples);
    }
    if (!cursors.status().ok()) return cursors.status();
    if (samples.size() > kMaxSamplesPerRun)
      return store.damaged("run " + std::to_string(run.id) + " has too many samples");
    slices.clear();
    placer.place(samples, &slices);
    if (Status s = visit(run, slices); !s.ok()) return s;
    if (blocks_[static_cast<size_t>(run.block)].kind() == "execute" && ++executions == max_executions) return {};
  }
  if (Status s = st.finish("runs"); !s.ok()) return s;
  if (const auto left = cursors.unread()) {
    return store.damaged("samples of op " + std::to_string(table_.ops[static_cast<size_t>(*left)].id) +
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
