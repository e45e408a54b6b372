#include "bundled_program/verify/worker_pool.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>

#include "bundled_program/verify/wire.h"

namespace et::bundled {
namespace {

using Clock = std::chrono::steady_clock;

/// What a worker says: a kind, the size of what follows, and that.
enum class Word : uint32_t { Begin, Done, EndOfTask };
struct Header {
  Word word;
  uint32_t size;
};
/// What the parent asks for.
struct Order {
  uint64_t task;
  Start start;
};

bool write_all(int fd, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = write(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

bool read_all(int fd, void* data, size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = read(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

/// In the worker: hands on what the verifier says.
class PipeListener : public VerifyListener {
 public:
  explicit PipeListener(int fd) : fd_(fd) {}

  void begin(const Start& at, const CaseVerdict& known, double timeout_s) override {
    WireWriter wire;
    wire(at, timeout_s);
    members_of_case(wire, known);
    send(Word::Begin, wire.take());
  }
  void done(CaseVerdict&& verdict) override {
    WireWriter wire;
    members_of_case(wire, verdict);
    send(Word::Done, wire.take());
  }
  void send(Word word, const std::string& bytes) {
    const Header header{word, static_cast<uint32_t>(bytes.size())};
    const bool sent = write_all(fd_, &header, sizeof(header)) && write_all(fd_, bytes.data(), bytes.size());
    if (!sent) _exit(1);  // the parent is gone
  }

 private:
  int fd_;
};

[[noreturn]] void work(int orders, int words, const std::vector<CheckTask>& tasks, const VerifyOptions& options) {
  signal(SIGPIPE, SIG_IGN);
  LimitTable limits(options);
  PipeListener listener(words);
  bool warned = false;
  for (Order order{}; read_all(orders, &order, sizeof(order));) {
    const CheckTask& task = tasks[order.task];
    try {
      verify_file(task.path, task.etdump, options, order.start, &limits, &listener);
    } catch (const std::bad_alloc&) {
      listener.done(failed_file(task.path, Failure::Memory, task.path + ": out of memory"));
    }
    if (!warned && !limits.status().ok()) {
      warned = true;
      std::fprintf(stderr, "et-check: warning: %s\n", limits.status().message().c_str());
    }
    listener.send(Word::EndOfTask, "");
  }
  // Without the parent's handlers and buffers: they are the parent's.
  _exit(0);
}

/// In the parent: one process and what it is doing.
struct Worker {
  pid_t pid = -1;
  int orders = -1;
  int words = -1;
  std::string bytes;  // received, not yet a whole word
  bool busy = false;
  Order order{};
  bool in_case = false;
  Start at;           // of the case that runs
  CaseVerdict known;  // what is known of it
  double timeout_s = 0;
  Clock::time_point since;
};

std::string signal_text(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return "the process that ran it was ended by signal " + std::to_string(number) + " (" + strsignal(number) + ")";
  }
  return "the process that ran it ended with exit code " + std::to_string(WEXITSTATUS(status));
}

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
    workers_.resize(std::clamp<size_t>(pool.jobs, 1, std::max<size_t>(tasks.size(), 1)));
  }
  ~Pool() {
    for (Worker& w : workers_) end(w, false);
  }

  Status run() {
    while (true) {
      bool any = false;
      for (Worker& w : workers_) {
        if (!w.busy && !waiting_.empty()) {
          if (Status s = give(w); !s.ok()) return s;
        }
        any = any || w.busy;
      }
      if (!any) return {};
      wait();
    }
  }

 private:
  Status give(Worker& w) {
    if (w.pid < 0) {
      if (Status s = start(w); !s.ok()) return s;
    }
    w.order = waiting_.front();
    waiting_.pop_front();
    w.busy = true;
    w.in_case = false;
    w.timeout_s = pool_.load_timeout_s;
    w.since = Clock::now();
    // A worker that is gone shows as the end of its words.
    static_cast<void>(write_all(w.orders, &w.order, sizeof(w.order)));
    return {};
  }

  Status start(Worker& w) {
    int orders[2];
    int words[2];
    if (pipe(orders) != 0) return system_error("a pipe");
    if (pipe(words) != 0) {
      close(orders[0]);
      close(orders[1]);
      return system_error("a pipe");
    }
    std::fflush(nullptr);
    w.pid = fork();
    if (w.pid == 0) {
      // The ends of the other workers' pipes, so that theirs end with the parent.
      for (const Worker& other : workers_) {
        if (other.orders >= 0) close(other.orders);
        if (other.words >= 0) close(other.words);
      }
      close(orders[1]);
      close(words[0]);
      work(orders[0], words[1], tasks_, options_);
    }
    close(orders[0]);
    close(words[1]);
    w.orders = orders[1];
    w.words = words[0];
    if (w.pid < 0) {
      close(w.orders);
      close(w.words);
      w.orders = w.words = -1;
      return system_error("a process");
    }
    return {};
  }

  static Status system_error(const char* what) {
    return {Error::OutOfResources, std::string("cannot make ") + what + ": " + std::strerror(errno)};
  }

  /// Closes the pipes and takes the process; returns its status.
  int end(Worker& w, bool kill_it) {
    if (w.pid < 0) return 0;
    if (kill_it) kill(w.pid, SIGKILL);
    close(w.orders);
    close(w.words);
    int status = 0;
    while (waitpid(w.pid, &status, 0) < 0 && errno == EINTR) {
    }
    w.pid = -1;
    w.orders = w.words = -1;
    w.bytes.clear();
    return status;
  }

  // Until a worker says something or its time is over.
  void wait() {
    std::vector<pollfd> list;
    std::vector<Worker*> whose;
    double nearest = HUGE_VAL;
    for (Worker& w : workers_) {
      if (!w.busy) continue;
      list.push_back({w.words, POLLIN, 0});
      whose.push_back(&w);
      if (w.timeout_s > 0) nearest = std::min(nearest, left(w));
    }
    const int ms = std::isinf(nearest) ? -1 : static_cast<int>(std::clamp(std::ceil(nearest * 1000), 0.0, 1e9));
    const int ready = poll(list.data(), list.size(), ms);
    if (ready < 0 && errno != EINTR) return;
    for (size_t i = 0; i < list.size(); ++i) {
      if (ready > 0 && list[i].revents != 0) {
        receive(*whose[i]);
      } else if (whose[i]->timeout_s > 0 && left(*whose[i]) <= 0) {
        const double allowed = whose[i]->timeout_s;
        end(*whose[i], true);
        lost(*whose[i], Failure::Timeout, "stopped after " + seconds_text(allowed));
      }
    }
  }

  static double left(const Worker& w) {
    return w.timeout_s - std::chrono::duration<double>(Clock::now() - w.since).count();
  }

  void receive(Worker& w) {
    char buffer[65536];
    const ssize_t n = read(w.words, buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) {
      const int status = end(w, false);
      return lost(w, Failure::Crash, signal_text(status));
    }
    w.bytes.append(buffer, static_cast<size_t>(n));
    size_t used = 0;
    while (w.bytes.size() - used >= sizeof(Header)) {
      Header header;
      std::memcpy(&header, w.bytes.data() + used, sizeof(header));
      if (w.bytes.size() - used - sizeof(header) < header.size) break;
      take(w, header.word, std::string_view(w.bytes).substr(used + sizeof(header), header.size));
      used += sizeof(header) + header.size;
    }
    w.bytes.erase(0, used);
  }

  void take(Worker& w, Word word, std::string_view bytes) {
    WireReader wire(bytes);
    switch (word) {
      case Word::Begin:
        wire(w.at, w.timeout_s);
        members_of_case(wire, w.known);
        w.in_case = true;
        w.since = Clock::now();
        break;
      case Word::Done: {
        CaseVerdict verdict;
        members_of_case(wire, verdict);
        w.in_case = false;
        w.timeout_s = pool_.load_timeout_s;
        w.since = Clock::now();
        sink_(w.order.task, std::move(verdict));
        break;
      }
      case Word::EndOfTask:
        w.busy = false;
        break;
    }
  }

  // The worker is gone in the middle of a case or of loading a file.
  void lost(Worker& w, Failure failure, const std::string& reason) {
    w.busy = false;
    if (!w.in_case) {
      sink_(w.order.task, failed_file(tasks_[w.order.task].path, failure,
                                      tasks_[w.order.task].path + ": while it was loaded: " + reason));
      return;
    }
    CaseVerdict verdict = std::move(w.known);
    verdict.failure = failure;
    verdict.reason = reason;
    const Start next{w.at.suite, w.at.test_case + 1, w.at.part + 1};
    // First of all the rest of this file, so that the order of its verdicts stays.
    waiting_.push_front({w.order.task, next});
    sink_(w.order.task, std::move(verdict));
  }

  const std::vector<CheckTask>& tasks_;
  const VerifyOptions& options_;
  const PoolOptions& pool_;
  const VerdictSink& sink_;
  std::deque<Order> waiting_;
  std::vector<Worker> workers_;
};

}  // namespace

Status check_files(const std::vector<CheckTask>& tasks, const VerifyOptions& options, const PoolOptions& pool,
                   const VerdictSink& sink) {
  return Pool(tasks, options, pool, sink).run();
}

}  // namespace et::bundled
