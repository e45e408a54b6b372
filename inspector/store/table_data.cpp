#include "inspector/store/table_data.h"

#include <fmt/format.h>

namespace et::inspector {

void DataColumn::mark(bool valid) {
  if ((size_ & 7) == 0) valid_.push_back(0);
  if (valid) valid_.back() = static_cast<uint8_t>(valid_.back() | 1u << (size_ & 7));
  nulls_ += valid ? 0 : 1;
  ++size_;
}

/// Takes the cells so far along.
void DataColumn::become(ColumnKind kind) {
  if (kind_ == kind) return;
  const bool texts = kind == ColumnKind::Text || kind == ColumnKind::Blob;
  const bool had_texts = kind_ == ColumnKind::Text || kind_ == ColumnKind::Blob;
  if (kind == ColumnKind::Integer) integers_.assign(size_, 0);
  if (kind == ColumnKind::Real) {
    reals_.assign(size_, 0.0);
    for (size_t i = 0; i < integers_.size(); ++i) reals_[i] = static_cast<double>(integers_[i]);
  }
  if (texts && !had_texts) {
    offsets_.assign(1, 0);
    for (size_t i = 0; i < size_; ++i) {
      if (!is_null(i))
        bytes_ += kind_ == ColumnKind::Real ? fmt::format("{}", reals_[i]) : std::to_string(integers_[i]);
      offsets_.push_back(static_cast<int64_t>(bytes_.size()));
    }
  }
  if (kind != ColumnKind::Integer) integers_.clear();
  if (kind != ColumnKind::Real) reals_.clear();
  kind_ = kind;
}

void DataColumn::add_null() {
  switch (kind_) {
    case ColumnKind::Null:
      break;
    case ColumnKind::Integer:
      integers_.push_back(0);
      break;
    case ColumnKind::Real:
      reals_.push_back(0);
      break;
    case ColumnKind::Text:
    case ColumnKind::Blob:
      offsets_.push_back(offsets_.back());
      break;
  }
  mark(false);
}

void DataColumn::add(int64_t value) {
  if (kind_ == ColumnKind::Real) return add(static_cast<double>(value));
  if (kind_ == ColumnKind::Text || kind_ == ColumnKind::Blob) return add_bytes(std::to_string(value), kind_);
  become(ColumnKind::Integer);
  integers_.push_back(value);
  mark(true);
}

void DataColumn::add(double value) {
  if (kind_ == ColumnKind::Text || kind_ == ColumnKind::Blob) return add_bytes(fmt::format("{}", value), kind_);
  become(ColumnKind::Real);
  reals_.push_back(value);
  mark(true);
}

void DataColumn::add_bytes(std::string_view bytes, ColumnKind kind) {
  become(kind_ == ColumnKind::Blob ? ColumnKind::Blob : kind);
  bytes_.append(bytes);
  offsets_.push_back(static_cast<int64_t>(bytes_.size()));
  mark(true);
}

std::shared_ptr<TableData> read_table(Statement& statement) {
  auto table = std::make_shared<TableData>();
  for (int c = 0; c < statement.columns(); ++c) table->columns.emplace_back(std::string(statement.column_name(c)));
  while (statement.step()) {
    ++table->rows;
    for (int c = 0; c < statement.columns(); ++c) {
      DataColumn& column = table->columns[static_cast<size_t>(c)];
      switch (statement.type(c)) {
        case SQLITE_NULL:
          column.add_null();
          break;
        case SQLITE_INTEGER:
          column.add(statement.integer(c));
          break;
        case SQLITE_FLOAT:
          column.add(statement.real(c));
          break;
        case SQLITE_BLOB: {
          const auto blob = statement.blob(c);
          column.add_bytes({reinterpret_cast<const char*>(blob.data()), blob.size()}, ColumnKind::Blob);
          break;
        }
        default:
          column.add_bytes(statement.text(c), ColumnKind::Text);
      }
    }
  }
  return table;
}

}  // namespace et::inspector
