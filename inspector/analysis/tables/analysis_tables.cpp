#include "inspector/analysis/tables/analysis_tables.h"

#include <array>

namespace et::inspector {

#define ET_ANALYSIS_TABLE(name, description)        \
  std::span<const ComputedColumn> name##_columns(); \
  Status fill_##name(const Store& store, int64_t trace_id, ComputedRows* rows);
#include "inspector/analysis/tables/analysis_tables.def"
#undef ET_ANALYSIS_TABLE

std::span<const ComputedTable> analysis_tables() {
  static const std::array kTables = {
#define ET_ANALYSIS_TABLE(name, description) ComputedTable{#name, description, name##_columns(), &fill_##name},
#include "inspector/analysis/tables/analysis_tables.def"
#undef ET_ANALYSIS_TABLE
  };
  return kTables;
}

void add_analysis_tables(const Store& store) { add_computed_tables(store, analysis_tables()); }

Status describe_tables(std::vector<ViewDoc>* out) {
  const Status status = schema_doc(out);
  if (!status.ok()) return status;
  for (const ComputedTable& table : analysis_tables()) {
    ViewDoc doc = computed_table_doc(table);
    doc.description += ". Worked out when a query asks for it; other programs do not see it";
    out->push_back(std::move(doc));
  }
  return {};
}

Status load_given_basis(const Store& store, int64_t trace_id, ComputedRows* rows, OpTable* out, size_t column) {
  Basis basis;
  if (const Status s = parse_basis(rows->given_text(column, "warm"), &basis); !s.ok()) return s;
  if (std::holds_alternative<std::monostate>(rows->given(column))) rows->set(column, basis.name());
  return load_shown_ops(store, trace_id, {.basis = basis}, out);
}

}  // namespace et::inspector
