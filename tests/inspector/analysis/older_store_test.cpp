// A store that was written before a statistic existed: its ops are read without it, and the next trace has it.
#include <algorithm>
#include <filesystem>

#include "inspector/analysis/ops/op_costs.h"
#include "tests/inspector/analysis/imported.h"

namespace et::inspector::test {
namespace {

/// The store as it was without warm_p99.
void make_older(Store& store) {
  std::string columns, view;
  Statement names = store.query("SELECT name FROM pragma_table_info('raw_op') WHERE name <> 'warm_p99'");
  while (names.step()) columns += (columns.empty() ? "" : ", ") + names.str(0);
  Statement sql = store.query("SELECT sql FROM sqlite_schema WHERE name = 'ops'");
  ASSERT_TRUE(sql.step());
  view = sql.str(0);
  sql.reset();
  const size_t at = view.find("o.warm_p99"), end = view.find('\n', at);
  ASSERT_NE(at, std::string::npos);
  view.erase(at, end - at);
  const std::string all = "PRAGMA legacy_alter_table=ON; CREATE TEMP TABLE kept AS SELECT " + columns +
                          " FROM raw_op; DROP VIEW ops; DROP TABLE raw_op; CREATE TABLE raw_op(" + columns +
                          ", PRIMARY KEY(id)); INSERT INTO raw_op SELECT * FROM kept; DROP TABLE kept; " + view;
  const Status status = store.exec(all.c_str());
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_FALSE(store.has_column("raw_op", "warm_p99"));
}

TEST(OlderStore, IsReadWithoutTheNewStatisticAndTakesItWithTheNextTrace) {
  ImportedFixture in("partial_delegation");
  const OpTable now = std::move(in.table);
  make_older(in.store);
  OpTable old;
  Status status = load_op_table(in.store, 1, {}, &old);
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(old.ops.size(), now.ops.size());
  bool any = false;
  for (size_t i = 0; i < old.ops.size(); ++i) {
    EXPECT_FALSE(old.ops[i].warm_p99);
    EXPECT_EQ(old.ops[i].warm_p50, now.ops[i].warm_p50);
    EXPECT_EQ(old.ops[i].unit, now.ops[i].unit) << "the columns behind it";
    any = any || now.ops[i].warm_p99.has_value();
  }
  EXPECT_TRUE(any);
  IngestInputs inputs;
  inputs.dump = std::string(ET_FIXTURES) + "/artifacts/partial_delegation/etdump.etdp";
  IngestResult result;
  status = ingest(in.store, inputs, {}, &result);
  ASSERT_TRUE(status.ok()) << status.message();
  OpTable next;
  status = load_op_table(in.store, result.trace_id, {}, &next);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(std::any_of(next.ops.begin(), next.ops.end(), [](const OpEntry& o) { return o.warm_p99.has_value(); }));
}

// A method that is loaded several times has a block of its loading with costs, too.
TEST(UsualOps, SharesAreOfTheExecutionNotOfItsLoading) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs inputs;
  inputs.dump = std::string(ET_FIXTURES) + "/artifacts/partial_delegation/etdump.etdp";
  IngestResult result;
  ASSERT_TRUE(ingest(store, inputs, {}, &result).ok());
  ASSERT_TRUE(store
                  .exec("UPDATE raw_block SET method = (SELECT method FROM raw_block WHERE kind = 'execute' LIMIT 1);"
                        "INSERT OR REPLACE INTO raw_execution_basis SELECT min(id), 1, 2, 2, 1, 1e12 FROM raw_block "
                        "WHERE kind = 'load' HAVING count(*) > 0;")
                  .ok());
  Statement st =
      store.query("SELECT (SELECT count(*) FROM raw_block WHERE kind = 'load'), total(share) FROM usual_ops");
  ASSERT_TRUE(st.step());
  ASSERT_GT(st.integer(0), 0) << "there is one";
  EXPECT_NEAR(st.real(1), 1, 0.3);
  EXPECT_FALSE(store.query("SELECT 1 FROM execution_bases WHERE warm_median_ns = 1e12").step())
      << "of executions alone";
}

// Before there were views that rank ops, and with views that lack a column: queries find them whoever wrote the store.
TEST(OlderStore, HasTheViewsThatRankOps) {
  const std::string path = testing::TempDir() + "older_usual.db";
  const std::string dump = std::string(ET_FIXTURES) + "/artifacts/partial_delegation/etdump.etdp";
  for (const char* older : {"DROP VIEW usual_costs; DROP VIEW usual_ops;",
                            "DROP VIEW usual_costs; DROP VIEW usual_ops; CREATE VIEW usual_ops AS SELECT 1 AS op_id;",
                            "DROP VIEW usual_costs; DROP VIEW usual_ops; CREATE VIEW usual_ops AS SELECT 1 AS op_id, 2 "
                            "AS slow_ns;",
                            "DROP VIEW usual_costs; DROP VIEW usual_ops; DROP VIEW op_costs; DROP VIEW "
                            "execution_bases; DROP TABLE raw_op_cost; "
                            "DROP TABLE raw_merged_op; DROP TABLE raw_execution_basis;"}) {
    SCOPED_TRACE(older);
    std::filesystem::remove(path);
    IngestInputs inputs;
    inputs.dump = dump;
    IngestResult result;
    {
      Store store;
      ASSERT_TRUE(Store::open(path, Store::Mode::ReadWrite, &store).ok());
      ASSERT_TRUE(ingest(store, inputs, {}, &result).ok());
      const Status status = store.exec(older);
      ASSERT_TRUE(status.ok()) << status.message();
    }
    Store store;
    ASSERT_TRUE(Store::open(path, Store::Mode::ReadOnly, &store).ok());
    Statement st =
        store.query("SELECT count(*), sum(usual_costs.usual_ns > 0) FROM usual_ops JOIN usual_costs USING (op_id)");
    ASSERT_TRUE(st.step());
    EXPECT_GT(st.integer(0), 0);
    EXPECT_GT(st.integer(1), 0);
    EXPECT_TRUE(store.query("SELECT title, slow_ns FROM usual_ops").step());
    OpTable table;
    EXPECT_TRUE(load_shown_ops(store, result.trace_id, {}, &table).ok());
    st = Statement();
    store = Store();
    // The next trace makes them the store's own.
    ASSERT_TRUE(Store::open(path, Store::Mode::ReadWrite, &store).ok());
    const Status again = ingest(store, inputs, {}, &result);
    ASSERT_TRUE(again.ok()) << again.message();
    EXPECT_TRUE(store.has_column("usual_ops", "slow_ns"));
    EXPECT_TRUE(store.query("SELECT 1 FROM usual_costs WHERE trace_id = 2 AND usual_ns > 0").step());
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace et::inspector::test
