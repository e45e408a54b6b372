// Patterns in series of times are found when they are there, and not found in noise.
#include "inspector/analysis/ops/execution_pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

namespace et::inspector {
namespace {

constexpr int kTrials = 1000;

std::vector<double> noise(std::mt19937_64& random, size_t n, double sigma) {
  std::lognormal_distribution<double> time(std::log(1e6), sigma);
  std::vector<double> out(n);
  for (double& t : out) t = std::round(time(random));
  return out;
}

struct Alarms {
  int outliers = 0, steps = 0, drifts = 0, modes = 0;
  void add(const TimePattern& p) {
    outliers += !p.outliers.empty();
    steps += p.step.has_value();
    drifts += p.drift.has_value();
    modes += p.modes.has_value();
  }
  std::string text() const {
    return std::to_string(outliers) + " outliers, " + std::to_string(steps) + " steps, " + std::to_string(drifts) +
           " drifts, " + std::to_string(modes) + " modes";
  }
};

class OnNoise : public ::testing::TestWithParam<std::tuple<size_t, double>> {};

TEST_P(OnNoise, EachKindOfPatternIsSeenInLessThanOnePercent) {
  const auto [n, sigma] = GetParam();
  std::mt19937_64 random(n * 1000 + static_cast<size_t>(sigma * 100));
  Alarms alarms;
  for (int i = 0; i < kTrials; ++i) alarms.add(find_pattern(noise(random, n, sigma)));
  for (const int count : {alarms.outliers, alarms.steps, alarms.drifts, alarms.modes})
    EXPECT_LT(count, kTrials / 100) << alarms.text();
}
INSTANTIATE_TEST_SUITE_P(ExecutionPattern, OnNoise,
                         ::testing::Combine(::testing::Values(5, 6, 8, 10, 12, 15, 20, 30, 50, 100, 300),
                                            ::testing::Values(0.02, 0.1, 0.3)));

// In how many of 1,000 trials `found` says that the pattern was seen that `change` put into noise of 3 %.
template <class Change, class Found>
int seen(size_t n, const Change& change, const Found& found) {
  std::mt19937_64 random(n);
  int count = 0;
  const int trials = n < 1000 ? kTrials : kTrials / 10;  // long series are clear, and slow
  for (int i = 0; i < trials; ++i) {
    std::vector<double> times = noise(random, n, 0.03);
    for (size_t k = 0; k < n; ++k) times[k] *= change(k);
    count += found(find_pattern(times));
  }
  return count * kTrials / trials;
}

TEST(ExecutionPattern, AnExecutionOfSeveralTimesTheMedianIsAnOutlier) {
  for (const size_t n : {8, 10, 20, 100, 1000}) {
    const double factor = n < 10 ? 5 : 2;  // of few it takes more
    const auto found = [](const TimePattern& p) {
      return !p.outliers.empty() && p.outliers[0].index == 4 && std::fabs(p.outliers[0].expected / 1e6 - 1) < 0.1;
    };
    EXPECT_GE(seen(
                  n, [factor](size_t k) { return k == 4 ? factor : 1; }, found),
              990)
        << n;
  }
}

TEST(ExecutionPattern, OfAFewExecutionsOneStandsOutByFar) {
  const TimePattern far = find_pattern(std::vector<double>{1.27, 13.28, 1.29, 1.31});
  ASSERT_EQ(far.outliers.size(), 1U);
  EXPECT_EQ(far.outliers[0].index, 1U);
  EXPECT_TRUE(find_pattern(std::vector<double>{1.27, 2.6, 1.29, 1.31}).outliers.empty()) << "nothing is known of noise";
  EXPECT_TRUE(find_pattern(std::vector<double>{1, 50}).outliers.empty()) << "which of two is the usual one?";
}

TEST(ExecutionPattern, AStepIsFoundWhereItIs) {
  for (const size_t n : {12, 20, 100, 1000}) {
    const auto found = [n](const TimePattern& p) {
      return p.step && std::fabs(static_cast<double>(p.step->index) - static_cast<double>(n / 2)) <= 1 &&
             std::fabs(p.step->after / p.step->before - 1.4) < 0.1 && p.outliers.empty() && !p.drift && !p.modes;
    };
    EXPECT_GE(seen(
                  n, [n](size_t k) { return k >= n / 2 ? 1.4 : 1; }, found),
              n < 20 ? 900 : 950)
        << n;
  }
}

// The last execution of the slow part is slow like the others, not the first outlier of the fast one.
TEST(ExecutionPattern, AStepIsBetweenTheTimesThatDiffer) {
  for (const size_t begin : {9, 13, 20, 27, 31}) {
    std::vector<double> times;
    for (size_t k = 0; k < 40; ++k)
      times.push_back((k < begin ? 992e3 : 707e3) * (1 + 0.002 * static_cast<double>(k % 5)));
    times[begin - 1] = 953e3;
    const TimePattern p = find_pattern(times);
    ASSERT_TRUE(p.step) << begin;
    EXPECT_EQ(p.step->index, begin);
    EXPECT_TRUE(p.outliers.empty()) << begin;
  }
}

TEST(ExecutionPattern, ADriftIsFoundWithItsEnds) {
  for (const size_t n : {20, 100, 1000}) {
    const auto found = [](const TimePattern& p) {
      return p.drift && std::fabs(p.drift->last / p.drift->first - 1.26) < 0.1 && p.outliers.empty() && !p.step;
    };
    const auto change = [n](size_t k) { return 1 + 0.3 * static_cast<double>(k) / static_cast<double>(n); };
    EXPECT_GE(seen(n, change, found), 950) << n;
  }
}

// What rises and falls again has a line that rises, and ends that do not.
TEST(ExecutionPattern, AHumpIsNoDrift) {
  const std::vector<double> times = {3.47, 3.34, 3.27, 3.27, 3.22, 3.21, 3.25, 3.25, 3.38, 3.53,
                                     3.52, 3.55, 3.51, 3.51, 3.49, 3.55, 3.63, 3.59, 3.61, 3.70,
                                     3.68, 3.65, 3.58, 3.87, 4.05, 3.89, 3.49, 3.31, 3.30};
  EXPECT_FALSE(find_pattern(times).drift);
  // Without its end it is one, and both ends are times that executions had.
  const TimePattern rising = find_pattern(std::span(times).first(26));
  ASSERT_TRUE(rising.drift);
  EXPECT_EQ(rising.drift->ends, 3U);
  EXPECT_EQ(rising.drift->first, 3.34);
  EXPECT_EQ(rising.drift->last, 3.89);
}

TEST(ExecutionPattern, TwoGroupsAreCounted) {
  for (const size_t n : {12, 20, 100, 1000}) {
    const auto found = [n](const TimePattern& p) {
      return p.modes && p.modes->low_count + p.modes->high_count == n && p.modes->high_count == (n + 2) / 3 &&
             std::fabs(p.modes->high / p.modes->low - 1.5) < 0.1 && p.outliers.empty() && !p.step && !p.drift;
    };
    EXPECT_GE(seen(
                  n, [](size_t k) { return k % 3 == 0 ? 1.5 : 1; }, found),
              950)
        << n;
  }
}

TEST(ExecutionPattern, AnOutlierIsSeenBesideAnotherPattern) {
  const auto step = [](size_t k) { return (k >= 50 ? 1.4 : 1) * (k == 20 ? 3 : 1); };
  EXPECT_GE(seen(100, step, [](const TimePattern& p) { return p.step && p.outliers.size() == 1; }), 950);
  const auto modes = [](size_t k) { return (k % 3 == 0 ? 1.5 : 1) * (k == 20 ? 3 : 1); };
  EXPECT_GE(seen(100, modes, [](const TimePattern& p) { return p.modes && p.outliers.size() == 1; }), 950);
}

TEST(ExecutionPattern, OddSeriesDoNoHarm) {
  EXPECT_EQ(find_pattern({}).median, 0);
  for (const double value : {0.0, 1.0, -5.0, 1e18}) {
    for (const size_t n : {1, 4, 5, 10, 100}) {
      const TimePattern p = find_pattern(std::vector<double>(n, value));
      EXPECT_EQ(p.median, value);
      EXPECT_TRUE(p.outliers.empty() && !p.step && !p.drift && !p.modes);
    }
  }
  // A coarse clock: 0 or 1 µs.
  std::mt19937_64 random(1);
  std::vector<double> ticks(200);
  for (double& t : ticks) t = static_cast<double>(random() % 2) * 1000;
  find_pattern(ticks);
}

}  // namespace
}  // namespace et::inspector
