// What stands out in a series of times: outliers, a step, a drift, two groups. Medians and ranks throughout, so that a
// single preempted execution does not hide or make a pattern. Nothing here knows the store.
//
// Each test works on logarithms: times are noisy in proportion. The limits are where 1,000 series of log-normal noise
// give less than 1 % of false alarms at every length from 5 to 10,000 (tests/inspector/analysis/
// execution_pattern_test.cpp); docs/reports.md says what they are.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace et::inspector {

/// Fewer say little about their median.
constexpr size_t kFewExecutions = 10;

struct TimeOutlier {
  size_t index = 0;
  double time = 0, expected = 0;  // expected: median, or where the drift, step or group puts it
};

/// From `index` on times are others: a throttled or a boosted clock, another load on the machine.
struct TimeStep {
  size_t index = 0;
  double before = 0, after = 0;  // medians
};

/// A trend over all of the series, which its ends show as well.
struct TimeDrift {
  double first = 0, last = 0;  // medians of the first and of the last `ends` times
  size_t ends = 0;
};

/// Two groups with a gap between them, in no order of time.
struct TimeModes {
  size_t low_count = 0, high_count = 0;
  double low = 0, high = 0;  // medians
};

struct TimePattern {
  double median = 0;
  std::vector<TimeOutlier> outliers;  // the largest first
  // At most one of these: what explains the series best.
  std::optional<TimeStep> step;
  std::optional<TimeDrift> drift;
  std::optional<TimeModes> modes;
};

/// `times` in the order of execution, without the cold one. Times that are not positive count as the smallest that is.
/// `groups`: false looks for no two groups, where it is known that the slow executions have no cause in common.
TimePattern find_pattern(std::span<const double> times, bool groups = true);

/// The first of the series is an outlier: where nothing says which execution was the cold one, it is taken for it.
bool first_stands_out(const TimePattern& pattern);

}  // namespace et::inspector
