#include "bundled_program/perf/machine.h"

#include <cstddef>
#include <numeric>
#include <random>

namespace et::perf {
namespace {

constexpr uint32_t kLines = 65536;  // 4 MB: beyond a core's own caches
constexpr uint32_t kLineWords = 16;
constexpr uint32_t kSteps = 4096;  // of one walk
constexpr int kMultiplications = 40000;

}  // namespace

// A random cycle, so that each load has to wait for the one before.
Machine::Machine() : next_(size_t{kLines} * kLineWords) {
  std::vector<uint32_t> order(kLines);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937 random(1);
  for (uint32_t i = kLines - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
  for (uint32_t i = 0; i < kLines; ++i) next_[size_t{order[i]} * kLineWords] = order[(i + 1) % kLines] * kLineWords;
}

uint64_t Machine::compute() {
  uint64_t value = at_ + 1;
  for (int i = 0; i < kMultiplications; ++i) value = value * 6364136223846793005U + 1442695040888963407U;
  return value;
}

uint64_t Machine::memory() {
  uint32_t at = at_;
  for (uint32_t i = 0; i < kSteps; ++i) at = next_[at];
  at_ = at;
  return at;
}

}  // namespace et::perf
