// The views are a contract: what SQLite has and what schema.sql describes is the same.
#include "inspector/store/schema_doc.h"

#include <gtest/gtest.h>

#include <set>

namespace et::inspector {
namespace {

TEST(SchemaDoc, EveryColumnOfEveryViewIsDescribed) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  std::vector<ViewDoc> docs;
  ASSERT_TRUE(schema_doc(&docs).ok());
  std::set<std::string> described;
  for (const ViewDoc& v : docs) {
    EXPECT_FALSE(v.description.empty()) << v.name;
    described.insert(v.name);
    std::vector<std::string> real, written;
    Statement st = store.query("SELECT name FROM pragma_table_xinfo(?1) ORDER BY cid");
    st.bind(1, v.name);
    while (st.step()) real.push_back(st.str(0));
    for (const ColumnDoc& c : v.columns) {
      written.push_back(c.name);
      EXPECT_FALSE(c.description.empty()) << v.name << "." << c.name;
      EXPECT_TRUE(c.type == "INTEGER" || c.type == "REAL" || c.type == "TEXT" || c.type == "BLOB" ||
                  c.type == "ANY")  // numbers that may be the text NaN
          << v.name << "." << c.name << " has the type '" << c.type << "': write [TYPE] in front of its description";
    }
    EXPECT_EQ(real, written) << v.name;
  }
  Statement views = store.query("SELECT name FROM sqlite_schema WHERE type = 'view'");
  while (views.step()) EXPECT_TRUE(described.contains(views.str(0))) << "--@view is missing for " << views.str(0);
}

TEST(SchemaDoc, ReadsNamesTypesAndTexts) {
  const auto docs = parse_schema_doc(
      "--@view a: first\nCREATE VIEW a AS SELECT\n  x.b AS b,   -- text, with -- dashes\n  1 - 2 AS c -- [REAL] "
      "number\nFROM x;\n"
      "CREATE TABLE t(\n  y AS no, -- not a column of the view\n);\n--@view empty\n--@indexes\n--@view never: x\n");
  ASSERT_EQ(docs.size(), 2U);
  ASSERT_EQ(docs[0].columns.size(), 2U);
  EXPECT_EQ(docs[0].description, "first");
  EXPECT_EQ(docs[0].columns[1].name, "c");
  EXPECT_EQ(docs[0].columns[1].type, "REAL");
  EXPECT_EQ(docs[0].columns[1].description, "number");
  EXPECT_EQ(docs[1].name, "empty");
}

}  // namespace
}  // namespace et::inspector
