// What delegating more would spare at most: the time of non-delegated operators, as if a delegate did their work in no
// time, and of transposes at the graph breaks that would be gone with them. An upper bound, not a forecast: a delegate
// takes some time for the work, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspector/analysis/delegation/delegation_map.h"

namespace et::inspector {

/// Non-delegated operators that would be delegated together.
struct WhatIf {
  std::optional<StayReason::Kind> reason;  ///< of a row by reason: the first reason of each operator
  std::string op;                          ///< of a row by operator
  int64_t ops = 0;                         ///< with an instruction
  double ns = 0;                           ///< their time
  double copy_ns = 0;                      ///< of it, of those that only move data
  int64_t breaks = 0;                      ///< graph breaks that hold nothing else
  double break_ns = 0;                     ///< what these breaks cost besides: transposes at the delegates' edges
  int64_t bytes = 0;                       ///< that cross in these breaks; -1 unknown
  double most() const { return ns + break_ns; }
  /// The same in two parts, of which neither shrinks where more is delegated.
  double computing() const { return ns - copy_ns; }
  double moving() const { return copy_ns + break_ns; }
};

struct WhatIfDelegated {
  std::vector<WhatIf> by_reason;    ///< the most time first; each operator is in one of them
  std::vector<WhatIf> by_operator;  ///< the same by operator type
  WhatIf supported;                 ///< operators of which others are delegated in this program
  WhatIf all;                       ///< all of them
};

/// Operators without an instruction cost nothing and are in no row. Control flow stays outside: no backend takes it.
WhatIfDelegated what_if_delegated(const DelegationMap& map);

/// It has an instruction, and a backend might take it: no control flow.
bool counts_in_what_if(const NonDelegatedOp& op);

/// Others of the same operator are delegated in this program.
bool is_supported_elsewhere(const NonDelegatedOp& op);

/// What the numbers are, in a sentence.
const char* what_if_text();

}  // namespace et::inspector
