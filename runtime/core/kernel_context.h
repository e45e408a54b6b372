// KernelRuntimeContext: what a kernel gets besides its arguments: a place for its error, and temporary memory.
#pragma once

#include "base/error.h"
#include "base/result.h"
#include "runtime/core/event_tracer.h"
#include "runtime/core/memory_allocator.h"

namespace et {

class KernelRuntimeContext {
 public:
  explicit KernelRuntimeContext(EventTracer* tracer = nullptr, MemoryAllocator* temp = nullptr)
      : tracer_(tracer), temp_(temp) {}

  /// The instruction fails with `error` once the kernel returns; the first error stays.
  void fail(Error error) {
    if (failure_ == Error::Ok) failure_ = error;
  }
  Error failure_state() const { return failure_; }
  /// Memory until the end of the instruction. NotFound: no allocator; MemoryAllocationFailed: exhausted.
  Result<void*> allocate_temp(size_t size, size_t alignment = alignof(std::max_align_t));
  bool has_temp_allocator() const { return temp_ != nullptr; }
  EventTracer* internal_event_tracer() const { return tracer_; }

 private:
  EventTracer* tracer_;
  MemoryAllocator* temp_;
  Error failure_ = Error::Ok;
};
using RuntimeContext = KernelRuntimeContext;

}  // namespace et
