// "Did you mean": the candidate that is the fewest typos away.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace et {

/// Typos between two words: a letter inserted, left out, replaced, or two neighbours swapped.
int typos(std::string_view a, std::string_view b);

/// The nearest candidate, "" when none is close enough.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// The end of a message: "; did you mean 'PREFIXnearest'?", "" when no candidate is close enough.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates, std::string_view prefix = "");

}  // namespace et
