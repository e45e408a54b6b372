// parallel_for with several parts a thread, of which each thread is given neighbours: who is done takes from a thread
// that was interrupted.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/platform/parallel.h"

namespace et::xnn {

inline constexpr int64_t kPartsOfThread = 4;

/// f(from, to) for parts of [0, length) that are about `grain` long or longer; of many elements they begin at lines.
template <class F>
void parallel_parts(int64_t length, int64_t grain, const F& f) {
  const int64_t threads = parallel_threads();
  const int64_t of_thread = std::min(kPartsOfThread, length / (threads * std::max<int64_t>(grain, 1)));
  if (threads == 1 || of_thread < 2) return parallel_for(0, length, grain, f);
  const int64_t parts = threads * of_thread;
  constexpr int64_t kMany = 4096, kLine = 64;
  struct Work {
    const F* f;
    int64_t length, parts, unit;
    int64_t begin(int64_t i) const { return i == parts ? length : length * i / parts / unit * unit; }
  } work{&f, length, parts, grain >= kMany ? kLine : 1};
  parallel_run(
      parts,
      [](void* context, int64_t i) {
        const Work& w = *static_cast<const Work*>(context);
        (*w.f)(w.begin(i), w.begin(i + 1));
      },
      &work);
}

}  // namespace et::xnn
