// The tree of frames: a trace's time by the lines that call each other, nothing lost and nothing twice.
#include "inspector/analysis/ops/frame_tree.h"

#include <cmath>
#include <map>
#include <set>

#include "inspector/store/line_rule.h"
#include "tests/inspector/analysis/imported.h"

namespace et::inspector::test {
namespace {

double executions_cost(const OpTable& table) {
  double sum = 0;
  for (const OpBlock& b : table.blocks) sum += b.kind == "execute" ? b.cost : 0;
  return sum;
}

double variation_of(const OpTable& table) {
  double sum = 0;
  for (const OpBlock& b : table.blocks) sum += b.kind == "execute" ? b.variation : 0;
  return sum;
}

CostTree tree_of(const ImportedFixture& in, const OpTable& table, FrameScope scope = FrameScope::Model) {
  CostTree tree;
  const Status status = frame_tree(in.store, table, {.scope = scope}, &tree);
  EXPECT_TRUE(status.ok()) << status.message();
  return tree;
}

void check_tree(const CostTree& tree, const OpTable& table) {
  const double total = executions_cost(table), near = 1e-6 * std::max(1.0, total);
  ASSERT_FALSE(tree.nodes.empty());
  EXPECT_NEAR(tree.nodes[0].total, total, near);
  std::vector<double> charged(tree.nodes.size());
  for (const CostCharge& c : tree.charges) charged[static_cast<size_t>(c.node)] += c.time;
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const CostNode& n = tree.nodes[i];
    double inside = n.self;
    for (const int32_t c : n.children) {
      EXPECT_GT(static_cast<size_t>(c), i);
      inside += tree.nodes[static_cast<size_t>(c)].total;
    }
    EXPECT_NEAR(n.total, inside, near) << n.name.str();
    EXPECT_TRUE(n.children.empty() || n.self == 0) << n.name.str();
    EXPECT_TRUE(n.kind != CostKind::Outside || !n.note.empty()) << n.name.str() << " does not say what it is";
    // What an op measured is charged to a leaf, and each charge is there to be listed.
    if (n.children.empty() && n.name != "(variation)") {
      EXPECT_NEAR(charged[i], n.total, near) << n.name.str();
    }
  }
}

class FrameTrees : public ::testing::TestWithParam<std::string> {};

TEST_P(FrameTrees, AddUpToTheExecutionsOnEveryBasisAndScope) {
  const ImportedFixture in(GetParam());
  for (const BasisKind kind : {BasisKind::WarmMedian, BasisKind::Mean, BasisKind::Total, BasisKind::Cold}) {
    OpTable shown;
    ASSERT_TRUE(load_shown_ops(in.store, in.table.trace_id, {.basis = {kind}}, &shown).ok());
    for (const FrameScope scope :
         {FrameScope::Model, FrameScope::User, FrameScope::Outermost, FrameScope::Everything}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(kind)) + " " + std::to_string(static_cast<int>(scope)));
      check_tree(tree_of(in, shown, scope), shown);
    }
  }
}

TEST_P(FrameTrees, OwnTimesAreThoseOfTheInnermostLines) {
  ImportedFixture in(GetParam());
  ASSERT_TRUE(show_lines(in.store, in.table.trace_id, LineRule::Innermost).ok());
  OpTable table;
  ASSERT_TRUE(load_op_table(in.store, in.table.trace_id, {}, &table).ok());
  std::map<std::string, double> lines, frames;
  std::map<std::string, int64_t> line_samples, frame_samples;
  for (const GroupRow& row : group_costs(table, GroupBy::Line, {}).rows) {
    if (row.none) continue;
    lines[row.key] += row.self;
    line_samples[row.key] += row.samples;
  }
  GroupTable groups;
  ASSERT_TRUE(load_groups(in.store, table, GroupBy::Frame, {}, {}, &groups).ok());
  double sum = variation_of(table);
  for (const GroupRow& row : groups.rows) {
    sum += row.self;
    if (!row.none && row.ops > 0) {
      frames[row.key] += row.self;
      frame_samples[row.key] += row.samples;
    }
    EXPECT_LE(row.inner, groups.total * (1 + 1e-9)) << row.key;
    EXPECT_TRUE(!row.none || !row.detail.empty()) << row.key << " does not say what to do";
  }
  EXPECT_NEAR(sum, groups.total, 1e-6 * std::max(1.0, groups.total));
  ASSERT_EQ(lines.size(), frames.size());
  for (const auto& [line, time] : lines) EXPECT_NEAR(frames[line], time, 1e-6 * std::max(1.0, groups.total)) << line;
  EXPECT_EQ(line_samples, frame_samples);  // a call and its kernel once in both
}

TEST_P(FrameTrees, WithoutARecordEverythingSaysWhyItHasNoLine) {
  const ImportedFixture in(GetParam(), false, false);
  const CostTree tree = tree_of(in, in.table);
  check_tree(tree, in.table);
  bool said = false;
  for (const CostNode& n : tree.nodes) {
    EXPECT_NE(n.kind, CostKind::Frame);
    said = said || n.note.str().find("ETRecord") != std::string::npos ||
           n.note.str().find("etrecord") != std::string::npos;
  }
  EXPECT_TRUE(said);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, FrameTrees,
                         ::testing::Values("partial_delegation", "mobilenet_v2_035_xnnpack_int8", "lstm_xnnpack",
                                           "multi_method", "control_flow_map", "control_flow_cond",
                                           "nanogpt_xnnpack_qd4", "lstm", "many_outputs"),
                         fixture_name);

// The frames of one chain: from each the costliest.
std::vector<const CostNode*> costliest_chain(const CostTree& tree) {
  std::vector<const CostNode*> out;
  for (const CostNode* at = &tree.nodes[0]; at != nullptr;) {
    const CostNode* best = nullptr;
    for (const int32_t c : at->children) {
      const CostNode& child = tree.nodes[static_cast<size_t>(c)];
      const bool wanted = child.kind == CostKind::Frame || child.kind == CostKind::Method;
      if (wanted && (best == nullptr || child.total > best->total)) best = &child;
    }
    if (best != nullptr && best->kind == CostKind::Frame) out.push_back(best);
    at = best;
  }
  return out;
}

TEST(FrameTree, LeadsFromTheModelDownToTheLayers) {
  const ImportedFixture in("nanogpt_xnnpack_qd4");
  const CostTree tree = tree_of(in, in.table);
  const auto chain = costliest_chain(tree);
  ASSERT_GE(chain.size(), 2U);
  EXPECT_NE(chain[0]->code.str().find("("), std::string::npos);
  EXPECT_GT(chain[0]->line, 0);
  for (size_t i = 1; i < chain.size(); ++i) EXPECT_LE(chain[i]->total, chain[i - 1]->total * (1 + 1e-9));
  // The blocks share the line that calls them: numbers are no reason to lose the module.
  bool starred = false;
  for (const CostNode& n : tree.nodes) starred = starred || n.path.str().find("blocks.*") != std::string::npos;
  EXPECT_TRUE(starred);
  // With torch's frames it goes deeper, with the outermost alone nowhere.
  EXPECT_GT(costliest_chain(tree_of(in, in.table, FrameScope::Everything)).size(), 1U);
  EXPECT_EQ(costliest_chain(tree_of(in, in.table, FrameScope::Outermost)).size(), 1U);
}

/// Each stack gets a further frame at its inner end.
void deepen(const Store& store, int64_t trace, const std::string& file, int64_t line) {
  store.query("INSERT OR IGNORE INTO raw_string(text) VALUES(?1)").run(file);
  store
      .query(
          "INSERT INTO raw_frame SELECT x.node, max(x.depth) + 1, (SELECT id FROM raw_string WHERE text = ?2), ?3, "
          "x.function, x.code FROM raw_frame x JOIN raw_node n ON n.id = x.node WHERE n.trace = ?1 GROUP BY x.node")
      .run(trace, file, line);
}

TEST(FrameTree, TorchsFramesAreOnlyInEverything) {
  const ImportedFixture in("partial_delegation");
  deepen(in.store, in.table.trace_id, "/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py", 130);
  const auto has_torch = [&](FrameScope scope) {
    for (const CostNode& n : tree_of(in, in.table, scope).nodes)
      if (n.file.str().find("/torch/") != std::string::npos) return true;
    return false;
  };
  EXPECT_FALSE(has_torch(FrameScope::Model));
  EXPECT_FALSE(has_torch(FrameScope::User));
  EXPECT_TRUE(has_torch(FrameScope::Everything));
}

TEST(FrameTree, LibrariesAreNotTheUsersOwn) {
  const ImportedFixture in("partial_delegation");
  const std::string library = "/venv/lib/python3.11/site-packages/timm/layers/mlp.py";
  deepen(in.store, in.table.trace_id, library, 7);
  const auto own = [&](FrameScope scope) {
    double time = 0;
    const CostTree tree = tree_of(in, in.table, scope);
    for (const CostNode& n : tree.nodes) time += n.kind == CostKind::Frame && n.file == library ? n.total : 0;
    return time;
  };
  EXPECT_GT(own(FrameScope::Model), 0);
  EXPECT_EQ(own(FrameScope::User), 0);
}

TEST(FrameTree, ALineThatCallsItselfCountsOnce) {
  const ImportedFixture in("partial_delegation");
  GroupTable before, after;
  ASSERT_TRUE(load_groups(in.store, in.table, GroupBy::Frame, {}, {}, &before).ok());
  in.store
      .query(
          "INSERT INTO raw_frame SELECT x.node, x.depth + 100, x.file, x.line, x.function, x.code FROM raw_frame x "
          "JOIN "
          "raw_node n ON n.id = x.node WHERE n.trace = ?1")
      .run(in.table.trace_id);
  ASSERT_TRUE(load_groups(in.store, in.table, GroupBy::Frame, {}, {}, &after).ok());
  ASSERT_EQ(before.rows.size(), after.rows.size());
  for (size_t i = 0; i < before.rows.size(); ++i) {
    EXPECT_EQ(before.rows[i].key, after.rows[i].key);
    EXPECT_NEAR(before.rows[i].inner, after.rows[i].inner, 1e-6);
    EXPECT_NEAR(before.rows[i].self, after.rows[i].self, 1e-6);
    EXPECT_EQ(before.rows[i].ops, after.rows[i].ops);
  }
}

TEST(FrameTree, ACallAndItsKernelAreOneOp) {
  const ImportedFixture in("lstm");
  OpTable shown;
  ASSERT_TRUE(load_shown_ops(in.store, 1, {}, &shown).ok());
  const CostTree tree = tree_of(in, shown);
  std::map<int32_t, std::set<uint32_t>> kernels;  // by node
  for (const CostCharge& c : tree.charges) {
    std::set<uint32_t>& of_node = kernels[c.node];
    if (shown.ops[c.op].kind == "kernel") of_node.insert(c.op);
  }
  size_t all = 0;
  for (const auto& [node, ops] : kernels) {
    all += ops.size();
    EXPECT_EQ(tree.nodes[static_cast<size_t>(node)].ops, static_cast<int64_t>(ops.size()));
  }
  EXPECT_GT(all, 10u);
}

TEST(FrameTree, AFilterLeavesOnlyItsOps) {
  const ImportedFixture in("partial_delegation");
  Filter filter;
  ASSERT_TRUE(Filter::parse("type:mean", &filter).ok());
  GroupTable groups;
  ASSERT_TRUE(load_groups(in.store, in.table, GroupBy::Frame, filter, {}, &groups).ok());
  ASSERT_EQ(groups.rows.size(), 1U);
  EXPECT_TRUE(groups.rows[0].key.ends_with("models.py:95")) << groups.rows[0].key;
  EXPECT_NEAR(groups.rows[0].self + groups.hidden, groups.total, 1e-6);
}

TEST(Phases, LoadInitAndExecutionsAddUpToEverything) {
  const ImportedFixture in("partial_delegation");
  const GroupTable groups = group_costs(in.table, GroupBy::Phase, {});
  std::map<std::string, double> time;
  double sum = 0;
  for (const GroupRow& row : groups.rows) sum += time[row.key] = row.self;
  EXPECT_NEAR(sum, groups.total, 1e-6);
  EXPECT_NEAR(time["execute"], in.executions(), 1e-6);
  EXPECT_GT(time["init"], 0);
  EXPECT_GT(time["load"], 0);
  EXPECT_LT(time["load"], time["init"]);
}

TEST(Phases, TheApplicationsPhasesDivideTheExecutions) {
  const ImportedFixture in("partial_delegation");
  in.store.query("UPDATE raw_run SET phase = iif(execution = 0, 'prefill', 'decode') WHERE block = ?1")
      .run(in.table.blocks.back().id);
  OpTable table, shown;
  ASSERT_TRUE(load_op_table(in.store, in.table.trace_id, {}, &table).ok());
  ASSERT_TRUE(load_shown_ops(in.store, in.table.trace_id, {}, &shown).ok());
  std::map<std::string, const GroupRow*> rows;
  const GroupTable groups = group_costs(table, GroupBy::Phase, {});
  for (const GroupRow& row : groups.rows) rows[row.key] = &row;
  ASSERT_TRUE(rows.contains("execute: prefill") && rows.contains("execute: decode"));
  EXPECT_FALSE(rows.contains("execute"));
  Statement cold = in.store.query("SELECT duration_ns FROM executions WHERE phase = 'prefill'");
  ASSERT_TRUE(cold.step());
  EXPECT_NEAR(rows["execute: prefill"]->self, cold.real(0), 1);
  EXPECT_EQ(rows["execute: decode"]->samples, 4 * rows["execute: prefill"]->samples);
  double sum = variation_of(shown);
  const GroupTable warm = group_costs(shown, GroupBy::Phase, {});
  for (const GroupRow& row : warm.rows) sum += row.self;
  EXPECT_NEAR(sum, warm.total, 1e-6 * warm.total);
}

}  // namespace
}  // namespace et::inspector::test
