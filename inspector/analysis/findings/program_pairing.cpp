// Is the program the one that ran, and would it help to have it?
#include "inspector/analysis/findings/finding.h"

namespace et::inspector {

void find_program_pairing(FindingContext& c) {
  if (c.has_program() && c.diagnosed("program-mismatch")) {
    c.answer("program-mismatch");
    c.add("error", "program-pairing", "the program is not the one that ran: " + c.message("program-mismatch"),
          "Pass the .pte that was loaded on the device.");
  } else if (c.has_program() && c.has_etdump()) {
    c.add("ok", "program-pairing", "program and ETDump belong together");
  } else if (c.number("SELECT count(*) FROM ops WHERE trace_id = ?1 AND backend = 'XnnpackBackend' AND is_delegated") >
             0) {
    c.add("info", "no-program", "XNNPACK events are linked by inference only",
          "Pass the program with --pte: its payloads name the nodes.");
  }
}

}  // namespace et::inspector
