// What code that is traced calls; all of it accepts a null tracer.
#pragma once

#include "executorch/runtime/core/event_tracer.h"
#include "executorch/runtime/platform/compiler.h"

namespace executorch::runtime::internal {

/// An event from here to the end of the scope, unless only methods are profiled.
class EventTracerProfileOpScope {
 public:
  EventTracerProfileOpScope(EventTracer* tracer, const char* name)
      : tracer_(tracer != nullptr &&
                        tracer->event_tracer_profiling_level() > EventTracerProfilingLevel::kProfileMethodOnly
                    ? tracer
                    : nullptr) {
    if (tracer_ != nullptr) entry_ = tracer_->start_profiling(name);
  }
  ~EventTracerProfileOpScope() {
    if (tracer_ != nullptr) tracer_->end_profiling(entry_);
  }
  EventTracerProfileOpScope(const EventTracerProfileOpScope&) = delete;
  EventTracerProfileOpScope& operator=(const EventTracerProfileOpScope&) = delete;

 private:
  EventTracer* tracer_;
  EventTracerEntry entry_;
};
using EventTracerProfileScope = EventTracerProfileOpScope;

class EventTracerProfileMethodScope {
 public:
  EventTracerProfileMethodScope(EventTracer* tracer, const char* name) : tracer_(tracer) {
    if (tracer_ != nullptr) entry_ = tracer_->start_profiling(name);
  }
  ~EventTracerProfileMethodScope() {
    if (tracer_ != nullptr) tracer_->end_profiling(entry_);
  }
  EventTracerProfileMethodScope(const EventTracerProfileMethodScope&) = delete;
  EventTracerProfileMethodScope& operator=(const EventTracerProfileMethodScope&) = delete;

 private:
  EventTracer* tracer_;
  EventTracerEntry entry_;
};

/// Events in the scope belong to this instruction.
class EventTracerProfileInstructionScope {
 public:
  EventTracerProfileInstructionScope(EventTracer* tracer, ChainID chain, DebugHandle handle) : tracer_(tracer) {
    if (tracer_ != nullptr) tracer_->set_chain_debug_handle(chain, handle);
  }
  ~EventTracerProfileInstructionScope() {
    if (tracer_ != nullptr) tracer_->set_chain_debug_handle(kUnsetChainId, kUnsetDebugHandle);
  }
  EventTracerProfileInstructionScope(const EventTracerProfileInstructionScope&) = delete;
  EventTracerProfileInstructionScope& operator=(const EventTracerProfileInstructionScope&) = delete;

 private:
  EventTracer* tracer_;
};

constexpr bool event_tracer_enabled() { return true; }
inline void event_tracer_create_event_block(EventTracer* tracer, const char* name) {
  if (tracer != nullptr) tracer->create_event_block(name);
}
inline EventTracerEntry event_tracer_begin_profiling_event(EventTracer* tracer, const char* name) {
  return tracer != nullptr ? tracer->start_profiling(name) : EventTracerEntry();
}
inline void event_tracer_end_profiling_event(EventTracer* tracer, EventTracerEntry event) {
  if (tracer != nullptr) tracer->end_profiling(event);
}
inline AllocatorID event_tracer_track_allocator(EventTracer* tracer, const char* name) {
  return tracer != nullptr ? tracer->track_allocator(name) : 0;
}
inline void event_tracer_track_allocation(EventTracer* tracer, AllocatorID id, size_t size) {
  if (tracer != nullptr) tracer->track_allocation(id, size);
}
inline void event_tracer_log_evalue(EventTracer* tracer, EValue& value) {
  if (tracer == nullptr || tracer->event_tracer_debug_level() < EventTracerDebugLogLevel::kIntermediateOutputs) return;
  static_cast<void>(tracer->log_evalue(value, LoggedEValueType::kIntermediateOutput));
}
inline void event_tracer_log_evalue_output(EventTracer* tracer, const EValue& value) {
  if (tracer == nullptr || tracer->event_tracer_debug_level() < EventTracerDebugLogLevel::kProgramOutputs) return;
  static_cast<void>(tracer->log_evalue(value, LoggedEValueType::kProgramOutput));
}
inline void event_tracer_set_bundled_input_index(EventTracer* tracer, int index) {
  if (tracer != nullptr) tracer->set_bundled_input_index(index);
}

}  // namespace executorch::runtime::internal

namespace torch::executor::internal {
using ::executorch::runtime::internal::event_tracer_begin_profiling_event;
using ::executorch::runtime::internal::event_tracer_create_event_block;
using ::executorch::runtime::internal::event_tracer_end_profiling_event;
using ::executorch::runtime::internal::event_tracer_log_evalue;
using ::executorch::runtime::internal::event_tracer_log_evalue_output;
using ::executorch::runtime::internal::event_tracer_set_bundled_input_index;
using ::executorch::runtime::internal::event_tracer_track_allocation;
using ::executorch::runtime::internal::event_tracer_track_allocator;
using ::executorch::runtime::internal::EventTracerProfileInstructionScope;
using ::executorch::runtime::internal::EventTracerProfileMethodScope;
using ::executorch::runtime::internal::EventTracerProfileOpScope;
using ::executorch::runtime::internal::EventTracerProfileScope;
}  // namespace torch::executor::internal
