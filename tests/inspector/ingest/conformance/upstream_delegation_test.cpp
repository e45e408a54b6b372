// get_delegation_info without Python: the counts of record and program equal upstream's, per operator type.
#include <map>

#include "inspector/analysis/delegation/delegation.h"
#include "tests/inspector/ingest/conformance/conformance.h"

namespace et::inspector::test {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using Counts = std::map<std::string, std::pair<int64_t, int64_t>>;

// Difference 21: records up to 0.7 do not say how many outputs a delegate call has.
bool says_outputs(const Store& store) {
  Statement st = store.query("SELECT count(*) FROM instructions WHERE kind = 'DelegateCall' AND outputs IS NULL");
  return st.step() && st.integer(0) == 0;
}

class Delegation : public ::testing::TestWithParam<std::string> {};
TEST_P(Delegation, CountsWhatUpstreamCounts) {
  // A program alone has no trace to hang on; a case without one lends the smallest dump there is.
  const std::string own = GetParam() + "/etdump.etdp";
  Imported in;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &in.store).ok());
  IngestInputs inputs;
  inputs.dump = std::filesystem::exists(own) ? own : std::string(ET_FIXTURES) + "/artifacts/add_mul/etdump.etdp";
  inputs.record = GetParam() + "/etrecord.bin";
  inputs.program = GetParam() + "/program.pte";
  if (!std::filesystem::exists(inputs.program))
    GTEST_SKIP() << "the program was not kept: without it shared handles stay ambiguous";
  const Status status = ingest(in.store, inputs, {}, &in.result);
  ASSERT_TRUE(status.ok()) << status.message();
  Statement maps = in.store.query("SELECT count(*) FROM instructions WHERE debug_handles IS NOT NULL");
  ASSERT_TRUE(maps.step());
  const bool counts_outputs = says_outputs(in.store);
  std::vector<DelegationSummary> summaries;
  ASSERT_TRUE(delegation(in.store, in.result.trace_id, &summaries).ok());
  const Reference ref(GetParam() + "/reference/delegation.json");
  for (const auto& [method, want] : simdjson::dom::object(ref.root())) {
    SCOPED_TRACE(std::string(method));
    const auto it =
        std::find_if(summaries.begin(), summaries.end(), [&, m = method](const auto& s) { return s.method == m; });
    if (it == summaries.end()) {
      Statement graphs =
          in.store.query("SELECT count(*) FROM diagnostics WHERE id IN ('record-incomplete', 'record-damaged')");
      ASSERT_TRUE(graphs.step());
      EXPECT_GT(graphs.integer(0), 0) << "a whole record must have the graph";
      continue;
    }
    EXPECT_EQ(it->subgraphs, int64_t(want["num_delegated_subgraphs"]));
    EXPECT_EQ(it->delegated_nodes, int64_t(want["num_delegated_nodes"]));
    Counts mine, theirs;
    for (const DelegationRow& r : it->rows) mine[r.op_type] = {r.delegated, r.non_delegated};
    for (const element row : array(want["rows"])) {
      const std::string type = text_or(row.at(0).value(), "");
      if (type != "Total") theirs[type] = {int64_t(row.at(1).value()), int64_t(row.at(2).value())};
    }
    if (counts_outputs) {
      EXPECT_EQ(it->non_delegated_nodes, int64_t(want["num_non_delegated_nodes"]));
    } else {  // difference 21
      mine.erase("getitem"), theirs.erase("getitem");
    }
    EXPECT_EQ(mine, theirs);
  }
}
/// Without a program the counts are upstream's, or between the bounds that the rows give.
void expect_true_rows(const Store& store, int64_t trace, const Reference& ref, int64_t* uncertain) {
  std::vector<DelegationSummary> summaries;
  ASSERT_TRUE(delegation(store, trace, &summaries).ok());
  const bool counts_outputs = says_outputs(store);
  for (const DelegationSummary& s : summaries) {
    SCOPED_TRACE(s.method);
    const element want = ref.root()[s.method];
    EXPECT_EQ(s.delegated_nodes, int64_t(want["num_delegated_nodes"]));
    if (counts_outputs) {
      EXPECT_EQ(s.non_delegated_nodes, int64_t(want["num_non_delegated_nodes"]));
    }
    std::map<std::string, DelegationRow> mine;
    for (const DelegationRow& r : s.rows) mine[r.op_type] = r;
    for (const element row : array(want["rows"])) {
      const std::string type = text_or(row.at(0).value(), "");
      if (type == "Total" || (type == "getitem" && !counts_outputs)) continue;
      const DelegationRow& r = mine[type];
      const int64_t delegated = row.at(1).value(), outside = row.at(2).value();
      EXPECT_LE(r.delegated - r.fewer, delegated) << type;
      EXPECT_GE(r.delegated + r.more, delegated) << type;
      EXPECT_LE(r.non_delegated - r.more, outside) << type;
      EXPECT_GE(r.non_delegated + r.fewer, outside) << type;
      *uncertain += r.fewer + r.more;
    }
    EXPECT_EQ(s.uncertain_nodes > 0, *uncertain > 0);
  }
}

class DelegationWithoutProgram : public ::testing::TestWithParam<std::string> {};
TEST_P(DelegationWithoutProgram, ClaimsNothingThatIsNotSo) {
  for (const bool with_dump : {true, false}) {
    SCOPED_TRACE(with_dump ? "with ETDump" : "ETRecord alone");
    IngestInputs inputs;
    inputs.record = GetParam() + "/etrecord.bin";
    if (with_dump) inputs.dump = GetParam() + "/etdump.etdp";
    if (with_dump && !std::filesystem::exists(inputs.dump)) continue;
    Imported in;
    ASSERT_TRUE(Store::open("", Store::Mode::Memory, &in.store).ok());
    const Status status = ingest(in.store, inputs, {}, &in.result);
    ASSERT_TRUE(status.ok()) << status.message();
    int64_t uncertain = 0;
    expect_true_rows(in.store, in.result.trace_id, Reference(GetParam() + "/reference/delegation.json"), &uncertain);
    // Events name the kernels.
    if (with_dump) {
      EXPECT_EQ(uncertain, 0);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Artefacts, DelegationWithoutProgram,
                         ::testing::ValuesIn(case_folders("reference/delegation.json")), case_name);

INSTANTIATE_TEST_SUITE_P(Artefacts, Delegation, ::testing::ValuesIn(case_folders("reference/delegation.json")),
                         case_name);

}  // namespace
}  // namespace et::inspector::test
