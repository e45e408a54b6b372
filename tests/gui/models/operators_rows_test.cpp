// Rows of groups: by backend, by shapes, repeated modules as one; what leads to their ops, and what these are called.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "gui/models/group_op_names.h"
#include "gui/models/group_samples.h"
#include "gui/models/opened_group.h"
#include "gui/models/operators_rows.h"
#include "inspector/analysis/ops/op_title.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::GroupBy;

std::map<std::string, double> costs_of(const TraceData& data, GroupBy by) {
  std::map<std::string, double> out;
  for (const inspector::GroupRow& row : inspector::group_costs(data.shown, by, inspector::Filter()).rows)
    out[row.key] += row.self;
  return out;
}

OperatorsView view_of(const TraceData& data, GroupBy by, bool by_shapes = false, bool repeats = false) {
  OperatorsQuery query;
  query.group = by;
  query.by_shapes = by_shapes;
  query.repeats = repeats;
  return make_operators_view(data, query);
}

class OperatorsRows : public testing::TestWithParam<const char*> {};

TEST_P(OperatorsRows, ATypeHasARowOfEachBackendThatRunsIt) {
  const OpenedTrace trace(GetParam());
  const TraceData& data = *trace.data;
  std::map<std::string, double> sums;
  std::set<std::string> ids;
  for (const OperatorsGroup& row : view_of(data, GroupBy::Type).groups) {
    sums[row.key] += row.self;
    EXPECT_TRUE(ids.insert(row.id()).second) << row.id();
    std::set<std::string> backends;
    for (const inspector::GroupPart& part : row.parts) backends.insert(data.shown.ops[part.op].backend.value_or(""));
    if (row.none) continue;
    EXPECT_EQ(backends.size(), 1U) << row.key;
    EXPECT_EQ(row.runs_in, backends.begin()->empty() ? "kernels" : *backends.begin()) << row.key;
    if (row.backend) {
      EXPECT_EQ(*row.backend, *backends.begin());
    }
  }
  for (const auto& [type, cost] : costs_of(data, GroupBy::Type)) EXPECT_NEAR(sums[type], cost, 1e-6 * cost) << type;
}

TEST_P(OperatorsRows, ARowOpensAndSelectsItsOpsAndNoOthers) {
  const OpenedTrace trace(GetParam());
  const TraceData& data = *trace.data;
  for (const bool by_shapes : {false, true}) {
    OperatorsQuery query;
    query.group = GroupBy::Type;
    query.by_shapes = by_shapes;
    const OperatorsView view = make_operators_view(data, query);
    for (const OperatorsGroup& row : view.groups) {
      const auto opened = opened_row(data, query, GroupBy::Type, row);
      if (!opened) continue;
      std::vector<int32_t> found = make_operators_view(data, *opened).ops, own;
      for (const GroupOp& op : ops_of_group(data, row)) own.push_back(op.op);
      std::sort(found.begin(), found.end());
      std::sort(own.begin(), own.end());
      EXPECT_EQ(found, own) << row.id();
      const Selection chosen = select_row(data, *view.shapes, GroupBy::Type, row);
      for (const int32_t op : chosen.ops) EXPECT_GT(part_in_row(data, *view.shapes, GroupBy::Type, row, op), 0);
      if (chosen.empty() || !row.is_part()) continue;
      const Selection again = select_again(data, chosen);
      EXPECT_EQ(again.ops, chosen.ops) << "on another basis it is the same part of " << row.id();
      EXPECT_EQ(again.label, chosen.label);
    }
  }
}

TEST_P(OperatorsRows, ShapesTellOpsOfOneTypeApart) {
  const OpenedTrace trace(GetParam());
  const TraceData& data = *trace.data;
  std::map<std::string, double> sums;
  const OperatorsView view = view_of(data, GroupBy::Type, true);
  for (const OperatorsGroup& row : view.groups) {
    sums[row.key] += row.self;
    if (row.none) continue;
    ASSERT_TRUE(row.shapes.has_value()) << row.key;
    for (const inspector::GroupPart& part : row.parts)
      EXPECT_EQ(view.shapes->of_type(data.shown, data.shown.ops[part.op], row.key), *row.shapes);
  }
  EXPECT_GE(view.groups.size(), view_of(data, GroupBy::Type).groups.size());
  for (const auto& [type, cost] : costs_of(data, GroupBy::Type)) EXPECT_NEAR(sums[type], cost, 1e-6 * cost) << type;
}

TEST_P(OperatorsRows, RepeatedModulesAreOneRowWithTheSumOfAll) {
  const OpenedTrace trace(GetParam());
  const TraceData& data = *trace.data;
  std::map<std::string, double> costs = costs_of(data, GroupBy::Module);
  const OperatorsView one_by_one = view_of(data, GroupBy::Module),
                      together = view_of(data, GroupBy::Module, false, true);
  EXPECT_NEAR(one_by_one.shown, together.shown, 1e-6 * one_by_one.shown);
  size_t modules = 0;
  for (const OperatorsGroup& row : together.groups) {
    modules += std::max<size_t>(row.members.size(), 1);
    if (row.members.empty()) continue;
    double sum = 0;
    for (const std::string& member : row.members) sum += costs.at(member);
    EXPECT_NEAR(row.self, sum, 1e-6 * sum) << row.key;
    double ops = 0;
    for (const GroupOp& op : ops_of_group(data, row)) ops += op.time;
    EXPECT_NEAR(ops, sum, 1e-6 * sum) << row.key << ": those of all of them";
  }
  EXPECT_EQ(modules, one_by_one.groups.size());
}

TEST_P(OperatorsRows, OpsOfAGroupHaveNamesOfTheirOwn) {
  const OpenedTrace trace(GetParam());
  const TraceData& data = *trace.data;
  for (const GroupBy by : {GroupBy::Op, GroupBy::Type, GroupBy::Module, GroupBy::Line, GroupBy::Delegate}) {
    for (const OperatorsGroup& row : view_of(data, by).groups) {
      std::set<std::string> seen;
      for (const GroupOpName& name : names_in_group(data, ops_of_group(data, row))) {
        EXPECT_FALSE(name.text().empty());
        EXPECT_TRUE(seen.insert(name.text()).second) << row.key << ": " << name.text();
      }
    }
  }
}

TEST_P(OperatorsRows, TheFirstExecutionAddsUp) {
  const OpenedTrace trace(GetParam());
  const TraceData& data = *trace.data;
  double all = 0, whole = 0;
  for (const OperatorsGroup& row : view_of(data, GroupBy::Type).groups) all += row.cold.value_or(0);
  for (const inspector::OpBlock& block : data.shown.blocks)
    if (block.kind == "execute") whole += static_cast<double>(block.cold.value_or(0));
  EXPECT_GT(all, 0);
  EXPECT_LE(all, whole * 1.0001) << "exclusive times of the ops are in the execution's";
  EXPECT_GT(all, whole * 0.9);
}

INSTANTIATE_TEST_SUITE_P(Artifacts, OperatorsRows,
                         testing::Values("partial_delegation", "nanogpt_xnnpack_qd4", "mobilenet_v2_035_xnnpack_int8",
                                         "multi_method"));

TEST(OperatorsRowsOf, TwoBackendsAreTwoRows) {
  const OpenedTrace trace("partial_delegation");
  auto& data = const_cast<TraceData&>(*trace.data);  // of this test alone
  // The first of the ops of a type runs elsewhere.
  const OperatorsView before = view_of(data, GroupBy::Type);
  const auto several = std::find_if(before.groups.begin(), before.groups.end(),
                                    [](const OperatorsGroup& row) { return !row.none && row.parts.size() > 1; });
  ASSERT_NE(several, before.groups.end());
  const std::string elsewhere = "ElsewhereBackend";
  inspector::OpEntry& op = data.shown.ops[several->parts.front().op];
  op.backend = op.backend ? inspector::MaybeText() : inspector::MaybeText(&elsewhere);
  const OperatorsView after = view_of(data, GroupBy::Type);
  EXPECT_EQ(std::count_if(after.groups.begin(), after.groups.end(),
                          [&](const OperatorsGroup& row) { return row.key == several->key && row.backend; }),
            2);
}

TEST(OperatorsRowsOf, ShapesAreOfInputsAndOfWhatIsOfAnotherShape) {
  const OpenedTrace trace("partial_delegation");
  const TraceData& data = *trace.data;
  const OpShapes shapes(data);
  EXPECT_FALSE(shapes.empty());
  std::set<std::string> seen;
  for (const inspector::OpEntry& op : data.shown.ops) {
    const std::string text = shapes.of(data.shown, op);
    if (!text.empty()) seen.insert(inspector::row_title(data.shown, op) + ": " + text);
  }
  EXPECT_FALSE(seen.empty());
  for (const std::string& text : seen) EXPECT_NE(text.find('['), std::string::npos) << text;
  OperatorsQuery query;
  query.sort = OpColumn::Shapes;
  const OperatorsView sorted = make_operators_view(data, query);
  std::vector<std::string> texts;
  for (const int32_t op : sorted.ops) {
    const std::string text = sorted.text_of(data, data.shown_op(op), OpColumn::Shapes);
    if (!text.empty()) texts.push_back(text);
  }
  EXPECT_TRUE(std::is_sorted(texts.rbegin(), texts.rend()));
  EXPECT_GT(texts.size(), 1U);
}

TEST(OperatorsRowsOf, SeveralSelectedOpsAreShownAlone) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const TraceData& data = *trace.data;
  const OperatorsView view = view_of(data, GroupBy::Type);
  const auto row = std::find_if(view.groups.begin(), view.groups.end(),
                                [](const OperatorsGroup& g) { return !g.none && g.ops > 2; });
  ASSERT_NE(row, view.groups.end());
  const Selection chosen = select_row(data, *view.shapes, GroupBy::Type, *row);
  OperatorsQuery query;
  query.only = only_selected(data, chosen);
  EXPECT_EQ(query.only.name, chosen.label);
  const OperatorsView alone = make_operators_view(data, query);
  EXPECT_EQ(alone.count.ops, row->ops);
  EXPECT_TRUE(alone.hides);
  const Selection one = select_op(data, data.table.ops[static_cast<size_t>(alone.ops.front())].id);
  EXPECT_TRUE(only_selected(data, one).ops.empty()) << "one op is found among all";
  EXPECT_EQ(only_selected(data, one, 1).ops, one.ops);
}

TEST(OperatorsRowsOf, AWrongTermHidesNothing) {
  EXPECT_EQ(right_terms("conv nosuch:1 self>"), "conv");
  EXPECT_EQ(right_terms("nosuch:1"), "");
  EXPECT_EQ(right_terms("name=\"a b\" count>x !conv"), "name=\"a b\" !conv");
  const OpenedTrace trace("partial_delegation");
  OperatorsQuery query;
  query.filter = "delegated:yes";
  const OperatorsView right = make_operators_view(*trace.data, query);
  query.filter = "delegated:yes nosuch:1";
  const OperatorsView wrong = make_operators_view(*trace.data, query);
  EXPECT_FALSE(wrong.status.ok());
  EXPECT_FALSE(wrong.ops.empty());
  EXPECT_EQ(wrong.ops, right.ops);
}

}  // namespace
}  // namespace et::gui::test
