// Trees of costs: nothing is lost, nothing counts twice.
#include "inspector/analysis/ops/module_tree.h"

#include <cmath>

#include "inspector/analysis/ops/group.h"
#include "tests/inspector/analysis/imported.h"

namespace et::inspector::test {
namespace {

const CostNode* find(const CostTree& tree, CostKind kind, const std::string& path, const std::string& name) {
  for (const CostNode& n : tree.nodes) {
    if (n.kind == kind && n.path == path && n.name == name) return &n;
  }
  return nullptr;
}

void check_sums(const CostTree& tree, double total) {
  ASSERT_FALSE(tree.nodes.empty());
  EXPECT_NEAR(tree.nodes[0].total, total, 1e-6 * std::max(1.0, total));
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const CostNode& n = tree.nodes[i];
    double inside = n.self;
    for (const int32_t c : n.children) {
      EXPECT_EQ(tree.nodes[static_cast<size_t>(c)].parent, static_cast<int32_t>(i));
      EXPECT_GT(static_cast<size_t>(c), i);
      inside += tree.nodes[static_cast<size_t>(c)].total;
    }
    EXPECT_NEAR(n.total, inside, 1e-6 * std::max(1.0, total));
    // What encloses others has its own time in a node of its own.
    EXPECT_TRUE(n.children.empty() || n.self == 0) << n.name.str();
  }
}

class CostTrees : public ::testing::TestWithParam<std::string> {};

TEST_P(CostTrees, ModulesAddUpToTheExecutions) {
  const ImportedFixture in(GetParam());
  CostTree tree;
  ASSERT_TRUE(module_tree(in.store, in.table, &tree).ok());
  check_sums(tree, in.executions());
  // The same modules as --group-by module, which knows no tree.
  const GroupTable groups = group_costs(in.table, GroupBy::Module, {});
  double in_modules = 0, in_groups = 0;
  for (const CostNode& n : tree.nodes) {
    if (n.kind != CostKind::Node) continue;
    const CostNode& parent = tree.nodes[static_cast<size_t>(n.parent)];
    if (parent.kind == CostKind::Module) in_modules += n.total;
  }
  for (const GroupRow& g : groups.rows) in_groups += g.none ? 0 : g.self;
  EXPECT_NEAR(in_modules, in_groups, 1e-6 * std::max(1.0, groups.total));
}

TEST_P(CostTrees, CallsAddUpToTheExecutions) {
  const ImportedFixture in(GetParam());
  const CostTree calls = call_tree(in.table, false), merged = call_tree(in.table, true);
  check_sums(calls, in.executions());
  check_sums(merged, in.executions());
  EXPECT_LE(merged.nodes.size(), calls.nodes.size());
  // An op's node is worth what the op measured, if nothing was rounded.
  for (const CostNode& n : calls.nodes) {
    if (n.kind != CostKind::Call) continue;
    const OpEntry& op = in.table.ops[static_cast<size_t>(n.op)];
    EXPECT_NEAR(n.total, static_cast<double>(op.sum), 1e-6) << op.name.str();
  }
}

TEST_P(CostTrees, WithoutRecordNothingHasAModule) {
  const ImportedFixture in(GetParam(), false, false);
  CostTree tree;
  ASSERT_TRUE(module_tree(in.store, in.table, &tree).ok());
  check_sums(tree, in.executions());
  for (const CostNode& n : tree.nodes) {
    EXPECT_NE(n.kind, CostKind::Module);
    EXPECT_NE(n.kind, CostKind::Node);
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, CostTrees,
                         ::testing::Values("partial_delegation", "mobilenet_v2_035_xnnpack_int8", "lstm_xnnpack",
                                           "multi_method", "control_flow_map", "control_flow_cond",
                                           "nanogpt_xnnpack_qd4", "lstm", "many_outputs"),
                         fixture_name);

TEST(ModuleTree, NestsModulesByTheirPaths) {
  const ImportedFixture in("nanogpt_xnnpack_qd4");
  CostTree tree;
  ASSERT_TRUE(module_tree(in.store, in.table, &tree).ok());
  const CostNode* const attention = find(tree, CostKind::Module, "blocks.0.attn", "attn");
  ASSERT_NE(attention, nullptr);
  EXPECT_FALSE(attention->type.empty());
  const CostNode& block = tree.nodes[static_cast<size_t>(attention->parent)];
  EXPECT_EQ(block.path, "blocks.0");
  EXPECT_EQ(tree.nodes[static_cast<size_t>(block.parent)].path, "blocks");
  EXPECT_GT(block.total, attention->total);
  EXPECT_NE(find(tree, CostKind::Outside, "", "(no module)"), nullptr);
}

TEST(ModuleTree, TimeThatADelegateDoesNotExplainIsANode) {
  const ImportedFixture in("partial_delegation");
  CostTree tree;
  ASSERT_TRUE(module_tree(in.store, in.table, &tree).ok());
  double unattributed = 0;
  for (const CostNode& n : tree.nodes) unattributed += n.kind == CostKind::Unattributed ? n.total : 0;
  double expected = 0;
  for (const OpEntry& op : in.table.ops) {
    if (op.encloses && (op.kind == "delegate_call" || op.name == "Method::execute")) {
      expected += static_cast<double>(op.self);
    }
  }
  EXPECT_NEAR(unattributed, expected, 1e-6);
  EXPECT_GT(unattributed, 0);
}

TEST(ModuleTree, MethodsStayApart) {
  const ImportedFixture in("multi_method");
  CostTree tree;
  ASSERT_TRUE(module_tree(in.store, in.table, &tree).ok());
  EXPECT_GT(tree.nodes[0].children.size(), 1U);
  for (const int32_t c : tree.nodes[0].children) EXPECT_EQ(tree.nodes[static_cast<size_t>(c)].kind, CostKind::Method);
}

}  // namespace
}  // namespace et::inspector::test
