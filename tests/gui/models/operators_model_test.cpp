// The table of operators: sums, order, filter, groups, export; and what a hundred thousand rows cost.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <sstream>

#include "gui/models/group_samples.h"
#include "gui/models/opened_group.h"
#include "inspector/analysis/ops/op_count.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/samples.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::GroupBy;

double variation_of(const TraceData& data) {
  double sum = 0;
  for (const inspector::OpBlock& b : data.shown.blocks) sum += b.kind == "execute" ? b.variation : 0;
  return sum;
}

double latency_of(const TraceData& data) {
  double sum = 0;
  for (const inspector::OpBlock& b : data.shown.blocks) sum += b.kind == "execute" ? b.cost : 0;
  return sum;
}

double self_of(const TraceData& data, const OperatorsView& view) {
  double sum = 0;
  for (const int32_t i : view.ops) {
    const inspector::OpEntry& op = data.shown_op(i);
    if (data.shown.block_of(op).kind == "execute" && op.on_trace_clock()) sum += op.cost;
  }
  return sum;
}

class OperatorsOf : public testing::TestWithParam<const char*> {};

TEST_P(OperatorsOf, RowsAddUpToTheExecutions) {
  const OpenedTrace trace(GetParam());
  OperatorsQuery query;
  for (const char* filter : {"", "conv", "share>1", "delegated:yes"}) {
    query.filter = filter;
    const OperatorsView view = make_operators_view(*trace.data, query);
    ASSERT_TRUE(view.status.ok()) << view.status.message();
    const double close = 1e-9 * view.total;
    EXPECT_DOUBLE_EQ(view.total, latency_of(*trace.data));
    EXPECT_NEAR(self_of(*trace.data, view) + view.calling, view.shown, close);
    EXPECT_NEAR(view.shown + view.hidden + variation_of(*trace.data), view.total, close) << filter;
  }
}

TEST_P(OperatorsOf, AFilterBringsNoTimeOfOthers) {
  const OpenedTrace trace(GetParam());
  const TraceData& data = *trace.data;
  OperatorsQuery all;
  all.group = GroupBy::Type;
  for (const OperatorsGroup& row : make_operators_view(data, all).groups) {
    if (row.none || row.costliest < 0 || row.key.find('"') != std::string::npos) continue;
    OperatorsQuery query;
    query.group = GroupBy::Type;
    query.filter = "type=\"" + row.key + "\"";
    const OperatorsView view = make_operators_view(data, query);
    // What is left to a call around ops of that type is time of none.
    for (const OperatorsGroup& found : view.groups) EXPECT_NE(found.key, "(unattributed)") << row.key;
    query.group.reset();
    for (const int32_t i : make_operators_view(data, query).ops) {
      const inspector::OpEntry& op = data.shown_op(i);
      EXPECT_FALSE(op.is_wrapper()) << "the call of a kernel is no second row";
    }
  }
}

TEST_P(OperatorsOf, GroupsAddUpToTheExecutions) {
  const OpenedTrace trace(GetParam());
  OperatorsQuery query;
  for (const GroupBy by :
       {GroupBy::Op, GroupBy::Type, GroupBy::Module, GroupBy::Line, GroupBy::Delegate, GroupBy::Method}) {
    query.group = by;
    const OperatorsView view = make_operators_view(*trace.data, query);
    EXPECT_NEAR(view.shown + variation_of(*trace.data), view.total, 1e-6 * view.total) << group_by_name(by);
    EXPECT_FALSE(view.groups.empty());
  }
}

TEST_P(OperatorsOf, EveryColumnSortsBothWays) {
  const OpenedTrace trace(GetParam());
  const TraceData& data = *trace.data;
  for (const OpColumnSpec& spec : op_columns()) {
    for (const bool descending : {false, true}) {
      OperatorsQuery query;
      query.sort = spec.column;
      query.descending = descending;
      const OperatorsView view = make_operators_view(data, query);
      EXPECT_EQ(std::set<int32_t>(view.ops.begin(), view.ops.end()).size(), view.ops.size());
      bool missing = false;
      for (size_t i = 1; i < view.ops.size(); ++i) {
        const auto& a = data.shown_op(view.ops[i - 1]);
        const auto& b = data.shown_op(view.ops[i]);
        if (spec.text != nullptr) {
          const std::string x = view.text_of(data, a, spec.column), y = view.text_of(data, b, spec.column);
          if (x.empty() || y.empty()) {
            EXPECT_TRUE(y.empty()) << spec.id;  // empty ones are last
          } else if (descending) {
            EXPECT_GE(x, y) << spec.id;
          } else {
            EXPECT_LE(x, y) << spec.id;
          }
          if (x == y) {
            EXPECT_LT(view.ops[i - 1], view.ops[i]) << spec.id;
          }
          continue;
        }
        const bool comparable = spec.kind != ColumnKind::Time || (a.on_trace_clock() && b.on_trace_clock());
        const auto x = spec.number(data.shown, a), y = spec.number(data.shown, b);
        missing = missing || !x || !y || !comparable;
        if (missing) continue;
        if (descending) {
          EXPECT_GE(*x, *y) << spec.id;
        } else {
          EXPECT_LE(*x, *y) << spec.id;
        }
        if (*x == *y) {
          EXPECT_LT(view.ops[i - 1], view.ops[i]) << spec.id;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Artifacts, OperatorsOf,
                         testing::Values("partial_delegation", "lstm", "multi_method", "control_flow_map", "add_mul",
                                         "nanogpt_xnnpack_qd4"));

TEST(Operators, WrongFilterSaysWhatIsMeant) {
  const OpenedTrace trace("add_mul");
  OperatorsQuery query;
  query.filter = "colour:red";
  const OperatorsView view = make_operators_view(*trace.data, query);
  EXPECT_FALSE(view.status.ok());
  EXPECT_NE(view.status.message().find("expected name, op, type"), std::string::npos) << view.status.message();
}

TEST(Operators, GroupsLeadToTheirOps) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  OperatorsQuery query;
  for (const GroupBy by : {GroupBy::Op, GroupBy::Type, GroupBy::Module, GroupBy::Line, GroupBy::Method}) {
    query = {};
    query.group = by;
    const OperatorsView groups = make_operators_view(*trace.data, query);
    size_t led = 0;
    for (const inspector::GroupRow& row : groups.groups) {
      const auto opened = opened_group(*trace.data, query, by, row);
      if (!opened) continue;
      ++led;
      EXPECT_FALSE(opened->group);
      const OperatorsView ops = make_operators_view(*trace.data, *opened);
      ASSERT_TRUE(ops.status.ok()) << ops.status.message();
      std::set<int32_t> listed, of_group;
      for (const GroupOp& op : ops_of_group(*trace.data, row)) of_group.insert(op.op);
      listed.insert(ops.ops.begin(), ops.ops.end());
      EXPECT_EQ(listed, of_group) << row.key << ": these and no others";
      EXPECT_EQ(std::ssize(ops.ops), std::ssize(of_group)) << row.key;
      EXPECT_GE(ops.shown, row.self - 1) << row.key;
    }
    EXPECT_GT(led, 0U) << group_by_name(by);
  }
}

TEST(Operators, AGroupsOpsAreThoseAndNoCallAroundThem) {
  const OpenedTrace trace("mobilenet_v2_035_xnnpack_int8");
  OperatorsQuery query;
  query.group = GroupBy::Type;
  size_t whole = 0;
  for (const inspector::GroupRow& row : make_operators_view(*trace.data, query).groups) {
    const auto opened = opened_group(*trace.data, query, GroupBy::Type, row);
    if (!opened) continue;
    const OperatorsView ops = make_operators_view(*trace.data, *opened);
    ASSERT_TRUE(ops.status.ok()) << ops.status.message();
    for (const int32_t op : ops.ops) EXPECT_NE(trace.data->shown_op(op).kind, "delegate_call") << row.key;
    whole += static_cast<int64_t>(ops.ops.size()) == row.ops ? 1 : 0;
  }
  EXPECT_GT(whole, 0U) << "as many as the group says";
}

TEST(Operators, CsvIsWhatIsShown) {
  const OpenedTrace trace("partial_delegation");
  OperatorsQuery query;
  query.sort = OpColumn::Name;
  query.descending = false;
  query.filter = "kind=kernel";
  OperatorsView view = make_operators_view(*trace.data, query);
  if (view.ops.empty()) {
    query.filter = "native_call";
    view = make_operators_view(*trace.data, query);
  }
  ASSERT_FALSE(view.ops.empty());
  const std::string csv = operators_csv(*trace.data, view, {OpColumn::Name, OpColumn::Self, OpColumn::Count});
  std::istringstream lines(csv);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "name,self_ns,count\r");
  for (const int32_t i : view.ops) {
    const inspector::OpEntry& op = trace.data->shown_op(i);
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(line, op_title(trace.data->shown, op) + "," + inspector::format_double(op.cost) + "," +
                        std::to_string(op.count - 1) + "\r")
        << "samples of the warm executions, as the times beside them";
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(Operators, ModelKeepsRowsWhileTheFilterIsTyped) {
  TemporaryFolder folder;
  Jobs jobs;
  Document document(jobs);
  document.open_files({artifact("partial_delegation") + "/etdump.etdp"});
  jobs.finish();
  OperatorsModel model;
  model.refresh(document, jobs);
  EXPECT_TRUE(model.reading());
  jobs.finish();
  const size_t all = model.view().ops.size();
  EXPECT_GT(all, 0U);
  for (size_t i = 0; i < all; ++i) EXPECT_EQ(model.row_of(model.view().ops[i]), static_cast<int32_t>(i));
  model.query.filter = "self>";
  model.refresh(document, jobs);
  jobs.finish();
  EXPECT_FALSE(model.view().status.ok());
  EXPECT_EQ(model.view().ops.size(), all);
  model.query.filter = "no such op";
  model.refresh(document, jobs);
  jobs.finish();
  EXPECT_TRUE(model.view().status.ok());
  EXPECT_TRUE(model.view().ops.empty());
  document.close();
  model.refresh(document, jobs);
  EXPECT_EQ(model.data(), nullptr);
}

// Rows are made off the UI thread, but nobody wants to wait for them.
TEST(Operators, HundredThousandOps) {
  TraceData data;
  data.shown.unit = "ns";
  data.shown.blocks.emplace_back();
  inspector::OpBlock& block = data.shown.blocks.back();
  block.kind = "execute";
  constexpr int64_t kOps = 100000;
  for (int64_t i = 0; i < kOps; ++i) {
    inspector::OpEntry op;
    op.id = i + 1;
    op.ordinal = i;
    op.name = data.shown.texts.keep("native_call_op" + std::to_string(i * 7919 % 1000) + ".out");
    op.kind = data.shown.texts.keep("kernel");
    op.unit = data.shown.texts.keep("ns");
    op.count = 1;
    op.self = op.sum = i * 104729 % 65536;
    op.cost = static_cast<double>(op.self);
    block.cost += op.cost;
    data.shown.ops.push_back(std::move(op));
  }
  block.ops = kOps;
  data.shown.index_ids();
  data.table.ops = data.shown.ops;
  data.table.blocks = data.shown.blocks;
  data.table.index_ids();
  OperatorsQuery query;
  for (const OpColumn column : {OpColumn::Self, OpColumn::Name}) {
    query.sort = column;
    query.filter = "op1";
    const auto begin = std::chrono::steady_clock::now();
    const OperatorsView view = make_operators_view(data, query);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(view.shown + view.hidden, view.total);
    EXPECT_EQ(static_cast<int64_t>(view.ops.size()) + view.hidden_ops, kOps);
    EXPECT_LT(took.count(), 5) << op_column(column).id;
    RecordProperty(std::string("seconds_by_") + op_column(column).id, std::to_string(took.count()));
  }
}

// Percentiles of a group are those of its ops' sum, execution by execution.
TEST(Operators, GroupsHaveTheTimesOfTheirSum) {
  const OpenedTrace trace("partial_delegation");
  const TraceData& data = *trace.data;
  OperatorsQuery query;
  query.group = GroupBy::Op;
  GroupTimes times;
  ASSERT_TRUE(load_group_times(trace.store, data, query, Cancel(), &times).ok());
  const OperatorsView view = make_operators_view(data, query, &times);
  size_t warm = 0;
  double latency = 0, means = 0;
  for (const gui::Run& run : data.runs) {
    if (data.table.blocks[static_cast<size_t>(run.block)].kind != "execute" || run.cold) continue;
    ++warm;
    latency += static_cast<double>(run.duration);
  }
  ASSERT_GT(warm, 1U);
  size_t compared = 0;
  for (const OperatorsGroup& group : view.groups) {
    ASSERT_TRUE(group.times.mean && group.times.p50 && group.times.p99) << group.key;
    means += *group.times.mean;
    EXPECT_EQ(group.times.executions, static_cast<int64_t>(warm));
    EXPECT_LE(*group.times.p50, *group.times.p99);
    // By hand, where an op encloses nothing.
    std::map<int64_t, double> sums;
    bool leaves = true;
    for (const inspector::OpEntry& op : data.shown.ops) {
      if (op.name != group.key || data.shown.block_of(op).kind != "execute" || op.count == 0) continue;
      leaves = leaves && !op.encloses;
      inspector::OpSamples samples;
      ASSERT_TRUE(inspector::load_op_samples(trace.store, op.id, 100000, &samples).ok());
      for (size_t i = 0; i < samples.runs.size(); ++i)
        sums[samples.runs[i]] += static_cast<double>(samples.durations[i]);
    }
    if (!leaves || sums.empty()) continue;
    double sum = 0;
    std::vector<double> values;
    for (const gui::Run& run : data.runs) {
      if (run.cold || data.table.blocks[static_cast<size_t>(run.block)].kind != "execute") continue;
      values.push_back(sums[run.id]);
      sum += sums[run.id];
    }
    std::sort(values.begin(), values.end());
    EXPECT_NEAR(*group.times.mean, sum / static_cast<double>(values.size()), 1e-6) << group.key;
    EXPECT_GE(*group.times.p50, values.front());
    EXPECT_LE(*group.times.p99, values.back());
    const size_t middle = values.size() / 2;
    const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    EXPECT_NEAR(*group.times.p50, median, 1e-6) << group.key;
    ++compared;
  }
  EXPECT_GT(compared, 2U);
  EXPECT_NEAR(means, latency / static_cast<double>(warm), 1e-6 * latency) << "nothing is lost or counted twice";
  // Sorted by them, and not taken for an answer to another question.
  query.group_sort = GroupColumn::P99;
  const OperatorsView sorted = make_operators_view(data, query, &times);
  for (size_t i = 1; i < sorted.groups.size(); ++i)
    EXPECT_GE(*sorted.groups[i - 1].times.p99, *sorted.groups[i].times.p99);
  query.filter = "kind=kernel";
  for (const OperatorsGroup& group : make_operators_view(data, query, &times).groups) EXPECT_FALSE(group.times.mean);
}

TEST(Operators, ARowAroundOthersHasNoStatisticsOfTheCall) {
  const OpenedTrace trace("partial_delegation");
  const inspector::OpTable& shown = trace.data->shown;
  size_t around = 0;
  for (const inspector::OpEntry& op : shown.ops) {
    const bool mean = op_column(OpColumn::Mean).number(shown, op).has_value();
    if (!op.encloses) {
      EXPECT_EQ(op_label(shown, op), inspector::row_title(shown, op)) << "as in the report";
      continue;
    }
    ++around;
    EXPECT_EQ(op_label(shown, op), inspector::own_time_title(shown, op));
    EXPECT_NE(op_label(shown, op), inspector::op_title(shown, op));
    EXPECT_FALSE(mean) << "the mean of the call is no mean of its rest";
    EXPECT_FALSE(op_column(OpColumn::Cold).number(shown, op).has_value());
    EXPECT_TRUE(op_column(OpColumn::Self).number(shown, op).has_value());
    EXPECT_TRUE(op_column(OpColumn::Count).number(shown, op).has_value());
  }
  EXPECT_GT(around, 0U);
}

TEST(Operators, OpsOfABranchSayHowOftenTheyRan) {
  const OpenedTrace trace("control_flow_cond");
  size_t some = 0;
  for (const inspector::OpEntry& op : trace.data->shown.ops) {
    const int64_t runs = trace.data->shown.block_of(op).runs;
    const std::string text = executions_of_op(trace.data->shown, op);
    EXPECT_EQ(text.empty(), op.count == 0 || op.count >= runs) << op.name.str();
    if (text.empty()) continue;
    ++some;
    EXPECT_EQ(text, std::to_string(op.count) + " of " + std::to_string(runs) + " executions");
  }
  EXPECT_GT(some, 0U);
}

TEST(Operators, GroupsKnowTheirOps) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  for (const inspector::GroupBy by : {inspector::GroupBy::Op, inspector::GroupBy::Module, inspector::GroupBy::Line}) {
    const OperatorsView view = make_operators_view(*trace.data, {.filter = "", .group = by});
    for (const OperatorsGroup& row : view.groups) {
      if (row.none || row.costliest < 0 || !(row.self > 0) || row.key.starts_with("(unattributed)")) continue;
      EXPECT_TRUE(is_in_group(*trace.data, by, row.key, row.costliest)) << row.key;
    }
  }
}

TEST(Operators, WarmColumnsAreShownAtFirst) {
  std::string shown, all;
  for (const OpColumnSpec& spec : op_columns()) {
    if (spec.kind != ColumnKind::Time) continue;
    (spec.shown ? shown : all) += std::string(spec.id) + " ";
    EXPECT_TRUE(spec.shown || std::string(spec.title).ends_with(", all")) << spec.title;
  }
  EXPECT_EQ(shown, "self warm_mean warm_p50 warm_p99 cold ");
  EXPECT_NE(all.find("p99 "), std::string::npos);
  const OpenedTrace trace("partial_delegation");
  for (const inspector::OpEntry& op : trace.data->shown.ops) {
    if (op.count < 2 || trace.data->shown.block_of(op).kind != "execute") continue;
    ASSERT_TRUE(op.warm_p50 && op.warm_p99) << op.name.str();
    EXPECT_LE(*op.warm_p50, *op.warm_p99);
    EXPECT_LE(*op.warm_p99, static_cast<double>(op.max.value_or(0)));
  }
}

TEST(Operators, AGroupOfSeveralMethodsIsOneExecutionOfEach) {
  const OpenedTrace trace("multi_method");
  const TraceData& data = *trace.data;
  const auto view_of = [&](const std::string& filter) {
    OperatorsQuery query{.filter = filter, .group = GroupBy::Type};
    GroupTimes times;
    EXPECT_TRUE(load_group_times(trace.store, data, query, Cancel(), &times).ok());
    return make_operators_view(data, query, &times);
  };
  std::map<std::string, double> means;
  for (const inspector::OpBlock& block : data.shown.blocks) {
    if (block.kind != "execute" || !block.method) continue;
    for (const OperatorsGroup& group : view_of("method=" + *block.method).groups) {
      EXPECT_LE(group.times.methods, 1);
      means[group.key] += group.times.mean.value_or(0);
    }
  }
  size_t shared = 0;
  for (const OperatorsGroup& group : view_of("").groups) {
    EXPECT_NEAR(group.times.mean.value_or(0), means[group.key], 1e-6 * (means[group.key] + 1)) << group.key;
    if (group.times.methods < 2) continue;
    ++shared;
    EXPECT_FALSE(group.times.p50 || group.times.p99) << group.key << ": executions of different methods have no median";
  }
  EXPECT_GT(shared, 0U);
}

// "Plan shapes and memory" runs in the cold execution: it took no 0 ns in the warm ones.
TEST(Operators, WhatRanInNoWarmExecutionHasNoTimeThere) {
  const OpenedTrace trace("../join/Attention.lower", "ours.etdp");
  const TraceData& data = *trace.data;
  OperatorsQuery query;
  query.group = GroupBy::Op;
  GroupTimes times;
  ASSERT_TRUE(load_group_times(trace.store, data, query, Cancel(), &times).ok());
  const OperatorsView view = make_operators_view(data, query, &times);
  size_t cold = 0, warm = 0;
  for (const OperatorsGroup& row : view.groups) {
    const bool ran = std::any_of(row.parts.begin(), row.parts.end(), [&](const inspector::GroupPart& part) {
      return data.shown.ops[part.op].warm_mean.has_value();
    });
    EXPECT_TRUE(row.times.known) << row.key;
    EXPECT_EQ(row.times.p50.has_value(), ran) << row.key;
    EXPECT_EQ(row.shown_samples > 0, ran) << row.key;
    int64_t samples = 0;  // a call and its kernel ran once
    std::set<uint32_t> ops;
    for (const inspector::GroupPart& part : row.parts)
      ops.insert(inspector::counted_op(data.shown, part.op).value_or(part.op));
    for (const uint32_t op : ops) samples += data.shown.ops[op].count - (data.shown.ops[op].cold ? 1 : 0);
    EXPECT_EQ(row.shown_samples, samples) << row.key << ": of warm executions, as all beside it";
    for (const inspector::GroupPart& part : row.parts) {
      const inspector::OpEntry& op = data.shown.ops[part.op];
      if (ran) continue;
      EXPECT_EQ(op_cell(data.shown, op, OpColumn::Self, view.units), "") << row.key;
    }
    (ran ? warm : cold) += 1;
  }
  EXPECT_GT(warm, 0U);
  EXPECT_GT(cold, 0U) << "the backend plans once";
}

// One base a row: the share of a row is what its time is of the total above it.
TEST(Operators, SharesAreOfTheTotalThatIsShown) {
  for (const double noise : {0.05, 0.6, -0.1}) {
    SCOPED_TRACE(noise);
    const OpenedTrace trace("partial_delegation");
    with_noise(*trace.data, noise);
    const bool usual = noise != 0.05;
    for (const std::optional<GroupBy> by : {std::optional<GroupBy>(), std::optional(GroupBy::Type)}) {
      OperatorsQuery query;
      query.group = by;
      const OperatorsView view = make_operators_view(*trace.data, query);
      EXPECT_NEAR(view.base, usual ? view.shown : view.total, 1e-6 * view.total);
      double sum = view.base > 0 ? view.calling / view.base : 0;
      for (const int32_t op : view.ops) sum += view.share_of(*trace.data, trace.data->shown_op(op)).value_or(0);
      for (const OperatorsGroup& row : view.groups) {
        EXPECT_NEAR(row.share, row.self / view.base, 1e-9) << row.key;
        sum += row.share;
      }
      EXPECT_NEAR(sum, usual ? 1 : 1 - noise, 1e-6);
    }
  }
}

// A sum over methods has no percentiles; of one of them there are, and shares are of its own execution.
TEST(Operators, OneMethodIsAWholeOfItsOwn) {
  const OpenedTrace trace("multi_method");
  const TraceData& data = *trace.data;
  const std::vector<std::string> methods = methods_that_ran(data.shown);
  ASSERT_GT(methods.size(), 1U);
  double all = 0;
  size_t medians = 0;
  for (const std::string& method : methods) {
    for (const std::optional<GroupBy> by : {std::optional<GroupBy>(), std::optional(GroupBy::Type)}) {
      OperatorsQuery query{.filter = "", .method = method, .group = by};
      GroupTimes times;
      ASSERT_TRUE(load_group_times(trace.store, data, query, Cancel(), &times).ok());
      const OperatorsView view = make_operators_view(data, query, &times);
      double share = 0;
      for (const int32_t op : view.ops) {
        EXPECT_EQ(data.shown.block_of(data.shown_op(op)).method.value_or(""), method);
        share += view.share_of(data, data.shown_op(op)).value_or(0);
      }
      for (const OperatorsGroup& group : view.groups) {
        share += group.share;
        EXPECT_LE(group.times.methods, 1);
        medians += group.times.p50 ? 1 : 0;
      }
      EXPECT_NEAR(share * view.base, view.shown - view.calling, 1e-6 * view.total) << method;
      EXPECT_EQ(view.hidden_ops, 0) << "those of other methods are not hidden by a filter";
      EXPECT_NE(view.basis.find(method), std::string::npos) << view.basis;
      all += by ? 0 : view.total;
    }
  }
  EXPECT_GT(medians, 0U);
  EXPECT_NEAR(all, latency_of(data), 1e-6 * all);
  OperatorsQuery filtered{.filter = "nothing_has_this_name", .method = methods.front(), .group = GroupBy::Type};
  const OperatorsView none = make_operators_view(data, filtered);
  filtered.filter.clear();
  EXPECT_TRUE(none.groups.empty());
  EXPECT_NEAR(none.hidden, make_operators_view(data, filtered).shown, 1e-6) << "of the method alone";
}

TEST(Operators, AMeanFarAboveTheMedianIsPointedOut) {
  EXPECT_FALSE(mean_above_median(110, 100));
  EXPECT_FALSE(mean_above_median(80, 100));
  EXPECT_FALSE(mean_above_median(std::nullopt, 100));
  EXPECT_FALSE(mean_above_median(10, 0)) << "a clock that ticks in whole microseconds";
  ASSERT_TRUE(mean_above_median(320, 100));
  EXPECT_DOUBLE_EQ(*mean_above_median(320, 100), 3.2);
}

}  // namespace
}  // namespace et::gui::test
