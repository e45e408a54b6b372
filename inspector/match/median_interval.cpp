#include "inspector/match/median_interval.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace et::inspector {

std::optional<MedianInterval> median_interval(std::vector<int64_t>& samples, double confidence) {
  // The median lies outside the k-th smallest and the k-th largest sample when at most k of n coins show heads, or
  // at most k show tails (k from 0). The largest k for which that is unlikely enough gives the narrowest interval.
  const size_t n = samples.size();
  const double max_tail = (1 - confidence) / 2;
  double sum = 0, logarithm = -static_cast<double>(n) * std::log(2.0);  // of the chance of exactly k heads
  std::optional<size_t> found;
  for (size_t k = 0; k * 2 < n; ++k) {
    sum += std::exp(logarithm);
    if (sum > max_tail) break;
    found = k;
    logarithm += std::log(static_cast<double>(n - k)) - std::log(static_cast<double>(k + 1));
  }
  if (!found) return std::nullopt;
  const auto at = [&](size_t i) {
    const auto place = samples.begin() + static_cast<ptrdiff_t>(i);
    std::nth_element(samples.begin(), place, samples.end());
    return static_cast<double>(*place);
  };
  return MedianInterval{at(*found), at(n - 1 - *found)};
}

std::optional<TimeChange> time_change(double old_median, const MedianInterval& old_interval, double new_median,
                                      const MedianInterval& new_interval) {
  if (old_interval.low <= 0 || old_median <= 0) return std::nullopt;
  if (new_interval.low <= old_interval.high && old_interval.low <= new_interval.high) return std::nullopt;
  return TimeChange{new_median / old_median, new_interval.low / old_interval.high,
                    new_interval.high / old_interval.low};
}

}  // namespace et::inspector
