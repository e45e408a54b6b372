// The icicle's boxes: nested, of the right width, few.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "gui/models/flame_model.h"
#include "inspector/analysis/ops/frame_tree.h"
#include "inspector/analysis/ops/share_basis.h"
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
  const double cost = inspector::share_basis(trace.data->shown);
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
  EXPECT_EQ(model.node(3).path.str(), "layer.{0..11}.attn");
  // A layer of them is selected: the box is that in part.
  Selection layer;
  layer.kind = Selection::Kind::Module;
  layer.module = "layer.3";
  EXPECT_EQ(model.selected_members(2, layer), (std::pair<int64_t, int64_t>(1, 12)));
  EXPECT_EQ(model.selected_members(3, layer), (std::pair<int64_t, int64_t>(0, 12)));
  model.merge_repeats(false);
  EXPECT_EQ(model.tree()->nodes.size(), 2U + 12 * 3);
  // What differs in class stays alone.
  model.merge_repeats(true);
  model.set(layers_of(12, "models.Pooler"), nullptr);
  EXPECT_EQ(model.label(2), "layer.{0..10} ×11");
  EXPECT_EQ(model.label(5), "layer.11");
  EXPECT_FALSE(et::gui::has_repeats(*layers_of(1)));
}

/// Stages of one class, each with blocks "0" and "1" of another class; the first stage has no block "1".
TEST(FlameModel, WhatIsMergedIsCalledByItsOwnNumbers) {
  MadeTree made;
  const auto module = [&](int32_t parent, const char* name, const std::string& path, const char* type, double time) {
    const int32_t at = made.add(parent, CostKind::Module, name, time, 0);
    made.tree.nodes[static_cast<size_t>(at)].path = inspector::Text(made.tree.texts.keep(path));
    made.tree.nodes[static_cast<size_t>(at)].type = inspector::Text(made.tree.texts.keep(type));
    return at;
  };
  made.add(-1, CostKind::Root, "all", 50, 0);
  const int32_t list = module(0, "stages", "stages", "ModuleList", 50);
  for (int i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i), path = "stages." + number;
    const int32_t stage = module(list, number.c_str(), path, "Stage", i == 0 ? 10 : 20);
    const int32_t first = module(stage, "0", path + ".0", "Conv", 10);
    made.add(first, CostKind::Node, "conv", 10, i);
    if (i > 0) made.add(module(stage, "1", path + ".1", "Transformer", 10), CostKind::Node, "linear", 10, i);
  }
  FlameModel model;
  model.set(std::make_shared<CostTree>(std::move(made.tree)), nullptr);
  model.merge_repeats(true);
  std::vector<std::string> labels;
  for (size_t i = 0; i < model.tree()->nodes.size(); ++i) labels.push_back(model.label(static_cast<int32_t>(i)));
  EXPECT_EQ(labels, (std::vector<std::string>{"all", "stages", "stages.{0..2} ×3", "stages.{0..2}.0 ×3", "conv",
                                              "stages.{1,2}.1 ×2", "linear"}));
  const auto facts = model.facts(5);
  const auto stands = std::find_if(facts.begin(), facts.end(), [](const auto& f) { return f.first == "stands for"; });
  ASSERT_NE(stands, facts.end());
  EXPECT_EQ(stands->second, "2 modules, 10 ns each on average");
}

// Boxes that are merged, and such as several operators share, hold as many ops as before.
TEST(FlameModel, OpsAreCountedWhateverTheBoxes) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const auto counts = [&](bool merged) {
    auto tree = std::make_shared<CostTree>();
    EXPECT_TRUE(inspector::module_tree(trace.store, trace.data->shown, tree.get()).ok());
    FlameModel model;
    model.set(tree, trace.data);
    model.merge_repeats(merged);
    std::map<std::string, int64_t> out;
    for (const FlameType& type : model.types_in_view()) out[type.name] = type.count;
    return out;
  };
  EXPECT_EQ(counts(true), counts(false));
  EXPECT_GT(counts(true).size(), 3U);
}

TEST(FlameModel, OperatorsAreThoseOfWhatIsZoomedInto) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  FlameModel model;
  FlameTest::open(trace, true, &model);
  const auto sum = [&] {
    double out = 0;
    for (const FlameType& type : model.types_in_view()) out += type.time;
    return out;
  };
  const double whole = sum();
  model.search("blocks.0");
  ASSERT_FALSE(model.found().empty());
  const int32_t block = model.found().front();
  model.zoom(block);
  EXPECT_NEAR(sum(), model.node(block).total, 1e-6 * whole) << "all of a block is in its operators";
  EXPECT_LT(sum(), whole);
  model.zoom(0);
  EXPECT_DOUBLE_EQ(sum(), whole);
}

// Shares are of what they are of in the other panels: a disturbed machine's noise is no box.
TEST(FlameModel, NoiseOfADisturbedMachineIsLeftOut) {
  const OpenedTrace trace("nanogpt_xnnpack_qd4");
  const double usual =
      inspector::execution_time(trace.data->shown).whole - inspector::execution_time(trace.data->shown).noise;
  with_noise(*trace.data, 0.8);
  FlameModel model;
  FlameTest::open(trace, false, &model, true);
  EXPECT_TRUE(model.leaves_out_variation());
  EXPECT_NEAR(model.root_total(), usual, 1e-6 * usual);
  EXPECT_NEAR(model.left_out(), 4 * usual, 1e-6 * usual);
  for (const FlameBox& box : model.boxes(1000)) EXPECT_FALSE(inspector::is_variation(model.node(box.node)));
  FlameTest::check(&model, 900);
  with_noise(*trace.data, 0.05);
  FlameTest::open(trace, false, &model, true);
  EXPECT_FALSE(model.leaves_out_variation());
  EXPECT_NEAR(model.root_total(), usual / 0.95, 1e-6 * usual);
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
