// Payload nodes of one debug handle and type: each is the graph node that has its neighbours.
#include "inspector/ingest/payloads/xnnpack/payload_siblings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/inspector/ingest/graph_builder.h"

namespace et::inspector {
namespace {

PayloadNode node_of(const std::string& type, std::vector<int64_t> inputs, std::vector<int64_t> outputs) {
  PayloadNode n;
  n.type = type;
  n.debug_handle = 7;
  n.inputs = std::move(inputs);
  n.outputs = std::move(outputs);
  return n;
}

MethodFacts method_of(std::vector<PayloadNode> nodes) {
  MethodFacts out;
  out.instructions.resize(1);
  out.instructions[0].delegate = 0;
  out.delegates.resize(1);
  out.delegates[0].nodes = std::move(nodes);
  return out;
}

/// Two linspaces of one handle: a product that is added to, and one that is subtracted, twice.
class Linspaces : public testing::Test {
 protected:
  Linspaces() {
    for (int i = 0; i < 2; ++i) {
      const std::string first = "n" + std::to_string(graph_.nodes());
      products_.push_back(graph_.node("aten.mul.Tensor", {"x"}, {32}));
      graph_.node("aten.add.Tensor", {first}, {32});
      const std::string second = "n" + std::to_string(graph_.nodes());
      products_.push_back(graph_.node("aten.mul.Tensor", {"y"}, {32}));
      graph_.node("aten.sub.Tensor", {second}, {32});
    }
  }
  std::vector<int32_t> places(const MethodFacts& method) const {
    const MethodGraph graph = graph_.graph();
    std::vector<int32_t> out;
    for (size_t n = 0; n < method.delegates[0].nodes.size(); ++n) {
      if (method.delegates[0].nodes[n].type == "Multiply")
        out.push_back(node_among_siblings(graph, method, products_, 0, n));
    }
    return out;
  }

  test::GraphBuilder graph_;
  std::vector<int32_t> products_;
};

TEST_F(Linspaces, WhatReadsThemTellsThemApart) {
  // In the payload's order both that are added to come first.
  const MethodFacts method =
      method_of({node_of("Multiply", {0}, {1}), node_of("Multiply", {2}, {3}), node_of("Add", {1}, {4}),
                 node_of("Multiply", {5}, {6}), node_of("Add", {3}, {7}), node_of("Multiply", {8}, {9}),
                 node_of("Subtract", {6}, {10}), node_of("Subtract", {9}, {11})});
  EXPECT_EQ(places(method), (std::vector<int32_t>{products_[0], products_[2], products_[1], products_[3]}));
}

TEST_F(Linspaces, InTheGraphsOrderEachIsAtItsPlace) {
  const MethodFacts method =
      method_of({node_of("Multiply", {0}, {1}), node_of("Add", {1}, {2}), node_of("Multiply", {3}, {4}),
                 node_of("Subtract", {4}, {5}), node_of("Multiply", {6}, {7}), node_of("Add", {7}, {8}),
                 node_of("Multiply", {9}, {10}), node_of("Subtract", {10}, {11})});
  EXPECT_EQ(places(method), products_);
}

TEST_F(Linspaces, WithoutAPairingOfAllOnlyTheOrderIsLeft) {
  // Three are added to, where the graph has two.
  const MethodFacts method =
      method_of({node_of("Multiply", {0}, {1}), node_of("Add", {1}, {2}), node_of("Multiply", {3}, {4}),
                 node_of("Add", {4}, {5}), node_of("Multiply", {6}, {7}), node_of("Add", {7}, {8}),
                 node_of("Multiply", {9}, {10}), node_of("Subtract", {10}, {11})});
  EXPECT_EQ(places(method), products_);
}

TEST_F(Linspaces, AnotherNumberOfThemIsNoAnswer) {
  EXPECT_EQ(places(method_of({node_of("Multiply", {0}, {1})})), std::vector<int32_t>{-1});
}

}  // namespace
}  // namespace et::inspector
