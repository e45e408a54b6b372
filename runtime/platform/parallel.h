// parallel_for: splits a range over the threads of an attached pool, or runs it here when there is none. The kernels
// only see this; et::threadpool attaches itself.
#pragma once

#include <cstdint>

namespace et {

/// Runs task(context, i) for i in [0, count), in any order, and returns when all are done.
using ParallelRun = void (*)(int64_t count, void (*task)(void* context, int64_t i), void* context);
/// `threads` ≥ 1; a null `run` detaches. Not while a method executes.
void attach_parallel(ParallelRun run, int64_t threads);
/// Threads that parallel_for may use, 1 without a pool.
int64_t parallel_threads();
void parallel_run(int64_t count, void (*task)(void* context, int64_t i), void* context);

/// Calls f(from, to) for parts of [begin, end) that are at least `grain` long (the last may be shorter).
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, const F& f) {
  const int64_t length = end - begin;
  if (length <= 0) return;
  const int64_t threads = parallel_threads();
  if (threads == 1 || length < 2 * grain) {
    f(begin, end);
    return;
  }
  const int64_t even = (length + threads - 1) / threads;
  struct Part {
    const F* f;
    int64_t begin, end, chunk;
  } part{&f, begin, end, even > grain ? even : grain};
  parallel_run((length + part.chunk - 1) / part.chunk,
               [](void* p, int64_t i) {
                 const Part& a = *static_cast<const Part*>(p);
                 const int64_t from = a.begin + i * a.chunk;
                 const int64_t to = from + a.chunk < a.end ? from + a.chunk : a.end;
                 (*a.f)(from, to);
               },
               &part);
}

}  // namespace et
