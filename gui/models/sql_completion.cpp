// What can be typed next in a query. Views, columns and their descriptions come from the schema; no grammar is parsed:
// the words around the cursor say enough.
#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "gui/core/text.h"
#include "gui/models/sql_model.h"
#include "inspector/analysis/tables/analysis_tables.h"

namespace et::gui {
namespace {

constexpr std::array kSqlKeywords = {
    "SELECT",       "FROM",        "WHERE", "JOIN",     "LEFT JOIN", "ON",        "USING", "GROUP BY",
    "ORDER BY",     "HAVING",      "LIMIT", "AS",       "AND",       "OR",        "NOT",   "IN",
    "IS NULL",      "IS NOT NULL", "LIKE",  "GLOB",     "BETWEEN",   "EXISTS",    "CASE",  "WHEN",
    "THEN",         "ELSE",        "END",   "DISTINCT", "UNION",     "UNION ALL", "WITH",  "OVER",
    "PARTITION BY", "DESC",        "ASC",   "OFFSET",   "VALUES",    "NULL",      "CAST",  "EXPLAIN QUERY PLAN"};
constexpr std::array kFunctions = {"count(",
                                   "sum(",
                                   "avg(",
                                   "min(",
                                   "max(",
                                   "total(",
                                   "round(",
                                   "abs(",
                                   "coalesce(",
                                   "nullif(",
                                   "iif(",
                                   "length(",
                                   "lower(",
                                   "upper(",
                                   "substr(",
                                   "replace(",
                                   "instr(",
                                   "trim(",
                                   "printf(",
                                   "group_concat(",
                                   "json_each(",
                                   "json_extract(",
                                   "json_array_length(",
                                   "row_number(",
                                   "rank(",
                                   "lag(",
                                   "lead(",
                                   "first_value(",
                                   "last_value(",
                                   "ntile(",
                                   "typeof(",
                                   "ifnull("};

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool same_text(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}
bool begins(std::string_view text, std::string_view with) {
  return text.size() >= with.size() && same_text(text.substr(0, with.size()), with);
}

/// Words of the query in order, without comments and texts; symbols are words of one character.
std::vector<std::string_view> words_of(std::string_view sql) {
  std::vector<std::string_view> out;
  for (size_t i = 0; i < sql.size();) {
    if (sql.substr(i).starts_with("--")) {
      i = std::min(sql.find('\n', i), sql.size());
    } else if (sql[i] == '\'') {
      const size_t end = sql.find('\'', i + 1);
      i = end == std::string_view::npos ? sql.size() : end + 1;
    } else if (is_name_part(sql[i])) {
      const size_t begin = i;
      while (i < sql.size() && is_name_part(sql[i])) ++i;
      out.push_back(sql.substr(begin, i - begin));
    } else {
      if (std::isspace(static_cast<unsigned char>(sql[i])) == 0) out.push_back(sql.substr(i, 1));
      ++i;
    }
  }
  return out;
}

/// 0: no fit; higher is better. "" fits everything.
int fit(std::string_view candidate, std::string_view word) {
  if (word.empty()) return 1;
  if (begins(candidate, word)) return 3;
  for (size_t i = 1; i < candidate.size(); ++i) {
    if (candidate[i - 1] == '_' && begins(candidate.substr(i), word)) return 2;
  }
  return 0;
}

/// Inside of a comment or a quoted text nothing is offered.
bool is_quiet(std::string_view before) {
  bool quoted = false;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i] == '\'') quoted = !quoted;
    if (quoted || !before.substr(i).starts_with("--")) continue;
    const size_t end = before.find('\n', i);
    if (end == std::string_view::npos) return true;
    i = end;
  }
  return quoted;
}

}  // namespace

bool is_offered_word(const std::vector<SqlSuggestion>& offered, std::string_view word) {
  return std::any_of(offered.begin(), offered.end(), [&](const SqlSuggestion& s) { return same_text(s.text, word); });
}

SqlCompletion::SqlCompletion() { (void)inspector::describe_tables(&views_); }

const inspector::ViewDoc* SqlCompletion::view_of(std::string_view sql, std::string_view alias) const {
  const auto by_name = [&](std::string_view name) -> const inspector::ViewDoc* {
    const auto it = std::find_if(views_.begin(), views_.end(), [&](const auto& v) { return same_text(v.name, name); });
    return it == views_.end() ? nullptr : &*it;
  };
  if (const auto* view = by_name(alias)) return view;
  const auto words = words_of(sql);
  for (size_t i = 1; i < words.size(); ++i) {
    if (!same_text(words[i], alias)) continue;
    size_t before = i - 1;
    if (same_text(words[before], "as") && before > 0) --before;
    if (const auto* view = by_name(words[before])) return view;
  }
  return nullptr;
}

std::vector<SqlSuggestion> SqlCompletion::suggest(std::string_view sql, size_t cursor, std::string* word) const {
  cursor = std::min(cursor, sql.size());
  size_t begin = cursor;
  while (begin > 0 && is_name_part(sql[begin - 1])) --begin;
  const std::string_view typed = sql.substr(begin, cursor - begin);
  *word = typed;
  if (is_quiet(sql.substr(0, begin))) return {};

  struct Ranked {
    int rank;
    SqlSuggestion suggestion;
  };
  std::vector<Ranked> found;
  std::set<std::string> seen;
  const auto offer = [&](const std::string& text, std::string detail, int context) {
    const int f = fit(text, typed);
    if (f == 0 || !seen.insert(text).second) return;
    found.push_back({f * 10 + context, {text, std::move(detail)}});
  };
  const auto offer_columns = [&](const inspector::ViewDoc& view, int context) {
    for (const auto& c : view.columns) offer(c.name, view.name + ": " + c.description, context);
  };
  const auto sorted = [&] {
    std::stable_sort(found.begin(), found.end(), [](const Ranked& a, const Ranked& b) { return a.rank > b.rank; });
    std::vector<SqlSuggestion> out;
    for (Ranked& r : found) out.push_back(std::move(r.suggestion));
    return out;
  };

  if (begin > 0 && sql[begin - 1] == '.') {
    size_t alias = begin - 1;
    while (alias > 0 && is_name_part(sql[alias - 1])) --alias;
    if (const auto* view = view_of(sql, sql.substr(alias, begin - 1 - alias))) offer_columns(*view, 0);
    return sorted();
  }
  const auto before = words_of(sql.substr(0, begin));
  const std::string_view last = before.empty() ? std::string_view() : before.back();
  const bool wants_view = same_text(last, "from") || same_text(last, "join");
  for (const auto& view : views_) offer(view.name, "view: " + view.description, wants_view ? 5 : 0);
  if (wants_view) return sorted();
  // Columns of the views that the query names; while it names none, of all.
  std::set<const inspector::ViewDoc*> named;
  for (const std::string_view w : words_of(sql)) {
    for (const auto& view : views_) {
      if (same_text(view.name, w)) named.insert(&view);
    }
  }
  for (const auto& view : views_) {
    if (named.contains(&view)) offer_columns(view, 4);
  }
  if (typed.empty() && named.empty()) {
    for (const char* k : kSqlKeywords) offer(k, "keyword", 0);
    return sorted();
  }
  for (const char* f : kFunctions) offer(f, "function", 2);
  for (const char* k : kSqlKeywords) offer(k, "keyword", 3);
  offer("trace", "parameter :trace, the trace that is open", 0);
  if (named.empty()) {
    for (const auto& view : views_) offer_columns(view, 1);
  }
  return sorted();
}

}  // namespace et::gui
