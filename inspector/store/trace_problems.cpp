#include "inspector/store/trace_problems.h"

namespace et::inspector {

TraceProblems problems_of(const Store& store, int64_t trace_id) {
  Statement st = store.query(
      "SELECT coalesce(max(severity = 'error' AND id NOT LIKE '%-mismatch'), 0), coalesce(max(severity = 'data-loss'), "
      "0), coalesce(max(severity = 'error' AND id LIKE '%-mismatch'), 0) FROM diagnostics WHERE trace_id = ?1");
  st.bind(1, trace_id);
  if (!st.step()) return {};
  return {st.integer(0) != 0, st.integer(1) != 0, st.integer(2) != 0};
}

std::vector<ProblemText> problem_texts(const Store& store, int64_t trace_id) {
  Statement st = store.query(
      "SELECT id, message, count FROM diagnostics WHERE trace_id = ?1 AND severity <> 'info' ORDER BY severity DESC, "
      "id");
  st.bind(1, trace_id);
  std::vector<ProblemText> out;
  while (st.step()) out.push_back({st.str(0), st.str(1), st.integer(2)});
  return out;
}

}  // namespace et::inspector
