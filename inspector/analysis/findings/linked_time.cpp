// How much of the time leads to Python lines, and why the rest does not.
#include "inspector/analysis/findings/finding.h"
#include "inspector/text/format.h"

namespace et::inspector {

void find_linked_time(FindingContext& c) {
  if (c.executions() == 0) return;
  Statement total = c.query(
      "SELECT total(max(o.self_ns, 0)), total(CASE WHEN EXISTS (SELECT 1 FROM links l WHERE l.op_id = o.op_id AND "
      "l.weight > 0) THEN max(o.self_ns, 0) ELSE 0 END) FROM ops o JOIN blocks b ON b.block_id = o.block_id WHERE "
      "o.trace_id = ?1 AND b.kind = 'execute' AND o.clock IS NULL");
  if (!total.step() || total.real(0) <= 0) return;
  const double share = total.real(1) / total.real(0);
  const char* unlinked = c.has_etrecord() ? "warning" : "info";
  c.add(share >= 0.5 ? "ok" : unlinked, "linked-time",
        format_share(share) + " of the execution time links to Python lines; the rest is overhead and the ops below");
  Statement st = c.query(
      "SELECT reason, count(*), total(sum_ns), min(name) FROM unlinked WHERE trace_id = ?1 GROUP BY reason ORDER BY "
      "3 DESC, 1");
  while (st.step()) {
    c.add("info", "unlinked",
          std::to_string(st.integer(1)) + " ops (" + format_duration_with_unit(st.real(2), c.unit()) + ", e.g. " +
              st.str(3) + "): " + st.str(0));
  }
}

}  // namespace et::inspector
