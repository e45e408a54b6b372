// The state of the random operators (rand, randn, native_dropout), one for the process. Numbers are a function of the
// seed and of their place in one sequence, so that a run can be repeated: the seed is 0 until et::set_seed is called,
// which also starts the sequence anew. Not for cryptography.
#pragma once

#include <atomic>
#include <cstdint>

namespace et {

struct RandomState {
  std::atomic<uint64_t> seed{0};
  std::atomic<uint64_t> next{0};
};
inline RandomState g_random_state;

inline void set_seed(uint64_t seed) {
  g_random_state.seed.store(seed, std::memory_order_relaxed);
  g_random_state.next.store(0, std::memory_order_relaxed);
}

}  // namespace et
