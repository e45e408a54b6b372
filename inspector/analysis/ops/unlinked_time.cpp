#include "inspector/analysis/ops/unlinked_time.h"

#include "inspector/ingest/links/unlinked_reasons.h"

namespace et::inspector {
namespace {

// Self times below 0 (inner events that overlap) count as nothing, so that no share is above 1. Private tables where
// the views would look at the whole store.
constexpr const char* kGroups =
    "WITH linked AS MATERIALIZED (SELECT l.op AS op, sum(iif(n.file IS NULL, 0.0, l.weight)) AS lined FROM raw_node n "
    "JOIN raw_link l ON l.node = n.id WHERE n.trace = ?1 AND l.weight > 0 GROUP BY l.op) "
    "SELECT why, count(*), total(time), name, max(time) FROM ("
    "SELECT CASE WHEN w.op IS NOT NULL THEN ?2 WHEN u.reason IS NOT NULL THEN u.reason WHEN o.kind = 'delegate_call' "
    "THEN ?3 ELSE ?4 END AS why, o.name AS name, max(o.self_ns, 0) * (1 - coalesce(w.lined, 0)) AS time FROM ops o "
    "JOIN "
    "blocks b ON b.block_id = o.block_id LEFT JOIN linked w ON w.op = o.op_id LEFT JOIN raw_unlinked u ON u.op = "
    "o.op_id WHERE o.trace_id = ?1 AND b.kind = 'execute' AND o.clock IS NULL) WHERE time > 0 GROUP BY why ORDER BY 3 "
    "DESC, 1";

}  // namespace

double share_without_line(const OpTable& table) {
  double total = 0, lined = 0;
  for (const OpEntry& op : table.ops) {
    if (table.block_of(op).kind != "execute" || !op.on_trace_clock() || !(op.cost > 0)) continue;
    total += op.cost;
    for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) {
      const OpNode& n = table.nodes[i];
      if (n.weight > 0 && !n.node->file.empty()) lined += n.weight * op.cost;
    }
  }
  return total > 0 ? (total - lined) / total : 0;
}

UnlinkedTime unlinked_time(const Store& store, int64_t trace) {
  UnlinkedTime out;
  Statement total = store.query(
      "SELECT total(max(o.self_ns, 0)) FROM ops o JOIN blocks b ON b.block_id = o.block_id WHERE o.trace_id = ?1 AND "
      "b.kind = 'execute' AND o.clock IS NULL");
  total.bind_all(trace);
  if (!total.step() || total.real(0) <= 0) return out;
  out.total = total.real(0);
  Statement st = store.query(kGroups);
  st.bind_all(trace, unlinked_reason(Unlinked::no_line).text, unlinked_reason(Unlinked::delegate_overhead).text,
              unlinked_reason(Unlinked::runtime_overhead).text);
  while (st.step()) {
    // Weights of a node's share add up to 1 but for rounding.
    if (st.real(2) < out.total * 1e-9) continue;
    out.groups.push_back({st.str(0), st.integer(1), st.real(2), st.str(3)});
    out.unlinked += st.real(2);
  }
  return out;
}

}  // namespace et::inspector
