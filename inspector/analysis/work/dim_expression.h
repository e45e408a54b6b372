// Sizes of dynamic shapes as torch.export writes them: "s27 - 2", "((s27 - 1)//2) + 1", "Max(1, s0)".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace et::inspector {

/// Numbers for symbols in dynamic shapes.
using DimValues = std::map<std::string, int64_t, std::less<>>;

/// nullopt where a symbol has no number, the result is no integer or too large, and for what is no such expression.
std::optional<int64_t> evaluate_dim(std::string_view text, const DimValues& dims);

/// "[1, s27 - 2, 96]" with numbers for the sizes that can be worked out, the others as they are.
std::string with_dims(std::string_view shape, const DimValues& dims);

}  // namespace et::inspector
