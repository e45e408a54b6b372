// The statements of schema.sql by kind: tables are made by running them, views can be entered as texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace et::inspector {

struct SchemaView {
  std::string name;
  std::string sql;  // as SQLite keeps it: from CREATE to before the semicolon
};

struct SchemaStatements {
  std::string tables;  // all statements that make no view
  std::vector<SchemaView> views;
};

SchemaStatements split_schema(std::string_view sql);
/// The one that makes this view; "" where there is no such.
std::string_view view_statement(std::string_view sql, std::string_view name);

}  // namespace et::inspector
