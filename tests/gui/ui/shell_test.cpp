// What surrounds the panels: palette, shortcuts, menus, themes, opening, errors.
#include <filesystem>
#include <sstream>

#include "gui/models/findings_model.h"
#include "imgui_internal.h"
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

// ImGui's own cursor stays in the text: it would walk the rows beside the marked one, and take Enter.
TEST_F(UiTest, ArrowsMarkRowsOfThePalette) {
  open("partial_delegation");
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    t->Yield(3);
    t->KeyChars("theme");
    t->Yield(2);
    const ImGuiID text = ImGui::GetActiveID();
    EXPECT_NE(text, 0U);
    for (const ImGuiKey key : {ImGuiKey_DownArrow, ImGuiKey_DownArrow, ImGuiKey_UpArrow}) {
      t->KeyPress(key);
      t->Yield(2);
      EXPECT_EQ(ImGui::GetActiveID(), text);
    }
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(2);
    EXPECT_FALSE(app().palette_open());
  });
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

// As xdotool or a fast hand sends it: the modifier goes up before the key does, all of it within a frame.
TEST_F(UiTest, AChordWithinOneFrameCounts) {
  open("partial_delegation");
  const auto press = [&](ImGuiKey key) {
    ImGuiIO& io = ImGui::GetIO();
    for (const bool down : {true, false}) {
      io.AddKeyEvent(ImGuiMod_Ctrl, down);
      io.AddKeyEvent(ImGuiKey_LeftCtrl, down);
      io.AddKeyEvent(key, down);
    }
  };
  for (const PanelSpec* spec : all_panels()) {
    if (spec->key == ImGuiKey_None) continue;
    press(spec->key);
    frames(6);
    EXPECT_EQ(app().focused_panel(), spec->id);
  }
  // Several of them, one behind the other.
  const std::string theme_before = app().settings().theme;
  for (int i = 0; i < 3; ++i) press(ImGuiKey_T);
  frames(16);
  EXPECT_NE(app().settings().theme, theme_before);
  press(ImGuiKey_T);
  frames(6);
  EXPECT_EQ(app().settings().theme, theme_before);
}

TEST_F(UiTest, TabsStandInTheOrderOfTheKeys) {
  int before = 0;
  for (const PanelSpec* spec : all_panels()) {
    if (spec->key == ImGuiKey_None) continue;
    EXPECT_GT(static_cast<int>(spec->key), before) << spec->id;
    before = spec->key;
  }
  open("partial_delegation");
  float x = -1;
  drive([&](ImGuiTestContext* t) {
    for (const PanelSpec* spec : all_panels()) {
      const ImGuiWindow* window = t->WindowInfo((std::string("//###") + spec->title).c_str()).Window;
      ASSERT_NE(window, nullptr) << spec->id;
      EXPECT_GT(window->DC.DockTabItemRect.Min.x, x) << spec->id;
      x = window->DC.DockTabItemRect.Min.x;
    }
  });
  EXPECT_EQ(app().focused_panel(), "overview") << "what a newcomer sees first";
}

TEST_F(UiTest, LayoutsShowWhatTheySay) {
  open("partial_delegation");
  for (size_t i = 0; i < layout_presets().size(); ++i) {
    const LayoutPreset& preset = layout_presets()[i];
    for (const Command& command : app().commands()) {
      if (command.title == preset.title) command.run();
    }
    frames(16);
    EXPECT_EQ(app().focused_panel(), preset.first_shown) << preset.title;
    if (preset.second.empty()) continue;
    const auto title = [](const char* id) { return std::string("//###") + find_panel(id)->title; };
    drive([&](ImGuiTestContext* t) {
      const ImGuiWindow* first = t->WindowInfo(title(preset.first_shown).c_str()).Window;
      const ImGuiWindow* second = t->WindowInfo(title(preset.second_shown).c_str()).Window;
      ASSERT_TRUE(first != nullptr && second != nullptr);
      EXPECT_FALSE(second->Hidden) << preset.title;
      EXPECT_FALSE(first->Rect().Overlaps(second->Rect())) << preset.title;
    });
  }
}

TEST_F(UiTest, GoesToAnything) {
  open("partial_delegation");
  const auto go = [&](const char* query) {
    drive([&](ImGuiTestContext* t) {
      t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
      t->Yield(3);
      t->KeyChars(query);
      t->Yield(2);
      t->KeyPress(ImGuiKey_Enter);
      t->Yield(6);
    });
  };
  go("aten_mean_dim");
  EXPECT_EQ(document().selection().node, "aten_mean_dim");
  EXPECT_EQ(app().focused_panel(), "graph");
  const std::string file = data().sources.files[0].file;
  const int64_t line = data().sources.files[0].lines[0].line;
  go((file.substr(file.rfind('/') + 1) + ":" + std::to_string(line)).c_str());
  EXPECT_EQ(document().selection().line, line);
  EXPECT_EQ(app().focused_panel(), "source");
  go("show memory");
  EXPECT_EQ(app().focused_panel(), "memory");
}

TEST_F(UiTest, SearchOfThePanelInFocus) {
  open("partial_delegation");
  for (const char* id : {"overview", "timeline", "operators", "flame", "graph", "delegation", "memory", "roofline"}) {
    drive([&](ImGuiTestContext* t) {
      app().show_panel(id);
      t->Yield(60);  // what the panel shows is made by a job
      t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F);
      t->Yield(3);
      EXPECT_TRUE(ImGui::GetIO().WantTextInput) << id;
      t->KeyPress(ImGuiKey_Escape);
      t->Yield(2);
    });
  }
}

TEST_F(UiTest, FindingsAreSearchedAndTheDetailsAreOfOneThatIsSeen) {
  open("nanogpt_xnnpack_qd4");
  solo("findings");
  settle();
  auto& findings = model<FindingsModel>("findings");
  ASSERT_GE(findings.rows().size(), 2U);
  const std::string rule = findings.rows().back().advice.id;
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F);
    t->Yield(3);
    t->KeyChars(rule.c_str());
    t->Yield(3);
  });
  EXPECT_EQ(findings.query(), rule);
  EXPECT_TRUE(findings.is_found(findings.rows().size() - 1));
  EXPECT_TRUE(findings.is_found(findings.chosen));
  EXPECT_LT(findings.found(), std::ssize(findings.rows()));
}

TEST_F(UiTest, ADeletedStoreIsSaidForAsLongAsItIs) {
  const std::string path = folder / "store.db";
  ASSERT_TRUE(import_artifact("add_mul", path).ok());
  app().open_files({path});
  app().jobs().finish();
  settle();
  EXPECT_EQ(app().banner(), "");
  std::filesystem::remove(path);
  app().poll();
  frames(260);  // longer than a notice stays
  EXPECT_NE(app().banner().find("was deleted"), std::string::npos);
  drive([&](ImGuiTestContext* t) { EXPECT_NE(t->WindowInfo("//##banner").Window, nullptr); });
  open("partial_delegation");
  EXPECT_EQ(app().banner(), "");
}

TEST_F(UiTest, WideTextHasAFontOfTheSystem) {
  if (app().wide_font().empty()) GTEST_SKIP() << "no such font on this machine";
  for (ImFont* font : {fonts().text, fonts().bold, fonts().mono}) {
    EXPECT_TRUE(font->IsGlyphInFont(0x6A21)) << app().wide_font();
    EXPECT_TRUE(font->IsGlyphInFont(0x30E2)) << app().wide_font();
  }
}

TEST_F(UiTest, TheTitleNamesTheModel) {
  open("partial_delegation");
  EXPECT_TRUE(app().title().starts_with("PartlySupported - ")) << app().title();
  open("nanogpt_xnnpack_qd4");
  EXPECT_TRUE(app().title().starts_with("NanoGPT - ")) << app().title();
}

TEST_F(UiTest, QuittingAsksForNotesThatAreInNoFile) {
  open("add_mul");
  app().request_quit();
  EXPECT_TRUE(app().quit_wanted()) << "nothing to lose";
}

TEST_F(UiTest, UnsavedNotesKeepTheWindowOpen) {
  open("add_mul");
  document().set_unsaved_notes(true);
  app().request_quit();
  frames(3);
  EXPECT_FALSE(app().quit_wanted());
  drive([&](ImGuiTestContext* t) { t->ItemClick("//Notes that are not saved##leave/Stay"); });
  EXPECT_FALSE(app().quit_wanted());
  app().request_quit();
  frames(3);
  drive([&](ImGuiTestContext* t) { t->ItemClick("//Notes that are not saved##leave/Quit without saving"); });
  EXPECT_TRUE(app().quit_wanted());
}

TEST_F(UiTest, ANoteThatIsBeingWrittenKeepsTheWindowOpen) {
  open("add_mul");
  solo("notes");
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_M);
    t->Yield(4);
  });
  app().request_quit();
  frames(3);
  EXPECT_TRUE(app().quit_wanted()) << "nothing was written";
}

TEST_F(UiTest, ANoteThatWasBegunAsksBeforeTheWindowCloses) {
  open("add_mul");
  solo("notes");
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_M);
    t->Yield(4);
    t->KeyChars("why is this slow");
    t->Yield(2);
  });
  EXPECT_TRUE(document().has_begun_note());
  app().request_quit();
  frames(3);
  EXPECT_FALSE(app().quit_wanted());
  drive([&](ImGuiTestContext* t) { t->ItemClick("//Notes that are not saved##leave/Show the note"); });
  EXPECT_FALSE(app().quit_wanted());
}

TEST_F(UiTest, LettersBehindTheKeyThatOpensAFieldAreInIt) {
  open("add_mul");
  frames(10);
  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(ImGuiMod_Ctrl, true);
  io.AddKeyEvent(ImGuiKey_P, true);
  io.AddKeyEvent(ImGuiKey_P, false);
  io.AddKeyEvent(ImGuiMod_Ctrl, false);
  for (const char c : std::string("softmax")) {
    const auto key = static_cast<ImGuiKey>(ImGuiKey_A + (c - 'a'));
    io.AddKeyEvent(key, true);
    io.AddInputCharacter(static_cast<unsigned>(c));
    io.AddKeyEvent(key, false);
  }
  frames(40);
  ASSERT_TRUE(app().palette_open());
  EXPECT_EQ(app().palette_text(), "softmax");
}

TEST_F(UiTest, ThePanelThatIsAskedForComesFirst) {
  app().reset_layout();
  ASSERT_TRUE(app().show_first("sql"));
  EXPECT_FALSE(app().show_first("no such panel"));
  open("add_mul");
  frames(20);
  EXPECT_EQ(app().focused_panel(), "sql");
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

TEST_F(UiTest, BackReturnsToThePanelOfTheLink) {
  open("partial_delegation");
  app().show_panel("findings");
  settle();
  document().select(select_op(data(), data().table.ops[1].id), "timeline");
  settle();
  ASSERT_EQ(app().focused_panel(), "timeline");
  const ImGuiID before = ImGui::GetCurrentContext()->NavId;
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Alt | ImGuiKey_LeftArrow);
    t->Yield(6);
    EXPECT_EQ(app().focused_panel(), "findings");
    t->KeyPress(ImGuiMod_Alt | ImGuiKey_RightArrow);
    t->Yield(6);
  });
  EXPECT_EQ(app().focused_panel(), "timeline");
  EXPECT_EQ(ImGui::GetCurrentContext()->NavId, before) << "the arrows of Back move nothing else";
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
  EXPECT_EQ(document().selection().op, data().table.ops[1].id);
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

// As with a file on the command line: panels come to the front while it is said.
TEST_F(UiTest, AnErrorOfTheFirstFramesStaysUntilItIsRead) {
  app().reset_layout();
  app().open_files({"/no/such/file.etdp"});
  frames(60);
  drive([&](ImGuiTestContext* t) {
    EXPECT_NE(t->ItemInfo("//Cannot open##error/Close", ImGuiTestOpFlags_NoError).ID, 0U);
    t->ItemClick("//Cannot open##error/Close");
    t->Yield(4);
    EXPECT_EQ(t->ItemInfo("//Cannot open##error/Close", ImGuiTestOpFlags_NoError).ID, 0U);
  });
  app().open_files({"/no/such/file.etdp"});
  frames(4);
  drive([&](ImGuiTestContext* t) {
    EXPECT_NE(t->ItemInfo("//Cannot open##error/Close", ImGuiTestOpFlags_NoError).ID, 0U) << "asked for once more";
    t->ItemClick("//Cannot open##error/Close");
  });
}

TEST_F(UiTest, AFolderIsOpenedByTypingItsPath) {
  std::filesystem::create_directories(folder / "run");
  for (const char* file : {"etdump.etdp", "etrecord.bin", "program.pte"})
    std::filesystem::copy_file(artifact("add_mul") + "/" + file, folder / (std::string("run/") + file));
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_O);
    t->Yield(4);
    t->KeyChars((folder / "run").c_str());
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(4);
    EXPECT_EQ(document().data(), nullptr) << "its files are shown first";
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(4);
  });
  app().jobs().finish();
  settle();
  ASSERT_NE(document().data(), nullptr) << document().error().message();
  EXPECT_EQ(document().request().title(), "etdump.etdp + etrecord.bin + program.pte");
}

TEST_F(UiTest, AFolderWithNothingToOpenHasAGreyButton) {
  std::filesystem::create_directories(folder / "empty");
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_O);
    t->Yield(4);
    t->KeyChars((folder / "empty").c_str());
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(4);
    EXPECT_TRUE((t->ItemInfo("//Open##browser/###choose").ItemFlags & ImGuiItemFlags_Disabled) != 0);
    t->KeyChars("nothing.etdp");
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(4);
    EXPECT_NE(t->WindowInfo("//Open##browser").Window, nullptr) << "what is not there is said, and the dialogue stays";
    t->KeyPress(ImGuiKey_Escape);
    t->Yield(4);
    EXPECT_EQ(t->ItemInfo("//Open##browser/###choose", ImGuiTestOpFlags_NoError).ID, 0U) << "at the first press";
  });
}

TEST_F(UiTest, ATornOffPanelLiesUnderTheMouseAndInTheWindow) {
  open("add_mul");
  app().reset_layout();
  settle();
  frames(30);
  ImVec2 let_go;
  drive([&](ImGuiTestContext* t) {
    ImGuiWindow* const window = ImGui::FindWindowByName("Overview###Overview");
    ASSERT_NE(window, nullptr);
    ASSERT_NE(window->DockNode, nullptr);
    t->MouseMoveToPos(window->DC.DockTabItemRect.GetCenter());
    t->MouseDown();
    const ImVec2 from = window->DC.DockTabItemRect.GetCenter();
    let_go = {from.x + 420, from.y + 300};
    t->MouseMoveToPos({from.x + 200, from.y + 150});
    t->Yield(2);
    t->MouseMoveToPos(let_go);
    t->Yield(2);
    t->MouseUp();
    t->Yield(4);
  });
  const ImGuiWindow* const window = ImGui::FindWindowByName("Overview###Overview");
  if (window->DockIsActive) GTEST_SKIP() << "dropped on a target";
  const ImGuiViewport* const view = ImGui::GetMainViewport();
  EXPECT_LE(window->Size.x, view->WorkSize.x * 0.6F + 1);
  EXPECT_GE(window->Pos.x, view->WorkPos.x);
  EXPECT_GE(window->Pos.y, view->WorkPos.y);
  EXPECT_LE(window->Pos.x + window->Size.x, view->WorkPos.x + view->WorkSize.x);
  EXPECT_LE(window->Pos.y + window->Size.y, view->WorkPos.y + view->WorkSize.y);
  EXPECT_LE(window->Pos.x, let_go.x);
  EXPECT_GE(window->Pos.x + window->Size.x, let_go.x);
}

TEST(Settings, TheWindowKeepsItsSize) {
  Settings settings;
  settings.width = 1280;
  settings.height = 800;
  Settings again;
  std::istringstream lines(settings.to_text());
  for (std::string line; std::getline(lines, line);) again.take_line(line);
  EXPECT_EQ(again.width, 1280);
  EXPECT_EQ(again.height, 800);
  again.take_line("window=3x4");
  EXPECT_EQ(again.width, 1280) << "none that a window cannot have";
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
