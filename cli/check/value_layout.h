// A logged value as another tensor: delegates keep their values in layouts of their own (channels last, rows merged),
// and traces have float16 and bfloat16 as float32.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bundled_program/compare.h"
#include "inspector/analysis/ops/logged_values.h"

namespace et::cli {

/// The value's elements as numbers; empty for what is no tensor of numbers.
std::vector<double> numbers_of(const inspector::LoggedValue& v);

/// The elements in each order in which they may be meant as a tensor of this dtype and shape, the likeliest first; none
/// when there are more or fewer, or the dtype is another one (floating ones are converted).
std::vector<std::string> arrangements(const inspector::LoggedValue& v, const std::string& dtype,
                                      const std::vector<int32_t>& shape);

/// The elements as a tensor of this dtype and of the shape of `like`: in the order in which they are nearest to it.
/// Empty: they cannot be one.
std::string rows_like(const inspector::LoggedValue& v, const std::string& dtype, const inspector::LoggedValue& like);

/// The numbers as elements of that dtype, limited to what it holds.
std::string elements_of(const std::vector<double>& numbers, const std::string& dtype);

/// The best comparison of `got` with an arrangement of `want`; none: they cannot be compared.
std::optional<bundled::Comparison> compare_values(const inspector::LoggedValue& got, const inspector::LoggedValue& want,
                                                  const bundled::Tolerance& tolerance);

bool is_floating_name(const std::string& dtype);

}  // namespace et::cli
