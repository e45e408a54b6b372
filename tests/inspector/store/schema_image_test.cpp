// A store made of ready pages is the one that its statements make, wherever it lies.
#include "inspector/store/schema_image.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "inspector/store/store.h"

namespace et::inspector {
namespace {

class SchemaImageTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(::mkdtemp(folder_.data()), nullptr); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return folder_ + "/" + name; }

  /// What is in a store's file besides its rows.
  static std::vector<std::string> contents(const Store& store) {
    std::vector<std::string> out;
    for (const char* sql : {"PRAGMA application_id", "PRAGMA user_version", "PRAGMA page_size", "PRAGMA auto_vacuum",
                            "PRAGMA encoding", "PRAGMA journal_mode", "PRAGMA integrity_check",
                            "SELECT type || name || tbl_name || rootpage || coalesce(sql, '') FROM sqlite_schema"}) {
      Statement st = store.query(sql);
      while (st.step()) out.push_back(st.str(0));
    }
    return out;
  }

 private:
  std::string folder_ = ::testing::TempDir() + "schema-image-XXXXXX";
};

TEST_F(SchemaImageTest, AFileMadeOfPagesIsTheOneThatStatementsMake) {
  Store made, run;
  ASSERT_TRUE(Store::open(path("made.db"), Store::Mode::ReadWrite, &made).ok());
  std::ofstream(path("empty.db"));  // fills what is there by statements
  ASSERT_TRUE(Store::open(path("empty.db"), Store::Mode::ReadWrite, &run).ok());
  EXPECT_GT(contents(run).size(), 100U);
  EXPECT_EQ(contents(made), contents(run));
}

TEST_F(SchemaImageTest, AStoreInMemoryIsTheSame) {
  Store memory, run;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &memory).ok());
  std::ofstream(path("empty.db"));
  ASSERT_TRUE(Store::open(path("empty.db"), Store::Mode::ReadWrite, &run).ok());
  std::vector<std::string> expected = contents(run), got = contents(memory);
  ASSERT_EQ(got.size(), expected.size());
  EXPECT_EQ(got[5], "memory");  // of the journal
  got[5] = expected[5];
  EXPECT_EQ(got, expected);
}

TEST_F(SchemaImageTest, WhatIsThereIsNotReplaced) {
  std::ofstream(path("other.db")) << "something";
  EXPECT_FALSE(make_store_file(kWholeSchema, path("other.db")));
  EXPECT_EQ(std::filesystem::file_size(path("other.db")), 9U);
  EXPECT_FALSE(make_store_file(kWholeSchema, path("none/store.db")));
}

TEST_F(SchemaImageTest, AnInterruptedFilesJournalIsNotRolledBackIntoANewOne) {
  std::ofstream(path("left.db-journal")) << "something";
  EXPECT_FALSE(make_store_file(kWholeSchema, path("left.db")));
  Store store;
  EXPECT_TRUE(Store::open(path("left.db"), Store::Mode::ReadWrite, &store).ok());
  EXPECT_TRUE(store.has_table("ops"));
}

TEST_F(SchemaImageTest, AnotherLibrarysPagesAreNotUsed) {
  SchemaImage other = kWholeSchema;
  other.sqlite_version += 1;
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  EXPECT_FALSE(load_schema_image(other, db));
  EXPECT_FALSE(load_schema_image(SchemaImage(), db));
  EXPECT_FALSE(make_store_file(other, path("store.db")));
  sqlite3_close(db);
}

TEST_F(SchemaImageTest, AReportsStoreMakesViewsWhenTheyAreAskedFor) {
  Store store, whole;
  ASSERT_TRUE(Store::open("", Store::Mode::Report, &store).ok());
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &whole).ok());
  std::vector<std::string> views;
  Statement names = whole.query("SELECT name FROM sqlite_schema WHERE type = 'view'");
  while (names.step()) views.push_back(names.str(0));
  EXPECT_GT(views.size(), 40U);
  for (const std::string& view : views) {
    Statement st;
    EXPECT_TRUE(store.prepare("SELECT * FROM " + view, &st).ok()) << view;
    EXPECT_EQ(store.column_names(view), whole.column_names(view));
  }
  Statement st;
  EXPECT_EQ(store.prepare("SELECT * FROM nowhere", &st).message(), "store: no such table: nowhere");
  EXPECT_FALSE(store.has_table("nowhere"));
}

TEST_F(SchemaImageTest, AViewOfARolledBackTransactionIsMadeAgain) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Report, &store).ok());
  for (int i = 0; i < 2; ++i) {
    const Transaction transaction(store);
    EXPECT_TRUE(store.has_column("payload_nodes", "delegate_id"));
  }
}

}  // namespace
}  // namespace et::inspector
