#include "base/interruption.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <iterator>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace et {
namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM};

// Paths that the handler can reach: plain memory, no locks.
struct Slot {
  std::atomic<int> state;  // 0 free, 1 being written, 2 holds a path
  char path[4096];
};
Slot g_unfinished[8];
std::atomic<int> g_signal = 0;
std::atomic<int64_t> g_since_ns = 0;
std::atomic<OnInterruption> g_what = OnInterruption::Note;
const char* g_program = "";
pid_t g_process = 0;  // forks share the pipe, but not the signal
int g_pipe[2] = {-1, -1};
bool g_terminal = false;  // there may be a line of progress

void write_text(const char* text) { (void)!::write(STDERR_FILENO, text, std::strlen(text)); }

[[noreturn]] void exit_now(int signal) {
  for (const Slot& s : g_unfinished) {
    if (s.state == 2) ::unlink(s.path);
  }
  if (g_terminal) write_text("\r\033[K");
  write_text(g_program);
  write_text(": interrupted by ");
  write_text(signal_name(signal));
  write_text("\n");
  ::_exit(interruption_exit_code(signal));
}

// `timeout` and some CI systems signal a process and then its group: it gets the same signal twice at once.
constexpr int64_t kOneSignalNs = 500'000'000;

int64_t now_ns() {
  timespec t = {};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

void on_signal(int signal) {
  const OnInterruption what = g_what;
  int none = 0;
  const bool first = g_signal.compare_exchange_strong(none, signal);
  if (first) g_since_ns = now_ns();
  const bool again = !first && now_ns() - g_since_ns > kOneSignalNs;
  if (what == OnInterruption::Exit || (what == OnInterruption::Note && again)) exit_now(signal);
  if (first && g_pipe[1] >= 0 && ::getpid() == g_process) (void)!::write(g_pipe[1], "", 1);
}

}  // namespace

void catch_interruptions(OnInterruption what, const char* program) {
  g_what = what;
  g_program = program;
  g_terminal = ::isatty(STDERR_FILENO) != 0;
  if (what != OnInterruption::Exit && g_pipe[0] < 0 && ::pipe(g_pipe) == 0) {
    for (const int fd : g_pipe) {
      ::fcntl(fd, F_SETFD, FD_CLOEXEC);
      ::fcntl(fd, F_SETFL, O_NONBLOCK);
    }
    g_process = ::getpid();
  }
  for (const int signal : kSignals) {
    struct sigaction action = {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    ::sigaction(signal, &action, nullptr);
  }
}

int interruption() { return g_signal; }
int interruption_fd() { return g_pipe[0]; }

void end_with_parent() {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

const char* signal_name(int signal) { return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "a signal"; }

UnfinishedFile::UnfinishedFile(const std::string& path) {
  for (size_t i = 0; i < std::size(g_unfinished) && path.size() < sizeof(Slot::path); ++i) {
    int free = 0;
    if (!g_unfinished[i].state.compare_exchange_strong(free, 1)) continue;
    std::memcpy(g_unfinished[i].path, path.c_str(), path.size() + 1);
    g_unfinished[i].state = 2;
    slot_ = static_cast<int>(i);
    return;
  }
}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  if (this != &other) {
    release();
    slot_ = other.slot_;
    other.slot_ = -1;
  }
  return *this;
}

void UnfinishedFile::release() {
  if (slot_ >= 0) g_unfinished[slot_].state = 0;
  slot_ = -1;
}

}  // namespace et
