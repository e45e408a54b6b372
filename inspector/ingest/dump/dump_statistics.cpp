#include "inspector/ingest/dump/dump_statistics.h"

#include <unordered_map>
#include <vector>

#include "inspector/ingest/dump/execution_costs.h"
#include "inspector/match/statistics.h"

namespace et::inspector {
namespace {

// XNNPACK's profiler gives whole microseconds: what is shorter shows as 0.
void flag_whole_microseconds(ImportContext& context, Trace& trace) {
  for (Block& block : trace.blocks) {
    bool whole = true, any = false;
    for (const int32_t o : block.ops) {
      const Op& op = trace.ops[static_cast<size_t>(o)];
      if (op.kind != OpKind::DelegateOp || op.foreign()) continue;
      whole &= op.whole_microseconds;
      any |= op.stats.max.value_or(0) > 0;
    }
    for (const int32_t o : block.ops) {
      Op& op = trace.ops[static_cast<size_t>(o)];
      op.whole_microseconds = op.kind == OpKind::DelegateOp && whole && any && !trace.cycles && !op.foreign();
      if (op.whole_microseconds) {
        context.diagnostics.add("resolution-limited",
                                "block " + std::to_string(block.ordinal) + " (" + block.name + "): events of " +
                                    (op.backend.empty() ? "a delegate" : op.backend) + " last whole microseconds");
      }
    }
  }
}

// Statistics that depend on other ops: what is enclosed, and the block's total.
void add_shares(Trace& trace) {
  for (const Op& op : trace.ops) {
    if (op.parent < 0 || op.foreign()) continue;
    int64_t& self = trace.ops[static_cast<size_t>(op.parent)].stats.self;
    self = add_clamped(self, -op.stats.sum);
  }
  for (Op& op : trace.ops) {
    const Block& block = trace.blocks[static_cast<size_t>(op.block)];
    if (op.stats.count == 0 || op.foreign() || block.total <= 0) continue;
    op.stats.share = static_cast<double>(op.stats.sum) / static_cast<double>(block.total);
    op.stats.self_share = static_cast<double>(op.stats.self) / static_cast<double>(block.total);
  }
}

// Of ops in several blocks, over all of these.
void add_merged_shares(Trace& trace) {
  std::vector<int64_t> total_of_block(trace.blocks.size(), 0);
  for (const Executions& e : trace.executions_of) {
    int64_t total = 0;
    for (const int32_t b : e.blocks) total = add_clamped(total, trace.blocks[static_cast<size_t>(b)].total);
    for (const int32_t b : e.blocks) total_of_block[static_cast<size_t>(b)] = total;
  }
  std::unordered_map<int32_t, OpStatistics*> merged;
  for (MergedOp& m : trace.merged) {
    merged[m.op] = &m.stats;
    m.stats.self = 0;
  }
  for (size_t o = 0; o < trace.ops.size(); ++o) {
    const Op& op = trace.ops[o];
    const auto at = merged.find(op.merged_into < 0 ? static_cast<int32_t>(o) : op.merged_into);
    if (at != merged.end()) at->second->self = add_clamped(at->second->self, op.stats.self);
  }
  for (MergedOp& m : trace.merged) {
    const Op& op = trace.ops[static_cast<size_t>(m.op)];
    const int64_t total = total_of_block[static_cast<size_t>(op.block)];
    if (m.stats.count == 0 || op.foreign() || total <= 0) continue;
    m.stats.share = static_cast<double>(m.stats.sum) / static_cast<double>(total);
    m.stats.self_share = static_cast<double>(m.stats.self) / static_cast<double>(total);
  }
}

/// The samples of an op, or of several that are one.
struct Durations {
  std::vector<int64_t> all, warm;
  std::optional<int64_t> cold;

  bool empty() const { return all.empty(); }
  void clear() {
    all.clear();
    warm.clear();
    cold.reset();
  }
  /// Returns whether all of them last whole microseconds.
  bool add(std::span<const Sample> samples, int64_t cold_run) {
    bool whole = true;
    for (const Sample& s : samples) {
      all.push_back(s.duration);
      whole &= s.duration % 1000 == 0;
      if (s.run == cold_run) {
        cold = add_clamped(cold.value_or(0), s.duration);
      } else {
        warm.push_back(s.duration);
      }
    }
    return whole;
  }
  void add(const Durations& o) {
    all.insert(all.end(), o.all.begin(), o.all.end());
    warm.insert(warm.end(), o.warm.begin(), o.warm.end());
    if (o.cold) cold = add_clamped(cold.value_or(0), *o.cold);
  }
  /// Reorders them.
  OpStatistics statistics() {
    Samples all_ones(all), warm_ones(warm);
    return OpStatistics::of(all_ones, warm_ones, cold);
  }
};

}  // namespace

Status compute_statistics(Trace& trace, SampleBuffer& all, ImportContext& context) {
  std::vector<Sample> scratch;
  std::span<const Sample> samples;
  Durations one, both;
  ExecutionCosts costs(trace);
  const std::vector<uint32_t>& order = costs.order();
  for (size_t i = 0; i < order.size(); ++i) {
    context.report("statistics", i, order.size());
    const size_t o = order[i];
    Op& op = trace.ops[o];
    if (Status status = all.samples(o, &scratch, &samples); !status.ok()) return status;
    costs.add(o, samples);
    one.clear();
    op.whole_microseconds = one.add(samples, trace.blocks[static_cast<size_t>(op.block)].cold_run);
    all.release(o);
    if (op.merged_into >= 0 || (i + 1 < order.size() && trace.ops[order[i + 1]].merged_into == static_cast<int32_t>(o)))
      both.add(one);
    op.stats = one.statistics();
    if (both.empty() || (i + 1 < order.size() && trace.ops[order[i + 1]].merged_into >= 0)) continue;
    trace.merged.push_back({op.merged_into, both.statistics()});
    both.clear();
  }
  for (Block& block : trace.blocks) {
    for (const int64_t d : block.run_durations) block.total = add_clamped(block.total, d);
  }
  add_shares(trace);
  add_merged_shares(trace);
  costs.finish();
  flag_whole_microseconds(context, trace);
  return {};
}

}  // namespace et::inspector
