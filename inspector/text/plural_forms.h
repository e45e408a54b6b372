// The header "Plural-Forms" of a gettext catalogue: which of a language's forms stands beside a number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace et::inspector {

/// The form for `n` by the C expression of "nplurals=…; plural=EXPRESSION;", as gettext documents it: n, numbers, ( ),
/// ! * / % + - < <= > >= == != && || ?: . What cannot be read is 0.
size_t plural_form(std::string_view header, uint64_t n);

}  // namespace et::inspector
