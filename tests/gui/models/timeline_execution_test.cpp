// An execution of a disturbed machine's trace: what it took more or less than the median adds up, what is in no op is
// what a range over it says, and the types of its ops are ranked as in the other panels.
#include "gui/models/timeline_execution.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "gui/models/timeline_model.h"
#include "gui/models/timeline_types.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/text/format.h"
#include "tests/gui/support/opened_trace.h"
#include "tests/support/etdump_builder.h"

namespace et::gui::test {
namespace {

constexpr int kOps = 8, kExecutions = 33, kQuiet = 8;  // each eighth execution is not held up
constexpr int64_t kGap = 100, kTime = 10'000, kStall = 90'000;

/// Ops one after the other; executions are held up in another one each time.
struct HeldUpTrace {
  HeldUpTrace() {
    et::test::EtdumpBuilder dump;
    uint64_t now = 1000;
    for (int k = 0; k < kExecutions; ++k) {
      et::test::RunSpec& run = dump.run("Execute");
      const uint64_t begin = now;
      for (int i = 0; i < kOps; ++i) {
        const uint64_t at = now;
        now += static_cast<uint64_t>(kTime + (k * 7 + i) % 5);
        if (k % kQuiet != 0 && k % kOps == i) now += static_cast<uint64_t>(kStall);
        run.profile("native_call_op" + std::to_string(i), 0, i, at, now);
        now += static_cast<uint64_t>(kGap);
      }
      run.profile("Method::execute", -1, 0, begin, now);
      now += 5000;
    }
    const std::vector<uint8_t> bytes = dump.bytes();
    std::ofstream(folder / "held_up.etdp", std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    inspector::IngestInputs inputs;
    inputs.dump = folder / "held_up.etdp";
    inspector::IngestResult result;
    EXPECT_TRUE(inspector::Store::open(folder / "store.db", inspector::Store::Mode::ReadWrite, &store).ok());
    EXPECT_TRUE(inspector::ingest(store, inputs, nullptr, &result).ok());
    auto loaded = std::make_shared<TraceData>();
    EXPECT_TRUE(load_trace_data(store, 1, Cancel(), loaded.get()).ok());
    data = std::move(loaded);
  }
  TemporaryFolder folder;
  inspector::Store store;
  std::shared_ptr<const TraceData> data;
};

struct TimelineExecution : testing::Test {
  HeldUpTrace trace;
  Jobs jobs;
  TimelineModel model{jobs};
  void SetUp() override {
    model.show(trace.data, 1);
    jobs.finish();
  }
  const gui::Run& run(size_t e) { return trace.data->runs[static_cast<size_t>(model.executions().run(e))]; }
  const ExecutionDetails& details(size_t e) {
    model.update_execution(run(e).id);
    jobs.finish();
    return *model.execution_details();
  }
};

TEST_F(TimelineExecution, WhatItTookMoreOrLessAddsUp) {
  ASSERT_EQ(model.executions().size(), static_cast<size_t>(kExecutions));
  for (size_t e = 1; e < model.executions().size(); ++e) {
    SCOPED_TRACE(e);
    const double more = static_cast<double>(run(e).duration) - model.executions().median_of(e);
    const std::vector<ExecutionPart> parts = parts_of_execution(details(e), "ns");
    double sum = 0;
    for (const ExecutionPart& part : parts) sum += part.ticks;
    EXPECT_NEAR(sum, more, 0.001 * model.executions().median_of(e) + 2);
    // Those that were not held up are a group with a median of its own.
    const bool quiet = e % kQuiet == 0;
    ASSERT_EQ(parts.size(), quiet ? 2U : 3U);
    EXPECT_STREQ(parts[1].what, "in no op");
    EXPECT_NEAR(parts[1].ticks, 0, 5) << "the ops were held up, not what is between them";
    EXPECT_NEAR(parts[0].ticks, quiet ? 0 : static_cast<double>(kStall), 100);
    if (quiet) continue;
    EXPECT_STREQ(parts[2].what, "variation");
    EXPECT_NEAR(parts[2].ticks, -static_cast<double>(kStall), 100) << "of the median execution";
    for (const std::vector<inspector::ExtraTime>* list : {&details(e).longer, &details(e).shorter}) {
      for (const inspector::ExtraTime& extra : *list) {
        if (!extra.op_id) {
          EXPECT_NEAR(extra.ticks, 0, 5) << "no time in no op is invented";
        }
      }
    }
  }
}

TEST_F(TimelineExecution, ARangeOverItHasTheSameTimeInNoOp) {
  for (const size_t e : {size_t{3}, size_t{kQuiet}}) {
    const auto begin = static_cast<double>(run(e).start - model.view.origin());
    model.select_range(begin, begin + static_cast<double>(run(e).duration));
    jobs.finish();
    ASSERT_NE(model.range_statistics(), nullptr);
    EXPECT_NEAR(static_cast<double>(model.range_rest().idle), details(e).parts.outside, 1);
    EXPECT_NEAR(details(e).parts.outside, kOps * kGap, 1);
  }
}

TEST_F(TimelineExecution, ItsTimeIsNotThatOfTheView) {
  model.show_usual_execution();
  model.view.jump();
  const gui::Run& usual = *std::find_if(trace.data->runs.begin(), trace.data->runs.end(),
                                        [&](const gui::Run& r) { return r.id == model.usual_run(); });
  const auto time = [](double ticks) { return inspector::format_duration_with_unit(ticks, "ns"); };
  const std::string text = model.view_text();
  EXPECT_NE(text.find(": " + time(static_cast<double>(usual.duration)) + "; shown " + time(model.view.span()) + " of "),
            std::string::npos)
      << text;
}

TEST_F(TimelineExecution, VariationHasItsPlaceAmongTheTypesAndNoShare) {
  ASSERT_TRUE(inspector::execution_time(trace.data->usual()).is_disturbed());
  const std::vector<TimelineType> types = timeline_types(*trace.data);
  ASSERT_GT(types.size(), 1U);
  EXPECT_EQ(types[0].name, "variation") << "by its time";
  EXPECT_FALSE(types[0].share);
  double shares = 0, times = 0;
  for (const TimelineType& type : types) shares += type.share.value_or(0), times += type.time;
  EXPECT_NEAR(shares, 1, 0.01) << "of what the ops usually take, as in Operators";
  EXPECT_NEAR(times, model.executions().median_of(1), 0.01 * times);
}

TEST_F(TimelineExecution, TheNearestToTheMedianIsComparedWithNothing) {
  const auto look = [&](size_t e) {
    model.show_execution(e);
    for (int i = 0; i < 3; ++i) {
      model.view.jump();
      model.update(1200, {}, 1, 0);
      jobs.finish();
    }
  };
  const size_t median = model.executions().median_execution(1);
  look(median);
  EXPECT_STRNE(model.no_ghost(), "");
  EXPECT_EQ(model.ghost(), nullptr);
  look(median == 2 ? 3 : 2);
  EXPECT_STREQ(model.no_ghost(), "");
  EXPECT_NE(model.ghost(), nullptr);
}

TEST(RangeGroups, AddUpToTheRowsByNameAndByModule) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  Jobs jobs;
  TimelineModel model{jobs};
  model.show(trace.data, 1);
  jobs.finish();
  model.select_range(0, model.view.extent());
  jobs.finish();
  ASSERT_NE(model.range_rows(), nullptr);
  const RangeTable& table = *model.range_rows();
  for (const RangeGrouping by : {RangeGrouping::Name, RangeGrouping::Module}) {
    const std::vector<RangeGroup> groups = range_groups(*trace.data, table, by);
    ASSERT_FALSE(groups.empty());
    EXPECT_LT(groups.size(), table.rows.size());
    int64_t self = 0, all = 0;
    size_t rows = 0;
    for (size_t g = 0; g < groups.size(); ++g) {
      self += groups[g].self;
      rows += groups[g].rows.size();
      if (g > 0 && groups[g].share && groups[g - 1].share) {
        EXPECT_LE(groups[g].self, groups[g - 1].self) << "the costliest first";
      }
      for (const int32_t row : groups[g].rows) {
        const int32_t op = table.rows[static_cast<size_t>(row)].op;
        const std::string module = range_place(*trace.data, op).module;
        const std::string name = by == RangeGrouping::Name ? slice_label(*trace.data, op)
                                 : module.empty()          ? "(no module)"
                                                           : module;
        EXPECT_EQ(name, groups[g].name);
      }
    }
    for (const RangeRow& row : table.rows) all += row.self;
    EXPECT_EQ(self, all);
    EXPECT_EQ(rows, table.rows.size());
  }
  EXPECT_TRUE(range_groups(*trace.data, table, RangeGrouping::None).empty());
}

}  // namespace
}  // namespace et::gui::test
