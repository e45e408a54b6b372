// The timeline: what a click, a search or another panel chooses, and its details.
#include "gui/models/timeline_types.h"
#include "gui/panels/operators_panel.h"
#include "gui/panels/timeline_minimap.h"
#include "tests/gui/ui/timeline_fixture.h"

namespace et::gui::test {
namespace {

TEST_F(TimelineUiTest, AClickSelectsTheOpAndStepsGoOn) {
  start("partial_delegation");
  timeline().show_execution(0);
  settle();
  frames(60);
  drive([&](ImGuiTestContext* t) {
    const inspector::WindowSlice* wanted = nullptr;
    const TimelineRow& row = timeline().rows()[1];
    for (size_t i = row.first; i < row.last; ++i) {
      const auto& s = timeline().window().slices[i];
      if (timeline().begin_of(s) < timeline().view.begin() || timeline().end_of(s) > timeline().view.end()) continue;
      if (wanted == nullptr || s.end - s.start > wanted->end - wanted->start) wanted = &s;
    }
    ASSERT_NE(wanted, nullptr);
    const int32_t op = wanted->op;
    t->MouseMoveToPos(place(t, timeline(), (timeline().begin_of(*wanted) + timeline().end_of(*wanted)) / 2, 1));
    t->MouseClick();
    t->Yield(4);
    EXPECT_EQ(document().selection().op, data().table.ops[static_cast<size_t>(op)].id);
    ASSERT_TRUE(timeline().at());
    const int64_t position = timeline().at()->position;
    t->KeyPress(ImGuiKey_N);
    t->Yield(60);
    ASSERT_TRUE(timeline().at());
    EXPECT_EQ(timeline().at()->position, position + 1);
    t->KeyPress(ImGuiKey_P);
    t->Yield(60);
    EXPECT_EQ(timeline().at()->position, position);
  });
  document().select({});
  settle();
  EXPECT_FALSE(timeline().at()) << "nothing is framed where nothing is selected";
}

TEST_F(TimelineUiTest, SearchCountsAndSteps) {
  start("partial_delegation");
  drive([&](ImGuiTestContext* t) {
    t->ItemInput("//Timeline##solo/timeline/##search");
    t->KeyCharsReplace("upsample");
    t->Yield(10);
    EXPECT_FALSE(timeline().found().ops.empty());
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(60);
    ASSERT_TRUE(timeline().at());
    EXPECT_TRUE(timeline().found().hit[static_cast<size_t>(timeline().at()->op)]);
    EXPECT_TRUE(document().selection().has_op(timeline().at()->op)) << "all panels speak of what was found";
  });
}

TEST_F(TimelineUiTest, WhatASearchFoundIsWhatTheDetailsAreOf) {
  start("partial_delegation");
  document().select_run(run(2).id);  // the pane is of an execution
  settle();
  drive([&](ImGuiTestContext* t) {
    const auto of_slice = [&] {
      return t->ItemExists("//Timeline##solo/**/###parent") || t->ItemExists("//Timeline##solo/**/###before");
    };
    t->Yield(4);
    ASSERT_FALSE(of_slice());
    t->ItemInput("//Timeline##solo/timeline/##search");
    t->KeyCharsReplace("upsample");
    t->Yield(10);
    for (int i = 0; i < 2; ++i) {  // also where it leads to the slice that it is at
      t->KeyPress(ImGuiKey_Enter);
      t->Yield(60);
      EXPECT_TRUE(of_slice()) << i;
      ASSERT_TRUE(timeline().at());
      const auto begin = static_cast<double>(timeline().at()->time.start - timeline().view.origin());
      EXPECT_GE(begin, timeline().view.begin());
      EXPECT_LE(begin, timeline().view.end());
      document().select_run(run(static_cast<size_t>(i) + 3).id);
      t->Yield(60);
    }
  });
}

TEST_F(TimelineUiTest, ASearchLeavesTheDrawingWhereItIs) {
  start("partial_delegation");
  drive([&](ImGuiTestContext* t) {
    const float before = t->ItemInfo("//Timeline##solo/timeline/##minimap").RectFull.Min.y;
    t->ItemInput("//Timeline##solo/timeline/##search");
    for (const char* text : {"m", "mean", "no such op"}) {
      t->KeyCharsReplace(text);
      t->Yield(10);
      EXPECT_EQ(t->ItemInfo("//Timeline##solo/timeline/##minimap").RectFull.Min.y, before) << text;
    }
  });
}

TEST_F(TimelineUiTest, WhatWasChosenBeforeItWasDrawnIsShown) {
  open("partial_delegation");
  const gui::Run wanted = data().runs.back();
  ASSERT_EQ(data().table.blocks[static_cast<size_t>(wanted.block)].kind, "execute");
  document().select_run(wanted.id);
  solo("timeline");
  settle();
  frames(60);
  const double begin = static_cast<double>(wanted.start - timeline().view.origin());
  EXPECT_LT(timeline().view.span(), static_cast<double>(wanted.duration) * 1.3);
  EXPECT_LE(timeline().view.begin(), begin + 1);
  EXPECT_GE(timeline().view.end(), begin + static_cast<double>(wanted.duration) - 1);
}

TEST_F(TimelineUiTest, DetailsOfASliceLeadFurther) {
  start("partial_delegation");
  timeline().show_execution(0);
  settle();
  frames(60);
  const inspector::WindowSlice* wanted = nullptr;
  for (const inspector::WindowSlice& s : timeline().window().slices) {
    const auto& op = data().table.ops[static_cast<size_t>(s.op)];
    if (s.count == 1 && op.nodes > 0 && op.kind == "operator_call" && s.start >= run(0).start) wanted = &s;
  }
  ASSERT_NE(wanted, nullptr);
  const inspector::WindowSlice slice = *wanted;  // the window is read anew
  const int32_t op = slice.op;
  timeline().go_to(op, slice.sample, slice);
  document().select(select_op(data(), data().table.ops[static_cast<size_t>(op)].id));
  settle();
  ASSERT_NE(timeline().surroundings(), nullptr);
  ASSERT_TRUE(timeline().surroundings()->before);
  const NearSlice before = *timeline().surroundings()->before;
  drive([&](ImGuiTestContext* t) {
    t->ItemClick("//Timeline##solo/**/###before");
    t->Yield(4);
  });
  settle();
  EXPECT_EQ(timeline().at()->op, before.op);
  EXPECT_EQ(timeline().at()->position, before.sample);
  EXPECT_TRUE(document().selection().has_op(before.op));
  ASSERT_NE(timeline().surroundings(), nullptr);
  ASSERT_TRUE(timeline().surroundings()->after);
  EXPECT_EQ(timeline().surroundings()->after->op, op) << "and back";
  // The pane goes beside the drawing, and away.
  const float wide = timeline_width();
  drive([&](ImGuiTestContext* t) {
    t->ItemClick("//Timeline##solo/timeline/###pane");
    t->Yield(2);
  });
  EXPECT_LT(timeline_width(), wide);
  drive([&](ImGuiTestContext* t) {
    t->ItemClick("//Timeline##solo/timeline/###pane");
    t->Yield(2);
  });
  EXPECT_EQ(timeline_width(), wide);
}

TEST_F(TimelineUiTest, AClickOnAModuleSelectsItsOps) {
  start("nanogpt_xnnpack_qd4");
  settle();
  const ModuleSpan* widest = nullptr;
  const int64_t begin = timeline().view.origin() + static_cast<int64_t>(timeline().view.begin());
  const int64_t end = timeline().view.origin() + static_cast<int64_t>(timeline().view.end());
  for (const ModuleSpan& span : timeline().module_spans()) {
    const bool seen = span.start >= begin && span.end <= end;
    if (seen && (widest == nullptr || span.end - span.start > widest->end - widest->start)) widest = &span;
  }
  ASSERT_NE(widest, nullptr);
  const std::string path = timeline().modules().names()[static_cast<size_t>(widest->module)].path;
  const double time = static_cast<double>((widest->start + widest->end) / 2 - timeline().view.origin());
  drive([&](ImGuiTestContext* t) {
    const ImRect rect = t->ItemInfo("//Timeline##solo/timeline/##rows").RectFull;
    const auto x = static_cast<float>(timeline().view.x_of(time, static_cast<double>(rect.GetWidth())));
    // Between the row of executions and the first row of ops.
    t->MouseMoveToPos({rect.Min.x + x, rect.Min.y + timeline().lanes.tops.front() - scaled(12)});
    t->MouseClick();
    t->Yield(3);
  });
  EXPECT_EQ(document().selection().kind, Selection::Kind::Module);
  EXPECT_EQ(document().selection().module, path);
}

TEST_F(TimelineUiTest, TheTypeThatCostsMostIsReadAndMarked) {
  start("partial_delegation");
  settle();
  const std::vector<TimelineType> types = timeline_types(data());
  ASSERT_FALSE(types.empty());
  double share = 0;
  for (size_t i = 0; i < types.size(); ++i) {
    share += types[i].share.value_or(0);
    if (i > 0) {
      EXPECT_LE(types[i].time, types[i - 1].time) << "the variation has its place among them";
    }
  }
  EXPECT_GT(share, 0.97);
  EXPECT_LT(share, 1.03);
  for (const TimelineType& type : types) {
    if (type.search.empty()) continue;
    const TimelineSearch found = search_timeline(data(), type.search);
    EXPECT_FALSE(found.ops.empty()) << type.search;
    for (const int32_t op : found.ops) EXPECT_EQ(op_color(data(), op), type_color(type.type)) << type.type;
  }
}

TEST_F(TimelineUiTest, NextGoesThroughTheMatchesOfASearch) {
  start("partial_delegation");
  drive([&](ImGuiTestContext* t) {
    t->ItemInput("//Timeline##solo/timeline/##search");
    t->KeyCharsReplace("mean");
    t->Yield(10);
    t->MouseMoveToPos(place(t, timeline(), timeline().view.begin() + 1, 1));
    t->MouseClick();
    t->Yield(4);
    t->KeyPress(ImGuiKey_N);
    t->Yield(60);
    ASSERT_TRUE(timeline().at());
    EXPECT_TRUE(timeline().found().hit[static_cast<size_t>(timeline().at()->op)]);
    const int64_t first = timeline().at_number();
    t->KeyPress(ImGuiKey_N);
    t->Yield(60);
    EXPECT_EQ(timeline().at_number(), first + 1);
    t->KeyPress(ImGuiKey_P);
    t->Yield(60);
    EXPECT_EQ(timeline().at_number(), first);
  });
}

TEST_F(TimelineUiTest, FollowsWhatWasChosenElsewhere) {
  start("control_flow_map");
  timeline().view.show(0, 100, 0);
  settle();
  frames(60);
  document().select(select_op(data(), data().table.ops[6].id));
  settle();
  frames(60);
  settle();
  EXPECT_LE(timeline().view.begin(), timeline().view.end());
  ASSERT_TRUE(timeline().at());
  EXPECT_EQ(timeline().at()->op, 6);
}

}  // namespace
}  // namespace et::gui::test
