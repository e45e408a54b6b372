// Does the ETRecord belong to the trace, and do events link to its nodes?
#include "inspector/analysis/findings/finding.h"

namespace et::inspector {

void find_etrecord_pairing(FindingContext& c) {
  if (!c.has_etrecord() && c.diagnosed("record-not-used")) {
    c.answer("record-not-used");
    c.add("warning", "no-record",
          "the ETRecord beside the ETDump is not used, so operators have no graph nodes, Python lines and modules: " +
              c.message("record-not-used"),
          "Use the ETRecord saved by the same export that wrote the .pte that ran; --etrecord names it.");
    return;
  }
  if (!c.has_etrecord()) {
    c.add("warning", "no-record", "no ETRecord was given: operators have no graph nodes, Python lines and modules",
          "Export with generate_etrecord=True, save it with get_etrecord().save(path), and pass it with --etrecord.");
    return;
  }
  if (c.diagnosed("record-mismatch")) {
    c.answer("record-mismatch");
    c.add("error", "record-pairing", "the ETRecord belongs to another program: " + c.message("record-mismatch"),
          "Use the ETRecord saved by the same export that wrote the .pte that ran.");
    return;
  }
  if (c.diagnosed("record-incomplete") &&
      c.number("SELECT count(*) FROM links l JOIN ops o ON o.op_id = l.op_id WHERE o.trace_id = ?1") == 0) {
    c.answer("record-incomplete");
    c.add("error", "record-pairing", "the ETRecord lacks what links need: " + c.message("record-incomplete"),
          "Save it again; upstream's writer fails half-way when a control flow body holds a tensor constant.");
    return;
  }
  if (c.executions() == 0) return;
  // A cold and a warm block have the ops of a method twice: each method counts as its fullest block.
  const auto per_method = [&](const std::string& condition) {
    return c.number(
        "SELECT coalesce(sum(n), 0) FROM (SELECT max(n) AS n FROM (SELECT o.method, count(*) AS n FROM ops o WHERE "
        "o.trace_id = ?1 AND " +
        condition + " GROUP BY o.method, o.block_id) GROUP BY method)");
  };
  const int64_t kernels = per_method("o.kind = 'kernel' AND o.method IS NOT NULL");
  const int64_t sure = per_method(
      "o.kind = 'kernel' AND EXISTS (SELECT 1 FROM links l WHERE l.op_id = o.op_id AND l.via = 'instruction')");
  const int64_t delegates = per_method("o.kind = 'delegate_call' AND o.debug_handles IS NOT NULL");
  c.add("ok", "record-pairing",
        "ETRecord and ETDump belong together: " + std::to_string(sure) + " of " + std::to_string(kernels) +
            " kernels and " + std::to_string(delegates) + " delegate calls link to graph nodes");
}

}  // namespace et::inspector
