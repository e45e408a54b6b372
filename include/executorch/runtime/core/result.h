// Result<T>: a value or an Error, and the macros that unwrap it.
#pragma once

#include "base/result.h"
#include "executorch/runtime/core/error.h"
#include "executorch/runtime/platform/assert.h"

namespace executorch::runtime {
using ::et::Result;
}
namespace torch::executor {
using ::executorch::runtime::Result;
}

/// The value of a Result; its error, with the message if there is one, is returned from the function.
#define ET_UNWRAP(result, ...)     \
  __extension__({                  \
    auto et_result_ = (result);    \
    if (!et_result_.ok()) {        \
      ET_LOG_IF_SAID(__VA_ARGS__); \
      return et_result_.error();   \
    }                              \
    std::move(*et_result_);        \
  })
/// The same, as the declaration of a variable.
#define ET_ASSIGN_OR_RETURN(variable, result, ...) \
  auto et_result_of_##variable = (result);         \
  if (!et_result_of_##variable.ok()) {             \
    ET_LOG_IF_SAID(__VA_ARGS__);                   \
    return et_result_of_##variable.error();        \
  }                                                \
  auto variable = std::move(*et_result_of_##variable)
