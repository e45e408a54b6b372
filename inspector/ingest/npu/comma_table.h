// Rows of comma-separated values with a heading, cells in quotes or without.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace et::inspector {

class CommaTable {
 public:
  /// `line`: the number of the text's first line in its file, for messages. Empty lines are skipped.
  /// Errors: InvalidExternalData (no heading, a row with more or fewer cells, quotes without an end).
  static Status parse(std::string_view text, const std::string& path, size_t line, CommaTable* out);

  size_t rows() const { return rows_.size(); }
  bool has(std::string_view column) const { return column_of(column) >= 0; }
  const std::vector<std::string>& columns() const { return columns_; }
  /// "" where there is no such column.
  std::string_view cell(size_t row, std::string_view column) const;
  /// nullopt where the cell is empty or no number. Fractions are cut.
  std::optional<int64_t> integer(size_t row, std::string_view column) const;
  /// "out_debug.xml: line 12".
  std::string place(size_t row) const;

 private:
  int column_of(std::string_view column) const;
  std::string path_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<size_t> lines_;
};

}  // namespace et::inspector
