// Shells in tests of completions: run in a scratch folder, with little of the environment.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/cli/scratch.h"
#include "tests/golden/command.h"

namespace et::cli::test {

inline golden::CommandResult shell(const Scratch& dir, const std::string& command) {
  const char* path = std::getenv("PATH");
  const char* libraries = std::getenv("LD_LIBRARY_PATH");
  std::vector<std::string> env = {"PATH=" + std::string(path == nullptr ? "/usr/bin:/bin" : path), "LC_ALL=C.UTF-8",
                                  "HOME=" + dir.path().string()};
  if (libraries != nullptr) env.push_back("LD_LIBRARY_PATH=" + std::string(libraries));
  return golden::run_command(command, dir.path(), env, 60);
}

inline bool installed(const Scratch& dir, const std::string& tool) {
  return shell(dir, "command -v " + tool).exit_code == 0;
}

/// Words that bash offers by the script's function when the last of `words` is being typed, between spaces.
inline std::string bash_offers(const Scratch& dir, const std::string& script, const std::string& function,
                               const std::vector<std::string>& words) {
  write_file(dir / "script", script);
  std::string list;
  for (const std::string& w : words) list += " " + golden::shell_word(w);
  const golden::CommandResult r =
      shell(dir, "bash -c " + golden::shell_word("source ./script; COMP_WORDS=(" + list +
                                                 "); COMP_CWORD=" + std::to_string(words.size() - 1) + "; " + function +
                                                 "; echo \" ${COMPREPLY[*]} \""));
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  return r.out;
}

}  // namespace et::cli::test
