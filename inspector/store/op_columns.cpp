#include "inspector/store/op_columns.h"

#include "inspector/store/store.h"

namespace et::inspector {
namespace {

void replace_mark(std::string* text, std::string_view mark, std::string_view by) {
  if (const size_t at = text->find(mark); at != std::string::npos) text->replace(at, mark.size(), by);
}

}  // namespace

std::string schema_with_op_columns(std::string_view text, std::span<const TableColumn> table,
                                   std::span<const ViewColumn> view, std::span<const OpStatistic> measured) {
  std::string columns, expressions, statistics = "  op INTEGER PRIMARY KEY";
  for (const OpStatistic& s : measured) {
    const TableColumn& c = table[static_cast<size_t>(s.column)];
    statistics += ",\n  " + std::string(c.name) + " " + c.sql;
  }
  for (const TableColumn& c : table) columns += (columns.empty() ? "  " : ",\n  ") + std::string(c.name) + " " + c.sql;
  // The comma belongs before the description.
  const ViewColumn* last = nullptr;
  for (const ViewColumn& c : view) last = *c.expression == '\0' ? last : &c;
  for (const ViewColumn& c : view) {
    if (*c.expression == '\0') continue;
    expressions += (expressions.empty() ? "  " : "\n  ") + std::string(c.expression) + (&c == last ? "" : ",") +
                   " -- " + c.description;
  }
  std::string out(text);
  replace_mark(&out, "  -- @op_columns of the table", columns);
  replace_mark(&out, "  -- @op_columns of the statistics", statistics);
  replace_mark(&out, "  -- @op_columns of the view", expressions);
  return out;
}

std::string insert_sql(const char* table, std::span<const TableColumn> columns) {
  std::string names, values;
  for (size_t i = 0; i < columns.size(); ++i) {
    names += (i == 0 ? "" : ", ") + std::string(columns[i].name);
    values += (i == 0 ? "?" : ", ?") + std::to_string(i + 1);
  }
  return std::string("INSERT INTO ") + table + "(" + names + ") VALUES(" + values + ")";
}

std::string insert_merged_sql() {
  std::string values = "?1";
  for (size_t i = 0; i < OpStatistics::kColumns.size(); ++i) values += ",?" + std::to_string(i + 2);
  return "INSERT INTO raw_merged_op VALUES(" + values + ")";
}

std::string select_sql(const char* table, std::span<const TableColumn> columns) {
  std::string names;
  for (const TableColumn& c : columns) names += (names.empty() ? "" : ", ") + std::string(c.name);
  return "SELECT " + names + " FROM " + table;
}

std::string select_ops_sql(const Store& store) {
  std::vector<TableColumn> columns(kRawOpColumns.begin(), kRawOpColumns.end());
  if (store.is_new()) return select_sql("raw_op", columns);
  const auto known = store.column_names("raw_op");
  for (const OpStatistic& s : OpStatistics::kColumns) {
    if (!known.contains(s.name)) columns[static_cast<size_t>(s.column)].name = "NULL";
  }
  return select_sql("raw_op", columns);
}

Status add_missing_op_columns(Store& store) {
  if (store.is_new()) return {};
  for (const char* table : {"raw_op", "raw_merged_op"}) {
    const auto known = store.column_names(table);
    for (const OpStatistic& s : OpStatistics::kColumns) {
      if (known.contains(s.name)) continue;
      const TableColumn& c = kRawOpColumns[static_cast<size_t>(s.column)];
      const Status status =
          store.exec((std::string("ALTER TABLE ") + table + " ADD COLUMN " + c.name + " " + c.sql).c_str());
      if (!status.ok()) return status;
    }
  }
  return {};
}

}  // namespace et::inspector
