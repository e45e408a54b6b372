// What opens over the panels, and the charts of results. Each test ends with it open, so that ET_GUI_SHOTS shows it.
#include "gui/models/notes_model.h"
#include "gui/models/operators_model.h"
#include "gui/models/sql_model.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct PopupUi : UiTest {};

TEST_F(PopupUi, PaletteListsWhatFits) {
  open("partial_delegation");
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_P);
    t->Yield(3);
    t->KeyChars("show");
    t->Yield(2);
    EXPECT_TRUE(app().palette_open());
  });
}

TEST_F(PopupUi, CheatSheetOverATrace) {
  open("partial_delegation");
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiKey_F1);
    t->Yield(3);
    EXPECT_TRUE(app().help_open());
  });
}

TEST_F(PopupUi, MenuOfAnOp) {
  open("partial_delegation");
  solo("operators");
  model<OperatorsModel>("operators").query.group.reset();
  settle();
  const std::string op = "**/##op" + std::to_string(data().table.ops[4].id);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Operators##solo");
    t->ItemClick(op.c_str(), ImGuiMouseButton_Right);
    t->Yield(3);
    EXPECT_NE(t->ItemInfo("//$FOCUSED/Show in timeline").ID, 0U);
  });
}

TEST_F(PopupUi, MenuOfAChartedRow) {
  open("partial_delegation");
  solo("sql");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("SQL##solo");
    t->ItemClick("**/Run");
    t->Yield(2);
    // In the first cell: in the middle of the row there may be a border of columns.
    const ImRect row = t->ItemInfo("**/$$1/##row").RectFull;
    t->MouseMoveToPos({row.Min.x + 20, (row.Min.y + row.Max.y) / 2});
    t->MouseClick(ImGuiMouseButton_Right);
    t->Yield(2);
  });
  EXPECT_GT(model<SqlModel>("sql").result().rows(), 1U);
}

struct SqlChart : PopupUi, testing::WithParamInterface<const char*> {};
TEST_P(SqlChart, Draws) {
  open("nanogpt_xnnpack_qd4");
  solo("sql");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("SQL##solo");
    t->ItemClick("**/Run");
    t->Yield(2);
    t->ItemClick("**/Chart");
    t->Yield(2);
    // The engine does not find combo boxes by a part of their path.
    const std::string entry = std::string("//##Combo_00/**/") + GetParam();
    for (int i = 0; i < 20 && t->ItemInfo(entry.c_str(), ImGuiTestOpFlags_NoError).ID == 0; ++i) {
      const ImRect table = t->ItemInfo("**/Table").RectFull;
      t->MouseMoveToPos({table.Min.x + 40, table.Max.y + 16});
      t->MouseClick();
      t->Yield(4);
    }
    t->ItemClick(entry.c_str());
    t->Yield(4);
  });
  EXPECT_GT(model<SqlModel>("sql").result().rows(), 10U);
  const auto [x, y] = model<SqlModel>("sql").usual_chart();
  EXPECT_EQ(model<SqlModel>("sql").result().columns[static_cast<size_t>(x)].name, "op");
  EXPECT_EQ(model<SqlModel>("sql").result().columns[static_cast<size_t>(y)].name, "usual_ns") << "no key";
}
INSTANTIATE_TEST_SUITE_P(Of, SqlChart, testing::Values("Bars", "Line", "Scatter"),
                         [](const auto& of) { return std::string(of.param); });

TEST_F(PopupUi, SeveralNotes) {
  ASSERT_TRUE(import_artifact("partial_delegation", folder / "store.db").ok());
  app().open_files({folder / "store.db"});
  app().jobs().finish();
  settle();
  solo("notes");
  auto& notes = model<NotesModel>("notes");
  const auto anchor = [&](size_t op) {
    document().select(select_op(data(), data().table.ops[op].id));
    settle();
  };
  for (const size_t op : {2U, 4U, 6U}) {
    anchor(op);
    drive([&](ImGuiTestContext* t) {
      t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_M);
      t->Yield(4);
      t->KeyChars("Slower since the last export, and on the small device only when it is warm.");
      t->Yield(2);
      t->SetRef("Notes##solo");
      t->ItemClick("**/Save");
    });
  }
  anchor(5);
  drive([&](ImGuiTestContext* t) { t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_B); });
  settle();
  EXPECT_EQ(notes.rows().size(), 4U) << notes.error();
}

}  // namespace
}  // namespace et::gui::test
