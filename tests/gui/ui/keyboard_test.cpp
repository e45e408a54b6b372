// The window without a mouse: menus, panels, tabs, buttons, rows and context menus by keys alone.
#include <imgui_internal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "gui/models/flame_model.h"
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
      t->MenuClick("View/Layout/Layout: timeline over operators");
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

/// Keys as a fast hand, or a program, sends them: all of them between two frames.
struct FastKeysTest : UiTest {
  static void chord(ImGuiKey key) {
    ImGuiIO& io = ImGui::GetIO();
    for (const bool down : {true, false}) {
      io.AddKeyEvent(ImGuiMod_Ctrl, down);
      io.AddKeyEvent(ImGuiKey_LeftCtrl, down);
      io.AddKeyEvent(key, down);
    }
  }
  static void press(ImGuiKey key) {
    ImGui::GetIO().AddKeyEvent(key, true);
    ImGui::GetIO().AddKeyEvent(key, false);
  }
  static void type(const std::string& text) {
    ImGuiIO& io = ImGui::GetIO();
    for (const char c : text) {
      const ImGuiKey key = c >= 'a' && c <= 'z' ? static_cast<ImGuiKey>(ImGuiKey_A + (c - 'a')) : ImGuiKey_Period;
      io.AddKeyEvent(key, true);
      io.AddInputCharacter(static_cast<unsigned>(c));
      io.AddKeyEvent(key, false);
    }
  }
  /// Nothing is read until let_read().
  void hold_jobs() {
    jobs_end_with_frames = false;
    for (int i = 0; i < 2; ++i) {  // workers
      held_.push_back(app().jobs().submit<int>(
          [this](const Cancel&) {
            while (!read_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return 0;
          },
          [](int) {}));
    }
  }
  void let_read() { read_ = true; }
  void TearDown() override {
    let_read();
    held_.clear();
    UiTest::TearDown();
  }
  FlameModel& flame() { return model<FlameModel>("flame"); }

 private:
  std::atomic<bool> read_{false};
  std::vector<JobHandle> held_;
};

TEST_F(FastKeysTest, WhatIsTypedReachesTheSearchOfAPanelThatStillReads) {
  open("partial_delegation");
  frames(20);
  ASSERT_EQ(flame().tree(), nullptr) << "it was not looked at yet";
  hold_jobs();
  chord(ImGuiKey_P);
  type("flame");
  press(ImGuiKey_Enter);  // "Show Flame graph"
  chord(ImGuiKey_F);
  type("cumsum");
  frames(60);
  EXPECT_FALSE(app().palette_open());
  EXPECT_EQ(app().focused_panel(), "flame");
  EXPECT_EQ(flame().tree(), nullptr) << "it reads";
  EXPECT_EQ(flame().query(), "");
  let_read();
  for (int i = 0; i < 500 && flame().query() != "cumsum"; ++i) {
    frames(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_EQ(flame().query(), "cumsum");
  EXPECT_FALSE(flame().found().empty());
}

TEST_F(FastKeysTest, AThingThatIsGoneToIsSearchedInAtOnce) {
  open("partial_delegation");
  frames(20);
  chord(ImGuiKey_P);
  type("conv");
  frames(20);
  ASSERT_TRUE(app().palette_open());
  EXPECT_EQ(app().palette_text(), "conv");
  press(ImGuiKey_Enter);
  chord(ImGuiKey_F);
  type("add");
  frames(40);
  EXPECT_FALSE(app().palette_open());
  EXPECT_FALSE(document().selection().empty()) << "the thing is selected";
  EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "and the search of its panel has the keyboard";
}

TEST_F(FastKeysTest, WhoNoLongerWaitsForAPanelGivesUpItsSearch) {
  open("partial_delegation");
  frames(20);
  hold_jobs();
  app().show_panel("flame");
  frames(4);
  chord(ImGuiKey_F);
  type("conv");
  frames(10);
  const std::string theme_before = app().settings().theme;
  chord(ImGuiKey_T);  // another chord: the first one is forgotten
  frames(6);
  EXPECT_NE(app().settings().theme, theme_before);
  let_read();
  for (int i = 0; i < 500 && flame().tree() == nullptr; ++i) {
    frames(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ASSERT_NE(flame().tree(), nullptr);
  frames(20);
  EXPECT_EQ(flame().query(), "");
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
  chord(ImGuiKey_F);
  type("add");
  frames(20);
  EXPECT_EQ(flame().query(), "add") << "the next one is waited for again";
}

TEST_F(FastKeysTest, LettersOfASearchThatThereIsNotAreNoShortcuts) {
  open("partial_delegation");
  app().show_panel("llm");
  frames(10);
  chord(ImGuiKey_F);
  type("quit");
  frames(30);
  EXPECT_FALSE(app().quit_wanted());
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
  chord(ImGuiKey_P);
  type("conv");
  frames(30);
  EXPECT_EQ(app().palette_text(), "conv") << "nothing of it was kept";
}

}  // namespace
}  // namespace et::gui::test
