// What is around a slice, time in no op, and statistics that are the same wherever they stand.
#include "gui/models/timeline_details.h"

#include <algorithm>
#include <set>

#include "gui/models/overview_model.h"
#include "gui/models/timeline_model.h"
#include "inspector/text/format.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

struct TimelineDetailsTest : testing::Test {
  static constexpr int kWidth = 1200;
  std::unique_ptr<OpenedTrace> trace;
  Jobs jobs;
  TimelineModel model{jobs};

  void open(const std::string& name) {
    trace = std::make_unique<OpenedTrace>(name);
    model.show(trace->data, 1);
    jobs.finish();
    settle();
  }
  void settle() {
    for (int i = 0; i < 4; ++i) {
      model.view.jump();
      model.update(kWidth, {}, 1, 0);
      jobs.finish();
    }
  }
  const TraceData& data() { return *trace->data; }
  const gui::Run& run(size_t execution) { return data().runs[static_cast<size_t>(model.executions().run(execution))]; }
  void show_closely(size_t execution) {
    model.show_execution(execution);
    settle();
  }
};

TEST_F(TimelineDetailsTest, SurroundingsOfEverySliceOfAnExecution) {
  for (const char* name : {"partial_delegation", "control_flow_map"}) {
    SCOPED_TRACE(name);
    open(name);
    show_closely(1);
    size_t seen = 0;
    for (const inspector::WindowSlice& s : model.window().slices) {
      const gui::Run& in = run(1);
      if (s.count != 1 || s.start < in.start || s.end > in.start + in.duration) continue;
      model.go_to(s.op, s.sample, s);
      jobs.finish();
      const SliceSurroundings* near = model.surroundings();
      ASSERT_NE(near, nullptr);
      ++seen;
      EXPECT_EQ(near->op, s.op);
      EXPECT_EQ(near->run, in.id);
      EXPECT_EQ(near->duration, s.sum);
      const int32_t parent = model.index().places()[static_cast<size_t>(s.op)].parent;
      ASSERT_EQ(near->parent.has_value(), parent >= 0);
      if (near->parent) {
        EXPECT_EQ(near->parent->op, parent);
      }
      if (near->before) {
        EXPECT_EQ(near->before->end + near->before->gap, near->start);
      }
      if (near->after) {
        EXPECT_EQ(near->end + near->after->gap, near->after->start);
      }
      int64_t inside = 0;
      for (const NearSlice& child : near->children) {
        EXPECT_EQ(model.index().places()[static_cast<size_t>(child.op)].parent, s.op);
        inside += child.end - child.start;
      }
      EXPECT_EQ(near->uncovered + inside, near->end - near->start);
    }
    EXPECT_GT(seen, 10U);
  }
}

TEST_F(TimelineDetailsTest, GapsAreTheTimeOfAnExecutionInNoOp) {
  for (const char* name : {"partial_delegation", "control_flow_map", "nanogpt_xnnpack_qd4"}) {
    SCOPED_TRACE(name);
    open(name);
    for (const size_t execution : {size_t{0}, size_t{1}}) {
      const gui::Run& in = run(execution);
      const auto begin = static_cast<double>(in.start - model.view.origin());
      model.select_range(begin, begin + static_cast<double>(in.duration));
      jobs.finish();
      ASSERT_NE(model.range_statistics(), nullptr);
      const RangeRest rest = model.range_rest();
      EXPECT_EQ(rest.executions, in.duration);
      EXPECT_EQ(rest.between, 0);
      inspector::Store store;
      ASSERT_TRUE(inspector::Store::open(data().path, inspector::Store::Mode::ReadOnly, &store).ok());
      inspector::TimelineWindow window;
      ASSERT_TRUE(
          inspector::read_window(store, model.index(), {.begin = in.start, .end = in.start + in.duration}, &window)
              .ok());
      int64_t idle = 0, last = in.start;
      for (const IdleGap& gap : find_gaps(data(), window, 1)) {
        EXPECT_GE(gap.start, last);
        EXPECT_EQ(data().runs[static_cast<size_t>(gap.run)].id, in.id);
        const auto beside = [&](int32_t op, auto fits) {
          return std::any_of(window.slices.begin(), window.slices.end(),
                             [&](const inspector::WindowSlice& s) { return s.op == op && fits(s); });
        };
        EXPECT_EQ(gap.before < 0, gap.start == in.start);
        EXPECT_EQ(gap.after < 0, gap.end == in.start + in.duration);
        EXPECT_TRUE(gap.before < 0 || beside(gap.before, [&](const auto& s) { return s.end == gap.start; }));
        EXPECT_TRUE(gap.after < 0 || beside(gap.after, [&](const auto& s) { return s.start == gap.end; }));
        for (const int32_t op : {gap.before, gap.after}) {
          if (op < 0) continue;
          EXPECT_NE(gap_text(data(), gap).find(op_title(data().table, data().table.ops[static_cast<size_t>(op)])),
                    std::string::npos);
        }
        last = gap.end;
        idle += gap.end - gap.start;
      }
      EXPECT_EQ(idle, rest.idle);
      EXPECT_LT(idle, in.duration);
    }
  }
}

TEST_F(TimelineDetailsTest, TimeBetweenExecutionsIsNoGap) {
  open("partial_delegation");
  const gui::Run &first = run(0), &second = run(1);
  model.select_range(static_cast<double>(first.start - model.view.origin()),
                     static_cast<double>(second.start + second.duration - model.view.origin()));
  jobs.finish();
  const RangeRest rest = model.range_rest();
  EXPECT_EQ(rest.executions, first.duration + second.duration);
  EXPECT_EQ(rest.between, second.start - first.start - first.duration);
  for (const IdleGap& gap : model.gaps()) {
    const gui::Run& in = data().runs[static_cast<size_t>(gap.run)];
    EXPECT_GE(gap.start, in.start);
    EXPECT_LE(gap.end, in.start + in.duration);
  }
}

// One median for one thing: tooltip and details have the text of these statistics, Operators the number.
TEST_F(TimelineDetailsTest, StatisticsAreThoseOfTheOtherPanels) {
  for (const char* name : {"partial_delegation", "nanogpt_xnnpack_qd4", "multi_method"}) {
    open(name);
    for (size_t i = 0; i < data().table.ops.size(); ++i) {
      const auto op = static_cast<int32_t>(i);
      const inspector::OpEntry& shown = data().shown_op(op);
      const SliceStatistics s = slice_statistics(data(), op);
      const auto text = [&](double ticks) { return inspector::format_duration_with_unit(ticks, shown.unit.str()); };
      EXPECT_EQ(s.count, inspector::format_count(shown.count));
      if (const auto& p50 = shown.warm_p50 ? shown.warm_p50 : shown.p50) {
        EXPECT_EQ(s.p50, text(*p50));
      }
      if (shown.on_trace_clock()) {
        EXPECT_EQ(s.time.substr(0, s.time.find(',')), text(shown.cost));
        EXPECT_EQ(s.basis, data().shown.basis.text()) << "beside it, so that it is not taken for the p50 of samples";
      }
    }
  }
}

// What the notes on executions say of one, for each.
TEST_F(TimelineDetailsTest, AnExecutionIsExplainedAsTheNotesDo) {
  for (const char* name : {"partial_delegation", "nanogpt_xnnpack_qd4", "multi_method"}) {
    SCOPED_TRACE(name);
    open(name);
    std::vector<inspector::ExecutionNote> notes;
    ASSERT_TRUE(inspector::load_execution_notes(trace->store, 1, &notes).ok());
    size_t compared = 0;
    for (const inspector::ExecutionNote& note : notes) {
      if (!note.run_id || note.ops.empty() || note.kind != inspector::ExecutionNote::Kind::Cold) continue;
      model.update_execution(*note.run_id);
      EXPECT_EQ(model.execution_details(), nullptr) << "until it is read";
      jobs.finish();
      ASSERT_NE(model.execution_details(), nullptr);
      const ExecutionDetails& details = *model.execution_details();
      EXPECT_EQ(details.run, *note.run_id);
      for (size_t i = 0; i < details.shorter.size(); ++i) {
        EXPECT_LT(details.shorter[i].ticks, 0);
        if (i > 0) {
          EXPECT_GE(details.shorter[i].ticks, details.shorter[i - 1].ticks) << "the largest first";
        }
      }
      ASSERT_GE(details.longer.size(), note.ops.size());
      for (size_t i = 0; i < note.ops.size(); ++i) {
        if (!note.ops[i].op_id) continue;
        const auto same = std::find_if(details.longer.begin(), details.longer.end(),
                                       [&](const auto& e) { return e.op_id == note.ops[i].op_id; });
        ASSERT_NE(same, details.longer.end()) << note.ops[i].name;
        EXPECT_NEAR(same->ticks, note.ops[i].ticks, 1e-6) << same->name;
        EXPECT_GE(data().find_op(*same->op_id), 0);
        ++compared;
      }
    }
    EXPECT_GT(compared, 0U);
    model.update_execution(0);
    EXPECT_EQ(model.execution_details(), nullptr);
  }
}

TEST_F(TimelineDetailsTest, AShorterExecutionSaysWhatIsShorterInIt) {
  open("lstm");
  const ExecutionsModel& executions = model.executions();
  size_t shorter = 0;
  for (size_t e = 0; e < executions.size(); ++e) {
    const double less = executions.median_of(e) - static_cast<double>(executions.duration(e));
    if (!executions.is_warm(e) || less <= 0) continue;
    ++shorter;
    model.update_execution(data().runs[static_cast<size_t>(executions.run(e))].id);
    jobs.finish();
    ASSERT_NE(model.execution_details(), nullptr);
    double sum = 0;
    for (const ExecutionPart& part : parts_of_execution(*model.execution_details(), "ns")) sum += part.ticks;
    EXPECT_NEAR(sum, -less, 0.002 * executions.median_of(e)) << "execution " << e;
  }
  EXPECT_GT(shorter, 0U);
}

TEST_F(TimelineDetailsTest, ArgumentsComeFromTheGraph) {
  open("partial_delegation");
  std::set<std::string> names;
  for (size_t i = 0; i < data().table.ops.size(); ++i) {
    const auto arguments = slice_arguments(data(), static_cast<int32_t>(i));
    const inspector::OpNode* main = data().table.main_node(data().table.ops[i]);
    EXPECT_TRUE(main != nullptr || arguments.empty());
    for (const auto& [name, value] : arguments) {
      names.insert(name);
      EXPECT_FALSE(value.empty());
    }
  }
  EXPECT_TRUE(names.contains("returns"));
  EXPECT_GT(names.size(), 1U);
}

}  // namespace
}  // namespace et::gui::test
