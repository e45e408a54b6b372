// The time of executions that leads to no Python line, by the reason for it, on a basis. With the time that does and
// the variation, which is of no op, it adds up to the total: nothing is left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspector/analysis/ops/op_count.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct UnlinkedGroup {
  std::string reason;   // text of a row of inspector/ingest/links/unlinked_reasons.def
  OpCount count;        // calls: of delegates or the runtime, whose time is in no op
  double ns = 0;        // self time on the basis, in the trace's unit
  std::string example;  // name of the costliest

  /// "83 ops, e.g. aten.add.Tensor", "13 calls, e.g. XnnpackBackend call", "framework" of one that is no op.
  std::string what() const;
};

struct UnlinkedTime {
  Basis basis;
  double total = 0;                   // what the executions cost, the variation as well
  double of_ops = 0;                  // of it, what ops cost
  double unlinked = 0;                // of it; the groups' sum
  std::vector<UnlinkedGroup> groups;  // costliest first
};

/// The part of the executions' cost, on the table's basis, that leads to no line; 0 without executions.
double share_without_line(const OpTable& table);

/// The part that is spread over nodes of several operators, because nothing says which of them an op ran: what is told
/// by type or node is a guess there. 0 without executions.
double share_of_guessed_types(const OpTable& table);

/// On the table's basis; costs below 0 (inner events that overlap) count as nothing, so that no share is above 1.
/// Nothing without executions.
UnlinkedTime unlinked_time(const Store& store, const OpTable& table);

}  // namespace et::inspector
