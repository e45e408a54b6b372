// The analyses as tables for SQL, beside the store's views: findings, rooflines, bounds, differences of two traces. A
// table is a function below, one line in analysis_tables.def, and its columns beside its function.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/computed_table.h"

namespace et::inspector {

std::span<const ComputedTable> analysis_tables();
/// add_computed_tables() with them: what a person's SQL is run with.
void add_analysis_tables(const Store& store);
/// The store's views, then these tables. Errors: as schema_doc().
Status describe_tables(std::vector<ViewDoc>* out);

inline constexpr ComputedColumn kTraceColumn = {"trace_id", "INTEGER", "trace", ComputedColumn::Use::Trace};
inline constexpr ComputedColumn kBasisColumn = {
    "basis", "TEXT", "executions that times are of, as --basis takes them; warm unless it is given",
    ComputedColumn::Use::Given};
/// Column of kBasisColumn in tables that have both.
inline constexpr size_t kBasisAt = 1;

/// The trace on the basis that the query gave. Errors: as load_shown_ops(), and for a name that is none.
Status load_given_basis(const Store& store, int64_t trace_id, ComputedRows* rows, OpTable* out,
                        size_t column = kBasisAt);

}  // namespace et::inspector
