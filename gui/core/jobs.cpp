#include "gui/core/jobs.h"

#include <algorithm>

namespace et::gui {
namespace {

/// A worker's connection, kept from job to job.
struct Connection {
  std::string path;
  uint64_t generation = 0;
  inspector::Store store;
  bool open = false;
};
thread_local Connection t_connection;

constexpr int kInstructionsBetweenLooks = 10000;  // of SQLite's machine: well below a millisecond

void interrupt_when(const Cancel& cancel, const inspector::Store& store) {
  sqlite3_progress_handler(
      store.db(), kInstructionsBetweenLooks,
      [](void* flag) { return static_cast<const Cancel*>(flag)->cancelled() ? 1 : 0; }, const_cast<Cancel*>(&cancel));
}

}  // namespace

Jobs::Jobs(int threads) {
  for (int i = 0; i < std::max(threads, 1); ++i) threads_.emplace_back([this] { run(); });
}

Jobs::~Jobs() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    jobs_.clear();
    for (const Cancel& cancel : active_) cancel.cancel();
  }
  work_there_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

JobHandle Jobs::start(Work work) {
  Cancel cancel;
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({cancel, std::move(work)});
  }
  work_there_.notify_one();
  return JobHandle(cancel);
}

void Jobs::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_there_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) break;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    ++running_;
    active_.push_back(job.cancel);
    const std::function<void()> wake = wake_;
    lock.unlock();
    std::function<void()> deliver;
    if (!job.cancel.cancelled()) deliver = job.work(job.cancel);
    job.work = nullptr;  // what it captured goes before the result arrives
    lock.lock();
    --running_;
    active_.erase(std::find_if(active_.begin(), active_.end(), [&](const Cancel& c) { return c.is(job.cancel); }));
    if (deliver != nullptr && !job.cancel.cancelled()) results_.push_back({job.cancel, std::move(deliver)});
    result_there_.notify_all();
    if (wake != nullptr) {
      lock.unlock();
      wake();
      lock.lock();
    }
  }
  lock.unlock();
  t_connection = {};
}

bool Jobs::pump() {
  std::deque<Result> arrived;
  {
    const std::lock_guard lock(mutex_);
    arrived.swap(results_);
  }
  bool any = false;
  for (Result& result : arrived) {
    if (result.cancel.cancelled()) continue;
    result.deliver();
    any = true;
  }
  return any;
}

size_t Jobs::pending() const {
  const std::lock_guard lock(mutex_);
  return jobs_.size() + running_ + results_.size();
}

void Jobs::finish() {
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (results_.empty() && jobs_.empty() && running_ == 0) return;
      result_there_.wait(lock, [this] { return !results_.empty() || (jobs_.empty() && running_ == 0); });
    }
    pump();
  }
}

void Jobs::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void Jobs::with_store(const std::string& path, const Cancel& cancel, Status* status,
                      const std::function<void(const inspector::Store&)>& use) {
  Connection& connection = t_connection;
  const uint64_t generation = generation_.load();
  if (!connection.open || connection.path != path || connection.generation != generation) {
    connection.open = false;
    connection.store = inspector::Store();
    *status = inspector::Store::open(path, inspector::Store::Mode::ReadOnly, &connection.store);
    if (!status->ok()) return;
    *status = inspector::show_lines(connection.store, 0, lines_);
    if (!status->ok()) return;
    // Each worker has a connection of its own, and the system keeps the file's pages as well.
    sqlite3_exec(connection.store.db(), "PRAGMA cache_size=-8192", nullptr, nullptr, nullptr);
    connection.path = path;
    connection.generation = generation;
    connection.open = true;
  }
  interrupt_when(cancel, connection.store);
  use(connection.store);
  sqlite3_progress_handler(connection.store.db(), 0, nullptr, nullptr);
}

Status Jobs::open_second(const std::string& path, const Cancel& cancel, inspector::Store* out) const {
  Status status = inspector::Store::open(path, inspector::Store::Mode::ReadOnly, out);
  if (status.ok()) status = inspector::show_lines(*out, 0, lines_);
  if (status.ok()) interrupt_when(cancel, *out);
  return status;
}

}  // namespace et::gui
