#include "inspector/analysis/ops/op_range.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "inspector/match/statistics.h"

namespace et::inspector {
namespace {

constexpr int kPositionBits = 32;  // of a sample's key, behind those of its op

/// Time of [start, start + duration) in the span.
int64_t inside(const TimeRange& range, int64_t start, int64_t duration) {
  int64_t end = 0;
  if (__builtin_add_overflow(start, std::max<int64_t>(duration, 0), &end)) end = INT64_MAX;
  return std::max<int64_t>(std::min(end, range.end) - std::max(start, range.begin), 0);
}

/// Whether it takes part: one without a length too, when it lies in the span.
bool takes_part(const TimeRange& range, int64_t start, int64_t duration) {
  return inside(range, start, duration) > 0 || (duration <= 0 && start >= range.begin && start < range.end);
}

/// The executions that the span touches.
struct TouchedRuns {
  struct Block {
    int64_t runs = 0, total = 0;
  };
  std::unordered_map<int64_t, Block> blocks;  // by key
  std::unordered_set<int64_t> warm, cold;     // by run_id
};

Status find_runs(const Store& store, const TimeRange& range, int64_t trace_id, TouchedRuns* out) {
  Statement st = store.query(
      "SELECT run_id, block_id, start_ns, duration_ns, is_cold FROM executions WHERE trace_id = ?1 ORDER BY run_id");
  st.bind_all(trace_id);
  while (st.step()) {
    const int64_t time = inside(range, st.integer(2), st.integer(3));
    if (!takes_part(range, st.integer(2), st.integer(3))) continue;
    TouchedRuns::Block& block = out->blocks[st.integer(1)];
    ++block.runs;
    block.total = add_clamped(block.total, time);
    (st.integer(4) != 0 ? out->cold : out->warm).insert(st.integer(0));
  }
  return st.finish("executions");
}

/// Parts of an op's samples that lie in the span; samples of an op are neighbours, in the order of time.
class RangeReader {
 public:
  RangeReader(const Store& store, const TimeRange& range, const TouchedRuns& runs) : range_(range), runs_(runs) {
    count_ = store.query("SELECT count FROM raw_op WHERE id = ?1");
    at_ = store.query("SELECT start FROM raw_sample WHERE id = ?1");
    from_ = store.query("SELECT run, start, duration FROM raw_sample WHERE id BETWEEN ?1 AND ?2 ORDER BY id");
  }

  std::vector<int64_t> all, warm;

  void read(int64_t op, bool own_clock) {
    count_.bind_all(op);
    const int64_t count = count_.step() ? count_.integer(0) : 0;
    count_.reset();
    if (count <= 0) return;
    const int64_t first = own_clock ? std::max<int64_t>(first_from(op, count) - 1, 0) : 0;
    from_.bind_all((op << kPositionBits) + first, (op << kPositionBits) + count - 1);
    while (from_.step()) {
      const int64_t run = from_.integer(0), start = from_.integer(1), duration = from_.integer(2);
      if (own_clock && start >= range_.end) break;
      const bool is_warm = runs_.warm.contains(run);
      if (own_clock ? !takes_part(range_, start, duration) : !is_warm && !runs_.cold.contains(run)) continue;
      all.push_back(own_clock ? inside(range_, start, duration) : duration);
      if (is_warm) warm.push_back(all.back());
    }
    from_.reset();
  }
  Status finish() {
    Status status = at_.finish("samples");
    return status.ok() ? from_.finish("samples") : status;
  }

 private:
  /// The first position that starts in the span or behind it.
  int64_t first_from(int64_t op, int64_t count) {
    int64_t low = 0, high = count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      at_.bind_all((op << kPositionBits) + middle);
      const bool before = at_.step() && at_.integer(0) < range_.begin;
      at_.reset();
      (before ? low : high) = before ? middle + 1 : middle;
    }
    return low;
  }

  const TimeRange& range_;
  const TouchedRuns& runs_;
  Statement count_, at_, from_;
};

void set_block(const TouchedRuns& runs, OpBlock* block) {
  TouchedRuns::Block sum;
  const std::vector<int64_t> own = {block->id};
  for (const int64_t id : block->merged.empty() ? own : block->merged) {
    const auto at = runs.blocks.find(id);
    if (at == runs.blocks.end()) continue;
    sum.runs += at->second.runs;
    sum.total = add_clamped(sum.total, at->second.total);
  }
  block->runs = sum.runs;
  block->total = sum.total;
  block->cost = static_cast<double>(sum.total);
  block->variation = 0;
  block->cold.reset();
  block->warm_mean.reset();
  block->warm_p50.reset();
}

/// Self times and shares, from the inclusive times.
void set_self(OpTable* table) {
  const auto has_time = [](const OpEntry& op) { return op.on_trace_clock() && op.count > 0; };
  for (const OpEntry& op : table->ops) {
    if (has_time(op) && op.parent && table->ops[*op.parent].on_trace_clock()) table->ops[*op.parent].self -= op.sum;
  }
  for (OpEntry& op : table->ops) {
    op.cost = has_time(op) ? static_cast<double>(op.self) : 0;
    op.share = {};
    op.self_share = {};
    const int64_t total = table->block_of(op).total;
    if (!has_time(op) || total <= 0) continue;
    op.share = static_cast<double>(op.sum) / static_cast<double>(total);
    op.self_share = static_cast<double>(op.self) / static_cast<double>(total);
  }
}

}  // namespace

Status restrict_ops(const Store& store, const TimeRange& range, OpTable* table) {
  TouchedRuns runs;
  Status status = find_runs(store, range, table->trace_id, &runs);
  if (!status.ok()) return status;
  std::vector<std::vector<int64_t>> keys(table->ops.size());
  for (size_t i = 0; i < keys.size(); ++i) keys[i].push_back(table->ops[i].id);
  for (const auto& [id, into] : table->merged_ids) keys[into].push_back(id);
  RangeReader reader(store, range, runs);
  for (size_t i = 0; i < keys.size(); ++i) {
    OpEntry& op = table->ops[i];
    reader.all.clear();
    reader.warm.clear();
    for (const int64_t id : keys[i]) reader.read(id, op.on_trace_clock());
    Samples all(reader.all), warm(reader.warm);
    static_cast<OpStatistics&>(op) = OpStatistics::of(all, warm, std::nullopt);
  }
  for (OpEntry& op : table->ops) {
    if (op.on_trace_clock()) continue;
    Maybe<uint32_t> host = op.parent;
    for (size_t steps = 0; host && !table->ops[*host].on_trace_clock() && steps < table->ops.size(); ++steps)
      host = table->ops[*host].parent;
    if (host && table->ops[*host].count == 0) static_cast<OpStatistics&>(op) = OpStatistics();
  }
  for (OpBlock& block : table->blocks) set_block(runs, &block);
  set_self(table);
  table->basis = {BasisKind::Range};
  return reader.finish();
}

}  // namespace et::inspector
