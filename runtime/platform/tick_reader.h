// Reads the platform's clock where a few nanoseconds matter: without a call where it is the processor's own counter.
#pragma once

#include "runtime/platform/default_platform.h"
#include "runtime/platform/platform.h"

namespace et {

class TickReader {
 public:
  TickReader() : ticks_(platform().ticks), counter_(is_processor_counter(ticks_)) {}

  Timestamp operator()() const {
#if defined(__x86_64__)
    if (counter_) return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    if (counter_) {
      uint64_t v = 0;
      asm volatile("mrs %0, cntvct_el0" : "=r"(v));
      return v;
    }
#endif
    return ticks_();
  }

 private:
  Timestamp (*ticks_)();
  [[maybe_unused]] bool counter_;
};

}  // namespace et
