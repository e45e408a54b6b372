// The overview: rows lead to what they name, traces are switched by a click, empty states.
#include <algorithm>

#include "gui/models/findings_model.h"
#include "gui/models/operators_model.h"
#include "gui/models/overview_model.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

TEST_F(UiTest, OverviewLeadsToTheCostliest) {
  open("partial_delegation");
  solo("overview");
  const Overview overview = model<Overview>("overview");
  ASSERT_FALSE(overview.ops.empty() || overview.lines.empty() || overview.modules.empty());
  drive([](ImGuiTestContext* t) {
    t->SetRef("Overview##solo");
    t->ItemClick("**/##operator0");
  });
  EXPECT_EQ(document().selection().op, overview.ops[0].op);
  // The ops of that type, one by one.
  EXPECT_FALSE(model<OperatorsModel>("operators").query.group);
  EXPECT_NE(model<OperatorsModel>("operators").query.filter.find("type=\"" + overview.ops[0].type + "\""),
            std::string::npos);
  drive([](ImGuiTestContext* t) {
    t->SetRef("Overview##solo");
    t->ItemClick("**/##line0");
  });
  EXPECT_EQ(document().selection().kind, Selection::Kind::Line);
  EXPECT_EQ(document().selection().line, overview.lines[0].line);
  drive([](ImGuiTestContext* t) {
    t->SetRef("Overview##solo");
    t->ItemClick("**/##module0");
  });
  EXPECT_EQ(document().selection().kind, Selection::Kind::Module);
  EXPECT_EQ(document().selection().module, overview.modules[0].module);
  EXPECT_NE(app().panel("overview")->csv().find("XnnpackBackend"), std::string::npos);
}

TEST_F(UiTest, OverviewLeadsToTheFindingThatItNames) {
  open("external_weights");
  settle();
  const std::vector<OverviewStep> steps = model<Overview>("overview").steps;
  size_t tried = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!steps[i].finding) continue;
    app().show_panel("overview");
    settle();
    drive([&](ImGuiTestContext* t) {
      t->SetRef("//###Overview");
      ImGuiTestItemList items;
      t->GatherItems(&items, "", -1);
      std::vector<ImGuiID> links;
      for (const ImGuiTestItemInfo& item : items) {
        if (std::string_view(item.DebugLabel) == "###step") links.push_back(item.ID);
      }
      ASSERT_GT(links.size(), i);
      t->ItemClick(links[i]);
      t->Yield(4);
    });
    settle();
    ASSERT_EQ(app().focused_panel(), "findings");
    const FindingsModel& findings = model<FindingsModel>("findings");
    ASSERT_LT(findings.chosen, findings.rows().size());
    EXPECT_EQ(findings.rows()[findings.chosen].advice.title, steps[i].finding->title);
    ++tried;
  }
  EXPECT_GE(tried, 2U) << "also one that is not the first";
}

TEST_F(UiTest, OverviewLeadsToTheExecutionThatStandsOut) {
  open("partial_delegation");
  app().show_panel("overview");
  settle();
  const auto outlier = std::find_if(data().findings.begin(), data().findings.end(),
                                    [](const inspector::Finding& f) { return f.run != 0; });
  ASSERT_NE(outlier, data().findings.end());
  ASSERT_NE(document().run(), outlier->run);
  drive([](ImGuiTestContext* t) {
    t->SetRef("//###Overview");
    if (t->ItemExists("**/###notes")) t->ItemClick("**/###notes");
    t->ItemClick("**/###execution");
    t->Yield(4);
  });
  EXPECT_EQ(document().run(), outlier->run);
  EXPECT_EQ(app().focused_panel(), "timeline");
}

TEST_F(UiTest, OverviewFoldsItsNotes) {
  open("partial_delegation");
  app().show_panel("overview");
  settle();
  ASSERT_GT(first_notices(data().findings).size(), 1);
  size_t folded = 1, opened = 0;
  const auto seen = [](ImGuiTestContext* t) {
    ImGuiTestItemList items;
    t->GatherItems(&items, "", -1);
    return static_cast<size_t>(std::count_if(items.begin(), items.end(), [](const ImGuiTestItemInfo& item) {
      return std::string_view(item.DebugLabel) == "###execution";
    }));
  };
  drive([&](ImGuiTestContext* t) {
    t->SetRef("//###Overview");
    folded = seen(t);
    t->ItemClick("**/###notes");
    t->Yield(2);
    opened = seen(t);
  });
  EXPECT_EQ(folded, 0U);
  EXPECT_GT(opened, 0U);
}

TEST_F(UiTest, EnterInTheOverviewsSearchOpensTheFirstHit) {
  open("nanogpt_xnnpack_qd4");
  solo("overview");
  settle();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Overview##solo");
    t->ItemClick("**/##search");
    t->KeyCharsAppend("softmax");
    t->Yield(2);
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(10);
  });
  settle();
  ASSERT_FALSE(model<Overview>("overview").ops.empty());
  EXPECT_EQ(document().selection().kind == Selection::Kind::Group || document().selection().kind == Selection::Kind::Op,
            true);
  EXPECT_NE(model<OperatorsModel>("operators").query.filter.find("softmax"), std::string::npos);
}

TEST_F(UiTest, OverviewSwitchesTraces) {
  const TemporaryFolder other;
  const std::string path = other / "store.db";
  ASSERT_TRUE(import_artifact("add_mul", path).ok());
  ASSERT_TRUE(import_artifact("partial_delegation", path).ok());
  app().open_files({path});
  solo("overview");
  ASSERT_EQ(data().trace_id(), 2);
  drive([](ImGuiTestContext* t) {
    t->SetRef("Overview##solo");
    t->ItemClick("**/##trace1");
  });
  EXPECT_EQ(data().trace_id(), 1);
  double latency = 0;
  for (const inspector::OpBlock& b : data().shown.blocks) latency += b.kind == "execute" ? b.cost : 0;
  EXPECT_DOUBLE_EQ(model<Overview>("overview").total, latency);
}

}  // namespace
}  // namespace et::gui::test
