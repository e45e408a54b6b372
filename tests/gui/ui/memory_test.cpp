// The memory panel by mouse: what is hit is selected, the wheel zooms, the summary switches arenas.
#include "gui/models/memory_model.h"

#include <algorithm>

#include "gui/panels/memory_drawing.h"
#include "gui/widgets/theme.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

/// Middle of a tensor's rectangle on the screen.
ImVec2 place_of(ImGuiTestContext* t, MemoryModel& model, int32_t tensor) {
  const ImRect item = t->ItemInfo("**/##plan").RectFull;
  const MemoryAreas areas = memory_areas(item.Min, item.Max);
  for (const MemoryRect& r : model.layout(areas.plan_max.x - areas.plan_min.x, areas.plan_max.y - areas.plan_min.y)) {
    if (r.tensor == tensor) return {areas.plan_min.x + (r.x0 + r.x1) / 2, areas.plan_min.y + (r.y0 + r.y1) / 2};
  }
  ADD_FAILURE() << "tensor " << tensor << " is not drawn";
  return item.Min;
}

TEST_F(UiTest, MemoryClickSelectsWhatWroteTheTensor) {
  open("partial_delegation");
  solo("memory");
  auto& m = model<MemoryModel>("memory");
  ASSERT_TRUE(m.has_plan());
  int32_t tensor = -1;
  for (size_t i = 0; i < m.arena()->tensors.size(); ++i) {
    if (m.arena()->tensors[i].bytes > 1000 && m.arena()->tensors[i].producer >= 0) tensor = static_cast<int32_t>(i);
  }
  ASSERT_GE(tensor, 0);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Memory##solo");
    t->MouseMoveToPos(place_of(t, m, tensor));
    t->MouseClick();
  });
  EXPECT_EQ(m.selected(), tensor);
  EXPECT_FALSE(m.at_peak());
  EXPECT_EQ(document().selection().instruction, m.arena()->tensors[static_cast<size_t>(tensor)].producer);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Memory##solo");
    t->ItemClick("**/Go to peak");
  });
  EXPECT_TRUE(m.at_peak());
  document().select({});
  settle();
  EXPECT_EQ(m.selected(), -1) << "nothing is marked where nothing is selected";
}

TEST_F(UiTest, MemoryDoubleClickOnARowLeadsToItsNode) {
  open("partial_delegation");
  app().show_panel("memory");
  settle();
  auto& m = model<MemoryModel>("memory");
  const std::vector<int32_t> listed = m.alive();
  const auto tensor =
      std::find_if(listed.begin(), listed.end(), [&](int32_t t) { return !m.target(data(), t).nodes.empty(); });
  ASSERT_NE(tensor, listed.end());
  const std::string row = "**/$$" + std::to_string(*tensor) + "/##tensor";
  drive([&](ImGuiTestContext* t) {
    t->SetRef("###Memory");
    t->ItemClick(row.c_str());
  });
  settle();
  EXPECT_EQ(app().focused_panel(), "memory") << "one click stays";
  EXPECT_TRUE(document().selection().same(m.target(data(), *tensor)));
  EXPECT_EQ(m.alive(), listed) << "what was clicked stays where it is";
  drive([&](ImGuiTestContext* t) {
    t->SetRef("###Memory");
    t->ItemDoubleClick(row.c_str());
  });
  settle();
  EXPECT_EQ(app().focused_panel(), "graph");
  EXPECT_TRUE(document().selection().same(m.target(data(), *tensor)));
}

TEST_F(UiTest, MemorySearchShowsTheModulesThatItLooksAt) {
  open("memory_pools");
  solo("memory");
  const auto has_modules = [&] {
    bool out = false;
    drive([&](ImGuiTestContext* t) {
      t->SetRef("Memory##solo");
      out = t->ItemExists("**/Module");
    });
    return out;
  };
  EXPECT_FALSE(has_modules());
  model<MemoryModel>("memory").search("conv1");
  settle();
  ASSERT_FALSE(model<MemoryModel>("memory").alive().empty());
  EXPECT_TRUE(has_modules());
}

TEST_F(UiTest, MemoryWheelZoomsAndFitShowsAll) {
  open("partial_delegation");
  solo("memory");
  auto& m = model<MemoryModel>("memory");
  const MemoryView all = m.view();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Memory##solo");
    t->MouseMoveToPos(place_of(t, m, 0));
    t->MouseWheelY(2);
  });
  EXPECT_LT(m.view().x1 - m.view().x0, all.x1 - all.x0);
  EXPECT_EQ(m.view().y1, all.y1);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Memory##solo");
    t->ItemClick("**/Fit");
  });
  EXPECT_EQ(m.view(), all);
}

TEST_F(UiTest, MemoryShowsTheLinesOfThePeakAtFirst) {
  open("partial_delegation");
  solo("memory");
  drive([](ImGuiTestContext* t) {
    t->SetRef("Memory##solo");
    EXPECT_TRUE(t->ItemExists("**/Line"));
    EXPECT_TRUE(t->ItemExists("**/Tensor"));
  });
  // Whatever part of the arena it is, the largest tensor has the end of the scale: a pale one would not be seen.
  const inspector::PlanArena& arena = *model<MemoryModel>("memory").arena();
  const int64_t largest = largest_bytes(arena);
  size_t hot = 0;
  for (const auto& tensor : arena.tensors)
    hot += tensor_color(tensor, largest, MemoryColors::Size) == cost_color(1) && tensor.bytes == largest;
  EXPECT_GT(hot, 0u);
}

TEST_F(UiTest, MemorySummarySwitchesArenas) {
  open("multi_method");
  solo("memory");
  auto& m = model<MemoryModel>("memory");
  ASSERT_EQ(m.plan().arenas.size(), 3U);
  const int other = m.arena_index() == 0 ? 1 : 0;
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Memory##solo");
    t->ItemClick("**/##tabs/Summary");
    t->Yield(2);
    t->ItemClick(("**/##arenas/$$" + std::to_string(other) + "/##arena").c_str());
  });
  EXPECT_EQ(m.arena_index(), other);
}

TEST_F(UiTest, MemoryArrowsStepThroughInstructionsAfterAClick) {
  open("lstm");
  solo("memory");
  auto& m = model<MemoryModel>("memory");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Memory##solo");
    const ImRect item = t->ItemInfo("**/##plan").RectFull;
    const MemoryAreas areas = memory_areas(item.Min, item.Max);
    t->MouseMoveToPos({areas.plan_min.x + (areas.plan_max.x - areas.plan_min.x) / 3, areas.curve_min.y + 4});
    t->MouseClick();
    t->Yield(2);
    const int64_t before = m.instruction();
    for (int i = 0; i < 3; ++i) t->KeyPress(ImGuiKey_RightArrow), t->Yield(2);
    EXPECT_EQ(m.instruction(), before + 3);
    t->KeyPress(ImGuiKey_LeftArrow);
    t->Yield(2);
    EXPECT_EQ(m.instruction(), before + 2);
    t->KeyPress(ImGuiKey_DownArrow);
    t->Yield(2);
    ASSERT_FALSE(m.alive().empty());
    EXPECT_EQ(m.selected(), m.alive().front()) << "up and down go through the list";
    EXPECT_EQ(m.instruction(), before + 2);
  });
}

TEST_F(UiTest, MemoryListIsSortedByItsHeadings) {
  open("lstm");
  solo("memory");
  auto& m = model<MemoryModel>("memory");
  ASSERT_GT(m.alive().size(), 2U);
  const auto of = [&](size_t i) { return m.arena()->tensors[static_cast<size_t>(m.alive()[i])]; };
  const auto line = [&](size_t i) {
    const auto* by = m.instruction_facts(of(i).producer);
    return by == nullptr ? std::string() : inspector::written_at(*by, of(i));
  };
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Memory##solo");
    t->ItemClick("**/Line");
    t->Yield(3);
    for (size_t i = 1; i < m.alive().size(); ++i) EXPECT_LE(line(i - 1), line(i));
    t->ItemClick("**/Line");
    t->Yield(3);
    for (size_t i = 1; i < m.alive().size(); ++i) EXPECT_GE(line(i - 1), line(i));
    t->ItemClick("**/Bytes");
    t->Yield(3);
    for (size_t i = 1; i < m.alive().size(); ++i) EXPECT_GE(of(i - 1).bytes, of(i).bytes);
  });
}

TEST_F(UiTest, MemoryDelegatesLeadToTheirCall) {
  open("partial_delegation");
  app().show_panel("memory");
  settle();
  const auto click = [&](bool twice) {
    drive([&](ImGuiTestContext* t) {
      t->SetRef("###Memory");
      t->ItemClick("**/##tabs/Summary");
      t->Yield(3);
      twice ? t->ItemDoubleClick("**/$$1/##delegate") : t->ItemClick("**/$$1/##delegate");
    });
    settle();
  };
  click(false);
  EXPECT_EQ(document().selection().kind, Selection::Kind::Part);
  EXPECT_EQ(document().selection().instruction, 3);
  EXPECT_EQ(app().focused_panel(), "memory");
  click(true);
  EXPECT_EQ(app().focused_panel(), "delegation");
}

TEST_F(UiTest, MemoryWithoutAProgramSaysWhatToDo) {
  open("partial_delegation", {"etdump.etdp", "etrecord.bin"});
  solo("memory");
  EXPECT_FALSE(model<MemoryModel>("memory").has_plan());
}

}  // namespace
}  // namespace et::gui::test
