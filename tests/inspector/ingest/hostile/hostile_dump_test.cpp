// Dumps that were made to do harm: values that name the same bytes again and again, sizes that overflow, names that are
// no text, times at the limits.
#include <chrono>
#include <limits>

#include "tests/inspector/ingest/hostile/hostile.h"
#include "tests/support/etdump_builder.h"

namespace et::inspector::test {
namespace {

using et::test::EtdumpBuilder;
using et::test::EventSpec;
using et::test::TensorSpec;
using et::test::ValueSpec;

struct Outcome {
  Store store;
  IngestResult result;
  std::string problems;
  double seconds = 0;
};

Outcome import_dump(const EtdumpBuilder& dump, size_t buffer = 0) {
  Scratch tmp;
  Outcome out;
  write_file(tmp / "d.etdp", dump.bytes());
  IngestInputs in;
  in.dump = tmp / "d.etdp";
  if (buffer > 0) {
    in.debug_buffer = tmp / "d.bin";
    write_file(in.debug_buffer, Bytes(buffer, 0x3e));
  }
  EXPECT_TRUE(Store::open("", Store::Mode::Memory, &out.store).ok());
  const auto begin = std::chrono::steady_clock::now();
  const Status status = import_checked(out.store, in, &out.result);
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(integrity(out.store), "ok");
  out.problems = problems(out.store, out.result.trace_id);
  return out;
}

int64_t number(const Store& store, const std::string& sql) {
  Statement st = store.query(sql);
  return st.step() ? st.integer(0) : -1;
}

TEST(HostileDump, AThousandValuesOfTheSameBytesAreReadABoundedNumberOfTimes) {
  EtdumpBuilder b;
  auto& run = b.run("Execute");
  constexpr int64_t kElements = 4 << 20;  // 16 MiB
  for (int i = 0; i < 2000; ++i) run.debug(ValueSpec::of_tensor({6, {kElements}, {1}, 0}), i);
  const long before = peak_mib();
  const Outcome out = import_dump(b, 4 * kElements);  // 32 GB if believed
  EXPECT_NE(out.problems.find("debug-values-not-read"), std::string::npos) << out.problems;
  EXPECT_NE(out.problems.find("debug-values-not-kept"), std::string::npos) << out.problems;
  EXPECT_TRUE(out.result.data_loss);
  EXPECT_EQ(number(out.store, "SELECT count(*) FROM raw_value"), 2000) << "each stays listed";
  EXPECT_LT(out.seconds, 15);
  EXPECT_LT(peak_mib() - before, 500);
}

TEST(HostileDump, SizesThatOverflowAreUnreadableValues) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  EtdumpBuilder b;
  auto& run = b.run("Execute");
  int i = 0;
  for (const TensorSpec& t : std::vector<TensorSpec>{{6, {kMax, 2}, {2, 1}, 0},
                                                     {6, {int64_t{1} << 32, int64_t{1} << 32}, {1, 1}, 0},
                                                     {6, {4}, {kMax}, 0},
                                                     {6, {4}, {1}, kMax},
                                                     {6, {4}, {1}, -7},
                                                     {6, {-4}, {1}, 0},
                                                     {99, {4}, {1}, 0},
                                                     {6, {4, 4}, {1}, 0}}) {
    run.debug(ValueSpec::of_tensor(t), i++);
  }
  const Outcome out = import_dump(b, 64);
  EXPECT_NE(out.problems.find("debug-value-unreadable"), std::string::npos) << out.problems;
  EXPECT_EQ(number(out.store, "SELECT count(*) FROM raw_value WHERE data IS NOT NULL"), 0);
  EXPECT_EQ(number(out.store, "SELECT count(*) FROM raw_value WHERE problem IS NOT NULL"), 8);
}

TEST(HostileDump, NamesThatAreNoTextBecomeUtf8Everywhere) {
  const std::string bad = std::string("bad\xff\xc3(\0\x1b]0;pwned\x07", 17);
  EtdumpBuilder b;
  auto& run = b.run(bad);
  run.allocators = {bad};
  run.profile(bad, 0, 0, 10, 20).delegate(bad, 1, 20, 30, {0xff, 0xfe, 0x00}).allocation(1, 5);
  b.trailer = et::test::TrailerSpec{};
  b.trailer->producer = b.trailer->policy = bad;
  b.trailer->labels = {{bad, bad}};
  b.trailer->host = et::test::TrailerSpec::Host{.name = bad, .cpu = bad, .os = bad, .build = bad};
  b.trailer->runs = {{.method = bad,
                      .kind = bad,
                      .phase = bad,
                      .events = {{.event = 0, .counters = {{bad, 1}}}},
                      .arenas = {{.name = bad}}}};
  const Outcome out = import_dump(b);  // import_checked() looks at every text of the store
  EXPECT_EQ(number(out.store, "SELECT count(*) FROM ops"), 2);
  EXPECT_EQ(number(out.store, "SELECT count(*) FROM ops WHERE name LIKE 'bad\xEF\xBF\xBD%'"), 2);
  EXPECT_EQ(number(out.store, "SELECT count(*) FROM labels"), 1);
}

TEST(HostileDump, TimesAtTheLimitsAreClampedAndSaid) {
  constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
  EtdumpBuilder b;
  auto& run = b.run("Execute");
  for (int i = 0; i < 4; ++i) run.profile("native_call_add.out", 0, i, 0, kMax);
  run.profile("OPERATOR_CALL", 0, 3, kMax, 0).profile("Method::execute", -1, 0, 0, kMax);
  const Outcome out = import_dump(b);
  EXPECT_NE(out.problems.find("time-out-of-range"), std::string::npos) << out.problems;
  EXPECT_EQ(number(out.store, "SELECT count(*) FROM ops WHERE sum_ns < 0"), 0);
}

TEST(HostileDump, IdsAtTheLimitsLeadNowhere) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min(), kMax = std::numeric_limits<int32_t>::max();
  EtdumpBuilder b;
  auto& run = b.run("Execute");
  for (const int32_t id : {kMin, -2, -1, kMax}) {
    run.profile("native_call_add.out", id, id, 1, 2).delegate(id, id, 1, 2).delegate("Convolution (NHWC) #1", id, 1, 2);
    run.debug(ValueSpec::of_int(1), id, id).allocation(id, 1);
  }
  Scratch tmp;
  write_file(tmp / "d.etdp", b.bytes());
  for (const char* name : {"add_mul", "partial_delegation", "lstm_xnnpack", "multi_method"}) {
    IngestInputs in;
    in.dump = tmp / "d.etdp";
    in.record = fixture(name, "etrecord.bin");
    in.program = fixture(name, "program.pte");
    Store store;
    ASSERT_TRUE(Store::open("", Store::Mode::Memory, &store).ok());
    IngestResult result;
    EXPECT_TRUE(import_checked(store, in, &result).ok());
  }
}

TEST(HostileDump, ManyBlocksOfOneEventStayFast) {
  EtdumpBuilder b;
  for (int i = 0; i < 20'000; ++i) b.run("r" + std::to_string(i)).profile("e" + std::to_string(i), 0, i, 1, 2);
  const Outcome out = import_dump(b);
  EXPECT_EQ(number(out.store, "SELECT count(*) FROM raw_block"), 20'000);
  EXPECT_LT(out.seconds, 15);
}

TEST(HostileDump, OneRunOfManyDifferentEventsStaysFast) {
  EtdumpBuilder b;
  auto& run = b.run("Execute");
  for (int i = 0; i < 50'000; ++i) run.profile("e" + std::to_string(i), 0, i % 7, 1, 2);
  const Outcome out = import_dump(b);
  EXPECT_EQ(number(out.store, "SELECT count(*) FROM raw_op"), 50'000);
  EXPECT_LT(out.seconds, 15);
}

}  // namespace
}  // namespace et::inspector::test
