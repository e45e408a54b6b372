// The window in each language that has a catalogue: nothing stays English, names stay as they are, layouts survive.
#include "gui/widgets/translate.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "inspector/text/language.h"
#include "tests/gui/support/tokens_trace.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

class TranslationTest : public UiTest {
 protected:
  void TearDown() override {
    collect_untranslated(nullptr);
    UiTest::TearDown();
    choose_window_language("en");
  }
  bool wants_drawing() const override { return false; }
};

/// Two English words side by side, in a text without signs that only code, names, paths and what was shortened have.
bool is_english(const std::string& text) {
  static const std::regex words("(^|[ (\"])[A-Za-z]?[a-z]+[,:;.]? [a-z]{2,}([ ,:;.)!?\"]|$)"), call("[a-z]\\(");
  if (text.find_first_of("_=/\\[]{}<>*") != std::string::npos || text.find("…") != std::string::npos) return false;
  if (text.find(" --") != std::string::npos || std::regex_search(text, call)) return false;
  if (std::count(text.begin(), text.end(), '(') != std::count(text.begin(), text.end(), ')')) return false;
  return std::regex_search(text, words);
}

TEST_F(TranslationTest, NoPanelHasAnEnglishSentence) {
  std::set<std::string> left;
  app().set_language("zh");
  collect_untranslated(&left);
  for (const char* name : {"partial_delegation", "nanogpt_xnnpack_qd4", "multi_method", "add_mul"}) {
    open(name);
    for (const PanelSpec* spec : all_panels()) solo(spec->id);
  }
  solo("");
  open("quantised_portable", {"etrecord.bin", "program.pte"});
  for (const PanelSpec* spec : all_panels()) solo(spec->id);
  open("lstm_xnnpack");
  app().compare_files({artifact("lstm")});
  settle();
  for (const char* panel : {"compare", "flame"}) solo(panel);
  app().panel("numerics")->restore("against", std::string(ET_FIXTURES) + "/numeric_gap/quantised_portable.npz");
  open("quantised_portable", {"debug.etdp", "debug.bin", "etrecord.bin", "program.pte"});
  solo("numerics");
  write_tokens_trace(folder / "tokens.etdp");
  app().open_files({folder / "tokens.etdp"});
  app().jobs().finish();
  settle();
  for (const PanelSpec* spec : all_panels()) solo(spec->id);
  collect_untranslated(nullptr);
  if (const char* path = std::getenv("ET_UNTRANSLATED")) {
    std::ofstream file(path);
    for (const std::string& text : left) file << (is_english(text) ? "! " : "  ") << text << "\n";
  }
  std::erase_if(left, [](const std::string& text) { return !is_english(text); });
  std::string list;
  for (const std::string& text : left) list += "  " + text + "\n";
  // A text that was just written is translated by somebody who can (tests/gui/translations_test.py lists it, too).
  EXPECT_LE(left.size(), inspector::catalogue().ids("window").size() / 50) << "po/zh_CN.po lacks\n" << list;
}

TEST_F(TranslationTest, ErrorsOfOpeningAreInTheLanguageOfTheWindow) {
  app().set_language("zh");
  std::ofstream(folder / "notes.txt") << "nothing but words\n";
  std::ofstream(folder / "empty.etdp").close();
  for (const std::string& file : {folder / "notes.txt", folder / "empty.etdp", folder / "nothing.etdp", folder / ""}) {
    app().open_files({file});
    app().jobs().finish();
    settle();
    const std::string& message = document().error().message();
    ASSERT_FALSE(message.empty()) << file;
    const std::string shown = tr_message(message);
    EXPECT_NE(shown, message);
    EXPECT_NE(shown.find(file.substr(0, file.find_last_not_of('/') + 1)), std::string::npos) << shown;
    EXPECT_FALSE(is_english(shown)) << shown;
  }
}

TEST_F(TranslationTest, NamesOfATraceStayAsTheyAre) {
  for (const char* name : {"partial_delegation", "nanogpt_xnnpack_qd4", "lstm_xnnpack", "ethosu55_int8"}) {
    open(name);
    app().set_language("zh");
    for (const inspector::OpEntry& op : data().usual().ops) {
      EXPECT_EQ(tr(std::string(op.name)), std::string(op.name)) << name;
      for (const std::string& type : op.op_types) EXPECT_EQ(tr(type), type) << name;
    }
    for (const inspector::OpNode& link : data().usual().nodes) {
      const inspector::NodeFacts& node = *link.node;
      for (const std::string& text : {node.name, node.op, node.file, node.function, node.code, node.module_path})
        EXPECT_EQ(tr(text), text) << name;
    }
    app().set_language("en");
  }
}

TEST_F(TranslationTest, WhatIsPutTogetherIsTranslatedByItsPieces) {
  choose_window_language("zh");
  EXPECT_EQ(tr("12 samples; the costliest op of the group"), "12 个样本；组中最贵的算子");
  EXPECT_EQ(tr("1 sample"), "1 个样本");
  EXPECT_EQ(tr("Inside of blocks.0.attn"), "blocks.0.attn 内部");
  EXPECT_EQ(tr("Open files…"), "打开文件…");
  EXPECT_EQ(tr("torch.nn.Linear"), "torch.nn.Linear");
  EXPECT_EQ(tr(""), "");
  EXPECT_STREQ(tr_label("Copy"), "复制###Copy");
  EXPECT_STREQ(tr_label("Copy##1"), "复制###Copy##1");
  EXPECT_STREQ(tr_label("Name###name"), "名称###name") << "an id of its own is that of all languages";
  EXPECT_STREQ(tr_label("##row"), "##row");
  choose_window_language("en");
  EXPECT_STREQ(tr_label("Copy"), "Copy");
}

TEST_F(TranslationTest, WindowsAndTheLayoutAreTheSameInEachLanguage) {
  open("partial_delegation");
  const auto windows = [&] {
    std::string layout = ImGui::SaveIniSettingsToMemory();
    return layout.substr(0, layout.find("[Table]"));
  };
  frames(20);
  const std::string english = windows();
  app().set_language("zh");
  frames(20);
  drive([&](ImGuiTestContext* t) {
    for (const PanelSpec* spec : all_panels())
      EXPECT_NE(t->WindowInfo((std::string("//###") + spec->title).c_str()).Window, nullptr) << spec->id;
    t->SetRef("##MainMenuBar");
    t->MenuClick("###View/###Language/English");
  });
  EXPECT_EQ(windows(), english);
  EXPECT_EQ(inspector::language(), "en");
  EXPECT_EQ(app().settings().language, "en");
}

TEST_F(TranslationTest, TheMenuSwitchesWhileTheWindowRuns) {
  open("add_mul");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("##MainMenuBar");
    t->MenuClick("View/Language/简体中文");
  });
  EXPECT_EQ(inspector::language(), "zh");
  Settings read;
  for (std::istringstream lines(app().settings().to_text()); lines;) {
    std::string line;
    std::getline(lines, line);
    read.take_line(line);
  }
  EXPECT_EQ(read.language, "zh");
  read.take_line("language=nobody");
  EXPECT_EQ(read.language, "zh") << "what has no catalogue is left out";
}

TEST(Translation, WithoutAFontItIsEnglishAndSaysWhy) {
  AppOptions options;
  options.keep_settings = false;
  options.language = "zh";
  options.font_folders = std::vector<std::string>();
  App app(options);
  EXPECT_EQ(inspector::language(), "en");
  EXPECT_NE(app.banner().find("no font"), std::string::npos) << app.banner();
  app.set_language("en");
  EXPECT_EQ(app.banner(), "");
}

}  // namespace
}  // namespace et::gui::test
