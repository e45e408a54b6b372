// The statistics of performance checks: robust centres and bootstrap intervals of logarithms of times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace et::perf {

/// 0 of nothing.
double median(std::vector<double> values);
/// Mean of the middle half: nearly as good as the mean where nothing disturbs, and deaf to a quarter of bad values on
/// either side.
double midmean(std::vector<double> values);

struct Interval {
  double centre = 0, low = 0, high = 0;
  double half_width() const { return (high - low) / 2; }
};

/// Of the midmean of `values`.
Interval bootstrap(std::span<const double> values, double confidence, uint64_t seed);
/// Of midmean(a) − midmean(b), samples independent of each other.
Interval bootstrap_difference(std::span<const double> a, std::span<const double> b, double confidence, uint64_t seed);

}  // namespace et::perf
