// The SQL panel's data: results, errors and their place, limits, cancelling, sorting, completion, history.
#include "gui/models/sql_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <tuple>

#include "gui/models/memory_model.h"
#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/unlinked_time.h"
#include "tests/gui/support/opened_trace.h"

namespace et::gui::test {
namespace {

using inspector::SqlResult;

constexpr const char* kRunaway =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n WHERE i < 0";

struct SqlModelTest : testing::Test {
  void SetUp() override {
    path = folder / "store.db";
    ASSERT_TRUE(import_artifact("partial_delegation", path).ok());
    document.open_files({path});
    jobs.finish();
    ASSERT_NE(document.data(), nullptr);
    model.refresh(document);
  }
  const SqlResult& run(const std::string& sql) {
    model.run(document, sql, 0);
    jobs.finish();
    return model.result();
  }
  TemporaryFolder folder;
  Jobs jobs;
  Document document{jobs};
  SqlModel model;
  std::string path;
};

TEST_F(SqlModelTest, RowsComeWithTypes) {
  const SqlResult& r =
      run("SELECT 1 AS a, 2.5 AS b, 'x' AS c, NULL AS d, x'00ff' AS e UNION ALL SELECT 2, 3, 'y', NULL, x''");
  ASSERT_EQ(r.error, "");
  ASSERT_EQ(r.rows(), 2U);
  EXPECT_TRUE(r.columns[0].number);
  EXPECT_TRUE(r.columns[1].number);
  EXPECT_FALSE(r.columns[2].number);
  EXPECT_FALSE(r.columns[3].number);
  EXPECT_EQ(std::get<std::string>(r.at(0, 4)), "x'00ff'");
  EXPECT_EQ(model.csv().substr(0, 11), "a,b,c,d,e\r\n");
}

TEST_F(SqlModelTest, BuiltInQueriesRunOnEveryStore) {
  for (const char* name : {"partial_delegation", "control_flow_map", "multi_method_no_forward"}) {
    const std::string store = folder / (std::string(name) + ".db");
    ASSERT_TRUE(import_artifact(name, store).ok());
    document.open_files({store});
    jobs.finish();
    for (const NamedQuery& q : built_in_queries()) EXPECT_EQ(run(q.sql).error, "") << name << ": " << q.name;
  }
  EXPECT_GT(run(built_in_queries().front().sql).rows(), 0U);
}

TEST_F(SqlModelTest, BuiltInQueriesAreReadInANarrowPanel) {
  constexpr size_t kColumns = 80;
  for (const NamedQuery& q : built_in_queries()) {
    std::istringstream lines(q.sql);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), kColumns) << q.name << ": " << line;
  }
}

TEST_F(SqlModelTest, ColumnsAreAsWideAsWhatTheySay) {
  const SqlResult& made =
      run("SELECT NULL AS empty, '/src/models.py' AS file, 'a / b' AS text, 1 AS number, 'x' AS word UNION ALL SELECT "
          "NULL, NULL, 'c/d e', 2, 'y/z'");
  ASSERT_EQ(made.error, "");
  const auto content = [&](size_t column) { return sql_content(model.result(), model.order(), column); };
  EXPECT_EQ(content(0), SqlContent::Nothing);
  EXPECT_EQ(content(1), SqlContent::Paths);
  for (const size_t other : {size_t{2}, size_t{3}, size_t{4}}) EXPECT_EQ(content(other), SqlContent::Mixed) << other;
}

TEST_F(SqlModelTest, CostsOfModulesAddUpToTheExecutions) {
  const auto by_module = std::find_if(built_in_queries().begin(), built_in_queries().end(),
                                      [](const NamedQuery& q) { return q.name == "Which modules?"; });
  const SqlResult& r = run(by_module->sql);
  const int ns = r.column("usual_ns"), share = r.column("share");
  ASSERT_TRUE(ns >= 0 && share >= 0);
  double sum = 0, shares = 0, cost = 0, variation = 0;
  for (size_t i = 0; i < r.rows(); ++i) {
    sum += std::get<double>(r.at(i, static_cast<size_t>(ns)));
    shares += std::get<double>(r.at(i, static_cast<size_t>(share)));
  }
  for (const inspector::OpBlock& b : document.data()->shown.blocks) {
    if (b.kind == "execute") cost += b.cost, variation += b.variation;
  }
  EXPECT_NEAR(sum, cost - variation, 1) << "as all panels have it";
  EXPECT_NEAR(shares, 1 - variation / cost, 1e-6);
}

TEST_F(SqlModelTest, TypesAndModulesHaveTheNamesAndCountsOfTheGroups) {
  for (const auto& [query, by, column] : {std::tuple("Which operator types?", inspector::GroupBy::Type, "operator"),
                                          std::tuple("Which modules?", inspector::GroupBy::Module, "module_path")}) {
    const auto named = std::find_if(built_in_queries().begin(), built_in_queries().end(),
                                    [&, q = query](const NamedQuery& n) { return n.name == q; });
    ASSERT_NE(named, built_in_queries().end());
    const SqlResult& r = run(named->sql);
    const auto at = [&](size_t row, const char* name) { return r.at(row, static_cast<size_t>(r.column(name))); };
    const inspector::GroupTable groups = inspector::group_costs(document.data()->shown, by, inspector::Filter());
    size_t compared = 0;
    for (size_t i = 0; i < r.rows(); ++i) {
      const auto value = at(i, column);
      if (!std::holds_alternative<std::string>(value)) continue;  // what belongs to no module
      const std::string name = std::get<std::string>(value);
      const auto group = std::find_if(groups.rows.begin(), groups.rows.end(), [&](const inspector::GroupRow& g) {
        return g.key == name || g.key == name + ".default";
      });
      ASSERT_NE(group, groups.rows.end()) << query << " " << name;
      EXPECT_NEAR(std::get<double>(at(i, "usual_ns")), group->self, 1e-6) << name;
      if (!group->none) {
        EXPECT_EQ(std::get<int64_t>(at(i, "ops")), group->ops) << name;
      }
      ++compared;
    }
    EXPECT_GT(compared, 2U) << query;
  }
}

TEST_F(SqlModelTest, TheFirstQueryRanksAsThePanelsDo) {
  const SqlResult& r = run(built_in_queries().front().sql);
  const int id = r.column("op_id"), ns = r.column("usual_ns");
  ASSERT_TRUE(id >= 0 && ns >= 0);
  const inspector::OpTable& shown = document.data()->shown;
  std::map<int64_t, double> costs;
  for (size_t i = 0; i < r.rows(); ++i) {
    const auto at = shown.find_own(std::get<int64_t>(r.at(i, static_cast<size_t>(id))));
    ASSERT_TRUE(at);
    EXPECT_NEAR(std::get<double>(r.at(i, static_cast<size_t>(ns))), shown.ops[*at].cost, 1e-6);
    EXPECT_TRUE(costs.emplace(shown.ops[*at].id, shown.ops[*at].cost).second) << "each op once";
  }
}

TEST_F(SqlModelTest, MistakesHaveAPlace) {
  const SqlResult& r = run("SELECT name,\n  foo FROM ops");
  EXPECT_NE(r.error.find("foo"), std::string::npos);
  EXPECT_EQ(r.problem.line, 2U);
  EXPECT_EQ(r.problem.column, 3U);
  EXPECT_NE(run("SELECT ?1").error.find(":trace"), std::string::npos);
  EXPECT_NE(run("-- nothing").error, "");
}

TEST_F(SqlModelTest, UnknownNamesHaveAPlaceAndTheNearestName) {
  const SqlResult& table = run("SELECT 1, 'opz'\nFROM opz");
  EXPECT_NE(table.error.find("no such table: opz; did you mean 'ops'?"), std::string::npos) << table.error;
  EXPECT_EQ(table.problem.line, 2U);
  EXPECT_EQ(table.problem.column, 6U);
  const SqlResult& column = run("SELECT selff_ns FROM ops");
  EXPECT_NE(column.error.find("did you mean 'self_ns'?"), std::string::npos) << column.error;
  EXPECT_EQ(column.problem.column, 8U);
  EXPECT_EQ(run("SELECT * FROM zzzzzz").error.find("did you mean"), std::string::npos) << "nothing is near";
  // The right name in the wrong view is no typo.
  const std::string elsewhere = run("SELECT module_path FROM ops").error;
  EXPECT_EQ(elsewhere.find("did you mean"), std::string::npos) << elsewhere;
  EXPECT_NE(elsewhere.find("it is a column of nodes"), std::string::npos) << elsewhere;
}

TEST_F(SqlModelTest, NothingCanBeChangedOrAttached) {
  const auto before = std::filesystem::last_write_time(path);
  const std::string other = folder / "other.db";
  for (const std::string& sql : std::vector<std::string>{"DELETE FROM raw_op", "CREATE TABLE x(a)",
                                                         "PRAGMA query_only=0", "ATTACH '" + other + "' AS o",
                                                         "VACUUM INTO '" + other + "'", "SELECT load_extension('x')"}) {
    EXPECT_NE(run(sql).error, "") << sql;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "other.db"));
  EXPECT_EQ(std::filesystem::last_write_time(path), before);
  // The worker's connection is as it was: what panels ask for goes on.
  EXPECT_EQ(run("SELECT count(*) FROM ops WHERE trace_id = :trace").error, "");
}

TEST_F(SqlModelTest, ManyRowsAreCutAndThatIsSaid) {
  model.limits.rows = 1000;
  const SqlResult& r = run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n");
  EXPECT_EQ(r.error, "");
  EXPECT_EQ(r.rows(), 1000U);
  EXPECT_EQ(r.cut, SqlResult::Cut::Rows);
  model.limits.bytes = 5000;
  EXPECT_EQ(run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT printf('%200d', i) FROM n").cut,
            SqlResult::Cut::Bytes);
}

TEST_F(SqlModelTest, EndlessSortEndsWithAnError) {
  model.limits.memory = int64_t{128} << 20;
  const SqlResult& r =
      run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT printf('%4000d', i) AS t FROM n "
          "ORDER BY t");
  EXPECT_NE(r.error.find("128 MiB"), std::string::npos) << r.error;
  EXPECT_EQ(run("SELECT count(*) FROM ops").error, "");
}

TEST_F(SqlModelTest, RunawayQueryIsCancelledAndTheNextOneRuns) {
  model.run(document, kRunaway, 0);
  EXPECT_EQ(model.state(), SqlModel::State::Running);
  model.cancel();
  EXPECT_EQ(model.state(), SqlModel::State::Stopped);
  EXPECT_EQ(run("SELECT 7 AS a").rows(), 1U);
  EXPECT_EQ(model.state(), SqlModel::State::Done);
}

TEST_F(SqlModelTest, RunawayQueryIsStoppedByTheClock) {
  model.limits.seconds = 5;
  model.run(document, kRunaway, 100);
  EXPECT_FALSE(model.check_time(104));
  EXPECT_TRUE(model.check_time(106.5));
  EXPECT_NE(model.stopped_because().find("5 s"), std::string::npos);
  jobs.finish();
  EXPECT_EQ(model.state(), SqlModel::State::Stopped);
}

TEST_F(SqlModelTest, RowsAreSortedAsTheirKind) {
  run("SELECT 10 AS a UNION ALL SELECT 9 UNION ALL SELECT 'b' UNION ALL SELECT NULL UNION ALL SELECT 9.5");
  const auto first = [&](size_t i) { return inspector::cell_text(model.result().at(model.order()[i], 0)); };
  const auto all = [&] {
    std::string out;
    for (size_t i = 0; i < model.order().size(); ++i) out += first(i) + " ";
    return out;
  };
  model.sort(jobs, 0, false);
  jobs.finish();
  EXPECT_EQ(all(), "9 9.5 10 b NULL ");
  model.sort(jobs, 0, true);
  jobs.finish();
  EXPECT_EQ(all(), "b 10 9.5 9 NULL ") << "what has no value comes last either way";
  model.sort(jobs, -1, false);
  EXPECT_EQ(first(0), "10");
}

TEST_F(SqlModelTest, EachStatementHasAResult) {
  run("SELECT 1 AS a; SELECT 2 AS b UNION ALL SELECT 3; -- the end");
  ASSERT_EQ(model.statements(), 2U);
  EXPECT_EQ(model.statement(), 1U) << "the last one, until another is chosen";
  EXPECT_EQ(model.result().columns[0].name, "b");
  EXPECT_EQ(model.order().size(), 2U);
  const uint64_t version = model.version();
  model.sort(jobs, 0, true);
  jobs.finish();
  model.show_statement(0);
  EXPECT_GT(model.version(), version) << "another result is measured and charted anew";
  EXPECT_EQ(model.result().columns[0].name, "a");
  EXPECT_EQ(model.order(), (std::vector<uint32_t>{0}));
  model.show_statement(7);
  EXPECT_EQ(model.statement(), 0U);
  // A mistake is what is shown; what ran before it is still there.
  run("SELECT 1 AS a; SELECT nope FROM ops; SELECT 3");
  ASSERT_EQ(model.statements(), 2U) << "the third did not run";
  EXPECT_NE(model.result().error.find("nope"), std::string::npos);
  EXPECT_EQ(model.result().problem.column, 23U);
  EXPECT_EQ(model.result_of(0).error, "");
  EXPECT_EQ(model.result_of(0).rows(), 1U);
  model.limits.rows = 3;
  run("SELECT 1 UNION ALL SELECT 2; SELECT 1 UNION ALL SELECT 2");
  EXPECT_EQ(model.result_of(0).rows() + model.result_of(1).rows(), 3U) << "one limit for all";
  EXPECT_EQ(model.result().cut, SqlResult::Cut::Rows);
}

TEST_F(SqlModelTest, RemovedQueriesComeBackToTheirPlace) {
  for (const char* name : {"a", "b", "c"}) model.save(name, std::string("SELECT '") + name + "'");
  model.remove_saved(1);
  ASSERT_EQ(model.saved().size(), 2U);
  EXPECT_EQ(model.removed().name, "b");
  EXPECT_EQ(model.removed_from(), 1U);
  model.undo_remove();
  ASSERT_EQ(model.saved().size(), 3U);
  EXPECT_EQ(model.saved()[1].sql, "SELECT 'b'");
  EXPECT_EQ(model.removed().name, "") << "once";
  model.undo_remove();
  EXPECT_EQ(model.saved().size(), 3U);
  model.remove_saved(2);
  model.save("c", "SELECT 4");
  EXPECT_EQ(model.removed().name, "") << "its name is taken again";
  EXPECT_TRUE(model.is_saved("c"));
  EXPECT_FALSE(model.is_saved("d"));
  model.remove_saved(9);
  EXPECT_EQ(model.saved().size(), 3U);
}

TEST_F(SqlModelTest, RowsAreCopiedWithAllDigitsAndReadWithTheirUnits) {
  const SqlResult& r = run("SELECT 'a|b' AS name, 12345.678901 AS t_ns, NULL AS none, 2048 AS bytes, 12 AS op_id");
  EXPECT_EQ(inspector::sql_tsv_row(r, 0), "a|b\t12345.678901\t\t2048\t12\n");
  EXPECT_EQ(inspector::cell_value(r.at(0, 1)), "12345.678901");
  EXPECT_EQ(inspector::cell_value(r.at(0, 2)), "");
  const std::string shown = model.markdown("ns"), raw = model.markdown("");
  EXPECT_NE(shown.find("12.3 µs"), std::string::npos) << shown;
  EXPECT_NE(shown.find("2.0 KiB"), std::string::npos) << shown;
  EXPECT_NE(shown.find("a\\|b"), std::string::npos) << shown;
  EXPECT_EQ(raw.find("µs"), std::string::npos) << raw;
}

/// Of the rows that a built-in question has, as the window shows them.
const NamedQuery& question(const std::string& name) {
  const auto at = std::find_if(built_in_queries().begin(), built_in_queries().end(),
                               [&](const NamedQuery& q) { return q.name == name; });
  EXPECT_NE(at, built_in_queries().end()) << name;
  return *at;
}

TEST_F(SqlModelTest, DelegatesAreNumberedAndSizedAsInMemory) {
  for (const char* name : {"partial_delegation", "lstm_xnnpack", "external_weights_xnnpack", "nanogpt_xnnpack_qd4"}) {
    SCOPED_TRACE(name);
    const std::string store = folder / (std::string("d_") + name + ".db");
    ASSERT_TRUE(import_artifact(name, store).ok());
    document.open_files({store});
    jobs.finish();
    MemoryModel memory;
    memory.refresh(document);
    jobs.finish();
    const auto& delegates = memory.plan().delegates;
    ASSERT_FALSE(delegates.empty());
    const SqlResult& r = run(question("What do delegates take?").sql);
    ASSERT_EQ(r.error, "");
    ASSERT_EQ(r.rows(), delegates.size()) << "each called once";
    const auto at = [&](size_t row, const char* column) { return r.at(row, static_cast<size_t>(r.column(column))); };
    double usual = 0;
    for (size_t i = 0; i < r.rows(); ++i) {
      const std::string called = std::get<std::string>(at(i, "delegate"));
      const auto d = std::find_if(delegates.begin(), delegates.end(), [&](const inspector::PlanDelegate& p) {
        return p.backend + " " + std::to_string(p.ordinal + 1) == called;
      });
      ASSERT_NE(d, delegates.end()) << called;
      const auto& named = memory.named_weights()[static_cast<size_t>(d - delegates.begin())];
      const std::optional<int64_t> weights = d->weights_bytes ? d->weights_bytes : named;
      EXPECT_EQ(at(i, "weights_bytes"), inspector::sql_value(weights)) << called;
      EXPECT_LE(std::get<double>(at(i, "unattributed_ns")), std::get<double>(at(i, "usual_ns"))) << called;
      usual += std::get<double>(at(i, "usual_ns"));
    }
    std::vector<inspector::DelegationMap> maps;
    const OpenedTrace trace(name);
    ASSERT_TRUE(inspector::delegation_map(trace.store, trace.data->shown, &maps).ok());
    double calls = 0;
    for (const inspector::MapItem& item : maps[0].items)
      calls += item.kind == inspector::MapItem::Kind::Delegate ? item.ns : 0;
    EXPECT_NEAR(usual, calls, 1e-6 * calls) << "as Delegation has them";
  }
}

TEST_F(SqlModelTest, WhatLeadsToNoLineAddsUpToWhatDoctorSays) {
  for (const char* name : {"partial_delegation", "lstm_xnnpack", "nanogpt_xnnpack_qd4", "external_weights_xnnpack"}) {
    SCOPED_TRACE(name);
    const std::string path_of = folder / (std::string("u_") + name + ".db");
    ASSERT_TRUE(import_artifact(name, path_of).ok());
    document.open_files({path_of});
    jobs.finish();
    const SqlResult& r = run(question("Which ops lead to no line, and why?").sql);
    ASSERT_EQ(r.error, "");
    std::map<std::string, double> sums;
    for (size_t i = 0; i < r.rows(); ++i) {
      const auto at = [&](const char* column) { return r.at(i, static_cast<size_t>(r.column(column))); };
      EXPECT_TRUE(std::holds_alternative<std::string>(at("op")));
      ASSERT_TRUE(std::holds_alternative<double>(at("usual_ns"))) << "no row without a time";
      sums[std::get<std::string>(at("reason"))] += std::get<double>(at("usual_ns"));
    }
    const OpenedTrace trace(name);
    const inspector::UnlinkedTime time = inspector::unlinked_time(trace.store, trace.data->shown);
    ASSERT_EQ(sums.size(), time.groups.size());
    for (const inspector::UnlinkedGroup& g : time.groups)
      EXPECT_NEAR(sums[g.reason], g.ns, 1e-6 * time.total) << g.reason;
  }
}

TEST_F(SqlModelTest, ExecutionsHaveTheNumberOfTheWindow) {
  const SqlResult& r = run(question("How long did each execution take?").sql);
  const TraceData& data = *document.data();
  ASSERT_GT(r.rows(), 1U);
  for (size_t i = 0; i < r.rows(); ++i) {
    const int64_t run_id = std::get<int64_t>(r.at(i, static_cast<size_t>(r.column("run_id"))));
    EXPECT_EQ(std::get<std::string>(r.at(i, static_cast<size_t>(r.column("execution")))),
              "#" + std::to_string(data.execution_of(run_id)));
  }
}

TEST_F(SqlModelTest, RowsLeadToWhatTheyName) {
  const TraceData& data = *document.data();
  run("SELECT op_id FROM ops WHERE trace_id = :trace ORDER BY op_id LIMIT 1");
  EXPECT_EQ(model.target(data, 0).op, std::get<int64_t>(model.result().at(0, 0)));
  run("SELECT file, line FROM lines WHERE file IS NOT NULL LIMIT 1");
  EXPECT_EQ(model.target(data, 0).kind, Selection::Kind::Line);
  run("SELECT name FROM nodes WHERE graph = 'edge' LIMIT 1");
  EXPECT_EQ(model.target(data, 0).kind, Selection::Kind::Node);
  run("SELECT 99 AS trace_id, op_id FROM ops LIMIT 1");
  EXPECT_TRUE(model.target(data, 0).empty()) << "of another trace";
  run("SELECT 5 AS five");
  EXPECT_FALSE(model.leads_somewhere());
  EXPECT_TRUE(model.target(data, 0).empty());
}

TEST_F(SqlModelTest, ChartTakesNumbersAndLabels) {
  run("SELECT 'a' AS name, 3 AS n, 0.5 AS f UNION ALL SELECT 'b', 4, 0.25 UNION ALL SELECT 'c', NULL, 1");
  EXPECT_EQ(model.usual_chart(), std::pair(0, 1));
  const SqlChart bars = model.chart(0, 1, 100);
  EXPECT_EQ(bars.y, (std::vector<double>{3, 4}));
  EXPECT_EQ(bars.labels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(model.chart(2, 1, 100).rows, (std::vector<uint32_t>{0, 1})) << "a point leads to its row";
  const SqlChart points = model.chart(2, 1, 100);
  EXPECT_EQ(points.x, (std::vector<double>{0.5, 0.25}));
  EXPECT_TRUE(model.chart(-1, 1, 1).cut);
}

TEST_F(SqlModelTest, BarsOfOneNameAreToldApart) {
  run("SELECT 'a.py' AS file, 3 AS line, 'f' AS name, 10 AS t_ns UNION ALL SELECT 'a.py', 4, 'g', 5 "
      "UNION ALL SELECT 'a.py', 4, 'h', 4");
  EXPECT_EQ(model.usual_chart(), std::pair(0, 3));
  EXPECT_EQ(model.chart(0, 3, 100).labels, (std::vector<std::string>{"a.py:3 · f", "a.py:4 · g", "a.py:4 · h"}));
  // Words before keys, and no words that part nothing.
  run("SELECT 7 AS op_id, 'linear' AS name, 'XNNPACK' AS backend, 'h.0.fc' AS module_path, 10 AS t_ns "
      "UNION ALL SELECT 8, 'linear', 'XNNPACK', 'h.1.fc', 5");
  EXPECT_EQ(model.chart(1, 4, 100).labels, (std::vector<std::string>{"linear · h.0.fc", "linear · h.1.fc"}));
  run("SELECT 'linear' AS name, 'h.0.fc' AS module_path, 10 AS t_ns UNION ALL SELECT 'linear', NULL, 5");
  EXPECT_EQ(model.chart(0, 2, 100).labels, (std::vector<std::string>{"linear · h.0.fc", "linear"})) << "no NULL";
  run("SELECT 7 AS op_id, 'linear' AS name, 10 AS t_ns UNION ALL SELECT 8, 'linear', 5");
  EXPECT_EQ(model.chart(1, 2, 100).labels, (std::vector<std::string>{"linear · 7", "linear · 8"}));
  run("SELECT 'a.py' AS file, 3 AS line, 'f' AS name, 10 AS t_ns UNION ALL SELECT 'b.py', 4, 'g', 5");
  EXPECT_EQ(model.chart(0, 3, 100).labels, (std::vector<std::string>{"a.py", "b.py"}));
}

TEST_F(SqlModelTest, ResultOfAnotherTraceLeadsNowhere) {
  run("SELECT op_id FROM ops");
  ASSERT_TRUE(import_artifact("add_mul", path).ok());
  document.show_trace(2);
  jobs.finish();
  model.refresh(document);
  EXPECT_FALSE(model.current());
  EXPECT_TRUE(model.target(*document.data(), 0).empty());
}

TEST_F(SqlModelTest, HistoryGoesBackAndForward) {
  run("SELECT 1");
  run("SELECT 2");
  run("SELECT 1");  // not twice
  EXPECT_EQ(model.history().size(), 2U);
  EXPECT_EQ(model.history_step(-1, "draft"), "SELECT 1");
  EXPECT_EQ(model.history_step(-1, "SELECT 1"), "SELECT 2");
  EXPECT_EQ(model.history_step(-1, "SELECT 2"), "SELECT 2");
  EXPECT_EQ(model.history_step(1, "SELECT 2"), "SELECT 1");
  EXPECT_EQ(model.history_step(1, "SELECT 1"), "draft");
}

TEST(SqlCompletionTest, KnowsViewsAndTheirColumns) {
  const SqlCompletion completion;
  const auto first = [&](std::string sql) {
    const size_t cursor = sql.find('|');
    sql.erase(cursor, 1);
    std::string word;
    const auto found = completion.suggest(sql, cursor, &word);
    return found.empty() ? std::string() : found.front().text;
  };
  const auto all = [&](std::string sql) {
    const size_t cursor = sql.find('|');
    sql.erase(cursor, 1);
    std::string word;
    std::vector<std::string> out;
    for (const auto& s : completion.suggest(sql, cursor, &word)) out.push_back(s.text);
    return out;
  };
  EXPECT_EQ(first("SELECT * FROM op|"), "ops");
  EXPECT_EQ(first("SELECT self| FROM ops"), "self_ns");
  EXPECT_EQ(first("SEL|"), "SELECT");
  EXPECT_EQ(first("SELECT o.warm| FROM ops o"), "warm_mean_ns");
  EXPECT_EQ(first("SELECT x.li| FROM ops o JOIN nodes AS x ON 1"), "line");
  const auto columns = all("SELECT o.| FROM ops AS o");
  EXPECT_EQ(std::count(columns.begin(), columns.end(), "op_id"), 1);
  EXPECT_EQ(std::count(columns.begin(), columns.end(), "SELECT"), 0);
  EXPECT_TRUE(all("SELECT 'nod|'").empty());
  EXPECT_TRUE(all("-- nod|").empty());
  EXPECT_TRUE(all("SELECT zzz.| FROM ops o").empty());
  const auto mean = all("SELECT mean| FROM ops");
  EXPECT_EQ(std::count(mean.begin(), mean.end(), "warm_mean_ns"), 1) << "parts of names are found, too";
}

TEST(SqlSettingsTest, TextsSurviveAsOneLine) {
  for (const std::string text : {"SELECT 1\n  FROM x", "a\\nb", "tab\there", "trailing\\", ""}) {
    EXPECT_EQ(unescaped_line(escaped_line(text)), text);
    EXPECT_EQ(escaped_line(text).find('\n'), std::string::npos);
  }
}

TEST_F(SqlModelTest, SearchLeavesTheRowsThatContainIt) {
  run("SELECT 'Conv' AS name, 3 AS n UNION ALL SELECT 'mean', 30 UNION ALL SELECT 'CONVERT', 2");
  model.search(jobs, "conv");
  jobs.finish();
  EXPECT_EQ(model.order(), (std::vector<uint32_t>{0, 2}));
  model.sort(jobs, 1, false);
  jobs.finish();
  EXPECT_EQ(model.order(), (std::vector<uint32_t>{2, 0})) << "sorted, and still searched";
  model.search(jobs, "3");
  jobs.finish();
  EXPECT_EQ(model.order(), (std::vector<uint32_t>{0, 1})) << "numbers, too";
  model.search(jobs, "");
  model.sort(jobs, -1, false);
  jobs.finish();
  EXPECT_EQ(model.order().size(), 3U);
  model.search(jobs, "mean");
  run("SELECT 1 AS a UNION ALL SELECT 2");
  EXPECT_EQ(model.order().size(), 2U) << "a new result is shown whole";
}

}  // namespace
}  // namespace et::gui::test
