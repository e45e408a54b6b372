// High-water marks that a trace has of the runtime's allocators, one of each for each execution.
#pragma once

#include <cstdint>
#include <vector>

#include "inspector/analysis/memory/memory_plan.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// The largest of all executions, by method, then name; marks of loading are left out. Errors: InvalidExternalData
/// (damaged store).
Status load_runtime_marks(const Store& store, int64_t trace_id, std::vector<RuntimeArena>* out);

}  // namespace et::inspector
