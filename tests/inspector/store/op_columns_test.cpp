// One line adds a column of ops: the row of CONTRIBUTING.md goes through everything that follows from the table.
#include "inspector/store/op_columns.h"

#include <gtest/gtest.h>

#include "inspector/report/op_statistics.h"
#include "inspector/store/store.h"

namespace et::inspector {
namespace {

namespace extended {
#define ET_OP_COLUMNS_DEF "op_columns_and_one.def"
#include "inspector/store/op_columns.inc"
#undef ET_OP_COLUMNS_DEF
}  // namespace extended

class Database {
 public:
  explicit Database(const std::string& schema) {
    sqlite3_open(":memory:", &db_);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(db_, schema.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
    sqlite3_free(message);
  }
  ~Database() { sqlite3_close(db_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Statement prepare(const std::string& sql) {
    sqlite3_stmt* st = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db_, sql.c_str(), -1, &st, nullptr), SQLITE_OK) << sqlite3_errmsg(db_);
    return Statement(st, db_, nullptr);
  }

 private:
  sqlite3* db_ = nullptr;
};

extended::OpStatistics hundred_samples() {
  std::vector<int64_t> values(100), warm;
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(100 - i);
  Samples samples(values), none(warm);
  return extended::OpStatistics::of(samples, none, std::nullopt);
}

TEST(OpColumns, OneLineAddsAStatisticToTheImportTheStoreAndTheView) {
  const extended::OpStatistics measured = hundred_samples();
  EXPECT_DOUBLE_EQ(*measured.p95, 95.05);
  Database db(schema_with_op_columns(kSchemaText, extended::kRawOpColumns, extended::kOpViewColumns,
                                     extended::OpStatistics::kColumns));
  db.prepare("INSERT INTO raw_string VALUES(7, 'op')").run();
  db.prepare(
        "INSERT INTO raw_block(id, trace, ordinal, name, kind, runs, total) VALUES(2, 1, 0, 'Execute', 'execute', 1, "
        "9)")
      .run();
  {
    using extended::RawOp;
    Statement insert = db.prepare(insert_sql("raw_op", extended::kRawOpColumns));
    insert.bind(RawOp::id, 5);
    insert.bind(RawOp::trace, 1);
    insert.bind(RawOp::block, 2);
    insert.bind(RawOp::ordinal, 0);
    insert.bind(RawOp::name, 7);
    insert.bind(RawOp::kind, "kernel");
    insert.bind(RawOp::resolution_limited, 0);
    insert.bind(RawOp::unit, "ns");
    bind_statistics(&insert, measured);
    EXPECT_FALSE(insert.step());
    EXPECT_TRUE(insert.finish("an op").ok()) << insert.finish("an op").message();
  }
  Statement view = db.prepare("SELECT p95_ns, p90_ns, name, unit FROM ops WHERE op_id = 5");
  ASSERT_TRUE(view.step());
  EXPECT_DOUBLE_EQ(view.real(0), *measured.p95);
  EXPECT_DOUBLE_EQ(view.real(1), *measured.p90);
  EXPECT_EQ(view.text(2), "op");
  EXPECT_EQ(view.text(3), "ns");
  Statement all = db.prepare(select_sql("raw_op", extended::kRawOpColumns));
  ASSERT_TRUE(all.step());
  extended::OpStatistics read;
  read_statistics(all, &read);
  EXPECT_EQ(read.p95, measured.p95);
  EXPECT_EQ(read.p99, measured.p99);
  EXPECT_EQ(read.count, 100);
  EXPECT_EQ(read.min, 1);
  EXPECT_FALSE(read.warm_p50) << "without warm executions";
}

TEST(OpColumns, AndToJsonAndTheTables) {
  const extended::OpStatistics measured = hundred_samples();
  std::string json;
  JsonWriter writer(&json);
  writer.begin_object();
  write_statistics(&writer, "cycles", measured);
  writer.end_object();
  EXPECT_NE(json.find("\"p95_cycles\": 95.05"), std::string::npos) << json;
  const std::vector<Column> columns = statistic_columns<extended::OpStatistics>({});
  const std::vector<Cell> cells = statistic_cells(measured, 1);
  ASSERT_EQ(columns.size(), cells.size());
  const auto p95 = std::find_if(columns.begin(), columns.end(), [](const Column& c) { return c.title == "p95"; });
  ASSERT_NE(p95, columns.end());
  EXPECT_EQ((p95 - 1)->title, "p90");
  EXPECT_EQ((p95 + 1)->title, "p99");
  EXPECT_EQ(cells[static_cast<size_t>(p95 - columns.begin())], Cell(*measured.p95));
  const auto facts = statistics_by<extended::OpStatistics>([](const OpStatistic& s) { return s.places.html.fact; });
  EXPECT_TRUE(
      std::any_of(facts.begin(), facts.end(), [](const OpStatistic* s) { return s->name == std::string("p95"); }));
}

TEST(OpColumns, AStatementThatFailedSaysWhatItWasReading) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  Statement gone = store.query("SELECT x FROM no_such_table");
  EXPECT_FALSE(gone.step());
  EXPECT_EQ(gone.finish("ops").message(), "store: cannot read ops: no such table: no_such_table");
  Statement fine = store.query("SELECT 1 WHERE 0");
  EXPECT_FALSE(fine.step());
  EXPECT_TRUE(fine.finish("ops").ok());
}

}  // namespace
}  // namespace et::inspector
