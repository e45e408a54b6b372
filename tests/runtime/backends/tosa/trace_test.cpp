// What a trace of the interpreter says: an event for each operator with its place in the payload, and values when they
// are asked for.
#include <gtest/gtest.h>

#include <set>

#include "tests/runtime/backends/tosa/case_file.h"

namespace et::tosa::testing {
namespace {

class Recorder final : public EventTracer {
 public:
  struct Event {
    std::string name;
    uint32_t node = 0;
  };
  std::vector<Event> events;
  std::vector<std::string> values;
  std::vector<std::vector<int32_t>> shapes;

  void create_event_block(const char*) override {}
  EventTracerEntry start_profiling(const char*, ChainID, DebugHandle) override { return {}; }
  void end_profiling(EventTracerEntry) override {}
  void log_profiling(const char*, ChainID, DebugHandle, Timestamp, Timestamp) override {}
  EventTracerEntry start_profiling_delegate(const char*, DelegateDebugIntId) override { return {}; }
  void end_profiling_delegate(EventTracerEntry, const void*, size_t) override {}
  void log_profiling_delegate(const char* name, DelegateDebugIntId, Timestamp start, Timestamp end,
                              const void* metadata, size_t size) override {
    EXPECT_LE(start, end);
    format::DelegateMetadata m;
    ASSERT_TRUE(format::DelegateMetadata::open({static_cast<const uint8_t*>(metadata), size}, &m));
    ASSERT_EQ(m.count(), 1u);
    events.push_back({name, m.node(0).index});
  }
  AllocatorID track_allocator(const char*) override { return 0; }
  void track_allocation(AllocatorID, size_t) override {}
  Result<bool> log_evalue(const EValue&, LoggedEValueType) override { return true; }
  using EventTracer::log_intermediate_output_delegate;
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId, const EValue& value) override {
    values.emplace_back(name);
    const Tensor t = value.toTensor();
    shapes.emplace_back(t.sizes().begin(), t.sizes().end());
    return true;
  }
  void set_delegation_intermediate_output_filter(EventTracerFilterBase*) override {}
};

Recorder trace(const char* name, EventTracerDebugLogLevel level) {
  Recorder recorder;
  recorder.set_event_tracer_debug_level(level);
  const std::map<std::string, Case> cases = read_cases("cases.bin");
  Execution graph;
  EXPECT_EQ(graph.load(cases.at(name).graph), Error::Ok);
  EXPECT_TRUE(graph.run(cases.at(name).inputs, &recorder));
  return recorder;
}

// Constants are operators of the file, too: the first one that runs is number 4.
TEST(Trace, NamesTheOperatorAndItsPlace) {
  const Recorder r = trace("conv2d_int8_int8", EventTracerDebugLogLevel::kNoLogging);
  ASSERT_EQ(r.events.size(), 1u);
  EXPECT_EQ(r.events[0].name, "CONV2D op 4");
  EXPECT_EQ(r.events[0].node, 4u);
  EXPECT_TRUE(r.values.empty());
}

TEST(Trace, HasTheValuesThatAreAskedFor) {
  const Recorder r = trace("conv2d_int8_int8", EventTracerDebugLogLevel::kIntermediateOutputs);
  ASSERT_EQ(r.values.size(), 1u);
  EXPECT_EQ(r.values[0], "CONV2D op 4");
  EXPECT_EQ(r.shapes[0], (std::vector<int32_t>{2, 5, 8, 5}));
}

// Operators of a region stand for the operator that runs the region.
TEST(Trace, OperatorsOfALoopBelongToIt) {
  const Recorder r = trace("while_loop", EventTracerDebugLogLevel::kNoLogging);
  std::set<std::string> names;
  for (const Recorder::Event& e : r.events) {
    EXPECT_EQ(e.node, 0u) << e.name;
    names.insert(e.name);
  }
  EXPECT_EQ(r.events.size(), 6u + 5 * 3 + 1);  // 6 conditions, 5 turns of 3 operators, the loop
  EXPECT_TRUE(names.contains("WHILE_LOOP op 0"));
  EXPECT_TRUE(names.contains("SUB op 1 of body_region"));
}

}  // namespace
}  // namespace et::tosa::testing
