// What is kept of many executions is what would be worked out.
#include "inspector/analysis/ops/kept_executions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "inspector/ingest/ingest.h"
#include "tests/support/etdump_builder.h"

namespace et::inspector {
namespace {

/// Two methods of 300 executions in all with a cold start, outliers and, of the second one, phases.
void add_trace(Store& store, uint32_t seed) {
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> noise(0, 0.02);
  test::EtdumpBuilder builder;
  builder.trailer.emplace();
  uint64_t now = 1000;
  for (size_t i = 0; i < 300; ++i) {
    test::TrailerRunSpec facts;
    facts.method = i % 3 == 0 ? "prefill" : "decode";
    facts.kind = "execute";
    facts.execution = i / 3;
    if (i % 3 != 0) facts.phase = i % 2 == 0 ? "a" : "b";
    builder.trailer->runs.push_back(std::move(facts));
    test::RunSpec& run = builder.run("Execute");
    const uint64_t begin = now;
    const double slow = i < 3 ? 4 : random() % 50 == 0 ? 9 : 1;
    const auto kernel = [&](int at, double ns) {
      const uint64_t start = now;
      now += static_cast<uint64_t>(ns * noise(random));
      run.profile("native_call_add.out", 0, at, start, now);
    };
    kernel(0, 50e3 * slow);
    kernel(1, 20e3);
    run.profile("Method::execute", -1, -1, begin, now += 2000);
    now += 1000;
  }
  const std::string path =
      (std::filesystem::temp_directory_path() / ("et-kept-" + std::to_string(::getpid()) + ".etdp")).string();
  const std::vector<uint8_t> bytes = builder.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  IngestInputs in;
  in.dump = path;
  IngestResult result;
  const Status status = ingest(store, in, {}, &result);
  EXPECT_TRUE(status.ok()) << status.message();
  std::filesystem::remove(path);
}

std::string text_of(const std::vector<ExecutionNote>& notes) {
  std::string out;
  const auto add = [&](const auto&... values) { ((out += std::to_string(values) + " "), ...); };
  for (const ExecutionNote& n : notes) {
    out += std::string(execution_note_name(n.kind)) + " " + n.method.value_or("-") + " " + n.text + " ";
    add(n.test_case.value_or(-1), n.run_id.value_or(-1), n.execution.value_or(-1), n.ordinal, n.count, n.warm, n.time,
        n.reference, static_cast<int>(n.interrupted), n.extra_share);
    for (const ExtraTime& e : n.ops) {
      out += "\n  " + e.name + " ";
      add(e.op_id.value_or(-1), e.ticks, e.usual);
    }
    out += "\n";
  }
  return out;
}

std::string text_of(const PhasesOfBlocks& phases) {
  std::string out;
  for (const auto& [block, of_block] : phases) {
    for (const BlockPhase& p : of_block)
      out +=
          std::to_string(block) + " '" + p.name + "' " + std::to_string(p.runs) + " " + std::to_string(p.total) + "\n";
  }
  return out;
}

TEST(KeptExecutions, AreWhatWouldBeWorkedOut) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  for (int64_t trace = 1; trace <= 2; ++trace) {
    add_trace(store, static_cast<uint32_t>(trace));
    std::vector<ExecutionNote> notes, kept;
    PhasesOfBlocks phases, kept_phases;
    EXPECT_FALSE(load_kept_notes(store, trace, &kept));
    ASSERT_TRUE(load_execution_notes(store, trace, &notes).ok());
    ASSERT_TRUE(count_phases(store, trace, &phases).ok());
    EXPECT_NE(text_of(notes).find("outlier decode"), std::string::npos) << text_of(notes);
    EXPECT_NE(text_of(phases).find("'a' 100"), std::string::npos) << text_of(phases);
    ASSERT_TRUE(keep_executions(store, trace, 300).ok());
    ASSERT_TRUE(load_kept_notes(store, trace, &kept));
    ASSERT_TRUE(load_kept_phases(store, trace, &kept_phases));
    EXPECT_EQ(text_of(kept), text_of(notes));
    EXPECT_EQ(text_of(kept_phases), text_of(phases));
    // What is kept is what is shown, and again is the same.
    ASSERT_TRUE(
        store.exec(("UPDATE raw_kept_note SET text = 'kept' WHERE trace = " + std::to_string(trace)).c_str()).ok());
    ASSERT_TRUE(load_execution_notes(store, trace, &kept).ok());
    EXPECT_EQ(kept.front().text, "kept");
    ASSERT_TRUE(store.exec("UPDATE raw_kept_trace SET version = 0").ok());
    EXPECT_FALSE(load_kept_notes(store, trace, &kept));
    ASSERT_TRUE(keep_executions(store, trace, 300).ok());
    ASSERT_TRUE(load_execution_notes(store, trace, &kept).ok());
    EXPECT_EQ(text_of(kept), text_of(notes));
  }
}

TEST(KeptExecutions, FewAreNotKept) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  add_trace(store, 1);
  ASSERT_TRUE(keep_executions(store, 1, 301).ok());
  std::vector<ExecutionNote> kept;
  EXPECT_FALSE(load_kept_notes(store, 1, &kept));
}

TEST(KeptExecutions, ADamagedRowIsNotBelieved) {
  Store store;
  ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
  add_trace(store, 1);
  std::vector<ExecutionNote> kept, notes;
  ASSERT_TRUE(load_execution_notes(store, 1, &notes).ok());
  for (const char* sql : {"UPDATE raw_kept_note SET kind = 99", "UPDATE raw_kept_note_op SET note = note + 1000"}) {
    ASSERT_TRUE(keep_executions(store, 1, 1).ok());
    ASSERT_TRUE(store.exec(sql).ok());
    EXPECT_FALSE(load_kept_notes(store, 1, &kept)) << sql;
    ASSERT_TRUE(load_execution_notes(store, 1, &kept).ok());
    EXPECT_EQ(text_of(kept), text_of(notes));
  }
}

}  // namespace
}  // namespace et::inspector
