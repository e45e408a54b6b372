// A call and the kernel in it are one op for people: which kernel that is.
#pragma once

#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

/// Of a call (OpEntry::is_wrapper) its kernel, which comes behind it; any other op, and a call without one, itself.
inline const OpEntry& called_kernel(const OpTable& table, const OpEntry& call) {
  if (!call.is_wrapper()) return call;
  const auto at = static_cast<size_t>(&call - table.ops.data());
  const OpBlock& block = table.block_of(call);
  for (size_t i = at + 1; i < block.first_op + block.ops && table.ops[i].parent; ++i) {
    if (table.ops[i].parent == at && table.ops[i].kind == "kernel") return table.ops[i];
  }
  return call;
}

}  // namespace et::inspector
