// The floating-point mode of a thread: whether numbers below the smallest normal one (denormals, below 1.2e-38 in
// float32) count as 0. Computing with them takes a processor a hundred cycles each.
#pragma once

#include <cstdint>

namespace et {

/// The calling thread's control register, 0 where this build knows none.
inline uint64_t float_mode() {
#if defined(__SSE__)
  return __builtin_ia32_stmxcsr();
#elif defined(__aarch64__)
  uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
#else
  return 0;
#endif
}

inline void set_float_mode(uint64_t mode) {
#if defined(__SSE__)
  __builtin_ia32_ldmxcsr(static_cast<uint32_t>(mode));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" ::"r"(mode));
#else
  (void)mode;
#endif
}

/// Denormal operands and results are 0 until the end of the scope, on this thread.
class FlushDenormals {
 public:
  FlushDenormals() : before_(float_mode()) { set_float_mode(before_ | kFlush); }
  ~FlushDenormals() { set_float_mode(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__SSE__)
  static constexpr uint64_t kFlush = 1u << 15 | 1u << 6;  // results, operands
#else
  static constexpr uint64_t kFlush = 1u << 24;
#endif
  const uint64_t before_;
};

}  // namespace et
