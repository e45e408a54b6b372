// ET_LOG and the checks that log. Levels below ET_MIN_LOG_LEVEL cost nothing; ET_LOG_ENABLED=0 removes all of them.
#pragma once

#include <cstdarg>

#include "base/error.h"
#include "runtime/platform/platform.h"

#ifndef ET_LOG_ENABLED
#define ET_LOG_ENABLED 1
#endif
#ifndef ET_MIN_LOG_LEVEL
#define ET_MIN_LOG_LEVEL Info
#endif

namespace et::log_internal {

constexpr size_t kMaxMessage = 256;
enum class Order : uint8_t { Debug, Info, Error, Fatal, NumLevels };
constexpr LogLevel level_of(Order o) {
  return o == Order::Debug   ? LogLevel::Debug
         : o == Order::Info  ? LogLevel::Info
         : o == Order::Error ? LogLevel::Error
         : o == Order::Fatal ? LogLevel::Fatal
                             : LogLevel::Unknown;
}
/// Formats at most 255 bytes, cut at the border of a UTF-8 character, and hands them to the platform.
[[gnu::format(printf, 5, 6)]] void log(LogLevel level, const char* file, const char* function, uint32_t line,
                                       const char* format, ...);
/// The message of log(), without its end: bytes written to `text`, which has room for kMaxMessage.
size_t format_message(char* text, const char* format, va_list arguments);
[[noreturn]] void fail();
constexpr const char* base_name(const char* path) {
  const char* name = path;
  for (const char* p = path; *p != 0; ++p) {
    if (*p == '/') name = p + 1;
  }
  return name;
}

}  // namespace et::log_internal

#if ET_LOG_ENABLED
#define ET_LOG(LEVEL, ...)                                                                               \
  do {                                                                                                   \
    if constexpr (::et::log_internal::Order::LEVEL >= ::et::log_internal::Order::ET_MIN_LOG_LEVEL) {     \
      ::et::log_internal::log(::et::log_internal::level_of(::et::log_internal::Order::LEVEL),            \
                              ::et::log_internal::base_name(__FILE__), __func__, __LINE__, __VA_ARGS__); \
    }                                                                                                    \
  } while (0)
#else
#define ET_LOG(LEVEL, ...) static_cast<void>(0)
#endif

/// For mistakes of our own only: what a file or an argument says is never checked with these.
#define ET_CHECK_MSG(condition, ...) \
  do {                               \
    if (!(condition)) [[unlikely]] { \
      ET_LOG(Fatal, __VA_ARGS__);    \
      ::et::log_internal::fail();    \
    }                                \
  } while (0)
#define ET_CHECK(condition) ET_CHECK_MSG(condition, "check failed: %s", #condition)

#define ET_CHECK_OR_RETURN_ERROR(condition, error, ...) \
  do {                                                  \
    if (!(condition)) [[unlikely]] {                    \
      ET_LOG(Error, __VA_ARGS__);                       \
      return ::et::Error::error;                        \
    }                                                   \
  } while (0)
#define ET_CHECK_OK_OR_RETURN_ERROR(expression)    \
  do {                                             \
    const ::et::Error et_error_ = (expression);    \
    if (et_error_ != ::et::Error::Ok) [[unlikely]] \
      return et_error_;                            \
  } while (0)
/// Leaves a kernel with `value` after setting the context's error.
#define ET_KERNEL_CHECK_MSG(context, condition, error, value, ...) \
  do {                                                             \
    if (!(condition)) [[unlikely]] {                               \
      ET_LOG(Error, __VA_ARGS__);                                  \
      (context).fail(::et::Error::error);                          \
      return value;                                                \
    }                                                              \
  } while (0)
#define ET_KERNEL_CHECK(context, condition, error, value) \
  ET_KERNEL_CHECK_MSG(context, condition, error, value, "%s: %s", __func__, #condition)
