// One number of ops: what Operators, Source, Overview, the draft of a report and the reports count are the same ops.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/json.h"
#include "gui/core/selection_cost.h"
#include "gui/models/call_tree_model.h"
#include "gui/models/group_samples.h"
#include "gui/models/opened_group.h"
#include "gui/models/operators_model.h"
#include "gui/models/overview_model.h"
#include "gui/models/source_model.h"
#include "inspector/analysis/findings/finding.h"
#include "inspector/analysis/ops/frame_tree.h"
#include "inspector/analysis/ops/module_tree.h"
#include "inspector/analysis/ops/op_count.h"
#include "inspector/report/main_report.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::GroupBy;
using inspector::OpEntry;
using inspector::OpTable;

bool is_in_executions(const OpTable& table, const OpEntry& op) {
  return table.block_of(op).kind == "execute" && op.on_trace_clock() && op.count > 0;
}

/// What is counted, in other words: calls of kernels, and what delegates run, each once.
std::set<uint32_t> program_ops(const OpTable& table) {
  std::set<uint32_t> out;
  for (uint32_t i = 0; i < table.ops.size(); ++i) {
    const OpEntry& op = table.ops[i];
    if (!is_in_executions(table, op) || op.kind == "framework") continue;
    if (op.encloses && op.kind != "kernel") continue;  // what is inside is the op
    out.insert(i);
  }
  return out;
}

class OpCounts : public testing::TestWithParam<const char*> {};

TEST_P(OpCounts, AreTheSameInEveryPanelAndReport) {
  const OpenedTrace trace(GetParam());
  const TraceData& data = *trace.data;
  const OpTable& table = data.shown;
  const std::set<uint32_t> ops = program_ops(table);
  const auto all = static_cast<int64_t>(ops.size());
  ASSERT_GT(all, 0);

  // Operators, one by one and by method, where each op has one row.
  const OperatorsView single = make_operators_view(data, {});
  int64_t foreign = 0;
  for (const OpEntry& op : table.ops) foreign += !op.on_trace_clock() && op.count > 0 ? 1 : 0;
  EXPECT_EQ(single.count.ops - foreign, all);
  EXPECT_EQ(single.count.ops + single.count.calls, std::ssize(single.ops)) << "each row is an op, or time around them";
  OperatorsQuery by_method;
  by_method.group = GroupBy::Method;
  int64_t methods = 0;
  for (const OperatorsGroup& row : make_operators_view(data, by_method).groups) methods += row.ops;
  EXPECT_EQ(methods, all);

  // Parts: of Overview, the report and its JSON.
  int64_t parts = 0, reported = 0;
  for (const OverviewPart& part : make_overview(data).parts) parts += part.ops;
  for (const inspector::PartRow& row : data.parts) reported += row.ops;
  EXPECT_EQ(parts, all);
  EXPECT_EQ(reported, all);

  // Trees: the root of each has all, however nodes share them.
  inspector::CostTree frames, modules;
  ASSERT_TRUE(inspector::frame_tree(trace.store, table, {}, &frames).ok());
  ASSERT_TRUE(inspector::module_tree(trace.store, table, &modules).ok());
  EXPECT_EQ(frames.nodes[0].ops, all);
  EXPECT_EQ(modules.nodes[0].ops, all);
  EXPECT_EQ(inspector::type_tree(table).nodes[0].ops, all);
  EXPECT_EQ(inspector::call_tree(table, false).nodes[0].ops, all);

  // All of them selected.
  Selection selection;
  selection.kind = Selection::Kind::Several;
  for (size_t i = 0; i < data.table.ops.size(); ++i) selection.ops.push_back(static_cast<int32_t>(i));
  EXPECT_EQ(selection_cost(data, selection).ops, all);
}

// A list has as many rows as the number above it says.
TEST_P(OpCounts, ListsHaveAsManyRowsAsTheirNumber) {
  const OpenedTrace trace(GetParam());
  const TraceData& data = *trace.data;
  const OpTable& table = data.shown;
  for (const GroupBy by : {GroupBy::Type, GroupBy::Module, GroupBy::Line, GroupBy::Op}) {
    OperatorsQuery query;
    query.group = by;
    for (const OperatorsGroup& row : make_operators_view(data, query).groups) {
      std::set<int32_t> listed;
      int64_t rows = 0;
      double time = 0;
      for (const GroupOp& op : ops_of_group(data, row)) {
        EXPECT_TRUE(listed.insert(op.op).second) << row.key << ": an op has one row";
        const OpEntry& entry = data.shown_op(op.op);
        rows += inspector::counted_op(table, static_cast<uint32_t>(&entry - table.ops.data())) ? 1 : 0;
        time += op.time;
      }
      EXPECT_EQ(rows, row.ops) << row.key;
      if (const auto opened = opened_group(data, query, by, row)) {
        EXPECT_EQ(make_operators_view(data, *opened).count.ops, row.ops) << row.key << ": a double-click";
      }
      EXPECT_NEAR(time, row.self, 1e-6 * (1 + std::abs(row.self))) << row.key;
    }
  }
  // Source: the call tree's rows and the lines of the files.
  auto tree = std::make_shared<inspector::CostTree>();
  ASSERT_TRUE(inspector::frame_tree(trace.store, table, {}, tree.get()).ok());
  CallTreeModel calls;
  calls.set(tree, trace.data);
  for (size_t i = 1; i < tree->nodes.size(); ++i) {
    int64_t rows = 0;
    for (const CallOp& op : calls.ops(static_cast<int32_t>(i))) rows += inspector::counted_op(table, op.op) ? 1 : 0;
    EXPECT_EQ(rows, tree->nodes[i].ops) << tree->nodes[i].name.str();
  }
  LineOps lines;
  ASSERT_TRUE(LineOps::load(data, &lines).ok());
  std::map<std::string, int64_t> by_line;
  for (const inspector::GroupRow& row : inspector::group_costs(table, GroupBy::Line, inspector::Filter()).rows)
    by_line[row.key] = row.ops;
  for (const inspector::SourceFileCost& file : data.sources.files) {
    for (const inspector::SourceLine& line : file.lines) {
      const std::string key = file.file + (line.line > 0 ? ":" + std::to_string(line.line) : "");
      EXPECT_EQ(line.ops, by_line[key]) << key << ": as Operators by source line";
      EXPECT_GE(std::ssize(lines.at(file.file, line.line)), line.ops) << key;
    }
  }
}

TEST_P(OpCounts, OfAGroupAreThoseOfOverviewAndOfTheReport) {
  const OpenedTrace trace(GetParam());
  const TraceData& data = *trace.data;
  std::map<std::string, int64_t> groups;
  OperatorsQuery query;
  query.group = GroupBy::Type;
  for (const OperatorsGroup& row : make_operators_view(data, query).groups)
    groups[row.key] += row.ops;  // a type has a row of each backend
  for (const OverviewCost& cost : make_overview(data).ops) EXPECT_EQ(cost.alike, groups[cost.type]) << cost.title;
  inspector::ReportOptions options;
  options.format = "json";
  options.basis = data.shown.basis;  // by itself JSON has each sequence of events apart
  options.group_by = "type";
  std::string text;
  ASSERT_TRUE(inspector::write_main_report(trace.store, 1, options, &text).ok());
  JsonDocument json;
  ASSERT_TRUE(json.parse(text, "report", 100).ok());
  const auto rows = json.root().find("groups")->array();
  ASSERT_TRUE(rows.has_value());
  size_t seen = 0;
  for (const JsonValue row : *rows) {
    const std::string key(row.find("key")->string().value());
    EXPECT_EQ(row.find("ops")->integer().value(), groups[key]) << key;
    ++seen;
  }
  EXPECT_EQ(seen, groups.size());
}

/// "83 ops, e.g." is of kernels, not of them and their calls.
TEST(OpCounts, OfWhatLeadsToNoLineAreOfOpsNotOfTheirCalls) {
  inspector::Store store;
  ASSERT_TRUE(inspector::Store::open("", inspector::Store::Mode::Memory, &store).ok());
  inspector::IngestInputs inputs;
  inputs.dump = artifact("add_mul") + "/etdump.etdp";  // and no ETRecord
  inspector::IngestResult result;
  ASSERT_TRUE(inspector::ingest(store, inputs, nullptr, &result).ok());
  TraceData data;
  ASSERT_TRUE(load_trace_data(store, 1, Cancel(), &data).ok());
  const auto unlinked = std::find_if(data.findings.begin(), data.findings.end(), [](const inspector::Finding& f) {
    return f.time && f.text.find("add") != std::string::npos;
  });
  ASSERT_NE(unlinked, data.findings.end());
  EXPECT_EQ(unlinked->time->ops, 2) << unlinked->text;
  EXPECT_NE(unlinked->text.find("(2 ops, e.g. "), std::string::npos) << unlinked->text;
  const Overview overview = make_overview(data);
  EXPECT_EQ(overview.unlinked_ops.ops, 2);
}

TEST(OpCounts, AreSaidWithWhatIsAroundThem) {
  EXPECT_EQ((inspector::OpCount{83, 0}).text(), "83 ops");
  EXPECT_EQ((inspector::OpCount{1, 2}).text(), "1 op and 2 calls around them");
  EXPECT_EQ((inspector::OpCount{0, 13}).text(), "13 calls");
  EXPECT_EQ((inspector::OpCount{0, 0}).text(), "0 ops");
}

INSTANTIATE_TEST_SUITE_P(Fixtures, OpCounts,
                         testing::Values("add_mul", "partial_delegation", "multi_method", "lstm",
                                         "mobilenet_v2_035_xnnpack_int8", "nanogpt_xnnpack_qd4", "lstm_xnnpack",
                                         "control_flow_cond", "quantised_portable", "dynamic_shapes_bounded"));

}  // namespace
}  // namespace et::gui::test
