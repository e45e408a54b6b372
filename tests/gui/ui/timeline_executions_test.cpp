// The timeline: executions, and that of the basis.
#include "tests/gui/ui/timeline_fixture.h"

namespace et::gui::test {
namespace {

TEST_F(TimelineUiTest, SlowestExecutionIsZoomedTo) {
  start("partial_delegation");
  drive([&](ImGuiTestContext* t) {
    t->ItemClick("//Timeline##solo/timeline/Slowest##slowest");
    t->Yield(60);
  });
  const gui::Run& slowest = run(timeline().executions().slowest().front());
  EXPECT_EQ(document().run(), slowest.id);
  EXPECT_LT(timeline().view.span(), static_cast<double>(slowest.duration) * 1.3);
  EXPECT_NE(timeline().ghost(), nullptr);
}

TEST_F(TimelineUiTest, WhatIsFarFromUsualIsOfTheView) {
  start("partial_delegation");
  for (const size_t execution : {size_t{1}, size_t{4}}) {
    timeline().show_execution(execution);
    settle();
    frames(60);
    for (const FarSlice& far : timeline().far_slices()) {
      EXPECT_LE(far.begin, far.end);
      EXPECT_GE(far.begin, 0);
    }
  }
}

TEST_F(TimelineUiTest, AClickOnAnExecutionShowsIt) {
  start("partial_delegation");
  timeline().show_executions();
  frames(60);
  const gui::Run wanted = run(2);
  drive([&](ImGuiTestContext* t) {
    ImVec2 at =
        place(t, timeline(), static_cast<double>(wanted.start - timeline().view.origin() + wanted.duration / 2), 0);
    at.y = t->ItemInfo("//Timeline##solo/timeline/##rows").RectFull.Min.y + scaled(10);
    t->MouseMoveToPos(at);
    t->MouseClick();
    t->Yield(60);
    EXPECT_EQ(document().run(), wanted.id);
    EXPECT_LT(timeline().view.span(), static_cast<double>(wanted.duration) * 1.3);
    t->KeyPress(ImGuiKey_RightBracket);
    t->Yield(60);
    EXPECT_EQ(document().run(), run(3).id);
    EXPECT_LT(timeline().view.span(), static_cast<double>(run(3).duration) * 1.3);
    t->KeyPress(ImGuiKey_LeftBracket);
    t->Yield(60);
    EXPECT_EQ(document().run(), wanted.id);
    t->KeyPress(ImGuiKey_E);
    t->Yield(60);
    EXPECT_GT(timeline().view.span(), static_cast<double>(wanted.duration) * 3);
    t->KeyPress(ImGuiKey_F);
    t->Yield(60);
    EXPECT_LT(timeline().view.span(), static_cast<double>(wanted.duration) * 1.3) << "what is selected";
  });
}

TEST_F(TimelineUiTest, ThePageOfAnExecutionLeadsFurther) {
  start("partial_delegation");
  const size_t slowest = timeline().executions().slowest().front();
  drive([&](ImGuiTestContext* t) {
    t->ItemClick("//Timeline##solo/timeline/Slowest##slowest");
    t->Yield(10);
  });
  settle();
  ASSERT_NE(timeline().execution_details(), nullptr);
  ASSERT_FALSE(timeline().execution_details()->longer.empty());
  drive([&](ImGuiTestContext* t) {
    t->ItemClick("//Timeline##solo/**/As range##execution");
    t->Yield(4);
  });
  settle();
  const gui::Run wanted = run(slowest);
  ASSERT_TRUE(document().restriction());
  EXPECT_EQ(*document().restriction(), (inspector::TimeRange{wanted.start, wanted.start + wanted.duration}));
  EXPECT_EQ(document().restriction_text(), "execution #0 of forward");
  drive([&](ImGuiTestContext* t) {
    t->ItemClick("//Timeline##solo/**/Execution");
    t->Yield(4);
    t->ItemClick("//Timeline##solo/**/Times of all panels##execution");
    t->Yield(4);
  });
  settle();
  EXPECT_FALSE(document().restriction());
  EXPECT_EQ(data().shown.basis, (inspector::Basis{inspector::BasisKind::Execution, wanted.execution}));
}

TEST_F(TimelineUiTest, TheBasisLeadsToItsExecution) {
  start("partial_delegation");
  const auto seen = [&](size_t execution) {
    frames(60);
    settle();
    const double begin = static_cast<double>(run(execution).start - timeline().view.origin());
    return timeline().view.begin() <= begin &&
           timeline().view.end() >= begin + static_cast<double>(run(execution).duration) &&
           timeline().view.span() < static_cast<double>(run(execution).duration) * 1.2;
  };
  for (const int64_t number : {2, 4, 1}) {
    app().set_basis({inspector::BasisKind::Execution, number});
    settle();
    EXPECT_TRUE(seen(static_cast<size_t>(number))) << number;
    EXPECT_EQ(document().run(), run(static_cast<size_t>(number)).id) << "and it is the chosen one";
  }
  app().set_basis({inspector::BasisKind::Cold});
  settle();
  EXPECT_TRUE(seen(0));
  app().set_basis({});
  settle();
  frames(60);
  EXPECT_EQ(document().run(), 0) << "the median is of no one execution";
}

TEST_F(TimelineUiTest, AnExecutionThatAnotherPanelLedToGoesBeforeThatOfTheBasis) {
  open("partial_delegation");
  for (const bool drawn : {false, true}) {  // before or after this panel was drawn for the first time
    solo("operators");
    app().set_basis(drawn ? inspector::Basis{} : inspector::Basis{inspector::BasisKind::Cold});
    settle();
    app().set_basis({inspector::BasisKind::Cold});
    settle();
    const gui::Run& wanted = data().runs[data().runs.size() - (drawn ? 2 : 1)];
    ASSERT_EQ(data().table.blocks[static_cast<size_t>(wanted.block)].kind, "execute");
    document().select_run(wanted.id);
    solo("timeline");
    settle();
    frames(60);
    EXPECT_EQ(document().run(), wanted.id) << drawn;
    const double begin = static_cast<double>(wanted.start - timeline().view.origin());
    EXPECT_LE(timeline().view.begin(), begin + 1) << drawn;
    EXPECT_GE(timeline().view.end(), begin + static_cast<double>(wanted.duration) - 1) << drawn;
  }
}

}  // namespace
}  // namespace et::gui::test
