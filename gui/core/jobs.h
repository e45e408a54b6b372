// Work off the UI thread: jobs run on worker threads, their results arrive on the thread that calls pump(). Dropping a
// job's handle cancels it, and its result never arrives: a model that goes away, or asks again, needs no other care.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "inspector/store/line_rule.h"
#include "inspector/store/store.h"

namespace et::gui {

/// Shared by a job and its handle. Work looks at it from time to time; SQLite statements are interrupted by it.
class Cancel {
 public:
  bool cancelled() const { return flag_->load(std::memory_order_relaxed); }
  void cancel() const { flag_->store(true, std::memory_order_relaxed); }
  bool is(const Cancel& other) const { return flag_ == other.flag_; }

 private:
  std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

/// Owns a job: cancels it when destroyed or assigned.
class JobHandle {
 public:
  JobHandle() = default;
  explicit JobHandle(Cancel cancel) : cancel_(std::make_unique<Cancel>(std::move(cancel))) {}
  JobHandle(JobHandle&&) noexcept = default;
  JobHandle& operator=(JobHandle&& other) noexcept {
    if (this != &other) {
      reset();
      cancel_ = std::move(other.cancel_);
    }
    return *this;
  }
  ~JobHandle() { reset(); }
  void reset() {
    if (cancel_ != nullptr) cancel_->cancel();
    cancel_.reset();
  }

 private:
  std::unique_ptr<Cancel> cancel_;
};

class Jobs {
 public:
  explicit Jobs(int threads = 2);
  ~Jobs();
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Runs `work` on a worker thread, then `done` with its result in pump().
  template <class T>
  [[nodiscard]] JobHandle submit(std::function<T(const Cancel&)> work, std::function<void(T)> done) {
    return start([work = std::move(work), done = std::move(done)](const Cancel& cancel) -> std::function<void()> {
      auto result = std::make_shared<T>(work(cancel));
      return [result, done] { done(std::move(*result)); };
    });
  }

  /// As submit(), with a read-only connection to the store at `path` that the worker keeps; when it cannot be opened,
  /// `done` gets that status. A cancelled job's statements fail at once.
  template <class T>
  [[nodiscard]] JobHandle query(std::string path,
                                std::function<Status(const inspector::Store&, const Cancel&, T*)> work,
                                std::function<void(Status, T)> done) {
    return start([this, path = std::move(path), work = std::move(work),
                  done = std::move(done)](const Cancel& cancel) -> std::function<void()> {
      auto result = std::make_shared<T>();
      Status status;
      with_store(path, cancel, &status, [&](const inspector::Store& store) { status = work(store, cancel, &*result); });
      return [status, result, done] { done(status, std::move(*result)); };
    });
  }

  /// For work that reads another store beside the one of its query: a connection of its own with the same lines, whose
  /// statements fail as soon as the job is cancelled. `cancel`: the job's, which outlives the connection.
  Status open_second(const std::string& path, const Cancel& cancel, inspector::Store* out) const;

  /// Delivers results that are there. True when there was one.
  bool pump();
  /// Jobs that wait or run, or whose result was not delivered.
  size_t pending() const;
  /// Waits until nothing is pending, delivering results, which may start further jobs: for tests and screenshots.
  void finish();
  /// Called from a worker when a result is there: wakes the loop that draws.
  void set_wake(std::function<void()> wake);
  /// Workers drop their connections before their next job: the file was replaced.
  void forget_stores() { generation_.fetch_add(1); }
  /// Which frame of its stack trace a node's line is, in all queries from now on.
  void set_lines(inspector::LineRule rule) {
    lines_ = rule;
    forget_stores();
  }
  inspector::LineRule lines() const { return lines_; }

 private:
  using Work = std::function<std::function<void()>(const Cancel&)>;
  struct Job {
    Cancel cancel;
    Work work;
  };
  struct Result {
    Cancel cancel;
    std::function<void()> deliver;
  };
  JobHandle start(Work work);
  void run();
  void with_store(const std::string& path, const Cancel& cancel, Status* status,
                  const std::function<void(const inspector::Store&)>& use);

  mutable std::mutex mutex_;
  std::condition_variable work_there_, result_there_;
  std::deque<Job> jobs_;
  std::deque<Result> results_;
  size_t running_ = 0;
  bool stopping_ = false;
  std::vector<Cancel> active_;
  std::function<void()> wake_;
  std::atomic<uint64_t> generation_{0};
  std::atomic<inspector::LineRule> lines_{inspector::LineRule::Auto};
  std::vector<std::thread> threads_;
};

}  // namespace et::gui
