// The trailer: everything that goes in comes out, and a dump is read without it when it is damaged.
#include "etdump/trailer.h"

#include <gtest/gtest.h>

#include "etdump/reader.h"
#include "etdump_generated.h"
#include "tests/support/etdump_builder.h"
#include "trailer_generated.h"

namespace et::etdump {
namespace {

test::EtdumpBuilder dump() {
  test::EtdumpBuilder b;
  b.run("Default").profile("Method::init", -1, 0, 1, 2);
  b.run("Execute").profile("OPERATOR_CALL", 0, 0, 3, 9);
  return b;
}

test::TrailerSpec full() {
  test::TrailerSpec t;
  t.producer = "et-run 1.0";
  t.policy = "ring";
  t.host = test::TrailerSpec::Host{"pi", "Cortex-A76", "Linux 6.1", "g++ 12 -O3", "portable,optimized", 4, 2};
  t.clock = test::TrailerSpec::Clock{"tsc", 625, 12, -5};
  t.program = test::TrailerSpec::Program{std::vector<uint8_t>(32, 0xab), {}, 1234, "model.pte"};
  t.lost_events = 17;
  t.overhead_ns = 42.5;
  t.labels = {{"build", "release"}, {"device", "böard"}};
  t.runs = {{.method = "forward", .kind = "load"},
            {.method = "forward",
             .kind = "execute",
             .phase = "decode",
             .execution = 7,
             .lost_events = 3,
             .error = 0x12,
             .events = {{.event = 0,
                         .counters = {{"cycles", 100}, {"cache-misses", uint64_t{1} << 50}},
                         .output_sizes = {2, 3, 4},
                         .bytes_temp = 512,
                         .thread = 1}},
             .allocations = {{.event = -1, .allocator = "temp", .bytes = 64, .offset = 128}},
             .arenas = {{"planned:1", 4096, 2048}, {"delegate:XnnpackBackend", 0, 99}}}};
  return t;
}

TEST(Trailer, EverythingThatGoesInComesOut) {
  test::EtdumpBuilder b = dump();
  b.trailer = full();
  const auto bytes = b.bytes();
  Reader reader;
  ASSERT_TRUE(Reader::open(bytes, &reader).ok());
  ASSERT_EQ(reader.trailer_state(), TrailerState::Present);
  EXPECT_FALSE(reader.truncated());
  const Trailer& t = *reader.trailer();
  EXPECT_EQ(t.version(), 1u);
  EXPECT_EQ(t.producer(), "et-run 1.0");
  EXPECT_EQ(t.policy(), "ring");
  EXPECT_EQ(t.lost_events(), 17u);
  EXPECT_EQ(t.overhead_ns(), 42.5);
  ASSERT_TRUE(t.has_host());
  EXPECT_EQ(t.host().name, "pi");
  EXPECT_EQ(t.host().cpu, "Cortex-A76");
  EXPECT_EQ(t.host().os, "Linux 6.1");
  EXPECT_EQ(t.host().build, "g++ 12 -O3");
  EXPECT_EQ(t.host().kernels, "portable,optimized");
  EXPECT_EQ(t.host().cores, 4u);
  EXPECT_EQ(t.host().threads_used, 2u);
  ASSERT_TRUE(t.has_clock());
  EXPECT_EQ(t.clock().name, "tsc");
  EXPECT_EQ(t.clock().numerator, 625u);
  EXPECT_EQ(t.clock().denominator, 12u);
  EXPECT_EQ(t.clock().utc_at_zero_ns, -5);
  ASSERT_TRUE(t.has_program());
  EXPECT_EQ(t.program().sha256.size(), 32u);
  EXPECT_EQ(t.program().sha256[31], 0xab);
  EXPECT_TRUE(t.program().data_sha256.empty());
  EXPECT_EQ(t.program().bytes, 1234u);
  EXPECT_EQ(t.program().path, "model.pte");
  ASSERT_EQ(t.label_count(), 2u);
  EXPECT_EQ(t.label(1).key, "device");
  EXPECT_EQ(t.label(1).value, "böard");
  ASSERT_EQ(t.run_count(), 2u);
  EXPECT_EQ(t.run(0).kind, "load");
  EXPECT_EQ(t.run(0).event_count(), 0u);
  const TrailerRun run = t.run(1);
  EXPECT_EQ(run.method, "forward");
  EXPECT_EQ(run.phase, "decode");
  EXPECT_EQ(run.execution, 7u);
  EXPECT_EQ(run.lost_events, 3u);
  EXPECT_EQ(run.error, 0x12u);
  ASSERT_EQ(run.event_count(), 1u);
  const EventExt e = run.event(0);
  EXPECT_EQ(e.event, 0u);
  EXPECT_EQ(e.bytes_temp, 512u);
  EXPECT_EQ(e.thread, 1u);
  ASSERT_EQ(e.counter_count(), 2u);
  EXPECT_EQ(e.counter(1).name, "cache-misses");
  EXPECT_EQ(e.counter(1).value, uint64_t{1} << 50);
  EXPECT_EQ((std::vector<int64_t>{e.output_sizes.begin(), e.output_sizes.end()}), (std::vector<int64_t>{2, 3, 4}));
  ASSERT_EQ(run.allocation_count(), 1u);
  EXPECT_EQ(run.allocation(0).event, -1);
  EXPECT_EQ(run.allocation(0).allocator, "temp");
  EXPECT_EQ(run.allocation(0).bytes, 64u);
  EXPECT_EQ(run.allocation(0).offset, 128u);
  ASSERT_EQ(run.arena_count(), 2u);
  EXPECT_EQ(run.arena(1).name, "delegate:XnnpackBackend");
  EXPECT_EQ(run.arena(0).high_water, 2048u);
}

TEST(Trailer, AnEmptyTrailerIsATrailer) {
  test::EtdumpBuilder b = dump();
  b.trailer = test::TrailerSpec{};
  const auto bytes = b.bytes();
  Reader reader;
  ASSERT_TRUE(Reader::open(bytes, &reader).ok());
  ASSERT_NE(reader.trailer(), nullptr);
  EXPECT_FALSE(reader.trailer()->has_host());
  EXPECT_EQ(reader.trailer()->run_count(), 0u);
  EXPECT_EQ(reader.trailer()->run(0).method, "");
}

TEST(Trailer, TheDumpInFrontStaysWhatUpstreamReads) {
  test::EtdumpBuilder b = dump();
  const auto plain = b.bytes();
  b.trailer = full();
  const auto both = b.bytes();
  ASSERT_GT(both.size(), plain.size());
  EXPECT_TRUE(std::equal(plain.begin(), plain.end(), both.begin()));
}

TEST(Trailer, JunkBehindTheDumpIsReportedAndTheDumpIsRead) {
  auto bytes = dump().bytes();
  bytes.resize((bytes.size() + 15) / 16 * 16 + 40, 0x5a);
  Reader reader;
  ASSERT_TRUE(Reader::open(bytes, &reader).ok());
  EXPECT_EQ(reader.trailer_state(), TrailerState::Damaged);
  EXPECT_EQ(reader.trailer(), nullptr);
  etdump::Run run;
  Event event;
  ASSERT_TRUE(reader.run(1, &run));
  ASSERT_TRUE(run.event(0, &event));
  EXPECT_EQ(reader.lost_tables(), 0u);
}

TEST(Trailer, ACutTrailerIsDamagedAtEveryPlaceAndTheDumpIsRead) {
  test::EtdumpBuilder b = dump();
  const size_t front = (b.bytes().size() + 15) / 16 * 16;
  b.trailer = full();
  const auto bytes = b.bytes();
  for (size_t cut = front + 1; cut < bytes.size(); ++cut) {
    const std::vector<uint8_t> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut));
    Reader reader;
    ASSERT_TRUE(Reader::open(part, &reader).ok());
    EXPECT_EQ(reader.trailer_state(), TrailerState::Damaged) << cut;
    etdump::Run run;
    Event event;
    ASSERT_TRUE(reader.run(0, &run));
    EXPECT_TRUE(run.event(0, &event));
  }
}

TEST(Trailer, ADigestOfAWrongLengthIsDamage) {
  test::EtdumpBuilder b = dump();
  b.trailer = test::TrailerSpec{};
  b.trailer->program = test::TrailerSpec::Program{{1, 2, 3}, {}, 0, ""};
  const auto bytes = b.bytes();
  Reader reader;
  ASSERT_TRUE(Reader::open(bytes, &reader).ok());
  EXPECT_EQ(reader.trailer_state(), TrailerState::Damaged);
}

TEST(Trailer, TheFlatbuffersVerifierAgrees) {
  const auto bytes = full().bytes();
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  EXPECT_TRUE(ext::VerifySizePrefixedTrailerBuffer(verifier));
}

}  // namespace
}  // namespace et::etdump
