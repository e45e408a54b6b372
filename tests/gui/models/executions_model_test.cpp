// Strip of executions: order, medians, and bars that keep the slowest of what they stand for.
#include "gui/models/executions_model.h"

#include <set>

#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

/// Executions of one block, with the durations given; the first is cold.
TraceData made(const std::vector<int64_t>& durations) {
  TraceData data;
  inspector::OpBlock block;
  block.kind = "execute";
  data.table.blocks.push_back(std::move(block));
  int64_t at = 1000;
  for (size_t i = 0; i < durations.size(); ++i) {
    Run run;
    run.id = static_cast<int64_t>(i) + 1;
    run.start = at;
    run.duration = durations[i];
    run.cold = i == 0;
    data.runs.push_back(run);
    at += durations[i] + 10;
  }
  return data;
}

TEST(ExecutionsModel, HasEveryExecutionOfATraceAndNoLoad) {
  for (const char* name : {"partial_delegation", "multi_method", "lstm"}) {
    const OpenedTrace t(name);
    const ExecutionsModel m = ExecutionsModel::make(*t.data);
    int64_t runs = 0, total = 0, time = 0;
    for (const auto& block : t.data->table.blocks) {
      if (block.kind != "execute") continue;
      runs += block.runs;
      total += block.total;
    }
    for (size_t i = 0; i < m.size(); ++i) {
      time += m.duration(i);
      EXPECT_EQ(m.find(t.data->runs[static_cast<size_t>(m.run(i))].id), static_cast<int64_t>(i));
    }
    EXPECT_EQ(static_cast<int64_t>(m.size()), runs) << name;
    EXPECT_EQ(time, total) << name;
    EXPECT_EQ(m.find(-1), -1);
  }
}

TEST(ExecutionsModel, AViewShowsTheExecutionsOfWhichThereIsMoreThanASliver) {
  const ExecutionsModel m = ExecutionsModel::make(made({100, 100, 100, 100}));  // from 1000, 1110, 1220, 1330
  using Seen = std::pair<int64_t, int64_t>;
  EXPECT_EQ(m.seen(1108, 1212), Seen(1, 1)) << "nothing of the one before";
  EXPECT_EQ(m.seen(1098, 1222), Seen(1, 1)) << "2 % of its neighbours";
  EXPECT_EQ(m.seen(1000, 1430), Seen(0, 3));
  EXPECT_EQ(m.seen(1050, 1160), Seen(0, 1)) << "half of each";
  EXPECT_EQ(m.seen(1120, 1130), Seen(1, 1)) << "a part of one";
  EXPECT_EQ(m.seen(1102, 1105), Seen(0, 0)) << "between two: after the first";
}

TEST(ExecutionsModel, MedianIsOfWarmExecutions) {
  const ExecutionsModel m = ExecutionsModel::make(made({5000, 100, 130, 110, 120, 900}));
  EXPECT_EQ(m.median_of(0), 120);
  EXPECT_EQ(m.median_execution(0), 4u);
  EXPECT_EQ(m.slowest().front(), 0u);
  EXPECT_EQ(m.ceiling(), 480) << "the cold one does not flatten the others";
  EXPECT_FALSE(m.several_blocks());
}

TEST(ExecutionsModel, BarsCoverAllAndShowTheSlowest) {
  std::vector<int64_t> durations(10'000, 50);
  durations[0] = 70;
  durations[7654] = 4000;
  const ExecutionsModel m = ExecutionsModel::make(made(durations));
  for (const int width : {1, 7, 333, 1400, 20'000}) {
    const auto bars = m.bars(0, 10'000, width);
    EXPECT_LE(bars.size(), static_cast<size_t>(std::min(width + 1, 10'000)));
    size_t next = 0;
    bool seen = false;
    for (const ExecutionBar& bar : bars) {
      EXPECT_EQ(bar.first, next);
      EXPECT_GT(bar.last, bar.first);
      next = bar.last;
      seen = seen || bar.slowest == 7654;
      EXPECT_EQ(bar.cold, bar.first == 0);
    }
    EXPECT_EQ(next, 10'000u);
    EXPECT_TRUE(seen) << width;
  }
  const auto near = m.bars(7650, 7660, 1000);
  EXPECT_EQ(near.size(), 10u);
  EXPECT_TRUE(m.bars(5, 5, 100).empty());
}

TEST(ExecutionsModel, FindsTheExecutionAtATime) {
  const ExecutionsModel m = ExecutionsModel::make(made({100, 100}));
  EXPECT_EQ(m.at_time(999), -1);
  EXPECT_EQ(m.at_time(1000), 0);
  EXPECT_EQ(m.at_time(1109), 0);
  EXPECT_EQ(m.at_time(1110), 1);
}

TEST(ExecutionsModel, NoRunsAtAll) {
  const ExecutionsModel m = ExecutionsModel::make(TraceData());
  EXPECT_EQ(m.size(), 0u);
  EXPECT_TRUE(m.bars(0, 1, 100).empty());
  EXPECT_EQ(m.at_time(5), -1);
}

// Of thousands in a bar one is slow: the bar is as high as they usually take.
TEST(ExecutionsModel, ABarKnowsTheTypicalOfItsExecutions) {
  std::vector<int64_t> durations(1000, 100);
  for (size_t i = 5; i < durations.size(); i += 10) durations[i] = 5000;
  const ExecutionsModel m = ExecutionsModel::make(made(durations));
  const std::vector<ExecutionBar> bars = m.bars(0, 1000, 50);
  ASSERT_GE(bars.size(), 25U);
  for (const ExecutionBar& bar : bars) {
    EXPECT_EQ(m.duration(bar.slowest), 5000);
    EXPECT_EQ(m.duration(bar.typical), 100);
    EXPECT_GE(bar.typical, bar.first);
    EXPECT_LT(bar.typical, bar.last);
  }
}

TEST(ExecutionsModel, NamesHaveTheMethodWhereThereAreSeveral) {
  const OpenedTrace one("partial_delegation"), several("multi_method");
  EXPECT_EQ(ExecutionsModel::make(*one.data).name(*one.data, 1), "#1");
  const ExecutionsModel m = ExecutionsModel::make(*several.data);
  std::set<std::string> names;
  for (size_t i = 0; i < m.size(); ++i) EXPECT_TRUE(names.insert(m.name(*several.data, i)).second) << "one name each";
  EXPECT_TRUE(names.contains("encode #0"));
}

}  // namespace
}  // namespace et::gui::test
