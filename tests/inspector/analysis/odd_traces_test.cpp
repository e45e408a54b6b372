// Traces as broken clocks and strange programs make them: every analysis gives a stated result, and no figure that is
// none.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>

#include "inspector/analysis/sql_result.h"
#include "inspector/analysis/tables/analysis_tables.h"
#include "tests/inspector/analysis/imported.h"
#include "tests/support/etdump_builder.h"

namespace et::inspector::test {
namespace {

using et::test::RunSpec;

struct OddTrace {
  const char* name;
  std::function<void(std::vector<RunSpec>*)> fill;
};

RunSpec execution() {
  RunSpec run;
  run.name = "Execute";
  return run;
}

/// One execution: `ops` instructions of one name, each as `times` says.
RunSpec execution_of(int32_t ops, const std::function<std::pair<uint64_t, uint64_t>(int32_t)>& times) {
  RunSpec run = execution();
  uint64_t first = UINT64_MAX, last = 0;
  for (int32_t i = 0; i < ops; ++i) {
    const auto [start, end] = times(i);
    run.profile("native_call_add.out", 0, i, start, end);
    run.profile("OPERATOR_CALL", 0, i, start, end);
    first = std::min(first, start);
    last = std::max(last, end);
  }
  return run.profile("Method::execute", -1, 0, first, last);
}

const OddTrace kOddTraces[] = {
    {"all_durations_zero",
     [](auto* runs) {
       for (int i = 0; i < 20; ++i)
         runs->push_back(execution_of(5, [](int32_t) { return std::pair<uint64_t, uint64_t>(7, 7); }));
     }},
    {"clock_goes_backwards",
     [](auto* runs) {
       for (uint64_t i = 0; i < 20; ++i) {
         runs->push_back(execution_of(5, [&](int32_t op) {
           const uint64_t at = 1000000 - 1000 * i - 50 * static_cast<uint64_t>(op);
           return std::pair(at, at - 20);
         }));
       }
     }},
    {"clock_at_its_end",
     [](auto* runs) {
       for (int i = 0; i < 4; ++i)
         runs->push_back(execution_of(
             3, [](int32_t op) { return std::pair(UINT64_MAX - 100, UINT64_MAX - static_cast<uint64_t>(op)); }));
     }},
    {"one_name_for_all",
     [](auto* runs) {
       runs->push_back(execution_of(2000, [](int32_t op) {
         const uint64_t at = static_cast<uint64_t>(op) * 10;
         return std::pair(at, at + 9);
       }));
     }},
    {"nothing_happened", [](auto* runs) { runs->push_back(execution()); }},
    {"only_the_method", [](auto* runs) { runs->push_back(execution().profile("Method::execute", -1, 0, 5, 5)); }},
    {"ages_between_executions",
     [](auto* runs) {
       for (uint64_t i = 0; i < 12; ++i) {
         runs->push_back(execution_of(3, [&](int32_t op) {
           const uint64_t at = i * (uint64_t{1} << 58) + static_cast<uint64_t>(op) * 100;
           return std::pair(at, at + 90);
         }));
       }
     }},
};

class OddTraces : public ::testing::TestWithParam<OddTrace> {};

TEST_P(OddTraces, EveryAnalysisGivesAStatedResult) {
  std::vector<RunSpec> runs;
  GetParam().fill(&runs);
  const std::string path = ::testing::TempDir() + "odd_" + GetParam().name + ".etdp";
  et::test::EtdumpBuilder dump;
  dump.runs.assign(runs.begin(), runs.end());
  const std::vector<uint8_t> bytes = dump.bytes();
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
  // With and without a record and a program, which are of something else.
  for (const bool others : {false, true}) {
    Store store;
    ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
    IngestInputs in;
    in.dump = path;
    if (others) {
      in.record = std::string(ET_FIXTURES) + "/artifacts/partial_delegation/etrecord.bin";
      in.program = std::string(ET_FIXTURES) + "/artifacts/partial_delegation/program.pte";
    }
    IngestResult result;
    const Status status = ingest(store, in, {}, &result);
    ASSERT_TRUE(status.ok()) << status.message();
    for (const ComputedTable& table : analysis_tables()) {
      SCOPED_TRACE(std::string(table.name) + (others ? ", with files of something else" : ""));
      const bool pair = std::string_view(table.name) == "changes";
      SqlResult rows;
      run_sql(store,
              "SELECT * FROM " + std::string(table.name) + (pair ? " WHERE before_trace = 1 AND after_trace = 1" : ""),
              1, {}, {}, &rows);
      // What cannot be answered says why, in words.
      EXPECT_TRUE(rows.error.empty() || rows.error.find(' ') != std::string::npos) << rows.error;
      for (size_t r = 0; r < rows.rows(); ++r) {
        for (size_t c = 0; c < rows.columns.size(); ++c) {
          const auto* const value = std::get_if<double>(&rows.at(r, c));
          EXPECT_TRUE(value == nullptr || std::isfinite(*value)) << "row " << r << ", column " << c;
          const auto* const text = std::get_if<std::string>(&rows.at(r, c));
          EXPECT_TRUE(text == nullptr || (" " + *text + " ").find(" nan ") == std::string::npos) << *text;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Traces, OddTraces, ::testing::ValuesIn(kOddTraces),
                         [](const auto& trace) { return std::string(trace.param.name); });

}  // namespace
}  // namespace et::inspector::test
