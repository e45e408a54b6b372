// Which logged value of one run is which of another.
#pragma once

#include <cstddef>
#include <vector>

#include "inspector/analysis/ops/logged_values.h"

namespace et::inspector {

/// For each value what it may be in the reference, likeliest first.
using ValueMatches = std::vector<std::vector<size_t>>;

struct MatchedValues {
  ValueMatches matches;
  bool same_program = false;  ///< as far as its operators go: the same names at nearly all instructions
  const char* by = "";        ///< "instruction" or "graph node"
};

/// Values of the same program belong together by instruction, those of programs that were lowered in other ways by
/// their graph nodes; those of loops by how often they were written before. `unnamed`: also what may be any of the
/// results of its op's nodes, of which none is likely.
MatchedValues match_values(const std::vector<LoggedValue>& values, const std::vector<LoggedValue>& reference,
                           bool unnamed = false);

/// Values that are quantised by what they are just then: backends have scales and zero points of their own (one a row,
/// another zero), so that the integers say nothing.
bool quantised_in_its_own_way(const LoggedValue& value, const LoggedValue& reference);

}  // namespace et::inspector
