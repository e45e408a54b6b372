// Questions about a span of a timeline and about single samples in it: what a range cost by op, and where the next
// sample of some ops is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "inspector/analysis/timeline/timeline_index.h"

namespace et::inspector {

/// Time of an op inside of a range. Samples that stick out of the range count with what lies inside.
struct RangeOp {
  int32_t op = 0;     ///< index into OpTable::ops
  int64_t count = 0;  ///< samples that overlap the range
  int64_t total = 0;  ///< inclusive
  int64_t self = 0;   ///< without the enclosed ops; may be negative where these stick out, see the view unattributed
};

struct RangeStatistics {
  int64_t begin = 0, end = 0;
  int64_t outside = 0;       ///< time of the range in no op: the sum of all `self` and this is end - begin
  std::vector<RangeOp> ops;  ///< on the trace's clock, costliest self time first
};

/// Errors: InvalidExternalData (damaged store).
Status range_statistics(const Store& store, const TimelineIndex& index, int64_t begin, int64_t end,
                        const std::function<bool()>& cancelled, RangeStatistics* out);

struct FoundSample {
  int32_t op = 0;
  int64_t position = 0;
  SampleTime time;
};

/// Samples are in the order of their start; of those that start together, the enclosing ones first.
struct SamplePlace {
  int64_t time = 0;
  int32_t op = -1;  ///< -1: before or behind all that start at `time`, whichever way is gone
  int64_t position = 0;
};
/// The sample of one of `ops` that is next after (forward) or before `from`: going on so visits each of them once. Ops
/// on a foreign clock are passed over. nullopt when there is none.
std::optional<FoundSample> neighbour_sample(SampleReader& reader, const TimelineIndex& index,
                                            std::span<const int32_t> ops, const SamplePlace& from, bool forward);
/// How many samples of `ops` come before `place` or are at it: 3 for the third.
int64_t count_samples_until(SampleReader& reader, const TimelineIndex& index, std::span<const int32_t> ops,
                            const SamplePlace& place);

}  // namespace et::inspector
