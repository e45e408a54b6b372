#include "inspector/store/schema_statements.h"

namespace et::inspector {
namespace {

constexpr std::string_view kCreateView = "CREATE VIEW ";

/// Where the statement at `begin` ends, behind its semicolon: comments and texts may have some, too.
size_t end_of_statement(std::string_view sql, size_t begin) {
  for (size_t at = begin; (at = sql.find_first_of(";-'", at)) != std::string_view::npos; ++at) {
    if (sql[at] == ';') return at + 1;
    if (sql[at] == '\'') at = sql.find('\'', at + 1);
    if (sql.substr(at, 2) == "--") at = sql.find('\n', at);
    if (at == std::string_view::npos) break;
  }
  return sql.size();
}

/// Without the comments before it.
std::string_view statement_alone(std::string_view sql) {
  while (!sql.empty()) {
    if (sql.starts_with("--")) {
      const size_t end = sql.find('\n');
      sql.remove_prefix(end == std::string_view::npos ? sql.size() : end);
    } else if (sql.front() == '\n' || sql.front() == ' ') {
      sql.remove_prefix(1);
    } else {
      break;
    }
  }
  return sql;
}

}  // namespace

SchemaStatements split_schema(std::string_view sql) {
  SchemaStatements out;
  for (size_t begin = 0; begin < sql.size();) {
    const size_t end = end_of_statement(sql, begin);
    std::string_view one = statement_alone(sql.substr(begin, end - begin));
    if (one.starts_with(kCreateView)) {
      one.remove_suffix(1);
      const std::string_view rest = one.substr(kCreateView.size());
      out.views.push_back({std::string(rest.substr(0, rest.find(' '))), std::string(one)});
    } else {
      out.tables += one;
      out.tables += '\n';
    }
    begin = end;
  }
  return out;
}

std::string_view view_statement(std::string_view sql, std::string_view name) {
  const size_t at = sql.find("\n" + std::string(kCreateView) + std::string(name) + " AS ");
  return at == std::string_view::npos ? std::string_view() : sql.substr(at + 1, end_of_statement(sql, at) - at - 1);
}

}  // namespace et::inspector
