// Very many nodes with one debug handle, as an operator leaves them that is unrolled over time: a recurrent network of
// 30 steps (tests/fixtures/unrolled_rnn, 191 instructions of two handles).
#include <gtest/gtest.h>

#include <string>

#include "inspector/ingest/ingest.h"

namespace et::inspector {
namespace {

int64_t number(const Store& store, const char* sql) {
  Statement st = store.query(sql);
  return st.step() ? st.integer(0) : -1;
}

TEST(SharedHandles, EachInstructionHasItsOwnNode) {
  const std::string folder = std::string(ET_FIXTURES) + "/unrolled_rnn/";
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs inputs;
  inputs.dump = folder + "etdump.etdp";
  inputs.record = folder + "etrecord.bin";
  IngestResult result;
  const Status status = ingest(store, inputs, {}, &result);
  ASSERT_TRUE(status.ok()) << status.message();

  const int64_t kernels = number(store, "SELECT count(*) FROM ops WHERE kind = 'kernel'");
  EXPECT_EQ(kernels, 191);
  ASSERT_GT(number(store, "SELECT max(c) FROM (SELECT count(*) c FROM nodes GROUP BY debug_handle)"), 200);
  // A kernel and the call around it, one link each: not one for each of the nodes.
  EXPECT_EQ(number(store, "SELECT count(*) FROM links"), 2 * kernels);
  EXPECT_EQ(number(store, "SELECT count(DISTINCT node_id) FROM links"), kernels);
  // The export writes a squeeze as a view or leaves it: of copies only the place in their order tells which node ran.
  EXPECT_EQ(number(store,
                   "SELECT count(*) FROM links l JOIN nodes n ON n.node_id = l.node_id WHERE l.confidence < 1 AND "
                   "instr(n.target, 'view_copy') = 0 AND instr(n.target, 'squeeze_copy') = 0"),
            0);
  EXPECT_EQ(number(store, "SELECT count(*) FROM links WHERE confidence < 0.5"), 0);
  // The order of the instructions is that of the nodes of their operator.
  EXPECT_EQ(number(store,
                   "SELECT count(*) FROM ops a JOIN links la ON la.op_id = a.op_id JOIN ops b ON b.name = a.name AND "
                   "b.kind = a.kind AND b.instruction_id > a.instruction_id JOIN links lb ON lb.op_id = b.op_id "
                   "WHERE a.kind = 'kernel' AND lb.node_id <= la.node_id"),
            0);
  EXPECT_EQ(number(store,
                   "SELECT count(*) FROM ops o JOIN links l ON l.op_id = o.op_id JOIN nodes n ON n.node_id = l.node_id "
                   "WHERE o.kind = 'kernel' AND o.name = 'native_call_tanh.out' AND instr(n.target, 'tanh') = 0"),
            0);
}

// The partition of an attention puts its calls into another order than the graph has its nodes: which of the three
// expand_copy with one handle an instruction is, its shape says (tests/fixtures/reordered_calls: the attention of two
// heads of width 4 over 6 positions, torch.nn.functional.scaled_dot_product_attention by XNNPACK).
TEST(SharedHandles, AnInstructionIsTheNodeOfItsShape) {
  const std::string folder = std::string(ET_FIXTURES) + "/reordered_calls/";
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs inputs;
  inputs.dump = folder + "etdump.etdp";
  inputs.record = folder + "etrecord.bin";
  inputs.program = folder + "program.pte";
  IngestResult result;
  const Status status = ingest(store, inputs, {}, &result);
  ASSERT_TRUE(status.ok()) << status.message();
  const std::string linked =
      "FROM ops o JOIN links l ON l.op_id = o.op_id AND l.weight = 1 JOIN nodes n ON n.node_id = l.node_id "
      "JOIN instructions i ON i.instruction_id = o.instruction_id AND i.method = o.method "
      "JOIN (SELECT DISTINCT method, value, shape FROM tensors) t ON t.method = o.method AND "
      "t.value = json_extract(i.arguments, '$[#-1]') WHERE o.kind = 'kernel'";
  EXPECT_GE(number(store, ("SELECT count(DISTINCT o.instruction_id) " + linked).c_str()), 10);
  EXPECT_EQ(number(store, ("SELECT count(*) " + linked + " AND t.shape <> n.shape").c_str()), 0);
  EXPECT_EQ(number(store, ("SELECT count(DISTINCT o.instruction_id) - count(DISTINCT n.node_id) " + linked).c_str()), 0)
      << "each has its own";
}

}  // namespace
}  // namespace et::inspector
