// What surrounds the panels: palette, shortcuts, menus, themes, opening, errors.
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

TEST_F(UiTest, StartsEmptyAndSaysWhatToDo) {
  settle();
  EXPECT_EQ(document().state(), Document::State::Empty);
  EXPECT_EQ(app().title(), "et-inspect");
}

TEST_F(UiTest, PaletteFindsAndRunsACommand) {
  open("partial_delegation");
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    t->Yield(3);
    EXPECT_TRUE(app().palette_open());
    t->KeyChars("light th");
    t->Yield(2);
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(2);
    EXPECT_FALSE(app().palette_open());
  });
  EXPECT_EQ(app().settings().theme, "light");
  EXPECT_EQ(theme().kind, ThemeKind::Light);
}

TEST_F(UiTest, PaletteClosesWithEscape) {
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    t->Yield(3);
    EXPECT_TRUE(app().palette_open());
    t->KeyPress(ImGuiKey_Escape);
    t->Yield(2);
    EXPECT_FALSE(app().palette_open());
  });
}

TEST_F(UiTest, EveryPanelOpensByItsKey) {
  open("partial_delegation");
  for (const PanelSpec* spec : all_panels()) {
    if (spec->key == ImGuiKey_None) continue;
    drive([&](ImGuiTestContext* t) {
      t->KeyPress(static_cast<int>(ImGuiMod_Ctrl) | static_cast<int>(spec->key));
      t->Yield(4);
    });
    EXPECT_EQ(app().focused_panel(), spec->id);
  }
}

TEST_F(UiTest, CheatSheetListsEveryShortcut) {
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiKey_F1);
    t->Yield(2);
    EXPECT_TRUE(app().help_open());
    EXPECT_NE(t->WindowInfo("//Keyboard shortcuts").Window, nullptr);
  });
}

TEST_F(UiTest, EveryMenuOpens) {
  open("partial_delegation");
  drive([&](ImGuiTestContext* t) {
    for (const char* menu : {"File", "Go", "View", "Help"}) {
      t->SetRef("##MainMenuBar");
      t->MenuClick(menu);
      t->Yield(2);
      t->KeyPress(ImGuiKey_Escape);
      t->Yield(2);
    }
  });
}

TEST_F(UiTest, RecentFilesOpenAgain) {
  open("add_mul");
  open("partial_delegation");
  const auto& recent = app().settings().recent;
  ASSERT_EQ(recent.size(), 2U);
  EXPECT_NE(recent[0].find("partial_delegation"), std::string::npos) << "the newest is the first";
  drive([&](ImGuiTestContext* t) {
    t->SetRef("##MainMenuBar");
    std::string title = recent[1].substr(0, recent[1].find('\t'));
    // As the menu has it: the first file whole, the others by name. The engine wants its own slashes escaped.
    for (size_t at = title.size(); (at = title.rfind('/', at)) != std::string::npos && at > 0; --at)
      title.insert(at, "\\");
    title.insert(0, "\\");
    t->MenuClick(("File/Open recent/" + title + " + etrecord.bin + program.pte").c_str());
    t->Yield(2);
  });
  app().jobs().finish();
  settle();
  ASSERT_NE(document().data(), nullptr) << document().error().message();
  EXPECT_NE(data().facts.dump_path.value_or("").find("add_mul"), std::string::npos);
  ASSERT_EQ(recent.size(), 2U);
  EXPECT_NE(recent[0].find("add_mul"), std::string::npos);
}

TEST_F(UiTest, BackAndForwardByKeys) {
  open("partial_delegation");
  document().select(select_op(data(), data().table.ops[0].id));
  document().select(select_op(data(), data().table.ops[1].id));
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Alt | ImGuiKey_LeftArrow);
    t->Yield();
    EXPECT_EQ(document().selection().op, data().table.ops[0].id);
    t->KeyPress(ImGuiMod_Alt | ImGuiKey_RightArrow);
    t->Yield();
    EXPECT_EQ(document().selection().op, data().table.ops[1].id);
  });
}

TEST_F(UiTest, ErrorIsShownAndGoesAway) {
  app().open_files({"/no/such/file.etdp"});
  settle();
  drive([&](ImGuiTestContext* t) {
    ImGuiTestItemInfo info = t->ItemInfo("//Cannot open##error/Close");
    EXPECT_NE(info.ID, 0U);
    t->ItemClick("//Cannot open##error/Close");
    t->Yield(2);
    EXPECT_EQ(t->ItemInfo("//Cannot open##error/Close", ImGuiTestOpFlags_NoError).ID, 0U);
  });
}

TEST_F(UiTest, LayoutCanBeResetAndPanelsClosed) {
  open("add_mul");
  const std::string id = all_panels().front()->id;
  app().reset_layout();
  settle();
  EXPECT_TRUE(app().show_panel(id));
  EXPECT_FALSE(app().show_panel("no such panel"));
}

TEST_F(UiTest, NothingIsDrawnWithoutNews) {
  open("add_mul");
  settle();
  // An idle loop asks twice a second; without input and news the answer becomes no, and stays.
  int drawn = 0;
  for (int i = 0; i < 100; ++i) {
    app().poll();
    if (!app().wants_frame()) continue;
    ++drawn;
    frame_untouched();
  }
  EXPECT_LT(drawn, 10);
}

// Whatever artefact is opened, every panel draws it.
class EveryArtifact : public UiTest, public testing::WithParamInterface<const char*> {};
TEST_P(EveryArtifact, EveryPanelDraws) {
  open(GetParam());
  for (const PanelSpec* spec : all_panels()) {
    SCOPED_TRACE(spec->id);
    solo(spec->id);
    (void)app().panel(spec->id)->csv();
    const Status saved = app().save_svg(spec->id, folder / (std::string(spec->id) + ".svg"), {800, 600});
    EXPECT_TRUE(saved.ok() || saved.code() == Error::NotSupported) << saved.message();
  }
}
INSTANTIATE_TEST_SUITE_P(Ui, EveryArtifact,
                         testing::Values("add_mul", "control_flow_cond", "control_flow_map", "dtypes",
                                         "dynamic_shapes_unbounded", "external_weights", "lstm", "many_outputs",
                                         "memory_pools", "mobilenet_v2_035_xnnpack_int8", "multi_method",
                                         "nanogpt_xnnpack_qd4", "partial_delegation", "quantised_portable",
                                         "scalar_inputs"),
                         [](const auto& each) { return std::string(each.param); });

TEST_F(UiTest, EveryPanelDrawsADumpAlone) {
  open("partial_delegation", {"etdump.etdp"});
  for (const PanelSpec* spec : all_panels()) {
    SCOPED_TRACE(spec->id);
    solo(spec->id);
  }
}

}  // namespace
}  // namespace et::gui::test
