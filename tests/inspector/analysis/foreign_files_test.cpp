// An ETRecord of another model: it is said, and none of its lines is an answer.
#include "inspector/store/foreign_files.h"

#include <gtest/gtest.h>

#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/ingest/ingest.h"
#include "inspector/report/diff_report.h"
#include "inspector/report/main_report.h"

namespace et::inspector {
namespace {

// Not those of control flow: their ETRecords tell nothing of instructions, so there is little to compare.
constexpr const char* kModels[] = {"add_mul",        "lstm",          "lstm_xnnpack",
                                   "mutable_buffer", "scalar_inputs", "partial_delegation"};

std::string artifact_file(const std::string& model, const char* file) {
  return std::string(ET_FIXTURES) + "/artifacts/" + model + "/" + file;
}

Store imported_with(const std::string& dump, const std::string& record, const std::string& program = "") {
  Store store;
  EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  IngestInputs in;
  in.dump = artifact_file(dump, "etdump.etdp");
  in.record = artifact_file(record, "etrecord.bin");
  if (!program.empty()) in.program = artifact_file(program, "program.pte");
  IngestResult result;
  const Status status = ingest(store, in, {}, &result);
  EXPECT_TRUE(status.ok()) << status.message();
  return store;
}

int64_t links_of(const Store& store) {
  Statement st = store.query("SELECT count(*) FROM links WHERE weight > 0");
  return st.step() ? st.integer(0) : -1;
}

TEST(ForeignFiles, NoRecordButItsOwnLeadsToLines) {
  for (const char* dump : kModels) {
    for (const char* record : kModels) {
      SCOPED_TRACE(std::string(dump) + " with the ETRecord of " + record);
      const Store store = imported_with(dump, record);
      const ForeignFiles foreign = foreign_files(store, 1);
      if (std::string(dump) == record) {
        EXPECT_TRUE(foreign.warnings().empty());
      } else {
        EXPECT_EQ(links_of(store), 0);
        EXPECT_TRUE(foreign.hides_record());
      }
    }
  }
}

std::vector<DelegationMap> maps_of(const Store& store) {
  OpTable shown;
  std::vector<DelegationMap> maps;
  EXPECT_TRUE(load_shown_ops(store, 1, {}, &shown).ok());
  EXPECT_TRUE(delegation_map(store, shown, &maps).ok());
  return maps;
}

// Without a program the instructions in the store are the ETRecord's.
TEST(ForeignFiles, DelegationHasWhatTheDumpShows) {
  for (const auto& [record, program] : {std::pair{"lstm_xnnpack", ""},
                                        {"quantised_portable", ""},
                                        {"partial_delegation", "lstm_xnnpack"},
                                        {"lstm_xnnpack", "lstm_xnnpack"}}) {
    SCOPED_TRACE(std::string(record) + ", " + program);
    const Store store = imported_with("partial_delegation", record, program);
    const std::vector<DelegationMap> maps = maps_of(store);
    ASSERT_EQ(maps.size(), 1U);
    const DelegationMap& map = maps.front();
    EXPECT_EQ(map.delegates(), 3U);
    EXPECT_EQ(map.items.size(), 6U) << "three delegate calls, three kernels";
    EXPECT_EQ(map.breaks.size(), 2U);
    EXPECT_EQ(map.non_delegated.size(), 3U);
    for (const MapItem& item : map.items) EXPECT_GT(item.calls, 0) << item.instruction;
    EXPECT_FALSE(map.has_graph);
    EXPECT_EQ(map.summary.delegated_nodes + map.summary.non_delegated_nodes, 0);
  }
}

TEST(ForeignFiles, AreSaidOnTopAndNotShown) {
  const Store store = imported_with("lstm", "partial_delegation", "partial_delegation");
  const ForeignFiles foreign = foreign_files(store, 1);
  ASSERT_TRUE(foreign.hides_record() && foreign.hides_program());
  EXPECT_EQ(foreign.warnings().size(), 2U);
  ReportOptions options;
  std::string text;
  ASSERT_TRUE(write_main_report(store, 1, options, &text).ok());
  const size_t said = text.find("ERROR: the ETRecord is another model's");
  ASSERT_NE(said, std::string::npos) << text;
  EXPECT_LT(said, text.find("What ran"));
  EXPECT_EQ(text.find("Graph nodes of"), std::string::npos) << "of the other model";
  for (const DelegationMap& map : maps_of(store)) {
    EXPECT_FALSE(map.has_graph);
    for (const MapItem& item : map.items) EXPECT_TRUE(item.nodes.empty()) << item.label;
  }
}

// On either side of a comparison, in each form that has room for a sentence.
TEST(ForeignFiles, AreSaidAboveADiff) {
  const Store right = imported_with("lstm", "lstm"), wrong = imported_with("lstm", "partial_delegation");
  TraceDiff diff;
  TraceChanges changes;
  ASSERT_TRUE(diff_traces(right, 1, wrong, 1, {}, &diff).ok());
  ASSERT_TRUE(compare_traces(right, 1, wrong, 1, &changes).ok());
  DiffSource before, after;
  ASSERT_TRUE(diff_source(right, 1, "right", &before).ok());
  ASSERT_TRUE(diff_source(wrong, 1, "wrong", &after).ok());
  EXPECT_TRUE(before.errors.empty());
  ASSERT_EQ(after.errors.size(), 1U);
  for (const char* format : {"table", "markdown", "json"}) {
    std::string text;
    DiffReportOptions options;
    options.format = format;
    ASSERT_TRUE(write_diff(diff, changes, before, after, options, &text).ok());
    const std::string_view said = options.format == "json" ? "\"errors\": [\"the ETRecord is another model's"
                                                           : "ERROR: after: the ETRecord is another model's";
    EXPECT_NE(text.find(said), std::string::npos) << format << "\n" << text;
    EXPECT_TRUE(options.format == "json" || text.starts_with(said)) << format;
  }
}

}  // namespace
}  // namespace et::inspector
