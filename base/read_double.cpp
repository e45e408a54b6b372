#include "base/read_double.h"

#include <version>

#if !defined(__cpp_lib_to_chars)
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <string>
#include <string_view>
#if __has_include(<xlocale.h>)
#include <xlocale.h>
#endif
#endif

namespace et {

#if defined(__cpp_lib_to_chars)

std::from_chars_result read_double(const char* first, const char* last, double* out) {
  return std::from_chars(first, last, *out);
}

#else

std::from_chars_result read_double(const char* first, const char* last, double* out) {
  // Spaces, a plus sign and hexadecimal digits are what strtod takes beyond it.
  std::string_view digits(first, static_cast<size_t>(last - first));
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || std::string_view(" \t\n\v\f\r+-").find(digits.front()) != std::string_view::npos)
    return {first, std::errc::invalid_argument};
  const bool hexadecimal = digits.size() > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
  const std::string text(first, hexadecimal ? digits.data() + 1 : last);
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  char* end = nullptr;
  errno = 0;
  const double value = strtod_l(text.c_str(), &end, plain);
  if (end == text.c_str()) return {first, std::errc::invalid_argument};
  const char* const behind = first + (end - text.c_str());
  if (errno == ERANGE) return {behind, std::errc::result_out_of_range};
  *out = value;
  return {behind, std::errc()};
}

#endif

}  // namespace et
