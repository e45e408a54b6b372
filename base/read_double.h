// std::from_chars for a double, also where the standard library has none yet (libc++).
#pragma once

#include <charconv>

namespace et {

/// Decimal and scientific notation, "inf" and "nan"; neither spaces nor a plus sign in front, no locale.
std::from_chars_result read_double(const char* first, const char* last, double* out);

}  // namespace et
