// The cases that the command line of `et-check bundle` describes.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "bundled_program/cases/memory_cases.h"
#include "cli/arguments.h"
#include "runtime/format/program.h"

namespace et::cli {

struct NewCases {
  bundled::MemoryCases cases;
  std::vector<std::string> methods;  // named or meant, each once
  bool expectations = false;         // --expect was given
};

/// --method, --case and --expect in their order: a method's options stand behind it, the i-th --expect belongs to the
/// i-th --case of the method. --fill makes one case for each method that has no --case. The cases fit the program,
/// unless --no-check is given. `path` is the program's file, for messages. Errors: InvalidArgument, those of reading
/// arrays.
Status read_new_cases(const Arguments& args, const std::string& path, const format::Program& program, NewCases* out);

}  // namespace et::cli
