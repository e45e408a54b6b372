// ET_LOG and its levels.
#pragma once

#include <cinttypes>
#include <cstdarg>
#include <cstdint>

#include "executorch/runtime/platform/compiler.h"
#include "executorch/runtime/platform/platform.h"
#include "runtime/platform/log.h"

#define ET_CHECK_OR_LOG_ERROR(condition, ...)     \
  do {                                            \
    if (!(condition)) ET_LOG(Error, __VA_ARGS__); \
  } while (0)

namespace executorch::runtime {

enum class LogLevel : uint8_t { Debug, Info, Error, Fatal, NumLevels };

namespace internal {

et_timestamp_t get_log_timestamp();
ET_PRINTFLIKE(6, 0)
void vlogf(LogLevel level, et_timestamp_t timestamp, const char* filename, const char* function, size_t line,
           const char* format, va_list arguments);
ET_PRINTFLIKE(6, 7)
inline void logf(LogLevel level, et_timestamp_t timestamp, const char* filename, const char* function, size_t line,
                 const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vlogf(level, timestamp, filename, function, line, format, arguments);
  va_end(arguments);
}

}  // namespace internal
}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::LogLevel;
}
