#include "bundled_program/perf/statistics.h"

#include <gtest/gtest.h>

#include <random>

namespace et::perf {
namespace {

TEST(Statistics, Centres) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_EQ(midmean({1, 2, 3, 1000}), 2.5);
  EXPECT_EQ(midmean({5}), 5);
}

/// How often the interval holds the truth, of `count` samples each.
double coverage(size_t count, double confidence, double tail) {
  std::mt19937_64 random(count);
  std::normal_distribution<double> normal(0, 1);
  std::uniform_real_distribution<double> uniform(0, 1);
  int held = 0;
  constexpr int kTries = 300;
  for (int i = 0; i < kTries; ++i) {
    std::vector<double> values(count);
    for (double& v : values) v = 1 + normal(random) * (uniform(random) < tail ? 20 : 1);
    const Interval interval = bootstrap(values, confidence, static_cast<uint64_t>(i));
    held += interval.low <= 1 && interval.high >= 1;
  }
  return static_cast<double>(held) / kTries;
}

TEST(Statistics, IntervalsHoldTheTruthAsOftenAsTheySay) {
  for (size_t count : {10, 20, 60}) {
    EXPECT_GE(coverage(count, 0.95, 0), 0.93) << count;
    EXPECT_GE(coverage(count, 0.95, 0.1), 0.93) << count;
  }
}

TEST(Statistics, IntervalsOfADifference) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(0, 0.01);
  std::vector<double> a(40), b(40);
  for (double& v : a) v = 0.05 + normal(random);
  for (double& v : b) v = normal(random);
  const Interval interval = bootstrap_difference(a, b, 0.95, 1);
  EXPECT_NEAR(interval.centre, 0.05, 0.01);
  EXPECT_LT(interval.half_width(), 0.008);
  EXPECT_LT(interval.low, interval.centre);
  EXPECT_GT(interval.high, interval.centre);
}

TEST(Statistics, NothingInNothingOut) {
  EXPECT_EQ(bootstrap({}, 0.95, 1).half_width(), 0);
  EXPECT_EQ(bootstrap_difference({}, {}, 0.95, 1).half_width(), 0);
}

}  // namespace
}  // namespace et::perf
