// SQL over a store: answers, formats, mistakes, and that none can be changed.
#include "cli/sql_session.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/sql_prompt.h"
#include "tests/cli/scratch.h"
#include "tests/cli/small_store.h"

namespace et::cli {
namespace {

struct Answer {
  Status status;
  std::string text;
};

Answer ask(const std::string& sql, const std::string& format = "csv", int64_t trace = 1) {
  inspector::Store store = test::memory_store({"one", "two"});
  SqlSession session(store, trace);
  std::ostringstream out;
  Answer answer;
  answer.status = session.run(sql, {.format = format}, out);
  answer.text = out.str();
  return answer;
}

TEST(Sql, AnswersInEveryFormat) {
  const std::string sql = "SELECT name, sum_ns, NULL AS none, x'0aff' AS bytes, 0.5 AS half FROM ops WHERE op_id = 12";
  EXPECT_EQ(ask(sql, "csv").text, "name,sum_ns,none,bytes,half\r\nnative_call_mul.out,70,,x'0aff',0.5\r\n");
  EXPECT_EQ(ask(sql, "tsv").text, "name\tsum_ns\tnone\tbytes\thalf\nnative_call_mul.out\t70\t\tx'0aff'\t0.5\n");
  EXPECT_NE(ask(sql, "json").text.find("\"none\": null"), std::string::npos) << ask(sql, "json").text;
  EXPECT_NE(ask(sql, "table").text.find("NULL"), std::string::npos);
  EXPECT_NE(ask(sql, "markdown").text.find("| native_call_mul.out |"), std::string::npos);
}

TEST(Sql, LargeResultsAreWholeInEveryFormat) {
  const std::string sql =
      "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 20000) SELECT n FROM c";
  const std::string csv = ask(sql, "csv").text;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 20001) << "one heading, all rows";
  const std::string json = ask(sql, "json").text;
  EXPECT_EQ(std::count(json.begin(), json.end(), '{'), 20000);
  EXPECT_TRUE(json.starts_with("[") && json.ends_with("]\n"));
}

TEST(Sql, EmptyResultsAreStillResults) {
  EXPECT_EQ(ask("SELECT name FROM ops WHERE 0", "csv").text, "name\r\n");
  EXPECT_EQ(ask("SELECT name FROM ops WHERE 0", "json").text, "[]\n");
  EXPECT_EQ(ask("-- only a comment\n").text, "");
  EXPECT_EQ(ask("  ;; ").text, "");
}

TEST(Sql, ColumnsOfTheSameNameStayApart) {
  EXPECT_EQ(ask("SELECT 1 AS a, 2 AS a, 3 AS a_2", "csv").text, "a,a_2,a_2_2\r\n1,2,3\r\n");
}

TEST(Sql, ListsInColumnsCanBeTakenApart) {
  EXPECT_EQ(ask("SELECT value FROM json_each('[3, 4]')").text, "value\r\n3\r\n4\r\n");
}

TEST(Sql, SeveralStatementsAnswerOneAfterTheOther) {
  EXPECT_EQ(ask("SELECT 1 AS a; -- next\nSELECT 2 AS b;", "csv").text, "a\r\n1\r\n\nb\r\n2\r\n");
}

TEST(Sql, TheAddressedTraceIsAParameter) {
  EXPECT_EQ(ask("SELECT count(*) AS n FROM ops WHERE trace_id = :trace", "csv", 2).text, "n\r\n2\r\n");
  EXPECT_NE(ask("SELECT :trace", "csv", 0).status.message().find("no trace is selected"), std::string::npos);
  EXPECT_NE(ask("SELECT ?1").status.message().find("is not bound"), std::string::npos);
  EXPECT_NE(ask("SELECT :other").status.message().find(":other"), std::string::npos);
}

TEST(Sql, MistakesAreShownInTheirPlace) {
  const Answer a = ask("SELECT name,\n  foo FROM ops");
  EXPECT_EQ(a.status.code(), Error::InvalidArgument);
  EXPECT_NE(a.status.message().find("(line 2, column 3)\n    foo FROM ops\n    ^"), std::string::npos)
      << a.status.message();
  const Answer second = ask("SELECT 1;\nSELEC 2");
  EXPECT_NE(second.status.message().find("(line 2, column 1)"), std::string::npos) << second.status.message();
  EXPECT_NE(ask("SELECT * FROM opps").status.message().find("did you mean 'ops'?"), std::string::npos);
  EXPECT_NE(ask("SELECT sum_nss FROM ops").status.message().find("did you mean 'sum_ns'?"), std::string::npos);
}

TEST(Sql, NothingCanBeChangedOrOpened) {
  const test::Scratch dir;
  for (const std::string sql :
       {"DELETE FROM raw_op", "INSERT INTO raw_string(text) VALUES('x')", "UPDATE raw_op SET sum = 0", "DROP VIEW ops",
        "CREATE TABLE x(a)", "CREATE TEMP TABLE x(a)", "CREATE TEMP VIEW v AS SELECT 1", "PRAGMA query_only=0",
        "PRAGMA user_version=9", "PRAGMA writable_schema=1", "UPDATE sqlite_master SET sql = ''",
        "ALTER TABLE raw_op RENAME TO x", "PRAGMA journal_mode=WAL", "VACUUM", "REINDEX", "ANALYZE", "BEGIN IMMEDIATE",
        "SELECT load_extension('x')", "DETACH main"}) {
    const Answer a = ask(sql);
    EXPECT_EQ(a.status.code(), Error::InvalidArgument) << sql;
  }
  const std::string file = dir / "attached.db";
  EXPECT_NE(ask("ATTACH '" + file + "' AS other").status.message().find("only reading is allowed"), std::string::npos);
  EXPECT_NE(ask("VACUUM INTO '" + file + "'").status.code(), Error::Ok);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(ask("PRAGMA table_info(ops)").status.ok());
  EXPECT_EQ(ask("PRAGMA user_version").text, "user_version\r\n1\r\n");
}

std::string talk(const std::string& lines, std::string* errors = nullptr) {
  inspector::Store store = test::memory_store({"one"});
  SqlSession session(store, 1);
  std::istringstream in(lines);
  std::ostringstream out, err;
  run_sql_prompt(session, {.format = "csv"}, in, out, err);
  if (errors != nullptr) *errors = err.str();
  return out.str();
}

TEST(SqlPrompt, StatementsMayTakeSeveralLines) {
  EXPECT_NE(talk("SELECT\n 1 AS a;\n").find("a\r\n1\r\n"), std::string::npos);
  EXPECT_NE(talk("SELECT 5 AS last").find("last\r\n5\r\n"), std::string::npos) << "the end of input ends a statement";
}

TEST(SqlPrompt, MistakesDoNotEndIt) {
  std::string errors;
  EXPECT_NE(talk("SELECT nope;\nSELECT 7 AS b;\n.quit\nSELECT 8 AS c;\n", &errors).find("b\r\n7\r\n"),
            std::string::npos);
  EXPECT_NE(errors.find("no such column: nope"), std::string::npos);
  EXPECT_EQ(talk(".quit\nSELECT 8 AS c;\n").find("c\r\n"), std::string::npos);
}

TEST(SqlPrompt, CommandsWithADot) {
  std::string errors;
  EXPECT_NE(talk(".tables\n").find("ops,"), std::string::npos);
  EXPECT_NE(talk(".schema lines\n").find("lines,file,TEXT,"), std::string::npos);
  EXPECT_NE(talk(".mode json\nSELECT 1 AS a;\n").find("\"a\": 1"), std::string::npos);
  EXPECT_NE(talk(".help\n").find(".history"), std::string::npos);
  talk(".tabels\n.mode xml\n!5\n.schema nope\n", &errors);
  EXPECT_NE(errors.find("did you mean '.tables'?"), std::string::npos);
  EXPECT_NE(errors.find(".mode: expected"), std::string::npos);
  EXPECT_NE(errors.find("unknown statement number"), std::string::npos);
  EXPECT_NE(errors.find("unknown view 'nope'"), std::string::npos);
}

TEST(SqlPrompt, EarlierStatementsRunAgain) {
  const std::string text = talk("SELECT 41 + 1 AS answer;\n.history\n!1\n!!\n");
  EXPECT_NE(text.find("1  SELECT 41 + 1 AS answer;"), std::string::npos);
  size_t answers = 0;
  for (size_t at = text.find("answer\r\n42"); at != std::string::npos; at = text.find("answer\r\n42", at + 1))
    ++answers;
  EXPECT_EQ(answers, 3U);
}

}  // namespace
}  // namespace et::cli
