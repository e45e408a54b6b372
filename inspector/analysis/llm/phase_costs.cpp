#include "inspector/analysis/llm/phase_costs.h"

#include <cmath>

#include "inspector/analysis/llm/run_times.h"

namespace et::inspector {
namespace {

/// What the executions of a phase, or one of their parts, cost on a basis. Of a range the usual one is told.
class PhaseBasis {
 public:
  PhaseBasis(const Basis& basis, const std::vector<const TokenStep*>& steps, const ExecutionBasis& executions)
      : basis_(basis), steps_(steps), executions_(executions) {}

  double whole() const {
    std::vector<PartTime> all;
    for (uint32_t i = 0; i < steps_.size(); ++i) all.push_back({i, steps_[i]->duration});
    return usual() ? executions_.warm_median() : cost(all);
  }

  double cost(const std::vector<PartTime>& times) const {
    const bool is_mean = basis_.kind == BasisKind::Mean;
    if (is_mean || basis_.kind == BasisKind::Total || basis_.kind == BasisKind::Execution) {
      double sum = 0;
      for (const PartTime& t : times) {
        if (basis_.kind == BasisKind::Execution && steps_[t.execution]->execution != basis_.execution) continue;
        sum += static_cast<double>(t.time);
      }
      return is_mean ? sum / static_cast<double>(steps_.size()) : sum;
    }
    const PartCost part = part_cost(executions_, times);
    return basis_.kind == BasisKind::Cold ? part.cold : basis_.kind == BasisKind::P99 ? part.p99 : part.warm_median;
  }

 private:
  bool usual() const { return basis_.kind == BasisKind::WarmMedian || basis_.kind == BasisKind::Range; }
  const Basis& basis_;
  const std::vector<const TokenStep*>& steps_;
  const ExecutionBasis& executions_;
};

}  // namespace

Status phase_costs(const Store& store, const OpTable& shown, const std::vector<const TokenStep*>& steps,
                   PhaseCosts* out) {
  *out = {};
  out->executions = static_cast<int64_t>(steps.size());
  out->cost.resize(shown.ops.size());
  if (steps.empty()) return {};
  std::vector<ExecutionFacts> facts;
  for (const TokenStep* step : steps) facts.push_back({step->duration, step->cold, step->complete});
  const ExecutionBasis basis(facts);
  const auto has_time = [](const OpEntry& op) { return op.on_trace_clock() && op.count > 0; };
  std::vector<std::vector<uint32_t>> inside(shown.ops.size());
  for (size_t i = 0; i < shown.ops.size(); ++i) {
    if (has_time(shown.ops[i]) && shown.ops[i].parent) inside[*shown.ops[i].parent].push_back(static_cast<uint32_t>(i));
  }
  const PhaseBasis on(shown.basis, steps, basis);
  RunTimes reader(store, shown, steps);
  double sum = 0;
  for (size_t i = 0; i < shown.ops.size(); ++i) {
    if (!has_time(shown.ops[i]) || shown.block_of(shown.ops[i]).kind != "execute") continue;
    reader.add(i);
    for (const uint32_t child : inside[i]) reader.subtract(child);
    out->cost[i] = on.cost(reader.take());
    sum += out->cost[i];
  }
  out->median = basis.warm_median();
  out->whole = on.whole();
  out->variation = out->whole - sum;
  // What is only rounding is no part of its own.
  if (std::fabs(out->variation) < 1e-6 * out->whole) out->variation = 0;
  return reader.finish();
}

}  // namespace et::inspector
