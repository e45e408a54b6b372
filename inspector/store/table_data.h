// Rows of a query, column by column, in the layout that Arrow has: what pandas, numpy and Arrow take without a copy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inspector/store/statement.h"

namespace et::inspector {

enum class ColumnKind : uint8_t { Null, Integer, Real, Text, Blob };

/// SQLite decides the type of each cell. A column is what holds all of its cells: integers and reals are reals, numbers
/// among texts are texts.
class DataColumn {
 public:
  explicit DataColumn(std::string name) : name_(std::move(name)) {}
  /// Of a kind that is known beforehand, also where there is no cell.
  DataColumn(std::string name, ColumnKind kind) : name_(std::move(name)) { become(kind); }

  void add_null();
  void add(int64_t value);
  void add(double value);
  void add_bytes(std::string_view bytes, ColumnKind kind);

  const std::string& name() const { return name_; }
  ColumnKind kind() const { return kind_; }
  size_t size() const { return size_; }
  size_t nulls() const { return nulls_; }
  bool is_null(size_t row) const { return (valid_[row >> 3] >> (row & 7) & 1) == 0; }
  const std::vector<uint8_t>& valid() const { return valid_; }  // a bit a row
  const std::vector<int64_t>& integers() const { return integers_; }
  const std::vector<double>& reals() const { return reals_; }
  const std::vector<int64_t>& offsets() const { return offsets_; }
  const std::string& bytes() const { return bytes_; }
  std::string_view text(size_t row) const {
    return std::string_view(bytes_).substr(static_cast<size_t>(offsets_[row]),
                                           static_cast<size_t>(offsets_[row + 1] - offsets_[row]));
  }

 private:
  void mark(bool valid);
  void become(ColumnKind kind);

  std::string name_;
  ColumnKind kind_ = ColumnKind::Null;
  size_t size_ = 0, nulls_ = 0;
  std::vector<uint8_t> valid_;
  std::vector<int64_t> integers_;
  std::vector<double> reals_;
  std::vector<int64_t> offsets_;  // of texts and blobs: size + 1
  std::string bytes_;
};

struct TableData {
  std::vector<DataColumn> columns;
  size_t rows = 0;
};

/// Reads all rows.
std::shared_ptr<TableData> read_table(Statement& statement);

}  // namespace et::inspector
