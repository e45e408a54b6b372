#include "inspector/store/sql_guard.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/nearest.h"
#include "inspector/store/computed_table.h"

namespace et::inspector {
namespace {

/// PRAGMAs that only tell something, as long as they have no argument, or one that names a table.
constexpr std::array kTellingPragmas = {"table_info",  "table_xinfo", "table_list",      "index_list",
                                        "index_info",  "index_xinfo", "database_list",   "function_list",
                                        "pragma_list", "module_list", "compile_options", "collation_list"};
constexpr std::array kTellingWithoutArgument = {"application_id", "user_version", "schema_version", "page_count",
                                                "page_size",      "encoding",     "query_only",     "freelist_count"};

int authorize(void*, int action, const char* first, const char* second, const char*, const char*) {
  auto among = [&](const auto& names) {
    return std::any_of(names.begin(), names.end(), [&](const char* n) { return sqlite3_stricmp(n, first) == 0; });
  };
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return sqlite3_stricmp(second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    // Asked when a table-valued function (json_each) declares its columns. A real UPDATE of it SQLite itself refuses.
    case SQLITE_UPDATE:
      return sqlite3_stricmp(first, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
      return among(kTellingPragmas) || (second == nullptr && among(kTellingWithoutArgument)) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

}  // namespace

SqlGuard::SqlGuard(const Store& store) : db_(store.db()) {
  sqlite3_exec(db_, "PRAGMA query_only=1", nullptr, nullptr, nullptr);
  sqlite3_set_authorizer(db_, authorize, nullptr);
}

SqlGuard::~SqlGuard() {
  sqlite3_set_authorizer(db_, nullptr, nullptr);
  sqlite3_exec(db_, "PRAGMA query_only=0", nullptr, nullptr, nullptr);
}

namespace {

/// The name in "no such table: opz" and its like; "" in other messages.
std::string missing_name(const std::string& message) {
  if (!message.starts_with("no such table: ") && !message.starts_with("no such column: ")) return {};
  std::string name = message.substr(message.rfind(": ") + 2);
  if (const size_t dot = name.rfind('.'); dot != std::string::npos) name.erase(0, dot + 1);
  return name;
}

std::vector<std::string> view_names(const Store& store) {
  std::vector<std::string> out;
  Statement st = store.query(
      "SELECT name FROM sqlite_schema WHERE type = 'view' UNION SELECT name FROM sqlite_temp_schema WHERE type = "
      "'view'");
  while (st.step()) out.push_back(st.str(0));
  for (std::string& name : computed_table_names(store)) out.push_back(std::move(name));
  return out;
}

/// "; it is a column of modules and nodes".
std::string in_views(const Store& store, const std::string& column) {
  constexpr size_t kMost = 4;
  Statement st = store.query(
      "SELECT DISTINCT v.name FROM sqlite_schema v, pragma_table_info(v.name) p WHERE v.type = 'view' AND p.name = ?1 "
      "ORDER BY v.rowid");
  st.bind(1, column);
  std::vector<std::string> views;
  while (st.step()) views.push_back(st.str(0));
  std::string out;
  for (size_t i = 0; i < std::min(views.size(), kMost); ++i)
    out += (i == 0 ? "; it is a column of " : i + 1 == views.size() ? " and " : ", ") + views[i];
  if (views.size() > kMost) out += " and others";
  return out;
}

/// Where the text has a name as a word of its own, npos when it does not.
size_t find_name(std::string_view sql, std::string_view name, size_t from) {
  const auto part = [&](size_t i) {
    return i < sql.size() && (std::isalnum(static_cast<unsigned char>(sql[i])) != 0 || sql[i] == '_');
  };
  for (size_t at = from; !name.empty() && at < sql.size(); ++at) {
    if (sql[at] == '\'') {  // a text
      at = std::min(sql.find('\'', at + 1), sql.size());
    } else if (sql.substr(at).starts_with("--")) {
      at = std::min(sql.find('\n', at), sql.size());
    } else if (sql.substr(at).starts_with(name) && (at == 0 || !part(at - 1)) && !part(at + name.size())) {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace

SqlProblem sql_problem(const Store& store, std::string_view sql, size_t statement_at) {
  SqlProblem out;
  const int code = sqlite3_extended_errcode(store.db());
  const int offset = sqlite3_error_offset(store.db());
  out.text = store.error_text();
  out.interrupted = code == SQLITE_INTERRUPT;
  out.damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || (code & 0xff) == SQLITE_IOERR;
  if (out.interrupted || out.damaged) return out;
  // SQLite's own reason, that it is a view, would have people look for the table behind it.
  if (out.text.starts_with("cannot modify ") && out.text.ends_with(" because it is a view"))
    out.text = "not authorized: only reading is allowed here";
  if ((code & 0xff) == SQLITE_AUTH || code == SQLITE_READONLY) out.text += ": only reading is allowed here";
  if (const std::string name = missing_name(out.text); !name.empty()) {
    const bool table = out.text.starts_with("no such table");
    std::vector<std::string> names = table ? view_names(store) : names_in_views(store);
    // A column of that name is in another view: that one is not meant.
    if (std::erase(names, name) > 0 && !table) {
      out.text += in_views(store, name);
    } else {
      out.text += did_you_mean(name, names);
    }
    if (offset < 0) out.at = find_name(sql, name, std::min(statement_at, sql.size()));  // SQLite does not say
  }
  if (offset >= 0) out.at = std::min(statement_at + static_cast<size_t>(offset), sql.size());
  if (out.at == std::string::npos) return out;
  const size_t before = out.at == 0 ? std::string_view::npos : sql.rfind('\n', out.at - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  out.line = 1 + static_cast<size_t>(std::count(sql.begin(), sql.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
  out.column = 1;
  for (size_t i = begin; i < out.at; ++i) out.column += (static_cast<unsigned char>(sql[i]) & 0xc0) != 0x80 ? 1 : 0;
  return out;
}

std::vector<std::string> names_in_views(const Store& store) {
  std::vector<std::string> out;
  Statement st = store.query(
      "WITH v AS (SELECT name FROM sqlite_schema WHERE type = 'view' UNION SELECT name FROM sqlite_temp_schema WHERE "
      "type = 'view') SELECT name FROM v UNION SELECT p.name FROM v, pragma_table_info(v.name) p");
  while (st.step()) out.push_back(st.str(0));
  return out;
}

std::string blob_text(std::span<const uint8_t> bytes, size_t most) {
  constexpr char kDigits[] = "0123456789abcdef";
  const size_t shown = std::min(bytes.size(), most);
  std::string out = "x'";
  for (size_t i = 0; i < shown; ++i) {
    out += kDigits[bytes[i] >> 4];
    out += kDigits[bytes[i] & 15];
  }
  out += "'";
  if (shown < bytes.size()) out += "… (" + std::to_string(bytes.size()) + " bytes)";
  return out;
}

}  // namespace et::inspector
