// What the import reported and no other rule has said.
#include "inspector/analysis/findings/finding.h"
#include "inspector/text/format.h"

namespace et::inspector {

void find_import_diagnostics(FindingContext& c) {
  Statement st = c.query(
      "SELECT severity, id, count, message, help FROM diagnostics WHERE trace_id = ?1 ORDER BY severity = 'error' "
      "DESC, severity = 'data-loss' DESC, id");
  while (st.step()) {
    if (c.answered(st.str(1))) continue;
    const std::string times = st.integer(2) > 1 ? " (" + format_count(st.integer(2)) + " times)" : "";
    c.add(st.str(0).c_str(), st.str(1), st.str(3) + times, st.str(4));
  }
}

}  // namespace et::inspector
