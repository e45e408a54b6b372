// The table of a range has the numbers of Overview and Operators for it, in one row an op.
#include "gui/models/timeline_range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "gui/core/range_text.h"
#include "gui/models/operators_model.h"
#include "gui/models/overview_model.h"
#include "gui/models/timeline_model.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::TimeRange;

std::shared_ptr<const TraceData> restricted(const OpenedTrace& trace, const TimeRange& range) {
  auto out = std::make_shared<TraceData>();
  out->range = range;
  out->whole = trace.data;
  const Status status = load_trace_data(trace.store, 1, Cancel(), out.get());
  EXPECT_TRUE(status.ok()) << status.message();
  return out;
}

std::vector<const gui::Run*> executions_of(const TraceData& data) {
  std::vector<const gui::Run*> out;
  for (const gui::Run& run : data.runs) {
    if (data.table.blocks[static_cast<size_t>(run.block)].kind == "execute") out.push_back(&run);
  }
  return out;
}

int64_t end_of(const gui::Run& run) { return run.start + run.duration; }

struct RangeOfTimeline : testing::TestWithParam<const char*> {
  Jobs jobs;
  TimelineModel model{jobs};

  /// As the panel does it; `data`: the trace, or what is restricted to the range.
  const RangeTable& table(std::shared_ptr<const TraceData> data, const TimeRange& range) {
    model.show(std::move(data), 1);
    jobs.finish();
    model.select_range(static_cast<double>(range.begin - model.view.origin()),
                       static_cast<double>(range.end - model.view.origin()));
    jobs.finish();
    EXPECT_NE(model.range_rows(), nullptr);
    return *model.range_rows();
  }
};

TEST(RangeOfTimelinePlaces, TellOpsOfOneNameApart) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  std::map<std::string, std::set<std::pair<std::string, std::string>>> places;  // by name
  for (size_t i = 0; i < trace.data->table.ops.size(); ++i) {
    const RangePlace place = range_place(*trace.data, static_cast<int32_t>(i));
    if (!place.module.empty())
      places[slice_label(*trace.data, static_cast<int32_t>(i))].emplace(place.module, place.line);
  }
  EXPECT_TRUE(std::any_of(places.begin(), places.end(), [](const auto& p) { return p.second.size() > 2; }));
}

TEST_P(RangeOfTimeline, SaysWhatOverviewAndOperatorsSay) {
  const OpenedTrace trace(GetParam());
  const std::vector<const gui::Run*> runs = executions_of(*trace.data);
  ASSERT_GT(runs.size(), 2U);
  const int64_t middle = runs[0]->start + runs[0]->duration / 2;
  for (const TimeRange& range :
       {TimeRange{runs[0]->start, end_of(*runs.back())}, TimeRange{runs[0]->start, end_of(*runs[1])},
        TimeRange{middle, end_of(*runs[1]) - runs[1]->duration / 3},
        TimeRange{trace.data->runs.front().start, middle}}) {
    const std::string name = range_text(*trace.data, range);
    SCOPED_TRACE(name);
    const std::shared_ptr<const TraceData> data = restricted(trace, range);
    const Overview overview = make_overview(*data);
    const OperatorsView operators = make_operators_view(*data, {});
    std::map<int32_t, RangeRow> live;  // before the restricted data are there
    for (const RangeRow& r : table(trace.data, range).rows) EXPECT_TRUE(live.emplace(r.op, r).second) << "a row an op";
    const RangeTable& shown = table(data, range);
    EXPECT_NEAR(overview.total, static_cast<double>(shown.executions), 1e-6);
    EXPECT_EQ(overview.basis.text(), "sum in " + name);
    std::map<int32_t, RangeRow> rows;
    double self = 0;
    for (const RangeRow& r : shown.rows) {
      rows.emplace(r.op, r);
      self += r.share ? static_cast<double>(r.self) : 0;
    }
    ASSERT_EQ(rows.size(), shown.rows.size()) << "an op is one row, cold or warm";
    EXPECT_NEAR(self, overview.total, 1e-6);
    double types = 0;
    for (const auto& [of, time] : overview.untyped) types += time;
    for (const OverviewCost& cost : overview.ops) types += cost.time;
    EXPECT_LE(types, self + 1e-6);
    size_t compared = 0;
    for (const int32_t op : operators.ops) {
      const inspector::OpEntry& entry = data->shown_op(op);
      if (!entry.on_trace_clock()) continue;
      ASSERT_TRUE(rows.contains(op)) << entry.name.str();
      EXPECT_EQ(rows[op].count, entry.count);
      EXPECT_EQ(static_cast<double>(rows[op].self), op_column(OpColumn::Self).number(data->shown, entry));
      EXPECT_NEAR(*rows[op].share, static_cast<double>(rows[op].self) / overview.total, 1e-9);
      ASSERT_TRUE(live.contains(op)) << entry.name.str();
      EXPECT_EQ(live[op].count, rows[op].count) << entry.name.str();
      EXPECT_EQ(live[op].self, rows[op].self) << entry.name.str();
      ++compared;
    }
    EXPECT_GT(compared, 0U);
    for (const auto& [op, r] : rows) EXPECT_EQ(live[op].total, r.total);
  }
}

INSTANTIATE_TEST_SUITE_P(Artifacts, RangeOfTimeline,
                         testing::Values("partial_delegation", "nanogpt_xnnpack_qd4", "control_flow_map", "lstm"));

TEST(RangeText, NamesWhatRan) {
  const OpenedTrace trace("partial_delegation");
  const TraceData& data = *trace.data;
  const std::vector<const gui::Run*> runs = executions_of(data);
  ASSERT_GT(runs.size(), 3U);
  const auto text = [&](int64_t begin, int64_t end) { return range_text(data, {begin, end}); };
  EXPECT_EQ(text(runs[1]->start, end_of(*runs[3])), "executions #1 to #3 of forward");
  EXPECT_EQ(text(runs[1]->start - 1, end_of(*runs[2]) + 1), "executions #1 to #2 of forward");
  EXPECT_EQ(text(runs[1]->start + 1, end_of(*runs[2])), "executions #1 to #2 of forward, the first in part");
  EXPECT_EQ(text(runs[1]->start + 1, end_of(*runs[2]) - 1),
            "executions #1 to #2 of forward, the first and the last in part");
  EXPECT_EQ(text(runs[2]->start, end_of(*runs[2])), "execution #2 of forward");
  EXPECT_EQ(text(runs[2]->start + 1000, runs[2]->start + 2000), "1.00 µs to 2.00 µs of execution #2 of forward");
  EXPECT_NE(text(data.runs.front().start, data.runs.front().start + 10).find(" of the trace"), std::string::npos);
  // Of several methods each has its own numbers.
  const OpenedTrace several("multi_method");
  const std::vector<const gui::Run*> all = executions_of(*several.data);
  const std::string both = range_text(*several.data, {all.front()->start, end_of(*all.back())});
  for (const char* method : {"encode", "decode"})
    EXPECT_NE(both.find(std::string(" of ") + method), std::string::npos) << both;
}

}  // namespace
}  // namespace et::gui::test
