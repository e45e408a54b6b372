// A fixture imported into a store in memory.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "inspector/analysis/ops/op_table.h"
#include "inspector/ingest/ingest.h"

namespace et::inspector::test {

/// Record and program of a fixture with its dump. Fixtures that were never run borrow another one's dump: then there
/// are graphs and instructions, and times that lead nowhere.
struct ImportedFixture {
  explicit ImportedFixture(const std::string& name, bool record = true, bool program = true, bool borrow = true,
                           const char* dump = "etdump.etdp") {
    const std::string root = std::string(ET_FIXTURES) + "/artifacts/";
    EXPECT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
    const auto there = [&](const char* file) {
      return std::filesystem::exists(root + name + "/" + file) ? root + name + "/" + file : std::string();
    };
    IngestInputs in;
    in.dump = there(dump);
    has_dump = !in.dump.empty();
    if (!has_dump && borrow) in.dump = root + "add_mul/etdump.etdp";
    if (record) in.record = there("etrecord.bin");
    if (program) in.program = there("program.pte");
    IngestResult result;
    const Status status = ingest(store, in, {}, &result);
    EXPECT_TRUE(status.ok()) << status.message();
    const Status loaded = load_op_table(store, result.trace_id, {}, &table);
    EXPECT_TRUE(loaded.ok()) << loaded.message();
  }

  /// Time of all executions.
  double executions() const {
    double sum = 0;
    for (const OpBlock& b : table.blocks) sum += b.kind == "execute" ? static_cast<double>(b.total) : 0;
    return sum;
  }

  Store store;
  OpTable table;
  bool has_dump = false;
};

inline std::string fixture_name(const ::testing::TestParamInfo<std::string>& info) { return info.param; }

}  // namespace et::inspector::test
