// Tables for a person's SQL whose rows are worked out when a query asks for them: they are in no file, and always true
// of what is. SQLite sees each as an eponymous virtual table.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "inspector/store/schema_doc.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// NULL, INTEGER, REAL or TEXT.
using SqlValue = std::variant<std::monostate, int64_t, double, std::string>;

template <class T>
SqlValue sql_value(const std::optional<T>& v) {
  return v ? SqlValue(*v) : SqlValue();
}
/// NULL for "".
inline SqlValue sql_text(std::string v) { return v.empty() ? SqlValue() : SqlValue(std::move(v)); }

struct ComputedColumn {
  enum class Use : uint8_t {
    Result,
    Trace,   ///< number of the trace; a query that leaves it open has the rows of all traces
    Wanted,  ///< a query has to give it: WHERE column = value
    Given,   ///< a query may give it
  };
  const char* name;
  const char* type;  ///< INTEGER, REAL or TEXT
  const char* description;
  Use use = Use::Result;
};

class ComputedRows;

struct ComputedTable {
  const char* name;
  const char* description;
  std::span<const ComputedColumn> columns;
  /// Adds the rows of one trace, or, without a column of Use::Trace, all. What the query gave is filled in by itself.
  /// Errors: NotFound and InvalidArgument where there can be none; they are reported only to whoever asked for this
  /// very trace.
  Status (*fill)(const Store& store, int64_t trace_id, ComputedRows* rows);
};

class ComputedRows {
 public:
  ComputedRows(const ComputedTable& table, std::vector<SqlValue> given) : table_(table), given_(std::move(given)) {}

  /// What the query gave for a column, or NULL.
  const SqlValue& given(size_t column) const { return given_[column]; }
  /// `fallback` unless a text was given.
  std::string given_text(size_t column, const char* fallback) const;
  int64_t given_integer(size_t column, int64_t fallback) const;
  /// Value of a column that the query may give, in rows to come.
  void set(size_t column, SqlValue value) { given_[column] = std::move(value); }

  /// A row: the values of the columns of Use::Result, in their order.
  void add(std::vector<SqlValue> values);

  size_t size() const { return cells_.size() / table_.columns.size(); }
  const SqlValue& at(size_t row, size_t column) const { return cells_[row * table_.columns.size() + column]; }

 private:
  const ComputedTable& table_;
  std::vector<SqlValue> given_;
  std::vector<SqlValue> cells_;
};

/// From now on the store's connection answers queries of these tables, which must outlive it. Not while a statement
/// runs; again after the store was moved.
void add_computed_tables(const Store& store, std::span<const ComputedTable> tables);
/// Names of those that the store has, for suggestions.
std::vector<std::string> computed_table_names(const Store& store);
/// As schema_doc() describes views.
ViewDoc computed_table_doc(const ComputedTable& table);

}  // namespace et::inspector
