// The open trace beside another one: the figures of `et-inspect diff`, errors that lose nothing, both executions.
#include "gui/models/compare_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "base/json.h"
#include "gui/core/document.h"
#include "inspector/text/words.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

struct CompareTest : testing::Test {
  TemporaryFolder folder;
  Jobs jobs;
  Document document{jobs};
  CompareModel model;

  Comparison& comparison() { return document.comparison(); }
  /// As the window does: a frame may start a job.
  void settle() {
    for (int i = 0; i < 5; ++i) {
      comparison().update(document);
      jobs.finish();
    }
    model.set(comparison().result());
  }
  void open(const std::string& name, const std::string& other, const inspector::Basis& basis = {}) {
    document.set_basis(basis);
    document.open_files({artifact(name)});
    comparison().open_files({artifact(other)});
    jobs.finish();
    settle();
  }
  std::string error() { return comparison().error().message(); }
};

/// What `et-inspect diff BEFORE AFTER --json` prints of two fixtures.
std::string diff_json(const std::string& before, const std::string& after, const inspector::Basis& basis) {
  const OpenedTrace a(before), b(after);
  inspector::TraceDiff diff;
  inspector::TraceChanges changes;
  EXPECT_TRUE(inspector::diff_traces(a.store, 1, b.store, 1, {.basis = basis}, &diff).ok());
  EXPECT_TRUE(inspector::compare_traces(a.store, 1, b.store, 1, &changes).ok());
  std::string out;
  EXPECT_TRUE(inspector::write_diff(diff, changes, {}, {}, {.format = "json"}, &out).ok());
  return out;
}

TEST_F(CompareTest, FiguresAreThoseOfTheCommand) {
  for (const inspector::Basis& basis : {inspector::Basis{}, inspector::Basis{inspector::BasisKind::Mean},
                                        inspector::Basis{inspector::BasisKind::Cold}}) {
    open("lstm_xnnpack", "lstm", basis);
    ASSERT_NE(model.compared(), nullptr) << error();
    EXPECT_EQ(model.diff().basis, basis);
    const std::string text = diff_json("lstm", "lstm_xnnpack", basis);
    JsonDocument json;
    ASSERT_TRUE(json.parse(text, "diff", 32).ok());
    const JsonValue diff = json.root().find("diff").value();
    EXPECT_EQ(json_double(diff.find("before").value()), model.diff().before);
    EXPECT_EQ(json_double(diff.find("after").value()), model.diff().after);
    const JsonArray groups = diff.find("groups").value().array().value();
    size_t row = 0;
    for (const JsonValue g : groups) {
      ASSERT_LT(row, model.rows().size());
      const inspector::DiffGroup& of = model.group(model.rows()[row++]);
      EXPECT_EQ(g.find("op")->string(), of.title);
      EXPECT_EQ(json_double(*g.find("before")), of.before.cost) << of.title;
      EXPECT_EQ(json_double(*g.find("after")), of.after.cost) << of.title;
      EXPECT_EQ(g.find("verdict")->string(), inspector::diff_verdict_name(of.verdict)) << of.title;
    }
    EXPECT_EQ(row, model.rows().size());
  }
}

TEST_F(CompareTest, RowsAndSharesAddUpToTheDifference) {
  open("lstm_xnnpack", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  const double change = model.diff().after - model.diff().before;
  double rows = 0, shares = 0;
  for (const int32_t g : model.rows()) rows += model.group(g).change();
  for (const inspector::DiffShare& s : model.shares()) shares += s.change;
  EXPECT_NEAR(rows, change, 1);
  EXPECT_NEAR(shares, change, 1);
  EXPECT_NE(change, 0);
}

TEST_F(CompareTest, ATraceIsExactlyAsFastAsItself) {
  open("partial_delegation", "partial_delegation");
  ASSERT_NE(model.compared(), nullptr) << error();
  for (const int32_t g : model.rows()) {
    EXPECT_EQ(model.group(g).change(), 0) << model.group(g).title;
    EXPECT_EQ(model.group(g).verdict, inspector::DiffVerdict::Same) << model.group(g).title;
  }
  ASSERT_EQ(model.sentences().size(), 1U);
  EXPECT_TRUE(model.sentences()[0].text.starts_with("No difference: both take ")) << model.sentences()[0].text;
  EXPECT_TRUE(model.shares().empty());
  EXPECT_TRUE(model.warnings().empty());
  EXPECT_EQ(model.summary().find("→"), std::string::npos) << model.summary();
}

// A file beside itself, under another name, or as another trace: nothing was compared, and that is said.
TEST_F(CompareTest, TheSameFileIsToldFromOneThatIsEquallyFast) {
  open("partial_delegation", "partial_delegation");
  ASSERT_NE(model.compared(), nullptr) << error();
  EXPECT_EQ(model.compared()->same, "the same file: " + artifact("partial_delegation") + "/etdump.etdp");
  const std::string copy = folder / "copy.etdp";
  std::filesystem::copy_file(artifact("partial_delegation") + "/etdump.etdp", copy);
  comparison().open_files({copy});
  jobs.finish();
  settle();
  EXPECT_EQ(model.compared()->same,
            "files of the same content: " + artifact("partial_delegation") + "/etdump.etdp and " + copy);
  open("lstm_xnnpack", "lstm");
  EXPECT_EQ(model.compared()->same, "");
  // Of one store.
  ASSERT_TRUE(import_artifact("add_mul", folder / "two.db").ok());
  ASSERT_TRUE(import_artifact("lstm", folder / "two.db").ok());
  document.open_files({folder / "two.db#1"});
  jobs.finish();
  comparison().open_trace(document, 1);
  settle();
  EXPECT_EQ(model.compared()->same, "the same trace: two.db#1");
  comparison().open_trace(document, 2);
  settle();
  EXPECT_EQ(model.compared()->same, "");
}

TEST_F(CompareTest, ASliceTellsItsOwnTimeAndWhatIsFarOff) {
  open("lstm_xnnpack", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  model.usual_times = false;
  const CompareMethod& m = model.methods()[model.first_method()];
  const auto value = [](const CompareModel::Facts& facts, const std::string& what) {
    for (const auto& [label, text] : facts) {
      if (label == what) return text;
    }
    return std::string();
  };
  for (const bool after : {false, true}) {
    const CompareLane& lane = after ? m.after : m.before;
    EXPECT_EQ(lane.usual, after ? model.diff().methods[model.first_method()].after
                                : model.diff().methods[model.first_method()].before);
    std::map<int32_t, double> times;
    for (const CompareSlice& s : lane.own) times[s.group] += static_cast<double>(s.end - s.begin);
    std::set<int32_t> far;
    for (const CompareSlice& s : lane.own) {
      const inspector::DiffGroup& g = model.group(s.group);
      const CompareModel::Facts facts = model.slice_facts(m, s, after, false);
      EXPECT_EQ(facts.front().first, "this slice");
      EXPECT_EQ(facts.front().second,
                inspector::format_duration_named(static_cast<double>(s.end - s.begin), model.unit()) +
                    ", in execution #" + std::to_string(lane.number) + (after ? " after" : " before"));
      EXPECT_EQ(value(facts, "verdict"), model.verdict(s.group)) << "and all of its group";
      const double usual = (after ? g.after : g.before).cost, time = times[s.group];
      const bool is_far = !g.type.empty() && usual > 0 && (time >= 1.3 * usual || time <= 0.7 * usual) &&
                          std::fabs(time - usual) >= 0.01 * static_cast<double>(lane.duration);
      EXPECT_EQ(s.times > 0, is_far) << g.title;
      EXPECT_EQ(!value(facts, "against usual").empty(), is_far);
      if (is_far) far.insert(s.group);
    }
    EXPECT_EQ(lane.far_groups(), std::ssize(far));
  }
  CompareLane lane;
  lane.duration = 150;
  EXPECT_EQ(lane.untypical(), 0) << "nothing is known";
  lane.usual = 100;
  EXPECT_DOUBLE_EQ(lane.untypical(), 1.5);
  lane.duration = 105;
  EXPECT_EQ(lane.untypical(), 0);
  lane.duration = 80;
  EXPECT_DOUBLE_EQ(lane.untypical(), 0.8);
}

TEST_F(CompareTest, RowsHaveTheirIntervalsAndSayByWhatTheyMatch) {
  open("lstm_xnnpack", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  std::set<std::string> matches;
  size_t intervals = 0;
  double largest = 0;
  for (const int32_t g : model.rows()) {
    const inspector::DiffGroup& of = model.group(g);
    if (!of.is_variation) largest = std::max(largest, std::fabs(of.change()));
    const std::string text = model.interval_text(g);
    for (const auto& [label, value] : model.facts(g)) {
      EXPECT_NE(value, "same") << label;
      if (label == "matched by") matches.insert(value);
      EXPECT_TRUE(label != "95 % interval" || value == text) << value;
    }
  }
  EXPECT_EQ(model.largest_change(), largest) << "bars are of ops, the variation has no bar that they are held against";
  open("partial_delegation", "partial_delegation");
  for (const int32_t g : model.rows()) {
    for (const auto& [label, value] : model.facts(g)) {
      if (label == "matched by") matches.insert(value);
    }
  }
  open("dynamic_shapes_bounded", "dynamic_shapes_bounded");  // with executions enough
  for (const int32_t g : model.rows()) {
    const inspector::DiffGroup& of = model.group(g);
    const std::string text = model.interval_text(g);
    EXPECT_EQ(text.empty(), !of.interval_low || !of.interval_high);
    intervals += text.empty() ? 0 : 1;
    EXPECT_TRUE(text.empty() || text.find("% to ") != std::string::npos) << text;
    for (const auto& [label, value] : model.facts(g)) EXPECT_TRUE(label != "95 % interval" || value == text) << value;
  }
  EXPECT_GT(intervals, 0U);
  EXPECT_TRUE(matches.contains("name, operator, module and line"));
  EXPECT_TRUE(matches.contains("what it is called: no graph node leads to it"));
}

TEST_F(CompareTest, SwapTurnsEveryDifferenceRound) {
  open("lstm_xnnpack", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  const double change = model.diff().after - model.diff().before;
  const std::string before = model.compared()->before_title;
  comparison().swap();
  settle();
  EXPECT_DOUBLE_EQ(model.diff().after - model.diff().before, -change);
  EXPECT_EQ(model.compared()->after_title, before);
  EXPECT_NE(model.compared()->before_title.find("lstm_xnnpack"), std::string::npos) << model.compared()->before_title;
}

TEST_F(CompareTest, OtherModelsAreSaidToBeOthers) {
  open("add_mul", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  ASSERT_FALSE(model.sentences().empty());
  EXPECT_TRUE(model.sentences()[0].text.starts_with("These are different programs: 0 of "))
      << model.sentences()[0].text;
  EXPECT_TRUE(model.warnings().empty());
  EXPECT_TRUE(model.shares().empty());
  // What is in both only has the same name.
  const auto& groups = model.diff().groups;
  const auto others = std::count_if(groups.begin(), groups.end(),
                                    [](const auto& g) { return g.verdict == inspector::DiffVerdict::Other; });
  EXPECT_EQ(model.count(CompareFilter::Added) + model.count(CompareFilter::Removed) +
                model.count(CompareFilter::Slight) + model.count(CompareFilter::Noise) +
                model.count(CompareFilter::TooFew) + others,
            model.count(CompareFilter::All));
  EXPECT_EQ(model.count(CompareFilter::Slower) + model.count(CompareFilter::Faster), 0);
  EXPECT_GT(model.count(CompareFilter::Removed), 50);
}

TEST_F(CompareTest, DelegationMemoryAndSizeAreToldOfBoth) {
  open("lstm_xnnpack", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  const auto fact = [&](const std::string& section, const std::string& what) {
    for (const CompareFact& f : model.changes()) {
      if (f.section == section && f.what == what) return f.before + " " + f.after + " " + f.change;
    }
    return std::string("none");
  };
  EXPECT_EQ(fact("Delegation", "delegated nodes"), "0 43 +43");
  EXPECT_EQ(fact("Delegation", "delegate calls"), "0 6 +6");
  EXPECT_EQ(fact("Memory plan", "arena 1 on cpu"), "5.1 KiB 2.0 KiB −3.1 KiB");
  EXPECT_EQ(fact("Program", "file"), "21.1 KiB 24.3 KiB +3.2 KiB");
  EXPECT_EQ(model.summary(),
            "Delegated nodes 0 of 74 → 43 of 59  ·  memory plan 5.1 KiB → 2.0 KiB  ·  program 21.1 KiB → 24.3 KiB");
}

TEST_F(CompareTest, FilterSearchAndSort) {
  open("lstm_xnnpack", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  for (size_t f = 0; f < kCompareFilters; ++f) {
    model.query.filter = static_cast<CompareFilter>(f);
    EXPECT_EQ(static_cast<int64_t>(model.rows().size()), model.count(model.query.filter)) << f;
    if (model.query.filter != CompareFilter::Noise) continue;
    for (const int32_t g : model.rows()) {
      const inspector::DiffGroup& of = model.group(g);
      if (!of.interval_low || !of.interval_high) continue;
      EXPECT_TRUE(*of.interval_low <= 1 && *of.interval_high >= 1) << of.title << ": surely another time is no noise";
    }
  }
  model.query = {.text = "TANH"};
  ASSERT_FALSE(model.rows().empty());
  for (const int32_t g : model.rows()) EXPECT_NE(model.group(g).title.find("tanh"), std::string::npos);
  model.query = {.text = "", .sort = CompareSort::Before};
  EXPECT_TRUE(std::is_sorted(model.rows().begin(), model.rows().end(), [&](int32_t a, int32_t b) {
    return model.group(a).before.cost > model.group(b).before.cost;
  }));
  const std::string csv = model.csv();
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), static_cast<ptrdiff_t>(model.rows().size()) + 1);
  EXPECT_TRUE(csv.starts_with("op,before_ns,after_ns,change,relative,interval_low,interval_high,verdict,")) << csv;
}

// A click anywhere finds its row, and the row leads back to one of its ops.
TEST_F(CompareTest, OpsAndRowsLeadToEachOther) {
  open("lstm_xnnpack", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  int64_t led = 0;
  for (size_t g = 0; g < model.diff().groups.size(); ++g) {
    const auto group = static_cast<int32_t>(g);
    const Selection s = model.selection_of(group);
    EXPECT_EQ(s.empty(), model.group(group).after.parts.empty()) << model.group(group).title;
    if (s.empty()) continue;
    ++led;
    const int32_t op = document.data()->find_op(s.op);
    EXPECT_EQ(model.group_of(op), group) << model.group(group).title;
  }
  EXPECT_GT(led, 10);
  EXPECT_EQ(model.group_of(-1), -1);
  EXPECT_EQ(model.group_of(Selection()), -1);
}

// Each of the two executions is one of its trace's, and its slices are in order and inside of it.
TEST_F(CompareTest, BothExecutionsAreOnOneAxis) {
  for (const auto& [name, other] : {std::pair{"lstm_xnnpack", "lstm"}, {"multi_method", "multi_method"}}) {
    open(name, other);
    ASSERT_NE(model.compared(), nullptr) << error();
    ASSERT_EQ(model.methods().size(), model.diff().methods.size());
    model.usual_times = false;
    for (const CompareMethod& m : model.methods()) {
      const auto run =
          std::find_if(document.data()->runs.begin(), document.data()->runs.end(), [&](const et::gui::Run& r) {
            const auto& block = document.data()->table.blocks[static_cast<size_t>(r.block)];
            return block.kind == "execute" && block.method.value_or("") == m.name && r.execution == m.after.number;
          });
      ASSERT_NE(run, document.data()->runs.end()) << m.name;
      EXPECT_EQ(run->duration, m.after.duration);
      EXPECT_FALSE(run->cold);
      for (const CompareLane* lane : {&m.before, &m.after}) {
        ASSERT_FALSE(lane->own.empty()) << m.name;
        int64_t at = 0, sum = 0;
        for (const CompareSlice& s : lane->own) {
          EXPECT_GE(s.begin, at);
          EXPECT_GT(s.end, s.begin);
          at = s.end;
          sum += s.end - s.begin;
          if (s.partner < 0) continue;
          const CompareLane& there = lane == &m.before ? m.after : m.before;
          EXPECT_EQ(there.own[static_cast<size_t>(s.partner)].group, s.group);
        }
        EXPECT_LE(at, lane->duration);
        EXPECT_LE(sum, lane->duration);
        EXPECT_GT(sum, lane->duration / 2);
      }
    }
  }
}

// Of five executions and five nothing is said to be sure, as the sentence says.
TEST_F(CompareTest, OfFewExecutionsNothingIsSure) {
  open("lstm_xnnpack", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  EXPECT_TRUE(model.sentences().at(0).text.starts_with("Too few warm executions to be sure: "));
  for (const int32_t g : model.rows()) {
    const inspector::DiffGroup& group = model.group(g);
    EXPECT_FALSE(group.interval_low || group.low) << group.title;
    EXPECT_NE(group.verdict, inspector::DiffVerdict::Slower) << group.title;
    EXPECT_NE(group.verdict, inspector::DiffVerdict::Faster) << group.title;
  }
}

// Strips are as wide as the table says; a single execution, with what held it up, is another choice.
TEST_F(CompareTest, StripsAreOfUsualTimesLaidEndToEnd) {
  open("lstm_xnnpack", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  ASSERT_TRUE(model.has_usual_times());
  const CompareMethod& m = model.methods().at(0);
  for (const bool after : {false, true}) {
    const CompareLane& lane = after ? m.after : m.before;
    EXPECT_TRUE(lane.is_usual);
    EXPECT_EQ(lane.far_groups(), 0);
    EXPECT_EQ(lane.untypical(), 0);
    const inspector::DiffMethod& of = model.diff().methods.at(0);
    EXPECT_NEAR(static_cast<double>(lane.duration), after ? of.usual_after() : of.usual_before(), 2);
    std::map<int32_t, int64_t> times;
    int64_t at = 0;
    for (const CompareSlice& s : lane.own) {
      EXPECT_EQ(s.begin, at) << "end to end";
      at = s.end;
      times[s.group] += s.end - s.begin;
    }
    for (const auto& [g, time] : times) {
      const inspector::DiffSide& side = after ? model.group(g).after : model.group(g).before;
      EXPECT_NEAR(static_cast<double>(time), side.cost, static_cast<double>(lane.own.size())) << model.group(g).title;
    }
    for (const CompareSlice& call : lane.calls) {
      EXPECT_LE(call.begin, call.end);
      EXPECT_LE(call.end, lane.duration);
    }
  }
  EXPECT_EQ(model.slice_facts(m, m.after.own.front(), true, false).front().second.find("execution #"),
            std::string::npos);
  model.usual_times = false;
  EXPECT_FALSE(model.methods().at(0).after.is_usual);
}

TEST_F(CompareTest, RowsOfATypeOrAModuleAreSummed) {
  open("lstm_xnnpack", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  for (const CompareGrouping by : {CompareGrouping::Type, CompareGrouping::Module, CompareGrouping::Line}) {
    const std::vector<CompareBand> bands = model.bands(by);
    ASSERT_FALSE(bands.empty());
    EXPECT_LT(bands.size(), model.rows().size());
    double change = 0;
    size_t rows = 0;
    for (const CompareBand& band : bands) {
      double before = 0;
      for (const int32_t g : band.rows) before += model.group(g).before.cost;
      EXPECT_DOUBLE_EQ(before, band.before) << band.name;
      rows += band.rows.size();
      change += band.change();
    }
    EXPECT_EQ(rows, model.rows().size()) << "each once";
    EXPECT_NEAR(change, model.diff().after - model.diff().before, 1);
  }
  EXPECT_TRUE(model.bands(CompareGrouping::None).empty());
  // The rows of one type alone.
  const std::string type = model.group(model.bands(CompareGrouping::Type).front().rows.front()).type;
  model.query.type = type;
  ASSERT_FALSE(model.rows().empty());
  for (const int32_t g : model.rows()) EXPECT_EQ(model.group(g).type, type);
}

TEST_F(CompareTest, ManyExecutionsHaveIntervalsThatCoverTheChange) {
  open("dynamic_shapes_bounded", "dynamic_shapes_bounded");
  ASSERT_NE(model.compared(), nullptr) << error();
  int64_t known = 0;
  for (const int32_t g : model.rows()) {
    const inspector::DiffGroup& of = model.group(g);
    if (!of.interval_low) continue;
    ++known;
    EXPECT_LE(*of.interval_low, 1) << of.title;
    EXPECT_GE(*of.interval_high, 1) << of.title;
    EXPECT_FALSE(of.low) << of.title << " is not surely another one";
  }
  EXPECT_GT(known, 0);
}

TEST_F(CompareTest, OneExecutionOfEachIsCompared) {
  ASSERT_TRUE(import_artifact("lstm", folder / "a.db").ok());
  ASSERT_TRUE(import_artifact("lstm", folder / "a.db").ok());
  document.open_files({(folder / "a.db") + "#1"});
  jobs.finish();
  document.set_basis({inspector::BasisKind::Execution, 2});
  jobs.finish();
  comparison().open_trace(document, 2);
  settle();
  ASSERT_NE(model.compared(), nullptr) << error();
  EXPECT_EQ(model.compared()->other_id, 2);
  EXPECT_EQ(model.methods().at(0).before.number, 2);
  EXPECT_EQ(model.methods().at(0).after.number, 2);
  EXPECT_EQ(model.compared()->before_title, "a.db#2");
  EXPECT_EQ(model.compared()->after_title, "a.db#1");
}

TEST_F(CompareTest, ABasisThatTheOtherLacksIsAnError) {
  open("add_mul", "mutable_buffer", {inspector::BasisKind::Execution, 4});  // which has four, from 0
  EXPECT_EQ(model.compared(), nullptr);
  EXPECT_NE(error().find("execution"), std::string::npos) << error();
  ASSERT_NE(document.data(), nullptr);
  EXPECT_EQ(document.data()->shown.basis.execution, 4);
  document.set_basis({});
  jobs.finish();
  settle();
  EXPECT_NE(model.compared(), nullptr) << "the other trace is not forgotten";
  EXPECT_TRUE(comparison().error().ok()) << error();
}

TEST_F(CompareTest, WhatCannotBeReadLosesNothing) {
  open("lstm", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  const auto* data = document.data();
  ASSERT_NE(data, nullptr);
  const std::string text = folder / "picture.png";
  std::ofstream(text) << "no trace\n";
  const auto last = comparison().result();
  for (const std::string& wrong : {text, folder / "nothing.etdp", artifact("lstm") + "/program.pte"}) {
    comparison().open_files({wrong}, false);
    jobs.finish();
    settle();
    EXPECT_NE(error().find(wrong.substr(wrong.find_last_of('/') + 1)), std::string::npos) << wrong << ": " << error();
    EXPECT_EQ(comparison().result(), last) << "the last comparison stays";
    EXPECT_EQ(comparison().state(), Comparison::State::Ready);
    EXPECT_EQ(document.data(), data);
    EXPECT_TRUE(document.error().ok());
  }
}

TEST_F(CompareTest, CancelKeepsWhatWasThere) {
  open("lstm", "lstm_xnnpack");
  ASSERT_NE(model.compared(), nullptr) << error();
  const auto last = comparison().result();
  comparison().open_files({artifact("add_mul")});
  EXPECT_EQ(comparison().state(), Comparison::State::Importing);
  comparison().cancel();
  EXPECT_EQ(comparison().state(), Comparison::State::Ready);
  jobs.finish();
  settle();
  EXPECT_EQ(comparison().result(), last);
  EXPECT_TRUE(comparison().error().ok());
}

// The rows are those of a trace: with another one they are made again, without one they go.
TEST_F(CompareTest, FollowsTheOpenTraceAndItsBasis) {
  open("lstm_xnnpack", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  document.set_basis({inspector::BasisKind::Mean});
  jobs.finish();
  settle();
  EXPECT_EQ(model.diff().basis.kind, inspector::BasisKind::Mean);
  document.open_files({artifact("add_mul")});
  jobs.finish();
  settle();
  ASSERT_NE(model.compared(), nullptr) << error();
  EXPECT_EQ(model.compared()->open.get(), document.data());
  document.close();
  settle();
  EXPECT_EQ(model.compared(), nullptr);
  EXPECT_EQ(comparison().state(), Comparison::State::None);
}

TEST_F(CompareTest, ATraceWithoutItsRecordIsReadWithThatOfTheOpenOne) {
  std::filesystem::copy_file(artifact("partial_delegation") + "/etdump.etdp", folder / "alone.etdp");
  document.open_files({artifact("partial_delegation")});
  comparison().open_files({folder / "alone.etdp"});
  jobs.finish();
  settle();
  ASSERT_NE(model.compared(), nullptr) << error();
  EXPECT_TRUE(model.compared()->other.has_links());
  EXPECT_NE(inspector::joined(model.compared()->source->notes, "\n").find("etrecord.bin of the open trace"),
            std::string::npos);
  // That of another model is not its.
  std::filesystem::copy_file(artifact("lstm") + "/etdump.etdp", folder / "other.etdp");
  comparison().open_files({folder / "other.etdp"});
  jobs.finish();
  settle();
  ASSERT_NE(model.compared(), nullptr) << error();
  EXPECT_FALSE(model.compared()->other.has_links());
  EXPECT_EQ(inspector::joined(model.compared()->source->notes, "\n").find("of the open trace"), std::string::npos);
}

TEST_F(CompareTest, ImportedFilesGoAwayWithTheComparison) {
  open("add_mul", "lstm");
  ASSERT_NE(model.compared(), nullptr) << error();
  const std::string store = model.compared()->source->store;
  EXPECT_TRUE(std::filesystem::exists(store));
  model.set(nullptr);
  comparison().close();
  EXPECT_FALSE(std::filesystem::exists(store));
}

}  // namespace
}  // namespace et::gui::test
