// What makes a difference between two traces, in as few parts as say it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspector/analysis/diff/trace_diff.h"

namespace et::inspector {

/// A part of the difference.
struct DiffShare {
  enum class Of : uint8_t { Op, Type, Module };  ///< what the parts of the answer are
  std::string title;  ///< with its module or line; "aten.linear ×18" of a type, "net.mlp (aten.addmm ×2)" of a module
  double change = 0;
  int32_t group = -1;  ///< index in TraceDiff::groups; -1: the rest; of several the row with the largest change
  Of of = Of::Op;
  std::string module = {};  ///< Module: its path
  std::string type = {};    ///< Type: DiffGroup::type of its rows; "" of what has none
};

/// The one module that the change is in, when there is one (changed_module). Else as many ops as have at least a
/// twentieth of it, three at most; where no single one says much, because many ops of one type changed a little, types
/// of operators. What no op's usual time explains stands after them and says so, and the rest at the end.
/// Changes add up to that of the totals; none where the totals differ by less than 0.1 %.
std::vector<DiffShare> diff_shares(const TraceDiff& diff);

/// The same of one of several methods.
struct MethodShares {
  std::string method;
  double change = 0;
  std::vector<DiffShare> shares;
};
/// Of all methods that ran on both sides and have shares.
std::vector<MethodShares> diff_shares_by_method(const TraceDiff& diff);

}  // namespace et::inspector
