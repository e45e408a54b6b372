// Events of XNNPACK's profile against a payload's nodes: names of older releases, tables in the place of chains.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "inspector/ingest/ingest.h"
#include "inspector/ingest/payloads/xnnpack/alignment.h"
#include "inspector/ingest/payloads/xnnpack/lookup_chains.h"
#include "inspector/ingest/payloads/xnnpack/xnnpack_kind.h"
#include "tests/inspector/ingest/graph_builder.h"

namespace et::inspector {
namespace {

struct NodeText {
  const char* type;
  std::vector<int64_t> inputs;
  int64_t output;
};

/// Values below 100 are of 8 bits, those from 1000 on constants of one element.
DelegateFacts payload(const std::vector<NodeText>& nodes) {
  DelegateFacts out;
  for (const NodeText& n : nodes) {
    PayloadNode node;
    node.type = n.type;
    node.inputs = n.inputs;
    node.outputs = {n.output};
    for (const int64_t v : n.inputs) {
      if (v < 100) node.narrow.push_back(v);
      if (v >= 1000) node.scalars.push_back(v);
    }
    if (n.output < 100) node.narrow.push_back(n.output);
    out.nodes.push_back(std::move(node));
  }
  return out;
}

std::vector<int32_t> hosts(const DelegateFacts& delegate, const std::vector<std::string_view>& events) {
  return match_xnnpack(delegate, events).host;
}

/// By event: the index of the payload node that has it.
std::vector<int32_t> node_of_event(const DelegateFacts& delegate, const std::vector<std::string_view>& events) {
  const XnnpackMatch match = match_xnnpack(delegate, events);
  std::vector<int32_t> out;
  for (const int32_t step : match.alignment.of_b) {
    out.push_back(step < 0 ? -1 : match.steps[static_cast<size_t>(step)].node);
  }
  return out;
}

// Attention, decomposed: one debug handle for all.
TEST(XnnpackEvents, ANameTellsNodesOfOneHandleApart) {
  test::GraphBuilder g;
  std::vector<int32_t> all;
  const auto add = [&](const char* op, const std::vector<std::string>& reads, const std::vector<int64_t>& sizes) {
    all.push_back(g.node(op, reads, sizes));
    return all.back();
  };
  g.parameter("scale");
  add("aten.mul.Scalar", {"scale"}, {1, 4, 8, 16});  // computed ahead of time
  const int32_t mul = add("aten.mul.Scalar", {"q"}, {1, 4, 8, 16});
  const int32_t flat = add("aten.view_copy.default", {"n1"}, {4, 8, 16});
  const int32_t bmm = add("aten.bmm.default", {"n2", "k"}, {4, 8, 8});
  const int32_t back = add("aten.view_copy.default", {"n3"}, {1, 4, 8, 8});
  const int32_t sigmoid = add("aten.sigmoid.default", {"n4"}, {1, 4, 8, 8});
  const int32_t product = add("aten.mul.Tensor", {"n4", "n5"}, {1, 4, 8, 8});
  const int32_t last = add("aten.bmm.default", {"n6", "v"}, {4, 8, 16});
  const int32_t image = add("aten.convolution.default", {"n7"}, {1, 16, 8, 4});
  const MethodGraph graph = g.graph();
  using Nodes = std::vector<int32_t>;
  const auto kept = [&](std::string_view event, size_t main) {
    Nodes nodes = all;
    EXPECT_EQ(keep_nodes_of_xnnpack_event(graph, event, &nodes), main) << event;
    return nodes;
  };
  EXPECT_EQ(kept("Batch Matrix Multiply (F32, 4x8x16, 4x16x8->4x8x8) node 5", 1), Nodes{bmm});
  EXPECT_EQ(kept("Batch Matrix Multiply (F32, 4x8x8, 4x8x16->4x8x16) node 9", 1), Nodes{last});
  EXPECT_EQ(kept("Batch Matrix Multiply (NC, F32) GEMM #1", 2), (Nodes{bmm, last})) << "no sizes";
  EXPECT_EQ(kept("Batch Matrix Multiply (F32, 2x2->3x3)", 2), (Nodes{bmm, last})) << "sizes of none";
  EXPECT_EQ(kept("Static Reshape (X32, 1x4x8x16->4x8x16) node 3", 1), Nodes{flat});
  EXPECT_EQ(kept("Static Reshape (X32, 4x8x8->1x4x8x8) node 6", 1), Nodes{back});
  EXPECT_EQ(kept("Sigmoid + Multiply (F32, 1x4x8x8) node 7+8", 1), (Nodes{sigmoid, product}))
      << "the first is its name";
  EXPECT_EQ(kept("Multiply (F32, 1x4x8x16, 1->1x4x8x16) node 2", 1), Nodes{mul});
  EXPECT_EQ(kept("Pack Convolution (NHWC, F32, 1x8x4x2, 3x3->1x8x4x16) node 1", 1), Nodes{image}) << "another layout";
  EXPECT_EQ(kept("Softmax (F32, 1x4x8x8) node 8", all.size()), all) << "of no node";
  EXPECT_EQ(kept("", all.size()), all);
}

TEST(XnnpackEvents, NamesOf05And06StandForAnyElementwiseOperator) {
  const DelegateFacts d = payload({{"FullyConnected", {100, 900}, 101},
                                   {"StaticReshape", {101}, 102},
                                   {"Sigmoid", {102}, 103},
                                   {"Multiply", {103, 1000}, 104},
                                   {"Concatenate2", {104, 103}, 105},
                                   {"Add", {105, 105}, 106},
                                   {"Negate", {106}, 107}});
  EXPECT_EQ(node_of_event(d, {"Fully Connected (NC, F32) GEMM #1", "Copy (NC, X32) #1", "Unary Elementwise (NC) #1",
                              "Binary Elementwise (ND) #1", "Copy (NC, X32) #2", "Binary Elementwise (ND) #2",
                              "Unary Elementwise (NC) #2"}),
            (std::vector<int32_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(XnnpackEvents, ABoundOf06RunsAsAUnaryOperator) {
  DelegateFacts d = payload({{"Add", {100, 101}, 102}, {"Tanh", {102}, 103}});
  d.nodes[0].clamped = true;
  EXPECT_EQ(node_of_event(d, {"Binary Elementwise (ND) #1", "Unary Elementwise (NC) #1", "Unary Elementwise (NC) #2"}),
            (std::vector<int32_t>{0, 0, 1}));
}

TEST(XnnpackEvents, TodaysCopyIsNoReshape) {
  const DelegateFacts d = payload({{"StaticReshape", {100}, 101}, {"Concatenate2", {101, 101}, 102}});
  EXPECT_EQ(node_of_event(d, {"Copy (NC, X32) #1"}), (std::vector<int32_t>{1}));
}

TEST(XnnpackEvents, ATableStandsForItsWholeChain) {
  // conv → dequantise → sin → quantise → add of it and what the convolution made
  const DelegateFacts d = payload({{"Conv2d", {1, 900}, 2},
                                   {"Convert", {2}, 102},
                                   {"Sin", {102}, 103},
                                   {"Convert", {103}, 3},
                                   {"Add", {2, 3}, 4},
                                   {"StaticTranspose", {4}, 5}});
  EXPECT_EQ(find_lookup_chains(d.nodes), (std::vector<std::vector<int32_t>>{{1, 2, 3, 4}}));
  EXPECT_EQ(hosts(d, {"Convolution (NHWC, QC8) IGEMM #1", "Invalid Unary Op #1", "Transpose (ND, X8) #1"}),
            (std::vector<int32_t>{0, 4, 4, 4, 4, 5}));
  // Without a table each runs by itself.
  EXPECT_EQ(node_of_event(d, {"Convolution (NHWC, QC8) IGEMM #1", "Convert (NC) #1", "Sine (NC) #1", "Convert (NC) #2",
                              "Add (ND) #1", "Transpose (ND, X8) #1"}),
            (std::vector<int32_t>{0, 1, 2, 3, 4, 5}));
}

TEST(XnnpackEvents, ChainsEndWhereXnnpackEndsThem) {
  // A value with two readers, one of them outside.
  EXPECT_TRUE(find_lookup_chains(payload({{"Abs", {1}, 2}, {"Negate", {2}, 3}, {"Softmax", {2}, 4}}).nodes).empty());
  // The last 8-bit value, not the fp32 one behind it.
  EXPECT_EQ(find_lookup_chains(payload({{"Abs", {1}, 2}, {"Negate", {2}, 3}, {"Convert", {3}, 100}}).nodes),
            (std::vector<std::vector<int32_t>>{{0, 1}}));
  // fp32 at the beginning is no table; a constant makes a binary node unary.
  EXPECT_EQ(find_lookup_chains(payload({{"Convert", {100}, 1}, {"Multiply", {1, 1000}, 2}, {"Tanh", {2}, 3}}).nodes),
            (std::vector<std::vector<int32_t>>{{1, 2}}));
  EXPECT_TRUE(find_lookup_chains(payload({{"Add", {1, 2}, 3}, {"Softmax", {3}, 4}}).nodes).empty());
  // What leaves the delegate must be there.
  DelegateFacts d = payload({{"Abs", {1}, 2}, {"Negate", {2}, 3}});
  d.nodes[0].leaves = true;
  EXPECT_TRUE(find_lookup_chains(d.nodes).empty());
  // At most ten.
  std::vector<NodeText> many;
  for (int64_t i = 1; i <= 13; ++i) many.push_back({"Abs", {i}, i + 1});
  const auto chains = find_lookup_chains(payload(many).nodes);
  ASSERT_EQ(chains.size(), 2u);
  EXPECT_EQ(chains[0].size(), 10u);
  EXPECT_EQ(chains[1].size(), 3u);
}

TEST(XnnpackEvents, TheTableOf12LeadsToSineAndAddAndTheConvolutionToNeither) {
  const std::string folder = std::string(ET_FIXTURES) + "/releases/1.2.0_conv_int8_xnnpack/";
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs in;
  in.dump = folder + "etdump.etdp";
  in.record = folder + "etrecord.bin";
  in.program = folder + "program.pte";
  IngestResult result;
  ASSERT_TRUE(ingest(store, in, {}, &result).ok());
  const auto nodes = [&](const std::string& op) {
    Statement st = store.query(
        "SELECT DISTINCT n.op FROM ops o JOIN links l ON l.op_id = o.op_id JOIN nodes n ON n.node_id = l.node_id "
        "WHERE o.name = ?1 AND l.confidence >= 0.9");
    st.bind_all(op);
    std::set<std::string> out;
    while (st.step()) out.insert(st.str(0));
    return out;
  };
  const auto table = nodes("Invalid Unary Op #1");
  EXPECT_TRUE(table.contains("aten.sin.default") && table.contains("aten.add.Tensor"));
  for (const char* op : {"Convolution (NHWC, QC8) IGEMM #1", "Convolution (NHWC, QC8) IGEMM #2"}) {
    const auto of_conv = nodes(op);
    EXPECT_TRUE(of_conv.contains("aten.convolution.default")) << op;
    EXPECT_FALSE(of_conv.contains("aten.sin.default") || of_conv.contains("aten.add.Tensor")) << op;
  }
  Statement st = store.query("SELECT count(*) FROM diagnostics WHERE id IN ('payload-unmatched', 'record-damaged')");
  ASSERT_TRUE(st.step());
  EXPECT_EQ(st.integer(0), 0);
}

}  // namespace
}  // namespace et::inspector
