// From intervals to words.
#include "bundled_program/perf/decision.h"

#include <gtest/gtest.h>

#include <cmath>

namespace et::perf {
namespace {

Interval interval(double low, double high) {
  return {(std::log1p(low) + std::log1p(high)) / 2, std::log1p(low), std::log1p(high)};
}

struct Row {
  const char* name;
  double low, high;
  double nothing_low, nothing_high;
  size_t rounds;
  PerfResult::Verdict verdict;
  bool passed;
  const char* text;
};
const Row kRows[] = {
    {"none", -0.004, 0.006, -0.005, 0.005, 50, PerfResult::NoDifference, true,
     "no difference: between 0.4 % faster and 0.6 % slower (1.05 ms, baseline 1 ms)"},
    {"small", 0.005, 0.015, -0.005, 0.005, 50, PerfResult::NoDifference, true,
     "no difference: between 0.5 % slower and 1.5 % slower (1.05 ms, baseline 1 ms)"},
    {"within", 0.02, 0.04, -0.01, 0.01, 50, PerfResult::Slower, true,
     "slower by 2–4 %, within the 5 % allowed (1.05 ms, baseline 1 ms)"},
    {"beyond", 0.041, 0.0685, -0.01, 0.01, 50, PerfResult::Slower, false,
     "slower by 4–7 %, more than the 5 % allowed (1.05 ms, baseline 1 ms)"},
    {"faster", -0.062, -0.051, -0.005, 0.005, 50, PerfResult::Faster, true,
     "faster by 5.1–6.2 % (1.05 ms, baseline 1 ms)"},
    {"wide", -0.03, 0.05, -0.04, 0.04, 50, PerfResult::TooNoisy, false,
     "too noisy to tell: between 3.0 % faster and 5.0 % slower after 2.0 s; this interval is ±4.0 %, a verdict about 5 "
     "% needs ±2.0 % (1.05 ms, baseline 1 ms)"},
    {"wide but far", 0.3, 0.5, -0.1, 0.1, 50, PerfResult::Slower, false,
     "slower by 30–50 %, more than the 5 % allowed (1.05 ms, baseline 1 ms)"},
    {"wide and near", 0.015, 0.075, -0.03, 0.03, 50, PerfResult::TooNoisy, false,
     "too noisy to tell: between 1.5 % slower and 7.5 % slower after 2.0 s; this interval is ±2.9 %, a verdict about 5 "
     "% needs ±2.0 % (1.05 ms, baseline 1 ms)"},
    {"differs from itself", 0.04, 0.06, 0.02, 0.04, 50, PerfResult::TooNoisy, false,
     "too noisy to tell: the same program against itself looks 3.0 % slower (1.05 ms, baseline 1 ms)"},
    {"few rounds", 0.04, 0.06, -0.005, 0.005, 4, PerfResult::TooNoisy, false,
     "too noisy to tell: 4 rounds in 2.0 s, expected at least 10 (1.05 ms, baseline 1 ms)"},
};

TEST(Decision, Verdicts) {
  for (const Row& row : kRows) {
    PerfResult result;
    result.median_ns = 1.05e6;
    result.baseline_median_ns = 1e6;
    result.rounds = row.rounds;
    result.elapsed_s = 2;
    decide({interval(row.low, row.high), interval(row.nothing_low, row.nothing_high)}, {}, &result);
    EXPECT_EQ(result.verdict, row.verdict) << row.name;
    EXPECT_EQ(result.passed, row.passed) << row.name;
    EXPECT_EQ(result.text, row.text) << row.name;
    EXPECT_NEAR(result.ratio_low, 1 + row.low, 1e-9) << row.name;
  }
}

TEST(Decision, NoDifferenceHidesNothingThatIsNotAllowed) {
  PerfOptions options;
  options.max_slowdown = 0.1;
  options.min_effect = 0.02;
  const double half = widest(options) * 0.999, low = std::log(1.02) - 1e-9;
  PerfResult result;
  result.rounds = 50;
  decide({{low + half, low, low + 2 * half}, {}}, options, &result);
  EXPECT_EQ(result.verdict, PerfResult::NoDifference);
  EXPECT_LE(result.ratio_high, 1.1);
}

TEST(Decision, GoesOnUntilTheIntervalIsNarrow) {
  EXPECT_FALSE(decided({interval(-0.015, 0.015), {}}, {}));
  EXPECT_TRUE(decided({interval(-0.005, 0.006), {}}, {}));
  EXPECT_TRUE(decided({interval(0.4, 0.5), {}}, {}));
  // Near the limit the place of the interval is no reason to stop.
  EXPECT_FALSE(decided({interval(0.03, 0.06), {}}, {}));
}

TEST(Decision, ContrastsOfARound) {
  Round round;
  const double level[] = {1, 1.5, 1, 3};  // of the machine, block by block
  for (double l : level) {
    round.slot[0].push_back(1.1 * l);
    round.slot[1].push_back(1.2 * l);
    round.slot[2].push_back(1.0 * l);
    round.slot[3].push_back(0.9 * l);
  }
  const Contrast c = contrast(round);
  EXPECT_NEAR(c.effect, std::log(1.1 * 1.2 / (1.0 * 0.9)) / 2, 1e-12);
  EXPECT_NEAR(c.nothing, std::log(1.1 / 1.2 * 1.0 / 0.9) / 2, 1e-12);
}

TEST(Decision, Durations) {
  EXPECT_EQ(duration_text(0.5), "0.5 ns");
  EXPECT_EQ(duration_text(1234), "1.23 µs");
  EXPECT_EQ(duration_text(999'700), "1 ms");
  EXPECT_EQ(duration_text(45.6e6), "45.6 ms");
  EXPECT_EQ(duration_text(2e9), "2 s");
}

}  // namespace
}  // namespace et::perf
