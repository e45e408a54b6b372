// The SQL panel by keyboard and mouse: run, follow a row, stop, mistakes.
#include "gui/models/sql_model.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

/// Puts the cursor into the editor and replaces what is there.
void type(ImGuiTestContext* t, const char* sql) {
  t->SetRef("SQL##solo");
  const ImRect views = t->ItemInfo("**/Views").RectFull;  // above the editor
  t->MouseMoveToPos({views.Min.x, views.Max.y + 60});
  t->MouseClick();
  t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_A);
  t->KeyPress(ImGuiKey_Delete);
  t->KeyChars(sql);
  t->Yield(2);
}

TEST_F(UiTest, SqlRunsByButtonAndKeys) {
  open("partial_delegation");
  solo("sql");
  auto& m = model<SqlModel>("sql");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("SQL##solo");
    t->ItemClick("**/Run");
  });
  EXPECT_EQ(m.state(), SqlModel::State::Done);
  EXPECT_EQ(m.result().error, "");
  EXPECT_GT(m.result().rows(), 0U);
  const uint64_t before = m.version();
  drive([&](ImGuiTestContext* t) { t->KeyPress(ImGuiKey_F5); });
  EXPECT_EQ(m.version(), before + 1);
  drive([&](ImGuiTestContext* t) {
    type(t, "SELECT 5 AS five ");
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Enter);
    t->Yield(2);
  });
  EXPECT_EQ(m.version(), before + 2);
  ASSERT_EQ(m.result().rows(), 1U) << m.result().error;
  EXPECT_EQ(m.result().columns[0].name, "five");
  EXPECT_EQ(m.history().back(), "SELECT 5 AS five \n") << "Ctrl+Enter writes no line";
}

TEST_F(UiTest, SqlRowsLeadToTheirOp) {
  open("partial_delegation");
  solo("sql");
  auto& m = model<SqlModel>("sql");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("SQL##solo");
    t->ItemClick("**/Run");
  });
  drive([&](ImGuiTestContext* t) {
    t->SetRef("SQL##solo");
    t->ItemDoubleClick("**/$$1/##row");
  });
  const int column = m.result().column("op_id");
  ASSERT_GE(column, 0);
  EXPECT_EQ(document().selection().op, std::get<int64_t>(m.result().at(1, static_cast<size_t>(column))));
}

TEST_F(UiTest, SqlStopsARunawayQuery) {
  open("add_mul");
  solo("sql");
  auto& m = model<SqlModel>("sql");
  m.run(document(),
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0",
        ImGui::GetTime());
  frames(3);
  EXPECT_EQ(m.state(), SqlModel::State::Running);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("SQL##solo");
    t->ItemClick("**/Stop");
  });
  EXPECT_EQ(m.state(), SqlModel::State::Stopped);
}

TEST_F(UiTest, SqlShowsMistakes) {
  open("partial_delegation");
  solo("sql");
  drive([&](ImGuiTestContext* t) {
    type(t, "SELECT nope FROM ops ");
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Enter);
    t->Yield(2);
  });
  EXPECT_NE(model<SqlModel>("sql").result().error.find("nope"), std::string::npos);
}

}  // namespace
}  // namespace et::gui::test
