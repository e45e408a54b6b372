// Each drawn panel by keys alone: Tab leads to the drawing, arrows from box to box, Enter is a click, what the mouse
// would show is shown, Esc leads out, Tab leaves.
#include "gui/widgets/box_walk.h"

#include <imgui_internal.h>

#include <algorithm>
#include <set>

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
};

void PrintTo(const DrawnPanel& panel, std::ostream* out) { *out << panel.id; }

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
  /// Tab by Tab into parts that scroll, until a drawing has the ring.
  static bool tab_to_drawing(ImGuiTestContext* t) {
    constexpr int kMost = 120;
    t->Yield(2);
    for (int i = 0; i < kMost && !has_ring(); ++i) {
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
    ASSERT_TRUE(tab_to_drawing(t)) << "no drawing is reached by Tab";
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

INSTANTIATE_TEST_SUITE_P(Panels, BoxWalkTest,
                         testing::Values(DrawnPanel{"overview"}, DrawnPanel{"timeline", DrawnPanel::Usual, true},
                                         DrawnPanel{"flame", DrawnPanel::Usual, true},
                                         DrawnPanel{"graph", DrawnPanel::Usual, true}, DrawnPanel{"delegation"},
                                         DrawnPanel{"memory", DrawnPanel::Usual, true}, DrawnPanel{"roofline"},
                                         DrawnPanel{"size"}, DrawnPanel{"llm", DrawnPanel::Tokens, false, false},
                                         DrawnPanel{"numerics", DrawnPanel::Numerics},
                                         DrawnPanel{"compare", DrawnPanel::Compared},
                                         DrawnPanel{"checks", DrawnPanel::Checks, false, false}),
                         [](const testing::TestParamInfo<DrawnPanel>& drawn) { return std::string(drawn.param.id); });

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
      do {
        seen.insert(g.NavId);
        press(t, ImGuiKey_Tab);
        // Into each part that scrolls: the next Tab leads out of it again.
        const bool part = std::any_of(g.Windows.begin(), g.Windows.end(), [&](const ImGuiWindow* w) {
          return w->Active && w->ChildId != 0 && w->ChildId == g.NavId;
        });
        if (part) {
          const ImGuiID around = g.NavId;
          press(t, ImGuiKey_Enter);
          seen.insert(around);
        }
      } while (g.NavId != first && ++presses < kMost);
      EXPECT_EQ(g.NavId, first) << spec->id << ": Tab does not come round, after " << seen.size() << " places";
    });
  }
}

}  // namespace
}  // namespace et::gui::test
