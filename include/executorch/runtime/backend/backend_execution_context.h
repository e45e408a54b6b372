// BackendExecutionContext: what a delegate may use during a call.
#pragma once

#include "executorch/runtime/core/event_tracer.h"
#include "executorch/runtime/core/memory_allocator.h"
#include "runtime/backends/backend.h"

namespace executorch::runtime {

class BackendExecutionContext {
 public:
  explicit BackendExecutionContext(EventTracer* event_tracer = nullptr, MemoryAllocator* temp_allocator = nullptr,
                                   const char* method_name = nullptr)
      : tracer_(event_tracer), temp_(temp_allocator), method_(method_name) {}
  EventTracer* event_tracer() { return tracer_; }
  /// Memory until the end of the call.
  void* allocate(size_t size, size_t alignment = MemoryAllocator::kDefaultAlignment) {
    return temp_->allocate(size, alignment);
  }
  MemoryAllocator* get_temp_allocator() { return temp_; }
  const char* get_method_name() const { return method_; }

 private:
  EventTracer* tracer_;
  MemoryAllocator* temp_;
  const char* method_;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::BackendExecutionContext;
}
