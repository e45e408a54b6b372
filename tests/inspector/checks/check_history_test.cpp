// Checks over time: order, verdicts, changes that the intervals carry, what belongs to a point.
#include "inspector/analysis/checks/check_history.h"

#include <cmath>
#include <limits>

#include "tests/inspector/checks/check_support.h"

namespace et::inspector::test {
namespace {

struct CheckHistoryTest : CheckTest {
  void add_all() {
    for (const int run : {3, 1, 2, 6, 4, 5}) add(run);  // order of time is not the order of import
  }
  std::vector<CheckSeries> history(const CheckQuery& query = {}) const {
    std::vector<CheckSeries> out;
    const Status status = load_check_history(store, query, &out);
    EXPECT_TRUE(status.ok()) << status.message();
    return out;
  }
};

TEST_F(CheckHistoryTest, EachCheckHasItsRunsInOrderOfTime) {
  add_all();
  const auto all = history();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].key.text(), "models/add_mul.bpte · forward · case 0");
  EXPECT_EQ(all[1].key.case_index, 1);
  EXPECT_EQ(all[2].key.file, "models/lstm.bpte");
  for (const CheckSeries& s : all) {
    ASSERT_EQ(s.points.size(), 6U);
    for (size_t i = 1; i < 6; ++i) EXPECT_LT(s.points[i - 1].started, s.points[i].started);
  }
  EXPECT_EQ(all[0].failures(), 2U);  // too slow once, wrong once
  EXPECT_EQ(all[2].failures(), 2U);
  EXPECT_TRUE(all[0].now().ok());
  EXPECT_FALSE(all[2].now().ok());
}

TEST_F(CheckHistoryTest, ChangesAreSaidOnlyWhenTheIntervalsPart) {
  add_all();
  const auto points = history()[0].points;
  EXPECT_FALSE(points[0].change);
  EXPECT_FALSE(points[1].change) << "0.2 % lie within the noise";
  ASSERT_TRUE(points[2].change);
  EXPECT_NEAR(points[2].change->ratio, 1.07, 0.02);
  EXPECT_GT(points[2].change->low, 1);
  EXPECT_LT(points[2].change->low, points[2].change->ratio);
  EXPECT_GT(points[2].change->high, points[2].change->ratio);
  EXPECT_TRUE(points[2].program_changed);
  EXPECT_FALSE(points[3].change);
  ASSERT_TRUE(points[4].change);
  EXPECT_LT(points[4].change->high, 1);
  EXPECT_FALSE(points[5].change) << "another host";
  EXPECT_FALSE(points[5].changed_from);
}

TEST_F(CheckHistoryTest, ARunWithoutTimeIsSteppedOver) {
  add_all();
  const auto points = history()[2].points;
  EXPECT_FALSE(points[3].median_ns);
  EXPECT_EQ(points[3].kind, "timeout");
  EXPECT_EQ(points[4].changed_from, points[2].check_run_id);
  EXPECT_FALSE(points[4].change);
}

TEST_F(CheckHistoryTest, VerdictsOnSpeedBelongToTheirRun) {
  add_all();
  const auto points = history()[0].points;
  ASSERT_TRUE(points[2].speed);
  EXPECT_EQ(points[2].speed->verdict, "slower");
  EXPECT_TRUE(points[2].passed);
  EXPECT_FALSE(points[2].ok());
  ASSERT_TRUE(points[1].speed);
  EXPECT_FALSE(points[1].speed->passed) << "too noisy is no verdict";
  EXPECT_TRUE(points[1].ok());
  EXPECT_FALSE(points[3].speed);
}

TEST_F(CheckHistoryTest, ASpeedWithoutACaseIsAPointOfItsOwn) {
  ASSERT_TRUE(add_text(json_with(R"("performance": [{"file": "a", "method": "m", "verdict": "slower", "passed": false,
    "median_ns": 12.5}])"))
                  .ok());
  const auto all = history();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].now().median_ns, 12.5);
  EXPECT_EQ(all[0].now().check_case_id, 0);
  EXPECT_FALSE(all[0].now().ok());
}

TEST_F(CheckHistoryTest, ErrorsThatAreNoNumbersAreTheWorst) {
  add_all();
  const auto all = history();
  EXPECT_TRUE(std::isnan(*all[1].points[3].max_abs_error));
  EXPECT_TRUE(std::isnan(*all[1].points[3].snr_db));
  EXPECT_TRUE(std::isinf(*all[2].points[5].max_abs_error));
  EXPECT_EQ(all[0].points[3].snr_db, 9.3);
  EXPECT_EQ(all[0].points[3].outputs_failed, 1);
}

TEST_F(CheckHistoryTest, QueriesNarrowItDown) {
  add_all();
  EXPECT_EQ(history({.file = "add_mul.bpte"}).size(), 2U);
  EXPECT_EQ(history({.file = "mul.bpte"}).size(), 0U) << "whole components";
  EXPECT_EQ(history({.method = "backward"}).size(), 0U);
  EXPECT_EQ(history({.case_index = 1}).size(), 1U);
  EXPECT_EQ(history({.failed_only = true}).size(), 1U);
  const auto last = history({.file = "models/add_mul.bpte", .case_index = 0, .last = 4});
  ASSERT_EQ(last.size(), 1U);
  ASSERT_EQ(last[0].points.size(), 4U);
  EXPECT_TRUE(last[0].points[0].change) << "against the run that is not shown";
  const std::string program = one("SELECT program_sha256 FROM check_cases WHERE check_run_id = 1 LIMIT 1");
  EXPECT_EQ(history({.program = program.substr(0, 8)})[0].points.size(), 4U);
}

TEST_F(CheckHistoryTest, OutputsAndExplanationsOfACase) {
  add_all();
  const CheckPoint failed = history()[0].points[3];
  std::vector<CheckOutputRow> outputs;
  ASSERT_TRUE(load_check_outputs(store, failed.check_case_id, &outputs).ok());
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].max_abs_at, "[1, 2]");
  EXPECT_EQ(outputs[0].got, 2.0);
  EXPECT_EQ(outputs[0].want, 1.5);
  EXPECT_EQ(outputs[0].outside, 3);
  std::vector<CheckExplanationRow> why;
  ASSERT_TRUE(load_check_explanations(store, failed.check_case_id, &why).ok());
  ASSERT_EQ(why.size(), 1U);
  EXPECT_EQ(why[0].source, "model.py:12");
}

TEST_F(CheckHistoryTest, OpsOfACaseAreComparedWithThoseBefore) {
  const std::string artifact = std::string(ET_FIXTURES) + "/artifacts/add_mul/";
  import_dump(artifact + "etdump.etdp");
  import_dump(artifact + "debug.etdp");
  add_all();
  const auto points = history()[0].points;
  ASSERT_EQ(points[0].trace_id, 1);
  ASSERT_EQ(points[3].trace_id, 2);
  std::vector<CheckOpRow> ops;
  ASSERT_TRUE(load_check_ops(store, points[3].check_case_id, points[0].check_case_id, &ops).ok());
  ASSERT_FALSE(ops.empty());
  size_t compared = 0, with_error = 0;
  for (const CheckOpRow& op : ops) {
    if (op.before_p50_ns) ++compared;
    if (op.max_abs_error == 0.5) {
      ++with_error;
      EXPECT_EQ(op.instruction_id, 1);
    }
  }
  EXPECT_GT(compared, 0U);
  EXPECT_GT(with_error, 0U);
  // Against itself nothing changes.
  ASSERT_TRUE(load_check_ops(store, points[0].check_case_id, points[0].check_case_id, &ops).ok());
  for (const CheckOpRow& op : ops) {
    EXPECT_EQ(op.before_p50_ns, op.p50_ns);
    EXPECT_FALSE(op.change);
  }
  ASSERT_TRUE(load_check_ops(store, points[1].check_case_id, 0, &ops).ok());
  EXPECT_TRUE(ops.empty());
}

TEST_F(CheckHistoryTest, AStoreWithoutChecksHasNone) {
  EXPECT_TRUE(count_checks(store).has_tables);
  make_old();
  EXPECT_FALSE(count_checks(store).has_tables);
  EXPECT_TRUE(history().empty());
}

TEST(MedianInterval, CoversTheMedianAsOftenAsPromised) {
  // Binomial(n, 1/2): the ranks of the usual tables (95 %): n = 6: 1..6, 9: 2..8, 20: 6..15, 100: 40..61.
  for (const auto& [n, low] : {std::pair{6, 1}, {8, 1}, {9, 2}, {20, 6}, {100, 40}, {1000, 469}}) {
    std::vector<int64_t> ranks;
    for (int i = n; i >= 1; --i) ranks.push_back(i);
    const auto interval = median_interval(ranks);
    ASSERT_TRUE(interval) << n;
    EXPECT_EQ(interval->low, low) << n;
    EXPECT_EQ(interval->high, n + 1 - low) << n;
  }
  std::vector<int64_t> few = {1, 2, 3, 4, 5};
  EXPECT_FALSE(median_interval(few));
  std::vector<int64_t> none;
  EXPECT_FALSE(median_interval(none));
}

TEST(MedianInterval, ManySamplesStayWithinTheRangeOfDouble) {
  std::vector<int64_t> many(100000);
  for (size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int64_t>(i);
  const auto interval = median_interval(many);
  // The first rank has a chance of 2^-100000, which no double holds; n/2 ± 0.98 sqrt(n) is near for so many.
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->low, 49690, 2);
  EXPECT_NEAR(interval->high, 50309, 2);
}

TEST(TimeChange, NeedsIntervalsThatPart) {
  EXPECT_FALSE(time_change(10, {9, 11}, 11.5, {10.5, 12}));
  EXPECT_FALSE(time_change(0, {0, 0}, 5, {4, 6}));
  const auto slower = time_change(10, {9.9, 10.1}, 11, {10.8, 11.2});
  ASSERT_TRUE(slower);
  EXPECT_DOUBLE_EQ(slower->ratio, 1.1);
  EXPECT_DOUBLE_EQ(slower->low, 10.8 / 10.1);
  EXPECT_DOUBLE_EQ(slower->high, 11.2 / 9.9);
  EXPECT_EQ(format_change(*slower), "+6.9 to +13%");
}

TEST(FormatError, SaysWhatIsNoNumber) {
  EXPECT_EQ(format_error(std::nullopt), "");
  EXPECT_EQ(format_error(0.5), "0.5");
  EXPECT_EQ(format_error(2.4e-7), "2.4e-07");
  EXPECT_EQ(format_error(std::nan("")), "NaN");
  EXPECT_EQ(format_error(-std::numeric_limits<double>::infinity()), "−∞");
}

}  // namespace
}  // namespace et::inspector::test
