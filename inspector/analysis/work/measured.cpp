#include "inspector/analysis/work/measured.h"

#include <map>
#include <string>

namespace et::inspector {

std::vector<MeasuredCounts> measured_counts(const Store& store, const OpTable& shown, const Roofline& roofline) {
  Statement s = store.query(
      "SELECT op_id, name, CAST(sum(value) AS REAL) / count(DISTINCT run_id) FROM counters WHERE trace_id = ?1 AND "
      "name "
      "IN ('cycles', 'instructions', 'cache-misses') GROUP BY op_id, name");
  s.bind_all(shown.trace_id);
  std::map<int64_t, MeasuredCounts> by_op;
  while (s.step()) {
    MeasuredCounts& op = by_op[s.integer(0)];
    const std::string name = s.str(1);
    (name == "cycles" ? op.cycles : name == "instructions" ? op.instructions : op.cache_misses) = s.real(2);
  }
  if (by_op.empty()) return {};
  const auto add = [](std::optional<double>* sum, const std::optional<double>& more) {
    if (!more) {
      sum->reset();
    } else if (*sum) {
      **sum += *more;
    }
  };
  std::vector<MeasuredCounts> out;
  for (const RooflineRow& row : roofline.rows) {
    MeasuredCounts& sum = out.emplace_back(MeasuredCounts{0.0, 0.0, 0.0});
    bool any = false;
    for (const uint32_t i : row.ops) {
      const OpEntry& op = shown.ops[i];
      if (op.is_wrapper()) continue;
      const auto at = by_op.find(op.id);
      static const MeasuredCounts kNothing;
      const MeasuredCounts& counted = at == by_op.end() || op.encloses ? kNothing : at->second;
      add(&sum.cycles, counted.cycles);
      add(&sum.instructions, counted.instructions);
      add(&sum.cache_misses, counted.cache_misses);
      any = true;
    }
    if (!any) sum = {};
  }
  return out;
}

}  // namespace et::inspector
