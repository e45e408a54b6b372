// Notes: kept, found again after the same dump is imported once more, refused where nothing can be kept.
#include "inspector/store/notes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "inspector/ingest/ingest.h"

namespace et::inspector {
namespace {

class NotesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "et-notes-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
    path = folder + "/s.db";
    import("add_mul");
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  void import(const std::string& artifact) const {
    Store store;
    ASSERT_TRUE(Store::open(path, Store::Mode::ReadWrite, &store).ok());
    IngestInputs in;
    in.dump = std::string(ET_FIXTURES) + "/artifacts/" + artifact + "/etdump.etdp";
    IngestResult result;
    const Status status = ingest(store, in, nullptr, &result);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  std::vector<Note> list(int64_t trace = 1) const {
    Store store;
    EXPECT_TRUE(Store::open(path, Store::Mode::ReadOnly, &store).ok());
    std::vector<Note> out;
    const Status status = list_notes(store, trace, &out);
    EXPECT_TRUE(status.ok()) << status.message();
    return out;
  }
  void exec(const char* sql) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  static Note on_op() {
    Note note;
    note.trace = 1;
    note.text = "slower than on Tuesday";
    note.color = "bad";
    note.anchor = {.kind = AnchorKind::Op,
                   .block = "Execute",
                   .method = "forward",
                   .instruction = 1,
                   .name = "native_call_mul.out",
                   .delegate_id = std::nullopt,
                   .occurrence = 2};
    return note;
  }

  std::string folder, path;
};

TEST_F(NotesTest, AddedNoteIsListedWithAllThatWasSaid) {
  int64_t id = 0;
  const Status status = add_note(path, on_op(), &id);
  ASSERT_TRUE(status.ok()) << status.message();
  const auto notes = list();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].id, id);
  EXPECT_EQ(notes[0].text, "slower than on Tuesday");
  EXPECT_EQ(notes[0].color, "bad");
  EXPECT_EQ(notes[0].anchor, on_op().anchor);
  EXPECT_EQ(notes[0].created.size(), std::string("2026-01-31T12:00:00Z").size());
}

TEST_F(NotesTest, ASetKeepsEachOfItsPartsAndItsTitle) {
  NoteAnchor node, group;
  node.kind = AnchorKind::Node;
  node.name = "a\tb\\n";
  group.kind = AnchorKind::Group;
  group.block = "type";
  group.name = "aten.mm.default";
  const std::vector<NoteAnchor> parts = {on_op().anchor, node, group};
  const NoteAnchor set = set_anchor("Output head: 3 ops", parts);
  EXPECT_EQ(set.kind, AnchorKind::Set);
  EXPECT_EQ(title_of_set(set), "Output head: 3 ops");
  EXPECT_EQ(parts_of_set(set), parts);
  EXPECT_EQ(parts_of_set(set_anchor("around", {set, node})).size(), 4U) << "a set in a set is taken apart";
  Note note = on_op();
  note.anchor = set;
  ASSERT_TRUE(add_note(path, note, nullptr).ok());
  ASSERT_EQ(list().size(), 1U);
  EXPECT_EQ(list()[0].anchor, set);
  // What another version wrote: its title is there, and what of it can be read.
  NoteAnchor other = set;
  other.name += "\nhalo\tx\nop\ttoo few";
  EXPECT_EQ(parts_of_set(other), parts);
}

TEST_F(NotesTest, EditedAndRemoved) {
  int64_t id = 0;
  ASSERT_TRUE(add_note(path, on_op(), &id).ok());
  ASSERT_TRUE(edit_note(path, id, "fixed", "good").ok());
  EXPECT_EQ(list().at(0).text, "fixed");
  EXPECT_EQ(list().at(0).color, "good");
  EXPECT_EQ(list().at(0).anchor, on_op().anchor);
  ASSERT_TRUE(remove_note(path, id).ok());
  EXPECT_TRUE(list().empty());
  EXPECT_EQ(remove_note(path, id).code(), Error::NotFound);
  EXPECT_EQ(edit_note(path, id, "x", "").code(), Error::NotFound);
}

TEST_F(NotesTest, TheSameDumpImportedAgainHasThem) {
  ASSERT_TRUE(add_note(path, on_op(), nullptr).ok());
  import("add_mul");
  import("partial_delegation");
  ASSERT_EQ(list(2).size(), 1U);
  EXPECT_EQ(list(2)[0].trace, 1);
  EXPECT_TRUE(list(3).empty());
}

TEST_F(NotesTest, OldStoreGetsThemWithTheFirstNote) {
  exec("DROP VIEW notes; DROP TABLE raw_note");
  EXPECT_TRUE(list().empty());
  const Status status = add_note(path, on_op(), nullptr);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(list().size(), 1U);
  Store store;
  ASSERT_TRUE(Store::open(path, Store::Mode::ReadOnly, &store).ok());
  EXPECT_TRUE(store.query("SELECT note_id FROM notes").step());
}

TEST_F(NotesTest, NothingIsWrittenForABadNote) {
  Note note = on_op();
  note.text.clear();
  EXPECT_EQ(add_note(path, note, nullptr).code(), Error::InvalidArgument);
  note.kind = NoteKind::Bookmark;  // needs no text
  EXPECT_TRUE(add_note(path, note, nullptr).ok());
  note.text.assign(kLongestNote + 1, 'x');
  EXPECT_EQ(add_note(path, note, nullptr).code(), Error::InvalidArgument);
  note = on_op();
  note.color = "mauve";
  EXPECT_NE(add_note(path, note, nullptr).message().find("mauve"), std::string::npos);
  note = on_op();
  note.trace = 7;
  EXPECT_EQ(add_note(path, note, nullptr).code(), Error::NotFound);
  EXPECT_EQ(list().size(), 1U);
}

TEST_F(NotesTest, MissingFileIsNotMade) {
  const std::string gone = folder + "/gone.db";
  EXPECT_EQ(add_note(gone, on_op(), nullptr).code(), Error::AccessFailed);
  EXPECT_FALSE(std::filesystem::exists(gone));
}

TEST_F(NotesTest, ReadOnlyStoreSaysSo) {
  if (::geteuid() == 0) {
    GTEST_SKIP() << "root may write to a read-only file";
  }
  ::chmod(path.c_str(), 0444);
  const Status status = add_note(path, on_op(), nullptr);
  EXPECT_EQ(status.code(), Error::AccessFailed);
  EXPECT_NE(status.message().find("may not be written"), std::string::npos) << status.message();
}

TEST_F(NotesTest, LockedStoreSaysSo) {
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  const Status status = add_note(path, on_op(), nullptr);
  EXPECT_NE(status.message().find("another program"), std::string::npos) << status.message();
  sqlite3_close(other);
}

TEST_F(NotesTest, TextOfAnyBytesIsKeptAsText) {
  Note note = on_op();
  note.text = "caf\xC3\xA9 \xFF 'quoted' %s";
  ASSERT_TRUE(add_note(path, note, nullptr).ok());
  EXPECT_EQ(list().at(0).text, "caf\xC3\xA9 \xEF\xBF\xBD 'quoted' %s");
}

}  // namespace
}  // namespace et::inspector
