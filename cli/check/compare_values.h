// Two logged values, compared as outputs of test cases are.
#pragma once

#include <optional>

#include "bundled_program/compare.h"
#include "inspector/analysis/ops/logged_values.h"

namespace et::cli {

/// The best comparison of `got` with an arrangement of `want`; none: they cannot be compared.
std::optional<bundled::Comparison> compare_values(const inspector::LoggedValue& got, const inspector::LoggedValue& want,
                                                  const bundled::Tolerance& tolerance);

}  // namespace et::cli
