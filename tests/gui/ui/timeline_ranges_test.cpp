// The timeline: ranges, bookmarks, notes and regimes.
#include <algorithm>
#include <fstream>

#include "gui/models/notes_model.h"
#include "gui/models/operators_model.h"
#include "gui/panels/timeline_pins.h"
#include "inspector/analysis/ops/op_title.h"
#include "tests/gui/ui/timeline_fixture.h"
#include "tests/support/etdump_builder.h"

namespace et::gui::test {
namespace {

TEST_F(TimelineUiTest, NotesAreFlagsOnTheRuler) {
  start("partial_delegation");
  timeline().show_executions();
  timeline().view.jump();
  settle();
  const gui::Run& first = run(0);
  const Selection range = select_range(data(), first.start, first.start + first.duration);
  document().set_pins({{range, "look at this", "bad"}, {select_op(data(), data().table.ops[4].id), "slow", ""}});
  settle();
  const auto placed = place_pins(document().pins(), timeline(), 1000);
  const auto of = [&](size_t pin) {
    return std::find_if(placed.begin(), placed.end(), [&](const PlacedPin& p) { return p.pin == pin; });
  };
  ASSERT_NE(of(0), placed.end());
  ASSERT_NE(of(1), placed.end()) << "a noted op stands where it runs";
  EXPECT_NEAR(of(0)->x, timeline().view.x_of(static_cast<double>(first.start - timeline().view.origin()), 1000), 1);
  EXPECT_GT(of(0)->until, of(0)->x);
  EXPECT_EQ(pin_at(placed, of(0)->x), 0);
  EXPECT_EQ(pin_at(placed, -50), -1);
  timeline().view.show(timeline().view.extent() * 2, timeline().view.extent() * 3, 0);
  timeline().view.jump();
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiKey_Home);
    t->Yield(60);
    const ImRect ruler = t->ItemInfo("//Timeline##solo/timeline/##ruler").RectFull;
    const auto now = place_pins(document().pins(), timeline(), ruler.GetWidth());
    ASSERT_FALSE(now.empty());
    t->MouseMoveToPos({ruler.Min.x + now[0].x + 3, ruler.GetCenter().y});
    t->MouseClick();
    t->Yield(2);
    EXPECT_TRUE(document().selection().same(document().pins()[now[0].pin].target));
  });
}

TEST_F(TimelineUiTest, DragMovesAndRightDragMeasures) {
  start("mobilenet_v2_035_xnnpack_int8");
  timeline().show_execution(1);
  settle();
  frames(60);
  drive([&](ImGuiTestContext* t) {
    const double begin = timeline().view.begin(), span = timeline().view.span();
    t->MouseMoveToPos(place(t, timeline(), begin + span * 0.5, 1));
    t->MouseDown(0);
    t->MouseMoveToPos(place(t, timeline(), begin + span * 0.3, 1));
    t->MouseUp(0);
    t->Yield(10);
    EXPECT_GT(timeline().view.begin(), begin + span * 0.1);
    EXPECT_TRUE(document().selection().empty()) << "a drag selects nothing";
    const double from = timeline().view.begin() + span * 0.2, to = timeline().view.begin() + span * 0.6;
    drag_range(t, timeline(), from, to);
    t->Yield(10);
    ASSERT_TRUE(timeline().has_range());
    EXPECT_NEAR(timeline().range_begin(), from, span * 0.01);
    EXPECT_NEAR(timeline().range_end(), to, span * 0.01);
  });
  ASSERT_NE(timeline().range_statistics(), nullptr);
  EXPECT_FALSE(timeline().range_statistics()->ops.empty());
  EXPECT_NE(app().panel("timeline")->csv(), "");
}

TEST_F(TimelineUiTest, ARangeIsBookmarkedAndFoundAgain) {
  ASSERT_TRUE(import_artifact("partial_delegation", folder / "store.db").ok());
  app().open_files({folder / "store.db"});
  app().jobs().finish();
  solo("timeline");
  timeline().show_execution(1);
  settle();
  frames(60);
  const double begin = timeline().view.begin(), span = timeline().view.span();
  drive([&](ImGuiTestContext* t) {
    drag_range(t, timeline(), begin + span * 0.3, begin + span * 0.5);
    t->Yield(4);
  });
  ASSERT_EQ(document().selection().kind, Selection::Kind::Range);
  const int64_t start = document().selection().start, end = document().selection().end;
  const double width = timeline().range_end() - timeline().range_begin();
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_B);
    t->Yield(4);
    t->KeyPress(ImGuiKey_Escape);
    t->KeyPress(ImGuiKey_Home);
    t->Yield(60);
  });
  EXPECT_FALSE(timeline().has_range());
  EXPECT_TRUE(document().selection().empty());
  NotesModel& notes = model<NotesModel>("notes");
  ASSERT_EQ(notes.rows().size(), 1U) << notes.error();
  EXPECT_EQ(notes.rows()[0].note.kind, inspector::NoteKind::Bookmark);
  EXPECT_EQ(notes.rows()[0].note.anchor.kind, inspector::AnchorKind::Range);
  EXPECT_EQ(notes.rows()[0].note.anchor.start, start);
  EXPECT_EQ(notes.rows()[0].note.anchor.end, end);
  solo("notes");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Notes##solo");
    t->ItemClick("**/##note");
  });
  solo("timeline");
  frames(60);
  ASSERT_TRUE(timeline().has_range());
  EXPECT_NEAR(timeline().range_end() - timeline().range_begin(), width, 2);
  EXPECT_LT(timeline().view.span(), width * 2);
  // Its menu takes the bookmark away.
  drive([&](ImGuiTestContext* t) {
    t->MouseMoveToPos(place(t, timeline(), (timeline().range_begin() + timeline().range_end()) / 2, 0));
    t->MouseClick(1);
    t->Yield(2);
    t->ItemClick("//$FOCUSED/Bookmark the range");
    t->Yield(4);
  });
  EXPECT_TRUE(notes.rows().empty());
}

TEST_F(TimelineUiTest, ARangeRestrictsThePanelsThatRank) {
  open("partial_delegation");
  solo("operators");
  model<OperatorsModel>("operators").query.group.reset();
  settle();
  const size_t all = model<OperatorsModel>("operators").view().ops.size();
  solo("timeline");
  timeline().show_execution(1);
  settle();
  frames(60);
  const double begin = timeline().view.begin(), span = timeline().view.span();
  drive([&](ImGuiTestContext* t) {
    drag_range(t, timeline(), begin + span * 0.3, begin + span * 0.5);
    t->Yield(4);
  });
  settle();
  ASSERT_TRUE(document().restriction());
  ASSERT_TRUE(data().range);
  EXPECT_NE(document().restriction_text().find("execution #"), std::string::npos);
  solo("operators");
  const OperatorsModel& operators = model<OperatorsModel>("operators");
  EXPECT_LT(operators.view().ops.size(), all);
  EXPECT_GT(operators.view().ops.size(), 0U);
  for (const int32_t op : operators.view().ops) EXPECT_GT(data().shown_op(op).count, 0);
  for (const char* panel : {"flame", "source", "overview"}) {
    solo(panel);
    drive([&](ImGuiTestContext* t) {
      const std::string window = "//" + std::string(find_panel(panel)->title) + "##solo/" + panel;
      EXPECT_TRUE(t->ItemExists((window + "/Clear##restriction").c_str())) << panel;
    });
  }
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiKey_Escape);
    t->Yield(4);
  });
  settle();
  EXPECT_FALSE(document().restriction());
  EXPECT_FALSE(data().range);
  solo("timeline");
  frames(4);
  EXPECT_FALSE(timeline().has_range()) << "it was lifted for all panels";
}

TEST_F(TimelineUiTest, TheSwitchOfTheBasisNamesTheRange) {
  start("partial_delegation");
  document().select(select_range(data(), run(1).start, run(2).start + run(2).duration));
  settle();
  ASSERT_TRUE(data().range);
  EXPECT_EQ(data().shown.basis.text(), "sum in executions #1 to #2 of forward");
  app().set_basis({inspector::BasisKind::Mean});
  settle();
  EXPECT_FALSE(document().restriction()) << "what is chosen is what is shown";
  EXPECT_FALSE(data().range);
  EXPECT_EQ(data().shown.basis.kind, inspector::BasisKind::Mean);
  frames(4);
  EXPECT_FALSE(timeline().has_range());
}

/// Executions of one op: `before` of them twice as long as the `after` others.
std::string write_two_regimes(const std::string& path, int before, int after) {
  et::test::EtdumpBuilder builder;
  uint64_t at = 1000;
  for (int i = 0; i < before + after; ++i) {
    const uint64_t time = (i < before ? 100'000 : 50'000) + static_cast<uint64_t>(i * 37 % 11) * 50;
    builder.run("Execute")
        .profile("native_call_add.out", 1, 0, at + 500, at + time - 500)
        .profile("Method::execute", 0, -1, at, at + time);
    at += time + 5000;
  }
  const std::vector<uint8_t> bytes = builder.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path;
}

TEST_F(TimelineUiTest, AClickOnARegimeRestrictsEverythingToIt) {
  document().set_neighbours(false);
  app().open_files({write_two_regimes(folder / "two.etdp", 25, 15)});
  settle();
  solo("timeline");
  ASSERT_TRUE(timeline().ready());
  ASSERT_EQ(timeline().regimes().size(), 2u);
  const TimelineRegime second = timeline().regimes()[1];
  EXPECT_EQ(second.first, 25u);
  const double all = data().shown.blocks.front().cost;
  const char* const button = "//Timeline##solo/timeline/$$1/##regime";
  drive([&](ImGuiTestContext* t) {
    t->ItemClick(button);
    t->Yield(30);
  });
  settle();
  ASSERT_TRUE(document().restriction());
  EXPECT_EQ(document().restriction()->begin, run(second.first).start);
  EXPECT_EQ(document().restriction()->end, run(second.last).start + run(second.last).duration);
  EXPECT_NEAR(data().shown.blocks.front().cost, 15 * second.median, 15 * second.median * 0.02);
  frames(60);
  EXPECT_GE(timeline().view.begin(), static_cast<double>(run(24).start - timeline().view.origin())) << "it is seen";
  drive([&](ImGuiTestContext* t) {
    t->ItemClick(button);
    t->Yield(30);
  });
  settle();
  EXPECT_FALSE(document().restriction()) << "another click shows everything again";
  EXPECT_EQ(data().shown.blocks.front().cost, all);
}

}  // namespace
}  // namespace et::gui::test
