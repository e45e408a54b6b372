// A limit of a partitioner is a reason only for nodes that do not keep it.
#include "inspector/analysis/delegation/limit_check.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace et::inspector {
namespace {

/// x [1, 3, 8, 8], a weight w, and what is made of it by a transpose: t.
struct Graph {
  Graph() {
    m.scopes.emplace_back();
    value("x", "user_input", "[1, 3, 8, 8]", -1);
    value("w", "parameter", "[4, 4]", -1);
    node("aten.permute_copy.default", "t", "self=w, dims=[1, 0]", "[4, 4]");
    node("aten.relu.default", "y", "self=x", "[1, 3, 8, 8]");
  }
  void value(const std::string& name, const std::string& kind, const std::string& shape, int32_t producer) {
    GraphValue& v = m.scopes[0].values[name];
    v.name = name, v.kind = kind, v.shape = shape, v.producer = producer;
  }
  const GraphNode& node(const std::string& op, const std::string& name, const std::string& arguments,
                        const std::string& shape = "[1]") {
    value(name, "", shape, static_cast<int32_t>(m.nodes.size()));
    GraphNode n;
    n.name = name, n.op = op, n.shape = shape;
    n.arguments = split_arguments(arguments);
    m.nodes.push_back(std::move(n));
    return m.nodes.back();
  }
  LimitCheck check(const std::string& op, const std::string& arguments) {
    const LimitCheck c = check_limit(m, node(op, "n", arguments));
    m.nodes.pop_back();
    return c;
  }
  GraphModel m;
};

TEST(LimitCheck, WeightsThatAreConstantKeepTheLimit) {
  Graph g;
  EXPECT_TRUE(g.check("aten.linear.default", "input=y, weight=w").kept);
  EXPECT_TRUE(g.check("aten.addmm.default", "self=w, mat1=y, mat2=w").kept);
  const LimitCheck computed = g.check("aten.mm.default", "self=w, mat2=y");
  EXPECT_FALSE(computed.kept || computed.decomposed);
  EXPECT_NE(computed.what.find("computed"), std::string::npos);
}

TEST(LimitCheck, ATransposedWeightIsADecomposedLayer) {
  Graph g;
  const LimitCheck c = g.check("aten.addmm.default", "self=w, mat1=y, mat2=t");
  EXPECT_FALSE(c.kept);
  EXPECT_TRUE(c.decomposed);
  EXPECT_NE(c.what.find("aten.permute_copy makes them from constants"), std::string::npos) << c.what;
}

TEST(LimitCheck, AMeanOverPixels) {
  Graph g;
  EXPECT_TRUE(g.check("aten.mean.dim", "self=y, dim=[2, 3], keepdim=True").kept);
  EXPECT_TRUE(g.check("aten.mean.dim", "self=y, dim=[-1, -2], keepdim=True").kept);
  EXPECT_EQ(g.check("aten.mean.dim", "self=y, dim=[2, 3]").what, "; here keepdim=False");
  EXPECT_EQ(g.check("aten.mean.dim", "self=y, dim=[1], keepdim=True").what, "; here dim=[1]");
  EXPECT_EQ(g.check("aten.mean.dim", "self=t, dim=[0], keepdim=True").what, "; here 2-D");
  EXPECT_FALSE(g.check("aten.mean.dim", "self=y, dim=[2, 3], keepdim=True, dtype=torch.float64").kept);
}

TEST(LimitCheck, ASoftmaxOverTheLastDimension) {
  Graph g;
  EXPECT_TRUE(g.check("aten._softmax.default", "self=y, dim=-1, half_to_float=False").kept);
  EXPECT_TRUE(g.check("aten._softmax.default", "self=y, dim=3").kept);
  EXPECT_EQ(g.check("aten._softmax.default", "self=y, dim=1").what, "; here dim=1");
}

TEST(LimitCheck, AGeluOfSingles) {
  Graph g;
  GraphNode gelu = g.node("aten.gelu.default", "n", "self=y");
  gelu.dtype = "float32";
  EXPECT_TRUE(check_limit(g.m, gelu).kept);
  gelu.dtype = "float16";
  EXPECT_EQ(check_limit(g.m, gelu).what, "; here float16");
  gelu.dtype = "";
  EXPECT_FALSE(check_limit(g.m, gelu).kept) << "the graph does not tell";
  g.m.scopes[0].values["y"].dtype = "float32";
  EXPECT_TRUE(check_limit(g.m, gelu).kept);
}

TEST(LimitCheck, WhatJoinsAndWhatAddsADimension) {
  Graph g;
  EXPECT_TRUE(g.check("aten.cat.default", "tensors=[x, y], dim=1").kept);
  EXPECT_EQ(g.check("aten.cat.default", "tensors=[x]").what, "; here of one");
  EXPECT_TRUE(g.check("aten.unsqueeze_copy.default", "self=y, dim=-1").kept);
  EXPECT_EQ(g.check("aten.unsqueeze_copy.default", "self=y, dim=0").what, "; here dim=0");
  EXPECT_TRUE(g.check("aten.unsqueeze_copy.default", "self=t, dim=2").kept);
  EXPECT_FALSE(g.check("aten.unsqueeze_copy.default", "dim=2").kept);
}

TEST(LimitCheck, NumbersThatAreLeftOutHaveTheirUsualValue) {
  Graph g;
  EXPECT_TRUE(g.check("aten.add.Tensor", "self=y, other=x").kept);
  EXPECT_TRUE(g.check("aten.sub.Tensor", "self=y, other=x, alpha=1").kept);
  EXPECT_EQ(g.check("aten.add.Tensor", "self=y, other=x, alpha=2").what, "; here alpha=2");
  EXPECT_TRUE(g.check("aten.pow.Tensor_Scalar", "self=y, exponent=2.0").kept);
  EXPECT_EQ(g.check("aten.pow.Tensor_Scalar", "self=y, exponent=3").what, "; here exponent=3");
}

TEST(LimitCheck, WhatTheGraphDoesNotTellIsNotKept) {
  Graph g;
  for (const char* const arguments :
       {"", "self=missing, dim=[2, 3], keepdim=True", "self=y, dim=[s0, 3]", "self=y, dim="}) {
    EXPECT_FALSE(g.check("aten.mean.dim", arguments).kept) << arguments;
    EXPECT_FALSE(g.check("aten._softmax.default", arguments).kept) << arguments;
    EXPECT_FALSE(g.check("aten.linear.default", arguments).kept) << arguments;
  }
  EXPECT_FALSE(g.check("aten.max_pool2d.default", "self=y").kept);
}

}  // namespace
}  // namespace et::inspector
