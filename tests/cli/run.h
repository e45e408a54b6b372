// Runs et-inspect in a folder, with a small environment.
#pragma once

#include <cstdlib>
#include <string>

#include "tests/cli/scratch.h"
#include "tests/golden/command.h"

namespace et::cli::test {

/// `words` as one would type them behind the program's name, in a shell in `dir`.
inline golden::CommandResult inspect(const Scratch& dir, const std::string& words) {
  const char* path = std::getenv("PATH");
  return golden::run_command(golden::shell_word(ET_INSPECT_COMMAND) + " " + words, dir.path(),
                             {"PATH=" + std::string(path == nullptr ? "/usr/bin:/bin" : path), "LC_ALL=C.UTF-8"}, 120);
}

inline std::string artifact(const std::string& name) { return std::string(ET_FIXTURES) + "/artifacts/" + name; }

}  // namespace et::cli::test
