// One thing has one name: by whatever way a title is asked for, it is the same, and never an event's spelling of what
// the graph has a name for.
#include "inspector/analysis/ops/op_title.h"

#include <algorithm>

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

INSTANTIATE_TEST_SUITE_P(Fixtures, OpTitles,
                         ::testing::Values("add_mul", "partial_delegation", "control_flow_cond", "lstm_xnnpack",
                                           "mobilenet_v2_035_xnnpack_int8", "many_outputs", "nanogpt_xnnpack_qd4"),
                         fixture_name);

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
