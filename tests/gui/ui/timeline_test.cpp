// The timeline under mouse and keys: the view, its rows, the small map.
#include <algorithm>

#include "gui/panels/timeline_minimap.h"
#include "gui/panels/timeline_painter.h"
#include "tests/gui/ui/timeline_fixture.h"

namespace et::gui::test {
namespace {

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
