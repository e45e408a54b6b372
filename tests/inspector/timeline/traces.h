// Traces for tests of timelines: artefacts and synthetic ones, imported into a store in memory.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "inspector/analysis/timeline/timeline_index.h"
#include "inspector/ingest/ingest.h"
#include "tests/support/etdump_builder.h"

namespace et::inspector {

struct ImportedTrace {
  explicit ImportedTrace(Store from) : store(std::move(from)) { load(TimelineIndex::kInMemory); }
  static ImportedTrace artifact(const std::string& name) {
    return ImportedTrace(import(std::string(ET_FIXTURES) + "/artifacts/" + name + "/etdump.etdp"));
  }
  static ImportedTrace synthetic(const test::BigTrace& shape) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("et-timeline-" + std::to_string(::getpid()) + ".etdp")).string();
    test::make_big_trace(path, shape);
    Store store = import(path);
    std::filesystem::remove(path);
    return ImportedTrace(std::move(store));
  }
  static Store import(const std::string& dump) {
    Store store;
    EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
    IngestInputs inputs;
    inputs.dump = dump;
    IngestResult result;
    const Status s = ingest(store, inputs, nullptr, &result);
    EXPECT_TRUE(s.ok()) << s.message();
    return store;
  }
  /// Reads table and index anew, with samples in memory up to that many.
  void load(int64_t in_memory) {
    Status s = load_op_table(store, 1, {}, &table);
    EXPECT_TRUE(s.ok()) << s.message();
    s = TimelineIndex::load(store, table, in_memory, &index);
    EXPECT_TRUE(s.ok()) << s.message();
    begin = INT64_MAX;
    end = 0;
    Statement st = store.query("SELECT min(start_ns), max(start_ns + duration_ns) FROM executions");
    if (st.step()) {
      begin = st.integer(0);
      end = st.integer(1);
    }
  }

  Store store;
  OpTable table;
  TimelineIndex index;
  int64_t begin = 0, end = 0;  ///< of all executions
};

inline const std::vector<std::string>& timeline_artifacts() {
  static const std::vector<std::string> names = {"add_mul",      "control_flow_map",    "control_flow_scan",
                                                 "lstm",         "lstm_xnnpack",        "mobilenet_v2_035_xnnpack_int8",
                                                 "multi_method", "nanogpt_xnnpack_qd4", "partial_delegation"};
  return names;
}

}  // namespace et::inspector
