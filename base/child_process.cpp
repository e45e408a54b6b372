#include "base/child_process.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/interruption.h"

namespace et {
namespace {

constexpr int kLookMs = 50;  // how often it is looked for a cancellation
constexpr size_t kMostErrors = size_t{64} << 10;

Status cannot_start() { return {Error::Internal, std::string("cannot start a process: ") + std::strerror(errno)}; }

/// What runs between fork() and execvp(): nothing that allocates, since other threads may hold the locks of the heap.
[[noreturn]] void become(char* const* words, int errors) {
  end_with_parent();
  const int none = ::open("/dev/null", O_RDWR);
  if (none >= 0) {
    ::dup2(none, 0);
    ::dup2(none, 1);
  }
  ::dup2(errors, 2);
  ::execvp(words[0], words);
  ::_exit(127);
}

/// Reads what there is; false at the end.
bool read_some(int fd, std::string* out) {
  char bytes[4096];
  const ssize_t n = ::read(fd, bytes, sizeof bytes);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (n == 0) return false;
  out->append(bytes, std::min(static_cast<size_t>(n), kMostErrors - out->size()));
  return true;
}

}  // namespace

std::string program_beside(const std::string& name) {
  char own[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", own, sizeof own - 1);
  if (length > 0) {
    std::string path(own, static_cast<size_t>(length));
    path = path.substr(0, path.find_last_of('/') + 1) + name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return name;
}

Status run_child(std::vector<std::string> words, const std::function<bool()>& cancelled, ChildEnd* out) {
  *out = {};
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return cannot_start();
  const pid_t child = ::fork();
  if (child == 0) become(raw.data(), ends[1]);
  ::close(ends[1]);
  if (child < 0) {
    const Status status = cannot_start();
    ::close(ends[0]);
    return status;
  }
  bool killed = false, open = true;
  int status = 0;
  for (;;) {
    if (!killed && cancelled && cancelled()) killed = ::kill(child, SIGKILL) == 0;
    if (open) {
      pollfd wanted = {ends[0], POLLIN, 0};
      if (::poll(&wanted, 1, kLookMs) > 0) open = read_some(ends[0], &out->errors);
      if (open && !killed) continue;
    }
    // What it wrote is read, or nobody asks any more; programs that it started may still have the pipe.
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) break;
    if (!open) ::poll(nullptr, 0, kLookMs / 10);
  }
  ::close(ends[0]);
  if (killed) return {Error::InvalidState, "cancelled"};
  if (WIFEXITED(status)) out->exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) out->signal = WTERMSIG(status);
  return {};
}

}  // namespace et
