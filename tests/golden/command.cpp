#include "tests/golden/command.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>

namespace et::golden {
namespace {

std::string read_all(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

[[noreturn]] void become(const std::string& command, const std::filesystem::path& work,
                         const std::filesystem::path& out, const std::filesystem::path& err, std::vector<char*>& env) {
  setpgid(0, 0);
  const int in_fd = open("/dev/null", O_RDONLY);
  const int out_fd = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err_fd = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (in_fd < 0 || out_fd < 0 || err_fd < 0 || chdir(work.c_str()) != 0) _exit(126);
  dup2(in_fd, STDIN_FILENO);
  dup2(out_fd, STDOUT_FILENO);
  dup2(err_fd, STDERR_FILENO);
  const char* argv[] = {"sh", "-c", command.c_str(), nullptr};
  execve("/bin/sh", const_cast<char**>(argv), env.data());
  _exit(127);
}

}  // namespace

CommandResult run_command(const std::string& command, const std::filesystem::path& work,
                          const std::vector<std::string>& env, int seconds) {
  CommandResult result;
  std::filesystem::path out = work;
  std::filesystem::path err = work;
  out += ".stdout";
  err += ".stderr";
  std::vector<std::string> owned = env;
  std::vector<char*> pointers;
  for (std::string& variable : owned) pointers.push_back(variable.data());
  pointers.push_back(nullptr);

  const pid_t child = fork();
  if (child < 0) return result;
  if (child == 0) become(command, work, out, err, pointers);
  setpgid(child, child);  // in both, so that it holds whoever runs first

  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  int status = 0;
  auto pause = std::chrono::microseconds(200);
  while (true) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || ended < 0) break;
    if (std::chrono::steady_clock::now() > deadline) {
      result.timed_out = true;
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(10000));
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.exit_code = 128 + WTERMSIG(status);
  result.out = read_all(out);
  result.err = read_all(err);
  return result;
}

std::string shell_word(const std::string& text) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%=";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace et::golden
