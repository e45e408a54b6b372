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

// Waking a sleeping thread takes longer than many a loop: for about so long (some hundred microseconds) a thread that
// has just worked looks for the next job, and the caller for the end of the others' work, before they sleep.
constexpr int kLooks = 8000;

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
  // Each thread has a share of the tasks of its own, always the same part: what it wrote lies in its cache when the
  // next job reads it. Who is done with its share takes from the others'.
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

    void divide(size_t of) {
      share_count = std::min(count, static_cast<int64_t>(of));
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

  // A job is taken and left without the mutex, which would put to sleep whoever meets another at it: a thread counts
  // itself in `busy` and then looks for the job, the caller takes the job away and then looks at `busy`, so that one of
  // the two sees the other. The same holds for each pair that sleeps and wakes, of which the sleeper looks with the
  // mutex held and the other takes the mutex before it notifies. All of these are sequentially consistent.
  std::atomic<Job*> job{nullptr};
  std::atomic<uint64_t> round{0};
  std::atomic<size_t> busy{0}, sleepers{0}, numbered{0};
  std::atomic<bool> stop{false}, caller_sleeps{false};
  std::mutex mutex;
  std::condition_variable wake, done;

  static void* thread_main(void* self) {
    t_inline = true;
    static_cast<State*>(self)->serve();
    return nullptr;
  }

  void serve() {
    const size_t thread = ++numbered;  // the caller is 0
    for (uint64_t seen = 0; !stop;) {
      const auto called = [&] { return round != seen || stop; };
      look_for(called);
      if (!called()) {
        std::unique_lock lock(mutex);
        ++sleepers;
        wake.wait(lock, called);
        --sleepers;
      }
      seen = round;
      ++busy;
      if (Job* const mine = job) {
        set_float_mode(mine->mode);
        mine->work(thread);
      }
      if (--busy == 0 && caller_sleeps) notify(&done);
    }
  }

  void notify(std::condition_variable* sleeping, size_t count = kMaxThreads) {
    { const std::lock_guard lock(mutex); }
    if (count >= workers) return sleeping->notify_all();
    for (; count > 0; --count) sleeping->notify_one();
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
    job = work;
    ++round;
    if (sleepers != 0) notify(&wake, static_cast<size_t>(work->count) - 1);
    t_inline = true;
    work->work(0);
    t_inline = false;
    job = nullptr;
    const auto left = [&] { return busy == 0; };
    look_for(left);
    if (left()) return;
    std::unique_lock lock(mutex);
    caller_sleeps = true;
    done.wait(lock, left);
    caller_sleeps = false;
  }

  void retire() {
    const std::lock_guard hold(gate);
    stop = true;
    notify(&wake);
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
