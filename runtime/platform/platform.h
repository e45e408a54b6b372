// What the runtime needs of the system: a clock, a place for log lines, an end of the process, and memory for those who
// ask for it. One table of functions; an application replaces it before the first use of the runtime.
#pragma once

#include <cstddef>
#include <cstdint>

namespace et {

using Timestamp = uint64_t;

/// ns = ticks · numerator / denominator.
struct TickRatio {
  uint64_t numerator = 1;
  uint64_t denominator = 1;
};

enum class LogLevel : uint8_t { Debug = 'D', Info = 'I', Error = 'E', Fatal = 'F', Unknown = '?' };

/// One log line. `message` is not terminated by a line end; all pointers are valid during the call only.
struct LogMessage {
  Timestamp ticks = 0;
  LogLevel level = LogLevel::Unknown;
  const char* file = "";
  const char* function = "";
  uint32_t line = 0;
  const char* message = "";
  size_t length = 0;  // bytes, without the terminating zero
};

struct Platform {
  const char* name = "";        // shown in logs and dumps
  const char* clock_name = "";  // "monotonic", "tsc", "dwt"
  void (*init)() = nullptr;
  void (*abort)() = nullptr;  // does not return
  Timestamp (*ticks)() = nullptr;
  TickRatio (*tick_ratio)() = nullptr;
  /// Unix time in ns, or 0 where there is none.
  int64_t (*utc_ns)() = nullptr;
  void (*emit_log)(const LogMessage& message) = nullptr;
  /// At least `size` bytes aligned for any type, or null. Null functions: the platform has no heap.
  void* (*allocate)(size_t size) = nullptr;
  void (*free)(void* memory) = nullptr;
};

/// The platform in use. The default is POSIX where it was built in, else one that has no clock and drops logs.
const Platform& platform();
/// Functions that are null in `replacement` keep the default. Call before threads exist.
void set_platform(const Platform& replacement);
/// Calls the platform's init once; harmless when repeated.
void runtime_init();

inline Timestamp current_ticks() { return platform().ticks(); }

}  // namespace et
