// Shell completions from the option table. Each script stands alone and needs no helper package.
#pragma once

#include <string>

#include "cli/option_table.h"

namespace et::cli {

std::string bash_completion(const ProgramSpec& program);
std::string zsh_completion(const ProgramSpec& program);
std::string fish_completion(const ProgramSpec& program);
/// Of bash, zsh or fish.
std::string completion_script(const ProgramSpec& program, const std::string& shell);

}  // namespace et::cli
