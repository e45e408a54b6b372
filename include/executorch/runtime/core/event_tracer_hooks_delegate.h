// What delegates call to be traced; all of it accepts a null tracer.
#pragma once

#include <type_traits>

#include "executorch/runtime/core/event_tracer.h"
#include "executorch/runtime/platform/compiler.h"

// Beside EventTracer, so that calls without a namespace find them.
namespace et {

inline EventTracerEntry event_tracer_start_profiling_delegate(EventTracer* tracer, const char* name,
                                                              DebugHandle delegate_debug_id) {
  if (tracer == nullptr) return EventTracerEntry();
  return tracer->start_profiling_delegate(name, static_cast<DelegateDebugIntId>(delegate_debug_id));
}
inline void event_tracer_end_profiling_delegate(EventTracer* tracer, EventTracerEntry entry,
                                                const void* metadata = nullptr, size_t metadata_len = 0) {
  if (tracer != nullptr) tracer->end_profiling_delegate(entry, metadata, metadata_len);
}
inline void event_tracer_log_profiling_delegate(EventTracer* tracer, const char* name, DebugHandle delegate_debug_id,
                                                et_timestamp_t start_time, et_timestamp_t end_time,
                                                const void* metadata = nullptr, size_t metadata_len = 0) {
  if (tracer == nullptr) return;
  tracer->log_profiling_delegate(name, static_cast<DelegateDebugIntId>(delegate_debug_id), start_time, end_time,
                                 metadata, metadata_len);
}
/// T: int, bool, double, Tensor or ArrayRef<Tensor>.
template <class T>
void event_tracer_log_output_delegate(EventTracer* tracer, const char* name, DebugHandle delegate_debug_id,
                                      const T& output) {
  static_assert(std::is_same_v<T, int> || std::is_same_v<T, bool> || std::is_same_v<T, double> ||
                    std::is_same_v<T, ::et::Tensor> || std::is_same_v<T, ::et::ArrayRef<::et::Tensor>>,
                "a value of this type cannot be logged");
  if (tracer == nullptr) return;
  static_cast<void>(
      tracer->log_intermediate_output_delegate(name, static_cast<DelegateDebugIntId>(delegate_debug_id), output));
}

}  // namespace et

namespace executorch::runtime {
using ::et::event_tracer_end_profiling_delegate;
using ::et::event_tracer_log_output_delegate;
using ::et::event_tracer_log_profiling_delegate;
using ::et::event_tracer_start_profiling_delegate;
}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::event_tracer_end_profiling_delegate;
using ::executorch::runtime::event_tracer_log_output_delegate;
using ::executorch::runtime::event_tracer_log_profiling_delegate;
using ::executorch::runtime::event_tracer_start_profiling_delegate;
}  // namespace torch::executor
