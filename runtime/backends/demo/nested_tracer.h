// Shows what a program inside a delegate does as delegate events of the program outside: its operators, what its own
// delegates report, and, when they are asked for, the values.
#pragma once

#include <string>
#include <vector>

#include "runtime/core/event_tracer.h"
#include "runtime/format/program.h"

namespace et::demo {

class NestedTracer final : public EventTracer {
 public:
  /// `method`: the inner program's. Instructions of its first chain are named; they are the nodes of the payload from
  /// `first_node` on.
  NestedTracer(const format::Method& method, uint32_t first_node);
  /// The tracer of the call that begins now; it outlives the call.
  void attach(EventTracer* outer);

  void create_event_block(const char*) override {}
  EventTracerEntry start_profiling(const char* name, ChainID chain, DebugHandle handle) override;
  void end_profiling(EventTracerEntry) override {}
  void log_profiling(const char* name, ChainID chain, DebugHandle handle, Timestamp start, Timestamp end) override;
  EventTracerEntry start_profiling_delegate(const char* name, DelegateDebugIntId id) override;
  void end_profiling_delegate(EventTracerEntry entry, const void* metadata, size_t size) override;
  void log_profiling_delegate(const char* name, DelegateDebugIntId id, Timestamp start, Timestamp end,
                              const void* metadata, size_t size) override;
  AllocatorID track_allocator(const char*) override { return 0; }
  void track_allocation(AllocatorID, size_t) override {}
  Result<bool> log_evalue(const EValue& value, LoggedEValueType type) override;
  using EventTracer::log_intermediate_output_delegate;
  Result<bool> log_intermediate_output_delegate(const char* name, DelegateDebugIntId id, const EValue& value) override;
  void set_delegation_intermediate_output_filter(EventTracerFilterBase*) override {}

 private:
  const std::string& name_of(DebugHandle instruction) const;

  std::vector<std::string> names_;  // of the instructions
  uint32_t first_node_;
  std::string unnamed_ = "instruction";
  EventTracer* outer_ = nullptr;
};

}  // namespace et::demo
