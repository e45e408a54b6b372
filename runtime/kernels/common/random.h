// The state of the random operators (rand, randn, native_dropout), one for the process. Numbers are a function of the
// seed and of their place in one sequence, so that a run can be repeated: the seed is 0 until et::set_seed is called,
// which also restarts the sequence. Not for cryptography.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace et {

// Words of the machine: 32-bit processors have no 64-bit atomics without a library. There the sequence restarts
// after 2^32 numbers.
struct RandomState {
  std::atomic<uint32_t> seed_low{0}, seed_high{0};
  std::atomic<size_t> next{0};

  uint64_t seed() const {
    return uint64_t{seed_high.load(std::memory_order_relaxed)} << 32 | seed_low.load(std::memory_order_relaxed);
  }
};
inline RandomState g_random_state;

/// Not while a method executes.
inline void set_seed(uint64_t seed) {
  g_random_state.seed_low.store(static_cast<uint32_t>(seed), std::memory_order_relaxed);
  g_random_state.seed_high.store(static_cast<uint32_t>(seed >> 32), std::memory_order_relaxed);
  g_random_state.next.store(0, std::memory_order_relaxed);
}

}  // namespace et
