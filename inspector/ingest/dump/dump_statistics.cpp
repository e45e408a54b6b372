#include "inspector/ingest/dump/dump_statistics.h"

#include <vector>

#include "inspector/match/statistics.h"

namespace et::inspector {
namespace {

int64_t add_clamped(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

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

}  // namespace

void compute_statistics(Trace& trace, SampleBuffer& all, ImportContext& context) {
  std::vector<Sample> samples;
  std::vector<int64_t> durations, warm;
  for (size_t o = 0; o < trace.ops.size(); ++o) {
    context.report("statistics", o, trace.ops.size());
    Op& op = trace.ops[o];
    const Block& block = trace.blocks[static_cast<size_t>(op.block)];
    all.samples(o, &samples);
    all.release(o);
    durations.clear();
    warm.clear();
    op.whole_microseconds = true;
    std::optional<int64_t> cold;
    for (const Sample& s : samples) {
      durations.push_back(s.duration);
      op.whole_microseconds &= s.duration % 1000 == 0;
      if (s.run == block.cold_run) {
        cold = add_clamped(cold.value_or(0), s.duration);
      } else {
        warm.push_back(s.duration);
      }
    }
    Samples all_ones(durations), warm_ones(warm);
    op.stats = OpStatistics::of(all_ones, warm_ones, cold);
  }
  for (Block& block : trace.blocks) {
    for (const int64_t d : block.run_durations) block.total = add_clamped(block.total, d);
  }
  add_shares(trace);
  flag_whole_microseconds(context, trace);
}

}  // namespace et::inspector
