// optional.
#pragma once

#include <optional>

namespace executorch::runtime::etensor {
using std::nullopt;
using std::nullopt_t;
using std::optional;
}  // namespace executorch::runtime::etensor
namespace torch::executor {
using std::nullopt;
using std::nullopt_t;
using std::optional;
}  // namespace torch::executor
