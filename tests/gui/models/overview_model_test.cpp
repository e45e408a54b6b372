// The overview: sums, ratios, and what a click on a row selects.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "gui/core/document.h"
#include "gui/core/selection.h"
#include "gui/models/overview_model.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_title.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

class OverviewOf : public testing::TestWithParam<const char*> {};

TEST_P(OverviewOf, PartsAddUpToTheExecutions) {
  const OpenedTrace trace(GetParam());
  const Overview o = make_overview(*trace.data);
  double sum = 0, share = 0, methods = 0;
  int64_t executions = 0;
  for (const OverviewPart& part : o.parts) {
    sum += part.time;
    if (!part.left_out) share += part.share;
  }
  for (const OverviewMethod& method : o.methods) {
    methods += method.warm_median.value_or(method.warm_mean.value_or(0));
    executions += method.executions;
  }
  EXPECT_GT(o.total, 0);
  EXPECT_NEAR(sum, o.total, 1e-9 * o.total);
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_NEAR(methods, o.total, 1e-9 * o.total) << "one median for one thing";
  EXPECT_EQ(executions, o.executions);
}

// In the window a panel stands for a command.
TEST(OverviewTexts, NamePanelsInPlaceOfCommands) {
  size_t panels = 0;
  for (const char* name : {"partial_delegation", "lstm_xnnpack", "mobilenet_v2_035_xnnpack_int8"}) {
    const OpenedTrace trace(name);
    for (const OverviewUnlinked& group : make_overview(*trace.data).unlinked) {
      EXPECT_EQ(group.advice.find("et-inspect delegation"), std::string::npos) << group.advice;
      panels += group.advice.find("panel Delegation") != std::string::npos ? 1 : 0;
    }
  }
  EXPECT_GT(panels, 0U);
}

TEST_P(OverviewOf, CostliestRowsSelectSomething) {
  const OpenedTrace trace(GetParam());
  const Overview o = make_overview(*trace.data);
  ASSERT_FALSE(o.ops.empty());
  for (const auto* list : {&o.ops, &o.lines, &o.modules}) {
    EXPECT_LE(list->size(), 5U);
    if (list == &o.modules) continue;  // rows in rows
    for (size_t i = 1; i < list->size(); ++i) EXPECT_GE((*list)[i - 1].time, (*list)[i].time);
  }
  std::map<std::string, double> types;
  double untyped = 0;
  for (const inspector::GroupRow& row :
       inspector::group_costs(trace.data->shown, inspector::GroupBy::Type, inspector::Filter()).rows)
    (row.none ? untyped : types[row.key]) += row.self;
  std::set<std::string> seen;
  for (const OverviewCost& row : o.ops) {
    EXPECT_TRUE(seen.insert(row.type).second) << row.type << " is named once";
    EXPECT_TRUE(row.title.starts_with(inspector::operator_title(row.type)));
    EXPECT_DOUBLE_EQ(row.time, types.at(row.type));
  }
  for (const auto& [type, time] : types) EXPECT_LE(time, o.ops.front().time) << type;
  double named = 0;
  for (const auto& [of, time] : o.untyped) named += time;
  EXPECT_NEAR(named, untyped, 1e-6) << "apart from the operators";
  for (const OverviewCost& row : o.ops) EXPECT_EQ(select_op(*trace.data, row.op).kind, Selection::Kind::Op);
  for (const OverviewCost& row : o.lines) EXPECT_FALSE(select_line(*trace.data, row.file, row.line).ops.empty());
  double apart = 0;
  for (size_t i = 0; i < o.modules.size(); ++i) {
    const OverviewCost& row = o.modules[i];
    const Selection one = select_module(*trace.data, row.module);
    EXPECT_FALSE(one.ops.empty());
    const Selection all = select_modules(*trace.data, row.modules, row.title);
    EXPECT_EQ(all.module, row.module);
    for (const std::string& path : row.modules) {
      for (const int32_t op : select_module(*trace.data, path).ops) EXPECT_TRUE(all.has_op(op)) << path;
    }
    if (row.alike > 1) {
      EXPECT_EQ(static_cast<int64_t>(row.modules.size()), row.alike);
      EXPECT_EQ(all.label, row.title);
      EXPECT_FALSE(all.same(one));
      EXPECT_TRUE(select_again(*trace.data, all).same(all));
      for (const std::string& path : row.modules) EXPECT_TRUE(all.has_module(path)) << path;
      EXPECT_GT(all.nodes.size(), one.nodes.size()) << row.title;
    }
    if (row.depth == 0) apart += row.time;
    // With what is in it: no row has more than the one before it that it stands in.
    for (size_t in = i; row.depth > 0 && in-- > 0;) {
      if (o.modules[in].depth != row.depth - 1) continue;
      EXPECT_LE(row.time, o.modules[in].time * (1 + 1e-9)) << row.title;
      break;
    }
  }
  EXPECT_LE(apart, o.total * (1 + 1e-9)) << "no time is counted twice";
  EXPECT_EQ(o.lines.empty(), trace.data->sources.files.empty());
}

TEST_P(OverviewOf, UnlinkedOpsAreCountedByReason) {
  const OpenedTrace trace(GetParam());
  const Overview o = make_overview(*trace.data);
  const std::vector<inspector::OpEntry>& all = trace.data->table.ops;
  double time = 0, largest = 0;
  const inspector::OpTable& shown = trace.data->shown;
  std::set<std::pair<std::string, uint32_t>> ops, calls;
  for (const inspector::UnlinkedRow& row : trace.data->facts.unlinked) {
    if (shown.merged_ids.contains(all[row.op].id)) continue;
    time += shown.ops[shown.find(all[row.op].id).value()].cost;
    const auto op = static_cast<uint32_t>(row.op);
    const auto counted = inspector::counted_op(trace.data->table, op);
    (counted ? ops : calls).emplace(row.reason.str(), counted.value_or(op));
  }
  for (const OverviewUnlinked& group : o.unlinked) {
    ASSERT_FALSE(group.costliest.empty());
    EXPECT_FALSE(group.advice.empty()) << group.reason;
    for (size_t i = 1; i < group.costliest.size(); ++i)
      EXPECT_LE(group.costliest[i].second, group.costliest[i - 1].second);
    for (const auto& [op, cost] : group.costliest) largest = std::max(largest, cost);
    EXPECT_LE(largest, o.unlinked_time + 1e-6);
  }
  EXPECT_EQ(o.unlinked_ops.ops, std::ssize(ops));
  EXPECT_EQ(o.unlinked_ops.calls, std::ssize(calls));
  EXPECT_NEAR(o.unlinked_time, time, 1e-6);
  EXPECT_LE(o.unlinked_time, o.total);
}

TEST_P(OverviewOf, TypesArePartsOfTheirParts) {
  const OpenedTrace trace(GetParam());
  const Overview o = make_overview(*trace.data);
  double typed = 0;
  for (const OverviewPart& part : o.parts) {
    double sum = 0;
    for (const OverviewSlice& slice : part.types) {
      sum += slice.time;
      EXPECT_GT(slice.time, 0);
      EXPECT_EQ(select_op(*trace.data, slice.op).kind, Selection::Kind::Op) << slice.type;
    }
    EXPECT_LE(sum, std::max(part.time, 0.0) * (1 + 1e-9)) << part.name;
    typed += sum;
  }
  EXPECT_GT(typed, 0);
}

INSTANTIATE_TEST_SUITE_P(Artifacts, OverviewOf,
                         testing::Values("partial_delegation", "lstm", "multi_method", "control_flow_map",
                                         "control_flow_cond", "nanogpt_xnnpack_qd4", "mobilenet_v2_035_xnnpack_int8"));

TEST(Overview, SaysWhichMethodsDidNotRun) {
  const OpenedTrace trace("multi_method");
  EXPECT_EQ(make_overview(*trace.data).not_run, (std::vector<std::string>{"get_latent_size"}));
  auto& data = const_cast<TraceData&>(*trace.data);  // of this test alone
  data.facts.methods.emplace_back().name = "another";
  EXPECT_EQ(make_overview(data).not_run, (std::vector<std::string>{"get_latent_size", "another"}));
  // One of the runs may be the missing one.
  for (inspector::OpBlock& block : data.shown.blocks) block.method.reset();
  EXPECT_TRUE(make_overview(data).not_run.empty());
}

TEST(Overview, ACallOfAKernelHasTheKernelsLine) {
  // For most of these types the call costs more than the kernel in it.
  const OpenedTrace trace("control_flow_cond");
  const Overview o = make_overview(*trace.data);
  ASSERT_FALSE(o.ops.empty());
  for (const OverviewCost& row : o.ops) EXPECT_NE(row.detail.find("models.py:"), std::string::npos) << row.title;
  std::set<std::string> names;
  for (const auto& [name, time] : o.untyped) names.insert(name);
  EXPECT_TRUE(names.contains("control flow")) << "as among the parts of the time";
  EXPECT_FALSE(names.contains("no operator"));
}

TEST(Overview, UnlinkedOpsOfSeveralBlocksAreListedOnce) {
  const OpenedTrace trace("mobilenet_v2_035_xnnpack_int8");
  auto& data = const_cast<TraceData&>(*trace.data);  // of this test alone
  ASSERT_GE(data.facts.unlinked.size(), 2U);
  const auto count = [&] {
    const inspector::OpCount all = make_overview(data).unlinked_ops;
    return all.ops + all.calls;
  };
  const int64_t before = count();
  // As if one were the same op in the block of the cold run.
  const auto merged = static_cast<int32_t>(data.facts.unlinked[0].op);
  const int64_t id = data.table.ops[static_cast<size_t>(merged)].id;
  data.shown.merged_ids[id] = static_cast<uint32_t>(data.shown.find_own(id).value());
  const Overview o = make_overview(data);
  EXPECT_EQ(count(), before - 1);
  for (const OverviewUnlinked& group : o.unlinked) {
    for (const auto& [op, time] : group.costliest) EXPECT_NE(op, merged) << group.reason;
  }
}

TEST(Overview, TellsColdFromWarm) {
  const OpenedTrace trace("partial_delegation");
  const Overview o = make_overview(*trace.data);
  ASSERT_EQ(o.methods.size(), 1U);
  const OverviewMethod& method = o.methods.front();
  EXPECT_EQ(method.name, "forward");
  ASSERT_TRUE(method.cold && method.warm_median && method.cold_ratio);
  EXPECT_DOUBLE_EQ(*method.cold_ratio * *method.warm_median, static_cast<double>(*method.cold));
}

// Whatever the noise is, the parts that have shares are parts of one whole, and lists have the same.
TEST(Overview, SharesArePartsOfAWholeWhateverTheNoise) {
  for (const double noise : {0.05, 0.15, 0.8, -0.05}) {
    SCOPED_TRACE(noise);
    const OpenedTrace trace("partial_delegation");
    with_noise(*trace.data, noise);
    const Overview o = make_overview(*trace.data);
    const bool left_out = noise != 0.05;
    EXPECT_NEAR(o.shares_total, left_out ? o.total * (1 - noise) : o.total, 1e-6 * o.total);
    EXPECT_EQ(o.shares_of, left_out ? "what the ops usually take" : "the warm median");
    double sum = 0;
    for (const OverviewPart& part : o.parts) {
      const bool variation = part.kind == OverviewPart::Kind::Variation;
      EXPECT_EQ(part.left_out, variation && left_out) << part.name;
      if (part.left_out) continue;
      EXPECT_GE(part.share, 0) << part.name;
      EXPECT_NEAR(part.share, part.time / o.shares_total, 1e-9) << part.name;
      for (const OverviewSlice& slice : part.types) EXPECT_NEAR(slice.share, slice.time / o.shares_total, 1e-9);
      sum += part.share;
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    for (const auto* list : {&o.ops, &o.lines, &o.modules}) {
      for (const OverviewCost& cost : *list) EXPECT_NEAR(cost.share, cost.time / o.shares_total, 1e-9) << cost.title;
    }
    double bar = 0;
    for (const OverviewPart& part : parts_of_bar(o.parts)) {
      EXPECT_TRUE(part.share > 0 && !part.left_out) << part.name;
      bar += part.share;
    }
    EXPECT_NEAR(bar, 1, 1e-6);
  }
}

TEST(Overview, DelegatesOverheadIsUnattributed) {
  const OpenedTrace trace("partial_delegation");
  const Overview o = make_overview(*trace.data);
  double overhead = 0, unattributed = 0;
  for (const inspector::PartRow& part : trace.data->parts)
    overhead += part.part == inspector::Part::Delegate ? part.overhead : 0;
  for (const OverviewPart& part : o.parts) {
    if (part.kind == OverviewPart::Kind::Unattributed) unattributed += part.time;
  }
  EXPECT_GT(overhead, 0);
  EXPECT_DOUBLE_EQ(unattributed, overhead);
  EXPECT_GE(o.parts.back().kind, OverviewPart::Kind::Unattributed);
}

TEST(Overview, WhatStandsOutAmongExecutionsIsSaidBeforeWarnings) {
  std::vector<inspector::Finding> findings = {{"error", "lost", "an error", ""},
                                              {"warning", "other", "a warning", ""},
                                              {"info", "execution-modes", "two groups", ""},
                                              {"info", "log", "logged", ""}};
  findings[2].of_executions = true;
  const OverviewNotices notices = first_notices(findings);
  ASSERT_EQ(notices.errors.size(), 1U);
  ASSERT_EQ(notices.executions.size(), 1U);
  EXPECT_EQ(notices.executions[0]->text, "two groups");
  ASSERT_EQ(notices.warnings.size(), 1U);
  EXPECT_EQ(notices.warnings[0]->text, "a warning");
  EXPECT_EQ(notices.more, 0);
  EXPECT_GT(first_notices(std::vector<inspector::Finding>(20, findings[2])).more, 0);
}

// The answer comes before what is to be known of it.
TEST(Overview, SeveralNotesAreOneLine) {
  std::vector<inspector::Finding> findings = {{"info", "execution-outlier", "#1", ""},
                                              {"info", "execution-outlier", "#2", ""},
                                              {"info", "cold-start", "the first", ""}};
  for (inspector::Finding& f : findings) f.of_executions = true;
  EXPECT_EQ(first_notices(findings).size(), 3);
  EXPECT_EQ(first_notices(findings).in_short(),
            "3 notes on the measurement: executions that stand out, a slow first execution");
  findings.push_back({"warning", "debug-build", "built without optimization", ""});
  EXPECT_EQ(first_notices(findings).in_short(),
            "4 notes on the measurement: executions that stand out, a slow first execution, 1 more");
  EXPECT_EQ(first_notices({findings.back()}).in_short(), "1 note on the measurement: 1 warning");
}

TEST(Overview, AVariationIsSeenInTheSlowestExecution) {
  const OpenedTrace trace("partial_delegation");
  const int64_t run = slowest_run(*trace.data);
  int64_t longest = 0;
  for (const inspector::Execution& e : trace.data->runs) {
    if (trace.data->table.blocks[static_cast<size_t>(e.block)].kind == "execute" && !e.cold)
      longest = std::max(longest, e.duration);
  }
  const auto at = std::find_if(trace.data->runs.begin(), trace.data->runs.end(),
                               [&](const inspector::Execution& e) { return e.id == run; });
  ASSERT_NE(at, trace.data->runs.end());
  EXPECT_EQ(at->duration, longest);
  EXPECT_FALSE(at->cold);
}

TEST(Overview, TwoTimesAreSaidOnlyWhereTheNotesSaySo) {
  const OpenedTrace trace("partial_delegation");
  auto& data = const_cast<TraceData&>(*trace.data);  // of this test alone
  // As of 26 alike and 12 that take thrice as long.
  const inspector::Execution like = data.runs.back();
  for (int i = 0; i < 40; ++i) {
    inspector::Execution run = like;
    run.id = 1000 + i;
    run.cold = false;
    run.start = like.start + 10 * (i + 1) * like.duration;
    run.duration = i % 3 == 0 ? 3 * like.duration : like.duration + i;
    data.runs.push_back(run);
  }
  std::erase_if(data.findings, [](const inspector::Finding& f) { return f.id == "execution-modes"; });
  EXPECT_EQ(make_overview(data).two_times, "");
  data.findings.push_back({"info", "execution-modes", "two groups", ""});
  EXPECT_NE(make_overview(data).two_times, "");
}

TEST(Overview, FewExecutionsAreANotice) {
  const OpenedTrace trace("partial_delegation");
  size_t notes = 0;
  for (const inspector::Finding& f : trace.data->findings) notes += f.id == "few-samples" ? 1 : 0;
  const OverviewNotices notices = first_notices(trace.data->findings);
  EXPECT_GT(notes, 0U);
  EXPECT_EQ(std::count_if(notices.executions.begin(), notices.executions.end(),
                          [](const inspector::Finding* f) { return f->id == "few-samples"; }),
            static_cast<std::ptrdiff_t>(notes));
}

TEST(Overview, TheLineBesideATypeIsTheOneWithMostOfItsTime) {
  size_t several = 0;
  for (const char* name : {"mobilenet_v2_035_xnnpack_int8", "nanogpt_xnnpack_qd4"}) {
    const OpenedTrace trace(name);
    const TraceData& data = *trace.data;
    const Overview o = make_overview(data);
    const inspector::GroupTable types =
        inspector::group_costs(data.shown, inspector::GroupBy::Type, inspector::Filter());
    for (const OverviewCost& cost : o.ops) {
      const auto row = std::find_if(types.rows.begin(), types.rows.end(),
                                    [&](const inspector::GroupRow& r) { return !r.none && r.key == cost.type; });
      ASSERT_NE(row, types.rows.end());
      std::map<std::string, double> lines;
      for (const inspector::GroupPart& part : row->parts) {
        const inspector::OpEntry& op = data.shown.ops[part.op];
        const inspector::OpNode* const node = data.shown.main_node(op);
        if (node == nullptr || node->node->file.empty()) continue;
        lines[short_place(node->node->file, node->node->line.value_or(0))] += part.weight * op.cost;
      }
      if (lines.size() < 2) continue;
      ++several;
      const auto most = std::max_element(lines.begin(), lines.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      EXPECT_TRUE(cost.detail.starts_with(most->first + " (" +
                                          inspector::format_duration_with_unit(most->second, data.unit()) + ") and "))
          << cost.title << ": " << cost.detail;
    }
  }
  EXPECT_GT(several, 0U);
}

TEST(Overview, ShortPlaces) {
  EXPECT_EQ(short_place("/a/b/model.py", 12), "model.py:12");
  EXPECT_EQ(short_place("model.py", 0), "model.py");
  EXPECT_EQ(short_place("", 3), "");
}

TEST(Overview, SearchLooksAtAll) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const Overview all = make_overview(*trace.data);
  ASSERT_FALSE(all.lines.empty());
  std::string wanted = all.lines.back().title;
  std::transform(wanted.begin(), wanted.end(), wanted.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const Overview found = make_overview(*trace.data, wanted);
  EXPECT_FALSE(found.lines.empty());
  EXPECT_FALSE(found.ops.empty()) << "by their line";
  for (const auto* list : {&found.ops, &found.lines}) {
    for (const OverviewCost& row : *list)
      EXPECT_NE((row.title + row.detail).find(all.lines.back().title), std::string::npos) << row.title;
  }
  // A type, by any part of its name: its row, and the lines that it comes from.
  const Overview softmax = make_overview(*trace.data, "SoftMax");
  ASSERT_EQ(softmax.ops.size(), 1U);
  EXPECT_EQ(softmax.ops[0].type, "aten._softmax.default");
  EXPECT_FALSE(softmax.lines.empty());
  EXPECT_FALSE(make_overview(*trace.data, "native_call_").ops.empty()) << "by the names of its events";
  EXPECT_EQ(found.total, all.total) << "what is found does not change what was measured";
  EXPECT_TRUE(make_overview(*trace.data, "nothing is called like that").ops.empty());
}

TEST(Overview, OperatorsAreFoundByTheirModuleAndOnlyThoseCount) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const Overview all = make_overview(*trace.data);
  const std::string module = "blocks.0";
  const Overview found = make_overview(*trace.data, module);
  ASSERT_FALSE(found.ops.empty());
  double time = 0;
  for (const OverviewCost& cost : found.ops) time += cost.time;
  EXPECT_GT(time, 0);
  EXPECT_LT(time, all.total * 0.9) << "of types that are elsewhere, too, what is in the module";
  EXPECT_TRUE(std::is_sorted(found.ops.begin(), found.ops.end(),
                             [](const OverviewCost& a, const OverviewCost& b) { return a.time > b.time; }));
}

TEST(Overview, AModuleIsFoundByItsOwnNumberAndByAllWords) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const Overview found = make_overview(*trace.data, "blocks.1 qkv");
  ASSERT_EQ(found.modules.size(), 1U);
  EXPECT_EQ(found.modules[0].title, "blocks.1.attn.qkv");
  ASSERT_FALSE(found.ops.empty());
  ASSERT_FALSE(found.lines.empty()) << "by the modules of its ops";
  double ops = 0, lines = 0;
  for (const OverviewCost& cost : found.ops) ops += cost.time;
  for (const OverviewCost& cost : found.lines) lines += cost.time;
  EXPECT_NEAR(ops, found.modules[0].time, 0.01 * ops);
  EXPECT_NEAR(lines, ops, 0.01 * ops);
}

TEST(Overview, AModuleIsFoundByWhatRunsInIt) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const Overview found = make_overview(*trace.data, "softmax");
  ASSERT_FALSE(found.modules.empty());
  double modules = 0, ops = 0;
  for (const OverviewCost& cost : found.modules) {
    EXPECT_EQ(cost.title.find("softmax"), std::string::npos) << "not by its name";
    modules += cost.time;
  }
  for (const OverviewCost& cost : found.ops) ops += cost.time;
  EXPECT_NEAR(modules, ops, 0.01 * ops) << "what was found in it counts, not all of it";
}

TEST(Overview, StepsComeByWhatTheyWouldWin) {
  const OpenedTrace trace("external_weights");
  std::vector<inspector::Advice> advice;
  ASSERT_TRUE(inspector::find_advice(trace.store, trace.data->shown, &advice).ok());
  inspector::Consumer consumer;
  consumer.title = "aten.cat";
  consumer.known_ns = 3 * advice.front().most_ns;
  consumer.roof_ns = advice.front().most_ns;
  consumer.op_id = trace.data->table.ops.front().id;
  const std::vector<OverviewStep> steps = next_steps(*trace.data, make_overview(*trace.data), advice, {consumer});
  ASSERT_GE(steps.size(), 3U);
  EXPECT_NE(steps[0].text.find("aten.cat"), std::string::npos) << steps[0].text;
  EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end(),
                             [](const OverviewStep& a, const OverviewStep& b) { return a.win > b.win; }));
  EXPECT_GT(steps[1].win, 0);
}

TEST(Overview, StepsLeadToWhatTheySay) {
  const OpenedTrace trace("partial_delegation");
  const TraceData& data = *trace.data;
  const Overview o = make_overview(data);
  const std::vector<OverviewStep> steps = next_steps(data, o);
  const auto step = [&](const std::string& panel) {
    return std::find_if(steps.begin(), steps.end(), [&](const OverviewStep& s) { return s.panel == panel; });
  };
  ASSERT_NE(step("operators"), steps.end());
  EXPECT_EQ(step("operators")->selection.kind, Selection::Kind::Op);
  EXPECT_EQ(step("operators")->type, o.ops.front().type);
  EXPECT_TRUE(step("operators")->text.starts_with(o.ops.front().title));
  ASSERT_NE(step("source"), steps.end());
  EXPECT_EQ(step("source")->selection.line, o.lines.front().line);
  ASSERT_NE(step("delegation"), steps.end()) << "half of its time is in kernels beside delegates";
  EXPECT_EQ(step("delegation")->text.find("Nothing is delegated"), std::string::npos);
  const OpenedTrace undelegated("lstm");
  const std::vector<OverviewStep> others = next_steps(*undelegated.data, make_overview(*undelegated.data));
  EXPECT_TRUE(std::any_of(others.begin(), others.end(), [](const OverviewStep& s) {
    return s.text.starts_with("Nothing is delegated") && s.panel == "delegation";
  }));
}

TEST(Overview, WhatWouldWinTheMostIsTheFirstStep) {
  const OpenedTrace trace("external_weights");
  std::vector<inspector::Advice> advice;
  ASSERT_TRUE(inspector::find_advice(trace.store, trace.data->shown, &advice).ok());
  ASSERT_GE(advice.size(), 2U);
  const std::vector<OverviewStep> steps = next_steps(*trace.data, make_overview(*trace.data), advice);
  ASSERT_GE(steps.size(), 3U);
  EXPECT_EQ(steps[0].panel, "findings");
  EXPECT_EQ(steps[0].selection.node, advice[0].place.node);
  EXPECT_TRUE(steps[0].text.starts_with("Could save up to ")) << steps[0].text;
  EXPECT_TRUE(steps[0].text.ends_with(": " + advice[0].title)) << steps[0].text;
  EXPECT_TRUE(steps[0].detail.starts_with("2 matrix products (aten.addmm) take ")) << steps[0].detail;
  EXPECT_TRUE(steps[1].detail.ends_with(" as well: the two do not add up")) << steps[1].detail;
  EXPECT_EQ(steps[2].panel, "operators");
  EXPECT_TRUE(std::none_of(steps.begin(), steps.end(), [](const OverviewStep& s) {
    return s.text.starts_with("Nothing is delegated") || s.text.starts_with("Operators that only move");
  })) << "the findings say so";
}

TEST(Overview, NamesOfCodeKeepTheirLetters) {
  const OpenedTrace trace("partial_delegation");
  inspector::Advice advice;
  advice.most_ns = 5000;
  for (const auto& [text, shown] : {std::pair("aten.where.self takes 5 µs", "aten.where.self takes"),
                                    std::pair("scaled_dot_product_attention leaves", "scaled_dot_product_attention"),
                                    std::pair("one op takes 5 µs", "One op takes"), std::pair("é.g", "é.g")}) {
    advice.text = text;
    const std::vector<OverviewStep> steps = next_steps(*trace.data, make_overview(*trace.data), {advice});
    ASSERT_FALSE(steps.empty());
    EXPECT_TRUE(steps.front().detail.starts_with(shown)) << steps.front().detail;
  }
}

TEST(Overview, WhatIsSaidOfAnOperatorIsSaidOnce) {
  const OpenedTrace trace("partial_delegation");
  const Overview o = make_overview(*trace.data);
  ASSERT_FALSE(o.ops.empty());
  const auto about = [&](const std::vector<inspector::Consumer>& silent) {
    const std::vector<OverviewStep> steps = next_steps(*trace.data, o, {}, silent);
    return std::count_if(steps.begin(), steps.end(),
                         [&](const OverviewStep& s) { return s.text.starts_with(o.ops.front().title); });
  };
  EXPECT_EQ(about({}), 1);
  inspector::Consumer consumer;
  consumer.title = o.ops.front().title;
  consumer.op_id = o.ops.front().op;
  EXPECT_EQ(about({consumer}), 1);
}

TEST(Overview, ARuntimeThatTakesMostIsAStep) {
  const OpenedTrace trace("add_mul");
  Overview o = make_overview(*trace.data);
  const auto says = [&] {
    const std::vector<OverviewStep> steps = next_steps(*trace.data, o);
    return std::any_of(steps.begin(), steps.end(),
                       [](const OverviewStep& s) { return s.text.starts_with("The runtime and its calls"); });
  };
  for (OverviewPart& part : o.parts)
    part.share = part.kind == OverviewPart::Kind::Framework ? 0.5 : 0.1, part.calling = 0;
  EXPECT_TRUE(says());
  for (OverviewPart& part : o.parts) part.share = 0.1;
  EXPECT_FALSE(says());
  for (OverviewPart& part : o.parts) part.calling = part.kind == OverviewPart::Kind::Kernel ? 0.4 * o.total : 0;
  EXPECT_TRUE(says()) << "what it takes to call kernels is in the kernels' time";
}

TEST(Overview, StepsNameWhatIsMissing) {
  Jobs jobs;
  Document document(jobs);
  document.set_neighbours(false);
  document.open_files({artifact("partial_delegation") + "/etdump.etdp"});
  jobs.finish();
  ASSERT_NE(document.data(), nullptr);
  const std::vector<OverviewStep> steps = next_steps(*document.data(), make_overview(*document.data()));
  const auto has = [&](const char* what) {
    return std::any_of(steps.begin(), steps.end(),
                       [&](const OverviewStep& s) { return s.text.find(what) != std::string::npos; });
  };
  EXPECT_TRUE(has("Open the ETRecord"));
  EXPECT_TRUE(has("Open the program"));
  EXPECT_TRUE(has("Non-delegated operators take")) << "the calls are in the ETDump, only the backend has no name";
  EXPECT_FALSE(has("Nothing is delegated"));
}

}  // namespace
}  // namespace et::gui::test
