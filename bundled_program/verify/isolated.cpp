#include "bundled_program/verify/isolated.h"

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
#include <exception>

#include "base/interruption.h"

namespace et::bundled {
namespace {

constexpr int kTickMs = 100;

}  // namespace

std::string process_end_text(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    return "the process that ran it was ended by signal " + std::to_string(number) + " (" + strsignal(number) + ")";
  }
  return "the process that ran it ended with exit code " + std::to_string(WEXITSTATUS(status));
}

Isolated run_isolated(const std::function<std::string()>& function, double timeout_s,
                      const std::function<void()>& tick) {
  using Clock = std::chrono::steady_clock;
  int pipes[2];
  if (pipe(pipes) != 0)
    return {Isolated::End::Crashed, "", std::string("cannot create a pipe: ") + std::strerror(errno)};
  std::fflush(nullptr);
  const pid_t pid = fork();
  if (pid < 0) {
    close(pipes[0]);
    close(pipes[1]);
    return {Isolated::End::Crashed, "", std::string("cannot create a process: ") + std::strerror(errno)};
  }
  if (pid == 0) {
    end_with_parent();
    close(pipes[0]);
    int code = 0;
    try {
      const std::string value = function();
      for (size_t at = 0; at < value.size() && code == 0;) {
        const ssize_t n = write(pipes[1], value.data() + at, value.size() - at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) code = 1;
        if (n > 0) at += static_cast<size_t>(n);
      }
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
      code = 1;
    }
    _exit(code);
  }
  close(pipes[1]);
  Isolated out;
  const Clock::time_point begin = Clock::now();
  while (true) {
    int ms = -1;
    if (timeout_s > 0) {
      const double left = timeout_s - std::chrono::duration<double>(Clock::now() - begin).count();
      if (left <= 0) {
        out.end = Isolated::End::TimedOut;
        kill(pid, SIGKILL);
        break;
      }
      ms = static_cast<int>(std::min(std::ceil(left * 1000), 1e9));
    }
    if (tick) {
      tick();
      ms = ms < 0 ? kTickMs : std::min(ms, kTickMs);
    }
    pollfd fds[] = {{pipes[0], POLLIN, 0}, {interruption_fd(), POLLIN, 0}};  // one below 0 is passed over
    if (poll(fds, 2, ms) <= 0) continue;
    if (fds[1].revents != 0) {
      out.end = Isolated::End::Interrupted;
      kill(pid, SIGKILL);
      break;
    }
    char buffer[65536];
    const ssize_t n = read(pipes[0], buffer, sizeof(buffer));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    out.value.append(buffer, static_cast<size_t>(n));
  }
  close(pipes[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (out.end == Isolated::End::TimedOut) {
    char text[64];
    std::snprintf(text, sizeof(text), "stopped after %.3g s", timeout_s);
    out.reason = text;
  } else if (out.end == Isolated::End::Interrupted) {
    out.reason = std::string("interrupted by ") + signal_name(interruption());
  } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    out.end = Isolated::End::Crashed;
    out.reason = process_end_text(status);
  }
  return out;
}

}  // namespace et::bundled
