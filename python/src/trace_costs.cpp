#include "python/src/trace_costs.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <vector>

#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/analysis/ops/source_lines.h"

namespace et::python {
namespace {

using inspector::OpTable;
using inspector::Store;

/// Reads the ops on the basis, then `body(store, table)`, without the interpreter's lock.
template <class F>
void with_shown(TraceSession& session, const inspector::Basis& basis, const F& body) {
  Status status;
  {
    const nb::gil_scoped_release release;
    status = session.with_store([&](Store& store) -> Status {
      OpTable table;
      inspector::OpTableOptions options;
      options.basis = basis;
      Status s = inspector::load_shown_ops(store, session.trace_id(), options, &table);
      return s.ok() ? body(store, table) : s;
    });
  }
  check(status);
}

nb::object text_or_none(const std::string& text) {
  return text.empty() ? nb::none() : nb::object(nb::str(text.c_str(), text.size()));
}

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

bool is_executed(const inspector::OpBlock& block) { return block.kind == "execute"; }

struct OpCost {
  int64_t op = 0;
  int64_t parent = 0;  // 0: none
  double cost = 0;
  double share = -1;  // of its method; -1: unknown
  int64_t samples = 0;
};

nb::dict line_row(nb::object file, nb::object line, nb::object function, nb::object code, nb::object ops, double ns,
                  double inclusive, double share, nb::object frame) {
  nb::dict row;
  row["file"] = std::move(file);
  row["line"] = std::move(line);
  row["function"] = std::move(function);
  row["code"] = std::move(code);
  row["ops"] = std::move(ops);
  row["ns"] = ns;
  row["inclusive_ns"] = inclusive;
  row["share"] = share;
  row["frame"] = std::move(frame);
  return row;
}

nb::dict module_row(nb::object module, nb::object type, double self, double total, double share, nb::object ops,
                    nb::object samples) {
  nb::dict row;
  row["module"] = std::move(module);
  row["type"] = std::move(type);
  row["self_ns"] = self;
  row["total_ns"] = total;
  row["share"] = share;
  row["ops"] = std::move(ops);
  row["samples"] = std::move(samples);
  return row;
}

}  // namespace

inspector::Basis basis_or_warm(const std::string& text) {
  inspector::Basis basis;
  if (!text.empty()) check(inspector::parse_basis(text, &basis));
  return basis;
}

nb::dict op_costs(TraceSession& session, const inspector::Basis& basis) {
  std::vector<OpCost> costs;
  std::string unit;
  double total = 0;
  with_shown(session, basis, [&](Store&, const OpTable& table) -> Status {
    unit = table.unit;
    for (const inspector::OpBlock& block : table.blocks) total += is_executed(block) ? block.cost : 0;
    for (const inspector::OpEntry& op : table.ops) {
      const inspector::OpBlock& block = table.block_of(op);
      if (!is_executed(block) || !op.on_trace_clock() || op.count == 0) continue;
      const int64_t parent = op.parent.has_value() ? table.ops[*op.parent].id : 0;
      costs.push_back({op.id, parent, op.cost, block.cost > 0 ? op.cost / block.cost : -1, op.count});
    }
    return {};
  });
  nb::list ops;
  for (const OpCost& c : costs) {
    ops.append(nb::make_tuple(c.op, c.parent == 0 ? nb::none() : nb::object(nb::int_(c.parent)), c.cost,
                              c.share < 0 ? nb::none() : nb::object(nb::float_(c.share)), c.samples));
  }
  nb::dict out;
  out["basis"] = basis.name();
  out["text"] = basis.text();
  out["unit"] = unit;
  out["total"] = total;
  out["ops"] = ops;
  return out;
}

nb::list line_costs(TraceSession& session, const inspector::Basis& basis) {
  inspector::SourceCost cost;
  with_shown(session, basis,
             [&](Store& store, const OpTable& table) { return inspector::load_source_cost(store, table, &cost); });
  struct Place {
    const inspector::SourceFileCost* file;
    const inspector::SourceLine* line;
  };
  std::vector<Place> places;
  for (const inspector::SourceFileCost& f : cost.files) {
    for (const inspector::SourceLine& l : f.lines) places.push_back({&f, &l});
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.line->ns > b.line->ns; });
  nb::list rows;
  for (const auto& [f, l] : places) {
    rows.append(line_row(text_or_none(f->file), nb::int_(l->line), text_or_none(l->function), text_or_none(l->code),
                         nb::int_(l->ops), l->ns, l->inclusive_ns, share_of(l->ns, cost.total_ns),
                         text_or_none(f->owner)));
  }
  const auto rest = [&](const char* what, double ns) {
    if (ns == 0) return;
    rows.append(line_row(nb::none(), nb::none(), nb::none(), nb::str(what), nb::none(), ns, ns,
                         share_of(ns, cost.total_ns), nb::none()));
  };
  rest("(no line)", cost.no_line_ns);
  rest("(variation)", cost.variation_ns);
  return rows;
}

nb::list module_costs(TraceSession& session, const inspector::Basis& basis) {
  inspector::GroupTable groups;
  with_shown(session, basis, [&](Store&, const OpTable& table) -> Status {
    groups = inspector::group_costs(table, inspector::GroupBy::Module, inspector::Filter());
    return {};
  });
  nb::list rows;
  double sum = 0;
  for (const inspector::GroupRow& g : groups.rows) {
    sum += g.self;
    rows.append(module_row(g.none ? nb::none() : nb::object(nb::str(g.key.c_str(), g.key.size())),
                           text_or_none(g.none ? g.key : g.detail), g.self, g.inner, g.share, nb::int_(g.ops),
                           nb::int_(g.samples)));
  }
  const double variation = groups.total - sum;
  constexpr double kRounding = 0.01;
  if (variation > kRounding || variation < -kRounding) {
    rows.append(module_row(nb::none(), nb::str("(variation)"), variation, variation, share_of(variation, groups.total),
                           nb::none(), nb::none()));
  }
  return rows;
}

}  // namespace et::python
