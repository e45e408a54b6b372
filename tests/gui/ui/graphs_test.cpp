// Flame graph, graph and delegation map, driven by mouse and keys.
#include <algorithm>
#include <cmath>

#include "gui/models/delegation_model.h"
#include "gui/models/flame_model.h"
#include "gui/models/graph_model.h"
#include "gui/panels/delegation_panel.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

// Screen position of an item with that label in the window of a panel, wherever its child windows are.
ImRect area_of(ImGuiTestContext* t, const char* panel, const char* label) {
  t->SetRef(panel);
  return t->ItemInfo(label).RectFull;
}

TEST_F(UiTest, FlameGraphZoomsAndSelects) {
  open("nanogpt_xnnpack_qd4");
  solo("flame");
  auto& flame = model<FlameModel>("flame");
  ASSERT_NE(flame.tree(), nullptr);
  ASSERT_GT(flame.root_total(), 0);
  int32_t target = -1;
  drive([&](ImGuiTestContext* t) {
    const ImRect area = area_of(t, "Flame graph##solo", "**/##area");
    const auto& boxes = flame.boxes(area.GetWidth());
    const auto box = std::find_if(boxes.begin(), boxes.end(), [&](const FlameBox& b) {
      return flame.node(b.node).path == "blocks.1" && flame.node(b.node).kind == inspector::CostKind::Module;
    });
    ASSERT_NE(box, boxes.end());
    target = box->node;
    const float row = area.GetHeight() / static_cast<float>(flame.rows());
    const ImVec2 at = {area.Min.x + (box->x0 + box->x1) / 2, area.Min.y + row * (static_cast<float>(box->row) + 0.5F)};
    t->MouseMoveToPos(at);
    t->MouseClick();
    t->Yield(2);
    EXPECT_EQ(document().selection().module, "blocks.1");
    t->MouseDoubleClick();
    t->Yield(2);
    EXPECT_EQ(flame.zoomed(), target);
    t->ItemClick("**/forward##crumb0");
    t->Yield(2);
    EXPECT_EQ(flame.zoomed(), 0);
    t->ItemInput("**/##search");
    t->KeyCharsReplace("attn");
    t->Yield(2);
    EXPECT_FALSE(flame.found().empty());
  });
}

TEST_F(UiTest, FlameGraphByFramesSelectsALine) {
  open("nanogpt_xnnpack_qd4");
  solo("flame");
  auto& flame = model<FlameModel>("flame");
  app().panel("flame")->restore("by", "frames");
  settle();
  ASSERT_NE(flame.tree(), nullptr);
  drive([&](ImGuiTestContext* t) {
    const ImRect area = area_of(t, "Flame graph##solo", "**/##area");
    const auto& boxes = flame.boxes(area.GetWidth());
    const auto box = std::find_if(boxes.begin(), boxes.end(), [&](const FlameBox& b) {
      return b.merged == 0 && flame.node(b.node).kind == inspector::CostKind::Frame;
    });
    ASSERT_NE(box, boxes.end());
    const float row = area.GetHeight() / static_cast<float>(flame.rows());
    t->MouseMoveToPos({area.Min.x + (box->x0 + box->x1) / 2, area.Min.y + row * (static_cast<float>(box->row) + 0.5F)});
    t->MouseClick();
    t->Yield(2);
    EXPECT_EQ(document().selection().line, flame.node(box->node).line);
    EXPECT_EQ(document().selection().file, flame.node(box->node).file.str());
    EXPECT_FALSE(document().selection().ops.empty());
    // Few rows use the height that there is.
    EXPECT_GT(row, 1.5F * ImGui::GetFontSize());
  });
}

TEST_F(UiTest, GraphOpensGroupsAndSelectsNodes) {
  open("partial_delegation");
  solo("graph");
  auto& graph = model<GraphViewModel>("graph");
  settle();
  ASSERT_TRUE(graph.has_layout());
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemClick("**/Collapse all");
  });
  settle();
  ASSERT_TRUE(graph.has_layout());
  const size_t closed = graph.drawn().boxes.size();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemClick("**/Expand all");
  });
  settle();
  EXPECT_GT(graph.drawn().boxes.size(), closed);
  const int32_t node = graph.find_node("aten_mean_dim");
  ASSERT_GE(graph.box_of(node), 0);
  EXPECT_GE(graph.camera.zoom, 0.85F) << "the first view can be read";
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemClick("**/Fit");
    t->Yield(4);
    const ImRect area = area_of(t, "Graph##solo", "**/##canvas");
    const inspector::LayoutRect& r = graph.layout().boxes[static_cast<size_t>(graph.box_of(node))];
    const inspector::LayoutPoint p = graph.camera.to_screen({(r.min.x + r.max.x) / 2, (r.min.y + r.max.y) / 2});
    t->MouseMoveToPos({area.Min.x + p.x, area.Min.y + p.y});
    t->MouseClick();
    t->Yield(2);
    const float zoom = graph.camera.zoom;
    t->MouseWheelY(2);
    t->Yield(2);
    EXPECT_GT(graph.camera.zoom, zoom);
    EXPECT_EQ(document().selection().node, "aten_mean_dim");
    const int32_t box = graph.box_of(node), below = graph.neighbour(box, GraphViewModel::Toward::Consumer);
    ASSERT_NE(below, box);
    t->KeyPress(ImGuiKey_DownArrow);
    t->Yield(2);
    EXPECT_TRUE(graph.selected(document().selection())[static_cast<size_t>(below)]);
    t->KeyPress(ImGuiKey_UpArrow);
    t->Yield(2);
  });
  EXPECT_EQ(document().selection().node, "aten_mean_dim");
}

TEST_F(UiTest, GraphSearchFramesWhatItFinds) {
  open("nanogpt_xnnpack_qd4");
  solo("graph");
  auto& graph = model<GraphViewModel>("graph");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemInput("**/##search");
    t->KeyCharsReplace("blocks.1");
    t->Yield(4);
  });
  settle();
  const std::vector<bool> found = graph.found_boxes();
  inspector::LayoutRect rect;
  ASSERT_TRUE(graph.bounds(found, &rect));
  drive([&](ImGuiTestContext* t) {
    const ImRect area = area_of(t, "Graph##solo", "**/##canvas");
    bool seen = false;
    for (size_t i = 0; i < found.size(); ++i) {
      const inspector::LayoutRect& r = graph.layout().boxes[i];
      const auto p = graph.camera.to_screen({(r.min.x + r.max.x) / 2, (r.min.y + r.max.y) / 2});
      seen = seen || (found[i] && p.x > 0 && p.y > 0 && p.x < area.GetWidth() && p.y < area.GetHeight());
    }
    EXPECT_TRUE(seen);
    EXPECT_GT(graph.camera.zoom, 0.4F);
  });
}

TEST_F(UiTest, GraphLeavesNothingEmptyAroundWhatEnterGoesTo) {
  open("nanogpt_xnnpack_qd4");
  solo("graph");
  auto& graph = model<GraphViewModel>("graph");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemInput("**/##search");
    t->KeyCharsReplace("mul");
    t->Yield(4);
  });
  settle();
  for (int step = 0; step < 4; ++step) {
    drive([&](ImGuiTestContext* t) {
      t->SetRef("Graph##solo");
      t->ItemClick("**/##next");
      t->Yield(4);
    });
    settle();
    drive([&](ImGuiTestContext* t) {
      const ImRect area = area_of(t, "Graph##solo", "**/##canvas");
      const inspector::GraphLayout& layout = graph.layout();
      const float wide = area.GetWidth() / graph.camera.zoom, high = area.GetHeight() / graph.camera.zoom;
      constexpr float kMargin = 13;
      if (layout.width + 2 * kMargin > wide) {
        EXPECT_GE(graph.camera.x, -kMargin) << step;
        EXPECT_LE(graph.camera.x + wide, layout.width + kMargin) << step;
      }
      if (layout.height + 2 * kMargin > high) {
        EXPECT_GE(graph.camera.y, -kMargin) << step;
        EXPECT_LE(graph.camera.y + high, layout.height + kMargin) << step;
      }
    });
  }
}

TEST_F(UiTest, LinksOfTheGraphAreFoundByTheMouse) {
  open("partial_delegation");
  solo("graph");
  auto& graph = model<GraphViewModel>("graph");
  ASSERT_FALSE(graph.layout().edges.empty());
  for (size_t e = 0; e < graph.layout().edges.size(); ++e) {
    const auto& points = graph.layout().edges[e];
    ASSERT_GE(points.size(), 4U);
    const inspector::LayoutPoint middle = curve_point(points.data(), 0.5F);
    const GraphViewModel::Hit hit = graph.hit(middle, 4);
    EXPECT_TRUE(hit.box >= 0 || hit.link == static_cast<int32_t>(e)) << e;
  }
  EXPECT_EQ(graph.hit({-100, -100}, 4).link, -1);
}

TEST_F(UiTest, DelegationListsWhatStayedOutside) {
  open("partial_delegation");
  solo("delegation");
  auto& delegation = model<DelegationModel>("delegation");
  settle();
  ASSERT_EQ(delegation.maps().size(), 1U);
  EXPECT_EQ(delegation.rows().size(), 3U);
  drive([&](ImGuiTestContext* t) {
    const ImRect area = area_of(t, "Delegation##solo", "**/##area");
    const auto& strip = delegation.strip(0, delegation.strip_width(0));
    ASSERT_EQ(strip.size(), 6U);
    t->MouseMoveToPos({area.Min.x + (strip[1].x0 + strip[1].x1) / 2, (area.Min.y + area.Max.y) / 2});
    t->MouseClick();
    t->Yield(2);
    EXPECT_EQ(document().selection().kind, Selection::Kind::Part);
    EXPECT_EQ(document().selection().instruction, 1);
    t->ItemInput("**/##filter");
    t->KeyCharsReplace("cumsum");
    t->Yield(2);
    EXPECT_EQ(delegation.rows().size(), 1U);
    for (const char* tab : {"**/Delegates", "**/Graph breaks", "**/Node counts"}) {
      t->ItemClick(tab);
      t->Yield(2);
    }
  });
}

struct SmallDelegationTest : UiTest {
  PictureSize picture_size() const override { return {900, 600}; }
};

// Operator, time and reason are what the panel is for: a small window is without the others first.
TEST_F(SmallDelegationTest, KeepsOperatorTimeAndReason) {
  for (const char* name : {"partial_delegation", "lstm_xnnpack"}) {
    open(name);
    solo("delegation");
    settle();
    drive([&](ImGuiTestContext* t) {
      t->SetRef("Delegation##solo");
      for (const char* column : {"**/Time", "**/Share", "**/Operator", "**/Likely reason"})
        EXPECT_TRUE(t->ItemExists(column)) << name << ": " << column;
    });
  }
}

TEST_F(UiTest, DelegationFollowsWhatIsSelectedElsewhere) {
  open("partial_delegation");
  solo("delegation");
  settle();
  const auto& delegation = model<DelegationModel>("delegation");
  const auto select_inside = [&](bool inside) {
    for (const inspector::OpEntry& op : data().table.ops) {
      if (data().table.block_of(op).kind != "execute" || op.count == 0 || !op.instruction_id || op.encloses) continue;
      const Selection s = select_op(data(), op.id);
      if ((delegation.delegate_of(s) != nullptr) == inside && (delegation.row_of(s) >= 0) != inside) {
        document().select(s);
        return true;
      }
    }
    return false;
  };
  ASSERT_TRUE(select_inside(true));
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Delegation##solo");
    t->Yield(3);
    EXPECT_TRUE(t->ItemExists("**/Overhead")) << "calls of delegates";
    EXPECT_FALSE(t->ItemExists("**/Operator"));
    t->ItemClick("**/##tables/Graph breaks");
    t->Yield(2);
    ASSERT_TRUE(select_inside(false));
    t->Yield(3);
    EXPECT_TRUE(t->ItemExists("**/Operator")) << "non-delegated operators";
    // What is selected here leaves the tab as it is, and so does another basis.
    t->ItemClick("**/##tables/Graph breaks");
    t->Yield(2);
    app().set_basis({inspector::BasisKind::Mean});
    t->Yield(30);
    EXPECT_TRUE(t->ItemExists("**/Data moves"));
  });
}

TEST_F(UiTest, DelegationKeepsTheChosenRowWhenItIsSorted) {
  open("quantised_portable");
  solo("delegation");
  settle();
  const auto& delegation = model<DelegationModel>("delegation");
  ASSERT_GT(delegation.rows().size(), 3U);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Delegation##solo");
    t->ItemClick("**/$$1/##row");
    t->Yield(2);
  });
  const Selection before = document().selection();
  const auto place = [&] {
    for (size_t i = 0; i < delegation.rows().size(); ++i) {
      if (delegation.is_selected(delegation.rows()[i], before)) return static_cast<int>(i);
    }
    return -1;
  };
  ASSERT_EQ(place(), 1);
  for (int clicks = 0; clicks < 3 && place() == 1; ++clicks) {
    drive([&](ImGuiTestContext* t) {
      t->SetRef("Delegation##solo");
      t->ItemClick("**/Operator");
      t->Yield(3);
    });
  }
  EXPECT_NE(place(), 1) << "the row moved";
  EXPECT_TRUE(document().selection().same(before));
  EXPECT_EQ(static_cast<DelegationPanel&>(*app().panel("delegation")).chosen_row(), place())
      << "details are of what is selected";
}

TEST_F(UiTest, DelegationWithoutADelegateHasBounds) {
  open("quantised_portable");
  solo("delegation");
  drive([](ImGuiTestContext* t) {
    t->SetRef("Delegation##solo");
    t->ItemClick("**/##tables/If delegated");
    t->Yield(3);
    EXPECT_TRUE(t->ItemExists("**/With those above"));
  });
}

TEST_F(UiTest, GraphsSayWhatIsMissing) {
  open("partial_delegation", {"etdump.etdp"});
  for (const char* panel : {"flame", "graph", "delegation"}) solo(panel);
  EXPECT_EQ(model<GraphViewModel>("graph").graph(), nullptr);
  EXPECT_EQ(model<DelegationModel>("delegation").maps().size(), 1U);
  EXPECT_GT(model<FlameModel>("flame").root_total(), 0);
}

TEST_F(UiTest, DelegationSaysWhatMoreWouldSpare) {
  open("mobilenet_v2_035_xnnpack_int8");
  solo("delegation");
  const auto& what_if = model<DelegationModel>("delegation").what_if(0);
  EXPECT_FALSE(what_if.by_reason.empty());
  drive([](ImGuiTestContext* t) {
    t->SetRef("Delegation##solo");
    t->ItemClick("**/##tables/If delegated");
    t->Yield(3);
    EXPECT_TRUE(t->ItemExists("**/Breaks gone"));
  });
}

// Of a view of the whole graph the group in its middle is not where one is.
TEST_F(UiTest, GraphStepsNameWhatFillsTheView) {
  open("nanogpt_xnnpack_qd4");
  solo("graph");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Graph##solo");
    t->ItemClick("**/Fit");
    t->Yield(3);
    EXPECT_TRUE(t->ItemExists("**/forward##crumb0"));
    auto& graph = model<GraphViewModel>("graph");
    for (const GraphGroup& g : graph.groups()) {
      if (g.parent < 0) {
        EXPECT_FALSE(t->ItemExists(("**/" + g.label + "##crumb1").c_str())) << g.label;
      }
    }
  });
}

}  // namespace
}  // namespace et::gui::test
