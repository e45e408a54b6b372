#include "inspector/match/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "inspector/match/int128.h"

namespace et::inspector {
namespace {

// `values` is partitioned up to `sorted_from`: smaller ranks were taken before, so only the rest is searched.
double percentile_from(std::vector<int64_t>& values, double q, size_t* sorted_from) {
  const double rank = q * static_cast<double>(values.size() - 1);
  const auto low = static_cast<size_t>(rank);
  const double part = rank - static_cast<double>(low);
  const auto at = values.begin() + static_cast<ptrdiff_t>(low);
  std::nth_element(values.begin() + static_cast<ptrdiff_t>(*sorted_from), at, values.end());
  *sorted_from = low;
  const auto a = static_cast<double>(*at);
  if (part == 0.0) return a;
  const auto b = static_cast<double>(*std::min_element(at + 1, values.end()));
  // numpy's lerp takes the nearer end as the base, which keeps the result monotonic.
  return part < 0.5 ? a + (b - a) * part : b - (b - a) * (1.0 - part);
}

}  // namespace

int64_t add_clamped(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? INT64_MAX : INT64_MIN;
}

double percentile(std::vector<int64_t>& values, double q) {
  if (values.empty()) return 0;
  size_t from = 0;
  return percentile_from(values, q, &from);
}

Samples::Samples(std::vector<int64_t>& values) : values_(values) {
  if (values.empty()) return;
  min_ = max_ = values[0];
  Int128 sum = 0;
  for (const int64_t v : values) {
    sum += v;
    min_ = std::min(min_, v);
    max_ = std::max(max_, v);
  }
  sum_ = static_cast<int64_t>(std::clamp<Int128>(sum, INT64_MIN, INT64_MAX));
  mean_ = static_cast<double>(sum) / static_cast<double>(values.size());
}

std::optional<double> Samples::stddev() const {
  if (values_.empty()) return std::nullopt;
  double squares = 0;
  for (const int64_t v : values_) {
    const double d = static_cast<double>(v) - mean_;
    squares += d * d;
  }
  return std::sqrt(squares / static_cast<double>(values_.size()));
}

std::optional<double> Samples::percentile(double q) {
  if (values_.empty()) return std::nullopt;
  const auto low = static_cast<size_t>(q * static_cast<double>(values_.size() - 1));
  if (low < sorted_from_) sorted_from_ = 0;
  return percentile_from(values_, q, &sorted_from_);
}

SampleStatistics sample_statistics(std::vector<int64_t>& values) {
  SampleStatistics s;
  if (values.empty()) return s;
  Samples samples(values);
  s.count = values.size();
  s.sum = samples.sum();
  s.min = *samples.min();
  s.max = *samples.max();
  s.mean = *samples.mean();
  s.stddev = *samples.stddev();
  s.p10 = *samples.percentile(0.10);
  s.p50 = *samples.percentile(0.50);
  s.p90 = *samples.percentile(0.90);
  s.p99 = *samples.percentile(0.99);
  return s;
}

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace et::inspector
