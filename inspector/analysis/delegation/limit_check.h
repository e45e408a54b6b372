// Whether a node keeps within what a partitioner takes of its operator (inspector/match/partitioner_limits.h), as far
// as the graph tells: a limit that a node keeps is no reason for its staying outside.
#pragma once

#include <string>

#include "inspector/analysis/graph/graph_model.h"

namespace et::inspector {

struct LimitCheck {
  bool kept = false;        ///< surely within; false also where the graph does not tell
  bool decomposed = false;  ///< of weights: not constant themselves, but computed from constants alone
  std::string what = {};    ///< what is beyond the limit here: "; here …", "" where that is not known
};

/// "[1, 3, 8]" has 3 dimensions; -1 where that is no list.
int rank_of(const std::string& shape);

LimitCheck check_limit(const GraphModel& m, const GraphNode& n);

}  // namespace et::inspector
