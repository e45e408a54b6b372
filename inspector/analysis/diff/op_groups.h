// Ops of two traces that do the same work: sets that share graph nodes, and ops without nodes by what they are called.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "inspector/analysis/diff/node_match.h"
#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

struct OpGroup {
  std::vector<uint32_t> before, after;  ///< indices of ops, in order
  std::optional<NodeMatchVia> via;      ///< the loosest match of nodes that holds it together
};

/// Whether the op's own time is work of its nodes; what a delegate's call takes beyond its events is not.
bool has_work(const OpEntry& op);

/// Each op of an execution that ran and is on the trace's clock is in one group. Groups come in the order in which they
/// first ran in `after`, then those of `before` alone.
std::vector<OpGroup> group_ops(const OpTable& before, const OpTable& after, const UnknownMethods& unknown = {});

}  // namespace et::inspector
