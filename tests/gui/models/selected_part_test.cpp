// What of a line or a row of the call tree is selected.
#include "gui/models/selected_part.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "gui/core/selection_cost.h"
#include "inspector/analysis/ops/frame_tree.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::CostKind;
using inspector::CostTree;

struct SelectedPartTest : testing::TestWithParam<const char*> {
  OpenedTrace trace{GetParam()};
  CostTree tree;
  void SetUp() override {
    const Status status = inspector::frame_tree(trace.store, trace.data->shown, {}, &tree);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  Selection every_op() const {
    Selection s;
    s.kind = Selection::Kind::Several;
    for (size_t i = 0; i < trace.data->table.ops.size(); ++i) s.ops.push_back(static_cast<int32_t>(i));
    return s;
  }
};

TEST_P(SelectedPartTest, OfEverythingEachLineIsAllSelectedAndOfNothingNone) {
  for (const SelectedPart& part : selected_parts(*trace.data, tree, {})) EXPECT_FALSE(part.any());
  const std::vector<SelectedPart> all = selected_parts(*trace.data, tree, every_op());
  ASSERT_EQ(all.size(), tree.nodes.size());
  bool any = false;
  for (size_t i = 0; i < all.size(); ++i) {
    if (tree.nodes[i].kind != CostKind::Frame) continue;
    any = true;
    EXPECT_TRUE(all[i].all()) << tree.nodes[i].name.str();
    EXPECT_EQ(all[i].text({}), "");
  }
  EXPECT_TRUE(any);
}

TEST_P(SelectedPartTest, TheSharesOfSingleOpsAddUpToTheLine) {
  std::vector<double> sums(tree.nodes.size());
  for (const inspector::OpEntry& op : trace.data->shown.ops) {
    Selection one;
    one.kind = Selection::Kind::Several;
    one.ops = {trace.data->index_of(op)};
    const std::vector<SelectedPart> parts = selected_parts(*trace.data, tree, one);
    for (size_t i = 0; i < parts.size(); ++i) sums[i] += parts[i].selected;
  }
  const double near = 1e-6 * tree.nodes[0].total;
  for (size_t i = 0; i < sums.size(); ++i) {
    if (tree.nodes[i].kind != CostKind::Frame) continue;
    EXPECT_NEAR(sums[i], tree.nodes[i].total, near);
  }
}

TEST_P(SelectedPartTest, AModuleHasPartsOfTheLinesThatItSharesAndLeadsToItsCostliest) {
  int64_t whole = 0, partly = 0;
  for (const inspector::OpNode& link : trace.data->shown.nodes) {
    if (link.node->module_path.empty()) continue;
    const Selection module = select_module(*trace.data, link.node->module_path);
    ASSERT_FALSE(module.empty());
    const LineParts lines = selected_lines(tree, selected_parts(*trace.data, tree, module));
    const int32_t costliest = costliest_selected_line(*trace.data, tree, module);
    EXPECT_EQ(costliest < 0, lines.empty());
    if (costliest < 0) continue;
    const inspector::CostNode& n = tree.nodes[static_cast<size_t>(costliest)];
    EXPECT_TRUE(lines.contains({n.file.str(), n.line}));
    for (const auto& [place, part] : lines) {
      EXPECT_GT(part.ops, 0);
      EXPECT_LE(part.selected, part.whole * (1 + 1e-9));
      part.all() ? ++whole : ++partly;
      EXPECT_EQ(part.text({}).empty(), part.all());
    }
  }
  // Each line of nanogpt that calls a module calls several, or one of each layer.
  EXPECT_EQ(whole > 0, GetParam() == std::string_view("mobilenet_v2_035_xnnpack_int8"));
  EXPECT_GT(partly, 0) << "no line calls several modules";
}

INSTANTIATE_TEST_SUITE_P(Artifacts, SelectedPartTest,
                         testing::Values("nanogpt_xnnpack_qd4", "mobilenet_v2_035_xnnpack_int8"));

TEST(SelectedSeveral, AreWhatTheirPartsAreAndComeBackAfterTheTraceIsReadAgain) {
  const OpenedTrace trace("partial_delegation");
  std::vector<Selection> parts;
  for (const inspector::OpNode& link : trace.data->table.nodes) {
    Selection one = select_node(*trace.data, link.node->name);
    if (parts.empty() || !one.same(parts.back())) parts.push_back(std::move(one));
    if (parts.size() == 2) break;
  }
  ASSERT_EQ(parts.size(), 2U);
  const Selection both = select_several(parts, "both");
  EXPECT_EQ(both.kind, Selection::Kind::Several);
  EXPECT_EQ(both.label, "both");
  EXPECT_TRUE(both.node.empty()) << "it is not the first of them";
  EXPECT_EQ(both.ops, union_of(parts).ops);
  EXPECT_TRUE(both.same(select_again(*trace.data, both)));
  EXPECT_FALSE(both.same(parts.front()));
  EXPECT_TRUE(select_several({parts[0], {}}, "one").same(parts[0])) << "one alone is itself";
  EXPECT_TRUE(select_several({}, "none").empty());
}

// What two methods have in common is asked for of one of them, and its share is of that one's execution.
TEST(SelectionCosts, OfOneMethodAreSharesOfIt) {
  const OpenedTrace trace("multi_method");
  const TraceData& data = *trace.data;
  std::map<std::string, double> wholes;
  for (const inspector::OpBlock& b : data.shown.blocks) {
    if (b.kind == "execute") wholes[b.method.value_or("")] += b.cost;
  }
  ASSERT_GT(wholes.size(), 1U);
  size_t told = 0;
  for (const auto& [method, whole] : wholes) {
    for (const inspector::OpEntry& op : data.shown.ops) {
      const inspector::OpNode* const node = data.shown.main_node(op);
      if (node == nullptr || data.shown.block_of(op).kind != "execute") continue;
      const Selection all = select_node(data, node->node->name), one = select_node(data, node->node->name, method);
      for (const int32_t i : one.ops)
        EXPECT_EQ(data.table.block_of(data.table.ops[static_cast<size_t>(i)]).method.value_or(""), method);
      EXPECT_LE(one.ops.size(), all.ops.size());
      EXPECT_TRUE(one.same(select_again(data, one)));
      const SelectionCost cost = selection_cost(data, one);
      if (cost.ops == 0 || !(cost.share > 0)) continue;
      EXPECT_EQ(cost.method, method);
      EXPECT_NEAR(cost.share, cost.time / whole, 1e-9);
      EXPECT_TRUE(cost.text(data.unit()).ends_with(" of " + method)) << cost.text(data.unit());
      told += one.ops.size() < all.ops.size() ? 1 : 0;
    }
  }
  EXPECT_GT(told, 0U) << "some node is in both";
}

TEST(SelectionCosts, OfEverythingAreTheExecutionAndOfOneOpItsOwn) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const TraceData& data = *trace.data;
  Selection all;
  all.kind = Selection::Kind::Several;
  for (size_t i = 0; i < data.table.ops.size(); ++i) all.ops.push_back(static_cast<int32_t>(i));
  const SelectionCost whole = selection_cost(data, all);
  double executions = 0, parts = 0;
  for (const inspector::OpBlock& block : data.shown.blocks) executions += block.kind == "execute" ? block.cost : 0;
  EXPECT_NEAR(whole.time, whole.share * executions, 1e-6 * executions);
  int64_t ops = 0;
  for (const inspector::OpEntry& op : data.shown.ops) {
    const SelectionCost one = selection_cost(data, select_op(data, op.id));
    if (!one.any) continue;
    EXPECT_LE(one.ops, 1);
    EXPECT_EQ(one.time, op.cost);
    parts += one.time;
    ops += op.is_wrapper() ? 0 : one.ops;  // the call of a kernel is no op beside it
  }
  EXPECT_EQ(ops, whole.ops);
  EXPECT_NEAR(parts, whole.time, 1e-6 * executions);
  EXPECT_TRUE(whole.text(data.unit()).starts_with(std::to_string(ops) + " ops, ")) << whole.text(data.unit());
  EXPECT_EQ(selection_cost(data, {}).text(data.unit()), "");
}

}  // namespace
}  // namespace et::gui::test
