// Import of et-check's results: what the store says of them, what is refused and how.
#include "inspector/ingest/check_results.h"

#include <fstream>

#include "inspector/ingest/check_results_json.h"
#include "tests/inspector/checks/check_support.h"

namespace et::inspector::test {
namespace {

TEST_F(CheckTest, ARunIsKeptWithAllThatWasSaid) {
  add(4);
  EXPECT_EQ(one("SELECT started || ' ' || label || ' ' || host || ' ' || cores || ' ' || tool_version FROM check_runs"),
            "2026-11-19T02:00:00Z 77aa310 ci-1 2 0.1.0");
  EXPECT_EQ(one("SELECT passed || ' ' || failed || ' ' || skipped FROM check_runs"), "0 3 0");
  EXPECT_EQ(one("SELECT kind FROM check_cases WHERE file LIKE '%lstm%' AND duration_ns IS NULL AND samples = 0"),
            "timeout");
  EXPECT_EQ(one("SELECT max_abs_error || ' ' || max_abs_at || ' ' || outside || ' ' || got || ' ' || want FROM "
                "check_outputs WHERE check_case_id = 1"),
            "0.5 [1, 2] 3 2.0 1.5");
  EXPECT_EQ(one("SELECT operators FROM check_cases WHERE check_case_id = 1"), R"(["aten::add.out", "aten::mul.out"])");
  EXPECT_EQ(one("SELECT count(*) FROM check_samples WHERE check_case_id = 1"), "21");
  EXPECT_EQ(one("SELECT operator || ' ' || instruction_id FROM check_explanations"), "aten::mul.out 1");
}

TEST_F(CheckTest, NumbersThatJsonCannotHoldAreKept) {
  add(4);
  add(6);
  EXPECT_EQ(one("SELECT max_abs_error FROM check_outputs WHERE nan_mismatch = 1"), "NaN");
  EXPECT_EQ(one("SELECT typeof(max_abs_error) || max_abs_error FROM check_outputs WHERE inf_mismatch = 1"), "realInf");
  EXPECT_EQ(one("SELECT snr_db FROM check_outputs WHERE inf_mismatch = 1"), "-Inf");
  // The largest error is the worst one, also where it is no number.
  EXPECT_EQ(one("SELECT max(max_abs_error) FROM check_cases"), "NaN");
}

TEST_F(CheckTest, BareNumbersOfPythonAreTaken) {
  ASSERT_TRUE(add_text(json_with(R"("cases": [{"file": "a", "passed": false, "max_abs_error": NaN}])")).ok());
  EXPECT_EQ(one("SELECT max_abs_error FROM check_cases"), "NaN");
}

TEST_F(CheckTest, TheSameResultsAreKeptOnce) {
  CheckImport first, second;
  ASSERT_TRUE(import_check_file(store, results(1), &first).ok());
  EXPECT_FALSE(first.known);
  ASSERT_TRUE(import_check_file(store, results(1), &second).ok());
  EXPECT_TRUE(second.known);
  EXPECT_EQ(second.check_run_id, first.check_run_id);
  EXPECT_EQ(one("SELECT count(*) FROM check_runs"), "1");
  EXPECT_EQ(one("SELECT count(*) FROM check_cases"), "3");
}

TEST_F(CheckTest, MedianAndItsIntervalAreThoseOfTheSamples) {
  ASSERT_TRUE(add_text(json_with(R"("cases": [
    {"file": "a", "passed": true, "duration_ns": 7, "samples_ns": [9, 1, 8, 2, 7, 3, 6, 4, 5, 10]},
    {"file": "b", "passed": true, "duration_ns": 7.5, "samples_ns": [1, 2, 3, 4, 5]},
    {"file": "c", "passed": true, "duration_ns": 7, "samples_ns": []}])"))
                  .ok());
  // 10 samples: the second smallest and the second largest cover 97.9 %, the third ones only 89.1 %.
  EXPECT_EQ(one("SELECT median_ns || ' ' || median_low_ns || ' ' || median_high_ns FROM check_cases WHERE file = 'a'"),
            "5.5 2.0 9.0");
  EXPECT_EQ(one("SELECT median_ns FROM check_cases WHERE file = 'b' AND median_low_ns IS NULL"), "3.0");
  EXPECT_EQ(one("SELECT median_ns FROM check_cases WHERE file = 'c' AND samples = 0"), "7.0");
}

TEST_F(CheckTest, ATraceIsFoundByTheContentOfItsDump) {
  import_dump(std::string(ET_FIXTURES) + "/artifacts/add_mul/debug.etdp");
  import_dump(std::string(ET_FIXTURES) + "/artifacts/add_mul/etdump.etdp");
  add(1);  // names ../artifacts/add_mul/etdump.etdp, which is found beside the results
  EXPECT_EQ(one("SELECT trace_id FROM check_cases WHERE etdump IS NOT NULL"), "2");
  EXPECT_EQ(one("SELECT count(*) FROM check_cases WHERE trace_id IS NOT NULL"), "1");
  EXPECT_EQ(one("SELECT count(*) FROM check_ops"),
            one("SELECT count(*) FROM ops WHERE trace_id = 2 AND block_id IN (SELECT block_id FROM blocks WHERE kind = "
                "'execute')"));
}

TEST_F(CheckTest, ATraceThatComesLaterIsFound) {
  add(4);
  EXPECT_EQ(one("SELECT trace_id FROM check_cases WHERE check_case_id = 1"), "(null)");
  import_dump(std::string(ET_FIXTURES) + "/artifacts/add_mul/debug.etdp");
  EXPECT_EQ(one("SELECT trace_id FROM check_cases WHERE check_case_id = 1"), "1");
  // The explanation names instruction 1: its op carries the error, no other does.
  EXPECT_EQ(one("SELECT count(*) FROM check_ops WHERE max_abs_error = 0.5"),
            one("SELECT count(*) FROM check_ops WHERE instruction_id = 1"));
  EXPECT_NE(one("SELECT count(*) FROM check_ops WHERE max_abs_error = 0.5"), "0");
}

TEST_F(CheckTest, CasesThatShareADumpHaveOnlyTheirOwnOps) {
  const std::string dump = std::string(ET_FIXTURES) + "/artifacts/add_mul/etdump.etdp";
  import_dump(dump);
  const std::string all = one("SELECT count(*) FROM ops o JOIN blocks b USING (block_id) WHERE b.kind = 'execute'");
  ASSERT_TRUE(add_text(json_with(R"("cases": [{"file": "a", "case": 0, "passed": true, "etdump": ")" + dump +
                                 R"("}, {"file": "a", "case": 1, "passed": true, "etdump": ")" + dump + R"("}])"))
                  .ok());
  EXPECT_EQ(one("SELECT count(*) FROM check_ops WHERE case_index = 0"), all)
      << "the dump does not say which case it is";
  ASSERT_TRUE(store.exec("UPDATE raw_block SET bundled_input_index = 1 WHERE kind = 'execute'").ok());
  EXPECT_EQ(one("SELECT count(*) FROM check_ops WHERE case_index = 0"), "0");
  EXPECT_EQ(one("SELECT count(*) FROM check_ops WHERE case_index = 1"), all);
}

TEST_F(CheckTest, APathThatIsUsedAgainLeadsToNoTrace) {
  const std::string dump = folder + "/run.etdp";
  const std::string cases = R"("cases": [{"file": "a", "passed": true, "etdump": ")" + dump + R"("}])";
  ASSERT_TRUE(add_text(json_with(cases)).ok());  // the dump is not there any more
  std::filesystem::copy_file(std::string(ET_FIXTURES) + "/artifacts/add_mul/etdump.etdp", dump);
  import_dump(dump);
  EXPECT_EQ(one("SELECT trace_id FROM check_cases"), "1") << "one trace and one case have this path";
  std::filesystem::remove(dump);
  ASSERT_TRUE(add_text(json_with(R"("label": "next", )" + cases)).ok());
  EXPECT_EQ(one("SELECT count(trace_id) FROM check_cases"), "0") << "which of both wrote that dump?";
}

TEST_F(CheckTest, AStoreWithoutChecksGetsThemWithTheFirstResults) {
  make_old();
  import_dump(std::string(ET_FIXTURES) + "/artifacts/add_mul/etdump.etdp");
  add(1);
  EXPECT_EQ(one("SELECT count(*) FROM check_cases"), "3");
  store = Store();
  ASSERT_TRUE(Store::open(path, Store::Mode::ReadOnly, &store).ok());
  EXPECT_EQ(one("SELECT failed FROM check_runs"), "0");
}

TEST_F(CheckTest, ReadOnlyStoreIsRefused) {
  store = Store();
  ASSERT_TRUE(Store::open(path, Store::Mode::ReadOnly, &store).ok());
  const Status status = import_check_file(store, results(1));
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find(path), std::string::npos) << status.message();
}

TEST_F(CheckTest, UnknownMembersAreLeftOut) {
  const Status status = add_text(
      json_with(R"("colour": {"deep": [1, {"x": null}]}, "cases": [{"file": "a", "passed": true, "new": [[]]}])"));
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_F(CheckTest, WhatIsWrongIsNamedWithItsPlace) {
  struct Case {
    std::string json, message;
  };
  const std::string good_case = R"("file": "a", "passed": true)";
  const std::vector<Case> cases = {
      {"", "r.json"},
      {"[]", "r.json: expected results of et-check (a JSON object), got a list"},
      {"{\"schema\": \"et-check/1\"", "r.json"},
      {"{}", "r.json: is JSON, but not results of et-check: it has no \"schema\""},
      {R"({"schema": "et-check/2"})", "r.json: schema: is \"et-check/2\", this et-inspect reads \"et-check/1\""},
      {R"({"schema": 1})", "r.json: schema: expected a text, got the number 1"},
      {R"({"schema": "et-check/1"})", "r.json: started: expected a text, got nothing"},
      {R"({"schema": "et-check/1", "started": "yesterday"})",
       "r.json: started: expected a time in UTC like 2026-01-31T12:00:00Z, got \"yesterday\""},
      {R"({"schema": "et-check/1", "started": "2026-11-22T03:50:00Z", "passed": -1})",
       "r.json: passed: expected an integer >= 0, got the number -1"},
      {json_with(R"("cases": {})"), "r.json: cases: expected a list, got an object"},
      {json_with(R"("cases": [7])"), "r.json: cases[0]: expected an object, got the number 7"},
      {json_with(R"("cases": [{"passed": true}])"), "r.json: cases[0].file: expected a text, got nothing"},
      {json_with(R"("cases": [{"file": "a"}])"), "r.json: cases[0].passed: expected true or false, got nothing"},
      {json_with(R"("cases": [{)" + good_case + R"(}, {)" + good_case +
                 R"(, "outputs": [{"passed": true, "rtol": "x"}]}])"),
       "r.json: cases[1].outputs[0].rtol: expected a number, got the text \"x\""},
      {json_with(R"("cases": [{)" + good_case + R"(, "outputs": [{"passed": true, "shape": [1, -2]}]}])"),
       "r.json: cases[0].outputs[0].shape[1]: expected an integer >= 0, got the number -2"},
      {json_with(R"("cases": [{)" + good_case + R"(, "samples_ns": [1, "2"]}])"),
       "r.json: cases[0].samples_ns[1]: expected nanoseconds >= 0, got the text \"2\""},
      {json_with(R"("cases": [{)" + good_case + R"(, "memory_bytes": 1.5}])"),
       "r.json: cases[0].memory_bytes: expected an integer >= 0, got the number 1.5"},
      {json_with(R"("host": "me")"), "r.json: host: expected an object, got the text \"me\""},
      {json_with(R"("host": {"cores": true})"), "r.json: host.cores: expected an integer >= 0, got true"},
      {json_with(R"("performance": [{"file": "a", "verdict": "fast"}])"),
       "r.json: performance[0].verdict: expected one of no_difference, slower, faster, too_noisy, refused, got "
       "\"fast\""},
      {json_with(R"("explanations": [{"file": null}])"), "r.json: explanations[0].file: expected a text, got null"},
  };
  for (const Case& c : cases) {
    const Status status = add_text(c.json);
    EXPECT_FALSE(status.ok()) << c.json;
    EXPECT_TRUE(status.message().starts_with(c.message)) << status.message() << "\nexpected " << c.message;
  }
  EXPECT_EQ(one("SELECT count(*) FROM check_runs"), "0");
}

TEST_F(CheckTest, LimitsAreNamed) {
  CheckResults out;
  CheckLimits limits;
  limits.samples = 2;
  const std::string json = json_with(R"("cases": [{"file": "a", "passed": true, "samples_ns": [1, 2, 3]}])");
  EXPECT_EQ(parse_check_results(json, "r.json", &out, limits).message(),
            "r.json: cases[0].samples_ns: has more than 2 elements");
  limits = {};
  limits.text = 3;
  EXPECT_EQ(parse_check_results(json_with(R"("label": "long")"), "r.json", &out, limits).message(),
            "r.json: schema: has 10 bytes, at most 3");
  limits = {};
  limits.bytes = 10;
  EXPECT_EQ(parse_check_results(json, "r.json", &out, limits).message(),
            "r.json: has " + std::to_string(json.size()) + " bytes, results of et-check have at most 10");
}

TEST_F(CheckTest, HalfWrittenResultsLeaveNothing) {
  std::ifstream in(results(4));
  const std::string all{std::istreambuf_iterator<char>(in), {}};
  for (size_t n = 0; n + 2 < all.size(); n += 97) {
    const Status status = add_text(all.substr(0, n));
    EXPECT_FALSE(status.ok()) << n;
    EXPECT_TRUE(status.message().starts_with("r.json")) << status.message();
  }
  EXPECT_EQ(one("SELECT count(*) FROM check_runs"), "0");
}

}  // namespace
}  // namespace et::inspector::test
