// Delegates, then modules: what runs between delegates' calls is apart, in the order in which it runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gui/models/graph_model.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

/// A chain of nodes n0, n1, …: a letter each, 'D' of a delegate of its own, others of the module of that name.
std::shared_ptr<TraceData> chain(const std::string& letters) {
  auto data = std::make_shared<TraceData>();
  inspector::GraphModel& graph = data->graphs.emplace_back();
  graph.method = "forward";
  graph.scopes.resize(1);
  for (size_t i = 0; i < letters.size(); ++i) {
    inspector::GraphNode& n = graph.nodes.emplace_back();
    n.name = "n" + std::to_string(i);
    n.op = letters[i] == 'D' ? "aten.linear.default" : "aten.view_copy.default";
    n.module_path = std::string("stages.") + letters[i];
    n.module_type = "torch.nn.Module";
    n.instruction = static_cast<int64_t>(i);
    n.results = {n.name};
    if (i > 0) {
      n.producers = {static_cast<int32_t>(i) - 1};
      n.arguments = {{"self", "n" + std::to_string(i - 1)}};
    }
    if (letters[i] == 'D') {
      n.part = static_cast<int32_t>(graph.parts.size());
      inspector::GraphPart& part = graph.parts.emplace_back();
      part.name = "lowered_module_" + std::to_string(n.part);
      part.backend = "XnnpackBackend";
      part.instruction = static_cast<int64_t>(i);
      part.nodes = {static_cast<int32_t>(i)};
    }
    graph.scopes[0].nodes.push_back(static_cast<int32_t>(i));
    inspector::GraphValue& v = graph.scopes[0].values[n.name];
    v.name = n.name;
    v.producer = static_cast<int32_t>(i);
  }
  return data;
}

std::vector<std::string> titles(const GraphViewModel& model) {
  std::vector<std::string> out;
  for (const GraphBox& b : model.scene().boxes) out.push_back(b.title);
  std::sort(out.begin(), out.end());
  return out;
}

TEST(GraphBreaks, EachIsAGroupOfItsOwn) {
  GraphViewModel model;
  model.set(chain("aaDabDbbDcc"), 0);
  model.set_grouping(GraphGrouping::Modules);
  model.set_grouping(GraphGrouping::Both);
  model.close_all();
  EXPECT_EQ(titles(model),
            (std::vector<std::string>{"after the last delegate", "before the first delegate", "graph break 1",
                                      "graph break 2", "lowered_module_0", "lowered_module_1", "lowered_module_2"}));
  // One after another, as they run: each reads from the one before it only.
  EXPECT_EQ(model.scene().links.size(), 6U);
  for (const GraphGroup& g : model.groups()) {
    if (g.label == "graph break 1") {
      EXPECT_EQ(g.detail, "") << "its nodes have in common what all of the graph have";
    }
    if (g.label == "graph break 2") {
      EXPECT_EQ(g.detail, "b") << "without what all nodes of the graph have in common";
      EXPECT_TRUE(g.groups.empty()) << "the only module in it is no frame of its own";
      EXPECT_EQ(g.nodes.size(), 2U);
    }
  }
}

TEST(GraphBreaks, OneNodeIsNoGroupAndOneStretchNeedsNoName) {
  GraphViewModel model;
  model.set(chain("DaDDbbD"), 0);
  model.close_all();
  EXPECT_EQ(std::count_if(model.scene().boxes.begin(), model.scene().boxes.end(),
                          [](const GraphBox& b) { return b.kind == GraphBox::Kind::Node; }),
            1)
      << "between the first and the second delegate";
  EXPECT_EQ(model.scene().boxes.size(), 6U) << "nothing runs between the second and the third";
  model.set(chain("DDaab"), 0);
  model.close_all();
  EXPECT_EQ(titles(model), (std::vector<std::string>{"lowered_module_0", "lowered_module_1", "stages"}));
}

TEST(GraphBreaks, OtherGroupingsHaveNone) {
  GraphViewModel model;
  model.set(chain("aaDabDbbDcc"), 0);
  for (const GraphGrouping grouping : {GraphGrouping::Modules, GraphGrouping::Delegates, GraphGrouping::None}) {
    model.set_grouping(grouping);
    for (const GraphGroup& g : model.groups()) EXPECT_NE(g.kind, GraphGroup::Kind::Break);
  }
}

struct GraphBreaksOf : testing::TestWithParam<const char*> {};

/// No box reads from what reads it.
bool has_an_order(const GraphScene& scene) {
  std::vector<int> waits(scene.boxes.size());
  for (const GraphLink& l : scene.links) ++waits[static_cast<size_t>(l.to)];
  std::vector<size_t> ready;
  for (size_t b = 0; b < waits.size(); ++b) {
    if (waits[b] == 0) ready.push_back(b);
  }
  for (size_t i = 0; i < ready.size(); ++i) {
    for (const GraphLink& l : scene.links) {
      if (static_cast<size_t>(l.from) == ready[i] && --waits[static_cast<size_t>(l.to)] == 0)
        ready.push_back(static_cast<size_t>(l.to));
    }
  }
  return ready.size() == scene.boxes.size();
}

// Where delegates and single nodes have an order, delegates and what runs between them have one.
TEST_P(GraphBreaksOf, ClosedGroupsAreInAnOrder) {
  const OpenedTrace trace(GetParam());
  GraphViewModel model;
  model.set(trace.data, 0);
  model.set_grouping(GraphGrouping::Delegates);
  model.open_all();
  for (const GraphGroup& g : model.groups()) {
    if (g.kind == GraphGroup::Kind::Part) model.set_open(static_cast<int32_t>(&g - model.groups().data()), false);
  }
  const bool had = has_an_order(model.scene());
  EXPECT_EQ(had, GetParam() != std::string("nanogpt_xnnpack_qd4")) << "whose delegates' nodes are guessed";
  model.set_grouping(GraphGrouping::Both);
  model.close_all();
  EXPECT_EQ(has_an_order(model.scene()), had);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, GraphBreaksOf,
                         testing::Values("partial_delegation", "mobilenet_v2_035_xnnpack_int8", "lstm_xnnpack",
                                         "nanogpt_xnnpack_qd4"));

// The colour by type of a closed group.
TEST(GraphBreaks, AClosedGroupIsOfTheTypeThatCostsMost) {
  auto data = chain("aaDabDbbDcc");
  auto& nodes = data->graphs[0].nodes;
  nodes[3].op = "aten.mul.Tensor";
  nodes[3].ns = 5;
  nodes[4].ns = 4;
  GraphViewModel model;
  model.set(data, 0);
  model.close_all();
  const auto type_of = [&](const char* title) {
    const auto& boxes = model.scene().boxes;
    const auto box = std::find_if(boxes.begin(), boxes.end(), [&](const GraphBox& b) { return b.title == title; });
    return box == boxes.end() ? "" : box->type;
  };
  EXPECT_EQ(type_of("graph break 1"), "aten.mul.Tensor");
  EXPECT_EQ(type_of("graph break 2"), "aten.view_copy.default") << "without times, of the most nodes";
  EXPECT_EQ(type_of("after the last delegate"), "aten.view_copy.default");
}

// Everything that a box says can be searched.
TEST(GraphSearch, FindsLinesShapesModulesAndDelegates) {
  auto data = chain("aaDabDbbDcc");
  auto& nodes = data->graphs[0].nodes;
  for (auto& n : nodes) {
    n.file = "/src/attention.py";
    n.line = 120;
    n.dtype = "float32";
    n.shape = "[1, 48, 16, 16]";
  }
  nodes[1].line = 124;
  nodes[3].shape = "[1, 16, 48, 16]";
  nodes[4].dtype = "int64";
  GraphViewModel model;
  model.set(data, 0);
  model.set_grouping(GraphGrouping::Both);
  const auto found = [&](const char* text) {
    model.search(text);
    return model.found();
  };
  EXPECT_EQ(found("attention.py:124"), (std::vector<int32_t>{1}));
  EXPECT_EQ(found("attention.py").size(), 11U);
  EXPECT_EQ(found("[1, 16, 48, 16]"), (std::vector<int32_t>{3}));
  EXPECT_EQ(found("1,16,48"), (std::vector<int32_t>{3})) << "with spaces or without";
  EXPECT_EQ(found("int64 [1, 48, 16, 16]"), (std::vector<int32_t>{4}));
  EXPECT_EQ(found("stages.c view_copy"), (std::vector<int32_t>{9, 10}));
  EXPECT_EQ(found("lowered_module_1"), (std::vector<int32_t>{5}));
  EXPECT_EQ(found("xnnpack"), (std::vector<int32_t>{2, 5, 8}));
  EXPECT_EQ(found("graph break 2"), (std::vector<int32_t>{6, 7}));
  EXPECT_TRUE(found("graph").empty());
  EXPECT_TRUE(found("delegate").empty()) << "what is before one is in none";
}

TEST(GraphSearch, SaysWhichOneItIsAt) {
  GraphViewModel model;
  model.set(chain("aaDabDbbDcc"), 0);
  model.search("stages.c");
  EXPECT_EQ(model.found_place(), 0U);
  EXPECT_EQ(model.next_found(1), 9);
  EXPECT_EQ(model.found_place(), 1U);
  EXPECT_EQ(model.next_found(1), 10);
  EXPECT_EQ(model.found_place(), 2U);
  EXPECT_EQ(model.next_found(1), 9);
  EXPECT_EQ(model.found_place(), 1U);
  model.search("stages.a");
  EXPECT_EQ(model.found_place(), 0U);
}

}  // namespace
}  // namespace et::gui::test
