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
