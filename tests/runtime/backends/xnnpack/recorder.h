// A tracer that keeps what a delegate tells it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "runtime/core/event_tracer.h"
#include "runtime/format/delegate_metadata.h"

namespace et::xnn::testing {

class Recorder final : public EventTracer {
 public:
  struct Event {
    std::string name;
    std::vector<format::DelegateNode> nodes;
    format::DelegatePhase phase;
    bool in_order;
  };
  std::vector<Event> events;
  std::map<std::string, std::vector<float>> values;

  std::vector<std::string> names(format::DelegatePhase phase = format::DelegatePhase::Run) const {
    std::vector<std::string> all;
    for (const Event& e : events) {
      if (e.phase == phase) all.push_back(e.name);
    }
    return all;
  }

  void create_event_block(const char*) override {}
  EventTracerEntry start_profiling(const char*, ChainID, DebugHandle) override { return {}; }
  void end_profiling(EventTracerEntry) override {}
  void log_profiling(const char*, ChainID, DebugHandle, Timestamp, Timestamp) override {}
  EventTracerEntry start_profiling_delegate(const char*, DelegateDebugIntId) override { return {}; }
  void end_profiling_delegate(EventTracerEntry, const void*, size_t) override {}
  void log_profiling_delegate(const char* name, DelegateDebugIntId id, Timestamp start, Timestamp end,
                              const void* metadata, size_t length) override {
    EXPECT_EQ(id, kUnsetDelegateDebugIntId);
    format::DelegateMetadata record;
    ASSERT_TRUE(format::DelegateMetadata::open({static_cast<const uint8_t*>(metadata), length}, &record));
    Event event{name, {}, record.phase(), start <= end};
    for (uint32_t i = 0; i < record.count(); ++i) event.nodes.push_back(record.node(i));
    events.push_back(event);
  }
  AllocatorID track_allocator(const char*) override { return 1; }
  void track_allocation(AllocatorID, size_t) override {}
  Result<bool> log_evalue(const EValue&, LoggedEValueType) override { return true; }
  using EventTracer::log_intermediate_output_delegate;
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId, const EValue& value) override {
    const Tensor t = value.toTensor();
    if (t.scalar_type() == ScalarType::Float) {
      values[name].assign(t.const_data_ptr<float>(), t.const_data_ptr<float>() + t.numel());
    }
    if (t.scalar_type() == ScalarType::Char) {
      values[name].assign(t.const_data_ptr<int8_t>(), t.const_data_ptr<int8_t>() + t.numel());
    }
    return true;
  }
  void set_delegation_intermediate_output_filter(EventTracerFilterBase*) override {}
};

}  // namespace et::xnn::testing
