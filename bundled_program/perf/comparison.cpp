#include "bundled_program/perf/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bundled_program/perf/decision.h"
#include "bundled_program/perf/recording.h"
#include "bundled_program/perf/sampler.h"
#include "bundled_program/perf/statistics.h"

namespace et::perf {
namespace {

Status check(const PerfOptions& options) {
  const bool fine = options.min_effect >= 0.001 && options.max_slowdown > options.min_effect &&
                    options.max_slowdown <= 10 && options.budget_s > 0 && options.budget_s <= 86400;
  return fine ? Status()
              : Status(Error::InvalidArgument,
                       "performance options: expected 0.1 % <= smallest effect < largest slowdown <= 1000 % and a "
                       "budget above 0");
}

/// Wall seconds for a second of the budget, where this thread has to wait.
constexpr double kMaxWall = 4;

/// The clocks, and the time that is left.
class Timer {
 public:
  explicit Timer(const PerfOptions& options) : budget_(options.budget_s) {
    const auto clock = [&](Clock kind) -> std::function<uint64_t()> {
      return options.now ? options.now : [kind] { return clock_ns(kind); };
    };
    now = clock(options.clock);
    wall_ = clock(Clock::Wall);
    if (options.clock == Clock::Cpu) wall = wall_;
    thread_ = clock(Clock::Cpu);
    started_ = wall_();
    thread_started_ = thread_();
  }
  /// On the wall.
  double elapsed_s() const { return static_cast<double>(wall_() - started_) * 1e-9; }
  bool spent() const {
    return elapsed_s() >= kMaxWall * budget_ || static_cast<double>(thread_() - thread_started_) * 1e-9 >= budget_;
  }
  /// `rounds`: those so far; without the least number there is no verdict, and hopeless cases end all the same.
  bool over(size_t rounds) const { return spent() && (rounds >= kMinRounds || elapsed_s() >= kMaxWall * budget_); }

  std::function<uint64_t()> now;
  /// Of the wall where `now` is the thread's; else empty.
  std::function<uint64_t()> wall;

 private:
  std::function<uint64_t()> wall_, thread_;
  double budget_;
  uint64_t started_ = 0, thread_started_ = 0;
};

double median_ns(const std::vector<BaselineRound>& rounds) {
  std::vector<double> times;
  for (const BaselineRound& round : rounds) times.push_back(round.ns);
  return median(std::move(times));
}

constexpr char kWhenRecorded[] = "when the baseline was recorded";

/// Empty: the machine rested enough, at least for the share `min_share` of the time.
std::string too_busy(size_t rounds, double share, double min_share, const char* when) {
  if (rounds >= kMinRounds && share >= min_share) return "";
  char text[200];
  std::snprintf(
      text, sizeof(text),
      "other processes used the core %s: it was undisturbed for %.0f %% of the time and in %zu rounds, expected at "
      "least %.0f %% and %zu rounds",
      when, 100 * share, rounds, 100 * min_share, kMinRounds);
  return text;
}

/// Empty: the recording can be used.
std::string why_refused(const BaselineEntry& entry, const PerfOptions& options) {
  if (entry.clock != options.clock) {
    return std::string("the baseline was recorded with the ") + clock_name(entry.clock) + " clock, not the " +
           clock_name(options.clock) + " clock";
  }
  const std::string other = differences(entry.host, host_print());
  if (other.empty() || options.allow_other_host) return "";
  return "the baseline was recorded elsewhere: " + other;
}

/// When to look: after ever more rounds, a quarter more each time.
size_t next_look(size_t rounds) { return rounds + std::max<size_t>(2, rounds / 4); }

}  // namespace

const char* verdict_name(PerfResult::Verdict verdict) {
  switch (verdict) {
    case PerfResult::NoDifference:
      return "no_difference";
    case PerfResult::Slower:
      return "slower";
    case PerfResult::Faster:
      return "faster";
    case PerfResult::TooNoisy:
      return "too_noisy";
    case PerfResult::Refused:
      return "refused";
  }
  return "";
}

Status compare_interleaved(Workload& candidate, Workload& baseline, const PerfOptions& options, PerfResult* out) {
  if (Status status = check(options); !status.ok()) return status;
  *out = PerfResult();
  out->clock = clock_name(options.clock);
  const Timer timer(options);
  Sampler sampler(&candidate, &baseline, nullptr, timer.now, {}, options.seed);
  if (Status status = sampler.calibrate(); !status.ok()) return status;

  std::vector<double> effects, nothings, own, other;
  Effect effect;
  for (size_t look = kMinRounds;;) {
    Round round;
    if (Status status = sampler.round(&round); !status.ok()) return status;
    const Contrast c = contrast(round);
    effects.push_back(c.effect);
    nothings.push_back(c.nothing);
    for (size_t i = 0; i < kSlots; ++i) (i < kSlots / 2 ? own : other).push_back(median(round.slot[i]));
    out->samples += 2 * round.slot[0].size();
    const bool over = timer.over(effects.size());
    if (effects.size() < look && !over) continue;
    look = next_look(effects.size());
    effect.effect = bootstrap(effects, kConfidence, options.seed);
    effect.nothing = bootstrap(nothings, kConfidence, options.seed);
    if (over || decided(effect, options)) break;
  }
  out->rounds = effects.size();
  // One level for both, and between them what the rounds say: medians of each side would differ by chance where the
  // machine has two speeds.
  const double half = std::exp(effect.effect.centre / 2);
  std::vector<double> level;
  for (double ns : own) level.push_back(ns / half);
  for (double ns : other) level.push_back(ns * half);
  const double middle = median(std::move(level));
  out->median_ns = middle * half;
  out->baseline_median_ns = middle / half;
  out->elapsed_s = timer.elapsed_s();
  decide(effect, options, out);
  return {};
}

Status record_baseline(Workload& workload, const PerfOptions& options, BaselineEntry* out) {
  if (Status status = check(options); !status.ok()) return status;
  const Timer timer(options);
  Machine machine;
  Sampler sampler(&workload, &workload, &machine, timer.now, timer.wall, options.seed);
  if (Status status = sampler.calibrate(); !status.ok()) return status;
  std::vector<Round> rounds;
  Undisturbed found;
  size_t samples = 0;
  for (size_t look = kMinRounds; !timer.over(found.rounds.size());) {
    rounds.emplace_back();
    if (Status status = sampler.round(&rounds.back()); !status.ok()) return status;
    samples += kSlots * rounds.back().slot[0].size();
    if (rounds.size() < look && !timer.spent()) continue;
    look = next_look(rounds.size());
    found = undisturbed(rounds);
  }
  found = undisturbed(rounds);
  out->recorded = utc_now();
  out->host = host_print();
  out->clock = options.clock;
  out->median_ns = found.rounds.empty() ? median(rounds.back().slot[0]) : median_ns(found.rounds);
  out->samples = samples;
  out->batch = sampler.batch();
  out->undisturbed = found.share;
  out->compute_ns = found.compute_ns;
  out->rounds = std::move(found.rounds);
  return {};
}

std::string problem_of(const BaselineEntry& entry) {
  return too_busy(entry.rounds.size(), entry.undisturbed, kMinAtSameBest, kWhenRecorded);
}

Status compare_with_baseline(Workload& candidate, const BaselineEntry& entry, const PerfOptions& options,
                             PerfResult* out) {
  if (Status status = check(options); !status.ok()) return status;
  *out = PerfResult();
  out->clock = clock_name(options.clock);
  out->baseline_median_ns = entry.median_ns;
  const std::string refused = why_refused(entry, options);
  if (!refused.empty()) {
    out->verdict = PerfResult::Refused;
    out->text = "refused: " + refused;
    return {};
  }
  if (const std::string problem = problem_of(entry); !problem.empty()) {
    out->text = "too noisy to tell: " + problem;
    return {};
  }
  const Timer timer(options);
  Machine machine;
  Sampler sampler(&candidate, &candidate, &machine, timer.now, timer.wall, options.seed);
  if (Status status = sampler.calibrate(); !status.ok()) return status;
  std::vector<Round> rounds;
  Undisturbed found;
  AgainstRecording against;
  Effect effect;
  std::string busy;
  for (size_t look = kMinRounds;;) {
    rounds.emplace_back();
    if (Status status = sampler.round(&rounds.back()); !status.ok()) return status;
    out->samples += kSlots * rounds.back().slot[0].size();
    if (rounds.size() < look && !timer.spent()) continue;
    look = next_look(rounds.size());
    found = undisturbed(rounds);
    against = against_recording(found, entry, kConfidence, options.seed);
    effect.effect = against.effect;
    effect.nothing = {0, -against.noise, against.noise};
    const double min_share = std::fabs(against.machine) <= kSameBest ? kMinAtSameBest : kMinUndisturbed;
    busy = too_busy(found.rounds.size(), found.share, min_share, "now");
    if (busy.empty()) busy = too_busy(entry.rounds.size(), entry.undisturbed, min_share, kWhenRecorded);
    const bool enough = busy.empty() && found.rounds.size() >= 2 * kMinRounds && decided(effect, options);
    if (enough || timer.over(found.rounds.size())) break;
  }
  out->rounds = found.rounds.size();
  out->median_ns = median_ns(found.rounds);
  out->elapsed_s = timer.elapsed_s();
  decide(effect, options, out);
  if (!busy.empty()) {
    out->verdict = PerfResult::TooNoisy;
    out->passed = false;
    out->text = "too noisy to tell: " + busy;
    return {};
  }
  if (std::fabs(against.machine) > kUndisturbed) {
    out->text += "; the machine itself is " + change_text(against.machine) + " than when the baseline was recorded";
  }
  return {};
}

}  // namespace et::perf
