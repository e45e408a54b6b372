// Where in the model a run stopped: the instruction that failed as graph nodes and Python lines.
#pragma once

#include <cstdint>
#include <string>

namespace et::cli {

struct FailurePlace {
  std::string program;  // .pte or .bpte
  std::string record;   // ETRecord; empty: none
  std::string method;
  int64_t instruction = -1;
  std::string error;  // what the runtime said; a "debug handle N" in it is looked up, too
};

/// Lines to print behind the error; what cannot be found out is said there.
std::string failure_text(const FailurePlace& place);

}  // namespace et::cli
