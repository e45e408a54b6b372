// How well a median is known: the confidence interval between two order statistics, which asks nothing of the samples'
// distribution and needs no random numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace et::inspector {

struct MedianInterval {
  double low = 0, high = 0;  // covers the median with at least the confidence asked for
};

/// Samples that are too few for the confidence (less than 6 for 95 %) have none. Reorders `samples`.
std::optional<MedianInterval> median_interval(std::vector<int64_t>& samples, double confidence = 0.95);

/// By how much a time changed: the ratio new / old of two medians, and the range that it surely lies in.
struct TimeChange {
  double ratio = 1, low = 1, high = 1;
};

/// Only when the intervals do not overlap: then the medians differ by more than the samples scatter.
std::optional<TimeChange> time_change(double old_median, const MedianInterval& old_interval, double new_median,
                                      const MedianInterval& new_interval);

}  // namespace et::inspector
