// Verdicts of whole comparisons on synthetic machines: none from noise, and none missed.
#include "bundled_program/perf/comparison.h"

#include <gtest/gtest.h>

#include "tests/bundled_program/perf/synthetic.h"

namespace et::perf {
namespace {

constexpr double kExecution = 300e3;  // ns
constexpr double kPi = 3.14159265358979;

struct NoiseKind {
  const char* name;
  double placement;  // between instances
  double (*factor)(SyntheticMachine&);
};
const NoiseKind kKinds[] = {
    {"quiet", 0.002, [](SyntheticMachine& m) { return 1 + 0.003 * m.normal(); }},
    {"placement", 0.03, [](SyntheticMachine& m) { return 1 + 0.005 * m.normal(); }},
    {"heavy_tails", 0.005,
     [](SyntheticMachine& m) { return 1.01 + (m.uniform() < 0.15 ? 0.1 / (0.01 + m.uniform()) : 0); }},
    {"drift", 0.005, [](SyntheticMachine& m) { return (1 + 0.3 * m.seconds()) * (1 + 0.01 * m.normal()); }},
    {"two_speeds", 0.01,  // another thread shares the core, for 40 ms each 90 ms
     [](SyntheticMachine& m) { return (std::fmod(m.seconds(), 0.09) < 0.04 ? 1.6 : 1) * (1 + 0.01 * m.normal()); }},
    {"periodic", 0.005,  // with the period of a block of four samples
     [](SyntheticMachine& m) { return 1.1 + 0.1 * std::sin(2 * kPi * m.seconds() / (4 * kExecution * 1e-9)); }},
};

struct Sums {
  int slower = 0, faster = 0, none = 0, noisy = 0;
};

Sums compare_often(const NoiseKind& kind, double slowdown, int count) {
  Sums sums;
  for (int i = 0; i < count; ++i) {
    SyntheticMachine machine(1000 + static_cast<uint64_t>(i));
    machine.noise = kind.factor;
    SyntheticWorkload baseline(&machine, kExecution, kind.placement);
    SyntheticWorkload candidate(&machine, kExecution * (1 + slowdown), kind.placement);
    PerfOptions options;
    options.seed = static_cast<uint64_t>(i);
    options.now = [&] { return machine.now(); };
    PerfResult result;
    EXPECT_TRUE(compare_interleaved(candidate, baseline, options, &result).ok());
    EXPECT_LE(result.elapsed_s, 5.2);
    sums.slower += result.verdict == PerfResult::Slower;
    sums.faster += result.verdict == PerfResult::Faster;
    sums.none += result.verdict == PerfResult::NoDifference;
    sums.noisy += result.verdict == PerfResult::TooNoisy;
  }
  return sums;
}

class EachNoise : public testing::TestWithParam<NoiseKind> {};

TEST_P(EachNoise, GivesNoVerdict) {
  const Sums sums = compare_often(GetParam(), 0, 50);
  EXPECT_LE(sums.slower + sums.faster, 1);
  EXPECT_LE(sums.noisy, 2);
}

TEST_P(EachNoise, HidesNoSlowdownOfFivePercent) { EXPECT_GE(compare_often(GetParam(), 0.05, 50).slower, 48); }

TEST_P(EachNoise, HidesNoSpeedup) { EXPECT_GE(compare_often(GetParam(), -0.05, 20).faster, 19); }

INSTANTIATE_TEST_SUITE_P(Perf, EachNoise, testing::ValuesIn(kKinds),
                         [](const auto& named) { return std::string(named.param.name); });

TEST(Comparison, SaysWhenItIsHopeless) {
  const NoiseKind wild = {"wild", 0.6, [](SyntheticMachine& m) { return 1 + 0.5 * m.uniform(); }};
  const Sums sums = compare_often(wild, 0, 8);
  EXPECT_EQ(sums.noisy, 8);
}

struct OnePair {
  explicit OnePair(double slowdown)
      : baseline(&machine, kExecution, 0.003), candidate(&machine, kExecution * (1 + slowdown), 0.003) {
    options.now = [this] { return machine.now(); };
  }
  PerfResult compare() {
    PerfResult result;
    EXPECT_TRUE(compare_interleaved(candidate, baseline, options, &result).ok());
    return result;
  }
  SyntheticMachine machine{1};
  SyntheticWorkload baseline, candidate;
  PerfOptions options;
};

TEST(Comparison, PassesWhatIsProvablyWithinTheLimit) {
  OnePair pair(0.03);
  const PerfResult result = pair.compare();
  EXPECT_EQ(result.verdict, PerfResult::Slower);
  EXPECT_TRUE(result.passed);
  EXPECT_NE(result.text.find("within the 5 % allowed"), std::string::npos) << result.text;
}

TEST(Comparison, FailsWhatMayBeBeyondTheLimit) {
  OnePair pair(0.05);
  const PerfResult result = pair.compare();
  EXPECT_EQ(result.verdict, PerfResult::Slower);
  EXPECT_FALSE(result.passed);
  EXPECT_LT(result.ratio_low, 1.05);
  EXPECT_GT(result.ratio_high, 1.05);
  EXPECT_NEAR(result.median_ns / result.baseline_median_ns, 1.05, 0.01);
}

TEST(Comparison, EndsEarlyWhenTheAnswerIsClear) {
  OnePair pair(0.5);
  const PerfResult result = pair.compare();
  EXPECT_EQ(result.verdict, PerfResult::Slower);
  EXPECT_LT(result.elapsed_s, 1);
}

TEST(Comparison, IsTheSameForTheSameSeed) {
  const PerfResult first = OnePair(0.02).compare(), second = OnePair(0.02).compare();
  EXPECT_EQ(first.ratio, second.ratio);
  EXPECT_EQ(first.ratio_low, second.ratio_low);
  EXPECT_EQ(first.rounds, second.rounds);
}

TEST(Comparison, EndsWhereExecutionsAreTooLong) {
  OnePair pair(0);
  pair.baseline.ns = pair.candidate.ns = 3e9;
  const PerfResult result = pair.compare();
  EXPECT_EQ(result.verdict, PerfResult::TooNoisy);
  EXPECT_FALSE(result.judged());
  EXPECT_NE(result.text.find("expected at least 10"), std::string::npos) << result.text;
}

TEST(Comparison, HandsOnWhatTheProgramsSay) {
  OnePair pair(0);
  PerfResult result;
  pair.baseline.refuses = true;
  EXPECT_EQ(compare_interleaved(pair.candidate, pair.baseline, pair.options, &result).message(),
            "model.pte: no such method");
  pair.baseline.refuses = false;
  pair.candidate.fails_after = 100;
  const Status status = compare_interleaved(pair.candidate, pair.baseline, pair.options, &result);
  EXPECT_EQ(status.code(), Error::InvalidState);
  EXPECT_EQ(status.message(), "model.pte: input 0 (InvalidState)");
}

TEST(Comparison, RefusesOptionsThatMakeNoSense) {
  OnePair pair(0);
  pair.options.max_slowdown = 0.01;  // not above the smallest effect
  PerfResult result;
  EXPECT_EQ(compare_interleaved(pair.candidate, pair.baseline, pair.options, &result).code(), Error::InvalidArgument);
}

}  // namespace
}  // namespace et::perf
