// What the processor counted in the ops of a roofline's rows, where the trace has counters (et-run --counters): beside
// the formulas' operations and bytes it tells what was really fetched and executed.
#pragma once

#include <optional>
#include <vector>

#include "inspector/analysis/work/roofline.h"

namespace et::inspector {

/// Per execution, mean of those with counters; nullopt what was not counted.
struct MeasuredCounts {
  std::optional<double> cycles, instructions, cache_misses;

  bool any() const { return cycles || instructions || cache_misses; }
  /// Bytes that misses of the last cache fetched. Prefetched lines are no misses: it is a least.
  std::optional<double> fetched_bytes() const {
    return cache_misses ? std::optional(*cache_misses * kCacheLine) : std::nullopt;
  }
  static constexpr double kCacheLine = 64;
};

/// One for each row. An op that encloses others was counted with them, so its row has none; nor has one where an op
/// was not counted. Empty for a trace without counters.
std::vector<MeasuredCounts> measured_counts(const Store& store, const OpTable& shown, const Roofline& roofline);

}  // namespace et::inspector
