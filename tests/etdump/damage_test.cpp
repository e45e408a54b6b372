// Cut, flipped and hostile files: what is sound is read, what is not is reported, nothing crashes or takes long.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "etdump/reader.h"
#include "tests/etdump/corpus.h"
#include "tests/etdump/visit.h"
#include "tests/support/etdump_builder.h"

namespace et::etdump {
namespace {

using test::EtdumpBuilder;
using test::TensorSpec;
using test::ValueSpec;
using test::Visit;
using test::visit_all;

EtdumpBuilder sample() {
  EtdumpBuilder b;
  b.run("Default").profile("Method::init", -1, 0, 10, 20);
  auto& run = b.run("Execute");
  run.allocators = {"temp"};
  for (int i = 0; i < 4; ++i) run.profile("native_call_add.out", 0, i, 100 * i, 100 * i + 50);
  run.delegate("Conv #1", 5, 1000, 1100, {1, 2, 3});
  run.debug(ValueSpec::of_tensor({6, {2, 3}, {3, 1}, 0}), 1);
  run.debug(ValueSpec::of_list({{6, {2}, {1}, 0}, {4, {1}, {1}, 8}}), 2);
  run.allocation(1, 64);
  return b;
}

TEST(Damage, OneBrokenEventDoesNotTakeTheOthersAway) {
  EtdumpBuilder b = sample();
  b.runs[1].events.insert(b.runs[1].events.begin() + 2, test::EventSpec{.kind = test::EventSpec::Nothing});
  test::EventSpec wrong;
  wrong.kind = test::EventSpec::Debug;
  wrong.value.kind = 42;
  b.runs[1].events.push_back(wrong);
  wrong.value.kind = 5;  // says Tensor, holds none
  b.runs[1].events.push_back(wrong);
  const auto bytes = b.bytes();
  const Visit v = visit_all(bytes);
  EXPECT_EQ(v.events, 9u);
  EXPECT_EQ(v.lost_events, 3u);

  Reader reader;
  ASSERT_TRUE(Reader::open(bytes, &reader).ok());
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t r = 0; r < reader.run_count(); ++r) {
      etdump::Run run;
      ASSERT_TRUE(reader.run(r, &run));
      Event event;
      for (size_t i = 0; i < run.event_count(); ++i) (void)run.event(i, &event);
    }
  }
  EXPECT_EQ(reader.lost_tables(), 3u) << "a second pass must not count losses again";
  ASSERT_EQ(reader.losses().size(), 3u);
  EXPECT_EQ(reader.losses()[0].run, 1u);
  EXPECT_EQ(reader.losses()[0].event, 2);
  EXPECT_STREQ(reader.losses()[1].field, "Value.val");
  EXPECT_GT(reader.losses()[1].offset, 0u);
}

TEST(Damage, MoreLossesThanAreKeptAreStillCounted) {
  EtdumpBuilder b;
  auto& run = b.run("Execute");
  for (int i = 0; i < 100; ++i) run.events.push_back({.kind = test::EventSpec::Nothing});
  Reader reader;
  const auto bytes = b.bytes();
  ASSERT_TRUE(Reader::open(bytes, &reader).ok());
  etdump::Run r;
  ASSERT_TRUE(reader.run(0, &r));
  Event event;
  for (size_t i = 0; i < r.event_count(); ++i) EXPECT_FALSE(r.event(i, &event));
  EXPECT_EQ(reader.lost_tables(), 100u);
  EXPECT_EQ(reader.losses().size(), Reader::kKeptLosses);
}

TEST(Damage, AFileCutAnywhereGivesItsSoundEventsAndSaysThatItIsCut) {
  const auto bytes = sample().bytes();
  const uint64_t all = visit_all(bytes).events;
  uint64_t best = 0;
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    const std::vector<uint8_t> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut));
    const Visit v = visit_all(part);
    EXPECT_LE(v.events, all);
    best = std::max(best, v.events);
    Reader reader;
    if (Reader::open(part, &reader).ok()) {
      EXPECT_TRUE(reader.truncated()) << cut;
    }
  }
  EXPECT_GT(best, 0u);
}

TEST(Damage, WhatRemainsOfACutFileIsUnchanged) {
  // Upstream's files hold the latest events first: a cut takes the earliest.
  for (const auto& path : test::dump_files()) {
    const auto bytes = test::file_bytes(path);
    Reader whole;
    ASSERT_TRUE(Reader::open(bytes, &whole).ok()) << path;
    for (size_t cut = 12; cut < bytes.size(); cut += 1 + bytes.size() / 50) {
      const std::vector<uint8_t> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut));
      Reader reader;
      if (!Reader::open(part, &reader).ok()) continue;
      ASSERT_LE(reader.run_count(), whole.run_count());
      for (size_t r = 0; r < reader.run_count(); ++r) {
        etdump::Run a;
        etdump::Run b;
        if (!reader.run(r, &a)) continue;
        ASSERT_TRUE(whole.run(r, &b));
        for (size_t i = 0; i < a.event_count(); ++i) {
          Event x;
          Event y;
          if (!a.event(i, &x)) continue;
          ASSERT_TRUE(b.event(i, &y));
          ASSERT_EQ(test::touch(x), test::touch(y)) << path << " cut to " << cut;
        }
      }
    }
  }
}

TEST(Damage, EveryCutAndEveryFlippedBitOfSmallFilesIsSurvived) {
  std::vector<std::vector<uint8_t>> files{sample().bytes()};
  {
    EtdumpBuilder b = sample();
    b.size_prefixed = false;
    files.push_back(b.bytes());
    b.size_prefixed = true;
    b.trailer = test::TrailerSpec{};
    b.trailer->lost_events = 1;
    b.trailer->runs = {{.method = "forward", .events = {{.event = 1, .counters = {{"cycles", 3}}}}}};
    files.push_back(b.bytes());
  }
  for (const auto& path : test::dump_files()) {
    if (std::filesystem::file_size(path) <= 2048) files.push_back(test::file_bytes(path));
  }
  const std::vector<uint8_t> debug(256, 1);
  for (const auto& bytes : files) {
    for (size_t cut = 0; cut <= bytes.size(); ++cut) {
      // A copy of exactly this size, so that a read behind its end is seen by the sanitizer.
      const std::vector<uint8_t> part(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut));
      (void)visit_all(part, debug);
    }
    auto copy = bytes;
    for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      copy[bit / 8] = static_cast<uint8_t>(copy[bit / 8] ^ (1u << bit % 8));
      (void)visit_all(copy, debug);
      copy[bit / 8] = bytes[bit / 8];
    }
  }
}

TEST(Damage, SampledCutsAndFlipsOfAllRealFilesAreSurvived) {
  std::mt19937 random(7);
  const std::vector<uint8_t> debug(4096, 0x3f);
  for (const auto& path : test::dump_files()) {
    const auto bytes = test::file_bytes(path);
    const size_t rounds = bytes.size() < 16384 ? 200 : 30;
    for (size_t i = 0; i < rounds; ++i) {
      const size_t cut = random() % bytes.size();
      (void)visit_all(std::vector<uint8_t>(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut)), debug);
      auto copy = bytes;
      for (size_t k = 0; k < 1 + i % 8; ++k) {
        const size_t bit = random() % (8 * bytes.size());
        copy[bit / 8] = static_cast<uint8_t>(copy[bit / 8] ^ (1u << bit % 8));
      }
      (void)visit_all(copy, debug);
    }
  }
}

TEST(Damage, AFlippedBitInAnEventCostsAtMostThatEventOrAFewThatShareItsVtable) {
  // Bits of a string's text or of a time cannot be told from right ones; what must hold is that a bad string length
  // loses one event.
  const auto bytes = sample().bytes();
  const std::string name = "native_call_add.out";
  auto copy = bytes;
  const auto at = std::search(copy.begin(), copy.end(), name.begin(), name.end());
  ASSERT_NE(at, copy.end());
  *(at - 2) = 0x7f;
  const Visit v = visit_all(copy);
  EXPECT_EQ(v.lost_events, 1u);
  EXPECT_EQ(v.events, visit_all(bytes).events - 1);
}

TEST(Damage, TheDumpThatUpstreamsWriterBreaksIsReadWithItsLosses) {
  // float16 and bfloat16 values leave upstream's tables open: runs are missing and events are null.
  bool found = false;
  for (const auto& path : test::dump_files()) {
    if (path.parent_path().filename() != "dtypes" || path.filename() != "debug.etdp") continue;
    found = true;
    const auto bytes = test::file_bytes(path);
    Reader reader;
    ASSERT_TRUE(Reader::open(bytes, &reader).ok());
    EXPECT_EQ(reader.run_count(), 3u);
    (void)visit_all(bytes);
    etdump::Run run;
    for (size_t r = 0; r < reader.run_count(); ++r) {
      if (!reader.run(r, &run)) continue;
      Event event;
      for (size_t i = 0; i < run.event_count(); ++i) (void)run.event(i, &event);
    }
    EXPECT_GT(reader.lost_tables(), 0u);
  }
  if (!found) GTEST_SKIP() << "case dtypes is not there";
}

// A hand-made file of many runs that all point to the same events.
std::vector<uint8_t> shared_events(uint32_t runs, uint32_t events) {
  std::vector<uint8_t> f;
  auto u16 = [&](unsigned v) {
    f.push_back(static_cast<uint8_t>(v));
    f.push_back(static_cast<uint8_t>(v >> 8));
  };
  auto u32 = [&](size_t v) {
    u16(static_cast<unsigned>(v & 0xffff));
    u16(static_cast<unsigned>(v >> 16));
  };
  u32(0);
  u32(0x1c - 4);
  for (const char c : {'E', 'D', '0', '0'}) f.push_back(static_cast<uint8_t>(c));
  // 0x0c: vtable of ETDump (run_data at 4); 0x14: spare
  for (const unsigned v : {8u, 8u, 0u, 4u, 0u, 0u, 0u, 0u}) u16(v);
  u32(0x10);  // 0x1c: the root
  u32(4);
  u32(runs);
  const size_t run_table = f.size() + 4 * runs + 12;
  for (uint32_t r = 0; r < runs; ++r) u32(run_table - f.size());
  for (const unsigned v : {12u, 8u, 0u, 0u, 0u, 4u}) u16(v);  // RunData: events at 4
  u32(12);
  u32(4);
  u32(events);
  const size_t event_table = f.size() + 4 * events + 8;
  for (uint32_t i = 0; i < events; ++i) u32(event_table - f.size());
  for (const unsigned v : {8u, 8u, 0u, 4u}) u16(v);  // Event: allocation_event at 4
  u32(8);
  u32(4 + 4);
  for (const unsigned v : {4u, 4u}) u16(v);  // an empty table
  u32(4);
  const size_t n = f.size() - 4;
  for (unsigned i = 0; i < 4; ++i) f[i] = static_cast<uint8_t>(n >> (8 * i));
  return f;
}

TEST(Damage, SharedTablesCannotMakeAReaderWorkLongerThanTheFileIsLarge) {
  const Visit once = visit_all(shared_events(1, 1000));
  EXPECT_EQ(once.events, 1000u);
  const auto bytes = shared_events(50'000, 50'000);  // 2.5 thousand million visits if believed
  const auto begin = std::chrono::steady_clock::now();
  Reader reader;
  ASSERT_TRUE(Reader::open(bytes, &reader).ok());
  uint64_t visited = 0;
  for (size_t r = 0; r < reader.run_count(); ++r) {
    etdump::Run run;
    ASSERT_TRUE(reader.run(r, &run));
    Event event;
    for (size_t i = 0; i < run.event_count(); ++i) visited += run.event(i, &event);
  }
  EXPECT_LE(visited, bytes.size() / 4);
  EXPECT_EQ(visited + reader.lost_tables(), 50'000ull * 50'000ull);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(Damage, AVectorCountThatLiesIsCutToTheFile) {
  auto bytes = shared_events(1, 10);
  const size_t count_at = 0x24 + 4 + 4 + 12 + 8;
  ASSERT_EQ(bytes[count_at], 10);
  for (int i = 0; i < 4; ++i) bytes[count_at + i] = 0xff;
  const Visit v = visit_all(bytes);
  EXPECT_EQ(v.events, 10u);
  EXPECT_LT(v.lost_events, 10u);
}

TEST(Damage, ManyDimensionsAreNotBelieved) {
  EtdumpBuilder b;
  b.run("Execute").debug(ValueSpec::of_tensor({6, std::vector<int64_t>(65, 1), std::vector<int64_t>(65, 1), 0}), 0);
  const Visit v = visit_all(b.bytes());
  EXPECT_EQ(v.lost_events, 1u);
}

}  // namespace
}  // namespace et::etdump
