// What happens while nothing moves: tooltips come, notices are said in the status bar and go.
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

TEST_F(UiTest, FramesAreDrawnUntilATooltipHasCome) {
  open("partial_delegation");
  solo("operators");
  ImVec2 at;
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    at = t->ItemInfo("**/Copy").RectFull.GetCenter();
    t->MouseMoveToPos(at);
  });
  // As the loop of the window draws: only while the program asks for it.
  ImGui::GetIO().AddMousePosEvent(at.x + 3, at.y);
  app().touch();
  frame_untouched();
  int drawn = 0;
  while (app().wants_frame() && drawn < 500) {
    frame_untouched();
    ++drawn;
  }
  const ImGuiStyle& style = ImGui::GetStyle();
  const float needed = style.HoverStationaryDelay + style.HoverDelayShort;
  EXPECT_GE(static_cast<float>(drawn) * ImGui::GetIO().DeltaTime, needed) << "frames stop before the tooltip";
  EXPECT_LT(drawn, 500) << "frames stop when it is there";
}

TEST_F(UiTest, ANoticeIsInTheStatusBarAndDismissed) {
  open("partial_delegation");
  app().notices().say("copied 12 rows");
  frames(3);
  EXPECT_EQ(app().shown_notice(), "copied 12 rows");
  drive([](ImGuiTestContext* t) {
    const ImRect close = t->ItemInfo("//##status/**/×##dismiss").RectFull;
    EXPECT_GT(close.Min.y, ImGui::GetIO().DisplaySize.y - 2 * ImGui::GetFrameHeight()) << "below all panels";
    t->ItemClick("//##status/**/×##dismiss");
    t->Yield(2);
  });
  EXPECT_EQ(app().shown_notice(), "");
}

}  // namespace
}  // namespace et::gui::test
