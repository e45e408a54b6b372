// "Did you mean": the candidate that is the fewest slips of the pen away.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace et::cli {

/// Slips between two words: a letter inserted, left out, replaced, or two neighbours swapped.
int slips(std::string_view a, std::string_view b);

/// The nearest candidate, "" when none is near enough to have been meant.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace et::cli
