// Memory that is used up: the chosen end of the trace is kept, whole, and every loss is counted.
#include <gtest/gtest.h>

#include "tests/etdump/gen_support.h"

namespace et::etdump {
namespace {

using test::Dump;
using test::FakeClock;
using test::take;

// `runs` blocks of `events` each; event i of all has name "e<i % 7>", handle i and start i.
void fill(ETDumpGen& gen, uint32_t runs, uint32_t events) {
  uint32_t n = 0;
  for (uint32_t r = 0; r < runs; ++r) {
    gen.create_event_block("Execute");
    gen.begin_run({"forward", "execute", r});
    for (uint32_t e = 0; e < events; ++e, ++n) {
      const std::string name = "e" + std::to_string(n % 7);
      gen.log_profiling(name.c_str(), 0, n, n, n + 1);
      gen.log_event_note({.outputs = {}, .temp_bytes = n + 1});
    }
  }
}

// Kept events are consecutive, sound, in the right run with the right note, and losses add up.
void check(const Dump& d, uint32_t runs, uint32_t events, bool newest, uint64_t* kept) {
  const Trailer& t = d.trailer();
  *kept = 0;
  int64_t last = -1;
  for (size_t r = 0; r < d.events.size(); ++r) {
    const TrailerRun run = t.run(r);
    EXPECT_EQ(run.method, "forward");
    for (const Event& e : d.events[r]) {
      if (last >= 0) {
        EXPECT_EQ(e.instruction_id, last + 1);
      }
      last = e.instruction_id;
      EXPECT_EQ(e.start, static_cast<uint64_t>(last));
      if (e.name != "?" || d.label("et.lost_names").empty()) {
        EXPECT_EQ(e.name, "e" + std::to_string(last % 7));
      }
      EXPECT_EQ(static_cast<uint64_t>(last) / events, run.execution);
      if (!newest && *kept == 0) {
        EXPECT_EQ(last, 0);
      }
      ++*kept;
    }
    // The last note of a trace that stopped may be missing.
    EXPECT_LE(run.event_count(), d.events[r].size());
    EXPECT_GE(run.event_count() + 1, d.events[r].size());
    for (size_t i = 0; i < run.event_count(); ++i) {
      EXPECT_EQ(run.event(i).bytes_temp, d.events[r][run.event(i).event].start + 1);
    }
    EXPECT_EQ(run.lost_events + d.events[r].size(), events) << "run " << r;
  }
  if (newest && *kept != 0) {
    EXPECT_EQ(last, static_cast<int64_t>(runs) * events - 1);
  }
  EXPECT_EQ(t.lost_events() + *kept, uint64_t{runs} * events);
  EXPECT_EQ(t.policy(), newest ? "ring" : "stop");
  const std::string lost_runs = d.label("et.lost_runs");
  EXPECT_EQ(d.events.size() + (lost_runs.empty() ? 0 : std::stoul(lost_runs)), runs);
}

TEST(EtdumpGenFull, EveryBufferSizeKeepsAWholeTrace) {
  FakeClock clock;
  for (const FullPolicy policy : {FullPolicy::Stop, FullPolicy::Ring}) {
    uint64_t most = 0;
    for (size_t size = 1024; size < 70000; size += size / 9 + 13) {
      std::vector<uint8_t> buffer(size + 64, 0xee);
      ETDumpGen gen({buffer.data() + size % 16, size});
      gen.set_full_policy(policy);
      fill(gen, 5, 40);
      const Dump d(take(gen));
      SCOPED_TRACE(size);
      uint64_t kept = 0;
      check(d, 5, 40, policy == FullPolicy::Ring, &kept);
      EXPECT_EQ(gen.get_num_blocks(), d.events.size());
      EXPECT_EQ(d.bytes, take(gen));
      for (size_t i = size + size % 16; i < buffer.size(); ++i) EXPECT_EQ(buffer[i], 0xee);
      if (size > 3000) {
        EXPECT_EQ(gen.losses().names, 0u);
      }
      most = std::max(most, kept);
    }
    EXPECT_EQ(most, 200u);  // the largest holds all
  }
}

TEST(EtdumpGenFull, OnTheHeapTheLimitIsKept) {
  FakeClock clock;
  for (const FullPolicy policy : {FullPolicy::Stop, FullPolicy::Ring}) {
    for (const size_t limit : {size_t{4096}, size_t{20000}, size_t{300000}, size_t{4} << 20}) {
      ETDumpGen gen;
      gen.set_full_policy(policy);
      gen.set_max_bytes(limit);
      fill(gen, 20, 500);
      SCOPED_TRACE(limit);
      uint64_t kept = 0;
      check(Dump(take(gen)), 20, 500, policy == FullPolicy::Ring, &kept);
      EXPECT_LT(kept * 40, limit);
      EXPECT_GT(kept * 100, std::min(limit, size_t{9000 * 100}));
    }
  }
}

TEST(EtdumpGenFull, MillionsOfEventsInARing) {
  std::vector<uint8_t> buffer(32 << 10);
  ETDumpGen gen({buffer.data(), buffer.size()});
  gen.set_full_policy(FullPolicy::Ring);
  gen.create_event_block("Execute");
  gen.begin_run({"forward", "execute", 0});
  for (uint32_t i = 0; i < 300000; ++i) gen.end_profiling(gen.start_profiling("x", 0, i));
  gen.end_run(Error::Internal);
  const Dump d(take(gen));
  ASSERT_EQ(d.events.size(), 1u);
  EXPECT_EQ(d.names[0], "Execute");
  EXPECT_GT(d.events[0].size(), 200u);
  EXPECT_EQ(d.events[0].back().instruction_id, 299999);
  EXPECT_EQ(d.trailer().run(0).lost_events, 300000 - d.events[0].size());
  EXPECT_EQ(d.trailer().run(0).error, static_cast<uint32_t>(Error::Internal));
  EXPECT_EQ(d.trailer().lost_events(), d.trailer().run(0).lost_events);
}

TEST(EtdumpGenFull, RecordsOfAllLengthsInARing) {
  std::vector<uint8_t> buffer(16 << 10);
  std::vector<uint8_t> values(1 << 20);
  ETDumpGen gen({buffer.data(), buffer.size()});
  gen.set_full_policy(FullPolicy::Ring);
  ASSERT_TRUE(gen.set_debug_buffer({values.data(), values.size()}).ok());
  const auto t = test::OwnTensor::of<int32_t>(ScalarType::Int, {1, 2, 1}, {7, 8});
  const std::vector<uint8_t> metadata(9000, 0x5a);
  for (uint32_t i = 0; i < 3000; ++i) {
    if (i % 97 == 0) gen.create_event_block("Execute");
    gen.set_chain_debug_handle(0, i);
    const size_t length = i % 1000 == 500 ? metadata.size() : i * 37 % 301;  // some are longer than the ring
    gen.log_profiling_delegate("d", -1, i, i, metadata.data(), length);
    ASSERT_TRUE(gen.log_evalue(t.value()).ok());
    ASSERT_TRUE(gen.log_evalue(EValue(int64_t{i})).ok());
    if (i % 5 == 0) gen.log_event_note({.outputs = {}, .temp_bytes = i});
    if (i % 50 == 0) {
      const Dump d([&gen] {
        const ETDumpResult r = gen.get_etdump_data();
        const uint8_t* p = static_cast<const uint8_t*>(r.buf);
        return std::vector<uint8_t>(p, p + r.size);
      }());
      ASSERT_FALSE(d.events.empty());
      EXPECT_EQ(d.events.back().back().value.as_int(), i);
      gen.create_event_block("Execute");
    }
  }
}

TEST(EtdumpGenFull, TooLittleMemoryForAnythingIsNoDumpAndNoHarm) {
  FakeClock clock;
  std::vector<uint8_t> buffer(4096);
  for (size_t size = 0; size < 1200; size += 7) {
    ETDumpGen gen({buffer.data() + size % 5, size});
    EXPECT_TRUE(gen.is_static_etdump());
    fill(gen, 2, 3);
    const ETDumpResult r = gen.get_etdump_data();
    if (r.buf == nullptr) {
      EXPECT_EQ(r.size, 0u);
      continue;
    }
    const uint8_t* p = static_cast<const uint8_t*>(r.buf);
    Dump d({p, p + r.size});
    EXPECT_GE(d.events.size(), 1u);
  }
}

TEST(EtdumpGenFull, APlatformWithoutHeapLosesEventsOnly) {
  FakeClock clock;
  Platform p = platform();
  p.allocate = +[](size_t) -> void* { return nullptr; };
  p.free = +[](void*) {};
  set_platform(p);
  for (const FullPolicy policy : {FullPolicy::Stop, FullPolicy::Ring}) {
    ETDumpGen gen;
    gen.set_full_policy(policy);
    fill(gen, 2, 10);
    gen.log_arena({"a", 1, 1});
    EXPECT_EQ(gen.losses().events, 20u);
    EXPECT_EQ(gen.losses().runs, 2u);
    EXPECT_EQ(gen.get_num_blocks(), 0u);
    EXPECT_EQ(gen.get_etdump_data().buf, nullptr);
  }
}

TEST(EtdumpGenFull, NamesBeyondTheirMemoryAreCalledUnknown) {
  std::vector<uint8_t> buffer(8192);
  ETDumpGen gen({buffer.data(), buffer.size()});
  gen.create_event_block("Execute");
  for (int i = 0; i < 60; ++i) gen.end_profiling(gen.start_profiling(("name of event " + std::to_string(i)).c_str()));
  {
    const Dump d(take(gen));
    ASSERT_EQ(d.events[0].size(), 60u);
    EXPECT_EQ(d.events[0][0].name, "name of event 0");
    EXPECT_EQ(d.events[0][59].name, "?");
    EXPECT_GT(gen.losses().names, 0u);
    EXPECT_EQ(d.label("et.lost_names"), std::to_string(gen.losses().names));
  }
  // The next dump has room again, and entries begun before are not mistaken for other names.
  const auto old = gen.start_profiling("name of event 3");
  gen.create_event_block("Execute");
  gen.end_profiling(gen.start_profiling("name of event 59"));
  gen.end_profiling(old);
  const Dump d(take(gen));
  ASSERT_EQ(d.events[0].size(), 1u);
  EXPECT_EQ(d.events[0][0].name, "name of event 59");
}

}  // namespace
}  // namespace et::etdump
