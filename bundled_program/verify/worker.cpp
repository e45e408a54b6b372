#include "bundled_program/verify/worker.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/interruption.h"
#include "bundled_program/verify/wire.h"

namespace et::bundled {
namespace {

bool write_all(int fd, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    // A worker that died is seen by its silence; no signal ends the program that asked.
    const ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
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

/// In the worker: collects what the verifier says, and writes it when there is much, or when the parent waits for it.
class WordStream : public VerifyListener {
 public:
  WordStream(int fd, Staging* staging, bool flush_always) : fd_(fd), staging_(staging), flush_always_(flush_always) {}

  // The parent watches the time of cases that have a limit.
  void begin(const Start& at, const CaseVerdict& known, double timeout_s) override {
    WireWriter wire;
    wire(at, timeout_s);
    members_of_case(wire, known);
    timed_ = timeout_s > 0;
    say(Word::Begin, wire.take());
    if (timed_) flush();
  }
  void done(CaseVerdict&& verdict) override {
    WireWriter wire;
    members_of_case(wire, verdict);
    say(Word::Done, wire.take());
    if (timed_) flush();
  }
  void end_of_task() { say(Word::EndOfTask, ""); }

  void flush() {
    const uint64_t size = staging_->size;
    if (size == 0) return;
    if (!write_all(fd_, staging_->data, size)) _exit(1);  // the parent is gone
    // In this order: a parent that looks in between must not take the bytes for new ones.
    staging_->size = 0;
    staging_->base += size;
  }

 private:
  void say(Word word, const std::string& bytes) {
    const WordHeader header{word, static_cast<uint32_t>(bytes.size())};
    const size_t size = sizeof(header) + bytes.size();
    if (staging_->size + size > Staging::kCapacity) flush();
    if (size > Staging::kCapacity) {
      if (!write_all(fd_, &header, sizeof(header)) || !write_all(fd_, bytes.data(), bytes.size())) _exit(1);
      staging_->base += size;
      return;
    }
    char* at = staging_->data + staging_->size;
    std::memcpy(at, &header, sizeof(header));
    if (!bytes.empty()) std::memcpy(at + sizeof(header), bytes.data(), bytes.size());
    staging_->size += size;
    if (flush_always_) flush();
  }

  int fd_;
  Staging* staging_;
  bool flush_always_;
  bool timed_ = false;
};

bool waiting(int fd) {
  pollfd p{fd, POLLIN, 0};
  return poll(&p, 1, 0) > 0;
}

[[noreturn]] void work(int orders, const std::vector<CheckTask>& tasks, const VerifyOptions& options,
                       WordStream& words) {
  signal(SIGPIPE, SIG_IGN);
  // A signal to the whole group must not end it before its trace is written.
  catch_interruptions(OnInterruption::NoteEach, "et-check");
  LimitTable limits(options);
  bool warned = false;
  for (WorkOrder order; read_all(orders, &order, sizeof(order));) {
    const CheckTask& task = tasks[order.task];
    bool whole = true;
    try {
      whole = verify_file(task.path, task.etdump, options, order.start, &limits, &words);
    } catch (const std::bad_alloc&) {
      words.done(failed_file(task.path, Failure::Memory, task.path + ": out of memory"));
    }
    if (!warned && !limits.status().ok()) {
      warned = true;
      std::fprintf(stderr, "et-check: warning: %s\n", limits.status().message().c_str());
    }
    if (whole) words.end_of_task();
    if (interruption() != 0 || !waiting(orders)) words.flush();
    if (interruption() != 0) _exit(interruption_exit_code(interruption()));
  }
  // Without the parent's handlers and buffers: they are the parent's.
  _exit(0);
}

Status system_error(const char* what) {
  return {Error::OutOfResources, std::string("cannot create ") + what + ": " + std::strerror(errno)};
}

}  // namespace

Worker::~Worker() {
  std::string rest;
  end(true, &rest);
  if (staging_ != nullptr) munmap(staging_, sizeof(Staging));
}

Status Worker::start(const std::vector<CheckTask>& tasks, const VerifyOptions& options, bool flush_always,
                     const std::deque<Worker>& others) {
  if (staging_ == nullptr) {
    void* memory = mmap(nullptr, sizeof(Staging), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return system_error("shared memory");
    staging_ = new (memory) Staging;
  }
  staging_->base = 0;
  staging_->size = 0;
  received_ = 0;
  int orders[2];
  int words[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, orders) != 0) return system_error("a pair of sockets");
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, words) != 0) {
    close(orders[0]);
    close(orders[1]);
    return system_error("a pair of sockets");
  }
  std::fflush(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    end_with_parent();
    // Else a worker would keep the pipes of the others open when the parent ends.
    for (const Worker& w : others) {
      if (w.orders_ >= 0) close(w.orders_);
      if (w.words_ >= 0) close(w.words_);
    }
    close(orders[1]);
    close(words[0]);
    WordStream stream(words[1], staging_, flush_always);
    work(orders[0], tasks, options, stream);
  }
  const Status status = pid_ < 0 ? system_error("a process") : Status();
  close(orders[0]);
  close(words[1]);
  orders_ = orders[1];
  words_ = words[0];
  if (!status.ok()) {
    close(orders_);
    close(words_);
    orders_ = words_ = -1;
  }
  return status;
}

void Worker::give(const WorkOrder& order) { static_cast<void>(write_all(orders_, &order, sizeof(order))); }

bool Worker::receive(std::string* out) {
  char buffer[65536];
  ssize_t n = 0;
  do {
    n = read(words_, buffer, sizeof(buffer));
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return false;
  out->append(buffer, static_cast<size_t>(n));
  received_ += static_cast<uint64_t>(n);
  return true;
}

void Worker::interrupt() {
  if (pid_ >= 0) kill(pid_, SIGTERM);
}

int Worker::end(bool kill_it, std::string* rest) {
  if (pid_ < 0) return 0;
  if (kill_it) kill(pid_, SIGKILL);
  close(orders_);
  int status = 0;
  while (receive(rest)) {
  }
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  const uint64_t size = staging_->size;
  const uint64_t known = received_ - staging_->base;  // of the staged bytes, written to the pipe before the end
  if (received_ >= staging_->base && known < size && size <= Staging::kCapacity) {
    rest->append(staging_->data + known, size - known);
  }
  close(words_);
  pid_ = orders_ = words_ = -1;
  return status;
}

}  // namespace et::bundled
