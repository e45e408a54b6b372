// Hardware counters of events: the right differences at the right event, or none.
#include <gtest/gtest.h>

#include "tests/etdump/gen_support.h"

namespace et::etdump {
namespace {

using test::Dump;
using test::FakeClock;
using test::take;

class CountingCounters : public CounterReader {
 public:
  size_t count() const override { return 2; }
  const char* name(size_t i) const override { return i == 0 ? "cycles" : "instructions"; }
  bool read(uint64_t* values) override {
    if (broken) return false;
    values[0] = cycles += 10;
    values[1] = 1000;
    return true;
  }
  uint64_t cycles = 0;
  bool broken = false;
};

TEST(EtdumpGen, CountersAreDifferencesOverEachEvent) {
  FakeClock clock;
  CountingCounters counters;
  ETDumpGen gen;
  gen.set_counter_reader(&counters);
  gen.create_event_block("Execute");
  const auto outer = gen.start_profiling("outer");
  const auto call = gen.start_profiling("OPERATOR_CALL", 0, 1);
  gen.end_profiling(gen.start_profiling("inner"));
  gen.log_profiling("OPERATOR_CALL", 0, 1, call.start_time, current_ticks());
  for (int i = 0; i < 20; ++i) gen.start_profiling("never ends");
  gen.end_profiling(outer);  // its place was taken: no counters rather than wrong ones
  counters.broken = true;
  gen.end_profiling(gen.start_profiling("broken"));
  const Dump d(take(gen));
  ASSERT_EQ(d.events[0].size(), 4u);
  const TrailerRun run = d.trailer().run(0);
  ASSERT_EQ(run.event_count(), 2u);
  EXPECT_EQ(run.event(0).event, 0u);
  ASSERT_EQ(run.event(0).counter_count(), 2u);
  EXPECT_EQ(run.event(0).counter(0).name, "cycles");
  EXPECT_EQ(run.event(0).counter(0).value, 10u);
  EXPECT_EQ(run.event(0).counter(1).value, 0u);
  EXPECT_EQ(run.event(1).event, 1u);
  EXPECT_EQ(run.event(1).counter(0).value, 30u);
}

// A kernel and its OPERATOR_CALL are logged with the same two clock reads.
TEST(EtdumpGen, EventsOfTheSameTimesShareTheirCounters) {
  FakeClock clock;
  CountingCounters counters;
  ETDumpGen gen;
  gen.set_counter_reader(&counters);
  gen.create_event_block("Execute");
  const auto call = gen.start_profiling("OPERATOR_CALL", 0, 1);
  const Timestamp end = current_ticks();
  gen.log_profiling("native_call_add.out", 0, 1, call.start_time, end);
  gen.log_profiling("OPERATOR_CALL", 0, 1, call.start_time, end);
  gen.log_profiling("OPERATOR_CALL", 0, 2, call.start_time, end);  // nothing is open any more
  const Dump d(take(gen));
  ASSERT_EQ(d.events[0].size(), 3u);
  const TrailerRun run = d.trailer().run(0);
  ASSERT_EQ(run.event_count(), 2u);
  for (uint32_t i = 0; i < 2; ++i) {
    ASSERT_EQ(run.event(i).counter_count(), 2u);
    EXPECT_EQ(run.event(i).counter(0).value, 10u);
  }
}

TEST(EtdumpGen, OpenEventsThatBeganAtOneTickKeepTheirOwnCounters) {
  FakeClock clock;
  CountingCounters counters;
  ETDumpGen gen;
  gen.set_counter_reader(&counters);
  gen.create_event_block("Execute");
  FakeClock::step = 0;
  const auto step = gen.start_profiling("Method::step", 0, 1);
  const auto call = gen.start_profiling("OPERATOR_CALL", 0, 1);
  ASSERT_EQ(step.start_time, call.start_time);
  gen.log_profiling("native_call_add.out", 0, 1, call.start_time, call.start_time);
  gen.log_profiling("OPERATOR_CALL", 0, 1, call.start_time, call.start_time);
  gen.log_profiling("Method::step", 0, 1, step.start_time, step.start_time);
  const Dump d(take(gen));
  const TrailerRun run = d.trailer().run(0);
  ASSERT_EQ(run.event_count(), 3u);
  EXPECT_EQ(run.event(0).counter(0).value, 10u);
  EXPECT_EQ(run.event(1).counter(0).value, 10u);
  EXPECT_EQ(run.event(2).counter(0).value, 30u);
}

}  // namespace
}  // namespace et::etdump
