// What a click does to the table of operators: the row under the mouse stays there, several selected ops are shown
// alone, arrows select.
#include <algorithm>

#include "gui/models/operators_model.h"
#include "gui/panels/operators_panel.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct OperatorsClickUi : UiTest {
  PictureSize picture_size() const override { return {900, 600}; }
  OperatorsModel& rows() { return model<OperatorsModel>("operators"); }
  void open_groups() {
    open("mobilenet_v2_035_xnnpack_int8");
    solo("operators");
    app().panel("operators")->restore("group", "module");
    settle();
  }
  static std::string row(size_t at) { return "**/##group" + std::to_string(at); }
};

TEST_F(OperatorsClickUi, AClickLeavesTheRowUnderTheMouse) {
  open_groups();
  ASSERT_GT(rows().view().groups.size(), 8U) << "more than fit";
  for (const size_t at : {2U, 4U, 3U}) {
    if (rows().view().groups[at].none) continue;
    drive([&](ImGuiTestContext* t) {
      t->SetRef("Operators##solo");
      const ImRect before = t->ItemInfo(row(at).c_str()).RectFull;
      t->MouseMoveToPos(before.GetCenter());
      t->MouseClick();
      t->Yield(6);
      const ImRect after = t->ItemInfo(row(at).c_str()).RectFull;
      EXPECT_EQ(before.Min.y, after.Min.y) << at;
    });
    EXPECT_EQ(document().selection().module, rows().view().groups[at].key);
  }
}

TEST_F(OperatorsClickUi, TheSecondClickOfASlowDoubleClickIsOnTheSameRow) {
  open_groups();
  size_t at = 3;
  while (rows().view().groups[at].none) ++at;
  const std::string key = rows().view().groups[at].key;
  ImVec2 mouse;
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    mouse = t->ItemInfo(row(at).c_str()).RectFull.GetCenter();
    t->MouseMoveToPos(mouse);
  });
  // As a hand does it, with frames in between; the engine's own double click has none.
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(mouse.x, mouse.y);
  frames(2);
  for (int click = 0; click < 2; ++click) {
    io.AddMouseButtonEvent(0, true);
    frames(2);
    io.AddMouseButtonEvent(0, false);
    frames(4);
  }
  settle();
  EXPECT_FALSE(rows().view().query.group.has_value());
  const OperatorsQuery& query = rows().view().query;
  EXPECT_TRUE(query.only.name == key || query.filter.find(key) != std::string::npos) << query.filter;
}

TEST_F(OperatorsClickUi, WhatIsSelectedElsewhereComesIntoSight) {
  open_groups();
  const auto& groups = rows().view().groups;
  size_t last = groups.size() - 1;
  while (groups[last].none) --last;
  const std::string key = groups[last].key;
  document().select(select_module(data(), key));
  settle();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    EXPECT_NE(t->ItemInfo(row(last).c_str(), ImGuiTestOpFlags_NoError).ID, 0U) << "scrolled to it";
  });
}

TEST_F(OperatorsClickUi, SeveralOpsThatAreLedHereAreShownAlone) {
  open_groups();
  const auto& groups = rows().view().groups;
  const auto several = std::find_if(groups.begin(), groups.end(), [](const auto& g) { return !g.none && g.ops > 1; });
  ASSERT_NE(several, groups.end());
  const Selection chosen = select_module(data(), several->key);
  document().select(chosen, "operators");
  settle();
  const size_t alone = rows().view().ops.size();
  EXPECT_EQ(rows().view().query.only.name, chosen.label);
  EXPECT_GT(alone, 1U);
  for (const int32_t op : rows().view().ops) EXPECT_TRUE(chosen.has_op(op));
  // The name above the table clears it; the button asks for it again.
  drive([](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick("**/###only");
    t->Yield(2);
  });
  settle();
  EXPECT_GT(rows().view().ops.size(), alone);
  drive([](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick("**/Only selected");
    t->Yield(2);
  });
  settle();
  EXPECT_EQ(rows().view().ops.size(), alone);
}

TEST_F(OperatorsClickUi, ArrowsSelectTheNextRow) {
  open_groups();
  app().panel("operators")->restore("group", "none");
  settle();
  const std::vector<int32_t> ops = rows().view().ops;
  ASSERT_GT(ops.size(), 2U);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick(("**/##op" + std::to_string(data().table.ops[static_cast<size_t>(ops[0])].id)).c_str());
    t->KeyPress(ImGuiKey_DownArrow);
    t->Yield(3);
  });
  EXPECT_TRUE(document().selection().has_op(ops[1]));
  EXPECT_EQ(static_cast<OperatorsPanel*>(app().panel("operators"))->detail_op(), ops[1]) << "details follow";
}

TEST_F(OperatorsClickUi, ColumnsOfGroupsAreChosen) {
  open_groups();
  const auto has_header = [&](const char* title) {
    bool has = false;
    drive([&](ImGuiTestContext* t) {
      t->SetRef("Operators##solo");
      has = t->ItemInfo((std::string("**/") + title).c_str(), ImGuiTestOpFlags_NoError).ID != 0;
    });
    return has;
  };
  EXPECT_FALSE(has_header("Cold"));
  drive([](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick("**/Columns");
    t->ItemClick("//$FOCUSED/Cold");
  });
  settle();
  EXPECT_TRUE(has_header("Cold"));
  std::string kept;
  for (const auto& [key, value] : app().panel("operators")->settings())
    if (key == "group_columns") kept = value;
  EXPECT_EQ(kept.size(), kGroupColumns);
  EXPECT_NE(kept.find('1'), std::string::npos) << "kept between sessions";
}

}  // namespace
}  // namespace et::gui::test
