#include "runtime/threadpool/threadpool.h"

#include <pthread.h>
#include <unistd.h>
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

#include "runtime/platform/float_mode.h"
#include "runtime/platform/log.h"
#include "runtime/platform/parallel.h"

namespace et::threadpool {
namespace {

thread_local bool t_inline = false;  // in a task, or guarded

size_t processors() {
  const size_t n = std::thread::hardware_concurrency();  // those that the process may run on
  return n == 0 ? 1 : n < kMaxThreads ? n : kMaxThreads;
}

// Waking a sleeping thread takes longer than many a loop: for about so long (some tens of microseconds) a thread that
// has just worked looks for the next job, and the caller for the end of the others' work, before they sleep.
constexpr int kLooks = 2000;

inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

template <class F>
void look_for(const F& condition) {
  for (int i = 0; i < kLooks && !condition(); ++i) pause();
}

void run_here(int64_t count, void (*task)(void*, int64_t), void* context) {
  for (int64_t i = 0; i < count; ++i) task(context, i);
}

}  // namespace

// Threads of one process and one size. What was replaced (by another size, or in a child after fork) stays in memory:
// another thread may be about to look at it.
struct ThreadPool::State {
  // Each thread has a share of the tasks of its own, always the same part: what it wrote lies in its cache when the next
  // job reads it. Who is done with its share takes from the others'.
  struct Job {
    struct alignas(64) Share {
      std::atomic<int64_t> next;
      int64_t end;
    };

    int64_t count;
    void (*task)(void*, int64_t);
    void* context;
    uint64_t mode = float_mode();  // all threads compute as the caller does
    int64_t share_count = 0;
    Share shares[kMaxThreads];

    Job(int64_t tasks, void (*f)(void*, int64_t), void* c) : count(tasks), task(f), context(c) {}

    void divide(size_t threads) {
      share_count = std::min(count, static_cast<int64_t>(threads));
      for (int64_t i = 0; i < share_count; ++i) {
        shares[i].next.store(count * i / share_count, std::memory_order_relaxed);
        shares[i].end = count * (i + 1) / share_count;
      }
    }
    void work(size_t thread) {
      const int64_t own = static_cast<int64_t>(thread) % share_count;
      for (int64_t s = 0; s < share_count; ++s) {
        Share& share = shares[(own + s) % share_count];
        for (int64_t i; (i = share.next.fetch_add(1, std::memory_order_relaxed)) < share.end;) task(context, i);
      }
    }
  };

  explicit State(size_t size) : workers_wanted(size - 1), process(getpid()) {}

  const size_t workers_wanted;
  const pid_t process;
  State* older = nullptr;

  std::mutex gate;  // held by who uses the threads
  bool started = false;
  pthread_t threads[kMaxThreads];
  size_t workers = 0;
  bool retired = false;

  std::mutex mutex;  // guards the rest
  std::condition_variable wake, done;
  Job* job = nullptr;
  size_t numbered = 0;
  // Also looked at without the mutex, before a thread goes to sleep.
  std::atomic<uint64_t> round{0};
  std::atomic<size_t> busy{0};
  std::atomic<bool> stop{false};

  static void* thread_main(void* self) {
    t_inline = true;
    static_cast<State*>(self)->serve();
    return nullptr;
  }

  void serve() {
    uint64_t seen = 0;
    std::unique_lock lock(mutex);
    const size_t thread = ++numbered;  // the caller is 0
    for (;;) {
      wake.wait(lock, [&] { return stop || (job != nullptr && round != seen); });
      if (stop) return;
      seen = round;
      Job* mine = job;
      ++busy;
      lock.unlock();
      set_float_mode(mine->mode);
      mine->work(thread);
      lock.lock();
      if (--busy == 0) done.notify_one();
      lock.unlock();
      look_for([&] { return round.load(std::memory_order_relaxed) != seen || stop.load(std::memory_order_relaxed); });
      lock.lock();
    }
  }

  // With the gate held.
  void start() {
    if (started) return;
    started = true;
    for (; workers < workers_wanted; ++workers) {
      if (pthread_create(&threads[workers], nullptr, &thread_main, this) == 0) continue;
      ET_LOG(Error, "thread pool: started only %zu of %zu threads", workers + 1, workers_wanted + 1);
      return;
    }
  }

  // With the gate held. The job stays on this stack until no thread works on it any more.
  void run(Job* work) {
    start();
    work->divide(workers + 1);
    {
      const std::lock_guard lock(mutex);
      job = work;
      ++round;
    }
    if (static_cast<size_t>(work->count) - 1 < workers) {
      for (int64_t i = 1; i < work->count; ++i) wake.notify_one();
    } else {
      wake.notify_all();
    }
    t_inline = true;
    work->work(0);
    t_inline = false;
    look_for([&] { return busy.load(std::memory_order_relaxed) == 0; });
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return busy == 0; });
    job = nullptr;
  }

  void retire() {
    const std::lock_guard hold(gate);
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    for (size_t i = 0; i < workers; ++i) pthread_join(threads[i], nullptr);
    workers = 0;
    started = retired = true;
  }
};

ThreadPool::ThreadPool(size_t thread_count)
    : count_(thread_count == 0            ? processors()
             : thread_count < kMaxThreads ? thread_count
                                          : kMaxThreads) {}

ThreadPool::~ThreadPool() {
  for (State* s = state_.load(); s != nullptr;) {
    State* older = s->older;
    // A parent's threads do not exist here, and its locks may be held by one of them: not to be touched.
    if (s->process == getpid()) {
      s->retire();
      delete s;
    }
    s = older;
  }
}

// Without locks, because a lock that another thread holds during fork() stays closed in the child.
ThreadPool::State* ThreadPool::current() {
  State* s = state_.load(std::memory_order_acquire);
  if (s != nullptr && s->process == getpid()) return s;
  auto* fresh = new (std::nothrow) State(get_thread_count());
  if (fresh == nullptr) return nullptr;
  fresh->older = s;
  if (state_.compare_exchange_strong(s, fresh, std::memory_order_acq_rel)) return fresh;
  delete fresh;
  return s;
}

void ThreadPool::run_tasks(int64_t count, void (*task)(void* context, int64_t i), void* context) {
  if (count <= 1 || t_inline || get_thread_count() == 1) return run_here(count, task, context);
  State* s = current();
  if (s == nullptr) return run_here(count, task, context);
  std::unique_lock hold(s->gate, std::try_to_lock);
  if (!hold.owns_lock() || s->retired) return run_here(count, task, context);
  State::Job job(count, task, context);
  s->run(&job);
}

bool ThreadPool::resize(size_t thread_count) {
  if (thread_count > kMaxThreads) return false;
  const size_t wanted = thread_count == 0 ? processors() : thread_count;
  State* s = state_.load(std::memory_order_acquire);
  auto* fresh = new (std::nothrow) State(wanted);
  if (fresh == nullptr) return false;
  if (s != nullptr && s->process == getpid()) s->retire();
  fresh->older = s;
  count_.store(wanted, std::memory_order_relaxed);
  state_.store(fresh, std::memory_order_release);
  if (this == get_threadpool()) attach();
  return true;
}

ThreadPool* get_threadpool() {
  // Never destroyed: kernels may run in destructors of static objects.
  static ThreadPool* const pool = new ThreadPool();
  return pool;
}

void attach() {
  attach_parallel([](int64_t count, void (*task)(void*, int64_t),
                     void* context) { get_threadpool()->run_tasks(count, task, context); },
                  static_cast<int64_t>(get_threadpool()->get_thread_count()));
}

NoThreadPoolGuard::NoThreadPoolGuard() : before_(t_inline) { t_inline = true; }
NoThreadPoolGuard::~NoThreadPoolGuard() { t_inline = before_; }

}  // namespace et::threadpool
