#include "inspector/analysis/work/scenarios.h"

#include <algorithm>
#include <array>

#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/ops/summary.h"

namespace et::inspector {
namespace {

/// What the scenarios ask of a row.
struct RowFacts {
  double ns = 0;
  double least_ns = 0;  ///< at its roof; as it is where that is not known
  bool has_roof = false;
  bool kernel = false;   ///< outside of delegates
  bool moves = false;    ///< only copies, or a layout that the lowering inserted
  bool runtime = false;  ///< no op: the framework, calls of kernels and delegates
};

struct Kind {
  const char* id;
  const char* text;
  const char* assumes;
  bool roofs;
  bool (*is_about)(const RowFacts&);
  double (*saved)(const RowFacts&);
};

bool any_op(const RowFacts& r) { return !r.runtime; }
double all_of_it(const RowFacts& r) { return r.ns; }
double above_roof(const RowFacts& r) { return std::max(0.0, r.ns - r.least_ns); }

constexpr std::array<Kind, 6> kKinds = {{
    {"delegated", "the ops outside of delegates are delegated", "a delegate takes no time for them", false,
     [](const RowFacts& r) { return r.kernel && !r.runtime; }, all_of_it},
    {"delegated-at-roof", "the ops outside of delegates are delegated",
     "a delegate reaches the machine's peaks, and fuses what only moves data", true,
     [](const RowFacts& r) { return r.kernel && !r.runtime; },
     [](const RowFacts& r) { return r.moves ? r.ns : above_roof(r); }},
    {"at-roof", "all ops run at the roof of this machine", "each kernel reaches the machine's peaks", true, any_op,
     above_roof},
    {"no-copies", "what only moves data goes away", "its neighbours read and write the other layout at no cost", false,
     [](const RowFacts& r) { return r.moves; }, all_of_it},
    {"no-runtime", "the runtime's own time goes away", "one delegate takes the whole model, and its calls cost nothing",
     false, [](const RowFacts& r) { return r.runtime; }, all_of_it},
    {"all-at-roof", "all of it together: no copies, no runtime, every op at its roof",
     "each kernel reaches the machine's peaks", true, [](const RowFacts&) { return true; },
     [](const RowFacts& r) { return r.moves || r.runtime ? r.ns : above_roof(r); }},
}};

RowFacts facts_of(const OpTable& shown, const RooflineRow& row) {
  RowFacts f;
  f.ns = row.ns;
  f.has_roof = row.roof_ns > 0;
  f.least_ns = f.has_roof ? std::min(row.roof_ns, row.ns) : row.ns;
  bool delegated = false, own_time_only = true, layout = false;
  for (const uint32_t i : row.ops) {
    const OpEntry& op = shown.ops[i];
    delegated = delegated || op.is_delegated || op.kind == "delegate_call";
    own_time_only = own_time_only && op.encloses;
    layout = layout || op.role.value_or("") == "layout";
  }
  f.kernel = !delegated;
  f.runtime = own_time_only;
  // A row that computes something has the operator that does; what is left has its nodes.
  std::string_view op = row.op;
  if (op.empty() && !row.ops.empty()) {
    if (const OpNode* const node = shown.main_node(shown.ops[row.ops.front()]); node != nullptr) op = node->node->op;
  }
  f.moves = !f.runtime && (layout || (!op.empty() && only_moves_data(op)));
  return f;
}

}  // namespace

Status scenarios(const Store& store, const OpTable& shown, const Filter& filter, const MachinePeaks* machine,
                 const DimValues& dims, Scenarios* out) {
  *out = {};
  Roofline work;
  if (Status status = calm_roofline(store, shown, machine, dims, &work); !status.ok()) return status;
  out->basis = work.basis;
  out->total_ns = work.total_ns;
  out->with_machine = machine != nullptr;
  out->symbols = work.symbols;
  out->left_out = work.left_out;
  std::vector<RowFacts> rows;
  for (const RooflineRow& row : work.rows) {
    out->usual_ns += row.ns;
    const bool wanted = filter.empty() || std::any_of(row.ops.begin(), row.ops.end(),
                                                      [&](uint32_t i) { return filter.matches(shown, shown.ops[i]); });
    if (!wanted || !(row.ns > 0)) continue;
    rows.push_back(facts_of(shown, row));
    const RowFacts& f = rows.back();
    if (!f.has_roof && !f.runtime && !f.moves) out->without_roof_ns += f.ns;
  }
  for (const Kind& kind : kKinds) {
    if (kind.roofs && machine == nullptr) continue;
    Scenario s{.id = kind.id, .text = kind.text, .assumes = kind.assumes};
    for (const RowFacts& row : rows) {
      if (!kind.is_about(row)) continue;
      ++s.rows;
      s.touched_ns += row.ns;
      s.saved_ns += kind.saved(row);
    }
    if (s.rows > 0) out->list.push_back(std::move(s));
  }
  return {};
}

}  // namespace et::inspector
