// The timeline under mouse and keys.
#include <algorithm>
#include <fstream>

#include "gui/models/notes_model.h"
#include "gui/models/operators_model.h"
#include "gui/models/timeline_model.h"
#include "gui/models/timeline_types.h"
#include "gui/panels/operators_panel.h"
#include "gui/panels/timeline_minimap.h"
#include "gui/panels/timeline_painter.h"
#include "gui/panels/timeline_pins.h"
#include "inspector/analysis/ops/op_title.h"
#include "tests/gui/ui/harness.h"
#include "tests/support/etdump_builder.h"

namespace et::gui::test {
namespace {

struct TimelineUiTest : UiTest {
  void start(const std::string& name) {
    open(name);
    solo("timeline");
    ASSERT_TRUE(timeline().ready());
  }
  float timeline_width() {
    float width = 0;
    drive([&](ImGuiTestContext* t) { width = t->ItemInfo("//Timeline##solo/timeline/##rows").RectFull.GetWidth(); });
    return width;
  }
  TimelineModel& timeline() { return model<TimelineModel>("timeline"); }
  const gui::Run& run(size_t execution) {
    return data().runs[static_cast<size_t>(timeline().executions().run(execution))];
  }
  /// Where a slice is on the screen: the middle of what is seen of it. `row` counts rows of the trace's own clock.
  static ImVec2 place(ImGuiTestContext* t, TimelineModel& model, double time, int row) {
    const ImGuiTestItemInfo rows = t->ItemInfo("//Timeline##solo/timeline/##rows");
    const ImRect r = rows.RectFull;
    const double width = r.GetWidth();
    return {r.Min.x + static_cast<float>(model.view.x_of(time, width)),
            r.Min.y + model.lanes.tops[static_cast<size_t>(row)] + model.lanes.heights[static_cast<size_t>(row)] / 2};
  }
  /// With the right button, which selects the range.
  static void drag_range(ImGuiTestContext* t, TimelineModel& model, double from, double to) {
    t->MouseMoveToPos(place(t, model, from, 1));
    t->MouseDown(1);
    t->MouseMoveToPos(place(t, model, to, 1));
    t->MouseUp(1);
  }
};

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

TEST_F(TimelineUiTest, WheelZoomsWhereTheMouseIs) {
  start("partial_delegation");
  timeline().show_executions();
  timeline().view.jump();
  settle();
  drive([&](ImGuiTestContext* t) {
    const double before = timeline().view.span(), time = timeline().view.extent() * 0.6;
    t->MouseMoveToPos(place(t, timeline(), time, 1));
    t->MouseWheelY(5);
    t->Yield(60);
    EXPECT_LT(timeline().view.span(), before / 2);
    EXPECT_GT(time, timeline().view.begin());
    EXPECT_LT(time, timeline().view.end());
    t->KeyPress(ImGuiKey_Home);
    t->Yield(60);
    EXPECT_GE(timeline().view.span(), timeline().view.extent()) << "the whole trace";
    t->KeyPress(ImGuiKey_E);
    t->Yield(60);
    EXPECT_NEAR(timeline().view.span(), before, before * 0.01) << "the executions";
  });
}

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

TEST_F(TimelineUiTest, TheMinimapMovesAndWidensTheView) {
  start("partial_delegation");
  timeline().show_execution(2);
  settle();
  frames(60);
  drive([&](ImGuiTestContext* t) {
    const ImRect map = t->ItemInfo("//Timeline##solo/timeline/##minimap").RectFull;
    const auto at = [&](double time) {
      return ImVec2(map.Min.x + static_cast<float>(TimelineMinimap::x_of(timeline(), time, map.GetWidth())),
                    map.GetCenter().y);
    };
    const double extent = timeline().view.extent(), span = timeline().view.span();
    t->MouseMoveToPos(at(extent * 0.9));  // beside the view: it comes there
    t->MouseDown(0);
    t->Yield(2);
    t->MouseUp(0);
    t->Yield(2);
    EXPECT_NEAR((timeline().view.begin() + timeline().view.end()) / 2, extent * 0.9, extent * 0.02);
    EXPECT_NEAR(timeline().view.span(), span, span * 0.01);
    timeline().view.show(extent * 0.4, extent * 0.6, 0);
    timeline().view.jump();
    t->Yield(2);
    t->MouseMoveToPos(at(extent * 0.6));
    t->MouseDown(0);
    t->MouseMoveToPos(at(extent * 0.8));
    t->MouseUp(0);
    t->Yield(2);
    EXPECT_NEAR(timeline().view.begin(), extent * 0.4, extent * 0.01);
    EXPECT_NEAR(timeline().view.end(), extent * 0.8, extent * 0.01);
    t->MouseMoveToPos(at(extent * 0.6));
    t->MouseDown(0);
    t->MouseMoveToPos(at(extent * 0.5));
    t->MouseUp(0);
    t->Yield(2);
    EXPECT_NEAR(timeline().view.begin(), extent * 0.3, extent * 0.01);
    EXPECT_NEAR(timeline().view.span(), extent * 0.4, extent * 0.01);
  });
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

TEST_F(TimelineUiTest, RowsUseTheHeightOfThePanel) {
  start("partial_delegation");
  timeline().show_executions();
  timeline().view.jump();
  settle();
  const TimelineModel::Lanes& lanes = timeline().lanes;
  ASSERT_EQ(lanes.tops.size(), timeline().rows().size());
  for (size_t i = 0; i < lanes.tops.size(); ++i) {
    const bool is_frame = timeline().rows()[i].track == 0 && timeline().rows()[i].level < timeline().gap_level();
    const bool is_call = timeline().rows()[i].track == 0 && timeline().folds().calls_level(timeline().rows()[i].level);
    EXPECT_EQ(lanes.heights[i], is_frame ? scaled(20) : is_call ? std::min(lanes.row, scaled(38)) : lanes.row);
    if (i > 0) {
      EXPECT_GE(lanes.tops[i], lanes.tops[i - 1] + lanes.heights[i - 1] - 1);
    }
  }
  EXPECT_GT(lanes.row, scaled(60)) << "two rows of ops in a window of 800 pixels";
  float height = 0;
  drive([&](ImGuiTestContext* t) { height = t->ItemInfo("//Timeline##solo/timeline/##rows").RectFull.GetHeight(); });
  EXPECT_GT(lanes.tops.back() + lanes.heights.back(), height * 0.9F);
}

TEST_F(TimelineUiTest, AKernelIsDrawnUponItsCall) {
  start("add_mul");
  settle();
  const TimelineModel::Lanes& lanes = timeline().lanes;
  const auto& rows = timeline().rows();
  size_t folded = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    if (!timeline().is_folded_row(i)) continue;
    ++folded;
    EXPECT_EQ(lanes.tops[i], lanes.tops[i - 1]) << "one band, not two that are equal";
    EXPECT_EQ(lanes.heights[i], lanes.heights[i - 1]);
  }
  EXPECT_EQ(folded, 1U);
  // A click on it is one on the kernel.
  const inspector::WindowSlice* kernel = nullptr;
  size_t row = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t k = rows[i].first; k < rows[i].last; ++k) {
      const inspector::WindowSlice& s = timeline().window().slices[k];
      const bool seen =
          timeline().begin_of(s) >= timeline().view.begin() && timeline().end_of(s) <= timeline().view.end();
      if (!seen || s.count != 1 || !timeline().folds().is_kernel(s.op)) continue;
      if (kernel == nullptr || s.end - s.start > kernel->end - kernel->start) kernel = &s, row = i;
    }
  }
  ASSERT_NE(kernel, nullptr);
  const int32_t op = kernel->op;
  const double time = (timeline().begin_of(*kernel) + timeline().end_of(*kernel)) / 2;
  drive([&](ImGuiTestContext* t) {
    const ImRect rect = t->ItemInfo("//Timeline##solo/timeline/##rows").RectFull;
    const double x = timeline().view.x_of(time, static_cast<double>(rect.GetWidth()));
    t->MouseMoveToPos({rect.Min.x + static_cast<float>(x), rect.Min.y + lanes.tops[row] + lanes.heights[row] / 2});
    t->MouseClick();
    t->Yield(3);
  });
  EXPECT_EQ(document().selection().op, data().table.ops[static_cast<size_t>(op)].id);
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
    share += types[i].share;
    if (i > 0) {
      EXPECT_TRUE(types[i].costliest < 0 || types[i].time <= types[i - 1].time);
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

TEST_F(TimelineUiTest, KeysMoveTheView) {
  start("partial_delegation");
  drive([&](ImGuiTestContext* t) {
    t->MouseMoveToPos(place(t, timeline(), timeline().view.begin() + 1, 1));
    t->MouseClick();
    t->Yield(2);
    const auto held = [&](ImGuiKey key) {
      t->KeyDown(key);
      t->Yield(8);
      t->KeyUp(key);
      t->Yield(60);
      return timeline().view;
    };
    for (const auto& [nearer, farther] :
         {std::pair(ImGuiKey_W, ImGuiKey_S), std::pair(ImGuiKey_UpArrow, ImGuiKey_DownArrow),
          std::pair(ImGuiKey_Equal, ImGuiKey_Minus)}) {
      const double span = timeline().view.span();
      const double close = held(nearer).span();
      EXPECT_LT(close, span) << nearer;
      EXPECT_GT(held(farther).span(), close) << farther;
    }
    timeline().show_execution(1);
    timeline().view.jump();
    for (const auto& [later, earlier] :
         {std::pair(ImGuiKey_D, ImGuiKey_A), std::pair(ImGuiKey_RightArrow, ImGuiKey_LeftArrow)}) {
      const double begin = timeline().view.begin();
      const double after = held(later).begin();
      EXPECT_GT(after, begin) << later;
      EXPECT_LT(held(earlier).begin(), after) << earlier;
    }
  });
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

TEST_F(TimelineUiTest, NarrowSlicesHaveUprightNamesOrOneTogether) {
  start("partial_delegation");
  int named = 0;
  drive([](ImGuiTestContext* t) { t->Yield(3); },
        [&] {
          if (ImGui::GetFont() == nullptr || named > 0) return;
          for (int32_t op = 0; op < static_cast<int32_t>(data().table.ops.size()); ++op) {
            const std::string whole = upright_slice_label(data(), op, 1500, 1000);
            EXPECT_TRUE(whole.ends_with("1.50 µs")) << whole;
            for (float room = 4; room < 300; room += 7) {
              const std::string label = upright_slice_label(data(), op, 1500, room);
              EXPECT_TRUE(label.empty() || text_width(label) <= room) << label;
              EXPECT_EQ(label.find("…"), std::string::npos) << "whole or not at all";
              SliceFold fold;
              fold.op = op, fold.count = 6, fold.sum = 8100, fold.slices = 6;
              const std::string together = fold_label(data(), fold, room);
              EXPECT_TRUE(together.empty() || text_width(together) <= room) << together;
            }
            SliceFold fold;
            fold.op = op, fold.count = 6, fold.sum = 8100, fold.slices = 6;
            EXPECT_NE(fold_label(data(), fold, 1000).find(" + 5 ops  8.10 µs"), std::string::npos);
            ++named;
          }
        });
  EXPECT_GT(named, 0);
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

TEST_F(TimelineUiTest, WithoutRecordAndWithoutTrace) {
  solo("timeline");
  frames(3);
  open("multi_method", {"etdump.etdp"});
  solo("timeline");
  EXPECT_TRUE(timeline().ready());
  app().document().close();
  settle();
  frames(3);
  EXPECT_FALSE(timeline().ready());
}

}  // namespace
}  // namespace et::gui::test
