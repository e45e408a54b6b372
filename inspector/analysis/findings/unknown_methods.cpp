// Blocks whose method neither the trace nor its files tell.
#include "inspector/analysis/findings/finding.h"

namespace et::inspector {

void find_unknown_methods(FindingContext& c) {
  const int64_t unknown =
      c.number("SELECT count(*) FROM blocks WHERE trace_id = ?1 AND kind = 'execute' AND method IS NULL");
  if (unknown == 0 || (!c.has_etrecord() && !c.has_program())) return;
  c.answer("method-unknown");
  c.add("warning", "method-unknown", std::to_string(unknown) + " blocks match none or several of the methods",
        "Pass --pte as well as --etrecord; ETDumps of et-run name the method themselves.");
}

}  // namespace et::inspector
