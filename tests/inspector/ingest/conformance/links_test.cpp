// Where upstream has nothing to compare with: events of XNNPACK lead to payload nodes, graph nodes and Python lines;
// methods are told apart; what is not linked is listed.
#include <set>

#include "tests/inspector/ingest/conformance/conformance.h"

namespace et::inspector::test {
namespace {

int64_t number_of(const Store& store, const std::string& sql) {
  Statement st = store.query(sql);
  return st.step() ? st.integer(0) : -1;
}

class Links : public ::testing::TestWithParam<std::string> {};

TEST_P(Links, EveryXnnpackEventHasItsPayloadNode) {
  Imported in;
  import_case(GetParam(), "etdump.etdp", false, &in);
  if (HasFatalFailure()) return;
  if (number_of(in.store, "SELECT count(*) FROM delegates WHERE payload_kind = 'xnnpack'") == 0)
    GTEST_SKIP() << "no XNNPACK payload";
  EXPECT_EQ(
      number_of(
          in.store,
          "SELECT count(*) FROM ops WHERE is_delegated AND backend = 'XnnpackBackend' AND payload_node_id IS NULL"),
      0);
  EXPECT_EQ(number_of(in.store, "SELECT count(*) FROM diagnostics WHERE id = 'payload-unmatched'"), 0);
  // Every payload node is in some event, its own or that of the node it was fused into.
  EXPECT_EQ(number_of(in.store,
                      "SELECT count(*) FROM payload_nodes p WHERE p.events = 0 AND p.fused_into IS NULL AND "
                      "p.delegate_id IN (SELECT "
                      "delegate_id FROM ops WHERE is_delegated)"),
            0);
}

// Or to a node that a pass of the exporter made without a trace, as 0.7 makes the last dequantisation.
TEST_P(Links, EveryDelegatedOperatorLeadsToAPythonLine) {
  Imported in;
  import_case(GetParam(), "etdump.etdp", false, &in);
  if (HasFatalFailure()) return;
  if (number_of(in.store, "SELECT (SELECT count(*) FROM nodes) * (SELECT count(*) FROM segments)") == 0)
    GTEST_SKIP() << "no graph or no program";
  Statement st = in.store.query(
      "SELECT o.name FROM ops o WHERE o.is_delegated AND coalesce(o.role, '') <> 'layout' AND NOT EXISTS (SELECT 1 "
      "FROM links l JOIN "
      "nodes n ON n.node_id = l.node_id WHERE l.op_id = o.op_id AND (n.line IS NOT NULL OR n.stack_trace IS NULL))");
  while (st.step()) ADD_FAILURE() << st.text(0) << " leads to no line";
}

TEST_P(Links, EveryNodeOfADelegateIsInSomeInnerEvent) {
  Imported in;
  import_case(GetParam(), "etdump.etdp", false, &in);
  if (HasFatalFailure()) return;
  if (number_of(in.store, "SELECT count(*) FROM segments") == 0) GTEST_SKIP() << "no program";
  Statement st = in.store.query(
      "SELECT n.name, n.op FROM ops c JOIN links l ON l.op_id = c.op_id JOIN nodes n ON n.node_id = l.node_id WHERE "
      "c.kind = 'delegate_call' "
      "AND l.confidence = 1 AND EXISTS (SELECT 1 FROM ops i WHERE i.parent_op_id = c.op_id) AND NOT EXISTS (SELECT 1 "
      "FROM ops i JOIN links "
      "k ON k.op_id = i.op_id WHERE i.parent_op_id = c.op_id AND k.node_id = n.node_id)");
  while (st.step()) ADD_FAILURE() << st.text(0) << " (" << st.text(1) << ") is in no event of its delegate";
}

TEST_P(Links, WhatIsNotLinkedIsListedWithAReason) {
  Imported in;
  import_case(GetParam(), "etdump.etdp", false, &in);
  if (HasFatalFailure()) return;
  EXPECT_EQ(number_of(in.store,
                      "SELECT count(*) FROM ops o WHERE o.kind IN ('kernel', 'operator_call', 'delegate_call', "
                      "'delegate_op') AND o.chain_index "
                      ">= 0 AND NOT EXISTS (SELECT 1 FROM links l WHERE l.op_id = o.op_id) AND o.op_id NOT IN (SELECT "
                      "op_id FROM unlinked)"),
            0);
  EXPECT_EQ(number_of(in.store, "SELECT count(*) FROM unlinked WHERE reason = ''"), 0);
}

TEST_P(Links, WeightsAddUpToOneOrNothing) {
  Imported in;
  import_case(GetParam(), "etdump.etdp", false, &in);
  if (HasFatalFailure()) return;
  Statement st = in.store.query("SELECT op_id, sum(weight) FROM links GROUP BY op_id");
  while (st.step()) EXPECT_TRUE(st.real(1) == 0.0 || std::abs(st.real(1) - 1.0) < 1e-9) << st.real(1);
}

TEST_P(Links, WithoutTheProgramXnnpackEventsAreStillInferred) {
  Imported in;
  import_case(GetParam(), "etdump.etdp", false, &in, false);
  if (HasFatalFailure()) return;
  // Layout changes and conversions that the lowering inserted are in no graph: only the payload knows them.
  const std::string events_of_nodes =
      "FROM ops o WHERE o.is_delegated AND o.backend = 'XnnpackBackend' AND o.method IS NOT NULL AND o.name NOT LIKE "
      "'Transpose%' AND o.name "
      "NOT LIKE 'Convert%'";
  const int64_t events = number_of(in.store, "SELECT count(*) " + events_of_nodes);
  if (events <= 0 || number_of(in.store, "SELECT count(*) FROM nodes") == 0) GTEST_SKIP() << "no XNNPACK events";
  const int64_t linked = number_of(
      in.store, "SELECT count(*) " + events_of_nodes + " AND EXISTS (SELECT 1 FROM links l WHERE l.op_id = o.op_id)");
  EXPECT_GE(linked * 10, events * 9) << linked << " of " << events;
  EXPECT_EQ(number_of(in.store,
                      "SELECT count(*) FROM ops o JOIN links l ON l.op_id = o.op_id WHERE o.is_delegated AND (l.via <> "
                      "'inferred' OR l.confidence >= 1)"),
            0);
}

INSTANTIATE_TEST_SUITE_P(Artefacts, Links, ::testing::ValuesIn(case_folders("etdump.etdp")), case_name);

std::string fixture(const std::string& name) { return std::string(ET_FIXTURES) + "/artifacts/" + name; }

std::set<std::string> methods_of_executions(const Store& store) {
  Statement st = store.query("SELECT DISTINCT coalesce(method, '?') FROM blocks WHERE kind = 'execute'");
  std::set<std::string> out;
  while (st.step()) out.insert(st.str(0));
  return out;
}

TEST(Methods, OfAProgramWithoutForwardAreToldApart) {
  Imported in;
  import_case(fixture("multi_method_no_forward"), "etdump.etdp", false, &in);
  EXPECT_EQ(methods_of_executions(in.store), (std::set<std::string>{"encode", "decode"}));
}

TEST(Methods, OfThreeAreToldApart) {
  Imported in;
  import_case(fixture("multi_method"), "etdump.etdp", false, &in);
  EXPECT_EQ(methods_of_executions(in.store), (std::set<std::string>{"encode", "decode", "forward"}));
}

TEST(Links, FusedActivationIsFoundByDataflow) {
  Imported in;
  import_case(fixture("partial_delegation"), "etdump.etdp", false, &in);
  Statement st = in.store.query(
      "SELECT n.op, l.via, n.file || ':' || n.line FROM ops o JOIN links l ON l.op_id = o.op_id JOIN nodes n ON "
      "n.node_id = l.node_id WHERE o.name = "
      "'Convolution (NHWC, F32) IGEMM #1' ORDER BY l.ordinal");
  ASSERT_TRUE(st.step());
  EXPECT_EQ(st.text(0), "aten.convolution.default");
  EXPECT_EQ(st.text(1), "payload_node");
  EXPECT_EQ(st.text(2), "/src/models.py:94");
  ASSERT_TRUE(st.step());
  EXPECT_EQ(st.text(0), "aten.relu.default");
  EXPECT_EQ(st.text(1), "dataflow");
}

TEST(Links, BodiesOfControlFlowAreInferred) {
  Imported in;
  import_case(fixture("control_flow_map"), "etdump.etdp", false, &in);
  EXPECT_GT(number_of(in.store, "SELECT count(*) FROM links WHERE via = 'inferred'"), 0);
}

TEST(Mismatch, RecordOfAnotherProgramIsSaidAndNothingIsLinked) {
  Imported in;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &in.store).ok());
  IngestInputs inputs;
  inputs.dump = fixture("partial_delegation") + "/etdump.etdp";
  inputs.record = fixture("add_mul") + "/etrecord.bin";
  ASSERT_TRUE(ingest(in.store, inputs, {}, &in.result).ok());
  EXPECT_TRUE(in.result.mismatch);
  EXPECT_EQ(number_of(in.store, "SELECT count(*) FROM diagnostics WHERE id = 'record-mismatch'"), 1);
  EXPECT_EQ(number_of(in.store, "SELECT count(*) FROM links"), 0);
}

}  // namespace
}  // namespace et::inspector::test
