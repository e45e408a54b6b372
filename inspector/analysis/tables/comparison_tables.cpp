// Tables changes and numeric_gap.
#include <cmath>

#include "inspector/analysis/diff/trace_diff.h"
#include "inspector/analysis/gap/gap_run.h"
#include "inspector/analysis/tables/analysis_tables.h"

namespace et::inspector {
namespace {

/// Infinite and undefined figures as SQL has them: NULL.
SqlValue figure(double v) { return std::isfinite(v) ? SqlValue(v) : SqlValue(); }

}  // namespace

std::span<const ComputedColumn> changes_columns() {
  using Use = ComputedColumn::Use;
  static constexpr ComputedColumn kColumns[] = {
      {"before_trace", "INTEGER", "the old trace", Use::Wanted},
      {"after_trace", "INTEGER", "the new trace", Use::Wanted},
      kBasisColumn,
      {"ordinal", "INTEGER", "rank, from 0: the largest change first"},
      {"method", "TEXT", "method"},
      {"title", "TEXT", "operator, event, or (variation)"},
      {"place", "TEXT", "Python line, file:line"},
      {"module_path", "TEXT", "module"},
      {"verdict", "TEXT", "same, slower, faster, unclear, too few, added, removed or another program"},
      {"before_ns", "REAL", "per execution, 0 where it is new"},
      {"after_ns", "REAL", "per execution, 0 where it is gone"},
      {"change_ns", "REAL", "after_ns - before_ns"},
      {"ratio_low", "REAL", "after / before surely lies above, NULL with too few samples"},
      {"ratio_high", "REAL", "and below"},
      {"before_backend", "TEXT", "NULL for kernels of the runtime"},
      {"after_backend", "TEXT", "NULL for kernels of the runtime"},
      {"before_ops", "INTEGER", "ops of the old trace that it is"},
      {"after_ops", "INTEGER", "ops of the new trace that it is"},
  };
  return kColumns;
}

Status fill_changes(const Store& store, int64_t, ComputedRows* rows) {
  constexpr size_t kBefore = 0, kAfter = 1, kBasis = 2;
  TraceDiffOptions options;
  TraceDiff diff;
  Status status = parse_basis(rows->given_text(kBasis, "warm"), &options.basis);
  if (status.ok()) {
    status = diff_traces(store, rows->given_integer(kBefore, 0), store, rows->given_integer(kAfter, 0), options, &diff);
  }
  if (!status.ok()) return status;
  if (std::holds_alternative<std::monostate>(rows->given(kBasis))) rows->set(kBasis, options.basis.name());
  int64_t ordinal = 0;
  for (const DiffGroup& g : diff.groups) {
    rows->add({ordinal++, sql_text(g.method), g.title, sql_text(g.place), sql_text(g.module),
               diff_verdict_name(g.verdict), g.before.cost, g.after.cost, g.change(), sql_value(g.interval_low),
               sql_value(g.interval_high), sql_text(g.before.backend), sql_text(g.after.backend),
               static_cast<int64_t>(g.before.parts.size()), static_cast<int64_t>(g.after.parts.size())});
  }
  return {};
}

std::span<const ComputedColumn> numeric_gap_columns() {
  using Use = ComputedColumn::Use;
  static constexpr ComputedColumn kColumns[] = {
      kTraceColumn,
      {"execution", "INTEGER", "which execution, from 0; the last unless it is given", Use::Given},
      {"reference_trace", "INTEGER", "trace that is right, NULL: the graph of the ETRecord", Use::Given},
      {"ordinal", "INTEGER", "order of execution, from 0"},
      {"op_id", "INTEGER", "op that logged the value"},
      {"name", "TEXT", "its event"},
      {"node", "TEXT", "graph node"},
      {"module_path", "TEXT", "module"},
      {"file", "TEXT", "Python file"},
      {"line", "INTEGER", "and line"},
      {"dtype", "TEXT", "torch's name"},
      {"elements", "INTEGER", "in the tensor"},
      {"relative_error", "REAL",
       "largest error as a share of the reference's largest value, NULL where it is infinite"},
      {"max_abs_error", "REAL", "largest error"},
      {"mse", "REAL", "mean squared error"},
      {"mean_abs_error", "REAL", "L1 per element"},
      {"snr_db", "REAL", "signal to noise, NULL without an error"},
      {"cosine", "REAL", "NULL when one side is all 0"},
      {"own_relative_error", "REAL",
       "against what the operator should have made of its own inputs, NULL where unknown"},
      {"diverges", "INTEGER", "1: beyond the tolerance"},
      {"first", "INTEGER", "1: the first that is"},
      {"role", "TEXT", "adds, passes on or unknown; NULL within the tolerance"},
  };
  return kColumns;
}

Status fill_numeric_gap(const Store& store, int64_t trace_id, ComputedRows* rows) {
  constexpr size_t kExecution = 1, kReference = 2;
  GapRun run;
  const auto* const wanted = std::get_if<int64_t>(&rows->given(kExecution));
  Status status = run.open(store, trace_id, wanted != nullptr ? std::optional(*wanted) : std::nullopt);
  if (status.ok()) {
    const auto* const other = std::get_if<int64_t>(&rows->given(kReference));
    status = other != nullptr ? run.against_trace(store, *other) : run.against_graph({});
  }
  if (!status.ok()) return status;
  const Gap& gap = run.gap();
  for (size_t i = 0; i < gap.rows.size(); ++i) {
    const GapRow& row = gap.rows[i];
    const LoggedValue& got = run.run().values[row.value];
    const LoggedValue& node = row.nearest ? run.reference().values[row.reference] : got;
    const GapFigures& f = row.figures;
    rows->add({static_cast<int64_t>(i), got.op_id, got.name, sql_text(node.node), sql_text(row.module),
               sql_text(got.file), got.line > 0 ? SqlValue(got.line) : SqlValue(), got.dtype,
               static_cast<int64_t>(f.elements), figure(f.relative()), f.max_abs, figure(f.mse()), figure(f.mean_abs()),
               figure(f.snr_db()), figure(f.cosine()), row.own ? figure(row.own->relative()) : SqlValue(),
               int64_t{row.diverges}, int64_t{gap.first == i},
               row.role == GapRole::None ? SqlValue() : SqlValue(gap_role_name(row.role))});
  }
  return {};
}

}  // namespace et::inspector
