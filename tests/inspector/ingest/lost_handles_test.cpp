// Payload nodes without a debug handle find the operators they were made from, and layout changes find none.
#include <gtest/gtest.h>

#include <string>

#include "inspector/ingest/payloads/xnnpack/lost_handles.h"
#include "tests/inspector/ingest/graph_builder.h"

namespace et::inspector {
namespace {

class LostGraph : public test::GraphBuilder {
 public:
  std::vector<LostNode> lost(const std::vector<PayloadNode>& payload,
                             const std::vector<std::vector<int32_t>>& known = {}) {
    std::vector<int32_t> inside;
    for (size_t n = 0; n < nodes(); ++n) inside.push_back(static_cast<int32_t>(n));
    return find_lost_nodes(graph(), payload, inside,
                           known.empty() ? std::vector<std::vector<int32_t>>(payload.size()) : known);
  }
};

PayloadNode payload_node(const std::string& type, std::vector<int64_t> sizes) {
  PayloadNode n;
  n.type = type;
  n.sizes = std::move(sizes);
  n.inserted = true;
  return n;
}

TEST(LostHandles, LinearOfAddmmButNotOfItsWeight) {
  LostGraph g;
  g.parameter("w");
  g.parameter("b");
  g.node("aten.permute_copy.default", {"w"}, {16, 24});
  g.node("aten.view_copy.default", {"x"}, {24, 16});
  const int32_t addmm = g.node("aten.addmm.default", {"b", "n1", "n0"}, {24, 24});
  const auto found = g.lost({payload_node("FullyConnected", {2, 12, 24})});
  EXPECT_EQ(found[0].node, addmm) << "its leading sizes are flattened in the graph";
  EXPECT_FALSE(found[0].ambiguous);
}

TEST(LostHandles, BatchNormThatRunsAsAConvolution) {
  LostGraph g;
  g.node("aten.relu.default", {"x"}, {1, 8, 14, 14});
  const int32_t norm = g.node("aten._native_batch_norm_legit_no_training.default", {"n0"}, {1, 8, 14, 14});
  const auto found =
      g.lost({payload_node("StaticTranspose", {1, 14, 14, 8}), payload_node("DepthwiseConv2d", {1, 14, 14, 8}),
              payload_node("StaticTranspose", {1, 8, 14, 14})});
  EXPECT_EQ(found[0].node, -1);
  EXPECT_EQ(found[1].node, norm);
  EXPECT_EQ(found[2].node, -1);
}

TEST(LostHandles, ResizeOfManyOperatorsIsTheOneWithItsSizes) {
  LostGraph g;
  g.node("aten.index.Tensor", {"x"}, {1, 5, 10, 24});
  g.node("aten.mul.Tensor", {"n0"}, {1, 5, 20, 1});
  const int32_t last = g.node("aten.add.Tensor", {"n1"}, {1, 5, 20, 24});
  EXPECT_EQ(g.lost({payload_node("StaticResizeBilinear2D", {1, 20, 24, 5})})[0].node, last);
}

TEST(LostHandles, OrderIsHeldByTheNodesThatAreKnown) {
  LostGraph g;
  const int32_t first = g.node("aten.mm.default", {"x"}, {4, 4});
  const int32_t known = g.node("aten.sigmoid.default", {"n0"}, {4, 4});
  const int32_t second = g.node("aten.mm.default", {"n1"}, {4, 4});
  const auto found = g.lost(
      {payload_node("FullyConnected", {4, 4}), payload_node("Sigmoid", {4, 4}), payload_node("FullyConnected", {4, 4})},
      {{}, {known}, {}});
  EXPECT_EQ(found[0].node, first);
  EXPECT_EQ(found[2].node, second);
  const auto behind = g.lost({payload_node("Sigmoid", {4, 4}), payload_node("FullyConnected", {4, 4})}, {{known}, {}});
  EXPECT_EQ(behind[1].node, second);
}

TEST(LostHandles, TwoThatFitAreAmbiguousAndOtherSizesDoNotFit) {
  LostGraph g;
  g.node("aten.mm.default", {"x"}, {4, 6});
  g.node("aten.mm.default", {"x"}, {6, 4});
  const auto found = g.lost({payload_node("FullyConnected", {4, 6}), payload_node("FullyConnected", {4, 7})});
  EXPECT_GE(found[0].node, 0);
  EXPECT_TRUE(found[0].ambiguous);
  EXPECT_EQ(found[1].node, -1);
}

TEST(LostHandles, SizesThatVaryDoNotSpeakAgainstANode) {
  LostGraph g;
  const int32_t mm = g.node("aten.mm.default", {"x"}, {-1, 24});
  EXPECT_EQ(g.lost({payload_node("FullyConnected", {128, 24})})[0].node, mm);
  EXPECT_EQ(g.lost({payload_node("FullyConnected", {128, 25})})[0].node, -1);
}

}  // namespace
}  // namespace et::inspector
