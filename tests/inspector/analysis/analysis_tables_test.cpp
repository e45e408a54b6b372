// The analyses as tables for SQL: the rows are those of the analyses, sums add up, and nothing else can be asked.
#include "inspector/analysis/tables/analysis_tables.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "inspector/analysis/diff/trace_diff.h"
#include "inspector/analysis/sql_result.h"
#include "tests/inspector/analysis/imported.h"

namespace et::inspector::test {
namespace {

SqlResult answer(const Store& store, const std::string& sql, int64_t trace = 1) {
  SqlResult out;
  run_sql(store, sql, trace, {}, {}, &out);
  return out;
}

double number(const SqlResult& r, size_t row = 0, size_t column = 0) {
  if (row >= r.rows() || column >= r.columns.size()) return -1;
  const auto* const i = std::get_if<int64_t>(&r.at(row, column));
  const auto* const d = std::get_if<double>(&r.at(row, column));
  return i != nullptr ? static_cast<double>(*i) : d != nullptr ? *d : -1;
}

/// The partly delegated model as trace 1, and a small one, which is not delegated, as trace 2.
struct TwoTraces : ImportedFixture {
  TwoTraces() : ImportedFixture("partial_delegation") {
    const std::string folder = std::string(ET_FIXTURES) + "/artifacts/add_mul/";
    IngestInputs in;
    in.dump = folder + "etdump.etdp";
    in.record = folder + "etrecord.bin";
    IngestResult result;
    EXPECT_TRUE(ingest(store, in, {}, &result).ok());
    second = result.trace_id;
  }
  int64_t second = 0;
};

TEST(AnalysisTables, EachHasTheColumnsThatItsDocumentNames) {
  const TwoTraces traces;
  std::vector<ViewDoc> docs;
  ASSERT_TRUE(describe_tables(&docs).ok());
  for (const ComputedTable& table : analysis_tables()) {
    SCOPED_TRACE(table.name);
    bool wanted = false;
    for (const ComputedColumn& c : table.columns) wanted |= c.use == ComputedColumn::Use::Wanted;
    const SqlResult r =
        answer(traces.store, "SELECT name, type FROM pragma_table_xinfo('" + std::string(table.name) + "')");
    EXPECT_EQ(r.error, "");
    const auto doc = std::find_if(docs.begin(), docs.end(), [&](const ViewDoc& d) { return d.name == table.name; });
    ASSERT_NE(doc, docs.end());
    ASSERT_EQ(r.rows(), doc->columns.size());
    for (size_t i = 0; i < r.rows(); ++i) {
      EXPECT_EQ(std::get<std::string>(r.at(i, 0)), doc->columns[i].name);
      EXPECT_EQ(std::get<std::string>(r.at(i, 1)), doc->columns[i].type);
      EXPECT_FALSE(doc->columns[i].description.empty());
    }
    const std::string condition = wanted ? " WHERE before_trace = 1 AND after_trace = 2" : "";
    const SqlResult all = answer(traces.store, "SELECT * FROM " + std::string(table.name) + condition);
    EXPECT_EQ(all.error, "");
    for (size_t row = 0; row < all.rows(); ++row) {
      for (size_t c = 0; c < all.columns.size(); ++c) {
        const SqlCell& cell = all.at(row, c);
        const std::string type = std::get<std::string>(r.at(c, 1));
        const bool right = cell.index() == 0 || cell.index() == (type == "TEXT" ? 3 : type == "REAL" ? 2 : 1);
        EXPECT_TRUE(right) << all.columns[c].name << ": " << cell_text(cell);
      }
    }
  }
}

TEST(AnalysisTables, TheRowsAreTheAnalyses) {
  const TwoTraces traces;
  OpTable shown;
  ASSERT_TRUE(load_shown_ops(traces.store, 1, {}, &shown).ok());
  double ops = 0;
  for (const OpEntry& op : shown.ops) ops += shown.block_of(op).kind == "execute" ? op.cost : 0;
  EXPECT_NEAR(number(answer(traces.store, "SELECT sum(time_ns) FROM roofline WHERE trace_id = :trace")), ops,
              ops * 0.2);
  // Another basis is another table.
  EXPECT_GT(number(answer(traces.store, "SELECT sum(time_ns) FROM roofline WHERE trace_id = 1 AND basis = 'total'")),
            number(answer(traces.store, "SELECT sum(time_ns) FROM roofline WHERE trace_id = 1")));
  EXPECT_GT(
      number(answer(traces.store, "SELECT count(*) FROM non_delegated WHERE trace_id = 1 AND reason IS NOT NULL")), 0);
  EXPECT_EQ(number(answer(traces.store, "SELECT count(*) FROM token_steps")), 0);
  const auto size = std::filesystem::file_size(std::string(ET_FIXTURES) + "/artifacts/partial_delegation/program.pte");
  EXPECT_EQ(number(answer(traces.store, "SELECT sum(bytes) FROM program_bytes WHERE trace_id = 1")),
            static_cast<double>(size));
  EXPECT_EQ(number(answer(traces.store,
                          "SELECT planned_bytes + constant_bytes + delegate_bytes + caller_bytes + runtime_bytes - "
                          "total_bytes FROM memory_totals")),
            0);
  EXPECT_EQ(number(answer(traces.store, "SELECT before_ns - after_ns - saved_ns FROM what_if WHERE trace_id = 1")), 0);
}

TEST(AnalysisTables, WhatExplainsADifferenceAddsUpToIt) {
  const TwoTraces traces;
  TraceDiff diff;
  ASSERT_TRUE(diff_traces(traces.store, 1, traces.store, traces.second, {}, &diff).ok());
  const SqlResult r =
      answer(traces.store, "SELECT sum(change_ns) FROM changes WHERE before_trace = 1 AND after_trace = 2");
  EXPECT_NEAR(number(r), diff.after - diff.before, 1);
  // In a join the traces come from outside, in whatever order the tables are written.
  const SqlResult joined = answer(traces.store,
                                  "SELECT count(*) FROM changes c, traces a, traces b WHERE c.before_trace = "
                                  "a.trace_id AND c.after_trace = b.trace_id "
                                  "AND a.trace_id = 1 AND b.trace_id = 2");
  EXPECT_EQ(joined.error, "");
  EXPECT_EQ(number(joined), static_cast<double>(diff.groups.size()));
}

TEST(AnalysisTables, AllTracesWithoutOne) {
  const TwoTraces traces;
  const SqlResult r = answer(traces.store, "SELECT trace_id, count(*) FROM problems GROUP BY trace_id ORDER BY 1");
  ASSERT_EQ(r.rows(), 2U);
  EXPECT_EQ(number(r, 0), 1);
  EXPECT_EQ(number(r, 1), 2);
}

TEST(AnalysisTables, WhatCannotBeSaysWhy) {
  const TwoTraces traces;
  const auto error = [&](const char* sql) { return answer(traces.store, sql).error; };
  EXPECT_NE(error("SELECT * FROM changes").find("expected WHERE before_trace"), std::string::npos);
  EXPECT_NE(error("SELECT * FROM changes WHERE before_trace = 1").find("expected WHERE after_trace"),
            std::string::npos);
  EXPECT_NE(error("SELECT * FROM changes WHERE before_trace = 1 AND after_trace = 7").find("no trace 7"),
            std::string::npos);
  EXPECT_NE(error("SELECT * FROM roofline WHERE trace_id = 1 AND basis = 'usual'").find("'usual'"), std::string::npos);
  EXPECT_NE(error("SELECT * FROM numeric_gap WHERE trace_id = 1").find("no logged values"), std::string::npos);
  EXPECT_EQ(error("SELECT * FROM numeric_gap"), "") << "of all traces those without values have no rows";
  EXPECT_NE(error("SELECT * FROM findngs").find("did you mean 'findings'"), std::string::npos)
      << error("SELECT * FROM findngs");
  EXPECT_NE(error("DELETE FROM findings"), "");
  EXPECT_NE(error("CREATE VIRTUAL TABLE mine USING findings"), "");
  EXPECT_EQ(error("SELECT * FROM findings WHERE trace_id = 'one'"), "");
}

}  // namespace
}  // namespace et::inspector::test
