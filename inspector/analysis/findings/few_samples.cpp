// Too few warm executions for percentiles.
#include "inspector/analysis/findings/finding.h"

namespace et::inspector {

void find_few_samples(FindingContext& c) {
  Statement st =
      c.query("SELECT min(runs - (cold_ns IS NOT NULL)) FROM blocks WHERE trace_id = ?1 AND kind = 'execute'");
  if (!st.step() || st.is_null(0) || st.integer(0) >= 3) return;
  c.add("info", "few-samples",
        "a block has only " + std::to_string(st.integer(0)) + " warm executions: percentiles mean little",
        "Execute ten times or more before writing the ETDump.");
}

}  // namespace et::inspector
