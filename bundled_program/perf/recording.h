// Measuring one program by itself, for and against a recording. Two sides that were not measured together met different
// neighbours: what a core does falls to half as soon as another thread shares it, for milliseconds or for hours. So the
// machine's own speed is measured in each block, and only samples count that nobody interrupted, in blocks in which it
// is that of an undisturbed core.
#pragma once

#include <vector>

#include "bundled_program/perf/baseline.h"
#include "bundled_program/perf/sampler.h"
#include "bundled_program/perf/statistics.h"

namespace et::perf {

/// Speeds this far (as a logarithm) above the machine's best count as undisturbed.
inline constexpr double kUndisturbed = 0.03;

/// A smaller share of undisturbed blocks is luck: those next to the limit are disturbed, too.
inline constexpr double kMinUndisturbed = 0.2;

/// Unless both sides met the same best speed (within this, as a logarithm): then it is the machine's own, and no luck.
inline constexpr double kSameBest = 0.01;
inline constexpr double kMinAtSameBest = 0.04;

struct Undisturbed {
  double compute_ns = 0;  // the machine's best: a low quantile, so that a slip of the clock does not count
  double share = 0;       // of all blocks: in which the core was ours alone
  std::vector<BaselineRound> rounds;
};

/// What is left of the rounds of one program; instances and rounds with too little are dropped.
Undisturbed undisturbed(const std::vector<Round>& rounds);

/// Candidate against recording, independent of each other: a bootstrap over stretches of time, so that what changes
/// slowly counts as noise, too. A machine whose best speed differs is corrected for; how much of that a program feels
/// (one that waits for memory: less than all) is not known, and widens the interval.
struct AgainstRecording {
  Interval effect;     // logarithm of the ratio
  double noise = 0;    // half width of the recording's own interval between its halves
  double machine = 0;  // logarithm: how much slower the machine's best is than when the recording was made
};
AgainstRecording against_recording(const Undisturbed& candidate, const BaselineEntry& entry, double confidence,
                                   uint64_t seed);

}  // namespace et::perf
