// A logged value as another tensor: delegates keep their values in layouts of their own (channels last, rows merged),
// and traces have float16 and bfloat16 as float32.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspector/analysis/ops/logged_values.h"

namespace et::inspector {

/// The value's elements as numbers; empty for what is no tensor of numbers.
std::vector<double> numbers_of(const LoggedValue& v);

/// The elements in each order in which they may be meant as a tensor of this dtype and shape, the likeliest first; none
/// when there are more or fewer, or the dtype is another one (floating ones are converted).
std::vector<std::string> arrangements(const LoggedValue& v, const std::string& dtype,
                                      const std::vector<int32_t>& shape);

/// The elements as a tensor of this dtype and of the shape of `like`: in the order in which they are nearest to it.
/// Empty: they cannot be one.
std::string rows_like(const LoggedValue& v, const std::string& dtype, const LoggedValue& like);

/// The numbers as elements of that dtype, limited to what it holds.
std::string elements_of(const std::vector<double>& numbers, const std::string& dtype);

/// float16, bfloat16, float32, float64.
bool is_floating_name(const std::string& dtype);

}  // namespace et::inspector
