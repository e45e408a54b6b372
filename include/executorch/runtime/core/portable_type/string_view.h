// string_view.
#pragma once

#include <string_view>

namespace executorch::runtime::etensor {
using std::string_view;
}  // namespace executorch::runtime::etensor
namespace torch::executor {
using std::string_view;
}  // namespace torch::executor
