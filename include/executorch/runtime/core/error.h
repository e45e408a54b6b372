// Error codes and the checks that return them.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "executorch/runtime/core/defines.h"
#include "executorch/runtime/platform/log.h"

namespace executorch::runtime {

typedef uint32_t error_code_t;
using ::et::Error;

constexpr const char* to_string(Error error) {
#define ET_ERROR_TEXT(name) \
  case Error::name:         \
    return "Error::" #name;
  switch (error) {
    ET_ERROR_TEXT(Ok)
    ET_ERROR_TEXT(Internal)
    ET_ERROR_TEXT(InvalidState)
    ET_ERROR_TEXT(EndOfMethod)
    ET_ERROR_TEXT(AlreadyLoaded)
    ET_ERROR_TEXT(NotSupported)
    ET_ERROR_TEXT(NotImplemented)
    ET_ERROR_TEXT(InvalidArgument)
    ET_ERROR_TEXT(InvalidType)
    ET_ERROR_TEXT(OperatorMissing)
    ET_ERROR_TEXT(RegistrationExceedingMaxKernels)
    ET_ERROR_TEXT(RegistrationAlreadyRegistered)
    ET_ERROR_TEXT(NotFound)
    ET_ERROR_TEXT(MemoryAllocationFailed)
    ET_ERROR_TEXT(AccessFailed)
    ET_ERROR_TEXT(InvalidProgram)
    ET_ERROR_TEXT(InvalidExternalData)
    ET_ERROR_TEXT(OutOfResources)
    ET_ERROR_TEXT(DelegateInvalidCompatibility)
    ET_ERROR_TEXT(DelegateMemoryAllocationFailed)
    ET_ERROR_TEXT(DelegateInvalidHandle)
  }
#undef ET_ERROR_TEXT
  return "Error::Unknown";
}

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::Error;
using ::executorch::runtime::error_code_t;
}  // namespace torch::executor

// Blocks, so that code which leaves out the semicolon compiles too.
#undef ET_CHECK_OR_RETURN_ERROR
#define ET_CHECK_OR_RETURN_ERROR(condition, error, ...) \
  {                                                     \
    if (!(condition)) {                                 \
      ET_LOG(Error, __VA_ARGS__);                       \
      return ::et::Error::error;                        \
    }                                                   \
  }
#define ET_CHECK_OR_RETURN_FALSE(condition, format, ...)                      \
  {                                                                           \
    if (!(condition)) {                                                       \
      ET_LOG(Error, "Check failed (%s): " format, #condition, ##__VA_ARGS__); \
      return false;                                                           \
    }                                                                         \
  }
/// With an expression alone, or with a message as well.
#undef ET_CHECK_OK_OR_RETURN_ERROR
#define ET_CHECK_OK_OR_RETURN_ERROR(expression, ...) \
  do {                                               \
    const ::et::Error et_error_ = (expression);      \
    if (et_error_ != ::et::Error::Ok) {              \
      ET_LOG_IF_SAID(__VA_ARGS__);                   \
      return et_error_;                              \
    }                                                \
  } while (0)
/// Logs the message if there is one; a literal comes first in it.
#define ET_LOG_IF_SAID(...)                                                                      \
  do {                                                                                           \
    _Pragma("GCC diagnostic push")                                                               \
        _Pragma("GCC diagnostic ignored \"-Wformat-zero-length\"") if (sizeof(#__VA_ARGS__) > 1) \
            ET_LOG(Error, "" __VA_ARGS__);                                                       \
    _Pragma("GCC diagnostic pop")                                                                \
  } while (0)
