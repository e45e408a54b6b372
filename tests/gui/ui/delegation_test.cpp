// The delegation panel by mouse: its tables are sorted as their arrows say, their rows lead to what they name, and the
// strip zooms.
#include <imgui_internal.h>

#include <algorithm>
#include <string>

#include "gui/models/delegation_model.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

/// Heading with the arrow of the table that has a column of that name and was drawn last; with "↓" where descending.
std::string sorted_column(ImGuiTestContext* t, const char* column) {
  ImGuiContext& g = *t->UiContext;
  for (int i = 0; i < g.Tables.GetMapSize(); ++i) {
    ImGuiTable* const table = g.Tables.TryGetMapData(i);
    if (table == nullptr || table->LastFrameActive < g.FrameCount - 1) continue;
    std::string sorted;
    bool has = false;
    for (int c = 0; c < table->ColumnsCount; ++c) {
      const std::string name = ImGui::TableGetColumnName(table, c);
      const ImGuiTableColumn& of = table->Columns[c];
      has = has || (name == column && of.IsEnabled);
      if (of.SortOrder == 0) sorted = name + (of.SortDirection == ImGuiSortDirection_Descending ? " ↓" : "");
    }
    if (has) return sorted;
  }
  return {};
}

TEST_F(UiTest, DelegationRowsAreInTheOrderOfTheArrow) {
  open("nanogpt_xnnpack_qd4");
  solo("delegation");
  auto& delegation = model<DelegationModel>("delegation");
  delegation.by_type(true);
  settle();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Delegation##solo");
    t->ItemClick("**/By operator type");
    t->Yield(2);
    t->ItemClick("**/Likely reason");
    t->Yield(3);
    EXPECT_EQ(delegation.sorted_by(), DelegationModel::Column::Reasons);
    t->ItemClick("**/By operator type");
    t->Yield(3);
    EXPECT_EQ(sorted_column(t, "Operator"), "Likely reason") << "another table, the same order";
    const auto& rows = delegation.rows();
    ASSERT_GT(rows.size(), 2U);
    for (size_t i = 1; i < rows.size(); ++i)
      EXPECT_LE(delegation.reasons_of(rows[i - 1]), delegation.reasons_of(rows[i]));
    t->ItemClick("**/Ops");  // which the table of nodes does not have
    t->Yield(2);
    t->ItemClick("**/By operator type");
    t->Yield(3);
    EXPECT_EQ(sorted_column(t, "Operator"), "Likely reason");
    EXPECT_EQ(delegation.sorted_by(), DelegationModel::Column::Reasons);
  });
}

TEST_F(UiTest, DelegationTablesAreSortedByTheirHeadings) {
  open("nanogpt_xnnpack_qd4");
  solo("delegation");
  const auto& delegation = model<DelegationModel>("delegation");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Delegation##solo");
    t->ItemClick("**/##tables/Delegates");
    t->Yield(3);
    EXPECT_EQ(sorted_column(t, "Overhead"), "Time ↓");
    t->ItemClick("**/Overhead");
    t->Yield(3);
    EXPECT_EQ(delegation.order_of(PlaceList::Delegates), (PlaceOrder{PlaceColumn::Overhead, true}));
    t->ItemClick("**/##tables/Graph breaks");
    t->Yield(3);
    t->ItemClick("**/Crossing");
    t->Yield(3);
    EXPECT_EQ(delegation.order_of(PlaceList::Breaks), (PlaceOrder{PlaceColumn::Crossing, true}));
  });
}

// A program of one method has no column of methods: its rows are clicked all the same.
TEST_F(UiTest, DelegationRowsOfEachTableLeadToWhatTheyName) {
  open("partial_delegation");
  app().show_panel("delegation");
  settle();
  const auto& delegation = model<DelegationModel>("delegation");
  const auto row = [](const PlaceInMap& place) {
    return "**/$$" + std::to_string(place.map * 100000 + place.index) + "/##row";
  };
  const auto in_tab = [&](const char* tab, const std::string& what, bool twice) {
    drive([&](ImGuiTestContext* t) {
      t->SetRef("###Delegation");
      t->ItemClick((std::string("**/##tables/") + tab).c_str());
      t->Yield(3);
      twice ? t->ItemDoubleClick(what.c_str()) : t->ItemClick(what.c_str());
    });
    settle();
  };
  const PlaceInMap call = delegation.delegates().back();
  in_tab("Delegates", row(call), false);
  EXPECT_EQ(document().selection().kind, Selection::Kind::Part);
  EXPECT_TRUE(delegation.is_selected(call.map, call.index, document().selection()));
  EXPECT_EQ(app().focused_panel(), "delegation") << "one click stays";
  const PlaceInMap gap = delegation.breaks().back();
  in_tab("Graph breaks", row(gap), false);
  EXPECT_TRUE(document().selection().same(delegation.selection_of_break(gap)));
  in_tab("If delegated", "**/$$0/" + delegation.bound_name(delegation.places(PlaceList::WhatIf).front()) + "/##row",
         false);
  EXPECT_TRUE(document().selection().same(delegation.selection_of_bound(delegation.places(PlaceList::WhatIf).front())));
  in_tab("Graph breaks", row(gap), true);
  EXPECT_EQ(app().focused_panel(), "graph");
  EXPECT_TRUE(document().selection().same(delegation.selection_of_break(gap)));
}

TEST_F(UiTest, DelegationWheelZoomsTheStrip) {
  open("nanogpt_xnnpack_qd4");
  solo("delegation");
  auto& delegation = model<DelegationModel>("delegation");
  settle();
  const float whole = delegation.strip(0, delegation.strip_width(0)).back().x1;
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Delegation##solo");
    EXPECT_FALSE(t->ItemExists("**/Fit")) << "all is seen";
    const ImRect area = t->ItemInfo("**/##area").RectFull;
    const ImVec2 at = {area.Min.x + whole * 0.7F, (area.Min.y + area.Max.y) / 2};
    t->MouseMoveToPos(at);
    const int32_t under = delegation.hit(0, at.x - area.Min.x);
    ASSERT_GE(under, 0);
    for (int i = 0; i < 6; ++i) t->MouseWheelY(1), t->Yield(2);
    EXPECT_GT(delegation.zoom(0), 3);
    const ImRect now = t->ItemInfo("**/##area").RectFull;
    EXPECT_GT(now.GetWidth(), 3 * whole);
    const StripBox box = delegation.strip(0, delegation.strip_width(0))[static_cast<size_t>(under)];
    constexpr float kWholePixels = 6;  // that the strip is scrolled by, six times
    EXPECT_LE(box.x0 - kWholePixels, at.x - now.Min.x) << "what is under the mouse stays there";
    EXPECT_GE(box.x1 + kWholePixels, at.x - now.Min.x);
    const Selection before = document().selection();
    t->MouseDragWithDelta({-200, 0});
    t->Yield(2);
    EXPECT_NEAR(t->ItemInfo("**/##area").RectFull.Min.x, now.Min.x - 200, 8);
    EXPECT_TRUE(document().selection().same(before)) << "a drag is no click";
    t->ItemClick("**/Fit");
    t->Yield(2);
    EXPECT_EQ(delegation.zoom(0), 1);
    EXPECT_NEAR(delegation.strip(0, delegation.strip_width(0)).back().x1, whole, 1);
  });
}

}  // namespace
}  // namespace et::gui::test
