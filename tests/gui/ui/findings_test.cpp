// The Findings panel by mouse: lists that fold, and where it leads.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/window_words.h"
#include "gui/models/findings_model.h"
#include "gui/panels/panel.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

TEST_F(UiTest, FindingsFoldTheRulesThatSaidNothing) {
  open("nanogpt_xnnpack_qd4");
  solo("findings");
  settle();
  ASSERT_FALSE(model<FindingsModel>("findings").rows().empty());
  EXPECT_EQ(app().panel("findings")->settings(), Settings{}) << "folded, unless somebody says otherwise";
  const auto click = [&] {
    drive([&](ImGuiTestContext* t) {
      t->SetRef("Findings##solo");
      t->ItemClick("**/###silent");
      t->Yield(2);
    });
  };
  click();
  EXPECT_EQ(app().panel("findings")->settings(), (Settings{{"rules", "shown"}}));
  click();
  EXPECT_EQ(app().panel("findings")->settings(), (Settings{{"rules", "folded"}}));
  app().panel("findings")->restore("rules", "shown");
  EXPECT_EQ(app().panel("findings")->settings(), (Settings{{"rules", "shown"}}));
}

TEST_F(UiTest, FindingsKeepOnlyWhatASearchFinds) {
  open("nanogpt_xnnpack_qd4");
  solo("findings");
  settle();
  bool before = false, after = false;
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Findings##solo");
    before = t->ItemExists("**/###silent");
    t->ItemClick("**/##search");
    t->KeyCharsAppend("layer_norm");
    t->Yield(3);
    after = t->ItemExists("**/###silent") || t->ItemExists("**/###run");
  });
  EXPECT_TRUE(before);
  EXPECT_FALSE(after) << "rules and the measurement have no words of the model";
  EXPECT_EQ(model<FindingsModel>("findings").found(), 1);
}

TEST_F(UiTest, AnOpOfAFindingStaysMarkedAndHasAMenu) {
  open("nanogpt_xnnpack_qd4");
  solo("findings");
  settle();
  const FindingsModel& findings = model<FindingsModel>("findings");
  const std::string node = findings.rows()[0].advice.items[1].place.node;
  bool menu = false;
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Findings##solo");
    ImGuiTestItemList items;
    t->GatherItems(&items, "", -1);
    std::vector<ImGuiID> rows;
    for (const ImGuiTestItemInfo& item : items)
      if (std::string_view(item.DebugLabel) == "##item") rows.push_back(item.ID);
    ASSERT_GT(rows.size(), 1U);
    t->ItemClick(rows[1]);
    t->Yield(2);
    t->ItemClick(rows[1], ImGuiMouseButton_Right);
    t->Yield(2);
    menu = t->ItemExists("//$FOCUSED/Show in Operators");
    t->KeyPress(ImGuiKey_Escape);
  });
  EXPECT_EQ(document().selection().node, node);
  EXPECT_TRUE(menu);
}

TEST_F(UiTest, FindingsOfOneExecutionLeadToIt) {
  open("nanogpt_xnnpack_qd4");
  app().show_panel("findings");
  settle();
  const auto& measurement = model<FindingsModel>("findings").measurement();
  ASSERT_TRUE(std::any_of(measurement.begin(), measurement.end(), [](const auto& f) { return f.run != 0; }));
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Findings");
    t->ItemClick("**/###run");
    t->Yield(4);
  });
  EXPECT_EQ(app().focused_panel(), "timeline");
}

TEST_F(UiTest, FindingsNamePanelsAsTheirTabsDo) {
  open("add_mul");
  for (const auto& [word, title] : window_commands()) {
    const bool found = std::any_of(all_panels().begin(), all_panels().end(),
                                   [&, called = title](const PanelSpec* spec) { return spec->title == called; });
    EXPECT_TRUE(found) << title;
  }
}

}  // namespace
}  // namespace et::gui::test
