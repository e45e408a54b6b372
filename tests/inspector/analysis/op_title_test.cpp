// One thing has one name: by whatever way a title is asked for, it is the same, and never an event's spelling of what
// the graph has a name for.
#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/called_kernel.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "inspector/analysis/ops/called_kernel.h"
#include "tests/inspector/analysis/imported.h"

namespace et::inspector::test {
namespace {

class OpTitles : public ::testing::TestWithParam<std::string> {};

TEST_P(OpTitles, AreTheSameFromTheStoreAndTheTable) {
  const ImportedFixture in(GetParam());
  ASSERT_FALSE(in.table.ops.empty());
  for (const OpEntry& op : in.table.ops) {
    EXPECT_EQ(stored_op_title(in.store, op.id), op_title(in.table, op)) << op.id << " " << op.name.str();
  }
  EXPECT_EQ(stored_op_title(in.store, INT64_MAX), "");
}

// The view cannot call the function: its SQL says the same.
TEST_P(OpTitles, AreThoseOfTheViewThatRanksOps) {
  const ImportedFixture in(GetParam());
  OpTable shown;
  ASSERT_TRUE(load_shown_ops(in.store, in.table.trace_id, {}, &shown).ok());
  Statement st = in.store.query("SELECT op_id, title FROM usual_ops WHERE trace_id = ?1");
  st.bind_all(in.table.trace_id);
  size_t rows = 0;
  while (st.step()) {
    const auto at = shown.find(st.integer(0));
    ASSERT_TRUE(at);
    ++rows;
    EXPECT_EQ(st.str(1), op_title(shown, shown.ops[*at])) << shown.ops[*at].name.str();
  }
  EXPECT_GT(rows, 0U);
}

TEST_P(OpTitles, AreTheGraphsWordsWhereItHasSome) {
  const ImportedFixture in(GetParam());
  for (const OpEntry& op : in.table.ops) {
    const std::string title = op_title(in.table, op);
    EXPECT_FALSE(title.empty()) << op.id;
    EXPECT_FALSE(title.starts_with("native_call_")) << title;
    EXPECT_FALSE(title.ends_with(".default")) << title;
    const OpNode* const main = in.table.main_node(op);
    const bool linked = main != nullptr && main->weight > 0 && op.kind != "delegate_call" &&
                        std::find(op.op_types.begin(), op.op_types.end(), main->node->op) != op.op_types.end();
    if (!linked) continue;
    EXPECT_EQ(title, operator_title(main->node->op)) << op.name.str();
    // A call and its kernel are one op to people.
    if (op.kind == "kernel" && op.parent && in.table.ops[*op.parent].op_types.size() == 1) {
      EXPECT_EQ(title, op_title(in.table, in.table.ops[*op.parent]));
    }
  }
}

TEST_P(OpTitles, ACallOfManyLinesHasTheLineOfNone) {
  const ImportedFixture in(GetParam());
  for (const OpEntry& op : in.table.ops) {
    std::set<std::tuple<std::string, int64_t, std::string>> places;
    for (size_t n = op.first_node; n < op.first_node + op.nodes; ++n) {
      const NodeFacts& node = *in.table.nodes[n].node;
      if (!node.file.empty() || node.has_module) places.insert({node.file, node.line.value_or(0), node.module_path});
    }
    const bool many = op.kind == "delegate_call" && op.encloses && places.size() > 1;
    EXPECT_EQ(in.table.whole_call_text(op).empty(), !many) << op.id;
    EXPECT_EQ(in.table.main_node(op) == nullptr, many || op.nodes == 0) << op.id;
  }
}

TEST(WholeCalls, SayHowManyNodesTheyAreOf) {
  const ImportedFixture in("mobilenet_v2_035_xnnpack_int8");
  const auto call = std::find_if(in.table.ops.begin(), in.table.ops.end(),
                                 [](const OpEntry& op) { return op.kind == "delegate_call" && op.encloses; });
  ASSERT_NE(call, in.table.ops.end());
  EXPECT_EQ(in.table.whole_call_text(*call), "delegate call of " + std::to_string(call->nodes) + " nodes");
}

INSTANTIATE_TEST_SUITE_P(Fixtures, OpTitles,
                         ::testing::Values("add_mul", "partial_delegation", "control_flow_cond", "lstm_xnnpack",
                                           "mobilenet_v2_035_xnnpack_int8", "many_outputs", "nanogpt_xnnpack_qd4"),
                         fixture_name);

TEST(CalledKernel, IsFoundForEveryCallOfARealTrace) {
  for (const char* fixture : {"partial_delegation", "control_flow_map", "lstm_xnnpack"}) {
    const ImportedFixture in(fixture);
    size_t calls = 0;
    for (size_t i = 0; i < in.table.ops.size(); ++i) {
      const OpEntry& op = in.table.ops[i];
      if (!op.is_wrapper()) {
        EXPECT_EQ(&called_kernel(in.table, op), &op);
      }
      if (op.kind != "kernel" || !op.parent || !in.table.ops[*op.parent].is_wrapper()) continue;
      ++calls;
      EXPECT_EQ(&called_kernel(in.table, in.table.ops[*op.parent]), &op) << fixture << ": " << op.name.str();
    }
    EXPECT_GT(calls, 0u) << fixture;
  }
}

TEST(CalledKernel, StandsInFrontOfItsCallOrBehindIt) {
  const auto table_of = [](const std::vector<std::pair<const char*, int>>& rows) {
    OpTable table;
    table.blocks.resize(1);
    for (const auto& [kind, parent] : rows) {
      OpEntry op;
      op.kind = Text(table.texts.keep(kind));
      op.encloses = true;
      if (parent >= 0) op.parent = static_cast<uint32_t>(parent);
      table.ops.push_back(op);
    }
    table.blocks[0].ops = table.ops.size();
    return table;
  };
  const auto kernel_of = [](const OpTable& table, size_t call) {
    return static_cast<size_t>(&called_kernel(table, table.ops[call]) - table.ops.data());
  };
  // By their ends, the second call without a kernel; by their beginnings, likewise.
  const OpTable ends = table_of({{"kernel", 1},
                                 {"operator_call", 5},
                                 {"operator_call", 5},
                                 {"kernel", 4},
                                 {"operator_call", 5},
                                 {"framework", -1}});
  EXPECT_EQ(kernel_of(ends, 1), 0u);
  EXPECT_EQ(kernel_of(ends, 2), 2u);
  EXPECT_EQ(kernel_of(ends, 4), 3u);
  const OpTable begins = table_of({{"framework", -1},
                                   {"operator_call", 0},
                                   {"kernel", 1},
                                   {"operator_call", 0},
                                   {"operator_call", 0},
                                   {"kernel", 4}});
  EXPECT_EQ(kernel_of(begins, 1), 2u);
  EXPECT_EQ(kernel_of(begins, 3), 3u);
  EXPECT_EQ(kernel_of(begins, 4), 5u);
}

TEST(OpTitle, IsTheKernelsOperatorWithoutALink) {
  const ImportedFixture in("partial_delegation", /*record=*/false);
  int kernels = 0, calls = 0;
  for (const OpEntry& op : in.table.ops) {
    if (op.kind == "kernel") {
      ++kernels;
      EXPECT_EQ("native_call_" + op_title(in.table, op), op.name.str());
    } else if (op.kind == "delegate_call") {
      ++calls;
      EXPECT_EQ(op_title(in.table, op), "XnnpackBackend call");
    }
  }
  EXPECT_GT(kernels, 0);
  EXPECT_GT(calls, 0);
}

TEST(OpTitle, DropsTheOverloadThatSaysNothing) {
  EXPECT_EQ(operator_title("aten.linear.default"), "aten.linear");
  EXPECT_EQ(operator_title("aten.add.Tensor"), "aten.add.Tensor");
  EXPECT_EQ(operator_title(".default"), ".default");
}

}  // namespace
}  // namespace et::inspector::test
