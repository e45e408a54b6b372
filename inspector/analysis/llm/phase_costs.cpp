#include "inspector/analysis/llm/phase_costs.h"

#include "inspector/analysis/llm/run_times.h"

namespace et::inspector {

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
  RunTimes reader(store, shown, steps);
  double usual = 0;
  for (size_t i = 0; i < shown.ops.size(); ++i) {
    if (!has_time(shown.ops[i]) || shown.block_of(shown.ops[i]).kind != "execute") continue;
    reader.add(i);
    for (const uint32_t child : inside[i]) reader.subtract(child);
    out->cost[i] = part_cost(basis, reader.take()).warm_median;
    usual += out->cost[i];
  }
  out->median = basis.warm_median();
  out->variation = out->median - usual;
  return reader.finish();
}

}  // namespace et::inspector
