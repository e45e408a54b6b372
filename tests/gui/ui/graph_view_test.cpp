// The view of the graph: what of it is seen when it opens, grows, is searched and walked.
#include <algorithm>
#include <cmath>

#include "gui/models/graph_model.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

// Screen position of an item with that label in the window of a panel, wherever its child windows are.
ImRect graph_item(ImGuiTestContext* t, const char* label) {
  t->SetRef("Graph##solo");
  return t->ItemInfo(label).RectFull;
}

// In a window as small as it gets, and in a usual one.
class GraphViewTest : public UiTest, public testing::WithParamInterface<std::pair<int, int>> {
 protected:
  PictureSize picture_size() const override { return {GetParam().first, GetParam().second}; }
  GraphViewModel& graph() { return model<GraphViewModel>("graph"); }
  ImRect item(const char* label) {
    ImRect out;
    drive([&](ImGuiTestContext* t) { out = graph_item(t, label); });
    return out;
  }
  bool has_map() {
    bool out = false;
    drive([&](ImGuiTestContext* t) {
      t->SetRef("Graph##solo");
      out = t->ItemExists("**/##map");
    });
    return out;
  }
};

TEST_P(GraphViewTest, TheMapLiesOverACornerOfTheViewAndMovesIt) {
  open("nanogpt_xnnpack_qd4");
  solo("graph");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemClick("**/Expand all");
  });
  settle();
  ASSERT_TRUE(has_map());
  const ImRect view = item("**/##canvas"), map = item("**/##map");
  EXPECT_TRUE(view.Contains(map)) << "the graph is drawn below it, not above it only";
  EXPECT_GE(map.GetHeight(), 50);
  EXPECT_LT(map.GetHeight() * map.GetWidth(), 0.07F * view.GetHeight() * view.GetWidth());
  const auto seen = [&] {
    const GraphCamera& c = graph().camera;
    return inspector::LayoutPoint{c.x + view.GetWidth() / c.zoom / 2, c.y + view.GetHeight() / c.zoom / 2};
  };
  for (const float part : {0.9F, 0.2F}) {
    drive([&](ImGuiTestContext* t) {
      t->MouseMoveToPos({map.Min.x + part * map.GetWidth(), map.Min.y + part * map.GetHeight()});
      t->MouseClick();
      t->Yield(2);
    });
    EXPECT_NEAR(seen().x, part * graph().layout().width, graph().layout().width * 0.02F);
    EXPECT_NEAR(seen().y, part * graph().layout().height, graph().layout().height * 0.02F);
    EXPECT_TRUE(document().selection().empty()) << "nothing below the map is clicked";
  }
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemClick("**/Fit");
    t->Yield(3);
  });
  EXPECT_FALSE(has_map()) << "all is seen";
}

// The legend has room for all that it says, and what is shown at first ends above it.
TEST_P(GraphViewTest, TheLegendHasLinesEnough) {
  open("partial_delegation");
  solo("graph");
  const auto high = [&] { return item("**/##legend").GetHeight(); };
  const float before = high(), view = item("**/##canvas").GetHeight();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemClick("**/Collapse all");
    t->Yield(4);
  });
  settle();
  EXPECT_FALSE(has_map());
  EXPECT_EQ(high(), before);
  for (const inspector::LayoutRect& r : graph().layout().boxes)
    EXPECT_LE(graph().camera.to_screen(r.max).y, view - before) << "above the legend";
  app().panel("graph")->restore("color", "1");  // by delegate, of which there are few
  settle();
  const float of_one_line = high();
  EXPECT_EQ(before > of_one_line, GetParam().first < 1000) << "a second line where the first is too narrow";
  app().panel("graph")->restore("color", "2");  // by type
  settle();
  EXPECT_EQ(high() > of_one_line, GetParam().first < 1000);
}

// Small graphs are seen as a whole at once, in letters that can be read.
TEST_P(GraphViewTest, ASmallGraphIsWholeAtFirst) {
  for (const char* name :
       {"add_mul", "partial_delegation", "external_weights_xnnpack", "control_flow_cond", "nanogpt_xnnpack_qd4"}) {
    open(name);
    solo("graph");
    ASSERT_TRUE(graph().has_layout());
    const ImRect view = item("**/##canvas");
    for (const inspector::LayoutRect& r : graph().layout().boxes) {
      const inspector::LayoutPoint a = graph().camera.to_screen(r.min), b = graph().camera.to_screen(r.max);
      EXPECT_TRUE(a.x >= 0 && a.y >= 0 && b.x <= view.GetWidth() && b.y <= view.GetHeight())
          << name << " " << a.x << ", " << a.y << " to " << b.x << ", " << b.y << " of " << view.GetWidth() << " x "
          << view.GetHeight();
    }
    EXPECT_GE(graph().camera.zoom * GraphViewModel::kSmallText, 9) << name;
    EXPECT_FALSE(has_map()) << name;
  }
}

TEST_P(GraphViewTest, ALargeGraphBeginsAtItsCostliestBox) {
  open("mobilenet_v2_035_xnnpack_int8");
  solo("graph");
  const ImRect view = item("**/##canvas");
  const int32_t box = graph().longest_box();
  ASSERT_GE(box, 0);
  const inspector::LayoutRect& r = graph().layout().boxes[static_cast<size_t>(box)];
  const inspector::LayoutPoint a = graph().camera.to_screen(r.min), b = graph().camera.to_screen(r.max);
  EXPECT_TRUE(a.x >= 0 && a.y >= 0 && b.x <= view.GetWidth() && b.y <= view.GetHeight());
  EXPECT_GE(graph().camera.zoom * GraphViewModel::kSmallText, 9);
  const bool whole = graph().layout().width * graph().camera.zoom <= view.GetWidth() &&
                     graph().layout().height * graph().camera.zoom <= view.GetHeight();
  EXPECT_EQ(has_map(), !whole);
}

ImVec2 middle_of(const GraphViewModel& graph, const inspector::LayoutRect& r, const ImRect& view) {
  const auto p = graph.camera.to_screen({(r.min.x + r.max.x) / 2, (r.min.y + r.max.y) / 2});
  return {view.Min.x + p.x, view.Min.y + p.y};
}

// Of a closed group that is opened all is seen, or at least its beginning, and no empty room beside the graph.
TEST_P(GraphViewTest, AGroupThatOpensIsSeen) {
  open("nanogpt_xnnpack_qd4");
  solo("graph");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemClick("**/Collapse all");
  });
  settle();
  const ImRect view = item("**/##canvas");
  for (int round = 0; round < 2; ++round) {
    const int32_t box = graph().longest_box();
    ASSERT_EQ(graph().drawn().boxes[static_cast<size_t>(box)].kind, GraphBox::Kind::Group);
    const int32_t group = graph().drawn().boxes[static_cast<size_t>(box)].index;
    drive([&](ImGuiTestContext* t) {
      t->MouseMoveToPos(middle_of(graph(), graph().layout().boxes[static_cast<size_t>(box)], view));
      t->MouseDoubleClick();
      t->Yield(2);
    });
    settle();
    const auto& open = graph().drawn().clusters;
    const auto cluster = std::find(open.begin(), open.end(), group);
    ASSERT_NE(cluster, open.end());
    const GraphCamera& c = graph().camera;
    const auto first = graph().layout().clusters[static_cast<size_t>(cluster - open.begin())];
    const auto a = c.to_screen(first.min);
    EXPECT_TRUE(a.x >= -1 && a.y >= -1 && a.x < view.GetWidth() && a.y < view.GetHeight()) << round;
    const float wide = view.GetWidth() / c.zoom;
    if (graph().layout().width > wide) {
      EXPECT_GE(c.x, -13) << round;
      EXPECT_LE(c.x + wide, graph().layout().width + 13) << round;
    }
    if (c.zoom < 0.7F) continue;
    for (size_t b = 0; b < graph().layout().boxes.size(); ++b) {
      const auto path = graph().path_to(graph().group_around(static_cast<int32_t>(b)));
      const bool inside = std::find(path.begin(), path.end(), group) != path.end();
      const auto q = c.to_screen(graph().layout().boxes[b].max), p = c.to_screen(graph().layout().boxes[b].min);
      const bool seen = p.x >= 0 && p.y >= 0 && q.x <= view.GetWidth() && q.y <= view.GetHeight();
      EXPECT_TRUE(!inside || seen) << round;
    }
  }
}

TEST_P(GraphViewTest, ExpandAllKeepsWhatIsSelectedInView) {
  open("nanogpt_xnnpack_qd4");
  solo("graph");
  const auto& nodes = graph().graph()->nodes;
  const auto last = std::find_if(nodes.rbegin(), nodes.rend(), [](const auto& n) { return n.op.starts_with("aten."); });
  document().select(select_node(data(), last->name));
  settle();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemClick("**/Expand all");
  });
  settle();
  const ImRect view = item("**/##canvas"), map = item("**/##map");
  const int32_t box = graph().box_of(graph().find_node(last->name));
  ASSERT_GE(box, 0);
  const inspector::LayoutRect& r = graph().layout().boxes[static_cast<size_t>(box)];
  const ImRect seen(middle_of(graph(), {r.min, r.min}, view), middle_of(graph(), {r.max, r.max}, view));
  EXPECT_TRUE(view.Contains(seen));
  EXPECT_FALSE(map.Overlaps(seen)) << "nor below the map";
}

TEST_P(GraphViewTest, FitSelectionZoomsToIt) {
  open("nanogpt_xnnpack_qd4");
  solo("graph");
  const int32_t node = graph().first_costliest_node();
  document().select(select_node(data(), graph().graph()->nodes[static_cast<size_t>(node)].name));
  settle();
  const float before = graph().camera.zoom;
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemClick("**/Fit selection");
    t->Yield(3);
  });
  EXPECT_GT(graph().camera.zoom, 1.4F * before);
  const ImRect view = item("**/##canvas");
  EXPECT_TRUE(
      view.Contains(middle_of(graph(), graph().layout().boxes[static_cast<size_t>(graph().box_of(node))], view)));
}

// As the window does when its size changes.
TEST_P(GraphViewTest, AViewThatNobodyMovedFitsItsNewSize) {
  open("nanogpt_xnnpack_qd4");
  solo("graph");
  const auto is_whole = [&] {
    const ImRect view = item("**/##canvas");
    return std::all_of(graph().layout().boxes.begin(), graph().layout().boxes.end(), [&](const auto& r) {
      const auto a = graph().camera.to_screen(r.min), b = graph().camera.to_screen(r.max);
      return a.x >= 0 && a.y >= 0 && b.x <= view.GetWidth() && b.y <= view.GetHeight();
    });
  };
  EXPECT_TRUE(is_whole());
  for (const char* button : {"**/Hide details", "**/Details"}) {
    drive([&](ImGuiTestContext* t) {
      t->SetRef("Graph##solo");
      t->ItemClick(button);
      t->Yield(3);
    });
    settle();
    EXPECT_TRUE(is_whole()) << button;
  }
  // One that was moved keeps its middle and its zoom.
  const ImRect narrow = item("**/##canvas");
  graph().camera.zoom_at(2, {narrow.GetWidth() / 2, narrow.GetHeight() / 2});
  const auto before = graph().camera.to_graph({narrow.GetWidth() / 2, narrow.GetHeight() / 2});
  const float zoom = graph().camera.zoom;
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemClick("**/Hide details");
    t->Yield(3);
  });
  settle();
  const ImRect wide = item("**/##canvas");
  EXPECT_GT(wide.GetWidth(), narrow.GetWidth());
  EXPECT_EQ(graph().camera.zoom, zoom);
  EXPECT_NEAR(graph().camera.to_graph({wide.GetWidth() / 2, wide.GetHeight() / 2}).x, before.x, 1);
}

INSTANTIATE_TEST_SUITE_P(Sizes, GraphViewTest, testing::Values(std::pair{900, 600}, std::pair{1280, 800}));

// A click in the list of nodes leads to the graph, where arrows go on from it.
TEST_F(UiTest, ArrowsGoOnFromARowOfTheGraphsList) {
  open("nanogpt_xnnpack_qd4");
  solo("graph");
  auto& graph = model<GraphViewModel>("graph");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemClick("**/$$1/##node");
    t->Yield(3);
  });
  settle();
  const int32_t node = graph.find_node(document().selection().node);
  ASSERT_GE(node, 0);
  const int32_t box = graph.box_of(node), below = graph.neighbour(box, GraphViewModel::Toward::Consumer);
  ASSERT_NE(below, box);
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiKey_DownArrow);
    t->Yield(3);
  });
  EXPECT_TRUE(graph.selected(document().selection())[static_cast<size_t>(below)]);
}

TEST_F(UiTest, SignsOpenAndCloseTheSelectedGroup) {
  open("nanogpt_xnnpack_qd4");
  solo("graph");
  auto& graph = model<GraphViewModel>("graph");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemClick("**/Collapse all");
  });
  settle();
  const int32_t box = graph.longest_box(), group = graph.drawn().boxes[static_cast<size_t>(box)].index;
  ASSERT_EQ(graph.drawn().boxes[static_cast<size_t>(box)].kind, GraphBox::Kind::Group);
  drive([&](ImGuiTestContext* t) {
    const ImRect view = graph_item(t, "**/##canvas");
    t->MouseMoveToPos(middle_of(graph, graph.layout().boxes[static_cast<size_t>(box)], view));
    t->MouseClick();
    t->Yield(2);
    ASSERT_FALSE(document().selection().empty());
    t->KeyPress(ImGuiKey_Equal);
  });
  settle();
  EXPECT_TRUE(graph.groups()[static_cast<size_t>(group)].open);
  drive([&](ImGuiTestContext* t) { t->KeyPress(ImGuiKey_Minus); });
  settle();
  EXPECT_FALSE(graph.groups()[static_cast<size_t>(group)].open);
}

TEST_F(UiTest, EscapeClearsTheGraphsSearch) {
  open("nanogpt_xnnpack_qd4");
  solo("graph");
  auto& graph = model<GraphViewModel>("graph");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemInput("**/##search");
    t->KeyCharsReplace("mul");
    t->Yield(3);
    EXPECT_FALSE(graph.found().empty());
    t->KeyPress(ImGuiKey_Escape);
    t->Yield(3);
    EXPECT_TRUE(graph.found().empty());
    EXPECT_FALSE(t->ItemExists("**/##clear"));
    t->ItemInput("**/##search");
    t->KeyCharsReplace("mul");
    t->Yield(3);
    t->ItemClick("**/×##clear");
    t->Yield(3);
    EXPECT_TRUE(graph.found().empty());
  });
}

// A group of no module, as ops that cost next to nothing, is selected as its nodes.
TEST_F(UiTest, AGroupOfNoModuleIsSelectedByItsNodes) {
  open("nanogpt_xnnpack_qd4");
  solo("graph");
  settle();
  auto& graph = model<GraphViewModel>("graph");
  const auto small = std::find_if(graph.groups().begin(), graph.groups().end(),
                                  [](const GraphGroup& g) { return g.kind == GraphGroup::Kind::Small; });
  ASSERT_NE(small, graph.groups().end());
  const auto group = static_cast<int32_t>(small - graph.groups().begin());
  graph.reveal(small->nodes.front());
  graph.set_open(group, false);
  frames(3);
  settle();
  ASSERT_TRUE(graph.has_layout());
  drive([&](ImGuiTestContext* t) {
    const int32_t box = graph.box_of(graph.groups()[static_cast<size_t>(group)].nodes.front());
    ASSERT_GE(box, 0);
    const ImRect view = graph_item(t, "**/##canvas");
    const inspector::LayoutRect& r = graph.layout().boxes[static_cast<size_t>(box)];
    graph.camera.center({(r.min.x + r.max.x) / 2, (r.min.y + r.max.y) / 2}, view.GetWidth(), view.GetHeight());
    t->Yield(2);
    t->MouseMoveToPos(middle_of(graph, r, view));
    t->MouseClick();
    t->Yield(2);
  });
  EXPECT_EQ(document().selection().nodes.size(), graph.groups()[static_cast<size_t>(group)].nodes.size())
      << document().selection().label;
}

}  // namespace
}  // namespace et::gui::test
