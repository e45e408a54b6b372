// Compare as a person uses it: choosing the other side, rows, both executions, the flame graph of the difference.
#include <imgui_internal.h>

#include <algorithm>
#include <fstream>

#include "gui/models/flame_model.h"
#include "gui/panels/compare_panel.h"
#include "gui/widgets/canvas.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct CompareUi : UiTest {
  CompareModel& rows() { return model<CompareModel>("compare"); }
  ComparePanel& panel() { return static_cast<ComparePanel&>(*app().panel("compare")); }
  Comparison& comparison() { return document().comparison(); }

  void compare(const std::string& name, const std::string& other) {
    open(name);
    app().compare_files({artifact(other)});
    solo("compare");
    ASSERT_NE(rows().compared(), nullptr) << comparison().error().message();
  }
  /// The first row of those that the open trace has an op of.
  int32_t open_row() {
    for (const int32_t g : rows().rows()) {
      if (!rows().selection_of(g).empty() && !rows().group(g).type.empty()) return g;
    }
    return -1;
  }
  void click(const char* item) {
    drive([item](ImGuiTestContext* t) {
      t->SetRef("Compare##solo");
      t->ItemClick(item);
    });
    settle();
  }
};

TEST_F(CompareUi, APathIsComparedWithWhatIsOpen) {
  open("lstm_xnnpack");
  solo("compare");
  EXPECT_EQ(rows().compared(), nullptr);
  const std::string other = artifact("lstm");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Compare##solo");
    t->ItemClick("**/##path");
    t->KeyCharsReplaceEnter(other.c_str());
  });
  settle();
  ASSERT_NE(rows().compared(), nullptr) << comparison().error().message();
  EXPECT_EQ(rows().compared()->before_title, "lstm/etdump.etdp");
  EXPECT_TRUE(rows().compared()->open_is_after);
}

TEST_F(CompareUi, SwapAndEnd) {
  compare("lstm_xnnpack", "lstm");
  const double change = rows().diff().after - rows().diff().before;
  click("**/Swap");
  EXPECT_DOUBLE_EQ(rows().diff().after - rows().diff().before, -change);
  click("**/End");
  EXPECT_EQ(rows().compared(), nullptr);
  EXPECT_NE(document().data(), nullptr);
}

TEST_F(CompareUi, ARowSelectsItsOpInAllPanels) {
  compare("lstm_xnnpack", "lstm");
  const int32_t row = open_row();
  ASSERT_GE(row, 0);
  drive([&](ImGuiTestContext* t) {
    const std::string item = "**/$$" + std::to_string(row) + "/##row";
    t->SetRef("Compare##solo");
    t->ItemClick(item.c_str());
  });
  settle();
  EXPECT_EQ(panel().chosen(), row);
  EXPECT_EQ(document().selection().kind, Selection::Kind::Op);
  EXPECT_TRUE(document().selection().same(rows().selection_of(row)));
}

TEST_F(CompareUi, WhatIsSelectedElsewhereIsShown) {
  compare("lstm_xnnpack", "lstm");
  const int32_t row = open_row();
  document().select(rows().selection_of(row));
  settle();
  EXPECT_EQ(panel().chosen(), row);
  document().select({});
  settle();
}

TEST_F(CompareUi, SearchFilterAndCopy) {
  compare("lstm_xnnpack", "lstm");
  const size_t all = rows().rows().size();
  drive([](ImGuiTestContext* t) {
    t->SetRef("Compare##solo");
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F);
    t->Yield(3);
    t->KeyChars("tanh");
    t->Yield(3);
  });
  EXPECT_EQ(rows().query.text, "tanh");
  EXPECT_LT(rows().rows().size(), all);
  ASSERT_FALSE(rows().rows().empty());
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Compare##solo");
    t->ItemClick("**/Copy");
    t->Yield(2);
    const char* copied = ImGui::GetClipboardText();  // the engine's own, only here
    EXPECT_EQ(copied == nullptr ? std::string() : copied, rows().csv());
  });
  EXPECT_NE(rows().csv().find("tanh"), std::string::npos);
}

TEST_F(CompareUi, BothExecutionsZoomAndLeadToTheirOps) {
  compare("lstm_xnnpack", "lstm");
  const double whole = panel().view().span();
  ImRect lanes;
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Compare##solo");
    lanes = t->ItemInfo("**/##lanes").RectFull;
    t->MouseMoveToPos({(lanes.Min.x + lanes.Max.x) / 2, lanes.Max.y - 30});
    t->MouseWheelY(5);
    t->Yield(40);
  });
  EXPECT_LT(panel().view().wanted_end() - panel().view().wanted_begin(), whole / 2);
  // Along the lower lane until there is an op of the open trace.
  for (int i = 1; i < 20 && document().selection().empty(); ++i) {
    drive([&](ImGuiTestContext* t) {
      t->MouseMoveToPos({lanes.Min.x + lanes.GetWidth() * static_cast<float>(i) / 20, lanes.Max.y - 40});
      t->MouseClick();
      t->Yield(2);
    });
  }
  EXPECT_FALSE(document().selection().empty());
  EXPECT_GE(panel().chosen(), 0);
}

TEST_F(CompareUi, FilesDroppedOnThePanelAreCompared) {
  open("lstm_xnnpack");
  solo("compare");
  const auto* data = document().data();
  app().drop_files({artifact("lstm") + "/etdump.etdp"});
  settle();
  EXPECT_EQ(document().data(), data) << "the open trace stays";
  ASSERT_NE(rows().compared(), nullptr) << comparison().error().message();
  solo("operators");
  app().drop_files({artifact("add_mul") + "/etdump.etdp"});
  settle();
  EXPECT_NE(document().data(), data) << "elsewhere files are opened";
}

TEST_F(CompareUi, WhatCannotBeComparedIsSaidWhole) {
  compare("lstm_xnnpack", "lstm");
  const auto last = comparison().result();
  const std::string text = folder / "picture.png";
  std::ofstream(text) << "no trace\n";
  app().compare_files({text});
  settle();
  EXPECT_NE(comparison().error().message().find("picture.png"), std::string::npos);
  EXPECT_EQ(rows().compared(), last.get());
  click("**/Dismiss");
  EXPECT_TRUE(comparison().error().ok());
}

TEST_F(CompareUi, TheFlameGraphHasTheColoursOfTheDifference) {
  compare("lstm_xnnpack", "lstm");
  solo("flame");
  const auto& flame = model<FlameModel>("flame");
  ASSERT_TRUE(flame.compares());
  EXPECT_NEAR(flame.change(0) + flame.left_out() - flame.left_out_before(), rows().diff().after - rows().diff().before,
              1);
  // Of a range of time there is nothing to compare with.
  const et::gui::Run& run = data().runs.back();
  document().restrict_to(inspector::TimeRange{run.start, run.start + run.duration});
  settle();
  EXPECT_FALSE(flame.compares());
  document().restrict_to(std::nullopt);
  settle();
  EXPECT_TRUE(flame.compares());
  comparison().close();
  settle();
  EXPECT_FALSE(flame.compares());
}

TEST_F(CompareUi, ThePaletteKnowsThePanel) {
  open("add_mul");
  const CommandList all = app().commands();
  for (const char* title : {"Show Compare", kCompareFilesCommand}) {
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Command& c) { return c.title == title && c.enabled; }))
        << title;
  }
}

// Methods are chosen one at a time; each has its own lanes.
TEST_F(CompareUi, MethodsHaveTheirOwnLanes) {
  compare("multi_method", "multi_method");
  EXPECT_GT(rows().methods().size(), 1U);
  EXPECT_EQ(rows().sentences().size(), rows().methods().size() + 1);
  const std::string chosen = rows().methods()[1].name;
  rows().query.method = chosen;
  settle();
  ASSERT_FALSE(rows().rows().empty());
  for (const int32_t g : rows().rows()) EXPECT_EQ(rows().group(g).method, chosen);
  EXPECT_LT(std::ssize(rows().rows()), rows().count(CompareFilter::All)) << "other methods' rows are left out";
}

TEST_F(CompareUi, AFileBesideItselfIsSaidToBeIt) {
  compare("partial_delegation", "partial_delegation");
  drive([](ImGuiTestContext* t) {
    t->SetRef("Compare##solo");
    EXPECT_NE(t->ItemInfo("**/##path", ImGuiTestOpFlags_NoError).ID, 0U) << "another one can be chosen at once";
    EXPECT_EQ(t->ItemInfo("**/##lanes", ImGuiTestOpFlags_NoError).ID, 0U);
    EXPECT_EQ(t->ItemInfo("**/##filter", ImGuiTestOpFlags_NoError).ID, 0U) << "no rows of 0 ns";
  });
  solo("flame");
  EXPECT_FALSE(model<FlameModel>("flame").compares()) << "nothing to colour by";
}

// Of usual times, and of single executions on demand; rows in sums that open.
TEST_F(CompareUi, StripsAndRowsHaveTheirChoices) {
  compare("lstm_xnnpack", "lstm");
  EXPECT_TRUE(rows().usual_times);
  click("**/Single executions");
  EXPECT_FALSE(rows().usual_times);
  click("**/Single executions");
  EXPECT_TRUE(rows().usual_times);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Compare##solo");
    t->ItemClick("//Compare##solo/compare/##tables/Operators/##grouping");
    t->ItemClick("//$FOCUSED/Rows: by type");
    t->Yield(3);
    const std::vector<CompareBand> bands = rows().bands(CompareGrouping::Type);
    const auto several = std::find_if(bands.begin(), bands.end(), [](const auto& b) { return b.rows.size() > 1; });
    ASSERT_NE(several, bands.end());
    const CompareBand& band = *several;
    EXPECT_NE(t->ItemInfo("**/##band", ImGuiTestOpFlags_NoError).ID, 0U);
    const std::string row = "**/$$" + std::to_string(band.rows.front()) + "/##row";
    EXPECT_EQ(t->ItemInfo(row.c_str(), ImGuiTestOpFlags_NoError).ID, 0U) << "closed";
    t->ItemClick("**/##band");
    t->Yield(3);
    EXPECT_NE(t->ItemInfo(row.c_str(), ImGuiTestOpFlags_NoError).ID, 0U);
  });
  // The rows of one type alone, until that is lifted.
  const size_t all = rows().rows().size();
  rows().query.type = rows().group(open_row()).type;
  settle();
  EXPECT_LT(rows().rows().size(), all);
  click("**/###type");
  EXPECT_EQ(rows().rows().size(), all);
}

// Names are whole at the usual size of the window: figures and pictures step back before them.
TEST_F(CompareUi, NamesOfOpsAreWhole) {
  compare("lstm_xnnpack", "lstm");
  std::vector<float> widths;
  drive([&](ImGuiTestContext*) {
    for (const int32_t g : rows().rows()) {
      const inspector::DiffGroup& of = rows().group(g);
      widths.push_back(text_width(inspector::with_change(of.title, of.was_title)));
    }
  });
  std::sort(widths.begin(), widths.end());
  const float most = widths[static_cast<size_t>(0.95 * static_cast<double>(widths.size() - 1))];
  const ImGuiTable* table = nullptr;
  for (int i = 0; i < ImGui::GetCurrentContext()->Tables.GetMapSize(); ++i) {
    const ImGuiTable* const t = ImGui::GetCurrentContext()->Tables.TryGetMapData(i);
    if (t != nullptr && t->ColumnsCount == 13) table = t;
  }
  ASSERT_NE(table, nullptr);
  const ImGuiTableColumn& op = table->Columns[0];
  EXPECT_GE(op.WorkMaxX - op.WorkMinX, std::min(most, scaled(380)) + scaled(8));
  EXPECT_TRUE(table->Columns[1].IsEnabled) << "modules tell ops of one name apart";
  EXPECT_TRUE(table->Columns[6].IsEnabled) << "the relative change is in the row";
}

TEST_F(UiTest, WithoutAnotherTraceCompareSaysHowToMakeOne) {
  open("partial_delegation");
  solo("compare");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Compare##solo");
    t->ItemClick("**/Copy commands");
    const char* copied = ImGui::GetClipboardText();
    const std::string text = copied == nullptr ? "" : copied;
    EXPECT_NE(text.find("et-run " + document().data()->facts.program_path.value_or("?") + " -n 50"), std::string::npos)
        << text;
    EXPECT_NE(text.find("/other.etdp --panel compare"), std::string::npos) << text << "beside the open one";
  });
}

}  // namespace
}  // namespace et::gui::test
