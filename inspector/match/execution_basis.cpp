#include "inspector/match/execution_basis.h"

#include <algorithm>

#include "inspector/match/statistics.h"

namespace et::inspector {

ExecutionBasis::ExecutionBasis(const std::vector<ExecutionFacts>& executions) : marks_(executions.size(), 0) {
  std::vector<int64_t> latencies;
  const auto mark_warm = [&](const auto& is_warm) {
    for (size_t i = 0; i < executions.size(); ++i) {
      if (!is_warm(executions[i])) continue;
      marks_[i] |= kWarm;
      latencies.push_back(executions[i].latency);
    }
  };
  mark_warm([](const ExecutionFacts& e) { return e.complete && !e.cold; });
  if (latencies.empty()) mark_warm([](const ExecutionFacts& e) { return e.complete; });
  if (latencies.empty()) mark_warm([](const ExecutionFacts&) { return true; });
  warm_count_ = static_cast<int64_t>(latencies.size());
  warm_median_ = percentile(latencies, 0.5);
  const double slow = percentile(latencies, 0.99);
  for (size_t i = 0; i < executions.size(); ++i) {
    if (executions[i].cold) {
      marks_[i] |= kCold;
      ++cold_count_;
    }
    if ((marks_[i] & kWarm) != 0 && static_cast<double>(executions[i].latency) >= slow) {
      marks_[i] |= kTail;
      ++tail_count_;
    }
  }
}

double middle_mean(std::vector<int64_t>& values) {
  const size_t n = values.size();
  if (n == 0) return 0;
  const size_t trim = std::min((n + 3) / 4, (n - 1) / 2);
  const auto first = values.begin() + static_cast<ptrdiff_t>(trim), last = values.end() - static_cast<ptrdiff_t>(trim);
  std::nth_element(values.begin(), first, values.end());
  if (trim > 0) std::nth_element(first, last, values.end());
  double sum = 0;
  for (auto v = first; v != last; ++v) sum += static_cast<double>(*v);
  return sum / static_cast<double>(last - first);
}

PartCost part_cost(const ExecutionBasis& basis, const std::vector<PartTime>& times) {
  PartCost out;
  std::vector<int64_t> warm;
  warm.reserve(times.size());
  double cold = 0, tail = 0;
  for (const PartTime& t : times) {
    if (basis.warm(t.execution)) warm.push_back(t.time);
    if (basis.cold(t.execution)) cold += static_cast<double>(t.time);
    if (basis.tail(t.execution)) tail += static_cast<double>(t.time);
  }
  const auto runs = static_cast<double>(warm.size());
  if (!warm.empty()) out.warm_median = middle_mean(warm) * runs / static_cast<double>(basis.warm_count());
  if (basis.cold_count() > 0) out.cold = cold / static_cast<double>(basis.cold_count());
  if (basis.tail_count() > 0) out.p99 = tail / static_cast<double>(basis.tail_count());
  return out;
}

}  // namespace et::inspector
