// Executions that took two times: found, named, and none where they are alike.
#include "gui/models/timeline_regimes.h"

#include <random>

#include "gui/models/timeline_loading.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

/// Executions of one method one after another; the first is cold.
TraceData timed(const std::vector<int64_t>& durations) {
  TraceData data;
  data.table.unit = "ns";
  inspector::OpBlock block;
  block.kind = "execute";
  data.table.blocks.push_back(std::move(block));
  int64_t at = 1000;
  for (size_t i = 0; i < durations.size(); ++i) {
    et::gui::Run run;
    run.id = static_cast<int64_t>(i) + 1;
    run.start = at;
    run.duration = durations[i];
    run.execution = static_cast<int32_t>(i);
    run.cold = i == 0;
    data.runs.push_back(run);
    at += durations[i] + 10;
  }
  return data;
}

/// Around each of `levels`, `each` executions, in turns of `turn`.
std::vector<int64_t> series(const std::vector<double>& levels, size_t each, bool alternate) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<int64_t> out = {static_cast<int64_t>(levels[0] * 3)};
  for (size_t i = 0; i < each * levels.size(); ++i) {
    const double level = levels[alternate ? random() % levels.size() : i / each];
    out.push_back(static_cast<int64_t>(level * (1 + noise(random))));
  }
  return out;
}

TEST(TimelineRegimes, AStepHasTwoThatCanBeRestrictedTo) {
  const TraceData data = timed(series({992'000, 707'000}, 20, false));
  const ExecutionsModel executions = ExecutionsModel::make(data);
  const std::vector<TimelineRegime> found = find_regimes(executions);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].first, 1u) << "the cold one is in none";
  EXPECT_EQ(found[0].last + 1, found[1].first);
  EXPECT_EQ(found[1].last + 1, executions.size());
  EXPECT_TRUE(found[0].whole && found[1].whole);
  EXPECT_NEAR(found[0].median, 992'000, 10'000);
  EXPECT_NEAR(found[1].median, 707'000, 10'000);
  EXPECT_GE(found[1].typical, found[1].first);
  EXPECT_NE(regime_text(data, executions, found[0]).find("#1 to #20: median 99"), std::string::npos)
      << regime_text(data, executions, found[0]);
}

TEST(TimelineRegimes, GroupsInTurnsAreNamedAndHaveATypicalOne) {
  const TraceData data = timed(series({700'000, 1'000'000}, 30, true));
  const ExecutionsModel executions = ExecutionsModel::make(data);
  const std::vector<TimelineRegime> found = find_regimes(executions);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_FALSE(found[0].whole || found[1].whole);
  EXPECT_LT(found[0].median, found[1].median);
  EXPECT_EQ(found[0].count + found[1].count + 1, static_cast<int64_t>(executions.size()));
  for (const TimelineRegime& r : found)
    EXPECT_NEAR(static_cast<double>(executions.duration(r.typical)), r.median, r.median * 0.02);
  EXPECT_NE(regime_text(data, executions, found[1]).find("executions around"), std::string::npos);
}

TEST(TimelineRegimes, OneTimeIsNone) {
  const TraceData data = timed(series({800'000}, 40, false));
  EXPECT_TRUE(find_regimes(ExecutionsModel::make(data)).empty());
  EXPECT_TRUE(find_regimes(ExecutionsModel::make(TraceData())).empty());
}

TEST(TimelineLoading, IsNamedAndSoIsTimeWithoutEvents) {
  TraceData data = timed({100, 100, 100});
  inspector::OpBlock load;
  load.kind = "load";
  load.method = "forward";
  data.table.blocks.push_back(std::move(load));
  et::gui::Run run;
  run.start = 100;
  run.duration = 300;
  run.block = 1;
  data.runs.insert(data.runs.begin(), run);
  const std::vector<LoadingSpan> spans = loading_spans(data);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].text, "loading forward 300 ns");
  EXPECT_TRUE(spans[0].events);
  EXPECT_FALSE(spans[1].events);
  EXPECT_EQ(spans[1].start, 400);
  EXPECT_EQ(spans[1].end, 1000);
  EXPECT_EQ(spans[1].text, "no events 600 ns");
  EXPECT_TRUE(loading_spans(timed({100, 100})).empty());
}

TEST(QuietScale, ALongStretchWithoutEventsHasLittleRoom) {
  const std::vector<LoadingSpan> spans = {{1000, 1100, true, "loading", ""}, {1100, 9000, false, "no events", ""}};
  const QuietScale scale(spans, 1000, 10000);
  ASSERT_TRUE(scale.squeezes());
  EXPECT_DOUBLE_EQ(scale.to_map(0), 0);
  EXPECT_DOUBLE_EQ(scale.to_map(100), 100);
  EXPECT_LT(scale.to_map(8000) - scale.to_map(100), 0.1 * scale.map_extent());
  EXPECT_DOUBLE_EQ(scale.to_map(10000), scale.map_extent());
  double last = -1;
  for (double time = 0; time <= 10000; time += 50) {
    EXPECT_GT(scale.to_map(time), last) << time;
    last = scale.to_map(time);
    EXPECT_NEAR(scale.from_map(last), time, 1e-6);
  }
  // A short one is as long as it is.
  const QuietScale plain({{1100, 1200, false, "no events", ""}}, 1000, 10000);
  EXPECT_FALSE(plain.squeezes());
  EXPECT_DOUBLE_EQ(plain.to_map(5000), 5000);
}

}  // namespace
}  // namespace et::gui::test
