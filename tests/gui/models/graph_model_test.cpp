// The graph as it is drawn: groups open and close, nothing is lost, clicks hit.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "gui/models/graph_model.h"
#include "gui/models/overview_model.h"
#include "inspector/analysis/graph/fold_layout.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::LayoutPoint;
using inspector::LayoutRect;

void lay_out(GraphViewModel* model) {
  model->set_layout(inspector::layout_graph(model->scene().input), model->scene().version);
  ASSERT_TRUE(model->has_layout());
}

void check(const GraphViewModel& model) {
  const GraphScene& scene = model.scene();
  ASSERT_EQ(scene.boxes.size(), scene.input.boxes.size());
  ASSERT_EQ(scene.clusters.size(), scene.input.clusters.size());
  ASSERT_EQ(scene.links.size(), scene.input.edges.size());
  // Each node is in exactly one box.
  size_t nodes = 0;
  for (const GraphBox& b : scene.boxes) {
    if (b.kind == GraphBox::Kind::Node) ++nodes;
    if (b.kind == GraphBox::Kind::Group) {
      const GraphGroup& g = model.groups()[static_cast<size_t>(b.index)];
      EXPECT_FALSE(g.open);
      nodes += static_cast<size_t>(g.node_count);
    }
    EXPECT_FALSE(b.title.empty());
  }
  EXPECT_EQ(nodes, model.graph()->nodes.size());
  std::set<std::pair<int32_t, int32_t>> pairs;
  for (const GraphLink& l : scene.links) {
    EXPECT_NE(l.from, l.to);
    EXPECT_TRUE(l.control || pairs.emplace(l.from, l.to).second);
  }
}

struct GraphModelTest : testing::TestWithParam<const char*> {};

TEST_P(GraphModelTest, OpensAndCloses) {
  const OpenedTrace trace(GetParam());
  GraphViewModel model;
  for (size_t g = 0; g < trace.data->graphs.size(); ++g) {
    model.set(trace.data, g);
    for (const GraphGrouping grouping :
         {GraphGrouping::Both, GraphGrouping::Modules, GraphGrouping::Delegates, GraphGrouping::None}) {
      model.set_grouping(grouping);
      check(model);
      model.close_all();
      check(model);
      const size_t least = model.scene().boxes.size();
      model.open_all();
      check(model);
      EXPECT_GE(model.scene().boxes.size(), least);
      for (const GraphBox& b : model.scene().boxes) EXPECT_NE(b.kind, GraphBox::Kind::Group);
    }
    model.set_grouping(GraphGrouping::Both);
    lay_out(&model);
    // Boxes are hit where they are drawn, clusters where no box is.
    for (size_t i = 0; i < model.drawn().boxes.size(); ++i) {
      const LayoutRect& r = model.layout().boxes[i];
      EXPECT_EQ(model.hit({(r.min.x + r.max.x) / 2, (r.min.y + r.max.y) / 2}).box, static_cast<int32_t>(i));
    }
    for (size_t c = 0; c < model.drawn().clusters.size(); ++c) {
      const LayoutRect& r = model.layout().clusters[c];
      EXPECT_EQ(model.hit({r.min.x + 2, r.min.y + 2}).cluster, static_cast<int32_t>(c));
    }
    EXPECT_EQ(model.hit({-100, -100}).box, -1);
  }
}

TEST_P(GraphModelTest, ShowsWhatIsSearchedAndSelected) {
  const OpenedTrace trace(GetParam());
  GraphViewModel model;
  model.set(trace.data, 0);
  model.close_all();
  lay_out(&model);
  for (size_t n = 0; n < model.graph()->nodes.size(); n += 5) {
    const auto index = static_cast<int32_t>(n);
    const std::string& name = model.graph()->nodes[n].name;
    EXPECT_EQ(model.find_node(name), index);
    const Selection s = select_node(*trace.data, name);
    ASSERT_GE(model.box_of(index), 0);
    std::vector<bool> boxes = model.selected(s);
    EXPECT_TRUE(boxes[static_cast<size_t>(model.box_of(index))]) << name;
    LayoutRect rect;
    EXPECT_TRUE(model.bounds(boxes, &rect));
    EXPECT_GT(rect.width(), 0);
    EXPECT_FALSE(model.details(index).facts.empty());
  }
  EXPECT_TRUE(model.details(-1).facts.empty());
  model.search("no node is called like that");
  EXPECT_EQ(model.next_found(1), -1);
  const int32_t last = static_cast<int32_t>(model.graph()->nodes.size()) - 1;
  model.search(model.graph()->nodes.back().name);
  ASSERT_FALSE(model.found().empty());
  model.reveal(last);
  lay_out(&model);
  const GraphBox& box = model.drawn().boxes[static_cast<size_t>(model.box_of(last))];
  EXPECT_EQ(box.kind, GraphBox::Kind::Node);
  EXPECT_EQ(box.index, last);
  EXPECT_TRUE(model.found_boxes()[static_cast<size_t>(model.box_of(last))]);
}

INSTANTIATE_TEST_SUITE_P(Fixtures, GraphModelTest,
                         testing::Values("partial_delegation", "mobilenet_v2_035_xnnpack_int8", "lstm_xnnpack",
                                         "multi_method", "control_flow_cond", "control_flow_map", "nanogpt_xnnpack_qd4",
                                         "add_mul"));

TEST(GraphModel, OpensOnTheMethodThatTakesMost) {
  TraceData data;
  EXPECT_EQ(costliest_graph(data), 0U);
  data.graphs.resize(4);
  for (size_t i = 0; i < 4; ++i) {
    data.graphs[i].total_ns = static_cast<double>(10 * (i % 3 + 1));  // 10, 20, 30, 10
    data.graphs[i].nodes.resize(2);
    data.graphs[i].nodes[1].ns = 1;
  }
  EXPECT_EQ(costliest_graph(data), 2U);
  data.graphs[2].nodes[1].ns = 0;
  EXPECT_EQ(costliest_graph(data), 1U) << "without times on its nodes it shows nothing, however long it takes";
  const OpenedTrace trace("multi_method");
  const auto& nodes = trace.data->graphs[costliest_graph(*trace.data)].nodes;
  EXPECT_TRUE(std::any_of(nodes.begin(), nodes.end(), [](const auto& n) { return n.ns > 0; }));
}

TEST(GraphModel, NumberedGroupsHaveTheNameOfTheirList) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  GraphViewModel model;
  model.set(trace.data, 0);
  model.set_grouping(GraphGrouping::Modules);
  size_t numbered = 0;
  for (const GraphGroup& g : model.groups()) {
    if (g.kind != GraphGroup::Kind::Module || g.parent == -2) continue;
    EXPECT_FALSE(g.label.find_first_not_of("0123456789") == std::string::npos) << g.path;
    EXPECT_FALSE(g.label[0] >= '0' && g.label[0] <= '9') << g.label;
    numbered += g.label.find(".1") != std::string::npos;
  }
  EXPECT_GT(numbered, 0U);
}

TEST(GraphModel, StartsWithWhatAScreenHolds) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  GraphViewModel model;
  model.set(trace.data, 0);
  model.set_grouping(GraphGrouping::Modules);
  EXPECT_LE(model.scene().boxes.size(), GraphViewModel::kFirstBoxes + 5);
  EXPECT_GE(model.scene().boxes.size(), 5U);
  bool blocks = false;
  for (const GraphGroup& g : model.groups()) blocks = blocks || g.path == "blocks.0";
  EXPECT_TRUE(blocks);
}

TEST(GraphModel, PartsAndBodiesAreGroups) {
  const OpenedTrace parts("partial_delegation"), control("control_flow_cond");
  GraphViewModel model;
  model.set(parts.data, 0);
  EXPECT_EQ(model.grouping(), GraphGrouping::Both);
  model.open_all();
  EXPECT_EQ(model.scene().clusters.size(), 3U);
  for (const int32_t g : model.scene().clusters) {
    EXPECT_EQ(model.groups()[static_cast<size_t>(g)].kind, GraphGroup::Kind::Part);
    EXPECT_EQ(model.groups()[static_cast<size_t>(g)].detail, "XnnpackBackend");
  }
  model.set(control.data, 0);
  model.open_all();
  EXPECT_EQ(model.scene().clusters.size(), 2U);
  EXPECT_EQ(std::count_if(model.scene().links.begin(), model.scene().links.end(),
                          [](const GraphLink& l) { return l.control; }),
            2);
}

TEST(GraphModel, ANodeThatIsFusedIntoAnotherSaysWhereItRuns) {
  const OpenedTrace trace("partial_delegation");
  GraphViewModel model;
  model.set(trace.data, 0);
  const int32_t node = model.find_node("aten_relu_default");
  ASSERT_GE(node, 0);
  std::string time;
  for (const auto& [label, value] : model.details(node).facts) time = label == "time" ? value : time;
  EXPECT_TRUE(time.starts_with("none of its own: runs in aten.convolution + relu (aten_convolution_default), "))
      << time;
}

TEST(GraphModel, DetailsNameTheOpsWithTheirTimes) {
  const OpenedTrace trace("partial_delegation");
  GraphViewModel model;
  model.set(trace.data, 0);
  const int32_t node = model.find_node("aten_convolution_default");
  ASSERT_GE(node, 0);
  const GraphNodeDetails d = model.details(node);
  ASSERT_FALSE(d.ops.empty());
  double time = 0;
  for (const auto& op : d.ops) {
    time += op.time;
    EXPECT_FALSE(op.via.empty());
    EXPECT_GT(op.confidence, 0);
  }
  EXPECT_NEAR(time, model.graph()->nodes[static_cast<size_t>(node)].ns, 1e-6);
  const auto fact = [&](const std::string& label) {
    for (const auto& [l, v] : d.facts) {
      if (l == label) return v;
    }
    return std::string();
  };
  EXPECT_EQ(fact("delegate"), "XnnpackBackend");
  EXPECT_EQ(fact("module"), "conv");
  EXPECT_NE(fact("source").find("models.py:94"), std::string::npos);
  ASSERT_GE(d.arguments.size(), 3U);
  EXPECT_NE(d.arguments[1].second.find("conv.weight"), std::string::npos) << d.arguments[1].second;
  ASSERT_EQ(d.results.size(), 1U);
  EXPECT_NE(d.results[0].second.find("[1, 8, 16, 16]"), std::string::npos);
}

TEST(GraphModel, TimesAddUpAndWhatIsNotLinkedIsThatOfTheOverview) {
  for (const char* name :
       {"partial_delegation", "mobilenet_v2_035_xnnpack_int8", "lstm_xnnpack", "nanogpt_xnnpack_qd4"}) {
    const OpenedTrace trace(name);
    GraphViewModel model;
    model.set(trace.data, 0);
    const GraphTimes& t = model.times();
    EXPECT_NEAR(t.linked + t.not_linked + t.framework + t.unattributed + t.variation, model.graph()->total_ns, 1)
        << name;
    const Overview overview = make_overview(*trace.data);
    EXPECT_NEAR(t.not_linked, overview.unlinked_time, 1) << name;
    double framework = 0, unattributed = 0;
    for (const OverviewPart& part : overview.parts) {
      if (part.kind == OverviewPart::Kind::Framework) framework += part.time;
      if (part.kind == OverviewPart::Kind::Unattributed) unattributed += part.time;
    }
    EXPECT_NEAR(t.framework, framework, 1) << name;
    EXPECT_NEAR(t.unattributed, unattributed, 1) << name;
  }
}

TEST(GraphModel, ACallOfADelegateIsOfNoNodeThatRanInAnother) {
  for (const char* name : {"partial_delegation", "mobilenet_v2_035_xnnpack_int8", "nanogpt_xnnpack_qd4"}) {
    const OpenedTrace trace(name);
    GraphViewModel model;
    model.set(trace.data, 0);
    for (size_t n = 0; n < model.graph()->nodes.size(); ++n) {
      const GraphNodeDetails details = model.details(static_cast<int32_t>(n));
      const auto op_of = [&](const GraphNodeDetails::Op& o) -> const inspector::OpEntry& {
        return trace.data->table.ops[static_cast<size_t>(o.op)];
      };
      std::set<int64_t> exact;
      for (const auto& o : details.ops) {
        if (op_of(o).kind == "delegate_op" && o.confidence >= 1 && op_of(o).instruction_id)
          exact.insert(*op_of(o).instruction_id);
      }
      for (const auto& o : details.ops) {
        if (exact.empty() || op_of(o).kind != "delegate_call") continue;
        EXPECT_TRUE(exact.contains(*op_of(o).instruction_id)) << name << " " << model.graph()->nodes[n].name;
        EXPECT_EQ(o.confidence, 1) << name << " " << model.graph()->nodes[n].name;
      }
    }
  }
}

TEST(GraphModel, WhatGoesOnInAnotherColumnIsNamedThere) {
  size_t folded = 0;
  for (const char* name : {"nanogpt_xnnpack_qd4", "lstm_xnnpack", "mobilenet_v2_035_xnnpack_int8"}) {
    const OpenedTrace trace(name);
    GraphViewModel model;
    model.set(trace.data, 0);
    model.set_grouping(GraphGrouping::Modules);
    const inspector::LayoutInput& input = model.scene().input;
    model.set_layout(inspector::fold_layout(input, inspector::layout_graph(input), 1100, 700), model.scene().version);
    ASSERT_TRUE(model.has_layout());
    std::map<float, size_t> pieces, named;  // by their top
    for (const auto& [cluster, piece] : model.layout().pieces) {
      ++folded;
      const std::string names = model.continued(cluster, piece);
      ++pieces[piece.min.y];
      if (names.empty()) continue;
      ++named[piece.min.y];
      const GraphGroup& g = model.groups()[static_cast<size_t>(model.drawn().clusters[static_cast<size_t>(cluster)])];
      EXPECT_TRUE(names.ends_with(g.label + ", continued")) << names;
      for (const LayoutRect& box : model.layout().boxes) {
        EXPECT_FALSE(box.min.x < piece.max.x && box.max.x > piece.min.x && box.min.y < piece.min.y &&
                     box.max.y > piece.min.y - 18)
            << names << " would cover a box";
      }
    }
    for (const auto& [top, count] : pieces) EXPECT_GT(named[top], 0U) << count << " pieces without a name";
  }
  EXPECT_GT(folded, 0U) << "a long graph has several columns";
}

TEST(GraphModel, SeveralBoxesHaveThePathThatTheyShare) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  GraphViewModel model;
  model.set(trace.data, 0);
  model.set_grouping(GraphGrouping::Modules);
  model.open_all();
  lay_out(&model);
  std::vector<bool> all(model.drawn().boxes.size(), true), one(all.size());
  EXPECT_EQ(model.group_around(all), -1) << "inputs are in no module";
  one[static_cast<size_t>(model.costliest_box())] = true;
  EXPECT_EQ(model.group_around(one), model.group_around(model.costliest_box()));
}

TEST(GraphModel, OldLayoutsAreDropped) {
  const OpenedTrace trace("partial_delegation");
  GraphViewModel model;
  model.set(trace.data, 0);
  model.close_all();
  const auto old = inspector::layout_graph(model.scene().input);
  const uint64_t version = model.scene().version;
  model.open_all();
  model.set_layout(old, version);
  EXPECT_FALSE(model.has_layout());
  EXPECT_EQ(model.hit({10, 10}).box, -1);
}

TEST_P(GraphModelTest, ShowsTheCostliestNodeAtFirst) {
  const OpenedTrace trace(GetParam());
  GraphViewModel model;
  for (size_t g = 0; g < trace.data->graphs.size(); ++g) {
    model.set(trace.data, g);
    lay_out(&model);
    double most = 0;
    for (const inspector::GraphNode& n : model.graph()->nodes) most = std::max(most, n.ns);
    if (!(most > 0)) continue;
    const GraphBox& box = model.drawn().boxes[static_cast<size_t>(model.costliest_box())];
    EXPECT_EQ(box.kind, GraphBox::Kind::Node);
    EXPECT_GE(box.ns, 0.95 * most);
    for (const inspector::GraphNode& n : model.graph()->nodes) {
      if (n.ns >= 0.95 * most) {
        EXPECT_EQ(box.ns, n.ns) << "of nodes that cost alike the first";
        break;
      }
    }
    EXPECT_EQ(model.hottest(), most);
  }
}

// What is open is costlier than what is closed: groups open along the costs.
TEST_P(GraphModelTest, OpensWhatCostsMost) {
  const OpenedTrace trace(GetParam());
  GraphViewModel model;
  for (size_t g = 0; g < trace.data->graphs.size(); ++g) {
    model.set(trace.data, g);
    double whole = 0;
    for (const inspector::GraphNode& n : model.graph()->nodes) whole += n.ns;
    if (!(whole > 0)) continue;
    for (const GraphGroup& group : model.groups()) {
      if (!group.open || group.parent < -1) continue;
      // A closed one beside it that costs several times as much is too large to draw.
      for (const GraphGroup& other : model.groups()) {
        if (other.open || other.parent != group.parent || other.ns < 3 * group.ns || other.ns < 0.2 * whole) continue;
        EXPECT_GT(other.nodes.size() + other.groups.size() + model.scene().boxes.size(), 40U)
            << other.path << " is closed, and " << group.path << " is open";
      }
    }
  }
}

// Of what a fused op does the box without a time says where its time is.
TEST(GraphModel, NodesOfFusedOpsSayWhereTheirTimeIs) {
  int fused = 0;
  for (const char* name : {"lstm_xnnpack", "external_weights_xnnpack", "nanogpt_xnnpack_qd4", "partial_delegation"}) {
    const OpenedTrace trace(name);
    GraphViewModel model;
    for (size_t g = 0; g < trace.data->graphs.size(); ++g) {
      model.set(trace.data, g);
      for (size_t n = 0; n < model.graph()->nodes.size(); ++n) {
        const inspector::GraphNode& node = model.graph()->nodes[n];
        const std::string into = model.fused_into(static_cast<int32_t>(n));
        if (into.empty()) continue;
        ++fused;
        EXPECT_EQ(node.ns, 0) << node.name;
        const GraphNodeDetails details = model.details(static_cast<int32_t>(n));
        EXPECT_TRUE(std::any_of(details.facts.begin(), details.facts.end(),
                                [&](const auto& fact) {
                                  return fact.first == "time" && fact.second.starts_with("none of its own: runs in ");
                                }))
            << node.name << " " << into;
      }
    }
  }
  EXPECT_GT(fused, 0);
}

// Groups close until the window holds the whole, and say which of them costs most.
TEST(GraphModel, OpensLessUntilLittleIsLeft) {
  const OpenedTrace trace("mobilenet_v2_035_xnnpack_int8");
  GraphViewModel model;
  model.set(trace.data, 0);
  size_t before = model.scene().boxes.size();
  int steps = 0;
  while (model.open_less()) {
    EXPECT_LT(model.scene().boxes.size(), before);
    before = model.scene().boxes.size();
    ASSERT_LT(++steps, 20);
  }
  EXPECT_GT(steps, 0);
  EXPECT_GE(before, GraphViewModel::kFewestBoxes);
  double most = 0, whole = 0;
  for (const GraphBox& b : model.scene().boxes)
    whole += b.ns, most = std::max(most, b.kind == GraphBox::Kind::Group ? b.ns : 0);
  EXPECT_LT(most, 0.5 * whole) << "no closed group hides most of the time";
  const uint64_t version = model.scene().version;
  EXPECT_FALSE(model.open_less());
  EXPECT_EQ(model.scene().version, version) << "nothing is changed";
  lay_out(&model);
  const GraphBox& longest = model.drawn().boxes[static_cast<size_t>(model.longest_box())];
  for (const GraphBox& b : model.drawn().boxes) EXPECT_LE(b.ns, longest.ns);
  model.open_some();
  EXPECT_GT(model.scene().boxes.size(), before);
}

// Masks and positions are one box, and no edge leads back into it.
TEST(GraphModel, OpsThatCostNothingAreOneGroup) {
  int found = 0;
  for (const char* const name :
       {"nanogpt_xnnpack_qd4", "lstm", "mobilenet_v2_035_xnnpack_int8", "partial_delegation"}) {
    const OpenedTrace trace(name);
    for (size_t g = 0; g < trace.data->graphs.size(); ++g) {
      GraphViewModel model;
      model.set(trace.data, g);
      const inspector::GraphModel& graph = *model.graph();
      for (const GraphGroup& group : model.groups()) {
        if (group.kind != GraphGroup::Kind::Small) continue;
        ++found;
        EXPECT_GE(group.nodes.size(), 4U);
        EXPECT_LT(group.ns, 0.02 * graph.total_ns);
        const std::set<int32_t> inside(group.nodes.begin(), group.nodes.end());
        // Nodes come in an order in which what is read is before who reads it.
        std::vector<bool> after(graph.nodes.size());
        for (size_t n = 0; n < graph.nodes.size(); ++n) {
          for (const int32_t p : graph.nodes[n].producers) {
            const bool member = inside.contains(static_cast<int32_t>(n));
            const bool left = after[static_cast<size_t>(p)] || (inside.contains(p) && !member);
            if (left) after[n] = true;
          }
          EXPECT_FALSE(after[n] && inside.contains(static_cast<int32_t>(n))) << name << " " << graph.nodes[n].name;
        }
      }
    }
  }
  EXPECT_GT(found, 0);
}

// Colours are of shares of the execution: whatever opens or closes, no other box changes its colour.
TEST_P(GraphModelTest, ColoursDoNotDependOnWhatIsOpen) {
  const OpenedTrace trace(GetParam());
  GraphViewModel model;
  model.set(trace.data, 0);
  model.set_grouping(GraphGrouping::Modules);
  std::map<std::pair<GraphBox::Kind, std::string>, double> levels;  // by what a box is
  const auto look = [&] {
    lay_out(&model);
    for (const GraphBox& b : model.drawn().boxes) {
      if (b.kind != GraphBox::Kind::Node && b.kind != GraphBox::Kind::Group) continue;
      const auto [at, is_new] = levels.try_emplace({b.kind, std::to_string(b.index)}, model.cost_level(b.ns));
      EXPECT_EQ(at->second, model.cost_level(b.ns)) << b.title << (is_new ? " new" : "");
      EXPECT_EQ(at->second,
                model.cost_level(b.kind == GraphBox::Kind::Node ? model.graph()->nodes[static_cast<size_t>(b.index)].ns
                                                                : model.groups()[static_cast<size_t>(b.index)].ns));
    }
  };
  model.close_all();
  look();
  for (int32_t g = 0; g < static_cast<int32_t>(model.groups().size()); ++g) {
    if (model.groups()[static_cast<size_t>(g)].parent == -2) continue;
    model.set_open(g, true);
    look();
  }
  model.close_all();
  look();
}

TEST(GraphModel, ColoursTellOneLayerFromSixOfThemAndFromItsOps) {
  auto data = std::make_shared<TraceData>();
  inspector::GraphModel& graph = data->graphs.emplace_back();
  graph.scopes.resize(1);
  graph.total_ns = 1000;
  for (int layer = 0; layer < 6; ++layer) {
    for (int i = 0; i < 4; ++i) {
      inspector::GraphNode& n = graph.nodes.emplace_back();
      n.name = "n" + std::to_string(4 * layer + i);
      n.module_path = "layers." + std::to_string(layer);
      n.ns = 25;
    }
  }
  GraphViewModel model;
  model.set(data, 0);
  const double six = model.cost_level(600), one = model.cost_level(100), op = model.cost_level(25);
  EXPECT_EQ(six, 1);
  EXPECT_GT(one, 0.75) << "a tenth of the time is much, alone and among six";
  EXPECT_GT(op, 0.5);
  EXPECT_LT(op, one);
  EXPECT_EQ(model.cost_level(0), 0);
  EXPECT_EQ(model.cost_level(1000 * GraphViewModel::kLeastShare), 0);
  EXPECT_EQ(model.cost_level(1000 * GraphViewModel::kMostShare), 1);
}

// Of several nodes of one operator in one module the line tells which is which, and of one line the name.
TEST(GraphModel, CostliestNodesAreToldApart) {
  for (const char* name : {"nanogpt_xnnpack_qd4", "lstm", "partial_delegation", "mobilenet_v2_035_xnnpack_int8"}) {
    const OpenedTrace trace(name);
    GraphViewModel model;
    for (size_t g = 0; g < trace.data->graphs.size(); ++g) {
      model.set(trace.data, g);
      std::set<std::string> seen;
      for (size_t n = 0; n < model.graph()->nodes.size(); ++n) {
        const inspector::GraphNode& node = model.graph()->nodes[n];
        const GraphViewModel::Place place = model.place_apart(static_cast<int32_t>(n));
        EXPECT_TRUE(seen.insert(node.op + "|" + place.module + "|" + place.rest).second) << name << " " << node.name;
        EXPECT_EQ(place.module, model.place_of(static_cast<int32_t>(n)));
        EXPECT_FALSE(place.module.empty() && place.rest.empty());
        if (node.line > 0 && !place.rest.empty() && place.rest.find(node.name) == std::string::npos) {
          EXPECT_TRUE(place.rest.ends_with(".py:" + std::to_string(node.line))) << place.rest;
        }
      }
    }
  }
}

// A size that all layers use is in none of them.
TEST(GraphModel, NodesOfNoModuleAreWhereAllTheirUsersAre) {
  auto data = std::make_shared<TraceData>();
  inspector::GraphModel& graph = data->graphs.emplace_back();
  graph.scopes.resize(1);
  graph.total_ns = 100;
  const auto add = [&](const char* name, const char* module, std::vector<int32_t> producers) {
    inspector::GraphNode& n = graph.nodes.emplace_back();
    n.name = name;
    n.module_path = module;
    n.module_type = *module == 0 ? "" : "M";
    n.producers = std::move(producers);
    n.ns = 10;
  };
  add("size", "", {});
  add("of_layer_0", "", {0});
  add("a", "layers.0.mlp", {1});
  add("b", "layers.0", {1, 2});
  add("c", "layers.1.mlp", {0, 3});
  add("d", "layers.1", {4});
  add("after", "", {5});
  GraphViewModel model;
  model.set(data, 0);
  model.open_all();
  const auto label_of = [&](int32_t node) {
    for (const GraphBox& b : model.scene().boxes) {
      if (b.kind == GraphBox::Kind::Node && b.index == node)
        return b.group < 0 ? std::string() : model.groups()[static_cast<size_t>(b.group)].path;
    }
    return std::string("?");
  };
  EXPECT_EQ(label_of(1), "layers.0");
  EXPECT_EQ(label_of(0), "layers") << "its users are in both layers";
  EXPECT_EQ(label_of(6), "layers.1") << "that of what it reads";
}

// torch's passes write a placeholder into the nodes of no module, which is nobody's module.
TEST(GraphModel, NoModuleIsNoGroup) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  GraphViewModel model;
  model.set(trace.data, 0);
  size_t without = 0;
  for (const inspector::GraphNode& n : model.graph()->nodes) {
    EXPECT_EQ(n.module_path.find("_empty_nn_module_stack"), std::string::npos) << n.name;
    without += n.module_path.empty() && n.module_type.empty() ? 1 : 0;
  }
  EXPECT_GT(without, 0U) << "sizes of dynamic shapes are of no module";
  for (const GraphGroup& g : model.groups())
    EXPECT_EQ(g.path.find("_empty_nn_module_stack"), std::string::npos) << g.label;
  inspector::Statement st = trace.store.query(
      "SELECT count(*) FROM modules WHERE path LIKE '%empty_nn_module%' OR type LIKE '%empty_nn_module%'");
  ASSERT_TRUE(st.step());
  EXPECT_EQ(st.integer(0), 0);
}

TEST(GraphModel, NodesSayWhereTheyAre) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  GraphViewModel model;
  model.set(trace.data, 0);
  model.open_all();
  lay_out(&model);
  size_t placed = 0, framed = 0;
  for (size_t b = 0; b < model.drawn().boxes.size(); ++b) {
    const GraphBox& box = model.drawn().boxes[b];
    if (box.kind != GraphBox::Kind::Node) continue;
    const auto& node = model.graph()->nodes[static_cast<size_t>(box.index)];
    const std::string place = model.place_of(box.index);
    EXPECT_TRUE(node.module_path.ends_with(place));
    // The frame around it says the rest.
    int32_t group = box.group;
    while (group >= 0 && model.groups()[static_cast<size_t>(group)].kind != GraphGroup::Kind::Module)
      group = model.groups()[static_cast<size_t>(group)].parent;
    const std::string around = group < 0 ? "" : model.groups()[static_cast<size_t>(group)].path;
    const std::string line = model.line_or_name(box.index);
    if (!around.empty() && node.module_path == around) {
      EXPECT_EQ(box.name, line);
      ++framed;
    } else if (!around.empty() && node.module_path.starts_with(around + ".")) {
      EXPECT_EQ(around + "." + box.name, node.module_path);
      ++framed;
    } else {
      EXPECT_EQ(box.name, place.empty() ? line : place);
    }
    EXPECT_FALSE(box.name.empty());
    placed += place.empty() ? 0 : 1;
    const std::vector<int32_t> path = model.path_to(model.group_around(static_cast<int32_t>(b)));
    EXPECT_EQ(path.empty() ? -1 : path.back(), box.group);
    for (size_t i = 1; i < path.size(); ++i)
      EXPECT_EQ(model.groups()[static_cast<size_t>(path[i])].parent, path[i - 1]);
  }
  EXPECT_GT(placed, 10U);
  EXPECT_GT(framed, 10U);
}

TEST(GraphModel, BriefBoxesAreLowerAndSayTheSameOtherwise) {
  const OpenedTrace trace("partial_delegation");
  GraphViewModel model;
  model.set(trace.data, 0);
  const GraphScene whole = model.scene();
  model.set_brief(true);
  ASSERT_EQ(model.scene().boxes.size(), whole.boxes.size());
  size_t lower = 0;
  for (size_t i = 0; i < whole.boxes.size(); ++i) {
    const GraphBox& b = model.scene().boxes[i];
    EXPECT_EQ(b.title, whole.boxes[i].title);
    EXPECT_EQ(b.name, whole.boxes[i].name);
    EXPECT_TRUE(b.output.empty());
    lower += model.scene().input.boxes[i].height < whole.input.boxes[i].height ? 1 : 0;
    EXPECT_EQ(whole.boxes[i].output.empty(), model.scene().input.boxes[i].height == whole.input.boxes[i].height);
  }
  EXPECT_GT(lower, 0U);
  model.set(trace.data, 0);
  EXPECT_FALSE(model.brief()) << "the next graph has its own room";
}

// A graph that is too large begins where the costliest box is, and as many others as can be, are seen whole.
TEST(GraphModel, TheFirstViewHasTheCostliestBoxAndCutsFew) {
  for (const char* name : {"nanogpt_xnnpack_qd4", "mobilenet_v2_035_xnnpack_int8", "lstm_xnnpack"}) {
    const OpenedTrace trace(name);
    GraphViewModel model;
    model.set(trace.data, 0);
    model.open_all();
    const inspector::LayoutInput& input = model.scene().input;
    model.set_layout(inspector::fold_layout(input, inspector::layout_graph(input), 600, 400), model.scene().version);
    ASSERT_TRUE(model.has_layout());
    const int32_t box = model.longest_box();
    ASSERT_GE(box, 0);
    constexpr float kWide = 600, kHigh = 400, kMargin = 12;
    const LayoutPoint at = model.best_view(box, kWide, kHigh, kMargin);
    const auto seen = [&](LayoutPoint begin, size_t i) {
      const LayoutRect& r = model.layout().boxes[i];
      return r.min.x >= begin.x && r.min.y >= begin.y && r.max.x <= begin.x + kWide && r.max.y <= begin.y + kHigh;
    };
    EXPECT_TRUE(seen(at, static_cast<size_t>(box))) << name;
    EXPECT_GE(at.x, std::min(-kMargin, (model.layout().width - kWide) / 2) - 0.01F);
    EXPECT_LE(at.x + kWide, std::max(model.layout().width + kMargin, (model.layout().width + kWide) / 2) + 0.01F);
    // Rather more whole boxes than where that box is in the middle.
    const LayoutRect& own = model.layout().boxes[static_cast<size_t>(box)];
    const LayoutPoint middle = {(own.min.x + own.max.x - kWide) / 2, (own.min.y + own.max.y - kHigh) / 2};
    size_t here = 0, there = 0;
    for (size_t i = 0; i < model.layout().boxes.size(); ++i) here += seen(at, i), there += seen(middle, i);
    EXPECT_GE(here, there) << name;
    EXPECT_GE(here, 2U) << name;
  }
}

// Time of an op that several nodes have in common is shared evenly: that is no measurement of any of them.
TEST(GraphModel, EvenSharesAreEstimates) {
  const OpenedTrace trace("lstm_xnnpack");
  size_t shared = 0;
  for (const inspector::GraphNode& n : trace.data->graphs[0].nodes) {
    double expected = 0, all = 0;
    for (const inspector::OpEntry& op : trace.data->shown.ops) {
      for (size_t l = op.first_node; l < op.first_node + op.nodes; ++l) {
        const inspector::OpNode& link = trace.data->shown.nodes[l];
        if (link.node->id != n.id || !op.on_trace_clock() || op.count == 0) continue;
        all += link.weight * op.cost;
        if (link.weight < 1) expected += link.weight * op.cost;
      }
    }
    EXPECT_NEAR(n.shared_ns, expected, 1e-6 * (1 + all)) << n.name;
    EXPECT_EQ(n.is_estimate(), expected > 0.1 * n.ns && n.shared_by > 1) << n.name;
    shared += n.is_estimate() ? 1 : 0;
  }
  EXPECT_GT(shared, 0U);
  EXPECT_EQ(inspector::nodes_sharing(1), 1);
  EXPECT_EQ(inspector::nodes_sharing(1.0 / 29), 29);
  EXPECT_EQ(inspector::nodes_sharing(0), 1);
}

// What all nodes have in common says nothing.
TEST(GraphModel, PlacesLeaveOutWhatIsCommon) {
  auto data = std::make_shared<TraceData>();
  inspector::GraphModel& graph = data->graphs.emplace_back();
  graph.scopes.resize(1);
  graph.nodes.resize(5);
  auto& nodes = graph.nodes;
  for (auto& n : nodes) n.module_path = "model.layers.0";
  nodes[0].module_path = "model";
  nodes[1].module_path = "";
  nodes[2].module_path = "model.layers.01.mlp";
  GraphViewModel model;
  model.set(data, 0);
  EXPECT_EQ(model.place_of(3), "layers.0");
  EXPECT_EQ(model.place_of(2), "layers.01.mlp");
  EXPECT_EQ(model.place_of(0), "model");
  EXPECT_EQ(model.place_of(1), "");
  EXPECT_EQ(model.place_of(-1), "");
}

TEST(GraphModel, KeysFollowTheLinks) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  GraphViewModel model;
  model.set(trace.data, 0);
  model.open_all();
  lay_out(&model);
  using Toward = GraphViewModel::Toward;
  const auto linked = [&](int32_t from, int32_t to) {
    return std::any_of(model.drawn().links.begin(), model.drawn().links.end(),
                       [&](const GraphLink& l) { return l.from == from && l.to == to; });
  };
  size_t up = 0, down = 0, sideways = 0;
  for (int32_t b = 0; b < static_cast<int32_t>(model.drawn().boxes.size()); ++b) {
    const int32_t producer = model.neighbour(b, Toward::Producer), consumer = model.neighbour(b, Toward::Consumer);
    EXPECT_TRUE(producer == b || linked(producer, b)) << b;
    EXPECT_TRUE(consumer == b || linked(b, consumer)) << b;
    up += producer != b ? 1 : 0;
    down += consumer != b ? 1 : 0;
    const int32_t right = model.neighbour(b, Toward::Right);
    if (right == b) continue;
    ++sideways;
    const auto& boxes = model.layout().boxes;
    EXPECT_GT(boxes[static_cast<size_t>(right)].min.x, boxes[static_cast<size_t>(b)].min.x);
  }
  EXPECT_GT(up, 10U);
  EXPECT_GT(down, 10U);
  EXPECT_GT(sideways, 0U);
  EXPECT_EQ(model.neighbour(-1, Toward::Left), -1);
}

TEST(GraphModel, CameraZoomsAtThePointer) {
  GraphCamera camera;
  camera.fit({{0, 0}, {1000, 500}}, 500, 500);
  const LayoutPoint at = {120, 340}, before = camera.to_graph(at);
  camera.zoom_at(1.7F, at);
  EXPECT_NEAR(camera.to_graph(at).x, before.x, 0.01);
  EXPECT_NEAR(camera.to_screen(before).y, at.y, 0.01);
  for (int i = 0; i < 100; ++i) camera.zoom_at(2, at);
  EXPECT_LE(camera.zoom, 6);
  camera.center({10, 20}, 400, 300);
  EXPECT_NEAR(camera.to_screen({10, 20}).x, 200, 0.01);
}

TEST(GraphModel, LinksSayHowSureTheyAre) {
  EXPECT_EQ(link_in_words("instruction", 1), "exact");
  EXPECT_EQ(link_in_words("inferred", 0.6), "by order: 6 in 10");
  EXPECT_EQ(link_in_words("payload_node", 0.02), "by payload: 1 in 10");
  EXPECT_EQ(link_in_words("dataflow", 0.98), "by data flow: 9 in 10");
}

}  // namespace
}  // namespace et::gui::test
