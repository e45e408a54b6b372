// Results of et-check for tests: the committed example runs, and a folder with a store.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "inspector/ingest/check_results.h"
#include "inspector/ingest/ingest.h"

namespace et::inspector::test {

inline std::string results(int run) {
  return std::string(ET_FIXTURES) + "/checks/run_" + std::to_string(run) + ".json";
}

/// Results with these members besides those that must be there.
inline std::string json_with(const std::string& members) {
  return R"({"schema": "et-check/1", "started": "2026-11-22T03:50:00Z", "passed": 0, "failed": 0, "skipped": 0)" +
         (members.empty() ? "" : ", " + members) + "}";
}

struct CheckTest : testing::Test {
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "et-checks-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
    path = folder + "/s.db";
    const Status status = Store::open(path, Store::Mode::ReadWrite, &store);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  void TearDown() override {
    store = Store();
    std::filesystem::remove_all(folder);
  }
  void add(int run) {
    const Status status = import_check_file(store, results(run));
    ASSERT_TRUE(status.ok()) << status.message();
  }
  Status add_text(const std::string& json, const std::string& name = "r.json") {
    return import_check_results(store, json, name);
  }
  void import_dump(const std::string& dump) {
    IngestInputs in;
    in.dump = dump;
    IngestResult result;
    const Status status = ingest(store, in, nullptr, &result);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  /// The first column of the first row as text; "(none)" without a row, "(null)" for NULL.
  std::string one(const std::string& sql) const {
    Statement st;
    const Status status = store.prepare(sql, &st);
    EXPECT_TRUE(status.ok()) << status.message();
    if (!status.ok() || !st.step()) return "(none)";
    return st.is_null(0) ? "(null)" : st.str(0);
  }
  /// As a store was before there were checks.
  void make_old() {
    for (const char* view : {"check_ops", "check_explanations", "check_performance", "check_samples", "check_outputs",
                             "check_cases", "check_runs"})
      ASSERT_TRUE(store.exec(("DROP VIEW " + std::string(view)).c_str()).ok());
    for (const char* table : {"check_run", "check_case", "check_output", "check_sample", "check_performance",
                              "check_explanation", "dump_fingerprint"})
      ASSERT_TRUE(store.exec(("DROP TABLE raw_" + std::string(table)).c_str()).ok());
  }

  std::string folder, path;
  Store store;
};

}  // namespace et::inspector::test
