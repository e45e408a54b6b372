// The icicle's boxes: nested, of the right width, few.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "gui/models/flame_model.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::CostKind;
using inspector::CostTree;

struct FlameTest : testing::TestWithParam<const char*> {
  static void open(const OpenedTrace& trace, bool modules, FlameModel* model) {
    auto tree = std::make_shared<CostTree>();
    if (modules) {
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
      const int32_t parent = model->node(b.node).parent;
      if (parent >= 0) {
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
      EXPECT_EQ(model.hit(350, static_cast<int32_t>(model.path_to(model.zoomed()).size()) - 1)->node, model.zoomed());
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

TEST(FlameModel, SelectsAndFinds) {
  const OpenedTrace trace("partial_delegation");
  for (const bool modules : {true, false}) {
    FlameModel model;
    FlameTest::open(trace, modules, &model);
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
