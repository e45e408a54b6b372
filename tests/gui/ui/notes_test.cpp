// Notes by keyboard and mouse: write on the selection, bookmark, follow, remove.
#include "gui/models/notes_model.h"
#include "tests/gui/ui/harness.h"

namespace et::gui::test {
namespace {

struct NotesUiTest : UiTest {
  void open_store() {
    ASSERT_TRUE(import_artifact("partial_delegation", folder / "store.db").ok());
    app().open_files({folder / "store.db"});
    app().jobs().finish();
    settle();
    ASSERT_NE(document().data(), nullptr);
    solo("notes");
  }
  NotesModel& notes() { return model<NotesModel>("notes"); }
  void begin_note(const char* text) {
    drive([&](ImGuiTestContext* t) {
      t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_M);
      t->Yield(4);
      t->KeyChars(text);
      t->Yield(2);
    });
  }
  void answer(const char* button) {
    drive([&](ImGuiTestContext* t) {
      t->Yield(2);
      t->ItemClick((std::string("//Notes that are not saved##leave/") + button).c_str());
      t->Yield(2);
    });
  }
  void close_trace() {
    for (const Command& command : app().commands()) {
      if (command.title == "Close trace") command.run();
    }
    settle();
  }
};

TEST_F(NotesUiTest, NoteIsWrittenOnTheSelection) {
  open_store();
  document().select(select_op(data(), data().table.ops[4].id));
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_M);
    t->Yield(4);
    t->KeyChars("slow here");
    t->Yield(2);
    t->SetRef("Notes##solo");
    t->ItemClick("**/Save");
  });
  ASSERT_EQ(notes().rows().size(), 1U) << notes().error();
  EXPECT_EQ(notes().rows()[0].note.text, "slow here");
  const int64_t op = document().selection().op;
  document().select(select_op(data(), data().table.ops[0].id));
  settle();
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Notes##solo");
    t->ItemClick("**/##note");
  });
  EXPECT_EQ(document().selection().op, op);
}

TEST_F(NotesUiTest, ADraftIsNotTakenToAnotherTrace) {
  open_store();
  ASSERT_TRUE(import_artifact("add_mul", folder / "other.db").ok());
  document().select(select_op(data(), data().table.ops[4].id));
  begin_note("of this trace");
  const std::string before = document().store_path();
  app().open_files({folder / "other.db"});
  settle();
  EXPECT_EQ(document().store_path(), before);
  answer("Stay");
  EXPECT_EQ(document().leaving(), Document::Leaving::Nothing);
  EXPECT_TRUE(document().has_begun_note());
  app().open_files({folder / "other.db"});
  settle();
  answer("Open without saving");
  app().jobs().finish();
  settle();
  EXPECT_EQ(document().store_path(), folder / "other.db");
  EXPECT_FALSE(document().has_begun_note()) << "it was of the other trace";
  EXPECT_TRUE(notes().rows().empty());
  // What follows is written from the beginning.
  begin_note("x");
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Notes##solo");
    t->ItemClick("**/Save");
  });
  settle();
  ASSERT_EQ(notes().rows().size(), 1U);
  EXPECT_EQ(notes().rows()[0].note.text, "x");
}

TEST_F(NotesUiTest, ADraftIsSavedBeforeTheTraceIsClosed) {
  open_store();
  document().select(select_op(data(), data().table.ops[4].id));
  begin_note("before it closes");
  close_trace();
  EXPECT_NE(document().data(), nullptr);
  answer("Save and close");
  settle();
  EXPECT_EQ(document().data(), nullptr);
  app().open_files({folder / "store.db"});
  app().jobs().finish();
  settle();
  ASSERT_EQ(notes().rows().size(), 1U);
  EXPECT_EQ(notes().rows()[0].note.text, "before it closes");
  close_trace();
  EXPECT_EQ(document().data(), nullptr) << "nothing is left to ask about";
}

TEST_F(NotesUiTest, ADraftStaysOnWhatItWasBegunOn) {
  open_store();
  const int64_t op = data().table.ops[4].id, other = data().table.ops[2].id;
  document().select(select_op(data(), op));
  begin_note("first");
  document().select(select_op(data(), other));
  begin_note(" and more");  // behind what is there
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Notes##solo");
    t->ItemClick("**/Save");
  });
  settle();
  ASSERT_EQ(notes().rows().size(), 1U) << notes().error();
  EXPECT_EQ(notes().rows()[0].note.text, "first and more");
  EXPECT_EQ(notes().rows()[0].target.op, op);
  // And goes where the user moves it.
  document().select(select_op(data(), op));
  begin_note("moved");
  document().select(select_op(data(), other));
  frames(2);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Notes##solo");
    t->ItemClick("**/###move");
    t->Yield(2);
    t->ItemClick("**/Save");
  });
  settle();
  ASSERT_EQ(notes().rows().size(), 2U) << notes().error();
  EXPECT_EQ(notes().rows()[1].target.op, other);
}

TEST_F(NotesUiTest, EscapeKeepsTheText) {
  open_store();
  drive([&](ImGuiTestContext* t) {
    t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_M);
    t->Yield(4);
    t->KeyChars("slow here");
    t->Yield(2);
    t->KeyPress(ImGuiKey_Escape);
    t->Yield(2);
    t->SetRef("Notes##solo");
    t->ItemClick("**/Save");
  });
  ASSERT_EQ(notes().rows().size(), 1U) << notes().error();
  EXPECT_EQ(notes().rows()[0].note.text, "slow here");
}

TEST_F(NotesUiTest, BookmarkByKey) {
  open_store();
  document().select(select_op(data(), data().table.ops[2].id));
  drive([&](ImGuiTestContext* t) { t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_B); });
  EXPECT_EQ(notes().bookmark_of(document()), 0) << notes().error();
  drive([&](ImGuiTestContext* t) { t->KeyPress(ImGuiMod_Ctrl | ImGuiKey_B); });
  EXPECT_TRUE(notes().rows().empty());
}

TEST_F(NotesUiTest, RemovedByItsMenu) {
  open_store();
  notes().add(document(), inspector::NoteKind::Note, {}, "away with it", "bad");
  settle();
  ASSERT_EQ(notes().rows().size(), 1U);
  drive([&](ImGuiTestContext* t) {
    t->SetRef("Notes##solo");
    t->ItemClick("**/##note", ImGuiMouseButton_Right);
    t->Yield(2);
    t->ItemClick("//$FOCUSED/Remove");
  });
  EXPECT_TRUE(notes().rows().empty());
}

}  // namespace
}  // namespace et::gui::test
