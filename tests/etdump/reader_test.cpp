// What a user sees in a sound ETDump: every kind of event, value and identity field.
#include "etdump/reader.h"

#include <gtest/gtest.h>

#include "tests/support/etdump_builder.h"

namespace et::etdump {
namespace {

using test::EtdumpBuilder;
using test::RunSpec;
using test::TensorSpec;
using test::ValueSpec;

std::vector<int64_t> list(const Int64View& v) { return {v.begin(), v.end()}; }

// Opens `bytes`, reads run `r` and all its events; fails the test on any loss.
std::vector<Event> events_of(const std::vector<uint8_t>& bytes, size_t r, Reader* reader) {
  std::vector<Event> out;
  EXPECT_TRUE(Reader::open(bytes, reader).ok());
  etdump::Run run;
  EXPECT_TRUE(reader->run(r, &run));
  for (size_t i = 0; i < run.event_count(); ++i) {
    Event e;
    EXPECT_TRUE(run.event(i, &e));
    EXPECT_EQ(e.index, i);
    out.push_back(e);
  }
  EXPECT_EQ(reader->lost_tables(), 0u);
  return out;
}

class Containers : public testing::TestWithParam<bool> {};

TEST_P(Containers, RunsAndProfileEventsAreRead) {
  EtdumpBuilder b;
  b.size_prefixed = GetParam();
  b.run("Default").profile("Method::init", -1, 0, 10, 20).profile("Program::load_method", -1, 0, 5, 25);
  b.run("Execute", 3).profile("native_call_add.out", 0, 7, 100, 140).profile("Method::execute", -1, 0, 90, 150);
  const auto bytes = b.bytes();
  Reader reader;
  const auto events = events_of(bytes, 1, &reader);
  EXPECT_EQ(reader.size_prefixed(), GetParam());
  EXPECT_EQ(reader.run_count(), 2u);
  EXPECT_FALSE(reader.truncated());
  EXPECT_EQ(reader.trailer_state(), TrailerState::Absent);
  etdump::Run run;
  ASSERT_TRUE(reader.run(0, &run));
  EXPECT_EQ(run.name(), "Default");
  EXPECT_EQ(run.bundled_input_index(), -1);
  ASSERT_TRUE(reader.run(1, &run));
  EXPECT_EQ(run.name(), "Execute");
  EXPECT_EQ(run.bundled_input_index(), 3);
  EXPECT_EQ(run.index(), 1u);

  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].kind, EventKind::Profile);
  EXPECT_EQ(events[0].name, "native_call_add.out");
  EXPECT_EQ(events[0].instruction_id, 7);
  EXPECT_EQ(events[0].chain_index, 0);
  EXPECT_EQ(events[0].start, 100u);
  EXPECT_EQ(events[0].end, 140u);
  EXPECT_FALSE(events[0].is_delegated());
  EXPECT_FALSE(events[0].has_metadata);
  EXPECT_EQ(events[1].chain_index, -1) << "framework events must be told from instruction 0";
  EXPECT_EQ(events[1].instruction_id, 0);
}

INSTANTIATE_TEST_SUITE_P(Prefix, Containers, testing::Bool(),
                         [](const auto& row) { return row.param ? "SizePrefixed" : "Plain"; });

TEST(Reader, DelegateIdentityAndMetadataAreKept) {
  EtdumpBuilder b;
  b.run("Execute").delegate("Conv #1", 4, 1, 2).delegate(0, 4, 2, 3, {1, 2, 0xff}).profile("x", 0, 0, 0, 0);
  const auto bytes = b.bytes();
  Reader reader;
  const auto e = events_of(bytes, 0, &reader);
  EXPECT_TRUE(e[0].is_delegated());
  EXPECT_EQ(e[0].delegate_id_str, "Conv #1");
  EXPECT_FALSE(e[0].has_name);
  EXPECT_TRUE(e[0].has_metadata) << "empty metadata is not missing metadata";
  EXPECT_TRUE(e[0].metadata.empty());
  EXPECT_TRUE(e[1].is_delegated()) << "the integer id 0 is an id";
  EXPECT_EQ(e[1].delegate_id_int, 0);
  EXPECT_FALSE(e[1].has_delegate_id_str);
  EXPECT_EQ(std::vector<uint8_t>(e[1].metadata.begin(), e[1].metadata.end()), (std::vector<uint8_t>{1, 2, 0xff}));
  EXPECT_FALSE(e[2].is_delegated());
}

TEST(Reader, DebugValuesOfEveryKindAreRead) {
  EtdumpBuilder b;
  const TensorSpec t{static_cast<int8_t>(ScalarType::Half), {2, 3}, {3, 1}, 96};
  const TensorSpec empty{static_cast<int8_t>(ScalarType::Float), {0}, {1}, -1};
  b.run("Execute")
      .debug(ValueSpec::of_tensor(t), 1)
      .debug(ValueSpec::of_list({t, empty}), 2)
      .debug(ValueSpec::of_int(INT64_MIN), 3)
      .debug(ValueSpec::of_bool(true), 4)
      .debug(ValueSpec::of_float(1.5f), 5)
      .debug(ValueSpec::of_double(-2.25), 6)
      .debug(ValueSpec{}, 7)
      .output(ValueSpec::of_tensor(t));
  const auto bytes = b.bytes();
  Reader reader;
  const auto e = events_of(bytes, 0, &reader);
  ASSERT_EQ(e.size(), 8u);
  EXPECT_EQ(e[0].kind, EventKind::Debug);
  EXPECT_EQ(e[0].value.kind(), ValueKind::Tensor);
  ASSERT_EQ(e[0].value.tensor_count(), 1u);
  const TensorInfo info = e[0].value.tensor(0);
  EXPECT_EQ(info.dtype, ScalarType::Half);
  EXPECT_EQ(list(info.sizes), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(list(info.strides), (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(info.offset, 96);
  EXPECT_FALSE(e[0].value.is_output());
  ASSERT_EQ(e[1].value.tensor_count(), 2u);
  EXPECT_EQ(e[1].value.tensor(1).offset, -1);
  EXPECT_EQ(list(e[1].value.tensor(1).sizes), (std::vector<int64_t>{0}));
  EXPECT_EQ(e[2].value.as_int(), INT64_MIN);
  EXPECT_TRUE(e[3].value.as_bool());
  EXPECT_EQ(e[4].value.as_double(), 1.5);
  EXPECT_EQ(e[5].value.as_double(), -2.25);
  EXPECT_EQ(e[6].value.kind(), ValueKind::Null);
  EXPECT_TRUE(e[7].value.is_output());
  EXPECT_EQ(e[7].chain_index, -1) << "2^64-1 in the file means outside of instructions";
  EXPECT_EQ(e[0].chain_index, 0);
}

TEST(Reader, AllocationsAndTheirAllocatorsAreRead) {
  EtdumpBuilder b;
  RunSpec& run = b.run("Execute");
  run.allocators = {"temp", "method"};
  run.allocation(2, 4096).allocation(1, uint64_t{1} << 40);
  const auto bytes = b.bytes();
  Reader reader;
  const auto e = events_of(bytes, 0, &reader);
  EXPECT_EQ(e[0].kind, EventKind::Allocation);
  EXPECT_EQ(e[0].allocator_id, 2);
  EXPECT_EQ(e[0].allocation_size, 4096u);
  EXPECT_EQ(e[1].allocation_size, uint64_t{1} << 40);
  etdump::Run r;
  ASSERT_TRUE(reader.run(0, &r));
  ASSERT_EQ(r.allocator_count(), 2u);
  EXPECT_EQ(r.allocator_name(1), "method");
  EXPECT_EQ(r.allocator_name(2), "");
}

TEST(Reader, AFileWithoutRunsIsAnEmptyTrace) {
  EtdumpBuilder b;
  const auto bytes = b.bytes();
  Reader reader;
  ASSERT_TRUE(Reader::open(bytes, &reader).ok());
  EXPECT_EQ(reader.run_count(), 0u);
  EXPECT_EQ(reader.lost_tables(), 0u);
  etdump::Run run;
  EXPECT_FALSE(reader.run(0, &run));
}

TEST(Reader, WhatIsNoEtdumpIsRefusedWithAReason) {
  Reader reader;
  const std::vector<uint8_t> zip{'P', 'K', 3, 4, 0, 0, 0, 0, 0, 0, 0, 0};
  FileError e = Reader::open(zip, &reader);
  EXPECT_EQ(e.code, Error::InvalidArgument);
  EXPECT_NE(std::string(e.expected).find("ED00"), std::string::npos);
  EXPECT_FALSE(Reader::open({}, &reader).ok());
  EXPECT_EQ(reader.run_count(), 0u);
  const std::vector<uint8_t> wild{8, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 'E', 'D', '0', '0'};
  e = Reader::open(wild, &reader);
  EXPECT_EQ(e.code, Error::InvalidArgument);
  EXPECT_EQ(e.offset, 4u);
}

TEST(Reader, AnOpenReaderCanBeUsedForAnotherFile) {
  EtdumpBuilder broken;
  broken.run("Execute").events.push_back({.kind = test::EventSpec::Nothing});
  EtdumpBuilder good;
  good.run("Execute").profile("a", 0, 0, 1, 2);
  const auto first = broken.bytes();
  const auto second = good.bytes();
  Reader reader;
  ASSERT_TRUE(Reader::open(first, &reader).ok());
  etdump::Run run;
  Event event;
  ASSERT_TRUE(reader.run(0, &run));
  EXPECT_FALSE(run.event(0, &event));
  EXPECT_EQ(reader.lost_tables(), 1u);
  ASSERT_TRUE(Reader::open(second, &reader).ok());
  EXPECT_EQ(reader.lost_tables(), 0u);
  ASSERT_TRUE(reader.run(0, &run));
  EXPECT_TRUE(run.event(0, &event));
}

TEST(Reader, UnalignedMemoryIsReadAllTheSame) {
  EtdumpBuilder b;
  b.run("Execute").profile("a", 0, 1, 2, 3).debug(ValueSpec::of_tensor({6, {2}, {1}, 64}), 1);
  auto bytes = b.bytes();
  bytes.insert(bytes.begin(), 0);
  Reader reader;
  ASSERT_TRUE(Reader::open(std::span<const uint8_t>(bytes).subspan(1), &reader).ok());
  etdump::Run run;
  Event event;
  ASSERT_TRUE(reader.run(0, &run));
  ASSERT_TRUE(run.event(0, &event));
  EXPECT_EQ(event.end, 3u);
  ASSERT_TRUE(run.event(1, &event));
  EXPECT_EQ(event.value.tensor(0).sizes[0], 2);
}

TEST(Elapsed, A32BitCounterThatWrapsIsExact) {
  bool wrapped = false;
  bool invalid = false;
  EXPECT_EQ(elapsed_ticks(10, 30, &wrapped, &invalid), 20u);
  EXPECT_FALSE(wrapped || invalid);
  EXPECT_EQ(elapsed_ticks(0xffffffff, 0, &wrapped, &invalid), 1u) << "one tick, not none";
  EXPECT_TRUE(wrapped);
  EXPECT_EQ(elapsed_ticks(0xfffffff0, 0x10, &wrapped, &invalid), 0x20u);
  EXPECT_EQ(elapsed_ticks(uint64_t{1} << 40, 3, &wrapped, &invalid), 0u);
  EXPECT_TRUE(invalid);
  EXPECT_FALSE(wrapped);
  EXPECT_EQ(elapsed_ticks(0, UINT64_MAX, &wrapped, &invalid), UINT64_MAX);
  EXPECT_EQ(elapsed_ticks(5, 5, &wrapped, &invalid), 0u);
}

}  // namespace
}  // namespace et::etdump
