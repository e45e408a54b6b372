// The construction of costs per execution: parts add up, and the costliest ones are named right where sums are not.
#include "inspector/match/execution_basis.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace et::inspector {
namespace {

/// A model whose costs are known, run on a machine that is not left alone.
struct Simulation {
  static constexpr size_t kParts = 40, kExecutions = 31;
  std::vector<double> truth;
  std::vector<std::vector<PartTime>> times;  // by part
  std::vector<ExecutionFacts> executions;

  explicit Simulation(uint32_t seed) : times(kParts), executions(kExecutions) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 0.06);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (size_t p = 0; p < kParts; ++p) truth.push_back(200'000 * std::pow(0.87, static_cast<double>(p)));
    std::shuffle(truth.begin(), truth.end(), random);
    const double drift = uniform(random) * 0.4;  // a processor that gets hot
    for (size_t e = 0; e < kExecutions; ++e) {
      executions[e].cold = e == 0;
      for (size_t p = 0; p < kParts; ++p) {
        double time = truth[p] * std::exp(noise(random)) * (1 + drift * static_cast<double>(e) / kExecutions);
        if (e == 0) time *= 1 + 20 * uniform(random);                             // caches, first touches, packing
        if (uniform(random) < 0.01) time += 12e6 * std::pow(uniform(random), 2);  // preempted
        times[p].push_back({static_cast<uint32_t>(e), static_cast<int64_t>(time)});
        executions[e].latency += times[p].back().time;
      }
    }
  }
};

std::vector<size_t> top_five(const std::vector<double>& costs) {
  std::vector<size_t> order(costs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return costs[a] > costs[b]; });
  order.resize(5);
  return order;
}

TEST(ExecutionBasis, NamesTheCostliestPartsWhereSumsDoNot) {
  int medians_right = 0, sums_right = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Simulation s(static_cast<uint32_t>(trial));
    const ExecutionBasis basis(s.executions);
    std::vector<PartCost> costs;
    std::vector<double> medians, sums;
    for (const auto& times : s.times) {
      costs.push_back(part_cost(basis, times));
      double sum = 0;
      for (const PartTime& t : times) sum += static_cast<double>(t.time);
      sums.push_back(sum);
    }
    for (const PartCost& c : costs) medians.push_back(c.warm_median);
    const auto truth = top_five(s.truth);
    medians_right += top_five(medians) == truth ? 1 : 0;
    sums_right += top_five(sums) == truth ? 1 : 0;
  }
  RecordProperty("medians_right", medians_right);
  RecordProperty("sums_right", sums_right);
  EXPECT_GE(medians_right, kTrials * 99 / 100);
  EXPECT_LT(sums_right, kTrials / 10);
}

TEST(ExecutionBasis, PartsOfColdAndSlowExecutionsAddUp) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    const Simulation s(seed);
    const ExecutionBasis basis(s.executions);
    std::vector<PartCost> costs;
    for (const auto& times : s.times) costs.push_back(part_cost(basis, times));
    double cold = 0, p99 = 0, tail = 0;
    for (const PartCost& c : costs) {
      cold += c.cold;
      p99 += c.p99;
    }
    for (size_t e = 0; e < s.executions.size(); ++e)
      tail += basis.tail(e) ? static_cast<double>(s.executions[e].latency) : 0;
    EXPECT_DOUBLE_EQ(cold, static_cast<double>(s.executions[0].latency));
    EXPECT_NEAR(p99, tail / static_cast<double>(basis.tail_count()), p99 * 1e-9);
  }
}

TEST(ExecutionBasis, WhichExecutionsAreWarm) {
  const ExecutionBasis usual({{100, true}, {10}, {12}, {11, false, false}});
  EXPECT_TRUE(usual.cold(0));
  EXPECT_FALSE(usual.warm(0));
  EXPECT_FALSE(usual.warm(3)) << "it did not reach its end";
  EXPECT_EQ(usual.warm_count(), 2);
  EXPECT_DOUBLE_EQ(usual.warm_median(), 11);

  const ExecutionBasis once({{100, true}});
  EXPECT_TRUE(once.warm(0)) << "there is no other";
  EXPECT_DOUBLE_EQ(once.warm_median(), 100);
  const ExecutionBasis failed({{100, true, false}});
  EXPECT_TRUE(failed.warm(0));
  EXPECT_EQ(ExecutionBasis({}).warm_count(), 0);
}

TEST(ExecutionBasis, PartsOfSomeExecutionsCountAsOftenAsTheyRun) {
  const ExecutionBasis basis({{10}, {10}, {30}, {10}});
  EXPECT_DOUBLE_EQ(part_cost(basis, {{2, 20}}).warm_median, 5);
}

TEST(ExecutionBasis, MiddleMean) {
  const auto of = [](std::vector<int64_t> v) { return middle_mean(v).mean; };
  EXPECT_DOUBLE_EQ(of({}), 0);
  EXPECT_DOUBLE_EQ(of({7}), 7);
  EXPECT_DOUBLE_EQ(of({7, 9}), 8);
  EXPECT_DOUBLE_EQ(of({7, 1000, 9}), 9);
  EXPECT_DOUBLE_EQ(of({1, 5, 3, 1000}), 4);
  // A clock of whole microseconds: the median would be 0.
  EXPECT_DOUBLE_EQ(of({0, 1000, 0, 1000, 0, 1000, 0, 0, 0, 1000}), 250);
}

// Parts of an execution of which a third has a slower mode are no larger than the median execution.
TEST(ExecutionBasis, OneModeIsTheMediansOwn) {
  std::vector<int64_t> two = {10, 10, 11, 10, 10, 60, 61, 60, 62};
  const MiddleMean of_two = middle_mean(two);
  EXPECT_GT(of_two.mean, 20);
  EXPECT_NEAR(of_two.one_mode, 10.5, 0.5);
  std::vector<int64_t> one = {9, 10, 11, 12, 13};
  EXPECT_DOUBLE_EQ(middle_mean(one).one_mode, middle_mean(one).mean);
  // A clock of whole microseconds has no modes.
  std::vector<int64_t> coarse = {0, 1000, 0, 1000, 2000, 1000, 0, 1000, 2000, 1000};
  EXPECT_DOUBLE_EQ(middle_mean(coarse).one_mode, middle_mean(coarse).mean);
  std::vector<int64_t> mostly_zero = {0, 1000, 0, 1000, 0, 1000, 0, 0, 0, 1000};
  EXPECT_DOUBLE_EQ(middle_mean(mostly_zero).one_mode, 250);
  EXPECT_TRUE(exceeds_median(13, 10));
  EXPECT_FALSE(exceeds_median(10.2, 10));
  EXPECT_FALSE(exceeds_median(1, 0));
}

}  // namespace
}  // namespace et::inspector
