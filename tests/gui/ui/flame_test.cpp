// The search of the flame graph by keys and mouse, and its legend.
#include <algorithm>

#include "gui/models/flame_model.h"
#include "gui/panels/flame_legends.h"
#include "gui/widgets/cells.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct FlameUi : UiTest {
  FlameModel& flame() { return model<FlameModel>("flame"); }
  void search(const char* text) {
    drive([text](ImGuiTestContext* t) {
      t->SetRef("Flame graph##solo");
      t->ItemInput("**/##search");
      t->KeyCharsReplace(text);
      t->Yield(2);
    });
  }
};

// The next match, again and again: boxes stay wide enough to be read, and what is around them is seen.
TEST_F(FlameUi, TheNextMatchIsLegibleHoweverOftenItIsAskedFor) {
  open("nanogpt_xnnpack_qd4");
  solo("flame");
  search("softmax");
  ASSERT_GT(flame().found().size(), 2U);
  for (size_t i = 0; i < flame().found().size() + 2; ++i) {
    drive([](ImGuiTestContext* t) {
      t->SetRef("Flame graph##solo");
      t->ItemClick("**/##next");
      t->Yield(3);
    });
    ASSERT_FALSE(document().selection().empty());
    const int32_t hit = flame().find(document().selection());
    EXPECT_NE(flame().zoomed(), hit) << "in what is around it";
    const auto& boxes = flame().boxes(1264);
    const auto box = std::find_if(boxes.begin(), boxes.end(), [&](const FlameBox& b) { return b.node == hit; });
    ASSERT_NE(box, boxes.end());
    EXPECT_GT(box->row, 0);
    const bool innermost = flame().zoomed() == flame().node(hit).parent;
    EXPECT_TRUE(box->x1 - box->x0 >= 119 || innermost) << box->x1 - box->x0;
  }
}

TEST_F(FlameUi, EscapeClearsTheSearch) {
  open("partial_delegation");
  solo("flame");
  search("conv");
  EXPECT_EQ(flame().query(), "conv");
  drive([](ImGuiTestContext* t) {
    t->SetRef("Flame graph##solo");
    t->ItemInput("**/##search");
    t->KeyCharsReplace("x");  // what was erased would come back
    t->Yield(2);
    t->KeyPress(ImGuiKey_Escape);
    t->Yield(2);
  });
  EXPECT_EQ(flame().query(), "");
}

TEST_F(FlameUi, EnterGoesFromMatchToMatch) {
  open("nanogpt_xnnpack_qd4");
  solo("flame");
  search("softmax");
  drive([](ImGuiTestContext* t) {
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(4);
  });
  const Selection first = document().selection();
  EXPECT_FALSE(first.empty());
  drive([](ImGuiTestContext* t) {
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(4);
  });
  EXPECT_FALSE(document().selection().same(first));
  EXPECT_EQ(flame().query(), "softmax");
}

// Boxes need the height: what does not fit on one line is in the tooltip of its number.
TEST_F(FlameUi, TheLegendIsOneLine) {
  open("add_mul");
  std::vector<LegendEntry> entries;
  for (int i = 0; i < 30; ++i) entries.push_back({IM_COL32(90, 90, 90, 255), "aten.operator_" + std::to_string(i)});
  const auto draw = [&] {
    for (const float width : {300.0F, 900.0F, 1280.0F, 6000.0F}) {
      ImGui::SetNextWindowSize({width, 200});
      ImGui::Begin(("legend" + std::to_string(width)).c_str());
      ImGui::Button("before");
      const float top = ImGui::GetCursorPosY();
      draw_legend_line(entries);
      EXPECT_LT(ImGui::GetCursorPosY(), top + 1.5F * ImGui::GetFrameHeightWithSpacing()) << width;
      EXPECT_LE(ImGui::GetItemRectMax().x, ImGui::GetWindowPos().x + width) << width;
      ImGui::End();
    }
  };
  drive([](ImGuiTestContext* t) { t->Yield(4); }, draw);
}

}  // namespace
}  // namespace et::gui::test
