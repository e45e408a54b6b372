// What a trace's executions are said to be: made traces, imported as files are.
#include "inspector/analysis/ops/execution_notes.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "inspector/analysis/findings/finding.h"
#include "inspector/analysis/ops/interruptions.h"
#include "inspector/analysis/work/roofline.h"
#include "inspector/analysis/work/scenarios.h"
#include "inspector/ingest/ingest.h"
#include "inspector/report/delegation_report.h"
#include "inspector/report/roofline_report.h"
#include "inspector/text/format.h"
#include "tests/support/etdump_builder.h"

namespace et::inspector {
namespace {

using Kind = ExecutionNote::Kind;

struct RunTimes {
  double add = 50e3, mul = 30e3, around = 5e3;  // ns: two kernels and the framework around them
};

// A trace whose n-th execution takes what `times` says, with noise of 2 %.
template <class Times>
Store traced(size_t n, const Times& times, bool trailer = true) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> noise(0, 0.02);
  test::EtdumpBuilder builder;
  if (trailer) builder.trailer.emplace();  // names the method, so that its first execution is known to be cold
  uint64_t now = 1000;
  for (size_t i = 0; i < n; ++i) {
    const RunTimes t = times(i);
    test::TrailerRunSpec facts;
    facts.method = "forward";
    facts.kind = "execute";
    facts.execution = i;
    if (trailer) builder.trailer->runs.push_back(std::move(facts));
    test::RunSpec& run = builder.run("Execute");
    const uint64_t begin = now;
    const auto pass = [&](double ns) { return now += static_cast<uint64_t>(ns * noise(random)); };
    pass(t.around / 2);
    uint64_t start = now;
    pass(t.add);
    run.profile("native_call_add.out", 0, 0, start, now);
    start = now;
    pass(t.mul);
    run.profile("native_call_mul.out", 0, 1, start, now);
    pass(t.around / 2);
    run.profile("Method::execute", -1, -1, begin, now);
    now += 1000;
  }
  const std::string path =
      (std::filesystem::temp_directory_path() / ("et-notes-" + std::to_string(::getpid()) + ".etdp")).string();
  const std::vector<uint8_t> bytes = builder.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  Store store;
  EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs in;
  in.dump = path;
  IngestResult result;
  const Status status = ingest(store, in, {}, &result);
  EXPECT_TRUE(status.ok()) << status.message();
  std::filesystem::remove(path);
  return store;
}

std::vector<ExecutionNote> notes_of(const Store& store) {
  std::vector<ExecutionNote> notes;
  const Status status = load_execution_notes(store, 1, &notes);
  EXPECT_TRUE(status.ok()) << status.message();
  return notes;
}

std::string texts(const std::vector<ExecutionNote>& notes) {
  std::string out;
  for (const ExecutionNote& n : notes) out += execution_note_line(n, several_methods(notes)) + "\n";
  return out;
}

const ExecutionNote* of_kind(const std::vector<ExecutionNote>& notes, Kind kind) {
  const auto it = std::find_if(notes.begin(), notes.end(), [&](const ExecutionNote& n) { return n.kind == kind; });
  return it == notes.end() ? nullptr : &*it;
}

TEST(ExecutionNotes, OfAQuietTraceNothingIsSaid) {
  const std::vector<ExecutionNote> notes = notes_of(traced(30, [](size_t) { return RunTimes(); }));
  EXPECT_TRUE(notes.empty()) << texts(notes);
}

// What the named ops do not explain is said as well: all of the extra time is somewhere.
TEST(ExecutionNotes, WhatNoNamedOpTookIsSaid) {
  const Store store = traced(20, [](size_t i) {
    return i == 4   ? RunTimes{.add = 150e3, .mul = 240e3, .around = 250e3}
           : i == 0 ? RunTimes{.add = 500e3}
                    : RunTimes();
  });
  const std::vector<ExecutionNote> notes = notes_of(store);
  ASSERT_FALSE(notes.empty());
  const ExecutionNote& outlier = notes[0];
  ASSERT_GE(outlier.ops.size(), 3U) << outlier.text;
  const double more = outlier.time - outlier.reference;
  const double rest = more - outlier.ops[0].ticks - outlier.ops[1].ticks;
  ASSERT_GT(rest, 0.1 * more) << outlier.text;
  EXPECT_NE(outlier.text.find("the other " + format_duration_with_unit(rest, "ns")), std::string::npos) << outlier.text;
  const bool around_named = !outlier.ops[0].op_id || !outlier.ops[1].op_id;
  EXPECT_TRUE(outlier.text.ends_with(around_named ? "spread over 1 op" : " around its ops")) << outlier.text;
}

TEST(ExecutionNotes, AnOutlierIsSaidFirstWithTheOpsThatMadeIt) {
  const Store store = traced(20, [](size_t i) {
    return i == 4 ? RunTimes{.add = 50e3, .mul = 240e3, .around = 305e3} : i == 0 ? RunTimes{.add = 500e3} : RunTimes();
  });
  const std::vector<ExecutionNote> notes = notes_of(store);
  ASSERT_EQ(notes.size(), 2u) << texts(notes);
  const ExecutionNote& outlier = notes[0];
  EXPECT_EQ(outlier.kind, Kind::Outlier);
  EXPECT_EQ(outlier.execution, 4);
  EXPECT_EQ(outlier.warm, 19);
  EXPECT_NEAR(outlier.reference, 85e3, 3e3);
  ASSERT_GE(outlier.ops.size(), 2u) << outlier.text;
  EXPECT_FALSE(outlier.ops[0].op_id);
  EXPECT_NEAR(outlier.ops[0].ticks, 300e3, 20e3);
  EXPECT_EQ(outlier.ops[1].name, "mul.out");
  EXPECT_NEAR(outlier.ops[1].ticks, 210e3, 20e3);
  EXPECT_NE(outlier.text.find("more in no op"), std::string::npos) << outlier.text;
  EXPECT_TRUE(outlier.text.starts_with("#4 took ")) << outlier.text;
  Statement run = store.query("SELECT duration_ns FROM executions WHERE run_id = ?1");
  run.bind_all(*outlier.run_id);
  ASSERT_TRUE(run.step());
  EXPECT_EQ(run.real(0), outlier.time);

  const ExecutionNote* cold = of_kind(notes, Kind::Cold);
  ASSERT_NE(cold, nullptr);
  EXPECT_EQ(cold->execution, 0);
  ASSERT_FALSE(cold->ops.empty());
  EXPECT_EQ(cold->ops[0].name, "add.out");
  EXPECT_NEAR(cold->ops[0].ticks, 450e3, 30e3);
}

// Half of the executions ran at another clock: what an op usually takes is then that of the outlier's half.
TEST(ExecutionNotes, AnOutlierBehindAStepIsComparedWithItsOwnPart) {
  const Store store = traced(60, [](size_t i) {
    const double slow = i < 40 ? 1.6 : 1;
    RunTimes t = {50e3 * slow, 30e3 * slow, 5e3 * slow};
    if (i == 50) t.mul += 60e3;
    return t;
  });
  std::vector<ExecutionNote> notes;
  ASSERT_TRUE(load_execution_notes(store, 1, &notes).ok());
  const auto outlier = std::find_if(
      notes.begin(), notes.end(), [](const ExecutionNote& n) { return n.kind == Kind::Outlier && n.execution == 50; });
  ASSERT_NE(outlier, notes.end());
  ASSERT_FALSE(outlier->ops.empty());
  EXPECT_EQ(outlier->ops.front().name, "mul.out");
  EXPECT_NEAR(outlier->ops.front().ticks, 60e3, 6e3);
  double sum = 0;
  for (const ExtraTime& e : outlier->ops) sum += e.ticks;
  EXPECT_LT(sum, 1.1 * (outlier->time - outlier->reference)) << outlier->text;
}

// An op of 10 µs that once takes 4 ms was not slow: something else had the processor. One that is slow in several
// executions has a slow way.
TEST(ExecutionNotes, OneOpManyTimesSlowerInOneExecutionIsAnInterruption) {
  const auto outliers = [](const std::vector<ExecutionNote>& notes, bool interrupted) {
    return std::count_if(notes.begin(), notes.end(), [&](const ExecutionNote& n) {
      return n.kind == Kind::Outlier && n.interrupted == interrupted &&
             (n.text.find("most likely an interruption: the op takes") != std::string::npos) == interrupted;
    });
  };
  const auto notes = notes_of(traced(40, [](size_t i) {
    RunTimes t;
    if (i == 20) t.mul += 4e6;
    if (i == 30) t.add += 4e6;
    return t;
  }));
  EXPECT_EQ(outliers(notes, true), 2) << texts(notes);
  const auto same_op = notes_of(traced(40, [](size_t i) { return RunTimes{.mul = i == 12 || i == 33 ? 4e6 : 30e3}; }));
  EXPECT_EQ(outliers(same_op, true), 0) << texts(same_op);
  EXPECT_GE(outliers(same_op, false), 2) << texts(same_op);
  const auto little = notes_of(traced(40, [](size_t i) { return RunTimes{.mul = i == 20 ? 300e3 : 30e3}; }));
  EXPECT_EQ(outliers(little, true), 0) << texts(little);
}

TEST(ExecutionNotes, ManyOutliersAreCounted) {
  const std::vector<ExecutionNote> notes =
      notes_of(traced(100, [](size_t i) { return i % 20 == 3 ? RunTimes{.add = 400e3} : RunTimes(); }));
  EXPECT_EQ(std::count_if(notes.begin(), notes.end(), [](const auto& n) { return n.kind == Kind::Outlier; }), 3);
  const ExecutionNote* more = of_kind(notes, Kind::MoreOutliers);
  ASSERT_NE(more, nullptr) << texts(notes);
  EXPECT_EQ(more->count, 2);
  ASSERT_TRUE(more->run_id) << "where a click leads";
  EXPECT_NE(more->text.find("the slowest of them #" + std::to_string(*more->execution) + ":"), std::string::npos);
}

TEST(ExecutionNotes, AStepADriftAndTwoGroupsAreNamed) {
  std::vector<ExecutionNote> notes =
      notes_of(traced(60, [](size_t i) { return i >= 40 ? RunTimes{.add = 80e3, .mul = 45e3} : RunTimes(); }));
  const ExecutionNote* step = of_kind(notes, Kind::Step);
  ASSERT_NE(step, nullptr) << texts(notes);
  EXPECT_EQ(step->execution, 40);
  EXPECT_NEAR(step->time / step->reference, 130.0 / 85, 0.03);

  notes = notes_of(traced(60, [](size_t i) { return RunTimes{.add = 50e3 + 500.0 * static_cast<double>(i)}; }));
  const ExecutionNote* drift = of_kind(notes, Kind::Drift);
  ASSERT_NE(drift, nullptr) << texts(notes);
  EXPECT_NEAR(drift->time / drift->reference, 114.5 / 85, 0.05);

  EXPECT_TRUE(drift->text.starts_with("executions get steadily slower: median ")) << drift->text;

  // What rises and falls again in the end is none.
  notes = notes_of(
      traced(60, [](size_t i) { return RunTimes{.add = i < 54 ? 50e3 + 1000.0 * static_cast<double>(i) : 48e3}; }));
  EXPECT_EQ(of_kind(notes, Kind::Drift), nullptr) << texts(notes);

  notes = notes_of(traced(60, [](size_t i) { return i % 3 == 1 ? RunTimes{.add = 100e3} : RunTimes(); }));
  const ExecutionNote* modes = of_kind(notes, Kind::Modes);
  ASSERT_NE(modes, nullptr) << texts(notes);
  EXPECT_EQ(modes->count, 20);
}

TEST(ExecutionNotes, StallsOfOneLengthInDifferentOpsAreNoGroup) {
  // Each of three slow ones is held up for as long, but in another place.
  const auto stalled = [](size_t i) {
    RunTimes t;
    if (i % 10 == 3) (i < 10 ? t.add : i < 20 ? t.mul : t.around) += 400e3;
    return t;
  };
  const std::vector<ExecutionNote> notes = notes_of(traced(30, stalled));
  EXPECT_EQ(of_kind(notes, Kind::Modes), nullptr) << texts(notes);
  std::set<std::string> ops;
  for (const ExecutionNote& n : notes) {
    if (n.kind != Kind::Outlier) continue;
    ASSERT_FALSE(n.ops.empty());
    EXPECT_NEAR(n.ops[0].ticks, 400e3, 40e3) << n.text;
    EXPECT_NE(n.text.find("against a median of"), std::string::npos) << n.text;
    ops.insert(n.ops[0].name);
  }
  EXPECT_EQ(ops.size(), 3u) << texts(notes);
  // The same ones, all in one op, are that op's second way.
  const std::vector<ExecutionNote> same =
      notes_of(traced(30, [](size_t i) { return i % 10 == 3 ? RunTimes{.add = 450e3} : RunTimes(); }));
  EXPECT_NE(of_kind(same, Kind::Modes), nullptr) << texts(same);
}

// Stalls as long as an op's slow way, in other ops: one group, all of it counted, and none of it said twice.
TEST(ExecutionNotes, OneCountOfTheSlowGroup) {
  const std::vector<ExecutionNote> notes = notes_of(traced(30, [](size_t i) {
    RunTimes t;
    if (i == 5 || i == 12 || i == 19) t.add += 400e3;
    if (i == 26 || i == 8) (i == 8 ? t.mul : t.around) += 400e3;
    return t;
  }));
  const ExecutionNote* const modes = of_kind(notes, Kind::Modes);
  ASSERT_NE(modes, nullptr) << texts(notes);
  EXPECT_EQ(modes->count, 5) << texts(notes);
  EXPECT_NE(modes->text.find("24 around "), std::string::npos) << modes->text;
  for (const ExecutionNote& n : notes) EXPECT_FALSE(n.interrupted) << n.text;
}

TEST(ExecutionNotes, FewExecutionsAreSaidToBeFew) {
  for (const size_t n : {1, 2, 6, 10, 11}) {
    const std::vector<ExecutionNote> notes = notes_of(traced(n, [](size_t) { return RunTimes(); }));
    const ExecutionNote* few = of_kind(notes, Kind::Few);
    EXPECT_EQ(few != nullptr, n <= 10) << n;
    if (few != nullptr) {
      EXPECT_EQ(few->warm, static_cast<int64_t>(n) - 1);
    }
  }
}

TEST(ExecutionNotes, TheyAreFindings) {
  const Store store = traced(20, [](size_t i) { return i == 4 ? RunTimes{.mul = 840e3} : RunTimes(); });
  std::vector<Finding> found;
  ASSERT_TRUE(find_findings(store, 1, &found).ok());
  const auto it = std::find_if(found.begin(), found.end(), [](const auto& f) { return f.id == "execution-outlier"; });
  ASSERT_NE(it, found.end());
  EXPECT_EQ(it->severity, "warning") << "it is a third of the sum";
  EXPECT_EQ(it->text, notes_of(store)[0].text);
  EXPECT_FALSE(it->advice.empty());
}

TEST(ExecutionNotes, InterruptionsAreOneFinding) {
  const auto found_of = [](const Store& store) {
    std::vector<Finding> found;
    EXPECT_TRUE(find_findings(store, 1, &found).ok());
    std::erase_if(found, [](const Finding& f) { return f.id != "execution-outlier"; });
    return found;
  };
  const Store one = traced(40, [](size_t i) { return i == 20 ? RunTimes{.mul = 4e6} : RunTimes(); });
  ASSERT_EQ(found_of(one).size(), 1U);
  EXPECT_EQ(found_of(one)[0].text, notes_of(one)[0].text);
  const Store two = traced(40, [](size_t i) {
    return i == 20 ? RunTimes{.mul = 4e6} : i == 30 ? RunTimes{.add = 5e6} : RunTimes();
  });
  const std::vector<Finding> both = found_of(two);
  ASSERT_EQ(both.size(), 1U);
  EXPECT_TRUE(both[0].text.starts_with("2 of 39 warm executions were most likely interrupted")) << both[0].text;
  for (const char* named : {"#30 add.out", "#20 mul.out", "up to 5."})
    EXPECT_NE(both[0].text.find(named), std::string::npos) << both[0].text;
  const auto slowest = notes_of(two);
  EXPECT_EQ(both[0].run, of_kind(slowest, Kind::Outlier)->run_id) << "a click leads to the slowest";
}

// A disturbed machine is one statement, whatever of it was long enough to stand out; it says what it means.
TEST(ExecutionNotes, ADisturbedMachineIsSaidOnce) {
  const Store store = traced(40, [](size_t i) {
    RunTimes t;
    (i % 3 == 0 ? t.add : i % 3 == 1 ? t.mul : t.around) += 30e3 + 10e3 * static_cast<double>(i * 7 % 11);
    if (i == 20) t.mul = 4e6;
    if (i == 30) t.add = 5e6;
    return t;
  });
  const std::vector<ExecutionNote> notes = notes_of(store);
  ASSERT_NE(of_kind(notes, Kind::Disturbed), nullptr) << texts(notes);
  std::vector<Finding> found;
  ASSERT_TRUE(find_findings(store, 1, &found).ok());
  std::erase_if(found, [](const Finding& f) { return !f.of_executions || f.id == "cold-start"; });
  ASSERT_EQ(found.size(), 1U) << texts(notes);
  EXPECT_EQ(found[0].id, "execution-disturbed");
  EXPECT_EQ(found[0].severity, "warning");
  for (const char* said :
       {"the machine was disturbed: ", "usual times of ops and their order hold, medians of executions",
        " of 39 warm executions were held up for long besides, up to 5.", "#30 add.out"})
    EXPECT_NE(found[0].text.find(said), std::string::npos) << found[0].text;
}

// Many that were held up, each elsewhere, are counted, all of them; they make no group, and no step.
TEST(ExecutionNotes, AllInterruptionsAreCounted) {
  const auto where = [](size_t i) {
    return i % 9 == 0 ? RunTimes{.add = 2e6} : i % 9 == 3 ? RunTimes{.mul = 2e6} : RunTimes{.around = 2e6};
  };
  const Store store = traced(40, [&](size_t i) { return i >= 22 && i % 3 == 0 ? where(i) : RunTimes(); });
  const std::vector<ExecutionNote> notes = notes_of(store);
  EXPECT_EQ(of_kind(notes, Kind::Step), nullptr) << texts(notes);
  EXPECT_EQ(of_kind(notes, Kind::Modes), nullptr) << texts(notes);
  int64_t interrupted = 0;
  for (const ExecutionNote& n : notes) interrupted += n.interrupted ? n.count : 0;
  EXPECT_EQ(interrupted, 6) << texts(notes);
  std::vector<Finding> found;
  ASSERT_TRUE(find_findings(store, 1, &found).ok());
  const auto said = std::find_if(found.begin(), found.end(), [](const Finding& f) {
    return f.text.starts_with("6 of 39 warm executions were most likely interrupted");
  });
  EXPECT_NE(said, found.end()) << texts(notes);
}

// An op in which most of the slow executions have their time has a slow way of its own: these are a group.
TEST(ExecutionNotes, AnOpWithASlowWayIsNoInterruption) {
  const Store store = traced(40, [](size_t i) { return i % 3 == 0 ? RunTimes{.mul = 2e6} : RunTimes(); });
  const std::vector<ExecutionNote> notes = notes_of(store);
  for (const ExecutionNote& n : notes) EXPECT_FALSE(n.interrupted) << n.text;
  EXPECT_NE(of_kind(notes, Kind::Modes), nullptr) << texts(notes);
}

// Nothing in the file says that the first execution was the cold one: its block of loading was taken before.
TEST(ExecutionNotes, AFirstExecutionThatStandsOutIsAColdStart) {
  const auto times = [](size_t i) {
    return i == 0 ? RunTimes{.add = 900e3} : i == 7 ? RunTimes{.mul = 300e3} : RunTimes();
  };
  const std::vector<ExecutionNote> notes = notes_of(traced(20, times, false));
  const ExecutionNote* cold = of_kind(notes, Kind::Cold);
  ASSERT_NE(cold, nullptr) << texts(notes);
  EXPECT_EQ(cold->execution, 0);
  EXPECT_TRUE(cold->text.starts_with("#0, the first in this trace, took ")) << cold->text;
  EXPECT_GT(cold->time, 1.25 * cold->reference);
  const ExecutionNote* outlier = of_kind(notes, Kind::Outlier);
  ASSERT_NE(outlier, nullptr) << texts(notes);
  EXPECT_EQ(outlier->execution, 7);
  EXPECT_EQ(outlier->ordinal, 0) << "the worst";
  EXPECT_EQ(outlier->warm, 19);
  // One that is as fast as the others is no cold start.
  const std::vector<ExecutionNote> quiet = notes_of(traced(
      20, [](size_t) { return RunTimes(); }, false));
  EXPECT_EQ(of_kind(quiet, Kind::Cold), nullptr) << texts(quiet);
}

TEST(ExecutionNotes, AColdExecutionThatATraceDoesNotHaveCostsNothingKnown) {
  const auto with_cold = [](const Store& store) {
    Statement st = store.query("SELECT count(*) FROM usual_ops WHERE cold_ns IS NOT NULL");
    return st.step() ? st.integer(0) : -1;
  };
  EXPECT_EQ(with_cold(traced(
                20, [](size_t) { return RunTimes(); }, false)),
            0);
  EXPECT_GT(with_cold(traced(
                20, [](size_t) { return RunTimes(); }, true)),
            0);
}

TEST(ExecutionNotes, ADamagedStoreIsNoCrash) {
  Store store = traced(20, [](size_t i) { return i == 4 ? RunTimes{.mul = 840e3} : RunTimes(); });
  ASSERT_TRUE(store.exec("DELETE FROM raw_sample WHERE run % 2 = 0; UPDATE raw_block SET runs = 0").ok());
  std::vector<ExecutionNote> notes;
  (void)load_execution_notes(store, 1, &notes);
  ASSERT_TRUE(store.exec("UPDATE raw_op SET parent = id; UPDATE raw_run SET duration = -5").ok());
  (void)load_execution_notes(store, 1, &notes);
  EXPECT_TRUE(load_execution_notes(store, 4711, &notes).ok());
  EXPECT_TRUE(notes.empty());
}

const OpEntry* named(const OpTable& table, const char* name) {
  const auto at = std::find_if(table.ops.begin(), table.ops.end(),
                               [&](const OpEntry& op) { return op.name.str().find(name) != std::string::npos; });
  return at == table.ops.end() ? nullptr : &*at;
}

TEST(Interruptions, AreNoTimeOfTheOpOnAnyBasis) {
  constexpr double kRuns = 30, kHeld = 4e6;
  const Store store = traced(30, [](size_t i) { return i == 7 ? RunTimes{.mul = kHeld} : RunTimes(); });
  for (const auto& [basis, runs] : {std::pair(Basis{BasisKind::Mean}, 1.0), std::pair(Basis{BasisKind::Total}, kRuns),
                                    std::pair(Basis{BasisKind::Execution, 7}, 1.0)}) {
    OpTable shown;
    ASSERT_TRUE(load_shown_ops(store, 1, {.basis = basis}, &shown).ok());
    std::vector<Interruption> found;
    ASSERT_TRUE(find_interruptions(store, shown, &found).ok());
    ASSERT_EQ(found.size(), 1U) << basis.name();
    EXPECT_EQ(found[0].count, 1);
    EXPECT_NE(shown.ops[found[0].op].name.str().find("mul"), std::string::npos);
    const OpTable calm = without_interruptions(shown, found);
    const OpEntry *before = named(shown, "mul"), *after = named(calm, "mul");
    ASSERT_TRUE(before != nullptr && after != nullptr);
    EXPECT_GT(before->cost, 3 * after->cost);
    EXPECT_NEAR(after->cost, 30e3 * runs, 0.1 * 30e3 * runs) << basis.name();
    EXPECT_DOUBLE_EQ(named(calm, "add")->cost, named(shown, "add")->cost);
    EXPECT_DOUBLE_EQ(calm.blocks[before->block].cost, shown.blocks[before->block].cost) << "the whole stays";
    EXPECT_NE(interruptions_text(shown, found).find("1 interruption, "), std::string::npos);
  }
  OpTable usual;
  ASSERT_TRUE(load_shown_ops(store, 1, {}, &usual).ok());
  std::vector<Interruption> none;
  ASSERT_TRUE(find_interruptions(store, usual, &none).ok());
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(interruptions_text(usual, none), "");
}

TEST(Interruptions, NoRooflineWinsThem) {
  constexpr double kHeld = 4e6;
  const Store store = traced(30, [](size_t i) { return i == 7 ? RunTimes{.mul = kHeld} : RunTimes(); });
  OpTable shown, usual;
  ASSERT_TRUE(load_shown_ops(store, 1, {.basis = Basis{BasisKind::Execution, 7}}, &shown).ok());
  ASSERT_TRUE(load_shown_ops(store, 1, {}, &usual).ok());
  Roofline plain, calm, warm;
  ASSERT_TRUE(roofline(store, shown, nullptr, {}, &plain).ok());
  ASSERT_TRUE(calm_roofline(store, shown, nullptr, {}, &calm).ok());
  ASSERT_TRUE(calm_roofline(store, usual, nullptr, {}, &warm).ok());
  const auto mul = [](const Roofline& r) {
    const auto at = std::find_if(r.rows.begin(), r.rows.end(),
                                 [](const RooflineRow& row) { return row.title.find("mul") != std::string::npos; });
    return at == r.rows.end() ? RooflineRow() : *at;
  };
  EXPECT_GT(mul(plain).ns, 0.9 * kHeld);
  EXPECT_NEAR(mul(calm).ns, 30e3, 3e3);
  EXPECT_NEAR(mul(calm).usual_ns, mul(warm).ns, 1e-6) << "what it usually takes makes a roof, not one sample";
  EXPECT_EQ(mul(warm).usual_ns, 0);
  EXPECT_DOUBLE_EQ(plain.total_ns, calm.total_ns);
  EXPECT_NEAR(calm.variation_ns - plain.variation_ns, mul(plain).ns - mul(calm).ns, 1e-6);
  EXPECT_NE(calm.left_out.find("1 interruption, "), std::string::npos) << calm.left_out;
  EXPECT_EQ(warm.left_out, "");
  std::string text;
  ASSERT_TRUE(write_roofline(calm, nullptr, "", {}, &text).ok());
  EXPECT_NE(text.find("\nLeft out, as no change of the model saves it: 1 interruption, "), std::string::npos) << text;
  text.clear();
  ASSERT_TRUE(write_roofline(calm, nullptr, "", {.format = "json"}, &text).ok());
  EXPECT_NE(text.find("\"left_out\": \"Left out, "), std::string::npos);
  text.clear();
  DelegationOptions options;
  options.basis = Basis{BasisKind::Execution, 7};
  ASSERT_TRUE(write_delegation(store, 1, options, &text).ok());
  EXPECT_NE(text.find("\nLeft out, as no change of the model saves it: 1 interruption, "), std::string::npos) << text;
  Scenarios scenarios_of_7;
  ASSERT_TRUE(scenarios(store, shown, Filter(), nullptr, {}, &scenarios_of_7).ok());
  EXPECT_EQ(scenarios_of_7.left_out, calm.left_out);
  for (const Scenario& s : scenarios_of_7.list) EXPECT_LT(s.saved_ns, 0.1 * kHeld) << s.id;
}

TEST(Interruptions, ASlowWayIsNone) {
  const Store often = traced(30, [](size_t i) { return i % 5 == 3 ? RunTimes{.mul = 4e6} : RunTimes(); });
  const Store cold = traced(30, [](size_t i) { return i == 0 ? RunTimes{.mul = 4e6} : RunTimes(); });
  const Store elsewhere =
      traced(30, [](size_t i) { return i == 7 ? RunTimes{.mul = 700e3, .around = 4e6} : RunTimes(); });
  for (const Store* const store : {&often, &cold, &elsewhere}) {
    OpTable shown;
    ASSERT_TRUE(load_shown_ops(*store, 1, {.basis = {BasisKind::Mean}}, &shown).ok());
    std::vector<Interruption> found;
    ASSERT_TRUE(find_interruptions(*store, shown, &found).ok());
    EXPECT_TRUE(found.empty());
  }
}

}  // namespace
}  // namespace et::inspector
