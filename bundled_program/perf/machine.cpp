#include "bundled_program/perf/machine.h"

#include <numeric>
#include <random>
#include <utility>

namespace et::perf {
namespace {

constexpr int kPasses = 200;
constexpr uint32_t kLines = 65536;  // 4 MB: beyond a core's own caches
constexpr uint32_t kLineWords = 16;
constexpr uint32_t kSteps = 256;  // of one walk

}  // namespace

// A random cycle, so that each load has to wait for the one before.
Machine::Machine() : arrays_(new Arrays()), next_(size_t{kLines} * kLineWords) {
  for (size_t i = 0; i < kFloats; ++i) arrays_->x[i] = 0.5F;
  std::vector<uint32_t> order(kLines);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937 random(1);
  for (uint32_t i = kLines - 1; i > 0; --i) std::swap(order[i], order[random() % (i + 1)]);
  for (uint32_t i = 0; i < kLines; ++i) next_[size_t{order[i]} * kLineWords] = order[(i + 1) % kLines] * kLineWords;
}

float Machine::compute() {
  float* y = arrays_->y;
  const float* x = arrays_->x;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (size_t i = 0; i < kFloats; ++i) y[i] = y[i] * 0.5F + x[i];  // towards 1: never denormal
  }
  return y[static_cast<size_t>(kPasses) % kFloats];
}

uint32_t Machine::memory() {
  uint32_t at = at_;
  for (uint32_t i = 0; i < kSteps; ++i) at = next_[at];
  at_ = at;
  return at;
}

}  // namespace et::perf
