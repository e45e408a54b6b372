// The op tree of a trace with times that add up: what flame graphs draw. Nothing of it depends on single samples.
#pragma once

#include <cstdint>
#include <vector>

#include "inspector/analysis/timeline/timeline.h"

namespace et::inspector {

/// By index into Timeline::ops(); ops on a foreign clock have 0.
///
/// Enclosed ops may sum to more than the enclosing one (a clock of whole microseconds rounds up): a picture cannot show
/// negative time, so they are shrunk in proportion until they fit. `shrunk` says by how much in all. For each block
///   rest + sum of `self` over its ops = OpBlock::total.
struct TimelineTree {
  std::vector<int64_t> total;                  ///< inclusive time
  std::vector<int64_t> self;                   ///< without the enclosed ops, never negative
  std::vector<std::vector<int32_t>> children;  ///< in the order of execution
  std::vector<std::vector<int32_t>> roots;     ///< by block
  std::vector<int64_t> rest;                   ///< by block: time of the block outside all ops
  int64_t shrunk = 0;
};

TimelineTree build_tree(const Timeline& timeline);

}  // namespace et::inspector
