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

double percentile(std::vector<int64_t>& values, double q) {
  if (values.empty()) return 0;
  size_t from = 0;
  return percentile_from(values, q, &from);
}

SampleStatistics sample_statistics(std::vector<int64_t>& values) {
  SampleStatistics s;
  if (values.empty()) return s;
  s.count = values.size();
  s.min = s.max = values[0];
  Int128 sum = 0;
  for (const int64_t v : values) {
    sum += v;
    s.min = std::min(s.min, v);
    s.max = std::max(s.max, v);
  }
  s.sum = static_cast<int64_t>(std::clamp<Int128>(sum, INT64_MIN, INT64_MAX));
  const auto n = static_cast<double>(s.count);
  s.mean = static_cast<double>(sum) / n;
  double squares = 0;
  for (const int64_t v : values) {
    const double d = static_cast<double>(v) - s.mean;
    squares += d * d;
  }
  s.stddev = std::sqrt(squares / n);
  size_t from = 0;
  s.p10 = percentile_from(values, 0.10, &from);
  s.p50 = percentile_from(values, 0.50, &from);
  s.p90 = percentile_from(values, 0.90, &from);
  s.p99 = percentile_from(values, 0.99, &from);
  return s;
}

}  // namespace et::inspector
