// One table writer for all outputs. A table is columns and rows of typed cells; the format is chosen when it is
// written.
//   table     for a terminal: aligned, thousands separators, share bars, shortened to a width, colour when asked
//   csv, tsv  raw values with full precision; RFC 4180 quoting for csv, tabs and newlines as \t \n \\ in tsv
//   markdown  as the terminal's, never shortened
//   json      array of objects, one a row, keyed by Column::key; in an object with schema_version where it has a name
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "inspector/text/format.h"

namespace et::inspector {

/// Null, integer, real or text.
using Cell = std::variant<std::monostate, int64_t, double, std::string>;
/// Null without a value; a text that is empty has none.
inline Cell cell(const std::optional<int64_t>& value) { return value ? Cell(*value) : Cell(); }
inline Cell cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }
inline Cell cell(const std::optional<std::string>& value) { return value ? Cell(*value) : Cell(); }
inline Cell cell(const std::string& value) { return value.empty() ? Cell() : Cell(value); }

enum class CellKind {
  Text,      // left
  Integer,   // right, thousands separators
  Real,      // right, Column::decimals
  Duration,  // right; cells in ticks, each with its own unit, or in Column::unit, which the first such title names
  Share,     // right; cells 0..1, shown as percent
  ShareBar,  // as Share, with a bar behind it
  Bytes,     // right; cells in bytes
};

struct Column {
  std::string title;  // heading
  CellKind kind = CellKind::Text;
  std::string key = {};  // name in csv, tsv and json; empty: the title in lower case, spaces as _
  TimeUnit unit = {};    // for Duration
  int decimals = 2;      // for Real
  // When the table is too wide for the terminal, columns with the highest `drop` go first, one at a time; 0 always
  // stays.
  int drop = 0;
  // Text wider than this may be shortened down to it, where it says least; 0: never shortened.
  int min_width = 0;
  bool right = false;  // align text right
  bool wrap = false;   // text that is too wide takes several lines instead of being shortened
};

enum class RowStyle {
  Normal,
  Dim,    // secondary: grey when there is colour
  Total,  // a line above it (once)
};

struct Row {
  std::vector<Cell> cells;
  RowStyle style = RowStyle::Normal;
  double heat = -1;  // 0..1 colours the row by cost, when there is colour; negative: none
};

struct TableOptions {
  std::string format = "table";  // table, csv, tsv, markdown or json
  int width = 0;                 // of the terminal, in columns; 0: no limit
  bool keep_columns = false;     // the last one, which does not fit, stands behind that width
  bool color = false;
  bool header = true;
  std::string_view json_name = {};  // of the array in JSON; empty: the array alone
};

class Table {
 public:
  std::vector<Column> columns;
  std::vector<Row> rows;

  void add(std::vector<Cell> cells, RowStyle style = RowStyle::Normal, double heat = -1) {
    rows.push_back({std::move(cells), style, heat});
  }
  /// Takes out the columns that the test names, with their cells.
  template <class Test>
  void drop_columns(const Test& test) {
    for (size_t c = columns.size(); c-- > 0;) {
      if (!test(c)) continue;
      columns.erase(columns.begin() + static_cast<ptrdiff_t>(c));
      for (Row& r : rows) {
        if (c < r.cells.size()) r.cells.erase(r.cells.begin() + static_cast<ptrdiff_t>(c));
      }
    }
  }
  bool is_empty(size_t column) const {
    return std::all_of(rows.begin(), rows.end(), [&](const Row& r) {
      return column >= r.cells.size() || std::holds_alternative<std::monostate>(r.cells[column]);
    });
  }
  /// Appends the table to `out`. Missing cells count as null.
  /// Errors: InvalidArgument for an unknown format, naming those there are.
  Status write(const TableOptions& options, std::string* out) const;
};

/// True for the names that Table::write knows.
bool is_table_format(std::string_view format);

}  // namespace et::inspector
