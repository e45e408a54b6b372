// Views of arrays and text under the names that ExecuTorch users know.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/span.h"

namespace et {

using IntArrayRef = ArrayRef<int64_t>;
using std::nullopt;
using std::optional;
using string_view = std::string_view;

}  // namespace et
