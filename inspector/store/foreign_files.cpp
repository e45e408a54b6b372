#include "inspector/store/foreign_files.h"

#include "inspector/text/format.h"

namespace et::inspector {

std::vector<std::string> ForeignFiles::warnings() const {
  std::vector<std::string> out;
  if (!record.empty()) {
    out.push_back("the ETRecord is another model's (" + record + "): " +
                  (record_linked ? "lines are shown only of executions that it fits" : "no line of it is shown"));
  }
  if (!program.empty())
    out.push_back("the program is not the one that ran (" + program + "): nothing of it is taken for the trace");
  return out;
}

std::string error_paragraphs(const std::vector<std::string>& errors) {
  std::string out;
  for (const std::string& error : errors) out += "ERROR: " + printable(error) + "\n\n";
  return out;
}

ForeignFiles foreign_files(const Store& store, int64_t trace_id) {
  ForeignFiles out;
  Statement st = store.query(
      "SELECT id, message FROM diagnostics WHERE trace_id = ?1 AND id IN ('record-mismatch', 'program-mismatch')");
  st.bind_all(trace_id);
  while (st.step()) (st.text(0) == "record-mismatch" ? out.record : out.program) = st.str(1);
  if (out.record.empty() && out.program.empty()) return out;
  Statement trace = store.query("SELECT program_path IS NOT NULL FROM raw_trace WHERE id = ?1");
  trace.bind_all(trace_id);
  out.has_program = trace.step() && trace.integer(0) != 0;
  if (out.record.empty()) return out;
  Statement links = store.query(
      "SELECT 1 FROM raw_node n JOIN raw_link l ON l.node = n.id WHERE n.trace = ?1 AND l.weight > 0 LIMIT 1");
  links.bind_all(trace_id);
  out.record_linked = links.step();
  return out;
}

}  // namespace et::inspector
