// The schema entered as texts is the schema that SQLite makes of its statements.
#include "inspector/store/schema_statements.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "inspector/store/store.h"

namespace et::inspector {
namespace {

using Objects = std::map<std::string, std::string>;  // "view ops": its text

Objects objects_of(sqlite3* db) {
  Objects out;
  sqlite3_stmt* raw = nullptr;
  EXPECT_EQ(
      sqlite3_prepare_v2(db, "SELECT type || ' ' || name, tbl_name || ': ' || coalesce(sql, '') FROM sqlite_schema", -1,
                         &raw, nullptr),
      SQLITE_OK);
  Statement st(raw, db);
  while (st.step()) out[st.str(0)] = st.str(1);
  return out;
}

TEST(SchemaStatements, TheViewsOfANewStoreAreThoseOfItsText) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  ASSERT_TRUE(store.build_indexes().ok());
  sqlite3* plain = nullptr;
  ASSERT_EQ(sqlite3_open(":memory:", &plain), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(plain, schema_sql().c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
  sqlite3_free(message);
  const Objects expected = objects_of(plain), got = objects_of(store.db());
  sqlite3_close(plain);
  EXPECT_GT(expected.size(), 90U);
  EXPECT_EQ(got, expected);
}

TEST(SchemaStatements, CommentsAndTextsMayHoldSemicolons) {
  const SchemaStatements s = split_schema(
      "-- what; ever\nCREATE TABLE t(a); -- of 'it;\nCREATE VIEW v AS SELECT\n  a AS b, -- one; and\n  ';--' AS "
      "c\nFROM t;\n"
      "INSERT INTO t VALUES(1 - 2);\n");
  ASSERT_EQ(s.views.size(), 1U);
  EXPECT_EQ(s.views[0].name, "v");
  EXPECT_EQ(s.views[0].sql, "CREATE VIEW v AS SELECT\n  a AS b, -- one; and\n  ';--' AS c\nFROM t");
  EXPECT_EQ(s.tables, "CREATE TABLE t(a);\nINSERT INTO t VALUES(1 - 2);\n\n");
}

TEST(SchemaStatements, NothingIsNothing) {
  EXPECT_TRUE(split_schema("").views.empty());
  EXPECT_TRUE(split_schema("-- only a comment").views.empty());
}

}  // namespace
}  // namespace et::inspector
