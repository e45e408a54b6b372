// No text is cut: headers, cells, buttons and labels of each panel, at three scales and in a small window.
#include "tests/gui/ui/cut_text.h"

#include <algorithm>
#include <cstdlib>

#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct Size {
  float scale;
  int width, height;
  const char* language = "en";
};

/// Where text runs out of sight on purpose: it is scrolled sideways.
bool scrolls(const std::string& window) {
  static constexpr const char* kScrolled[] = {"##editor", "Source##solo/##right", "/##result_"};
  return std::any_of(std::begin(kScrolled), std::end(kScrolled),
                     [&](const char* part) { return window.find(part) != std::string::npos; });
}

class CutTextTest : public UiTest, public testing::WithParamInterface<Size> {
 protected:
  PictureSize picture_size() const override { return {GetParam().width, GetParam().height}; }
  float scale() const override { return GetParam().scale; }
  void SetUp() override {
    UiTest::SetUp();
    if (HasFatalFailure()) return;
    if (std::string_view(GetParam().language) != "en" && app().wide_font().empty()) GTEST_SKIP() << "no font for it";
    app().set_language(GetParam().language);
    settle();
  }
  void TearDown() override {
    UiTest::TearDown();
    choose_window_language("en");
  }

  void check(const std::string& name, const char* panel) {
    solo(panel);
    for (const CutText& cut : cut_texts()) {
      if (scrolls(cut.window)) continue;
      ADD_FAILURE() << name << ", " << panel << ", window " << cut.window << ": text at " << cut.at.x << ", "
                    << cut.at.y << " misses " << cut.missing << " pixels at the " << (cut.right ? "right" : "left");
      break;
    }
    const char* shots = std::getenv("ET_GUI_SHOTS");
    if (HasFailure() && shots != nullptr && is_drawn()) {
      (void)write_png(picture(),
                      std::string(shots) + "/cut." + name + "." + panel + "." + std::to_string(GetParam().width) + "." +
                          std::to_string(static_cast<int>(GetParam().scale * 10)) + "." + GetParam().language + ".png");
    }
  }
};

TEST_P(CutTextTest, InNoPanel) {
  for (const char* name : {"partial_delegation", "nanogpt_xnnpack_qd4"}) {
    open(name);
    for (const PanelSpec* spec : all_panels()) check(name, spec->id);
  }
}

// As small as a window gets: names of ops, axes and the line below everything stay readable.
class SmallestWindowTest : public CutTextTest {};

TEST_P(SmallestWindowTest, CutsNoTextButThatOfTabs) {
  for (const char* name : {"partial_delegation", "nanogpt_xnnpack_qd4"}) {
    open(name);
    for (const char* panel : {"overview", "timeline", "operators", "source", "memory", "roofline", "findings"})
      check(name, panel);
  }
}

INSTANTIATE_TEST_SUITE_P(Ui, SmallestWindowTest, testing::Values(Size{2, 900, 600}));

// What a panel shows when it is set otherwise.
TEST_P(CutTextTest, InNoOtherView) {
  struct View {
    const char *panel, *key, *value;
  };
  open("nanogpt_xnnpack_qd4");
  for (const View& view :
       {View{"source", "view", "files"}, View{"flame", "by", "frames"}, View{"flame", "by", "ops"}}) {
    app().panel(view.panel)->restore(view.key, view.value);
    settle();
    check(view.value, view.panel);
  }
}

// Tensors beside those that were recorded in Python; without any the panel is an empty one.
TEST_P(CutTextTest, InNumerics) {
  app().panel("numerics")->restore("against", std::string(ET_FIXTURES) + "/numeric_gap/quantised_portable.npz");
  for (const char* name : {"quantised_portable", "lstm"}) {
    open(name, {"debug.etdp", "debug.bin", "etrecord.bin", "program.pte"});
    check(name, "numerics");
  }
}

// Two traces side by side, of one method and of several.
TEST_P(CutTextTest, InNoComparison) {
  for (const auto& [name, other] : {std::pair{"lstm_xnnpack", "lstm"}, {"multi_method", "add_mul"}}) {
    open(name);
    app().compare_files({artifact(other)});
    settle();
    ASSERT_NE(document().comparison().result(), nullptr) << document().comparison().error().message();
    for (const char* panel : {"compare", "flame"}) check(name, panel);
  }
}

INSTANTIATE_TEST_SUITE_P(Ui, CutTextTest,
                         testing::Values(Size{1, 1280, 800}, Size{1, 900, 600}, Size{1.5F, 1440, 900},
                                         Size{2, 1920, 1200}, Size{2, 1440, 900}, Size{0.8F, 1280, 800},
                                         Size{1, 1280, 800, "zh"}, Size{1, 900, 600, "zh"}, Size{2, 1440, 900, "zh"}),
                         [](const auto& each) {
                           return std::to_string(each.param.width) + "x" + std::to_string(each.param.height) + "_" +
                                  std::to_string(static_cast<int>(each.param.scale * 10 + 0.5F)) + "_" +
                                  each.param.language;
                         });

// The measure itself: it finds what is cut, and nothing else.
TEST_F(UiTest, CutTextIsFound) {
  settle();
  const auto count = [&](float width) {
    app().new_frame();
    ImGui::SetNextWindowSize({width, 100});
    if (ImGui::Begin("cut me", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking)) {
      ImGui::TextUnformatted("WWWWWWWWWWWWWWWW");
      ImGui::GetWindowDrawList()->AddLine({0, 0}, {2000, 2000}, IM_COL32_WHITE);
    }
    ImGui::End();
    ImGui::Render();
    const std::vector<CutText> cuts = cut_texts();
    return std::count_if(cuts.begin(), cuts.end(),
                         [](const CutText& cut) { return cut.window.find("cut me") != std::string::npos; });
  };
  constexpr float kWhole = 400;
  count(kWhole);  // it appears
  EXPECT_EQ(count(kWhole), 0);
  // Between two letters nothing is cut, so one of these widths is inside of a letter.
  EXPECT_GT(count(100) + count(104) + count(108), 0);
}

}  // namespace
}  // namespace et::gui::test
