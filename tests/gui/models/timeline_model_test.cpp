// The timeline's model: windows follow the view, search, steps, ranges, the ghost of the median.
#include "gui/models/timeline_model.h"

#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "gui/core/text.h"
#include "gui/models/overview_model.h"
#include "inspector/match/type_family.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

struct TimelineModelTest : testing::Test {
  static constexpr int kWidth = 1200;
  std::unique_ptr<OpenedTrace> trace;
  Jobs jobs;
  TimelineModel model{jobs};
  Selection selection;
  uint64_t selection_version = 1;

  void open(const std::string& name, const inspector::Basis& basis = {}) {
    trace = std::make_unique<OpenedTrace>(name, "etdump.etdp", basis);
    model.show(trace->data, 1);
    jobs.finish();
    settle();
  }
  void settle(int64_t run = 0) {
    for (int i = 0; i < 4; ++i) {
      model.view.jump();
      model.update(kWidth, selection, selection_version, run);
      jobs.finish();
    }
  }
  void select(int32_t op) {
    selection = select_op(*trace->data, trace->data->table.ops[static_cast<size_t>(op)].id);
    ++selection_version;
    settle();
  }
  int64_t shown_samples() const {
    int64_t count = 0;
    for (const auto& s : model.window().slices) count += s.count;
    return count;
  }
};

TEST_F(TimelineModelTest, AnExecutionThatWasChosenBeforeTheFirstFrameIsFramed) {
  open("partial_delegation");
  const auto& runs = trace->data->runs;
  const auto last = static_cast<size_t>(model.executions().run(model.executions().size() - 1));
  model.update_execution(runs[last].id);
  jobs.finish();
  model.view.jump();
  const auto begin = static_cast<double>(runs[last].start - model.view.origin());
  const auto frames = [&] {
    return model.view.begin() <= begin + 1 &&
           model.view.end() + 1 >= begin + static_cast<double>(runs[last].duration) &&
           model.view.span() <= 1.5 * static_cast<double>(runs[last].duration);
  };
  EXPECT_TRUE(frames());
  // Later choices leave the view alone: who makes them frames what they choose.
  model.show_executions();
  model.view.jump();
  model.update_execution(0);
  model.update_execution(runs[last].id);
  model.view.jump();
  EXPECT_FALSE(frames());
}

TEST_F(TimelineModelTest, ShowsEverySampleOfTheTrace) {
  for (const char* name : {"partial_delegation", "control_flow_map", "nanogpt_xnnpack_qd4", "multi_method"}) {
    open(name);
    ASSERT_TRUE(model.ready()) << model.status().message();
    model.view.show_all();
    settle();
    EXPECT_EQ(shown_samples(), model.index().samples()) << name;
    int64_t sum = 0, drawn = 0;
    for (const auto& op : trace->data->table.ops) sum += op.sum;
    for (const auto& s : model.window().slices) drawn += s.sum;
    EXPECT_EQ(drawn, sum) << name;
    EXPECT_FALSE(model.reading());
  }
}

TEST_F(TimelineModelTest, OpensOnAUsualExecution) {
  for (const char* name : {"partial_delegation", "nanogpt_xnnpack_qd4", "multi_method"}) {
    SCOPED_TRACE(name);
    open(name);
    double begin = INFINITY, end = -INFINITY, loading = 0;
    bool one = false;
    for (const gui::Run& run : trace->data->runs) {
      const std::string& kind = trace->data->table.blocks[static_cast<size_t>(run.block)].kind;
      if (kind == "load" && begin == INFINITY) loading += static_cast<double>(run.duration);  // later ones are in view
      if (kind != "execute") continue;
      const auto start = static_cast<double>(run.start - model.view.origin());
      const double stop = start + static_cast<double>(run.duration);
      begin = std::min(begin, start);
      end = std::max(end, stop);
      one = one || (model.view.begin() <= start && model.view.end() >= stop &&
                    model.view.span() < static_cast<double>(run.duration) * 1.1);
    }
    EXPECT_TRUE(one) << "all of one execution and nothing else";
    model.show_executions();
    model.view.jump();
    ASSERT_LT(begin, end);
    EXPECT_LE(model.view.begin(), begin);
    EXPECT_GE(model.view.end(), end);
    EXPECT_LT(model.view.span(), (end - begin) * 1.1) << "and nothing else";
    const bool hidden = model.view_text().find("loading (") != std::string::npos;
    EXPECT_EQ(hidden, loading > 0) << model.view_text();
    model.view.show_all();
    model.view.jump();
    EXPECT_EQ(model.view_text().find("loading"), std::string::npos) << "it is seen";
  }
}

// Times of the other panels are of such an execution; on a disturbed machine, too, where its ops usually take less.
TEST_F(TimelineModelTest, OpensOnTheExecutionThatIsNearestToTheBasis) {
  using inspector::BasisKind;
  struct Row {
    BasisKind kind;
    double variation;  // of an execution
    const char* name;
  };
  uint64_t version = 10;
  for (const Row& row :
       {Row{BasisKind::WarmMedian, 0.1, "median"}, Row{BasisKind::WarmMedian, 0.4, "usual times of the ops"},
        Row{BasisKind::Mean, 0.4, "mean"}, Row{BasisKind::Total, 0.4, "mean"}}) {
    SCOPED_TRACE(row.name);
    auto opened = std::make_unique<OpenedTrace>("partial_delegation", "etdump.etdp", inspector::Basis{row.kind});
    double usual = 0;
    for (inspector::OpBlock& b : const_cast<TraceData&>(*opened->data).shown.blocks) {
      b.variation = row.variation * b.cost;
      if (b.kind == "execute") usual = b.cost - b.variation;
    }
    trace = std::move(opened);
    model.show(trace->data, ++version);
    jobs.finish();
    settle();
    std::vector<const gui::Run*> warm;
    double sum = 0;
    for (const gui::Run& r : trace->data->runs) {
      if (trace->data->table.blocks[static_cast<size_t>(r.block)].kind != "execute" || r.cold) continue;
      warm.push_back(&r);
      sum += static_cast<double>(r.duration);
    }
    std::sort(warm.begin(), warm.end(), [](const auto* a, const auto* b) { return a->duration < b->duration; });
    const double median = static_cast<double>(warm[(warm.size() - 1) / 2]->duration);
    const double wanted = row.kind != BasisKind::WarmMedian ? sum / static_cast<double>(warm.size())
                          : row.variation > 0.2             ? usual
                                                            : median;
    const auto off = [&](const gui::Run* r) { return std::abs(static_cast<double>(r->duration) - wanted); };
    const auto run = std::find_if(warm.begin(), warm.end(), [&](const auto* r) { return r->id == model.usual_run(); });
    ASSERT_NE(run, warm.end());
    for (const gui::Run* const other : warm) EXPECT_GE(off(other), off(*run));
    EXPECT_NEAR(model.view.begin(), static_cast<double>((*run)->start - model.view.origin()),
                0.05 * static_cast<double>((*run)->duration));
    // And it is named.
    const std::string text = model.view_text();
    const std::string name = "#" + std::to_string((*run)->execution) + ", the nearest to the " + row.name + ": ";
    EXPECT_NE(text.find(name), std::string::npos) << text;
    model.show_executions();
    model.view.jump();
    EXPECT_EQ(model.view_text().find("nearest"), std::string::npos) << model.view_text();
  }
}

TEST_F(TimelineModelTest, OpensOnTheExecutionOfTheBasis) {
  for (const inspector::Basis& basis :
       {inspector::Basis{inspector::BasisKind::Execution, 3}, inspector::Basis{inspector::BasisKind::Cold}}) {
    SCOPED_TRACE(basis.name());
    open("partial_delegation", basis);
    const bool cold = basis.kind == inspector::BasisKind::Cold;
    const auto& runs = trace->data->runs;
    const auto at = std::find_if(runs.begin(), runs.end(), [&](const gui::Run& r) {
      const auto& block = trace->data->table.blocks[static_cast<size_t>(r.block)];
      return block.kind == "execute" && (cold ? r.cold : r.execution == 3);
    });
    ASSERT_NE(at, runs.end());
    EXPECT_EQ(model.run_of_basis(0), at->id);
    const auto start = static_cast<double>(at->start - model.view.origin());
    EXPECT_NEAR(model.view.begin(), start, static_cast<double>(at->duration) * 0.05);
    EXPECT_NEAR(model.view.span(), static_cast<double>(at->duration), static_cast<double>(at->duration) * 0.05);
  }
  open("partial_delegation");
  EXPECT_EQ(model.run_of_basis(0), 0) << "the usual basis is of no one execution";
  // Each method has such an execution: the one that is chosen counts, else the costliest method's.
  open("multi_method", {inspector::BasisKind::Execution, 1});
  std::vector<int64_t> ids;
  for (const gui::Run& r : trace->data->runs) {
    if (trace->data->table.blocks[static_cast<size_t>(r.block)].kind == "execute" && r.execution == 1)
      ids.push_back(r.id);
  }
  ASSERT_GT(ids.size(), 1u);
  for (const int64_t id : ids) EXPECT_EQ(model.run_of_basis(id), id);
}

TEST_F(TimelineModelTest, ReadsOnlyWhenTheViewLeavesTheWindow) {
  open("nanogpt_xnnpack_qd4");
  model.view.show(model.view.extent() * 0.4, model.view.extent() * 0.5);
  settle();
  const auto* before = model.window().slices.data();
  const int64_t begin = model.window().begin;
  model.view.pan(0.1);
  settle();
  EXPECT_EQ(model.window().slices.data(), before) << "a little way is covered by what was read ahead";
  model.view.pan(2);
  settle();
  EXPECT_GT(model.window().begin, begin);
  EXPECT_LE(model.window().begin - model.view.origin(), static_cast<int64_t>(model.view.begin()));
  EXPECT_GE(model.window().end - model.view.origin(), static_cast<int64_t>(model.view.end()));
}

TEST_F(TimelineModelTest, OnlyACallWithOneKernelIsFolded) {
  for (const char* name : {"add_mul", "partial_delegation", "control_flow_map", "multi_method"}) {
    open(name);
    ASSERT_TRUE(model.ready()) << name;
    const auto& ops = trace->data->table.ops;
    size_t kernels = 0, calls = 0;
    for (size_t i = 0; i < ops.size(); ++i) {
      const auto at = static_cast<int32_t>(i);
      calls += model.folds().is_call(at);
      if (!model.folds().is_kernel(at)) continue;
      ++kernels;
      ASSERT_TRUE(ops[i].parent);
      EXPECT_TRUE(model.folds().is_call(static_cast<int32_t>(*ops[i].parent))) << name;
      EXPECT_TRUE(ops[*ops[i].parent].is_wrapper()) << name;
    }
    EXPECT_EQ(kernels, calls) << name << ": each call has the one kernel";
    for (const TimelineRow& row : model.rows()) {
      if (row.track != 0 || !model.folds().whole_level(row.level)) continue;
      for (size_t i = row.first; i < row.last; ++i)
        EXPECT_TRUE(model.folds().is_kernel(model.window().slices[i].op)) << name << ": no op is hidden";
    }
  }
}

TEST_F(TimelineModelTest, ModulesAreSpansOfTheirOps) {
  open("nanogpt_xnnpack_qd4");
  ASSERT_TRUE(model.modules().any());
  std::set<std::string> paths;
  std::map<std::string, std::set<std::string>> shown;  // labels with what they are of
  for (const TimelineModules::Name& name : model.modules().names()) {
    EXPECT_TRUE(paths.insert(name.path).second) << name.path;
    EXPECT_TRUE(name.path.ends_with(name.label)) << name.label;
    EXPECT_FALSE(name.label.empty());
    EXPECT_FALSE(select_module(*trace->data, name.path).empty()) << name.path;
    const std::vector<std::string> labels = TimelineModules::labels(name);
    EXPECT_EQ(labels.front(), name.label);
    for (const std::string& label : labels) {
      EXPECT_NE(label.find_first_not_of("0123456789."), std::string::npos) << label << " of " << name.path;
      shown[label].insert(name.path);
    }
  }
  for (const auto& [label, of] : shown) EXPECT_EQ(of.size(), 1U) << label << " stands for several modules";
  const std::vector<ModuleSpan>& spans = model.module_spans();
  ASSERT_GT(spans.size(), 2U);
  for (size_t i = 0; i < spans.size(); ++i) {
    if (i > 0) {
      EXPECT_LE(spans[i - 1].end, spans[i].start);
    }
    const std::string& path = model.modules().names()[static_cast<size_t>(spans[i].module)].path;
    const auto& slices = model.window().slices;
    EXPECT_TRUE(std::any_of(slices.begin(), slices.end(), [&](const inspector::WindowSlice& s) {
      const inspector::OpNode* node = trace->data->table.main_node(trace->data->table.ops[static_cast<size_t>(s.op)]);
      return s.start == spans[i].start && node != nullptr && node->node->module_path.starts_with(path);
    })) << path;
    const auto in = std::find_if(trace->data->runs.begin(), trace->data->runs.end(), [&](const gui::Run& run) {
      return run.start <= spans[i].start && spans[i].end <= run.start + run.duration;
    });
    EXPECT_NE(in, trace->data->runs.end()) << "a span ends with its execution";
  }
  // A module that is one of several equal ones has its number.
  EXPECT_TRUE(std::any_of(paths.begin(), paths.end(), [](const std::string& path) {
    return path.find_first_of("0123456789") != std::string::npos;
  }));
  open("add_mul");
  EXPECT_TRUE(model.module_spans().empty() || model.modules().any());
}

TEST_F(TimelineModelTest, AClickHitsTheSliceThatIsDrawn) {
  open("partial_delegation");
  for (const TimelineRow& row : model.rows()) {
    for (size_t i = row.first; i < row.last; ++i) {
      const auto& s = model.window().slices[i];
      if (s.end - s.start < 2) continue;
      EXPECT_EQ(model.slice_at(row, (model.begin_of(s) + model.end_of(s)) / 2, 0), &s);
    }
    EXPECT_EQ(model.slice_at(row, -1e9, 0), nullptr);
    EXPECT_EQ(model.slice_at(row, model.view.extent() + 1e9, 0), nullptr);
  }
}

TEST_F(TimelineModelTest, MarksTheSlicesOfTheSelection) {
  open("partial_delegation");
  model.view.show_all();
  model.view.jump();
  for (const int32_t op : {2, 5, 9}) {
    select(op);
    int64_t marked = 0;
    for (const auto& s : model.window().slices) {
      marked += s.marked;
      EXPECT_TRUE(s.mixed || (s.marked == s.count) == (s.op == op));
    }
    EXPECT_EQ(marked, trace->data->table.ops[static_cast<size_t>(op)].count);
  }
}

// Names of lines, modules and of what a delegate has inside are not the op's.
TEST_F(TimelineModelTest, SearchFindsTheOpsThatAreNamedSo) {
  for (const auto& [name, text] : {std::pair("partial_delegation", "MEAN"), std::pair("nanogpt_xnnpack_qd4", "mul"),
                                   std::pair("partial_delegation", "Call")}) {
    SCOPED_TRACE(text);
    open(name);
    model.view.show_all();
    model.view.jump();
    model.search(text);
    jobs.finish();
    std::vector<int32_t> expected;
    std::set<uint32_t> called;  // whose kernel is found as well: that alone is counted
    int64_t samples = 0, counted = 0;
    const auto& ops = trace->data->table.ops;
    for (size_t i = 0; i < ops.size(); ++i) {
      const auto& op = ops[i];
      const std::string all = lower(op.name.str() + (op.op_types.size() == 1 ? " " + op.op_types.front() : "") + " " +
                                    op_title(trace->data->table, op));
      if (op.count == 0 || all.find(lower(text)) == std::string::npos) continue;
      samples += op.count;
      if (op.parent && ops[*op.parent].is_wrapper()) called.insert(*op.parent);
      expected.push_back(static_cast<int32_t>(i));
    }
    std::erase_if(expected, [&](int32_t i) { return called.contains(static_cast<uint32_t>(i)); });
    for (const int32_t i : expected) counted += ops[static_cast<size_t>(i)].count;
    EXPECT_EQ(model.found().ops, expected);
    EXPECT_EQ(model.found().samples + model.found().apart, counted);
    EXPECT_GT(model.found().samples, 0);
    settle();
    int64_t seen = 0;
    for (const auto& s : model.window().slices) seen += s.found;
    EXPECT_EQ(seen, samples) << "slices know how much of them was found, merged or not";
  }
  model.search("no such thing");
  jobs.finish();
  EXPECT_TRUE(model.found().ops.empty());
  model.search("");
  EXPECT_TRUE(model.found().hit.empty());
}

TEST_F(TimelineModelTest, SearchByLineModuleNodeAndBackend) {
  open("partial_delegation");
  model.view.show_all();
  model.view.jump();
  const auto found = [&](const std::string& text) {
    model.search(text);
    jobs.finish();
    return model.found().ops.size();
  };
  EXPECT_EQ(found("models.py:95"), 0U);
  EXPECT_GT(found("line: models.py:95"), 0U);
  EXPECT_GT(found("backend:xnn"), 0U);
  for (const int32_t op : model.found().ops) {
    const auto& backend = trace->data->table.ops[static_cast<size_t>(op)].backend;
    EXPECT_NE(lower(backend.value_or("")).find("xnn"), std::string::npos);
  }
  const std::string node = trace->data->table.nodes.front().node->name;
  EXPECT_GT(found("node:" + node), 0U);
  EXPECT_EQ(found("module:"), 0U) << "nothing is asked for yet";
  for (const inspector::OpEntry& op : trace->data->table.ops) {
    const std::string title = op_title(trace->data->table, op);
    if (op.is_wrapper() || op.count == 0) continue;
    ASSERT_GT(found("type:" + title), 0U) << title;
    for (const int32_t f : model.found().ops)
      EXPECT_EQ(inspector::type_key(op_title(trace->data->table, trace->data->table.ops[static_cast<size_t>(f)])),
                inspector::type_key(title));
  }
}

TEST_F(TimelineModelTest, StepsGoThroughAllThatWasFoundAndNothingElse) {
  open("partial_delegation");
  model.search("mean");
  jobs.finish();
  model.view.show(0, 100, 0);
  settle();
  std::set<std::pair<int32_t, int64_t>> seen;
  for (int64_t i = 0; i < model.found().samples; ++i) {
    model.step(model.found().ops, true, true);
    jobs.finish();
    settle();
    ASSERT_TRUE(model.at());
    EXPECT_TRUE(model.found().hit[static_cast<size_t>(model.at()->op)]);
    EXPECT_EQ(model.at_number(), i + 1);
    EXPECT_TRUE(seen.emplace(model.at()->op, model.at()->position).second);
  }
  EXPECT_EQ(static_cast<int64_t>(seen.size()), model.found().samples);
  model.step(model.found().ops, true, true);
  jobs.finish();
  EXPECT_EQ(model.at_number(), 1) << "and around";
}

TEST_F(TimelineModelTest, StepsThroughTheSlicesOfAnOp) {
  open("control_flow_map");
  const std::vector<int32_t> ops = {4};
  model.view.show(0, 100, 0);
  settle();
  int64_t steps = 0, last = -1;
  while (steps < 1000) {
    model.step(ops, true);
    jobs.finish();
    settle();
    ASSERT_TRUE(model.at());
    if (model.at()->position == last) break;
    EXPECT_EQ(model.at()->position, last + 1);
    last = model.at()->position;
    const auto start = static_cast<double>(model.at()->time.start - model.view.origin());
    EXPECT_GE(start, model.view.wanted_begin());
    EXPECT_LE(start, model.view.wanted_end()) << "it is in view";
    ++steps;
  }
  EXPECT_EQ(steps, trace->data->table.ops[4].count);
  model.step(ops, false);
  jobs.finish();
  EXPECT_EQ(model.at()->position, last - 1);
}

TEST_F(TimelineModelTest, RangeOfAnExecutionIsItsTime) {
  open("partial_delegation");
  for (size_t i = 0; i < model.executions().size(); ++i) {
    const gui::Run& run = trace->data->runs[static_cast<size_t>(model.executions().run(i))];
    const auto begin = static_cast<double>(run.start - model.view.origin());
    model.select_range(begin + static_cast<double>(run.duration), begin);  // dragged to the left
    jobs.finish();
    ASSERT_NE(model.range_statistics(), nullptr);
    const auto& statistics = *model.range_statistics();
    const int64_t self = std::accumulate(statistics.ops.begin(), statistics.ops.end(), int64_t{0},
                                         [](int64_t sum, const auto& r) { return sum + r.self; });
    EXPECT_EQ(self + statistics.outside, run.duration);
    EXPECT_EQ(statistics.outside, 0) << "Method::execute is all of it";
  }
  EXPECT_NE(model.range_csv().find("op,count,total_ns,self_ns\n"), std::string::npos);
  model.clear_range();
  EXPECT_FALSE(model.has_range());
  EXPECT_EQ(model.range_csv(), "");
}

TEST_F(TimelineModelTest, GhostIsTheMedianExecutionAtTheSameStart) {
  open("partial_delegation");
  const size_t median = model.executions().median_execution(0);
  ASSERT_NE(median, 0u);
  model.show_execution(0);
  settle();
  ASSERT_NE(model.ghost(), nullptr);
  const TimelineGhost& ghost = *model.ghost();
  const gui::Run& cold = trace->data->runs[static_cast<size_t>(model.executions().run(0))];
  const gui::Run& typical = trace->data->runs[static_cast<size_t>(model.executions().run(median))];
  EXPECT_EQ(ghost.run, cold.id);
  EXPECT_EQ(ghost.median, typical.id);
  int64_t begin = INT64_MAX, end = 0;
  for (const auto& s : ghost.window.slices) {
    begin = std::min(begin, s.start + ghost.shift);
    end = std::max(end, s.end + ghost.shift);
  }
  EXPECT_EQ(begin, cold.start);
  EXPECT_EQ(end - begin, typical.duration);
  model.show_execution(median);
  settle();
  EXPECT_EQ(model.ghost(), nullptr) << "it is the median itself";
  model.view.show_all();
  settle();
  EXPECT_EQ(model.ghost(), nullptr) << "too small to compare";
}

// The strip, the ghost and the rankings of the other panels name the same median of a method.
TEST_F(TimelineModelTest, ThereIsOneMedian) {
  for (const char* name : {"partial_delegation", "nanogpt_xnnpack_qd4", "multi_method", "lstm"}) {
    SCOPED_TRACE(name);
    open(name);
    for (size_t i = 0; i < model.executions().size(); ++i) {
      const gui::Run& run = trace->data->runs[static_cast<size_t>(model.executions().run(i))];
      const auto& own = trace->data->table.blocks[static_cast<size_t>(run.block)];
      const auto shown = std::find_if(
          trace->data->shown.blocks.begin(), trace->data->shown.blocks.end(), [&](const inspector::OpBlock& b) {
            return b.id == own.id || std::find(b.merged.begin(), b.merged.end(), own.id) != b.merged.end();
          });
      ASSERT_NE(shown, trace->data->shown.blocks.end());
      if (shown->warm_p50) {
        EXPECT_EQ(model.executions().median_of(i), *shown->warm_p50);
      }
      if (shown->runs > 1) {
        EXPECT_DOUBLE_EQ(model.executions().median_of(i), shown->cost) << "on the warm basis";
      }
      model.show_execution(i);
      settle();
      if (model.ghost() != nullptr) {
        EXPECT_EQ(model.ghost()->median_duration, model.executions().median_of(i));
      }
    }
  }
}

TEST_F(TimelineModelTest, AnotherTraceReplacesAllOfIt) {
  open("partial_delegation");
  model.select_range(0, 100);
  model.search("mean");
  open("add_mul");
  EXPECT_FALSE(model.has_range());
  EXPECT_TRUE(model.found().ops.empty());
  model.view.show_all();
  settle();
  EXPECT_EQ(shown_samples(), model.index().samples());
  model.show(nullptr, 7);
  EXPECT_FALSE(model.ready());
  model.update(kWidth, {}, 9, 0);
  model.step({1}, true);
  EXPECT_EQ(jobs.pending(), 0u);
}

TEST_F(TimelineModelTest, FitShowsTheSelectedSlices) {
  open("partial_delegation");
  select(5);
  model.fit(selection.ops);
  settle();
  const auto& window = model.window();
  for (const auto& s : window.slices) {
    if (s.marked == 0) continue;
    EXPECT_GE(model.begin_of(s), model.view.begin());
    EXPECT_LE(model.end_of(s), model.view.end());
  }
  EXPECT_LT(model.view.span(), model.view.extent());
}

// Also where the view, or the slice that was stepped to, is only a part of it.
TEST_F(TimelineModelTest, FitShowsAllOfAModule) {
  open("mobilenet_v2_035_xnnpack_int8");
  std::string path;
  for (const inspector::GraphNode& n : trace->data->graphs.at(0).nodes) {
    if (n.module_path.find("features.3.") == 0 || n.module_path.find(".features.3.") != std::string::npos)
      path = n.module_path.substr(0, n.module_path.find("features.3.") + 10);
  }
  ASSERT_FALSE(path.empty());
  selection = select_module(*trace->data, path);
  ++selection_version;
  ASSERT_GT(selection.ops.size(), 3U);
  settle();
  model.step({selection.ops.front()}, true);
  settle();
  ASSERT_TRUE(model.at());
  model.fit({selection.ops.front()});
  settle();
  const double one = model.view.span();
  model.fit(selection.ops);
  settle();
  EXPECT_GT(model.view.span(), one);
  const int64_t execution = model.executions().at_time(static_cast<int64_t>(model.view.begin()) + model.view.origin());
  ASSERT_GE(execution, 0);
  const auto& run = trace->data->runs[static_cast<size_t>(model.executions().run(static_cast<size_t>(execution)))];
  EXPECT_LT(model.view.span(), static_cast<double>(run.duration));
  std::set<int32_t> shown;
  for (const auto& s : model.window().slices) {
    if (s.marked == 0 || s.count != 1 || s.start < run.start || s.end > run.start + run.duration) continue;
    if (trace->data->table.ops[static_cast<size_t>(s.op)].encloses) continue;  // the call that its ops are in
    EXPECT_GE(model.begin_of(s), model.view.begin());
    EXPECT_LE(model.end_of(s), model.view.end());
    shown.insert(s.op);
  }
  EXPECT_GT(shown.size(), 3U);
}

// Below a chosen op lies the same op of the median execution, whatever was slow before it.
TEST_F(TimelineModelTest, TheMedianIsAlignedAtWhatIsChosen) {
  open("partial_delegation");
  size_t cold = 0;
  while (cold < trace->data->runs.size() && !trace->data->runs[cold].cold) ++cold;
  ASSERT_LT(cold, trace->data->runs.size());
  const auto& run = trace->data->runs[cold];
  model.show_execution(static_cast<size_t>(model.executions().find(run.id)));
  settle(run.id);
  ASSERT_NE(model.ghost(), nullptr);
  EXPECT_EQ(model.ghost()->aligned_at, -1);
  int tried = 0;
  for (size_t op = 0; op < trace->data->table.ops.size(); ++op) {
    if (trace->data->table.block_of(trace->data->table.ops[op]).kind != "execute") continue;
    select(static_cast<int32_t>(op));
    model.show_execution(static_cast<size_t>(model.executions().find(run.id)));
    settle(run.id);
    if (model.ghost() == nullptr || model.ghost()->aligned_at < 0) continue;
    const TimelineGhost& ghost = *model.ghost();
    const auto start_of = [&](const auto& slices, int64_t from, int64_t to) {
      for (const auto& s : slices) {
        if (s.count == 1 && s.start >= from && s.end <= to &&
            trace->data->shown_op(s.op).id == trace->data->shown_op(ghost.aligned_at).id)
          return s.start;
      }
      return int64_t{-1};
    };
    EXPECT_EQ(start_of(model.window().slices, run.start, run.start + run.duration),
              start_of(ghost.window.slices, INT64_MIN, INT64_MAX) + ghost.shift);
    ++tried;
  }
  EXPECT_GT(tried, 3);
}

TEST(TimelineSearch, AWordThatNamesNoOpMayNameAModule) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const TimelineSearch all = search_timeline(*trace.data, "module:blocks.0"),
                       found = search_timeline(*trace.data, "blocks.0");
  ASSERT_FALSE(all.ops.empty());
  EXPECT_EQ(found.ops, all.ops);
  EXPECT_TRUE(found.by_module);
  EXPECT_EQ(found.text, "blocks.0");
  EXPECT_FALSE(search_timeline(*trace.data, "linear").by_module);
  const TimelineSearch none = search_timeline(*trace.data, "nothing is called so");
  EXPECT_TRUE(none.ops.empty() && !none.by_module);
}

TEST(TimelineSearch, ACallAndItsKernelAreOneOp) {
  const OpenedTrace trace("partial_delegation");
  const TimelineSearch found = search_timeline(*trace.data, "aten");
  const auto& ops = trace.data->table.ops;
  int64_t calls = 0;
  for (size_t i = 0; i < ops.size(); ++i) calls += found.hit[i] && ops[i].is_wrapper() ? 1 : 0;
  EXPECT_GT(calls, 0) << "both stand out";
  ASSERT_FALSE(found.ops.empty());
  for (const int32_t op : found.ops) EXPECT_FALSE(ops[static_cast<size_t>(op)].is_wrapper()) << op;
  const std::string type = trace.data->shown.main_node(ops[static_cast<size_t>(found.ops.front())])->node->op;
  for (const int32_t op : select_group(*trace.data, inspector::GroupBy::Type, type).ops)
    EXPECT_FALSE(ops[static_cast<size_t>(op)].is_wrapper()) << type;
}

TEST(TimelineSearch, AnOpOfSeveralBlocksIsOneOp) {
  // The ways that its executions took are blocks of their own.
  const OpenedTrace trace("control_flow_cond");
  const TimelineSearch found = search_timeline(*trace.data, "aten");
  ASSERT_GT(found.distinct, 0);
  EXPECT_LT(found.distinct, static_cast<int64_t>(found.ops.size()));
  std::set<std::optional<size_t>> shown;
  for (const int32_t op : found.ops)
    shown.insert(trace.data->shown.find(trace.data->table.ops[static_cast<size_t>(op)].id));
  EXPECT_EQ(found.distinct, static_cast<int64_t>(shown.size()));
}

}  // namespace
}  // namespace et::gui::test
