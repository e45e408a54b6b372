// Against a recording: undisturbed times only, and a machine that changed is told from a program that did.
#include "bundled_program/perf/recording.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bundled_program/perf/comparison.h"
#include "tests/bundled_program/perf/synthetic.h"

namespace et::perf {
namespace {

struct Conditions {
  double program = 1000;    // ns, on a core of its own
  double machine = 1;       // factor on everything: the frequency
  double disturbed = 0;     // share of the blocks in which another thread has the core, too
  double interrupted = 0;   // share of the samples
  double placement = 0.01;  // standard deviation between instances
};

std::vector<Round> measure(const Conditions& on, uint64_t seed, size_t count = 60) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal(0, 1);
  std::vector<Round> rounds(count);
  for (Round& round : rounds) {
    double level[kSlots];
    for (double& l : level) l = on.program * on.machine * std::exp(on.placement * normal(random));
    bool was_disturbed = false;
    for (int block = 0; block < 9; ++block) {
      const bool disturbed = uniform(random) < on.disturbed;
      const double slow = disturbed || was_disturbed ? 1.5 + 0.3 * uniform(random) : 1;
      for (size_t i = 0; i < kSlots; ++i) {
        const bool interrupted = uniform(random) < on.interrupted;
        round.slot[i].push_back(level[i] * slow * (interrupted ? 1.2 : 1) * (1 + 0.003 * normal(random)));
        round.whole[i].push_back(!interrupted);
      }
      round.compute.push_back(20000 * on.machine * (disturbed ? 1.6 : 1) * (1 + 0.002 * normal(random)));
      round.memory.push_back(60000 * (1 + 0.05 * normal(random)));
      was_disturbed = disturbed;
    }
  }
  return rounds;
}

BaselineEntry record(const Conditions& on, uint64_t seed) {
  Undisturbed found = undisturbed(measure(on, seed));
  BaselineEntry entry;
  entry.compute_ns = found.compute_ns;
  entry.rounds = std::move(found.rounds);
  return entry;
}

Interval percent(const Conditions& before, const Conditions& now, uint64_t seed = 1) {
  const Interval e =
      against_recording(undisturbed(measure(now, seed * 2 + 1)), record(before, seed * 2), 0.95, seed).effect;
  return {100 * std::expm1(e.centre), 100 * std::expm1(e.low), 100 * std::expm1(e.high)};
}

TEST(Recording, SeesThroughOthers) {
  for (double disturbed : {0.0, 0.3, 0.7}) {
    const Interval same = percent({}, {.disturbed = disturbed, .interrupted = 0.4});
    EXPECT_LT(same.low, 0) << disturbed;
    EXPECT_GT(same.high, 0) << disturbed;
    EXPECT_LT(same.half_width(), 1.5) << disturbed;
    const Interval slower = percent({}, {.program = 1050, .disturbed = disturbed, .interrupted = 0.4});
    EXPECT_GT(slower.low, 3) << disturbed;
    EXPECT_LT(slower.high, 7) << disturbed;
  }
}

TEST(Recording, IntervalsHoldTheTruth) {
  int held = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const Interval i = percent({.disturbed = 0.3}, {.program = 1030, .disturbed = 0.5}, seed);
    held += i.low <= 3 && i.high >= 3;
  }
  EXPECT_GE(held, 95);
}

TEST(Recording, AMachineThatChangedIsNoVerdict) {
  for (double machine : {0.7, 0.9, 1.1, 1.4}) {
    const Conditions same_program = {.machine = machine};
    const Interval i = percent({}, same_program);
    EXPECT_LT(i.low, 0.5) << machine;
    EXPECT_GT(i.high, -0.5) << machine;
  }
}

TEST(Recording, WithoutUndisturbedTimeThereIsNothing) {
  // Interrupted all the time.
  const Undisturbed found = undisturbed(measure({.interrupted = 1}, 1));
  EXPECT_TRUE(found.rounds.empty());
  EXPECT_EQ(undisturbed({}).rounds.size(), 0U);
  EXPECT_EQ(against_recording(found, record({}, 1), 0.95, 1).effect.half_width(), 0);
}

struct Recorded : testing::Test {
  Recorded() {
    options.now = [this] { return machine.now(); };
    machine.noise = [](SyntheticMachine& m) { return 1 + 0.003 * m.normal(); };
    EXPECT_TRUE(record_baseline(program, options, &entry).ok());
  }
  SyntheticMachine machine{1};
  SyntheticWorkload program{&machine, 300e3, 0.005};
  PerfOptions options;
  BaselineEntry entry;
  PerfResult result;
};

TEST_F(Recorded, SaysWhatItMeasured) {
  EXPECT_NEAR(entry.median_ns, 300e3, 3e3);
  EXPECT_GE(entry.rounds.size(), 20U);
  EXPECT_EQ(entry.undisturbed, 1);
  EXPECT_EQ(entry.host.cpu, host_print().cpu);
  EXPECT_EQ(entry.recorded.size(), std::string("2026-11-22T03:50:00Z").size());
}

TEST_F(Recorded, ComparesLater) {
  ASSERT_TRUE(compare_with_baseline(program, entry, options, &result).ok());
  EXPECT_EQ(result.verdict, PerfResult::NoDifference) << result.text;
  EXPECT_TRUE(result.passed);
  program.ns *= 1.05;
  ASSERT_TRUE(compare_with_baseline(program, entry, options, &result).ok());
  EXPECT_EQ(result.verdict, PerfResult::Slower) << result.text;
  EXPECT_NEAR(result.ratio, 1.05, 0.01);
}

TEST_F(Recorded, RefusesAnotherHost) {
  entry.host.cpu = "Abacus 3000";
  entry.host.name = "elsewhere";
  ASSERT_TRUE(compare_with_baseline(program, entry, options, &result).ok());
  EXPECT_EQ(result.verdict, PerfResult::Refused);
  EXPECT_FALSE(result.passed);
  EXPECT_FALSE(result.judged());
  EXPECT_EQ(result.text,
            "refused: the baseline was recorded elsewhere: processor Abacus 3000, here " + host_print().cpu);
  options.allow_other_host = true;
  ASSERT_TRUE(compare_with_baseline(program, entry, options, &result).ok());
  EXPECT_EQ(result.verdict, PerfResult::NoDifference) << result.text;
}

TEST_F(Recorded, RefusesAnotherClock) {
  options.clock = Clock::Wall;
  options.allow_other_host = true;
  ASSERT_TRUE(compare_with_baseline(program, entry, options, &result).ok());
  EXPECT_EQ(result.verdict, PerfResult::Refused);
  EXPECT_NE(result.text.find("cpu clock, not the wall clock"), std::string::npos) << result.text;
}

TEST_F(Recorded, ARecordingOfABusyMachineIsTooNoisy) {
  EXPECT_EQ(problem_of(entry), "");
  entry.rounds.resize(3);
  ASSERT_TRUE(compare_with_baseline(program, entry, options, &result).ok());
  EXPECT_EQ(result.verdict, PerfResult::TooNoisy);
  EXPECT_EQ(result.text,
            "too noisy to tell: other processes used the core when the baseline was recorded: it was undisturbed for "
            "100 % of the "
            "time and in 3 rounds, expected at least 4 % and 10 rounds");
}

TEST(Host, DifferencesNameWhatAndBoth) {
  HostPrint a = host_print();
  EXPECT_EQ(differences(a, a), "");
  EXPECT_EQ(a.os.find_first_of("0123456789"), a.os.find_first_of("0123456789", a.os.find(' ')));  // no release
  HostPrint b = a;
  b.name = "renamed";
  b.version = "99";
  EXPECT_EQ(differences(a, b), "");
  b.cores = a.cores + 1;
  b.build = "slow";
  EXPECT_EQ(differences(b, a),
            "cores " + std::to_string(b.cores) + ", here " + std::to_string(a.cores) + "; build slow, here " + a.build);
}

}  // namespace
}  // namespace et::perf
