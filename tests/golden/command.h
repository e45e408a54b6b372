// Runs one shell command with a known environment and a time limit, and keeps what it wrote.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace et::golden {

struct CommandResult {
  int exit_code = -1;  // 128 + signal when a signal ended it, as a shell says it
  bool timed_out = false;
  std::string out;
  std::string err;
};

// `command` goes to /bin/sh -c in folder `work`, with nothing on stdin and exactly the variables `env` (NAME=value).
// After `seconds` it is killed with its children. What it writes goes through files beside `work`, so it can never
// block on a full pipe.
CommandResult run_command(const std::string& command, const std::filesystem::path& work,
                          const std::vector<std::string>& env, int seconds);

// The text as one word for the shell: quoted when it holds anything that a shell might take apart.
std::string shell_word(const std::string& text);

}  // namespace et::golden
