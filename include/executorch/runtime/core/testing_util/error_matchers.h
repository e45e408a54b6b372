// Matchers of Error and Result for googletest.
#pragma once

#include <gmock/gmock.h>

#include <ostream>
#include <utility>

#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/result.h"

#define ASSERT_OK_AND_UNWRAP(result) \
  __extension__({                    \
    auto&& et_result_ = (result);    \
    ASSERT_TRUE(et_result_.ok());    \
    std::move(*et_result_);          \
  })

namespace et {
// Beside the type, so that googletest finds it.
inline void PrintTo(const Error& error, std::ostream* out) { *out << ::executorch::runtime::to_string(error); }
}  // namespace et

namespace executorch::runtime::testing {

inline Error GetError(const Error& error) { return error; }
template <class T>
Error GetError(const Result<T>& result) {
  return result.error();
}

MATCHER(IsOk, negation ? "is not OK" : "is OK") {
  *result_listener << "which has error " << to_string(GetError(arg));
  return GetError(arg) == Error::Ok;
}
MATCHER_P(ErrorIs, error, "") {
  *result_listener << "which has error " << to_string(GetError(arg));
  return ::testing::Matches(error)(GetError(arg));
}
MATCHER_P(IsOkAndHolds, value, "") {
  if (!arg.ok()) {
    *result_listener << "which has error " << to_string(arg.error());
    return false;
  }
  return ::testing::ExplainMatchResult(value, *arg, result_listener);
}

}  // namespace executorch::runtime::testing
