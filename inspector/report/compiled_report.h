// What the compiler of a delegate expected of its operators, and what a trace of the device measured: view
// compiled_ops.
#pragma once

#include <cstdint>

#include "inspector/store/store.h"
#include "inspector/text/table.h"

namespace et::inspector {

/// One row an operator in the order of execution, with the graph node and line where they are known, and the sum.
/// Without rows where nothing was imported for this delegate.
Table compiled_table(const Store& store, int64_t delegate_id);

}  // namespace et::inspector
