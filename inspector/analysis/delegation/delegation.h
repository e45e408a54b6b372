// Delegated or not: the counts of upstream's get_delegation_info, from record and program instead of the Python graph,
// and what every part costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct DelegationRow {
  std::string op_type;  // node name without its number, as upstream groups them
  int64_t delegated = 0, non_delegated = 0;
  int64_t fewer = 0, more = 0;  // nodes share a handle: so many fewer or more may be delegated; 0 and 0: certain
  double ns_delegated = 0, ns_non_delegated = 0;  // self time charged to these nodes: of all executions, or shown

  double ns() const { return ns_delegated + ns_non_delegated; }
};

/// One delegated part of a method.
struct DelegationPart {
  int64_t instruction_id = 0;
  std::string backend;
  int64_t nodes = 0;           // graph nodes that went into it
  int64_t payload_bytes = -1;  // -1: unknown without a program
  int64_t calls = 0;
  int64_t sum_ns = 0;    // time of its calls
  int64_t inner_ns = 0;  // explained by the delegate's own events
};

struct DelegationSummary {
  std::string method;
  int64_t subgraphs = 0, delegated_nodes = 0, non_delegated_nodes = 0;  // certain, whatever the rows are
  int64_t uncertain_nodes = 0;      // share a handle with others, of which some are delegated
  std::vector<DelegationRow> rows;  // by op_type
  std::vector<DelegationPart> parts;
};

/// One summary per method that has a graph. Empty without a record.
Status delegation(const Store& store, int64_t trace_id, std::vector<DelegationSummary>* out);

/// The same for people: times of the rows are on the basis of the table, and the most expensive come first.
Status shown_delegation(const Store& store, const OpTable& table, std::vector<DelegationSummary>* out);

}  // namespace et::inspector
