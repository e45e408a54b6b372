#include "bundled_program/perf/recording.h"

#include <algorithm>
#include <cmath>

namespace et::perf {
namespace {

constexpr double kBestQuantile = 0.1;
/// Undisturbed samples that an instance needs.
constexpr size_t kMinSamples = 2;
/// Stretches that the rounds of one side are joined to.
constexpr size_t kStretches = 20;
/// An allowance for what two processes differ in and no placement within one makes up for: code and its pages.
constexpr double kBetweenProcesses = 0.005;

double best_of(const std::vector<Round>& rounds) {
  std::vector<double> all;
  for (const Round& round : rounds) all.insert(all.end(), round.compute.begin(), round.compute.end());
  if (all.empty()) return 0;
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(kBestQuantile * static_cast<double>(all.size() - 1));
  std::nth_element(all.begin(), at, all.end());
  return *at;
}

/// Logarithms of the rounds' times, in stretches of equally many rounds.
std::vector<double> stretches(const std::vector<BaselineRound>& rounds) {
  const size_t count = std::min(rounds.size(), kStretches);
  std::vector<double> out;
  for (size_t i = 0; i < count; ++i) {
    std::vector<double> part;
    for (size_t k = i * rounds.size() / count; k < (i + 1) * rounds.size() / count; ++k) {
      part.push_back(std::log(rounds[k].ns));
    }
    out.push_back(midmean(std::move(part)));
  }
  return out;
}

}  // namespace

Undisturbed undisturbed(const std::vector<Round>& rounds) {
  Undisturbed out;
  out.compute_ns = best_of(rounds);
  const double longest = out.compute_ns * std::exp(kUndisturbed);
  size_t blocks = 0, kept = 0;
  for (const Round& round : rounds) {
    std::vector<double> times[kSlots], memory;
    // The loop is timed at the end of a block: it has to be fast there and at the end of the block before.
    for (size_t k = 0; k < round.compute.size(); ++k) {
      ++blocks;
      if (round.compute[k] > longest || (k > 0 && round.compute[k - 1] > longest)) continue;
      for (size_t i = 0; i < kSlots; ++i) {
        if (round.whole[i][k]) times[i].push_back(round.slot[i][k]);
      }
      memory.push_back(round.memory[k]);
      ++kept;
    }
    double sum = 0;
    size_t instances = 0;
    for (std::vector<double>& t : times) {
      if (t.size() < kMinSamples) continue;
      sum += std::log(median(std::move(t)));
      ++instances;
    }
    if (instances < kSlots / 2) continue;
    out.rounds.push_back({std::exp(sum / static_cast<double>(instances)), median(std::move(memory))});
  }
  out.share = blocks == 0 ? 0 : static_cast<double>(kept) / static_cast<double>(blocks);
  return out;
}

AgainstRecording against_recording(const Undisturbed& candidate, const BaselineEntry& entry, double confidence,
                                   uint64_t seed) {
  AgainstRecording out;
  const std::vector<double> own = stretches(candidate.rounds), recorded = stretches(entry.rounds);
  if (own.empty() || recorded.empty()) return out;
  out.effect = bootstrap_difference(own, recorded, confidence, seed);
  // The recording against itself, one stretch here and one there.
  std::vector<double> halves[2];
  for (size_t i = 0; i < recorded.size(); ++i) halves[i % 2].push_back(recorded[i]);
  out.noise = bootstrap_difference(halves[0], halves[1], confidence, seed).half_width() / 2;
  out.machine = std::log(candidate.compute_ns / entry.compute_ns);
  // A program feels between nothing and all of the machine's change. What looks like a large one may be a best speed
  // that others left no time for: then the times of the program are no better.
  const bool large = std::fabs(out.machine) > kUndisturbed;
  const double sure = out.machine / 2, unsure = std::fabs(out.machine) * (large ? 2 : 0.5);
  const auto wider = [&](double side) { return std::hypot(side, kBetweenProcesses) + unsure; };
  const double centre = out.effect.centre - sure;
  out.effect = {centre, centre - wider(out.effect.centre - out.effect.low),
                centre + wider(out.effect.high - out.effect.centre)};
  return out;
}

}  // namespace et::perf
