// A delegate's call stands at its first node; its outputs are made by others. Which those are.
#pragma once

#include <cstdint>

#include "inspector/analysis/memory/memory_plan.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Fills node, file and line of tensors that delegates write, where the graph tells which node makes them.
void place_delegate_outputs(const Store& store, int64_t trace_id, MemoryPlan* plan);

}  // namespace et::inspector
