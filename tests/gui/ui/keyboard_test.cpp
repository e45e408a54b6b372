// The window without a mouse: menus, panels, tabs, buttons, rows and context menus by keys alone.
#include <imgui_internal.h>

#include <algorithm>

#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct KeyboardTest : UiTest {};

TEST_F(KeyboardTest, F10AndArrowsRunAnEntryOfAMenu) {
  open("partial_delegation");
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiKey_F10);
    t->Yield(4);
    EXPECT_TRUE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) << "the first menu is open";
    t->KeyPress(ImGuiKey_UpArrow);  // round to the last entry: Quit
    t->Yield(2);
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(4);
  });
  EXPECT_TRUE(app().quit_wanted());
}

TEST_F(KeyboardTest, TheMenuKeyOpensTheContextMenuOfARow) {
  open("partial_delegation");
  solo("operators");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    const ImGuiID row = t->ItemInfo("**/##group1").ID;
    ASSERT_NE(row, 0U);
    t->NavMoveTo(row);
    t->KeyPress(ImGuiMod_Shift | ImGuiKey_F10);
    t->Yield(4);
    EXPECT_TRUE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
    t->KeyPress(ImGuiKey_Escape);
  });
}

TEST_F(KeyboardTest, EachPanelIsReachedByACommand) {
  open("partial_delegation");
  for (const PanelSpec* spec : all_panels()) {
    const CommandList commands = app().commands();
    const auto show = std::find_if(commands.begin(), commands.end(),
                                   [&](const Command& c) { return c.title == std::string("Show ") + spec->title; });
    ASSERT_NE(show, commands.end()) << spec->id;
    show->run();
    frames(6);
    EXPECT_EQ(app().focused_panel(), spec->id);
  }
}

TEST_F(KeyboardTest, BordersMoveByCommands) {
  open("partial_delegation");
  const auto run = [&](const std::string& title) {
    const CommandList commands = app().commands();
    const auto found =
        std::find_if(commands.begin(), commands.end(), [&](const Command& c) { return c.title == title; });
    ASSERT_NE(found, commands.end()) << title;
    found->run();
    frames(6);
  };
  run("Layout: overview beside notes");
  run("Show Notes");
  ASSERT_EQ(app().focused_panel(), "notes");
  const auto size = [&] {
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
      if (std::string(window->Name).find("Notes") == 0 && window->DockNode != nullptr) return window->DockNode->Size.x;
    }
    return 0.0F;
  };
  const float before = size();
  ASSERT_GT(before, 0);
  run("This panel: larger");
  EXPECT_GT(size(), before * 1.1F);
  run("This panel: smaller");
  EXPECT_NEAR(size(), before, 3);
  run("Layout: one panel");
  EXPECT_FALSE(app().resize_panel("notes", true)) << "nothing is beside it";
  run("Show Timeline");
  const auto kept = [&] {
    for (const auto& [key, value] : app().panel("timeline")->settings())
      if (key == "details_part") return std::stoi(value);
    return 0;
  };
  const int part = kept();
  run("Timeline: larger details");
  EXPECT_EQ(kept(), part + 6);
}

TEST_F(KeyboardTest, ALayoutShowsThePanelsThatItIsCalledBy) {
  open("partial_delegation");
  const auto shown = [](const std::string& title) {
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
      if (std::string(window->Name).find(title) == 0 && window->DockNode != nullptr) return window->DockTabIsVisible;
    }
    return false;
  };
  for (const char* before : {"flame", "operators", "numerics", "sql"}) {
    app().set_layout(0);
    frames(20);
    app().show_panel(before);
    frames(6);
    drive([&](ImGuiTestContext* t) {
      t->SetRef("##MainMenuBar");
      t->MenuClick("View/Layout: timeline over operators");
    });
    frames(30);
    EXPECT_TRUE(shown("Timeline")) << "from " << before;
    EXPECT_TRUE(shown("Operators")) << "from " << before;
    EXPECT_EQ(app().focused_panel(), "timeline") << "from " << before;
  }
}

TEST_F(KeyboardTest, TheNextStepsOfTheOverviewAreOpenedByEnter) {
  open("partial_delegation");
  solo("overview");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Overview##solo");
    const ImGuiID step = t->ItemInfo("**/###step").ID;
    ASSERT_NE(step, 0U);
    t->NavMoveTo(step);
    EXPECT_EQ(ImGui::GetCurrentContext()->NavId, step);
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(2);
  });
  EXPECT_FALSE(document().selection().empty());
}

}  // namespace
}  // namespace et::gui::test
