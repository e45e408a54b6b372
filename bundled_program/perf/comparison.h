// Is a program slower than it was? Measures a candidate against a baseline, in one call (interleaved) or against a
// recorded one, and says so only when the data does. docs/performance-checks.md explains and shows how it was tested.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/status.h"
#include "bundled_program/perf/baseline.h"
#include "bundled_program/perf/clock.h"
#include "bundled_program/perf/workload.h"

namespace et::perf {

struct PerfOptions {
  /// Seconds for one comparison or recording, loading included, that this thread runs; where others take the processor,
  /// or executions are so long that the min number of rounds takes more, at most four times as many on the wall. A
  /// comparison ends earlier when the answer is clear.
  double budget_s = 5;
  /// Differences below it are none, as a fraction (0.01: 1 %). From 0.001 on.
  double min_effect = 0.01;
  /// What a change may cost, as a fraction. Above min_effect.
  double max_slowdown = 0.05;
  /// Of the thread by default, which preemption does not touch; Wall when the program uses several threads.
  Clock clock = Clock::Cpu;
  /// Measure against a baseline of another host all the same.
  bool allow_other_host = false;
  /// Of placements, order and bootstrap.
  uint64_t seed = 1;
  /// Nanoseconds, of everything; empty: the system's clocks. For tests.
  std::function<uint64_t()> now;
};

struct PerfResult {
  enum Verdict { NoDifference, Slower, Faster, TooNoisy, Refused };
  Verdict verdict = TooNoisy;
  /// Slower only within what is allowed passes. TooNoisy and Refused neither pass nor fail: false here, see judged().
  bool passed = false;
  bool judged() const { return verdict != TooNoisy && verdict != Refused; }
  double median_ns = 0;           // of one execution of the candidate; measured in turns: baseline_median_ns · ratio
  double baseline_median_ns = 0;  // of the baseline; of a recorded one as recorded
  double ratio = 0;               // candidate / baseline; 0: not measured
  double ratio_low = 0, ratio_high = 0;
  double noise = 0;      // half width of the same interval for a program against itself, as a fraction
  size_t rounds = 0;     // of the candidate
  size_t samples = 0;    // timed batches of the candidate
  double elapsed_s = 0;  // wall
  std::string text;      // "slower by 4–7 % (…)"
  std::string clock;     // "cpu" or "wall"
};

/// "no_difference", "slower", "faster", "too_noisy", "refused".
const char* verdict_name(PerfResult::Verdict verdict);

/// Both sides in turns, in one process. Errors: of the workloads; InvalidArgument: of the options.
Status compare_interleaved(Workload& candidate, Workload& baseline, const PerfOptions& options, PerfResult* out);

/// Measures for the whole of options.budget_s. `out`: everything but file, program, method and test_case.
Status record_baseline(Workload& workload, const PerfOptions& options, BaselineEntry* out);

/// Empty, or why comparisons with a recording will be too noisy: on a machine that never rests it has too few rounds.
std::string problem_of(const BaselineEntry& entry);

/// Against a recording. Refused, with what differs in the text: the entry is of another host or build of this program,
/// unless options.allow_other_host; or taken with another clock.
Status compare_with_baseline(Workload& candidate, const BaselineEntry& entry, const PerfOptions& options,
                             PerfResult* out);

}  // namespace et::perf
