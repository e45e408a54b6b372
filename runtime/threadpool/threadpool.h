// A pool of threads for the kernels' parallel_for (runtime/platform/parallel.h). A program that links et::threadpool
// has it attached; the threads start with the first loop that is long enough.
//
// run() may be called from any thread. Calls from inside a task, and calls while another thread uses the pool, run on
// the calling thread, so that nothing can wait for itself. After fork() the child gets its own threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace et::threadpool {

/// Most threads of a pool, the caller included.
inline constexpr size_t kMaxThreads = 63;

class ThreadPool {
 public:
  /// 0: one thread for each logical processor that the process may use, at most kMaxThreads.
  explicit ThreadPool(size_t thread_count = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// With the calling thread.
  size_t get_thread_count() const { return count_.load(std::memory_order_relaxed); }
  /// Waits for a loop that is running. False: more than kMaxThreads were asked for; 0 is as in the constructor.
  bool resize(size_t thread_count);
  bool _unsafe_reset_threadpool(uint32_t thread_count) { return resize(thread_count); }

  /// fn(i) for i in [0, range), in any order; returns when all are done.
  template <class F>
  void run(const F& fn, size_t range) {
    run_tasks(
        static_cast<int64_t>(range), [](void* f, int64_t i) { (*static_cast<const F*>(f))(static_cast<size_t>(i)); },
        const_cast<F*>(&fn));
  }
  void run_tasks(int64_t count, void (*task)(void* context, int64_t i), void* context);

 private:
  struct State;
  State* current();

  std::atomic<size_t> count_;
  std::atomic<State*> state_{nullptr};
};

/// The pool of the process, never null.
ThreadPool* get_threadpool();

/// Makes the kernels use the pool of the process; linking et::threadpool has done so already.
void attach();

/// While it lives, loops that this thread starts run on this thread.
class NoThreadPoolGuard {
 public:
  NoThreadPoolGuard();
  ~NoThreadPoolGuard();
  NoThreadPoolGuard(const NoThreadPoolGuard&) = delete;
  NoThreadPoolGuard& operator=(const NoThreadPoolGuard&) = delete;

 private:
  bool before_;
};

}  // namespace et::threadpool
