// Each drawn panel by keys alone: Tab leads to the drawing, arrows from box to box, Enter is a click, what the mouse
// would show is shown, Esc leads out, Tab leaves.
#include "gui/widgets/box_walk.h"

#include <imgui_internal.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "gui/models/graph_model.h"
#include "gui/models/timeline_model.h"
#include "gui/panels/compare_panel.h"
#include "inspector/ingest/check_results.h"
#include "tests/gui/support/tokens_trace.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct DrawnPanel {
  const char* id;
  enum Trace : uint8_t { Usual, Tokens, Compared, Numerics, Checks } trace = Usual;
  bool has_menu = false;
  bool selects = true;  ///< Enter chooses something for all panels
  int nth = 1;          ///< of the panel's drawings, in the order of Tab
};

std::string name_of(const DrawnPanel& panel) {
  return panel.id + (panel.nth > 1 ? std::to_string(panel.nth) : std::string());
}
void PrintTo(const DrawnPanel& panel, std::ostream* out) { *out << name_of(panel); }

struct WalkUi : UiTest {
  void open_for(DrawnPanel::Trace trace) {
    switch (trace) {
      case DrawnPanel::Usual:
        return open("partial_delegation");
      case DrawnPanel::Compared:
        open("lstm_xnnpack");
        return app().compare_files({artifact("lstm")});
      case DrawnPanel::Numerics:
        app().panel("numerics")->restore("against", std::string(ET_FIXTURES) + "/numeric_gap/quantised_portable.npz");
        return open("quantised_portable", {"debug.etdp", "debug.bin", "etrecord.bin", "program.pte"});
      case DrawnPanel::Tokens:
        write_tokens_trace(folder / "tokens.etdp");
        app().open_files({folder / "tokens.etdp"});
        break;
      case DrawnPanel::Checks: {
        inspector::Store store;
        ASSERT_TRUE(inspector::Store::open(folder / "store.db", inspector::Store::Mode::ReadWrite, &store).ok());
        for (int run = 1; run <= 6; ++run)
          ASSERT_TRUE(inspector::import_check_file(
                          store, std::string(ET_FIXTURES) + "/checks/run_" + std::to_string(run) + ".json")
                          .ok());
        store = {};
        app().open_files({folder / "store.db"});
        break;
      }
    }
    app().jobs().finish();
    settle();
  }

  static bool has_ring() { return last_ring().frame >= ImGui::GetFrameCount() - 1; }
  static bool has_tooltip() {
    const auto& windows = ImGui::GetCurrentContext()->Windows;
    return std::any_of(windows.begin(), windows.end(), [](const ImGuiWindow* w) {
      return (w->Flags & ImGuiWindowFlags_Tooltip) != 0 && w->Active && !w->Hidden;
    });
  }
  static void press(ImGuiTestContext* t, ImGuiKeyChord key) {
    t->KeyPress(key);
    t->Yield(2);
  }
  /// Tab by Tab into parts that scroll, until the nth drawing has the ring.
  static bool tab_to_drawing(ImGuiTestContext* t, int nth = 1) {
    constexpr int kMost = 120;
    t->Yield(2);
    ImGuiID seen = 0;
    for (int i = 0; i < kMost; ++i) {
      if (has_ring() && last_ring().item != seen) seen = last_ring().item, --nth;
      if (nth == 0) break;
      press(t, ImGuiKey_Tab);
      const ImGuiContext& g = *ImGui::GetCurrentContext();
      const bool part = std::any_of(g.Windows.begin(), g.Windows.end(), [&](const ImGuiWindow* w) {
        return w->Active && w->ChildId != 0 && w->ChildId == g.NavId;
      });
      // Into the part; what is no drawing is left again by the next Tab.
      if (part) press(t, ImGuiKey_Enter);
    }
    return has_ring();
  }
};

struct BoxWalkTest : WalkUi, testing::WithParamInterface<DrawnPanel> {};

TEST_P(BoxWalkTest, EachBoxByKeysAlone) {
  const DrawnPanel& panel = GetParam();
  open_for(panel.trace);
  solo(panel.id);
  document().select({});
  settle();
  drive([&](ImGuiTestContext* t) {
    ASSERT_TRUE(tab_to_drawing(t, panel.nth)) << "no drawing is reached by Tab";
    const ImGuiID item = last_ring().item;
    const size_t boxes = last_ring().boxes;
    ASSERT_GT(boxes, 1U);
    // All of them, in the order of reading.
    constexpr size_t kMostWalked = 30;
    const size_t walked = std::min(boxes, kMostWalked);
    const auto to_start = [&] {
      for (size_t i = 0; i < boxes && last_ring().place > 0; ++i) press(t, ImGuiKey_PageUp);
    };
    std::set<int64_t> seen;
    to_start();
    for (size_t i = 0; i < walked; ++i) {
      seen.insert(last_ring().key);
      press(t, ImGuiKey_PageDown);
    }
    EXPECT_EQ(seen.size(), walked);
    // Arrows lead to another box and back again.
    size_t moves = 0;
    for (const ImGuiKey key : {ImGuiKey_LeftArrow, ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow}) {
      const int64_t before = last_ring().key;
      press(t, key);
      moves += last_ring().key != before ? 1 : 0;
      EXPECT_TRUE(has_ring());
    }
    EXPECT_GT(moves, 0U);
    t->SleepNoSkip(0.6F, 1.0F / 60);
    t->Yield(4);
    EXPECT_TRUE(has_tooltip()) << "what the mouse would show";
    // Of some boxes there is nothing to select.
    to_start();
    for (size_t i = 0; i < boxes && document().selection().empty() && panel.selects; ++i) {
      if (i > 0) press(t, ImGuiKey_PageDown);
      press(t, ImGuiKey_Enter);
    }
    EXPECT_TRUE(has_ring()) << "the keyboard stays";
    EXPECT_EQ(document().selection().empty(), !panel.selects);
    if (panel.has_menu) {
      // Not each box has one.
      const auto is_open = [] { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); };
      press(t, ImGuiMod_Shift | ImGuiKey_F10);
      for (size_t i = 0; i < boxes && !is_open(); ++i) {
        press(t, ImGuiKey_PageDown);
        press(t, ImGuiMod_Shift | ImGuiKey_F10);
      }
      EXPECT_TRUE(is_open());
      press(t, ImGuiKey_Escape);
      EXPECT_FALSE(is_open());
      EXPECT_TRUE(has_ring());
    }
    press(t, ImGuiKey_Escape);
    EXPECT_FALSE(has_ring());
    press(t, ImGuiKey_Enter);
    EXPECT_TRUE(has_ring()) << "back in the drawing";
    press(t, ImGuiKey_Tab);
    EXPECT_NE(ImGui::GetCurrentContext()->NavId, item);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Panels, BoxWalkTest,
    testing::Values(DrawnPanel{"overview"}, DrawnPanel{"timeline", DrawnPanel::Usual, true, true, 3},
                    DrawnPanel{"timeline", DrawnPanel::Usual, false, false, 2},
                    DrawnPanel{"operators", DrawnPanel::Tokens, false, false, 1},
                    DrawnPanel{"operators", DrawnPanel::Tokens, false, false, 2},
                    DrawnPanel{"flame", DrawnPanel::Usual, true}, DrawnPanel{"graph", DrawnPanel::Usual, true},
                    DrawnPanel{"delegation"}, DrawnPanel{"memory", DrawnPanel::Usual, true}, DrawnPanel{"roofline"},
                    DrawnPanel{"size"}, DrawnPanel{"llm", DrawnPanel::Tokens, false, false},
                    DrawnPanel{"numerics", DrawnPanel::Numerics}, DrawnPanel{"compare", DrawnPanel::Compared},
                    DrawnPanel{"checks", DrawnPanel::Checks, false, false}),
    [](const testing::TestParamInfo<DrawnPanel>& drawn) { return name_of(drawn.param); });

// The whole of the trace or of the graph in small: what the mouse drags, Enter moves to its place.
TEST_F(WalkUi, SmallMapsMoveTheViewByKeys) {
  open("partial_delegation");
  solo("timeline");
  const TimelineView& view = model<TimelineModel>("timeline").view;
  drive([&](ImGuiTestContext* t) {
    ASSERT_TRUE(tab_to_drawing(t, 1));
    press(t, ImGuiKey_Home);
    for (int i = 0; i < 20; ++i) press(t, ImGuiKey_W);
    const double span = view.wanted_end() - view.wanted_begin();
    ASSERT_LT(span, view.extent() / 2);
    for (size_t i = last_ring().boxes; i-- > 0 && last_ring().place > 0;) press(t, ImGuiKey_LeftArrow);
    EXPECT_EQ(last_ring().place, 0U);
    press(t, ImGuiKey_Enter);
    const double first = view.wanted_begin();
    for (int i = 0; i < 20; ++i) press(t, ImGuiKey_RightArrow);
    press(t, ImGuiKey_Enter);
    EXPECT_GT(view.wanted_begin(), first + view.extent() / 4);
    EXPECT_NEAR(view.wanted_end() - view.wanted_begin(), span, span / 100);
    press(t, ImGuiMod_Shift | ImGuiKey_Enter);
    EXPECT_GT(view.wanted_end() - view.wanted_begin(), view.extent() * 0.99);
  });
  solo("graph");
  GraphCamera& camera = model<GraphViewModel>("graph").camera;
  drive([&](ImGuiTestContext* t) {
    camera.zoom *= 8;  // the map is shown where not all is seen
    ASSERT_TRUE(tab_to_drawing(t, 2)) << "the map of the graph";
    for (size_t i = last_ring().boxes; i-- > 0 && last_ring().place > 0;) press(t, ImGuiKey_PageUp);
    press(t, ImGuiKey_Enter);
    const float left = camera.x, top = camera.y;
    for (size_t i = last_ring().boxes; i-- > 0;) press(t, ImGuiKey_PageDown);
    press(t, ImGuiKey_Enter);
    EXPECT_GT(camera.x, left);
    EXPECT_GT(camera.y, top);
  });
}

TEST_F(WalkUi, TheStripOfExecutionsChoosesOneAndZooms) {
  open_for(DrawnPanel::Tokens);
  solo("timeline");
  drive([&](ImGuiTestContext* t) {
    ASSERT_TRUE(tab_to_drawing(t, 2));
    const size_t all = last_ring().boxes;
    ASSERT_GT(all, 8U);
    press(t, ImGuiKey_PageDown);
    const int64_t execution = last_ring().key;
    press(t, ImGuiKey_Enter);
    const auto& executions = model<TimelineModel>("timeline").executions();
    EXPECT_EQ(executions.find(document().run()), execution);
    press(t, ImGuiKey_Equal);
    EXPECT_LT(last_ring().boxes, all);
    EXPECT_EQ(last_ring().key, execution) << "the ring stays with its execution";
    for (size_t i = 0; i < 4 * all && last_ring().key + 1 < static_cast<int64_t>(executions.size()); ++i)
      press(t, ImGuiKey_RightArrow);
    EXPECT_EQ(last_ring().key, static_cast<int64_t>(executions.size()) - 1) << "the strip moves on at its edge";
  });
}

TEST_F(WalkUi, WhatIsSeenBecomesTheRangeByACommand) {
  open("partial_delegation");
  solo("timeline");
  auto& m = model<TimelineModel>("timeline");
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    t->Yield(2);
    t->KeyChars("seen as the range");
    t->Yield(2);
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(3);
  });
  ASSERT_TRUE(m.has_range());
  EXPECT_NEAR(m.range_begin(), m.view.begin(), m.view.extent() / 1000);
  EXPECT_NEAR(m.range_end(), m.view.end(), m.view.extent() / 1000);
  EXPECT_EQ(document().selection().kind, Selection::Kind::Range);
}

TEST_F(WalkUi, ChartsOfAQueryAreReadByKeys) {
  open("partial_delegation");
  solo("sql");
  app().jobs().finish();
  settle();
  drive([&](ImGuiTestContext* t) {
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    const auto tab_to = [&](const char* label) {
      constexpr int kMost = 60;
      for (int i = 0; i < kMost; ++i) {
        if (std::any_of(g.Windows.begin(), g.Windows.end(),
                        [&](ImGuiWindow* w) { return w->Active && g.NavId == w->GetID(label); }))
          return true;
        press(t, ImGuiKey_Tab);
      }
      return false;
    };
    press(t, ImGuiKey_Escape);  // the cursor is in the query at first, where Tab is text
    ASSERT_TRUE(tab_to("Chart"));
    press(t, ImGuiKey_Space);
    ASSERT_TRUE(tab_to("##kind"));
    press(t, ImGuiKey_Space);
    press(t, ImGuiKey_DownArrow);
    press(t, ImGuiKey_DownArrow);
    press(t, ImGuiKey_Enter);
    ASSERT_TRUE(tab_to_drawing(t));
    ASSERT_GT(last_ring().boxes, 1U);
    const int64_t first = last_ring().key;
    press(t, last_ring().place == 0 ? ImGuiKey_PageDown : ImGuiKey_PageUp);
    EXPECT_NE(last_ring().key, first);
    EXPECT_TRUE(has_tooltip());
  });
}

// Tab is text in the editor of queries; Esc leaves it, and Tab goes on from there.
TEST_F(WalkUi, TheEditorOfQueriesIsLeftByEsc) {
  open("partial_delegation");
  solo("sql");
  drive([&](ImGuiTestContext* t) {
    const ImGuiContext& g = *ImGui::GetCurrentContext();
    const auto editor = [&]() -> const ImGuiWindow* {
      const auto found = std::find_if(g.Windows.begin(), g.Windows.end(), [](const ImGuiWindow* w) {
        return w->Active && std::string_view(w->Name).find("##editor") != std::string_view::npos;
      });
      return found == g.Windows.end() ? nullptr : *found;
    };
    constexpr int kMost = 60;
    t->Yield(2);
    ASSERT_NE(editor(), nullptr);
    press(t, ImGuiKey_Escape);  // the cursor is in the query at first
    for (int i = 0; i < kMost && g.NavId != editor()->ChildId; ++i) press(t, ImGuiKey_Tab);
    ASSERT_EQ(g.NavId, editor()->ChildId) << "Tab leads to the editor";
    press(t, ImGuiKey_Enter);
    ASSERT_EQ(g.NavWindow, editor());
    press(t, ImGuiKey_Tab);
    EXPECT_EQ(g.NavWindow, editor()) << "Tab is text";
    press(t, ImGuiKey_Escape);
    EXPECT_NE(g.NavWindow, editor());
    EXPECT_EQ(g.NavId, editor()->ChildId);
    EXPECT_TRUE(g.NavCursorVisible) << "it is seen where the keyboard is";
    press(t, ImGuiKey_Tab);
    EXPECT_NE(g.NavWindow, editor());
    EXPECT_NE(g.NavId, editor()->ChildId) << "and on";
    press(t, ImGuiMod_Shift | ImGuiKey_Tab);
    EXPECT_EQ(g.NavId, editor()->ChildId) << "and back";
  });
}

// From the window's start, without a mouse: each panel, and out of each part of it again.
TEST_F(WalkUi, TabLeavesPartsThatScrollAndComesRound) {
  open("partial_delegation");
  for (const PanelSpec* spec : all_panels()) {
    if (spec->id == std::string("sql")) continue;  // in the editor of queries Tab is text
    solo(spec->id);
    drive([&](ImGuiTestContext* t) {
      const ImGuiContext& g = *ImGui::GetCurrentContext();
      press(t, ImGuiKey_Tab);
      const ImGuiID first = g.NavId;
      std::set<ImGuiID> seen;
      constexpr int kMost = 200;
      int presses = 0;
      ImGuiID reached = 0;
      do {
        seen.insert(g.NavId);
        press(t, ImGuiKey_Tab);
        reached = g.NavId;
        // Into each part that scrolls: the next Tab leads out of it again.
        const bool part = std::any_of(g.Windows.begin(), g.Windows.end(), [&](const ImGuiWindow* w) {
          return w->Active && w->ChildId != 0 && w->ChildId == g.NavId;
        });
        if (part) {
          press(t, ImGuiKey_Enter);
          seen.insert(reached);
        }
      } while (reached != first && ++presses < kMost);
      EXPECT_EQ(reached, first) << spec->id << ": Tab does not come round, after " << seen.size() << " places";
    });
  }
}

}  // namespace
}  // namespace et::gui::test
