// The icicle's boxes: nested, of the right width, few.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "gui/models/flame_model.h"
#include "inspector/analysis/ops/frame_tree.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::CostKind;
using inspector::CostTree;

struct FlameTest : testing::TestWithParam<const char*> {
  static void open(const OpenedTrace& trace, bool modules, FlameModel* model, bool frames = false) {
    auto tree = std::make_shared<CostTree>();
    if (frames) {
      const Status status = inspector::frame_tree(trace.store, trace.data->shown, {}, tree.get());
      ASSERT_TRUE(status.ok()) << status.message();
    } else if (modules) {
      const Status status = inspector::module_tree(trace.store, trace.data->table, tree.get());
      ASSERT_TRUE(status.ok()) << status.message();
    } else {
      *tree = inspector::call_tree(trace.data->table, false);
    }
    model->set(tree, trace.data);
  }
  // Boxes lie inside of the one above, do not overlap, and are as wide as their time.
  static void check(FlameModel* model, float width) {
    std::map<int32_t, FlameBox> of_node;
    const FlameBox* before = nullptr;
    const double zoomed = model->node(model->zoomed()).total;
    for (const FlameBox& b : model->boxes(width)) {
      EXPECT_LE(b.x0, b.x1);
      EXPECT_LT(b.row, model->rows());
      EXPECT_TRUE(before == nullptr || before->row != b.row || b.x0 >= before->x1 - 0.01F);
      before = &b;
      const int32_t parent = model->node(b.first).parent;
      EXPECT_EQ(b.row == 0, b.first == model->zoomed());
      EXPECT_NEAR(model->node(b.first).total, model->node(b.node).total, 1e-6 * (1 + model->root_total()));
      if (b.row > 0) {
        ASSERT_TRUE(of_node.contains(parent));
        EXPECT_EQ(of_node[parent].row + 1, b.row);
        EXPECT_GE(b.x0, of_node[parent].x0 - 0.01F);
        EXPECT_LE(b.x1, of_node[parent].x1 + 0.01F);
      }
      const auto path = model->path_to(b.node);
      const bool inside = std::find(path.begin(), path.end(), model->zoomed()) != path.end();
      // Never wider than its share; narrower only where inner times add up to more than the whole.
      EXPECT_TRUE(!inside || static_cast<double>(b.x1 - b.x0) <= static_cast<double>(width) * b.total / zoomed + 0.05);
      if (b.merged == 0) of_node[b.node] = b;
    }
  }
};

/// The tree of some ops, each a graph node of a module at an instruction.
struct MadeTree {
  CostTree tree;
  int32_t add(int32_t parent, CostKind kind, const char* name, double time, double middle) {
    inspector::CostNode node;
    node.kind = kind;
    node.name = inspector::Text(tree.texts.keep(name));
    node.parent = parent;
    node.self = node.total = time;
    node.middle = middle;
    tree.nodes.push_back(node);
    const auto at = static_cast<int32_t>(tree.nodes.size()) - 1;
    if (parent >= 0) tree.nodes[static_cast<size_t>(parent)].children.push_back(at);
    return at;
  }
};

TEST(FlameModel, StandsInTheOrderOfTime) {
  MadeTree made;
  made.add(-1, CostKind::Root, "all", 100, 0);
  made.add(0, CostKind::Group, "encoder", 60, 40);  // one of its ops ran first
  made.add(0, CostKind::Group, "embeddings", 40, 5);
  FlameModel model;
  model.set(std::make_shared<const CostTree>(std::move(made.tree)), nullptr);
  const auto names = [&] {
    std::vector<std::string> out;
    for (const FlameBox& b : model.boxes(1000)) {
      if (b.row == 1) out.push_back(model.label(b.node));
    }
    return out;
  };
  EXPECT_EQ(names(), (std::vector<std::string>{"embeddings", "encoder"}));
  model.order_by_cost(true);
  EXPECT_EQ(names(), (std::vector<std::string>{"encoder", "embeddings"}));
}

TEST(FlameModel, TheMiddleOfAModuleIsThatOfItsTime) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  CostTree tree;
  ASSERT_TRUE(inspector::module_tree(trace.store, trace.data->shown, &tree).ok());
  size_t parents = 0;
  for (const inspector::CostNode& n : tree.nodes) {
    if (n.children.empty() || n.kind != CostKind::Module) continue;
    double least = INFINITY, most = -INFINITY;
    for (const int32_t c : n.children) {
      least = std::min(least, tree.nodes[static_cast<size_t>(c)].middle);
      most = std::max(most, tree.nodes[static_cast<size_t>(c)].middle);
    }
    ++parents;
    EXPECT_GE(n.middle, least - 1e-9) << n.path.str();
    EXPECT_LE(n.middle, most + 1e-9) << n.path.str();
  }
  EXPECT_GT(parents, 3U);
  // Blocks run one after another.
  std::map<std::string, double> blocks;
  for (const inspector::CostNode& n : tree.nodes) {
    if (n.kind == CostKind::Module && (n.path == "blocks.0" || n.path == "blocks.1")) blocks[n.path.str()] = n.middle;
  }
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_LT(blocks["blocks.0"], blocks["blocks.1"]);
}

TEST(FlameModel, ATypeIsOneBoxWhateverItsShapes) {
  size_t shaped = 0;
  for (const char* name :
       {"mobilenet_v2_035_xnnpack_int8", "lstm_xnnpack", "partial_delegation", "nanogpt_xnnpack_qd4"}) {
    const OpenedTrace trace(name);
    auto tree = std::make_shared<CostTree>(inspector::type_tree(trace.data->shown));
    for (const inspector::CostNode& n : tree->nodes) {
      std::map<std::string, int> types;
      for (const int32_t c : n.children) {
        const inspector::CostNode& child = tree->nodes[static_cast<size_t>(c)];
        if (n.kind != CostKind::Group || n.parent < 0 ||
            tree->nodes[static_cast<size_t>(n.parent)].kind == CostKind::Group)
          continue;
        const std::string& type = child.name.str();
        if (type.ends_with("(unattributed)")) continue;
        EXPECT_EQ(type.find("->"), std::string::npos) << type;
        EXPECT_EQ(++types[type.substr(0, type.find(" ("))], 1) << type;
        ++shaped;
      }
    }
    FlameModel model;
    model.set(tree, trace.data);
    for (const FlameType& type : model.types()) EXPECT_EQ(type.name.find(" ("), std::string::npos) << type.name;
  }
  EXPECT_GT(shaped, 0U);
}

// By what runs it: the same time, each op once, and no module needed.
TEST_P(FlameTest, TypesHoldAllTimeWithoutModules) {
  const OpenedTrace trace(GetParam());
  auto tree = std::make_shared<CostTree>(inspector::type_tree(trace.data->shown));
  const CostTree calls = inspector::call_tree(trace.data->shown, false);
  EXPECT_NEAR(tree->nodes[0].total, calls.nodes[0].total, 1e-6 * (1 + calls.nodes[0].total));
  EXPECT_EQ(tree->nodes[0].ops, calls.nodes[0].ops);
  FlameModel model;
  model.set(tree, trace.data);
  EXPECT_FALSE(model.has(CostKind::Module));
  EXPECT_TRUE(model.has(CostKind::Group));
  for (const auto& n : tree->nodes) EXPECT_TRUE(n.kind != CostKind::Group || !n.children.empty()) << n.name.str();
  check(&model, 900);
}

// Noise and overhead are no part of the model: they stand at the right, whatever the order.
TEST(FlameModel, WhatIsNotTheModelStandsBehindIt) {
  CostTree made;
  const auto add = [&](CostKind kind, int32_t parent, double total) {
    inspector::CostNode n;
    n.kind = kind;
    n.parent = parent;
    n.self = n.total = total;
    if (parent >= 0) {
      made.nodes[static_cast<size_t>(parent)].children.push_back(static_cast<int32_t>(made.nodes.size()));
      made.nodes[static_cast<size_t>(parent)].self = 0;
    }
    made.nodes.push_back(std::move(n));
  };
  add(CostKind::Root, -1, 100);
  add(CostKind::Outside, 0, 60);
  add(CostKind::Module, 0, 15);
  add(CostKind::Unattributed, 0, 5);
  add(CostKind::Module, 0, 20);
  FlameModel model;
  model.set(std::make_shared<CostTree>(std::move(made)), nullptr);
  const auto order = [&] {
    std::vector<int32_t> out;
    for (const FlameBox& b : model.boxes(1000)) {
      if (b.row == 1) out.push_back(b.node);
    }
    return out;
  };
  EXPECT_EQ(order(), (std::vector<int32_t>{2, 4, 1, 3}));
  model.order_by_cost(true);
  EXPECT_EQ(order(), (std::vector<int32_t>{4, 2, 1, 3}));
}

TEST_P(FlameTest, LinesNestOnTheBasisThatIsShown) {
  const OpenedTrace trace(GetParam());
  FlameModel model;
  open(trace, false, &model, true);
  double cost = 0;
  for (const inspector::OpBlock& b : trace.data->shown.blocks) cost += b.kind == "execute" ? b.cost : 0;
  EXPECT_NEAR(model.root_total(), cost, 1e-6 * cost);
  check(&model, 900);
  for (size_t i = 0; i < model.tree()->nodes.size(); i += 5) {
    const auto index = static_cast<int32_t>(i);
    if (!(model.node(index).total > 0)) continue;
    EXPECT_FALSE(model.facts(index).empty());
    model.zoom(index);
    check(&model, 700);
  }
}

TEST_P(FlameTest, AChainOfOneKindIsOneBox) {
  const OpenedTrace trace(GetParam());
  for (const bool frames : {false, true}) {
    FlameModel model;
    open(trace, true, &model, frames);
    for (const FlameBox& b : model.boxes(5000)) {
      if (b.merged > 0 || b.node == 0) continue;
      const inspector::CostNode& n = model.node(b.node);
      const bool goes_on = n.children.size() == 1 && model.node(n.children.front()).kind == n.kind &&
                           (n.kind == CostKind::Module || n.kind == CostKind::Frame);
      EXPECT_FALSE(goes_on) << model.label(b.first, b.node);
      EXPECT_FALSE(model.label(b.first, b.node).empty());
    }
  }
}

TEST_P(FlameTest, BoxesNest) {
  const OpenedTrace trace(GetParam());
  for (const bool modules : {true, false}) {
    FlameModel model;
    open(trace, modules, &model);
    ASSERT_NE(model.tree(), nullptr);
    EXPECT_NEAR(model.root_total(), static_cast<double>(trace.data->facts.execute_total.value_or(0)), 1e-3);
    check(&model, 1200);
    // Each level's widths add up to what contains them, save for what is less than a pixel or negative.
    double sum = 0;
    for (const FlameBox& b : model.boxes(1200)) sum += b.row == 1 ? b.total : 0;
    EXPECT_NEAR(sum, model.root_total(), model.root_total() * 0.01 + 1);
    model.order_by_cost(true);
    check(&model, 700);
    for (size_t i = 0; i < model.tree()->nodes.size(); i += 7) {
      if (!(model.node(static_cast<int32_t>(i)).total > 0)) continue;
      model.zoom(static_cast<int32_t>(i));
      check(&model, 700);
      EXPECT_EQ(model.hit(350, 0)->first, model.zoomed());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, FlameTest,
                         testing::Values("partial_delegation", "mobilenet_v2_035_xnnpack_int8", "lstm_xnnpack",
                                         "multi_method", "control_flow_map", "nanogpt_xnnpack_qd4"));

TEST(FlameModel, MergesWhatIsNarrowerThanAPixel) {
  auto tree = std::make_shared<CostTree>();
  tree->nodes.resize(1);
  constexpr int kCount = 100000;
  tree->nodes[0].total = kCount;
  for (int i = 0; i < kCount; ++i) {
    inspector::CostNode n;
    n.kind = CostKind::Call;
    n.name = tree->texts.keep("op " + std::to_string(i));
    n.parent = 0;
    n.self = n.total = 1;
    tree->nodes[0].children.push_back(static_cast<int32_t>(tree->nodes.size()));
    tree->nodes.push_back(n);
  }
  FlameModel model;
  model.set(tree, nullptr);
  const auto& boxes = model.boxes(1000);
  EXPECT_LE(boxes.size(), 1001U);
  int64_t merged = 0;
  double total = 0;
  for (const FlameBox& b : boxes) {
    merged += b.merged;
    total += b.row == 1 ? b.total : 0;
  }
  EXPECT_EQ(merged, kCount);
  EXPECT_EQ(total, kCount);
  EXPECT_EQ(&model.boxes(1000), &boxes);  // not laid out again
}

TEST_P(FlameTest, TypesAreRankedAndAddUp) {
  const OpenedTrace trace(GetParam());
  FlameModel model;
  open(trace, true, &model);
  std::map<std::string, double> times;
  for (size_t i = 0; i < model.tree()->nodes.size(); ++i) {
    const int32_t type = model.type_of(static_cast<int32_t>(i));
    if (type < 0) continue;
    const inspector::CostNode& n = model.node(static_cast<int32_t>(i));
    EXPECT_TRUE(n.children.empty());
    times[model.types()[static_cast<size_t>(type)].name] += n.total;
  }
  ASSERT_EQ(times.size(), model.types().size()) << "one colour a name";
  for (size_t t = 0; t < model.types().size(); ++t) {
    EXPECT_NEAR(model.types()[t].time, times[model.types()[t].name], 1e-6 * (1 + model.root_total()));
    EXPECT_TRUE(t == 0 || model.types()[t - 1].time >= model.types()[t].time);
  }
  for (const FlameBox& b : model.boxes(40)) {  // narrow: many are merged
    double sum = 0;
    const std::vector<int32_t> nodes = model.nodes_of(b);
    ASSERT_EQ(nodes.size(), static_cast<size_t>(std::max(1, b.merged)));
    for (const int32_t n : nodes) sum += model.node(n).total;
    EXPECT_NEAR(sum, b.total, 1e-6 * (1 + model.root_total()));
    EXPECT_TRUE(b.merged == 0 || model.merged_facts(b).front().second == std::to_string(b.merged));
  }
  double inside = 0;
  const int32_t last = model.end_of_chain(0);
  for (const FlameType& t : model.inside(0)) inside += t.time;
  EXPECT_NEAR(inside + model.node(last).self, model.node(last).total, 1e-6 * (1 + model.root_total()));
}

TEST(FlameModel, ChainsAreNamedByAllOfTheirNodes) {
  auto tree = std::make_shared<CostTree>();
  const auto add = [&](CostKind kind, const char* name, const char* path, double total) {
    inspector::CostNode n;
    n.kind = kind;
    n.name = tree->texts.keep(name);
    n.path = tree->texts.keep(path);
    n.total = total;
    n.parent = static_cast<int32_t>(tree->nodes.size()) - 1;
    if (n.parent >= 0) tree->nodes.back().children.push_back(n.parent + 1);
    tree->nodes.push_back(n);
  };
  add(CostKind::Root, "all executions", "", 10);
  add(CostKind::Method, "forward", "", 10);
  add(CostKind::Module, "", "", 10);
  tree->nodes.back().type = tree->texts.keep("models.Wrapper");
  add(CostKind::Module, "bert", "bert", 10);
  add(CostKind::Module, "encoder", "bert.encoder", 10);
  add(CostKind::Node, "aten.linear.default", "bert.encoder", 10);
  FlameModel model;
  model.set(tree, nullptr);
  const auto& boxes = model.boxes(500);
  ASSERT_EQ(boxes.size(), 3U);
  EXPECT_EQ(model.rows(), 3);
  EXPECT_EQ(model.label(boxes[0].first, boxes[0].node), "forward");
  EXPECT_EQ(model.label(boxes[1].first, boxes[1].node), "Wrapper › bert.encoder");
  EXPECT_EQ(model.label(boxes[2].first, boxes[2].node), "aten.linear.default");
  EXPECT_EQ(model.steps_to(5).size(), 3U);
  model.zoom(3);  // inside of a chain
  EXPECT_EQ(model.boxes(500).front().first, 3);
  EXPECT_EQ(model.rows(), 2);
}

TEST(FlameModel, ComparesByNames) {
  const auto make = [](double attention, double output, const char* third) {
    auto tree = std::make_shared<CostTree>();
    tree->nodes.resize(4);
    const char* names[] = {"all", "attention", "output", third};
    const double totals[] = {attention + output + 5, attention, output, 5};
    for (size_t i = 0; i < 4; ++i) {
      tree->nodes[i].name = tree->texts.keep(names[i]);
      tree->nodes[i].kind = i == 0 ? CostKind::Root : CostKind::Module;
      tree->nodes[i].total = totals[i];
      tree->nodes[i].parent = i == 0 ? -1 : 0;
      if (i > 0) tree->nodes[0].children.push_back(static_cast<int32_t>(i));
    }
    return tree;
  };
  FlameModel model;
  model.set(make(30, 10, "head"), nullptr);
  EXPECT_FALSE(model.compares());
  EXPECT_EQ(model.change(1), 0);
  model.compare(make(20, 15, "tail"));
  ASSERT_TRUE(model.compares());
  EXPECT_DOUBLE_EQ(model.change(1), 10);
  EXPECT_DOUBLE_EQ(model.change(2), -5);
  EXPECT_DOUBLE_EQ(model.change(3), 5);  // it was not there
  EXPECT_DOUBLE_EQ(model.change(0), 5);
  model.compare(nullptr);
  EXPECT_EQ(model.change(1), 0);
}

/// A root with a module that has some operators: name and time.
std::shared_ptr<CostTree> block_of(const std::vector<std::pair<const char*, double>>& operators) {
  MadeTree made;
  made.add(-1, CostKind::Root, "all", 0, 0);
  made.add(0, CostKind::Module, "mlp", 0, 0);
  double at = 0;
  for (const auto& [name, time] : operators) {
    const int32_t node = made.add(1, CostKind::Node, name, time, at++);
    made.tree.nodes[static_cast<size_t>(node)].type = inspector::Text(made.tree.texts.keep(name));
    made.tree.nodes[0].total += time;
    made.tree.nodes[1].total += time;
  }
  return std::make_shared<CostTree>(std::move(made.tree));
}

TEST(FlameModel, WhatStandsInPlaceOfSomethingElseIsReplacedNotSlower) {
  FlameModel model;
  model.set(block_of({{"aten.linear", 10}, {"aten.relu", 3}, {"aten.mul", 2}}), nullptr);
  model.compare(block_of({{"aten.linear", 9}, {"aten.gelu", 8}, {"aten.mul", 2}}));
  ASSERT_TRUE(model.replaces_any());
  ASSERT_NE(model.replaced(3), nullptr);
  EXPECT_EQ(model.replaced(3)->names, "aten.gelu");
  EXPECT_DOUBLE_EQ(model.replaced(3)->time, 8);
  for (const int32_t same : {0, 1, 2, 4}) EXPECT_EQ(model.replaced(same), nullptr) << same;
  // What was added where nothing went is slower.
  model.compare(block_of({{"aten.linear", 9}, {"aten.mul", 2}}));
  EXPECT_FALSE(model.replaces_any());
  EXPECT_DOUBLE_EQ(model.change(3), 3);
}

TEST(FlameModel, OnlyWhatAComparisonIsSureOfHasAColour) {
  FlameModel model;
  model.set(block_of({{"aten.linear", 10}, {"aten.relu", 3}, {"aten.mul", 2}}), nullptr);
  auto sure = std::make_shared<FlameSure>();
  sure->titles = {"aten.relu"};
  model.compare(block_of({{"aten.linear", 4}, {"aten.relu", 1}, {"aten.mul", 2}}), sure);
  EXPECT_DOUBLE_EQ(model.change(1), 8);
  EXPECT_DOUBLE_EQ(model.sure_change(1), 2) << "of the module what is inside and sure";
  EXPECT_DOUBLE_EQ(model.sure_change(2), 0) << "unclear";
  EXPECT_DOUBLE_EQ(model.sure_change(3), 2);
  for (const FlameType& type : model.types())
    EXPECT_EQ(type.sure_change, type.name == "aten.relu" ? 2 : 0) << type.name;
  // A module whose sure part is too small to be seen is grey, in its box and in the table.
  EXPECT_TRUE(FlameModel::shows_change(model.node(1).total, model.sure_change(1)));
  EXPECT_FALSE(FlameModel::shows_change(1000, model.sure_change(1)));
  EXPECT_FALSE(FlameModel::shows_change(10, 0));
  const auto facts = model.facts(3);
  EXPECT_TRUE(std::none_of(facts.begin(), facts.end(), [](const auto& fact) { return fact.first == "change"; }))
      << "the panel says it, with what of it is sure";
  // What is gone is gone, where that is sure.
  sure->titles.insert("aten.abs");
  model.compare(block_of({{"aten.linear", 10}, {"aten.relu", 3}, {"aten.mul", 2}, {"aten.abs", 5}}), sure);
  EXPECT_DOUBLE_EQ(model.sure_change(1), -5);
}

TEST(FlameModel, OperatorsHaveTheirChangeAlsoThoseThatAreGone) {
  FlameModel model;
  model.set(block_of({{"aten.linear", 10}, {"aten.relu", 3}}), nullptr);
  model.compare(block_of({{"aten.linear", 9}, {"aten.gelu", 8}}));
  std::map<std::string, double> change;
  for (const FlameType& t : model.types()) change[t.name] = t.change;
  EXPECT_DOUBLE_EQ(change["aten.linear"], 1);
  EXPECT_DOUBLE_EQ(change["aten.relu"], 3);
  // relu stands for gelu, and nowhere else: one row, and no colour.
  ASSERT_EQ(model.compared_types().size(), 2U);
  const FlameType& relu = model.compared_types()[1];
  EXPECT_EQ(relu.name, "aten.relu");
  EXPECT_EQ(relu.others, std::set<std::string>{"aten.gelu"});
  EXPECT_DOUBLE_EQ(relu.change, -5);
  EXPECT_DOUBLE_EQ(relu.sure_change, 0);
  // The rows of a module add up to its change.
  double inside = 0;
  for (const FlameType& row : model.inside(1)) inside += row.change;
  EXPECT_DOUBLE_EQ(inside, model.change(1));
}

TEST(FlameModel, WhatIsReplacedInOnePlaceAloneKeepsItsOwnRow) {
  FlameModel model;
  model.set(block_of({{"aten.linear", 10}, {"aten.relu", 3}, {"aten.silu", 1}}), nullptr);
  model.compare(block_of({{"aten.linear", 9}, {"aten.gelu", 8}}));
  std::vector<std::string> names;
  double change = 0;
  for (const FlameType& row : model.compared_types()) {
    names.push_back(row.name + (row.gone ? " gone" : ""));
    change += row.change;
    if (row.name != "aten.linear") {
      EXPECT_EQ(row.sure_change, 0) << row.name << " is neither slower nor faster";
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"aten.linear", "aten.gelu gone", "aten.relu", "aten.silu"}));
  EXPECT_DOUBLE_EQ(change, model.change(0));
  EXPECT_EQ(model.compared_types()[1].others, (std::set<std::string>{"aten.relu", "aten.silu"}));
  ASSERT_NE(model.replaced(3), nullptr);
  EXPECT_FALSE(model.replaced(3)->alone);
  double inside = 0;
  for (const FlameType& row : model.inside(1)) inside += row.change;
  EXPECT_DOUBLE_EQ(inside, model.change(1));
  // What is gone and has no successor is faster.
  model.compare(block_of({{"aten.linear", 10}, {"aten.relu", 3}, {"aten.silu", 1}, {"aten.mul", 4}}));
  ASSERT_EQ(model.compared_types()[1].name, "aten.mul");
  EXPECT_DOUBLE_EQ(model.compared_types()[1].sure_change, -4);
}

TEST(FlameModel, BoxesOfOneNameHaveEachItsOwnChange) {
  FlameModel model;
  model.set(block_of({{"aten.conv", 5}, {"aten.conv", 10}, {"aten.relu", 1}}), nullptr);
  model.compare(block_of({{"aten.conv", 10}, {"aten.conv", 20}, {"aten.relu", 1}}));
  EXPECT_DOUBLE_EQ(model.change(2), -5);
  EXPECT_DOUBLE_EQ(model.change(3), -10);
  EXPECT_DOUBLE_EQ(model.sure_change(1), -15) << "counted once";
  EXPECT_DOUBLE_EQ(model.inside(1)[0].change, -15);
  // Of another number each has its part of them, and they add up all the same.
  model.compare(block_of({{"aten.conv", 20}, {"aten.conv", 20}, {"aten.conv", 20}, {"aten.relu", 1}}));
  EXPECT_DOUBLE_EQ(model.change(2) + model.change(3), -45);
  EXPECT_DOUBLE_EQ(model.change(1), -45);
  EXPECT_EQ(model.lost(), 0);
  EXPECT_FALSE(model.replaces_any());
}

TEST(FlameModel, WhatIsGoneHasAColourOnlyWhereTheComparisonIsSureOfIt) {
  FlameModel model;
  model.set(block_of({{"aten.addmm", 30}, {"aten.relu", 3}}), nullptr);
  const auto before = block_of({{"aten.linear", 20}, {"aten.relu", 3}});
  model.compare(before, std::make_shared<FlameSure>());
  EXPECT_DOUBLE_EQ(model.change(1), 10);
  EXPECT_DOUBLE_EQ(model.sure_change(1), 0) << "neither what has come nor what is gone";
  auto sure = std::make_shared<FlameSure>();
  sure->titles = {"aten.addmm", "aten.linear"};
  model.compare(before, sure);
  EXPECT_DOUBLE_EQ(model.sure_change(1), 10);
  EXPECT_EQ(model.lost(), 0) << "it was replaced";
  // A sure part that goes the other way than the whole gives it no colour.
  EXPECT_EQ(FlameModel::colored(5, -3), 0);
  EXPECT_EQ(FlameModel::colored(5, 8), 5);
  EXPECT_EQ(FlameModel::colored(-5, -3), -3);
}

/// layer.0 … of one class with an attention each, and a head.
std::shared_ptr<CostTree> layers_of(int layers, const char* type_of_last = "models.Layer") {
  MadeTree made;
  const auto module = [&](int32_t parent, const char* name, const std::string& path, const char* type) {
    const int32_t at = made.add(parent, CostKind::Module, name, 0, 0);
    made.tree.nodes[static_cast<size_t>(at)].path = inspector::Text(made.tree.texts.keep(path));
    made.tree.nodes[static_cast<size_t>(at)].type = inspector::Text(made.tree.texts.keep(type));
    return at;
  };
  made.add(-1, CostKind::Root, "all", 0, 0);
  const int32_t list = module(0, "layer", "layer", "torch.ModuleList");
  for (int i = 0; i < layers; ++i) {
    const std::string number = std::to_string(i), path = "layer." + number;
    const int32_t layer = module(list, number.c_str(), path, i + 1 == layers ? type_of_last : "models.Layer");
    const int32_t attention = module(layer, "attn", path + ".attn", "models.Attention");
    const int32_t leaf = made.add(attention, CostKind::Node, "linear", 10 + i, i);
    made.tree.nodes[static_cast<size_t>(leaf)].type = inspector::Text(made.tree.texts.keep("aten.linear"));
    for (int32_t at = attention; at >= 0; at = made.tree.nodes[static_cast<size_t>(at)].parent)
      made.tree.nodes[static_cast<size_t>(at)].total += 10 + i;
  }
  return std::make_shared<CostTree>(std::move(made.tree));
}

TEST(FlameModel, RepeatedModulesBecomeOneBox) {
  FlameModel model;
  model.set(layers_of(12), nullptr);
  ASSERT_TRUE(model.has_repeats());
  const double whole = model.root_total();
  model.merge_repeats(true);
  EXPECT_DOUBLE_EQ(model.root_total(), whole);
  std::vector<std::string> labels;
  double leaves = 0;
  for (size_t i = 0; i < model.tree()->nodes.size(); ++i) {
    const auto node = static_cast<int32_t>(i);
    labels.push_back(model.label(node));
    if (model.node(node).children.empty()) leaves += model.node(node).total;
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"all", "layer", "layer.{0..11} ×12", "attn", "aten.linear"}));
  EXPECT_DOUBLE_EQ(leaves, whole);
  EXPECT_EQ(model.node(3).path.str(), "layer.*.attn");
  model.merge_repeats(false);
  EXPECT_EQ(model.tree()->nodes.size(), 2U + 12 * 3);
  // What differs in class stays alone.
  model.merge_repeats(true);
  model.set(layers_of(12, "models.Pooler"), nullptr);
  EXPECT_EQ(model.label(2), "layer.{0..10} ×11");
  EXPECT_EQ(model.label(5), "layer.11");
  EXPECT_FALSE(et::gui::has_repeats(*layers_of(1)));
}

TEST(FlameModel, NegativeTimesAreNotDrawn) {
  auto tree = std::make_shared<CostTree>();
  tree->nodes.resize(3);
  tree->nodes[0].total = 90;
  tree->nodes[0].children = {1, 2};
  tree->nodes[1].parent = tree->nodes[2].parent = 0;
  tree->nodes[1].total = 100;
  tree->nodes[2].total = -10;
  FlameModel model;
  model.set(tree, nullptr);
  const auto& boxes = model.boxes(500);
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[1].x1, 500);
  EXPECT_EQ(model.hit(499, 1)->node, 1);
  EXPECT_EQ(model.hit(10, 2), nullptr);
  EXPECT_EQ(model.hit(10, -1), nullptr);
}

TEST(FlameModel, SearchCountsNothingTwice) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  FlameModel model;
  FlameTest::open(trace, true, &model);
  model.search("BLOCKS.0");
  ASSERT_FALSE(model.found().empty());
  const auto block = std::find_if(model.found().begin(), model.found().end(),
                                  [&](int32_t n) { return model.node(n).path == "blocks.0"; });
  ASSERT_NE(block, model.found().end());
  EXPECT_DOUBLE_EQ(model.found_total(), model.node(*block).total);
  const int32_t first = model.next_found(1);
  EXPECT_EQ(first, model.found().front());
  EXPECT_EQ(model.next_found(-1), model.found().back());
  EXPECT_EQ(model.next_found(1), first);
  model.search("nothing is called like that");
  EXPECT_TRUE(model.found().empty());
  EXPECT_EQ(model.next_found(1), -1);
  EXPECT_EQ(model.found_total(), 0);
}

// One match after the other: what is around it stays in view, and it is never narrower than asked for.
TEST(FlameModel, AMatchIsShownInWhatIsAroundIt) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  FlameModel model;
  FlameTest::open(trace, true, &model);
  constexpr float kWidth = 1200, kLeast = 120;
  model.search("softmax");
  ASSERT_GT(model.found().size(), 2U);
  const auto width_of = [&](int32_t node) {
    for (const FlameBox& b : model.boxes(kWidth)) {
      if (b.merged == 0 && b.node == model.end_of_chain(node)) return b.x1 - b.x0;
    }
    return 0.0F;
  };
  for (size_t i = 0; i < 2 * model.found().size(); ++i) {
    const int32_t hit = model.next_found(1);
    const int32_t context = model.context_of(hit, kWidth, kLeast);
    const std::vector<int32_t> path = model.path_to(hit);
    EXPECT_NE(context, hit);
    EXPECT_NE(std::find(path.begin(), path.end(), context), path.end());
    model.zoom(context);
    const bool innermost = context == model.node(hit).parent;
    EXPECT_TRUE(width_of(hit) >= kLeast - 1 || innermost) << model.label(hit);
    EXPECT_EQ(model.context_of(hit, kWidth, kLeast), context) << "what is seen well stays";
    // Not further in than it must be.
    const int32_t around = model.node(model.steps_to(context).back().first).parent;
    if (around < 0 || innermost) continue;
    model.zoom(around);
    EXPECT_LT(width_of(hit), kLeast + 1);
    model.zoom(context);
  }
  model.zoom(0);
  EXPECT_EQ(model.context_of(1, kWidth, kLeast), 0);
}

TEST(FlameModel, ByBackendsTheOpsOfAModuleAreFoundByIt) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  FlameModel model;
  model.set(std::make_shared<CostTree>(inspector::type_tree(trace.data->shown)), trace.data);
  const auto ops_of = [&](const std::string& module) {
    size_t count = 0;
    for (size_t i = 0; i < model.tree()->nodes.size(); ++i)
      count += model.tree()->nodes[i].path.str().find(module) != std::string::npos ? 1 : 0;
    return count;
  };
  ASSERT_GT(ops_of("blocks.0"), 0U);
  model.search("blocks.0");
  EXPECT_EQ(model.found().size(), ops_of("blocks.0"));
  EXPECT_FALSE(model.is_module_without_box());
  // Where ops of many modules are one box, none of these modules is it.
  model.set(std::make_shared<CostTree>(inspector::call_tree(trace.data->shown, true)), trace.data);
  model.search("blocks");
  for (const int32_t n : model.found()) EXPECT_LT(model.node(n).ops, 2) << model.label(n);
  model.search("nothing is called like that");
  EXPECT_FALSE(model.is_module_without_box());
}

TEST(FlameModel, SelectsAndFinds) {
  const OpenedTrace trace("partial_delegation");
  for (const int shape : {0, 1, 2}) {
    FlameModel model;
    FlameTest::open(trace, shape == 0, &model, shape == 2);
    size_t selected = 0;
    for (size_t i = 0; i < model.tree()->nodes.size(); ++i) {
      const auto index = static_cast<int32_t>(i);
      const Selection s = model.selection_of(index);
      if (s.empty()) continue;
      ++selected;
      EXPECT_TRUE(model.is_selected(index, s)) << model.label(index);
      const int32_t found = model.find(s);
      ASSERT_GE(found, 0);
      EXPECT_TRUE(model.is_selected(found, s));
      EXPECT_FALSE(model.facts(index).empty());
    }
    EXPECT_GT(selected, 4U);
    const std::string csv = model.csv();
    EXPECT_EQ(static_cast<size_t>(std::count(csv.begin(), csv.end(), '\n')), model.tree()->nodes.size() + 1);
  }
}

}  // namespace
}  // namespace et::gui::test
