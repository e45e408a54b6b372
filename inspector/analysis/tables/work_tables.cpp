// Tables roofline and what_if.
#include "inspector/analysis/tables/analysis_tables.h"
#include "inspector/analysis/work/machine.h"
#include "inspector/analysis/work/roofline.h"
#include "inspector/analysis/work/scenarios.h"

namespace et::inspector {
namespace {

/// A trace with the peaks of its machine, where this host has them.
struct Measured {
  OpTable shown;
  MachinePeaks machine;
  bool known = false;
  const MachinePeaks* peaks() const { return known ? &machine : nullptr; }
};

Status open_measured(const Store& store, int64_t trace_id, ComputedRows* rows, Measured* out) {
  TraceMachine trace;
  std::string hint;
  Status status = load_given_basis(store, trace_id, rows, &out->shown);
  if (status.ok()) status = read_trace_machine(store, trace_id, &trace);
  return status.ok() ? find_host_machine(trace, &out->machine, &out->known, &hint) : status;
}

}  // namespace

std::span<const ComputedColumn> roofline_columns() {
  static constexpr ComputedColumn kColumns[] = {
      kTraceColumn,
      kBasisColumn,
      {"op_id", "INTEGER", "op that speaks for the row"},
      {"method", "TEXT", "method"},
      {"title", "TEXT", "as tables call it"},
      {"op", "TEXT", "operator of the node with the most operations"},
      {"place", "TEXT", "Python line, file:line"},
      {"module_path", "TEXT", "module"},
      {"backend", "TEXT", "NULL for kernels of the runtime"},
      {"ops", "INTEGER", "ops that do the work of the same nodes: they are one row"},
      {"time_ns", "REAL", "per execution"},
      {"flops", "REAL", "operations per execution, NULL where they are not known"},
      {"bytes", "REAL", "that have to be read and written per execution, NULL where they are not known"},
      {"gflops", "REAL", "10^9 operations a second"},
      {"gbytes", "REAL", "10^9 bytes a second"},
      {"intensity", "REAL", "operations for each byte"},
      {"roof_ns", "REAL", "least time on the machine, NULL where it is not known"},
      {"bound", "TEXT", "compute, memory, overhead or unknown"},
      {"efficiency", "REAL", "part of its time that the roof explains, 1 at the roof"},
      {"machine", "TEXT",
       "whose peaks the roofs are: host, or the best rates of the trace, which the machine has at least"},
  };
  return kColumns;
}

Status fill_roofline(const Store& store, int64_t trace_id, ComputedRows* rows) {
  Measured m;
  Roofline found;
  Status status = open_measured(store, trace_id, rows, &m);
  if (status.ok()) status = calm_roofline(store, m.shown, m.peaks(), {}, &found);
  if (!status.ok()) return status;
  std::string machine = m.known ? m.machine.host : "";
  if (const auto seen = m.known ? std::nullopt : best_rates(found)) {
    hold_against(seen->peaks, &found);
    machine = "best of the trace";
  }
  for (const RooflineRow& r : found.rows) {
    rows->add({r.op_id, sql_text(r.method), r.title, sql_text(r.op), sql_text(r.place), sql_text(r.module),
               sql_text(r.backend), static_cast<int64_t>(r.ops.size()), r.ns, sql_value(r.work.flops),
               sql_value(r.work.bytes), sql_value(r.gflops()), sql_value(r.gbytes()), sql_value(r.intensity()),
               r.roof_ns > 0 ? SqlValue(r.roof_ns) : SqlValue(), bound_name(r.bound), sql_value(r.efficiency()),
               r.roof_ns > 0 ? sql_text(machine) : SqlValue()});
  }
  return {};
}

std::span<const ComputedColumn> what_if_columns() {
  static constexpr ComputedColumn kColumns[] = {
      kTraceColumn,
      kBasisColumn,
      {"id", "TEXT", "scenario, stable"},
      {"text", "TEXT", "what would be otherwise"},
      {"assumes", "TEXT", "what that takes for granted"},
      {"ops", "INTEGER", "ops that it is about; calls of one kernel are one"},
      {"touched_ns", "REAL", "their time, per execution"},
      {"saved_ns", "REAL", "of it, at most"},
      {"before_ns", "REAL", "an execution, without variation"},
      {"after_ns", "REAL", "it would take at least so much"},
  };
  return kColumns;
}

Status fill_what_if(const Store& store, int64_t trace_id, ComputedRows* rows) {
  Measured m;
  Scenarios found;
  Status status = open_measured(store, trace_id, rows, &m);
  if (status.ok()) status = scenarios(store, m.shown, Filter(), m.peaks(), {}, &found);
  if (!status.ok()) return status;
  for (const Scenario& s : found.list)
    rows->add({s.id, s.text, s.assumes, s.rows, s.touched_ns, s.saved_ns, found.usual_ns, found.after(s)});
  return {};
}

}  // namespace et::inspector
