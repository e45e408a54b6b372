// The times of an OpTable on a basis, and its blocks as executions of methods.
#pragma once

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Makes one block of all blocks of executions of a method, and one op of those that are one in them, with the
/// statistics of all their samples. The others' keys lead to it (OpTable::find). Stores of older versions stay as they
/// are.
/// Errors: AccessFailed or InvalidExternalData (damaged store).
Status merge_blocks(const Store& store, OpTable* table);

/// Sets OpEntry::cost and OpBlock::cost. In a block, the costs of all ops on the trace's clock and OpBlock::variation
/// add up to the block's. Errors: InvalidArgument for an execution that the trace does not have, naming those there
/// are; as above.
Status set_basis(const Store& store, const Basis& basis, OpTable* table);

}  // namespace et::inspector
