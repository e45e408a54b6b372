#include "inspector/match/execution_basis.h"

#include <algorithm>

#include "inspector/match/statistics.h"

namespace et::inspector {
namespace {

constexpr int64_t kOtherMode = 2;  // times the median
constexpr double kExceeds = 1.25;

}  // namespace

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

MiddleMean middle_mean(std::vector<int64_t>& values) {
  const size_t n = values.size();
  if (n == 0) return {};
  const size_t trim = std::min((n + 3) / 4, (n - 1) / 2);
  const auto first = values.begin() + static_cast<ptrdiff_t>(trim), last = values.end() - static_cast<ptrdiff_t>(trim);
  std::nth_element(values.begin(), first, values.end());
  if (trim > 0) std::nth_element(first, last, values.end());
  double sum = 0;
  int64_t least = *first, most = *first;
  for (auto v = first; v != last; ++v) {
    sum += static_cast<double>(*v);
    least = std::min(least, *v);
    most = std::max(most, *v);
  }
  MiddleMean out;
  out.mean = out.one_mode = sum / static_cast<double>(last - first);
  if (least > 0 && most / kOtherMode < least) return out;  // mostly
  const auto middle = first + (last - first - 1) / 2;
  std::nth_element(first, middle, last);
  const int64_t median = *middle;
  if (median <= 0) return out;
  double usual = 0;
  ptrdiff_t count = 0;
  for (auto v = first; v != last; ++v) {
    if (*v / kOtherMode > median) continue;
    usual += static_cast<double>(*v);
    ++count;
  }
  out.one_mode = usual / static_cast<double>(count);
  return out;
}

bool exceeds_median(double sum, double median) { return median > 0 && sum > kExceeds * median; }

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
  if (!warm.empty()) {
    const double part = runs / static_cast<double>(basis.warm_count());
    const MiddleMean middle = middle_mean(warm);
    out.warm_median = middle.mean * part;
    out.one_mode = middle.one_mode * part;
  }
  if (basis.cold_count() > 0) out.cold = cold / static_cast<double>(basis.cold_count());
  if (basis.tail_count() > 0) out.p99 = tail / static_cast<double>(basis.tail_count());
  return out;
}

}  // namespace et::inspector
