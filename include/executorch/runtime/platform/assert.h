// Checks of what the program itself must hold; they end the process.
#pragma once

#include "executorch/runtime/platform/abort.h"
#include "executorch/runtime/platform/compiler.h"
#include "executorch/runtime/platform/log.h"

#undef ET_CHECK_MSG
#undef ET_CHECK
#define ET_ASSERT_MESSAGE_EMIT(format, ...) \
  ET_LOG(Fatal, "In function %s(), assert failed" format, __func__, ##__VA_ARGS__)
#define ET_CHECK_MSG(condition, format, ...)                               \
  do {                                                                     \
    if ET_UNLIKELY (!(condition)) {                                        \
      ET_ASSERT_MESSAGE_EMIT(" (%s): " format, #condition, ##__VA_ARGS__); \
      ::executorch::runtime::runtime_abort();                              \
    }                                                                      \
  } while (0)
#define ET_CHECK(condition)                       \
  do {                                            \
    if ET_UNLIKELY (!(condition)) {               \
      ET_ASSERT_MESSAGE_EMIT(": %s", #condition); \
      ::executorch::runtime::runtime_abort();     \
    }                                             \
  } while (0)

#ifdef NDEBUG
#define ET_DCHECK_MSG(condition, ...) static_cast<void>(0)
#define ET_DCHECK(condition) static_cast<void>(0)
#define ET_DEBUG_ONLY [[maybe_unused]]
#else
#define ET_DCHECK_MSG(condition, ...) ET_CHECK_MSG(condition, __VA_ARGS__)
#define ET_DCHECK(condition) ET_CHECK(condition)
#define ET_DEBUG_ONLY
#endif
#define ET_ASSERT_UNREACHABLE() ET_ASSERT_UNREACHABLE_MSG("no way leads here")
#define ET_ASSERT_UNREACHABLE_MSG(format, ...)  \
  do {                                          \
    ET_CHECK_MSG(false, format, ##__VA_ARGS__); \
    ET_UNREACHABLE();                           \
  } while (0)
