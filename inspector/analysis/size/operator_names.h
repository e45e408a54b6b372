// What uses the bytes of a program, called as the op is everywhere else: aten.linear instead of FullyConnected.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "inspector/analysis/size/program_size.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Fills SizeEntry::operator_name: by the op of the trace, which is linked, else by the graph's nodes of the debug
/// handle. It stays empty where neither tells. Errors: InvalidExternalData (damaged store).
Status name_operators(const Store& store, int64_t trace_id, ProgramSize* size);

}  // namespace et::inspector
