// Events lead to the right Python lines, whichever way the program was exported: cases of the truth corpus
// (docs/join.md), whose right lines are known without our join.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "inspector/ingest/ingest.h"

namespace et::inspector {
namespace {

constexpr double kRecall = 0.98;      // of the time that a line caused
constexpr double kPrecision = 0.995;  // of the time that leads to a line

struct TruthCase {
  std::string folder, runtime;
  bool with_program = false;
  std::string name() const { return folder + " " + runtime + (with_program ? " with program" : " without program"); }
};

std::vector<TruthCase> truth_cases() {
  std::vector<TruthCase> cases;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ET_FIXTURES) + "/join")) {
    for (const char* runtime : {"upstream", "ours"}) {
      if (!std::filesystem::exists(entry.path() / (std::string(runtime) + ".tsv"))) continue;
      for (const bool with_program : {false, true})
        cases.push_back({entry.path().filename().string(), runtime, with_program});
    }
  }
  std::sort(cases.begin(), cases.end(), [](const TruthCase& a, const TruthCase& b) { return a.name() < b.name(); });
  return cases;
}

using EventKey = std::tuple<std::string, int64_t, std::string, int64_t>;  // method, instruction, name, which of them

std::map<EventKey, std::set<std::string>> right_lines(const std::string& path) {
  std::map<EventKey, std::set<std::string>> lines;
  std::ifstream in(path);
  for (std::string row; std::getline(in, row);) {
    std::vector<std::string> cells;
    std::istringstream split(row + "\t");
    for (std::string cell; std::getline(split, cell, '\t');) cells.push_back(cell);
    std::istringstream words(cells[4]);
    lines[{cells[0], std::stoll(cells[1]), cells[2], std::stoll(cells[3])}] = {
        std::istream_iterator<std::string>(words), {}};
  }
  return lines;
}

struct Tally {
  int64_t right = 0, wrong = 0, none = 0;
  std::set<EventKey> met;
  std::string problems;

  double recall() const {
    return static_cast<double>(right) / static_cast<double>(std::max<int64_t>(right + wrong + none, 1));
  }
  double precision() const {
    return right + wrong == 0 ? 1 : static_cast<double>(right) / static_cast<double>(right + wrong);
  }
};

constexpr const char* kEvents =
    "SELECT o.block_id, coalesce(o.method, ''), o.instruction_id, o.name, o.self_ns, "
    "(SELECT replace(n.file, rtrim(n.file, replace(n.file, '/', '')), '') || ':' || n.line FROM links l "
    "JOIN nodes n ON n.node_id = l.node_id WHERE l.op_id = o.op_id ORDER BY l.confidence DESC, l.ordinal LIMIT 1) "
    "FROM ops o JOIN blocks b ON b.block_id = o.block_id WHERE b.kind = 'execute' AND o.kind IN ('kernel', "
    "'delegate_op') "
    "AND o.clock IS NULL ORDER BY o.block_id, o.ordinal";

Tally tally_of(const Store& store, const std::map<EventKey, std::set<std::string>>& truth) {
  Tally tally;
  std::map<std::tuple<int64_t, int64_t, std::string>, int64_t> seen;
  Statement st = store.query(kEvents);
  while (st.step()) {
    const int64_t nth = seen[{st.integer(0), st.integer(2), st.str(3)}]++;
    // Without a program the method may not be known.
    const auto it = std::find_if(truth.begin(), truth.end(), [&](const auto& row) {
      const auto& [method, instruction, name, which] = row.first;
      return (method == st.text(1) || (st.text(1).empty() && !tally.met.contains(row.first))) &&
             instruction == st.integer(2) && name == st.text(3) && which == nth;
    });
    if (it == truth.end()) continue;
    tally.met.insert(it->first);
    const int64_t cost = std::max<int64_t>(st.integer(4), 1);  // many take less than the clock tells
    const std::string got = st.str(5);
    (got.empty() ? tally.none : it->second.contains(got) ? tally.right : tally.wrong) += cost;
    if (!it->second.contains(got)) {
      tally.problems += "  instruction " + std::to_string(st.integer(2)) + " " + st.str(3) + ": expected " +
                        *it->second.begin() + ", got " + (got.empty() ? "no line" : got) + "\n";
    }
  }
  return tally;
}

class JoinTruth : public ::testing::TestWithParam<TruthCase> {};

TEST_P(JoinTruth, TimeLeadsToTheLineThatCausedIt) {
  const TruthCase& c = GetParam();
  const std::string folder = std::string(ET_FIXTURES) + "/join/" + c.folder + "/";
  const auto truth = right_lines(folder + c.runtime + ".tsv");
  ASSERT_FALSE(truth.empty());
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs inputs;
  inputs.dump = folder + c.runtime + ".etdp";
  inputs.record = folder + "etrecord.bin";
  if (c.with_program) inputs.program = folder + "program.pte";
  IngestResult result;
  const Status status = ingest(store, inputs, {}, &result);
  ASSERT_TRUE(status.ok()) << status.message();

  const Tally tally = tally_of(store, truth);
  for (const auto& row : truth) {
    const auto& [method, instruction, name, which] = row.first;
    const bool met = which > 0 || tally.met.contains(row.first);  // runs of a loop's body are samples of one op
    EXPECT_TRUE(met) << method << ": instruction " << instruction << " " << name;
  }
  const bool passes = tally.recall() >= kRecall && tally.precision() >= kPrecision;
  EXPECT_TRUE(passes) << c.name() << ":\nrecall " << tally.recall() << ", precision " << tally.precision() << "\n"
                      << tally.problems;
}

std::string test_name(const ::testing::TestParamInfo<TruthCase>& info) {
  std::string name = info.param.name();
  std::replace_if(
      name.begin(), name.end(), [](char ch) { return ch == '.' || ch == ' '; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Corpus, JoinTruth, ::testing::ValuesIn(truth_cases()), test_name);

TEST(JoinTruthTable, HasCases) { EXPECT_GT(truth_cases().size(), 100u); }

}  // namespace
}  // namespace et::inspector
