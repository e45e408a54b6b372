// Notes on files without a store: kept beside them and found again.
#include "gui/core/notes_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "gui/models/notes_model.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::AnchorKind;
using inspector::Note;
using inspector::NoteKind;

Note strange_note() {
  Note n;
  n.kind = NoteKind::Note;
  n.anchor.kind = AnchorKind::Op;
  n.anchor.block = "Exe\tcute";
  n.anchor.method = "-";
  n.anchor.instruction = 7;
  n.anchor.name = "a\\n b";
  n.anchor.delegate_id = "";
  n.anchor.occurrence = 2;
  n.anchor.end = -5;
  n.text = "two\nlines\tand \\ more";
  n.color = "bad";
  n.created = "2026-01-31T12:00:00Z";
  return n;
}

TEST(NotesFile, WhatWasWrittenIsReadAgain) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.etdp.notes";
  Note plain;
  plain.kind = NoteKind::Bookmark;
  ASSERT_TRUE(write_notes_file(path, 100, {strange_note(), plain}).ok());
  ASSERT_TRUE(write_notes_file(path, 200, {plain}).ok()) << "of another run at the same path";
  std::vector<Note> notes;
  ASSERT_TRUE(read_notes_file(path, 100, &notes).ok());
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(notes[0].anchor, strange_note().anchor);
  EXPECT_EQ(notes[0].text, strange_note().text);
  EXPECT_EQ(notes[0].created, strange_note().created);
  EXPECT_EQ(notes[0].color, "bad");
  EXPECT_EQ(notes[1].kind, NoteKind::Bookmark);
  EXPECT_EQ(notes[1].anchor, plain.anchor);
  ASSERT_TRUE(write_notes_file(path, 100, {}).ok());
  EXPECT_TRUE(std::filesystem::exists(path));
  ASSERT_TRUE(write_notes_file(path, 200, {}).ok());
  EXPECT_FALSE(std::filesystem::exists(path)) << "nothing is left of it";
}

TEST(NotesFile, AnotherFileOfThatNameIsLeftAlone) {
  const TemporaryFolder folder;
  const std::string path = folder / "a.etdp.notes";
  for (const char* content : {"my own notes\n", "# Notes of et-inspect-gui, one a line; version 1\n1\tnote\n"}) {
    std::ofstream(path, std::ios::trunc) << content;
    std::vector<Note> notes;
    EXPECT_EQ(read_notes_file(path, 1, &notes).code(), Error::InvalidExternalData);
    EXPECT_EQ(write_notes_file(path, 1, {strange_note()}).code(), Error::InvalidExternalData);
    std::ifstream file(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), content);
  }
}

TEST(NotesFile, LiesBesideWhatWasOpenedOrInTheSettings) {
  const TemporaryFolder folder;
  EXPECT_EQ(notes_file_of(folder / "a.etdp", folder / "config"), folder / "a.etdp.notes");
  const std::string elsewhere = notes_file_of("/no/such/folder/a.etdp", folder / "config");
  EXPECT_TRUE(elsewhere.starts_with(folder / "config/notes/a.etdp.")) << elsewhere;
  EXPECT_NE(elsewhere, notes_file_of("/no/such/a.etdp", folder / "config"));
  EXPECT_EQ(notes_file_of("", folder / "config"), "");
}

TEST(NotesFile, NotesWithoutAStoreAreThereAgain) {
  const TemporaryFolder folder;
  const std::string dump = folder / "etdump.etdp";
  std::filesystem::copy_file(artifact("partial_delegation") + "/etdump.etdp", dump);
  std::string created;
  for (const bool again : {false, true}) {
    Jobs jobs;
    Document document(jobs);
    document.keep_notes = true;
    document.open_files({dump});
    jobs.finish();
    ASSERT_NE(document.data(), nullptr) << document.error().message();
    NotesModel model;
    model.refresh(document);
    jobs.finish();
    ASSERT_EQ(model.rows().size(), again ? 1U : 0U);
    if (again) {
      EXPECT_EQ(model.rows()[0].note.text, "look here");
      EXPECT_EQ(model.rows()[0].note.created, created);
      EXPECT_TRUE(model.rows()[0].found);
      break;
    }
    const Selection op = select_op(*document.data(), document.data()->table.ops[3].id);
    model.add(document, NoteKind::Note, anchor_of(*document.data(), op), "look here", "warning");
    jobs.finish();
    ASSERT_EQ(model.rows().size(), 1U) << model.error();
    created = model.rows()[0].note.created;
    EXPECT_FALSE(document.has_unsaved_notes());
  }
}

TEST(NotesFile, WithoutAFileTheyAreUnsaved) {
  Jobs jobs;
  Document document(jobs);  // keeps nothing
  document.open_files({artifact("add_mul") + "/etdump.etdp"});
  jobs.finish();
  ASSERT_NE(document.data(), nullptr);
  NotesModel model;
  model.refresh(document);
  jobs.finish();
  EXPECT_FALSE(document.has_unsaved_notes());
  model.add(document, NoteKind::Note, {}, "will be lost", "");
  jobs.finish();
  EXPECT_TRUE(document.has_unsaved_notes());
  document.close();
  EXPECT_FALSE(document.has_unsaved_notes());
}

}  // namespace
}  // namespace et::gui::test
