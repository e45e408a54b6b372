// The synthetic big traces are sound flatbuffers of the promised shape.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/mapped_file.h"
#include "etdump/reader.h"
#include "etdump_generated.h"
#include "tests/etdump/corpus.h"
#include "tests/support/etdump_builder.h"

namespace et::etdump {
namespace {

class TemporaryFile {
 public:
  explicit TemporaryFile(const char* name)
      : path_(std::filesystem::temp_directory_path() / (std::to_string(getpid()) + name)) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(BigTrace, TheFlatbuffersVerifierTakesEveryShape) {
  for (const bool prefixed : {true, false}) {
    for (const unsigned delegates : {0u, 1u, 3u}) {
      TemporaryFile file("_shape.etdp");
      test::BigTrace shape;
      shape.executions = 50;
      shape.operators = 3 + delegates;
      shape.delegates = delegates;
      shape.size_prefixed = prefixed;
      make_big_trace(file.path(), shape);
      const auto bytes = test::file_bytes(file.path());
      flatbuffers::Verifier verifier(bytes.data(), bytes.size());
      EXPECT_TRUE(prefixed ? fb::VerifySizePrefixedETDumpBuffer(verifier) : fb::VerifyETDumpBuffer(verifier));
      Reader reader;
      ASSERT_TRUE(Reader::open(bytes, &reader).ok());
      uint64_t events = 0;
      for (size_t r = 0; r < reader.run_count(); ++r) {
        etdump::Run run;
        ASSERT_TRUE(reader.run(r, &run));
        events += run.event_count();
      }
      EXPECT_EQ(events, shape.events());
    }
  }
}

TEST(BigTrace, EventsNestAndSumUpAsInARealTrace) {
  TemporaryFile file("_nest.etdp");
  test::BigTrace shape;
  shape.executions = 3;
  shape.trailer = true;
  make_big_trace(file.path(), shape);
  const auto bytes = test::file_bytes(file.path());
  Reader reader;
  ASSERT_TRUE(Reader::open(bytes, &reader).ok());
  ASSERT_NE(reader.trailer(), nullptr);
  EXPECT_EQ(reader.trailer()->run_count(), 4u);
  EXPECT_EQ(reader.trailer()->run(3).execution, 2u);
  for (size_t r = 1; r < reader.run_count(); ++r) {
    etdump::Run run;
    ASSERT_TRUE(reader.run(r, &run));
    ASSERT_EQ(run.event_count(), 25u);
    Event whole;
    ASSERT_TRUE(run.event(24, &whole));
    EXPECT_EQ(whole.name, "Method::execute");
    std::vector<Event> inner;
    uint64_t sum = 0;
    for (size_t i = 0; i < 24; ++i) {
      Event e;
      ASSERT_TRUE(run.event(i, &e));
      EXPECT_LE(whole.start, e.start);
      EXPECT_GE(whole.end, e.end);
      if (e.name == "OPERATOR_CALL" || e.name == "DELEGATE_CALL") {
        for (const Event& child : inner) {
          EXPECT_LE(e.start, child.start);
          EXPECT_GE(e.end, child.end);
          EXPECT_EQ(e.instruction_id, child.instruction_id);
        }
        inner.clear();
        sum += e.end - e.start;
      } else {
        inner.push_back(e);
      }
    }
    EXPECT_LE(sum, whole.end - whole.start);
  }
}

TEST(BigTrace, HalfAMillionEventsAreReadWhole) {
  TemporaryFile file("_big.etdp");
  test::make_big_trace(file.path(), uint64_t{20'000});
  MappedFile mapped;
  ASSERT_TRUE(MappedFile::open(file.path(), &mapped).ok());
  Reader reader;
  ASSERT_TRUE(Reader::open(mapped.bytes(), &reader).ok());
  uint64_t ticks = 0, events = 0;
  for (size_t r = 0; r < reader.run_count(); ++r) {
    etdump::Run run;
    ASSERT_TRUE(reader.run(r, &run));
    for (size_t i = 0; i < run.event_count(); ++i) {
      Event e;
      if (!run.event(i, &e)) continue;
      ++events;
      ticks += e.end - e.start;
    }
  }
  EXPECT_GT(ticks, 0u);
  EXPECT_EQ(reader.lost_tables(), 0u);
  EXPECT_EQ(events, 500'002u);
}

}  // namespace
}  // namespace et::etdump
