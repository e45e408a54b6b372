// Tables findings and problems.
#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/findings/finding.h"
#include "inspector/analysis/tables/analysis_tables.h"

namespace et::inspector {

std::span<const ComputedColumn> findings_columns() {
  static constexpr ComputedColumn kColumns[] = {
      kTraceColumn,
      kBasisColumn,
      {"ordinal", "INTEGER", "rank, from 0"},
      {"id", "TEXT", "rule, stable"},
      {"title", "TEXT", "what it is about"},
      {"text", "TEXT", "what was found, with its numbers"},
      {"what_to_do", "TEXT", "in the model's code or its export"},
      {"most_ns", "REAL", "at most so much of an execution is won; NULL where it is not time"},
      {"most_bytes", "INTEGER", "at most so many bytes of the program or its arenas; NULL where it is not size"},
      {"assumes", "TEXT", "what that takes for granted"},
      {"method", "TEXT", "NULL for the whole program"},
      {"op_id", "INTEGER", "op, NULL without one"},
      {"node", "TEXT", "graph node"},
      {"module_path", "TEXT", "module"},
      {"file", "TEXT", "Python file"},
      {"line", "INTEGER", "and line"},
      {"items", "INTEGER", "how many ops, nodes or calls it is about"},
  };
  return kColumns;
}

Status fill_findings(const Store& store, int64_t trace_id, ComputedRows* rows) {
  OpTable shown;
  Status status = load_given_basis(store, trace_id, rows, &shown);
  std::vector<Advice> found;
  if (status.ok()) status = find_advice(store, shown, &found);
  int64_t ordinal = 0;
  for (Advice& a : found) {
    const AdvicePlace& p = a.place;
    rows->add({ordinal++, a.id, a.title, sql_text(a.text), sql_text(a.what_to_do),
               a.most_ns > 0 ? SqlValue(a.most_ns) : SqlValue(), a.most_bytes > 0 ? SqlValue(a.most_bytes) : SqlValue(),
               sql_text(a.assumes), sql_text(a.method), p.op_id > 0 ? SqlValue(p.op_id) : SqlValue(), sql_text(p.node),
               sql_text(p.module), sql_text(p.file), p.line > 0 ? SqlValue(p.line) : SqlValue(),
               std::max<int64_t>(1, static_cast<int64_t>(a.items.size()))});
  }
  return status;
}

std::span<const ComputedColumn> problems_columns() {
  static constexpr ComputedColumn kColumns[] = {
      kTraceColumn,
      {"ordinal", "INTEGER", "rank, from 0"},
      {"severity", "TEXT", "error, data-loss, warning, info or ok"},
      {"id", "TEXT", "rule, stable"},
      {"text", "TEXT", "what was found, with its numbers"},
      {"what_to_do", "TEXT", "NULL where nothing is to be done"},
  };
  return kColumns;
}

Status fill_problems(const Store& store, int64_t trace_id, ComputedRows* rows) {
  std::vector<Finding> found;
  const Status status = find_findings(store, trace_id, &found);
  int64_t ordinal = 0;
  for (const Finding& f : found) rows->add({ordinal++, f.severity, f.id, f.text, sql_text(f.advice)});
  return status;
}

}  // namespace et::inspector
