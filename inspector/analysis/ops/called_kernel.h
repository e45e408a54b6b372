// A call and the kernel in it are one op for people: which kernel that is.
#pragma once

#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

/// Of a call (OpEntry::is_wrapper) its kernel; any other op, and a call without one, itself. Ops stand in the order of
/// their ends or of their beginnings, so what is in a call lies in front of it or behind it.
inline const OpEntry& called_kernel(const OpTable& table, const OpEntry& call) {
  if (!call.is_wrapper()) return call;
  const auto at = static_cast<size_t>(&call - table.ops.data());
  const OpBlock& block = table.block_of(call);
  const auto is_its_kernel = [&](const OpEntry& op) { return op.parent == at && op.kind == "kernel"; };
  for (size_t i = at; i-- > block.first_op;) {
    const OpEntry& op = table.ops[i];
    if (is_its_kernel(op)) return op;
    if (!op.parent || *op.parent > at) break;
  }
  for (size_t i = at + 1; i < block.first_op + block.ops; ++i) {
    const OpEntry& op = table.ops[i];
    if (is_its_kernel(op)) return op;
    if (!op.parent || *op.parent < at || *op.parent > i) break;
  }
  return call;
}

}  // namespace et::inspector
