// Which call of a module each node belongs to: by what flows out of it and comes back.
#include "gui/models/module_calls.h"

#include <gtest/gtest.h>

namespace et::gui::test {
namespace {

struct Graph {
  inspector::GraphModel model;

  size_t add(const char* module, const char* op, std::vector<int32_t> producers) {
    inspector::GraphNode n;
    n.name = "n" + std::to_string(model.nodes.size());
    n.module_path = module;
    n.op = op;
    n.producers = std::move(producers);
    model.nodes.push_back(std::move(n));
    return model.nodes.size() - 1;
  }
  ModuleCalls calls() const {
    std::vector<const std::string*> modules;
    for (const auto& n : model.nodes) modules.push_back(&n.module_path);
    return {model, modules};
  }
};

TEST(ModuleCalls, DataThatLeavesAndComesBackComesIntoTheNextCall) {
  Graph g;
  g.add("conv1", "conv", {});
  g.add("act", "relu", {0});
  g.add("conv2", "conv", {1});
  g.add("act", "relu", {2});
  g.add("conv3", "conv", {3});
  g.add("act", "relu", {4});
  const ModuleCalls calls = g.calls();
  EXPECT_EQ(calls.count("act"), 3);
  EXPECT_EQ(calls.call_of(1, "act"), 1);
  EXPECT_EQ(calls.call_of(3, "act"), 2);
  EXPECT_EQ(calls.call_of(5, "act"), 3);
  EXPECT_EQ(calls.count("conv1"), 1);
}

TEST(ModuleCalls, ASharedBlockWithItsChildren) {
  Graph g;
  int32_t before = static_cast<int32_t>(g.add("", "embedding", {}));
  for (int call = 0; call < 2; ++call) {
    const auto weight = static_cast<int32_t>(g.add("block.fc", "t", {}));  // reads nothing of the block
    const auto fc = static_cast<int32_t>(g.add("block.fc", "mm", {before, weight}));
    const auto act = static_cast<int32_t>(g.add("block.act", "gelu", {fc}));
    before = static_cast<int32_t>(g.add("", "add", {act, before}));
  }
  const ModuleCalls calls = g.calls();
  for (const char* path : {"block", "block.fc", "block.act"}) EXPECT_EQ(calls.count(path), 2) << path;
  for (size_t n = 1; n <= 3; ++n) EXPECT_EQ(calls.call_of(n, "block"), 1) << n;
  for (size_t n = 5; n <= 7; ++n) EXPECT_EQ(calls.call_of(n, "block"), 2) << n;
  EXPECT_EQ(calls.call_of(5, "block.fc"), 2) << "its weight comes with its call";
}

TEST(ModuleCalls, OneCallStaysOne) {
  Graph g;
  g.add("attn", "q", {});
  g.add("attn", "k", {});
  g.add("", "mask", {});  // of the model, between nodes of the module, but not on a way through it
  g.add("attn", "mm", {0, 1});
  g.add("attn", "add", {3, 2});
  EXPECT_EQ(g.calls().count("attn"), 1);
}

TEST(ModuleCalls, PartsThatAreUnlikeAreNoCalls) {
  Graph g;
  g.add("layer", "mm", {});
  g.add("layer", "add", {0});
  g.add("layer", "gelu", {1});
  g.add("", "clone", {2});  // a pass put it into the module's way
  g.add("layer", "permute", {3});
  EXPECT_EQ(g.calls().count("layer"), 1);
}

}  // namespace
}  // namespace et::gui::test
