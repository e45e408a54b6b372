// The example of CONTRIBUTING.md, "Add a panel": what a contributor copies works as it is.
#include <algorithm>

#include "gui/panels/panel.h"
#include "tests/gui/ui/harness.h"

namespace et::gui {
extern const PanelSpec k_longest_panel;
}

namespace et::gui::test {
namespace {

struct PanelExample : UiTest {
  std::unique_ptr<Panel> panel = k_longest_panel.make();
  Notices notices;

  void draw() {
    PanelContext context = {document(), app().jobs(), notices};
    if (ImGui::Begin(k_longest_panel.title)) panel->draw(context);
    ImGui::End();
  }
};

TEST_F(PanelExample, LeadsToTheLongestExecution) {
  open("partial_delegation");
  const auto& runs = data().runs;
  const auto longest =
      std::max_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.duration < b.duration; });
  drive([](ImGuiTestContext* t) { t->ItemClick("//Longest execution/Show in timeline"); }, [this] { draw(); });
  EXPECT_EQ(document().run(), longest->id);
  EXPECT_EQ(app().focused_panel(), "timeline");
}

TEST_F(PanelExample, SaysWhatToDoWithoutATrace) {
  drive([](ImGuiTestContext* t) { t->Yield(2); }, [this] { draw(); });
}

}  // namespace
}  // namespace et::gui::test
