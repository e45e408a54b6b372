// Text from files is any bytes; the store and every output are UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace et {

inline constexpr const char* kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

/// Length of the UTF-8 sequence at `text[i]`, 0 when there is none (overlong, surrogate, cut or stray).
int utf8_length(std::string_view text, size_t i);

/// True when `text` is UTF-8 without NUL. SQL text functions stop at a NUL, so none may enter the store.
bool is_storable_text(std::string_view text);

/// `text` with U+FFFD in place of every byte that is_storable_text() objects to.
std::string storable_text(std::string_view text);

}  // namespace et
