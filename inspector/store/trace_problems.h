// What the import of a trace complained about, as the commands need it: for exit codes and warnings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspector/store/store.h"

namespace et::inspector {

struct TraceProblems {
  bool damaged = false;     // a file that is corrupt
  bool data_loss = false;   // something could not be read
  bool mismatched = false;  // an ETRecord or program that belongs to something else
};
TraceProblems problems_of(const Store& store, int64_t trace_id);

struct ProblemText {
  std::string id;  ///< "program-mismatch"
  std::string message;
  int64_t count = 0;
};
/// Data losses and errors, most severe first.
std::vector<ProblemText> problem_texts(const Store& store, int64_t trace_id);

}  // namespace et::inspector
