#include "bundled_program/verify/worker_pool.h"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>

#include "base/interruption.h"
#include "bundled_program/verify/isolated.h"
#include "bundled_program/verify/wire.h"
#include "bundled_program/verify/worker.h"

namespace et::bundled {
namespace {

using Clock = std::chrono::steady_clock;

// What an interrupted worker may take to end its case and write its trace.
constexpr double kGraceSeconds = 5;

/// The parent's view of one worker.
struct Seat {
  explicit Seat(Worker* w) : worker(w) {}
  Worker* worker;
  std::string bytes;            // received, not yet a whole word
  std::deque<WorkOrder> given;  // the first is the one that it works on
  bool in_case = false;
  Start at;           // of the case that runs
  CaseVerdict known;  // what is known of it
  double timeout_s = 0;
  Clock::time_point since;
};

std::string seconds_text(double s) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.3g s", s);
  return text;
}

class Pool {
 public:
  Pool(const std::vector<CheckTask>& tasks, const VerifyOptions& options, const PoolOptions& pool,
       const VerdictSink& sink)
      : tasks_(tasks), options_(options), pool_(pool), sink_(sink) {
    for (uint64_t i = 0; i < tasks.size(); ++i) waiting_.push_back({i, {}});
    const size_t jobs = std::clamp<size_t>(pool.jobs, 1, std::max<size_t>(tasks.size(), 1));
    // Orders on the way, so that a worker need not wait for the next; few when there are few, so that all have some.
    ahead_ = std::clamp<size_t>(tasks.size() / jobs / 16, 1, 16);
    for (size_t i = 0; i < jobs; ++i) {
      workers_.emplace_back();
      seats_.emplace_back(&workers_.back());
    }
  }

  Status run() {
    while (interruption() == 0) {
      bool any = false;
      for (Seat& seat : seats_) {
        while (seat.given.size() < ahead_ && !waiting_.empty()) {
          if (Status s = give(seat); !s.ok()) return s;
        }
        any = any || !seat.given.empty();
      }
      if (!any) return {};
      wait();
    }
    finish();
    return {};
  }

  /// After an interruption: what was not checked, or not to its end, in order.
  std::vector<size_t> unfinished() const {
    std::vector<size_t> out;
    for (const WorkOrder& order : waiting_) out.push_back(order.task);
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  Status give(Seat& seat) {
    if (!seat.worker->running()) {
      if (Status s = seat.worker->start(tasks_, options_, pool_.load_timeout_s > 0, workers_); !s.ok()) return s;
      seat.bytes.clear();
    }
    if (seat.given.empty()) idle(seat);
    seat.given.push_back(waiting_.front());
    waiting_.pop_front();
    seat.worker->give(seat.given.back());
    return {};
  }

  /// Between two cases.
  void idle(Seat& seat) {
    seat.in_case = false;
    seat.timeout_s = pool_.load_timeout_s;
    seat.since = Clock::now();
  }

  // The workers end behind their cases; what they say until then counts.
  void finish() {
    for (Seat& seat : seats_) seat.worker->interrupt();
    const Clock::time_point begin = Clock::now();
    for (Seat& seat : seats_) {
      while (seat.worker->running() && !seat.given.empty()) {
        const double left = kGraceSeconds - std::chrono::duration<double>(Clock::now() - begin).count();
        pollfd words{seat.worker->words_fd(), POLLIN, 0};
        const bool silent = left <= 0 || poll(&words, 1, static_cast<int>(std::ceil(left * 1000))) == 0;
        if (!silent && seat.worker->receive(&seat.bytes)) continue;
        seat.worker->end(silent, &seat.bytes);
      }
      take_words(seat);
      for (const WorkOrder& order : seat.given) waiting_.push_back(order);
      seat.given.clear();
    }
  }

  /// A worker that ended by a signal to the whole group may be seen before the signal is.
  static bool was_interrupted(int status) {
    if (!WIFEXITED(status) || WEXITSTATUS(status) <= interruption_exit_code(0)) return false;
    constexpr int kSoon = 200;  // ms
    pollfd noted{interruption_fd(), POLLIN, 0};
    while (interruption() == 0 && poll(&noted, 1, kSoon) < 0) {
    }
    return interruption() != 0;
  }

  // Until a worker says something or its time is over.
  void wait() {
    std::vector<pollfd> list = {{interruption_fd(), POLLIN, 0}};  // one below 0 is passed over
    std::vector<Seat*> whose = {nullptr};
    double nearest = HUGE_VAL;
    for (Seat& seat : seats_) {
      if (seat.given.empty()) continue;
      list.push_back({seat.worker->words_fd(), POLLIN, 0});
      whose.push_back(&seat);
      if (seat.timeout_s > 0) nearest = std::min(nearest, left(seat));
    }
    int ms = std::isinf(nearest) ? -1 : static_cast<int>(std::clamp(std::ceil(nearest * 1000), 0.0, 1e9));
    if (pool_.tick) {
      constexpr int kPoolTickMs = 100;
      pool_.tick();
      ms = ms < 0 ? kPoolTickMs : std::min(ms, kPoolTickMs);
    }
    const int ready = poll(list.data(), list.size(), ms);
    for (size_t i = 1; i < list.size() && interruption() == 0; ++i) {
      Seat& seat = *whose[i];
      if (ready > 0 && list[i].revents != 0) {
        receive(seat);
      } else if (seat.timeout_s > 0 && left(seat) <= 0) {
        stop(seat);
      }
    }
  }

  static double left(const Seat& seat) {
    return seat.timeout_s - std::chrono::duration<double>(Clock::now() - seat.since).count();
  }

  void receive(Seat& seat) {
    if (seat.worker->receive(&seat.bytes)) return take_words(seat);
    const int status = seat.worker->end(false, &seat.bytes);
    take_words(seat);
    if (was_interrupted(status)) return;  // what it was given is unfinished
    lost(seat, Failure::Crash, process_end_text(status));
  }

  void stop(Seat& seat) {
    const double allowed = seat.timeout_s;
    seat.worker->end(true, &seat.bytes);
    take_words(seat);
    lost(seat, Failure::Timeout, "stopped after " + seconds_text(allowed));
  }

  void take_words(Seat& seat) {
    size_t used = 0;
    while (seat.bytes.size() - used >= sizeof(WordHeader)) {
      WordHeader header;
      std::memcpy(&header, seat.bytes.data() + used, sizeof(header));
      if (seat.bytes.size() - used - sizeof(header) < header.size) break;
      take(seat, header.word, std::string_view(seat.bytes).substr(used + sizeof(header), header.size));
      used += sizeof(header) + header.size;
    }
    seat.bytes.erase(0, used);
  }

  void take(Seat& seat, Word word, std::string_view bytes) {
    WireReader wire(bytes);
    switch (word) {
      case Word::Begin:
        wire(seat.at, seat.timeout_s);
        members_of_case(wire, seat.known);
        seat.in_case = true;
        seat.since = Clock::now();
        break;
      case Word::Done: {
        CaseVerdict verdict;
        members_of_case(wire, verdict);
        idle(seat);
        sink_(seat.given.front().task, std::move(verdict));
        break;
      }
      case Word::EndOfTask:
        seat.given.pop_front();
        idle(seat);
        break;
    }
  }

  // The worker is gone, in the middle of a case or of loading a file, or just behind its last.
  void lost(Seat& seat, Failure failure, const std::string& reason) {
    std::deque<WorkOrder> given;
    given.swap(seat.given);
    if (given.empty()) return;
    const WorkOrder order = given.front();
    given.pop_front();
    // In their order, so that nothing that was given is forgotten.
    for (auto it = given.rbegin(); it != given.rend(); ++it) waiting_.push_front(*it);
    if (!seat.in_case) {
      const std::string& path = tasks_[order.task].path;
      return sink_(order.task, failed_file(path, failure, path + ": while it was loaded: " + reason));
    }
    CaseVerdict verdict = std::move(seat.known);
    verdict.failure = failure;
    verdict.reason = reason;
    waiting_.push_front({order.task, {seat.at.suite, seat.at.test_case + 1, seat.at.part + 1}});
    sink_(order.task, std::move(verdict));
  }

  const std::vector<CheckTask>& tasks_;
  const VerifyOptions& options_;
  const PoolOptions& pool_;
  const VerdictSink& sink_;
  size_t ahead_ = 1;
  std::deque<WorkOrder> waiting_;
  std::deque<Worker> workers_;
  std::deque<Seat> seats_;
};

}  // namespace

Status check_files(const std::vector<CheckTask>& tasks, const VerifyOptions& options, const PoolOptions& pool,
                   const VerdictSink& sink, std::vector<size_t>* unfinished) {
  Pool work(tasks, options, pool, sink);
  const Status status = work.run();
  if (unfinished != nullptr) *unfinished = work.unfinished();
  return status;
}

}  // namespace et::bundled
