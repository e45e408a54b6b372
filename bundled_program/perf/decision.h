// From rounds to a verdict: pure functions, so that they can be tested with any noise.
#pragma once

#include <string>
#include <vector>

#include "bundled_program/perf/comparison.h"
#include "bundled_program/perf/sampler.h"
#include "bundled_program/perf/statistics.h"

namespace et::perf {

/// The confidence of every interval that is shown.
inline constexpr double kConfidence = 0.95;
/// Min rounds for a verdict.
inline constexpr size_t kMinRounds = 10;

/// What a round says, as logarithms. Differences are taken within a block, where both sides met the same machine; the
/// median of the blocks drops those that were disturbed.
struct Contrast {
  double effect = 0;   // candidate against baseline
  double nothing = 0;  // the same combination of the same times, but each program against itself
};
Contrast contrast(const Round& round);

struct Effect {
  Interval effect, nothing;  // logarithms of ratios
};

/// Half of an interval's width, as a logarithm, from which on the verdicts mean something: an interval that begins
/// below min_effect then ends below max_slowdown, so that "no difference" never hides what is not allowed.
double widest(const PerfOptions& options);

/// True when more rounds would not change the answer: the interval is as narrow as the smallest effect, or so far from
/// no effect that its width does not matter. It looks at the width and not at the place, so that looking often does not
/// find what is not there.
bool decided(const Effect& effect, const PerfOptions& options);

/// Sets verdict, passed, ratio, ratio_low, ratio_high, noise and text of `out`; medians, rounds, samples and elapsed_s
/// must be set.
void decide(const Effect& effect, const PerfOptions& options, PerfResult* out);

/// "0.4 % faster" of −0.004, a logarithm of a ratio of times.
std::string change_text(double log_ratio);

/// "1.23 ms".
std::string duration_text(double ns);

}  // namespace et::perf
