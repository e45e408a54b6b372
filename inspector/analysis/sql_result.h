// The result of a person's SQL, kept in memory: rows up to a limit, and what they lead to.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "inspector/store/computed_table.h"
#include "inspector/store/sql_guard.h"

namespace et::inspector {

/// Null, integer, real or text; blobs are texts as SQL writes them.
using SqlCell = SqlValue;

struct SqlColumn {
  std::string name;
  bool number = true;  ///< nothing but numbers and NULL in it
  bool any = false;    ///< not only NULL
};

struct SqlLimits {
  size_t rows = 100'000;
  size_t bytes = size_t{256} << 20;     ///< of texts and cells together
  size_t cell_bytes = size_t{1} << 16;  ///< of one text; longer ones end with "…"
  double seconds = 60;
  int64_t memory = int64_t{1} << 30;  ///< that SQLite may take for sorting and grouping
};

struct SqlResult {
  enum class Cut : uint8_t { None, Rows, Bytes, Time };
  std::vector<SqlColumn> columns;
  std::vector<SqlCell> cells;  ///< row by row
  Cut cut = Cut::None;         ///< there were more rows, and what kept them out
  double seconds = 0;
  std::string error;      ///< "" when all went well
  SqlProblem problem;     ///< of the error: where it is
  size_t statements = 0;  ///< of run_sql: that ran; the rows are those of the last of them

  size_t rows() const { return columns.empty() ? 0 : cells.size() / columns.size(); }
  const SqlCell& at(size_t row, size_t column) const { return cells[row * columns.size() + column]; }
  /// Column of that name, -1 when there is none.
  int column(std::string_view name) const;
};

/// Runs all statements of `sql`, which may only read: a result each. The last may be one that failed, without rows; one
/// error stands for a text without a statement. The limits are for all of them together. Never empty. `trace_id` and
/// `stop` as of run_sql.
std::vector<SqlResult> run_statements(const Store& store, std::string_view sql, int64_t trace_id,
                                      const SqlLimits& limits, const std::function<bool()>& stop);

/// Runs all statements of `sql`, which may only read. `trace_id` is the value of the parameter :trace. `stop` is asked
/// between rows; within a row the caller's progress handler stops it.
void run_sql(const Store& store, std::string_view sql, int64_t trace_id, const SqlLimits& limits,
             const std::function<bool()>& stop, SqlResult* out);

/// As a table for people shows it: six digits, NULL as "NULL".
std::string cell_text(const SqlCell& cell);
/// All digits, and nothing for NULL: for whoever goes on working with it.
std::string cell_value(const SqlCell& cell);
/// Order of two cells: NULL, numbers, texts.
bool cell_less(const SqlCell& a, const SqlCell& b);
/// RFC 4180 with a header line, the rows in that order.
std::string sql_csv(const SqlResult& result, const std::vector<uint32_t>& order);
/// One row as spreadsheets take it from the clipboard: values between tabs.
std::string sql_tsv_row(const SqlResult& result, size_t row);

}  // namespace et::inspector
