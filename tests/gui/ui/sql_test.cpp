// The SQL panel by keyboard and mouse: run, follow a row, stop, mistakes.
#include "gui/models/sql_model.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

/// Puts the cursor into the editor and replaces what is there.
void type(ImGuiTestContext* t, const char* sql) {
  t->SetRef("SQL##solo");
  const ImRect run = t->ItemInfo("**/Run").RectFull;  // above the editor
  t->MouseMoveToPos({run.Min.x, run.Max.y + 60});
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

TEST_F(UiTest, SqlResultsDoNotDependOnTheBasis) {
  open("partial_delegation");
  solo("sql");
  auto& m = model<SqlModel>("sql");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("SQL##solo");
    t->ItemClick("**/Run");
  });
  ASSERT_TRUE(m.current());
  app().set_basis({inspector::BasisKind::Cold});
  settle();
  EXPECT_TRUE(m.current()) << "another basis is no other trace";
  EXPECT_GE(m.result().column("usual_ns"), 0);
  open("lstm");
  settle();
  EXPECT_FALSE(m.current());
}

TEST_F(UiTest, SqlRowsAreSearched) {
  open("partial_delegation");
  solo("sql");
  auto& m = model<SqlModel>("sql");
  drive([&](ImGuiTestContext* t) {
    type(t, "SELECT 'mean' AS name UNION ALL SELECT 'conv' ");
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Enter);
    t->Yield(20);
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_F);
    t->Yield(3);
    t->KeyChars("Conv");
    t->Yield(20);
  });
  ASSERT_EQ(m.result().rows(), 2U) << m.result().error;
  EXPECT_EQ(m.searched(), "conv");
  EXPECT_EQ(m.order(), std::vector<uint32_t>{1});
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
    // In the first cell: in the middle of the row there may be a border of columns, which is for resizing.
    const ImRect row = t->ItemInfo("**/$$1/##row").RectFull;
    t->MouseMoveToPos({row.Min.x + 20, (row.Min.y + row.Max.y) / 2});
    t->MouseDoubleClick();
  });
  const int column = m.result().column("op_id");
  ASSERT_GE(column, 0);
  EXPECT_EQ(document().selection().op, std::get<int64_t>(m.result().at(1, static_cast<size_t>(column))));
}

/// In the first cell of a row: in the middle there may be a border of columns, which is for resizing.
void point_at_row(ImGuiTestContext* t, const char* row) {
  const ImRect at = t->ItemInfo(row).RectFull;
  t->MouseMoveToPos({at.Min.x + 20, (at.Min.y + at.Max.y) / 2});
}

TEST_F(UiTest, SqlRowsAreSelectedByAClickAndShownByTwo) {
  open("partial_delegation");
  app().show_panel("sql");
  settle();
  auto& m = model<SqlModel>("sql");
  const auto op_of = [&](size_t row) {
    return std::get<int64_t>(m.result().at(row, static_cast<size_t>(m.result().column("op_id"))));
  };
  ASSERT_GT(m.result().rows(), 2U);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("SQL");
    point_at_row(t, "**/$$2/##row");
    t->MouseClick();
    t->Yield(2);
  });
  EXPECT_EQ(document().selection().op, op_of(2));
  EXPECT_EQ(app().focused_panel(), "sql");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("SQL");
    point_at_row(t, "**/$$1/##row");
    t->MouseDoubleClick();
    t->Yield(4);
  });
  EXPECT_EQ(document().selection().op, op_of(1));
  EXPECT_EQ(app().focused_panel(), "timeline");
}

TEST_F(UiTest, SqlTextsSortFromAToZAndNumbersTheLargestFirst) {
  open("partial_delegation");
  solo("sql");
  auto& m = model<SqlModel>("sql");
  drive([&](ImGuiTestContext* t) {
    type(t, "SELECT 'b' AS name, 1 AS n UNION ALL SELECT 'a', 2 UNION ALL SELECT NULL, 4 UNION ALL SELECT 'c', 3 ");
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Enter);
    t->Yield(4);
    t->SetRef("SQL##solo");
    t->ItemClick("**/name##0");
    t->Yield(4);
    EXPECT_EQ(m.order(), (std::vector<uint32_t>{1, 0, 3, 2}));
    t->ItemClick("**/n##1");
    t->Yield(4);
    EXPECT_EQ(m.order(), (std::vector<uint32_t>{2, 3, 1, 0}));
  });
}

TEST_F(UiTest, SqlCellsAndRowsAreCopied) {
  open("partial_delegation");
  solo("sql");
  const auto text = [] {  // the engine's own, only in its steps
    const char* const copied = ImGui::GetClipboardText();
    return std::string(copied == nullptr ? "nothing" : copied);
  };
  const auto copied = [&](const char* item) {
    std::string out;
    drive([&](ImGuiTestContext* t) {
      t->SetRef("SQL##solo");
      point_at_row(t, "**/$$1/##row");
      t->MouseClick(ImGuiMouseButton_Right);
      t->Yield(3);
      t->ItemClick((std::string("//$FOCUSED/") + item).c_str());
      t->Yield(2);
      out = text();
    });
    return out;
  };
  drive([&](ImGuiTestContext* t) {
    type(t, "SELECT 'first' AS name, 1.25 AS t_ns UNION ALL SELECT 'second', 12345.678 ");
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Enter);
    t->Yield(4);
  });
  EXPECT_EQ(copied("Copy cell"), "second");
  EXPECT_EQ(copied("Copy row"), "second\t12345.678\n");
  EXPECT_EQ(copied("Copy all as CSV"), "name,t_ns\r\nfirst,1.25\r\nsecond,12345.678\r\n");
  EXPECT_NE(copied("Copy all as Markdown").find("12.3 µs"), std::string::npos);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("SQL##solo");
    point_at_row(t, "**/$$0/##row");
    t->MouseClick();
    t->Yield(2);
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_C);
    t->Yield(2);
    EXPECT_EQ(text(), "first\t1.25\n");
  });
}

TEST_F(UiTest, SqlARemovedQueryCanBeBroughtBack) {
  open("partial_delegation");
  solo("sql");
  auto& m = model<SqlModel>("sql");
  m.save("mine", "SELECT 1");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("SQL##solo");
    t->Yield(2);
    t->ItemClick("**/x");
    t->Yield(2);
    EXPECT_TRUE(m.saved().empty());
    t->ItemClick("**/Undo");
    t->Yield(2);
  });
  ASSERT_EQ(m.saved().size(), 1U);
  EXPECT_EQ(m.saved()[0].sql, "SELECT 1");
}

TEST_F(UiTest, SqlEachStatementCanBeShown) {
  open("partial_delegation");
  solo("sql");
  auto& m = model<SqlModel>("sql");
  drive([&](ImGuiTestContext* t) {
    type(t, "SELECT 1 AS a; SELECT 2 AS b UNION ALL SELECT 3 ");
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Enter);
    t->Yield(4);
    EXPECT_EQ(m.statement(), 1U);
    t->SetRef("SQL##solo");
    const ImRect table = t->ItemInfo("**/Table").RectFull;
    const char* const first = "//##Combo_00/**/statement 1 of 2: 1 row##0";
    for (int i = 0; i < 20 && t->ItemInfo(first, ImGuiTestOpFlags_NoError).ID == 0; ++i) {
      t->MouseMoveToPos({table.Min.x + 150, table.Min.y - 14});
      t->MouseClick();
      t->Yield(4);
    }
    t->ItemClick(first);
    t->Yield(4);
  });
  EXPECT_EQ(m.statement(), 0U);
  EXPECT_EQ(m.result().columns[0].name, "a");
}

TEST_F(UiTest, SqlAPointOfALineLeadsToItsRow) {
  open("nanogpt_xnnpack_qd4");
  solo("sql");
  auto& m = model<SqlModel>("sql");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("SQL##solo");
    t->ItemClick("**/Run");
    t->Yield(2);
    t->ItemClick("**/Chart");
    t->Yield(2);
    const ImRect table = t->ItemInfo("**/Table").RectFull;
    // The engine does not find combo boxes by a part of their path.
    for (int i = 0; i < 20 && t->ItemInfo("//##Combo_00/**/Line", ImGuiTestOpFlags_NoError).ID == 0; ++i) {
      t->MouseMoveToPos({table.Min.x + 40, table.Max.y + 16});
      t->MouseClick();
      t->Yield(4);
    }
    t->ItemClick("//##Combo_00/**/Line");
    t->Yield(4);
    // In the middle of the plot, near its foot: the point at that place along the axis is meant.
    const ImGuiIO& io = ImGui::GetIO();
    t->MouseMoveToPos({io.DisplaySize.x * 0.7F, io.DisplaySize.y * 0.8F});
    t->MouseClick();
    t->Yield(2);
  });
  const int column = m.result().column("op_id");
  ASSERT_GE(column, 0);
  bool found = false;
  for (size_t row = 2; row < m.result().rows(); ++row) {
    const auto* const op = std::get_if<int64_t>(&m.result().at(row, static_cast<size_t>(column)));
    found = found || (op != nullptr && document().selection().op == *op);
  }
  EXPECT_TRUE(found) << "an op in the middle of the list";
}

TEST_F(UiTest, SqlStopsARunawayQuery) {
  open("add_mul");
  solo("sql");
  auto& m = model<SqlModel>("sql");
  jobs_end_with_frames = false;
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

/// A letter a frame, as a person does at best: the list belongs to the word that was begun.
void type_word(ImGuiTestContext* t, const std::string& word) {
  for (const char letter : word) {
    t->KeyChars(std::string(1, letter).c_str());
    t->Yield(2);
  }
}

bool list_is_open() { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel); }

TEST_F(UiTest, SqlCompletesNamesWhileTyping) {
  open("partial_delegation");
  solo("sql");
  auto& m = model<SqlModel>("sql");
  drive([&](ImGuiTestContext* t) {
    type(t, "SELECT count(*) AS n FROM ");
    type_word(t, "execu");
    EXPECT_TRUE(list_is_open());
    t->KeyPress(ImGuiKey_Tab);
    t->Yield(3);
    EXPECT_FALSE(list_is_open());
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Enter);
    t->Yield(2);
  });
  EXPECT_EQ(m.history().back(), "SELECT count(*) AS n FROM executions\n");
  ASSERT_EQ(m.result().rows(), 1U) << m.result().error;
  EXPECT_EQ(std::get<int64_t>(m.result().at(0, 0)), static_cast<int64_t>(data().runs.size()));
}

TEST_F(UiTest, SqlListOfNamesGoesWithEscape) {
  open("partial_delegation");
  solo("sql");
  drive([&](ImGuiTestContext* t) {
    type(t, "SELECT 1 FROM ");
    type_word(t, "execu");
    EXPECT_TRUE(list_is_open());
    t->KeyPress(ImGuiKey_Escape);
    t->Yield(3);
    EXPECT_FALSE(list_is_open());
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Enter);
    t->Yield(2);
  });
  EXPECT_NE(model<SqlModel>("sql").result().error.find("execu"), std::string::npos) << "the text is as it was typed";
}

// "ops" begins "ops…" of other names, too: the list is open, the word is none the less complete.
TEST_F(UiTest, SqlReturnAfterACompleteWordEndsTheLine) {
  open("partial_delegation");
  solo("sql");
  const auto run = [&](const char* word, bool arrow) {
    drive([&](ImGuiTestContext* t) {
      type(t, "SELECT op_id FROM ");
      if (list_is_open()) t->KeyPress(ImGuiKey_Escape);
      t->Yield(2);
      type_word(t, word);
      EXPECT_TRUE(list_is_open()) << word;
      if (arrow) t->KeyPress(ImGuiKey_DownArrow), t->Yield(2), t->KeyPress(ImGuiKey_UpArrow);
      t->Yield(2);
      t->KeyPress(ImGuiKey_Enter);
      t->Yield(3);
      EXPECT_FALSE(list_is_open()) << word;
      t->KeyChars(" LIMIT 3 ");
      t->Yield(2);
      if (list_is_open()) t->KeyPress(ImGuiKey_Escape);
      t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Enter);
      t->Yield(2);
    });
    return model<SqlModel>("sql").history().back();
  };
  EXPECT_EQ(run("ops", false), "SELECT op_id FROM ops\n LIMIT 3 \n");
  EXPECT_EQ(run("OPS", false), "SELECT op_id FROM OPS\n LIMIT 3 \n") << "as it was typed";
  EXPECT_EQ(run("ops", true), "SELECT op_id FROM ops LIMIT 3 \n") << "what an arrow key chose is taken";
  EXPECT_EQ(run("execu", false), "SELECT op_id FROM executions LIMIT 3 \n") << "a word that is not complete, too";
}

TEST_F(UiTest, SqlOffersNamesWhenAsked) {
  open("partial_delegation");
  solo("sql");
  drive([&](ImGuiTestContext* t) {
    type(t, "SELECT 1 FROM ");
    if (list_is_open()) t->KeyPress(ImGuiKey_Escape);
    t->Yield(2);
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Space);
    t->Yield(3);
    EXPECT_TRUE(list_is_open());
    t->KeyPress(ImGuiKey_DownArrow);  // the second of the list
    t->Yield();
    t->KeyPress(ImGuiKey_Enter);
    t->Yield(3);
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_Enter);
    t->Yield(2);
  });
  const auto& m = model<SqlModel>("sql");
  EXPECT_EQ(m.result().error, "") << m.history().back();
  EXPECT_GT(m.history().back().size(), std::string("SELECT 1 FROM \n").size());
}

}  // namespace
}  // namespace et::gui::test
