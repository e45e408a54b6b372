// What reports work out over all executions of a trace, kept in its store where there are many: of 400,000 it takes a
// quarter of a second, each time. Whoever does not find it works it out.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/execution_notes.h"
#include "inspector/analysis/ops/execution_phases.h"
#include "inspector/store/store.h"

namespace et::inspector {

constexpr int64_t kManyExecutions = 5'000;

/// After the import of a trace with at least `from` executions; of less it does nothing. Replaces what was kept.
/// Errors: AccessFailed (the store cannot be written), InvalidExternalData (damaged store).
Status keep_executions(Store& store, int64_t trace_id, int64_t from = kManyExecutions);

/// False when nothing, or what another version worked out, is kept of the trace.
bool load_kept_notes(const Store& store, int64_t trace_id, std::vector<ExecutionNote>* out);
bool load_kept_phases(const Store& store, int64_t trace_id, PhasesOfBlocks* out);

}  // namespace et::inspector
