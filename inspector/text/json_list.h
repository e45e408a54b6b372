// Small JSON lists as the store keeps them in TEXT columns: [1, 2], ["a", "b"].
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "inspector/text/format.h"

namespace et::inspector {

template <class Range>
std::string json_list(const Range& values) {
  std::string out = "[";
  for (const auto& v : values) {
    if (out.size() > 1) out += ", ";
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(v)>>) {
      out += std::to_string(v);
    } else {
      append_json_string(&out, v);
    }
  }
  return out + "]";
}

}  // namespace et::inspector
