// Table non_delegated.
#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/tables/analysis_tables.h"

namespace et::inspector {

std::span<const ComputedColumn> non_delegated_columns() {
  static constexpr ComputedColumn kColumns[] = {
      kTraceColumn,
      kBasisColumn,
      {"method", "TEXT", "method, NULL where it cannot be told"},
      {"op", "TEXT", "operator"},
      {"node", "TEXT", "graph node, NULL without an ETRecord"},
      {"dtype", "TEXT", "of its result"},
      {"shape", "TEXT", "of its result"},
      {"file", "TEXT", "Python file"},
      {"line", "INTEGER", "and line"},
      {"module_path", "TEXT", "module"},
      {"instruction", "INTEGER", "index of its instruction, NULL where it needs none"},
      {"time_ns", "REAL", "per execution"},
      {"calls", "INTEGER", "per execution"},
      {"crossing_bytes", "INTEGER", "that it reads from delegates and makes for delegates, NULL where it is not known"},
      {"reason", "TEXT", "the first reason: control-flow, dtype, dynamic-shape …"},
      {"reasons", "TEXT", "all of them, in sentences"},
  };
  return kColumns;
}

Status fill_non_delegated(const Store& store, int64_t trace_id, ComputedRows* rows) {
  OpTable shown;
  std::vector<DelegationMap> maps;
  Status status = load_given_basis(store, trace_id, rows, &shown);
  if (status.ok()) status = delegation_map(store, shown, &maps);
  for (const DelegationMap& map : maps) {
    for (const NonDelegatedOp& op : map.non_delegated) {
      std::string reasons;
      for (const StayReason& r : op.reasons) reasons += (reasons.empty() ? "" : "; ") + r.text;
      rows->add({sql_text(map.method), sql_text(op.op), sql_text(op.node), sql_text(op.dtype), sql_text(op.shape),
                 sql_text(op.file), op.line > 0 ? SqlValue(op.line) : SqlValue(), sql_text(op.module_path),
                 op.instruction >= 0 ? SqlValue(op.instruction) : SqlValue(), op.ns, op.calls,
                 op.crossing_bytes >= 0 ? SqlValue(op.crossing_bytes) : SqlValue(),
                 op.reasons.empty() ? SqlValue() : SqlValue(reason_name(op.reasons.front().kind)), sql_text(reasons)});
    }
  }
  return status;
}

}  // namespace et::inspector
