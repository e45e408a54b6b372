// The thread pool: every index once, nested and concurrent use, resizing, and a pool of its own after fork().
#include "runtime/threadpool/threadpool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "runtime/platform/float_mode.h"
#include "runtime/platform/parallel.h"

namespace et::threadpool {
namespace {

// True when each index of [0, n) was given out once.
bool covers(ThreadPool& pool, size_t n) {
  std::vector<std::atomic<int>> seen(n);
  pool.run([&](size_t i) { seen[i].fetch_add(1); }, n);
  for (const auto& s : seen) {
    if (s.load() != 1) return false;
  }
  return true;
}

TEST(ThreadPool, GivesEveryIndexOnce) {
  ThreadPool pool(4);
  EXPECT_EQ(pool.get_thread_count(), 4u);
  for (const size_t n : {0u, 1u, 2u, 3u, 100u, 1000u}) EXPECT_TRUE(covers(pool, n)) << n;
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(covers(pool, 3));
}

TEST(ThreadPool, AllThreadsComputeInTheCallersMode) {
  ThreadPool pool(3);
  for (const bool flushed : {true, false, true}) {
    std::optional<FlushDenormals> flush;
    if (flushed) flush.emplace();
    const uint64_t mode = float_mode();
    std::atomic<int> arrived{0}, other{0};
    pool.run(
        [&](size_t) {
          arrived.fetch_add(1);
          while (arrived.load() < 3) std::this_thread::yield();
          if (float_mode() != mode) other.fetch_add(1);
        },
        3);
    EXPECT_EQ(other.load(), 0) << flushed;
  }
}

TEST(ThreadPool, UsesSeveralThreads) {
  ThreadPool pool(3);
  std::mutex mutex;
  std::set<std::thread::id> who;
  std::atomic<int> waiting{0};
  // Each task waits until all three are there: only three threads can do that.
  pool.run(
      [&](size_t) {
        waiting.fetch_add(1);
        while (waiting.load() < 3) std::this_thread::yield();
        const std::lock_guard lock(mutex);
        who.insert(std::this_thread::get_id());
      },
      3);
  EXPECT_EQ(who.size(), 3u);
}

TEST(ThreadPool, NestedLoopsRunWhereTheyAre) {
  ThreadPool pool(4);
  std::atomic<int> total{0};
  std::atomic<bool> moved{false};
  pool.run(
      [&](size_t) {
        const auto me = std::this_thread::get_id();
        pool.run(
            [&](size_t) {
              total.fetch_add(1);
              if (std::this_thread::get_id() != me) moved = true;
            },
            10);
      },
      8);
  EXPECT_EQ(total.load(), 80);
  EXPECT_FALSE(moved.load());
  const NoThreadPoolGuard guard;
  std::set<std::thread::id> who;
  pool.run([&](size_t) { who.insert(std::this_thread::get_id()); }, 50);
  EXPECT_EQ(who, std::set<std::thread::id>{std::this_thread::get_id()});
}

TEST(ThreadPool, SeveralThreadsMayUseIt) {
  ThreadPool pool(3);
  std::vector<std::thread> users;
  std::atomic<int> bad{0};
  for (int u = 0; u < 4; ++u) {
    users.emplace_back([&] {
      for (int i = 0; i < 300; ++i) bad += !covers(pool, 20);
    });
  }
  for (std::thread& t : users) t.join();
  EXPECT_EQ(bad.load(), 0);
}

TEST(ThreadPool, ChangesItsSize) {
  ThreadPool pool(2);
  ASSERT_TRUE(covers(pool, 50));
  for (const size_t n : {5u, 1u, 3u}) {
    ASSERT_TRUE(pool.resize(n));
    EXPECT_EQ(pool.get_thread_count(), n);
    EXPECT_TRUE(covers(pool, 50));
  }
  EXPECT_FALSE(pool.resize(kMaxThreads + 1));
  EXPECT_EQ(pool.get_thread_count(), 3u);
  EXPECT_EQ(ThreadPool(1000).get_thread_count(), kMaxThreads);
}

TEST(ThreadPool, AChildProcessGetsItsOwn) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer ends a child that starts threads";
#endif
  ThreadPool& pool = *get_threadpool();
  ASSERT_TRUE(pool.resize(3));
  ASSERT_TRUE(covers(pool, 100));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    _exit(covers(pool, 100) && pool.resize(2) && covers(pool, 100) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(covers(pool, 100));
}

TEST(ThreadPool, IsWhatParallelForUses) {
  ASSERT_TRUE(get_threadpool()->resize(4));
  EXPECT_EQ(parallel_threads(), 4);
  std::vector<int> data(1000, 0);
  parallel_for(0, 1000, 10, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) ++data[static_cast<size_t>(i)];
  });
  EXPECT_EQ(data, std::vector<int>(1000, 1));
}

}  // namespace
}  // namespace et::threadpool
