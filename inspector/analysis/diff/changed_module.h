// Which module of the model a difference between two traces is in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspector/analysis/diff/trace_diff.h"

namespace et::inspector {

struct ChangedModule {
  std::string path;             ///< "net.layers.1.mlp"
  double change = 0;            ///< of all rows below it
  std::vector<int32_t> groups;  ///< rows below it that make its change, indices in TraceDiff::groups, by its size
};

/// The innermost module with nearly all of the change (70 % of the totals' or more), of several ops, that stands out:
/// its part of the change is at least twice its part of the time. Nothing where the change is spread over the model, or
/// is that of one op, whose row says more.
std::optional<ChangedModule> changed_module(const TraceDiff& diff);

}  // namespace et::inspector
