// The trace's check-up: is it empty, does the record belong to it, what is not linked and why, what would help.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspector/store/store.h"

namespace et::inspector {

struct Finding {
  std::string severity;  // ok, info, warning, data-loss or error
  std::string id;        // stable name
  std::string text;      // what was found, with numbers
  std::string advice;    // what to do; may be empty
};

/// Findings in the order in which a person should read them: the answers first, then the diagnostics of the import.
Status diagnose(const Store& store, int64_t trace_id, std::vector<Finding>* out);

}  // namespace et::inspector
