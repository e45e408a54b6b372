// Executions that were held up: the processor was taken from them, once or several times. Whatever is said of how
// executions change over time, or of groups among them, is said of what they would have taken without.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/execution_notes.h"

namespace et::inspector {

struct HeldUp {
  size_t index = 0;            ///< in `times`
  double ticks = 0;            ///< that it was held up
  std::vector<ExtraTime> ops;  ///< what it took more, the most first
};

/// What the execution at `index` took more than `usual`, by op, the most first. May leave `out` empty.
using ExplainExecution = std::function<Status(size_t index, double usual, std::vector<ExtraTime>* out)>;

/// Of the executions that took a quarter more than the quick ones those whose ops say why: at least half of it is in
/// ops, or in no op, that took over 20 times their usual time (kInterrupted). An op that many of them have their time
/// in has a slow way of its own, and was not held up. At most `most` are looked at, the slowest first. In the order of
/// `times`. Errors: those of `explain`.
Status find_held_up(std::span<const double> times, size_t most, const ExplainExecution& explain,
                    std::vector<HeldUp>* out);

}  // namespace et::inspector
