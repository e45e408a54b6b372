#include "cli/sql_session.h"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstring>
#include <optional>
#include <set>
#include <vector>

#include "inspector/analysis/tables/analysis_tables.h"
#include "inspector/text/json_writer.h"

namespace et::cli {
namespace {

using inspector::Cell;
using inspector::Statement;

constexpr size_t kRowsAtOnce = 4096;
constexpr size_t kBlobBytesShown = 16;  // in tables for people

sqlite3* volatile g_running = nullptr;
void interrupt_statement(int) {
  if (sqlite3* db = g_running) sqlite3_interrupt(db);
}

/// While it lives, Ctrl-C interrupts the statement instead of the program.
class Interruptible {
 public:
  explicit Interruptible(sqlite3* db) {
    g_running = db;
    struct sigaction action = {};
    action.sa_handler = interrupt_statement;
    sigaction(SIGINT, &action, &before_);
  }
  ~Interruptible() {
    sigaction(SIGINT, &before_, nullptr);
    g_running = nullptr;
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  struct sigaction before_ = {};
};

Cell cell_of(const Statement& st, int c, bool for_people) {
  switch (st.type(c)) {
    case SQLITE_INTEGER:
      return st.integer(c);
    case SQLITE_FLOAT:
      return st.real(c);
    case SQLITE_BLOB:
      return inspector::blob_text(st.blob(c), for_people ? kBlobBytesShown : st.blob(c).size());
    case SQLITE_NULL:
      return for_people ? Cell(std::string("NULL")) : Cell();
    default:
      return st.str(c);
  }
}

/// Names of result columns, each once, so that JSON objects keep them all.
std::vector<std::string> column_names(const Statement& st) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (int c = 0; c < st.columns(); ++c) {
    const std::string base(st.column_name(c));
    std::string name = base;
    for (int n = 2; !seen.insert(name).second; ++n) name = base + "_" + std::to_string(n);
    out.push_back(std::move(name));
  }
  return out;
}

void json_row(inspector::JsonWriter& json, const Statement& st, const std::vector<std::string>& names) {
  json.begin_object();
  for (int c = 0; c < st.columns(); ++c) {
    json.key(names[static_cast<size_t>(c)]);
    switch (st.type(c)) {
      case SQLITE_INTEGER:
        json.value(st.integer(c));
        break;
      case SQLITE_FLOAT:
        json.value(st.real(c));
        break;
      case SQLITE_BLOB:
        json.value(inspector::blob_text(st.blob(c), st.blob(c).size()));
        break;
      case SQLITE_NULL:
        json.value(nullptr);
        break;
      default:
        json.value(st.text(c));
    }
  }
  json.end_object();
}

/// The tables have to be there before the guard, which refuses to add any.
inspector::Store& with_tables(inspector::Store& store) {
  inspector::add_analysis_tables(store);
  return store;
}

}  // namespace

SqlSession::SqlSession(inspector::Store& store, int64_t trace_id)
    : store_(with_tables(store)), trace_id_(trace_id), guard_(store) {}

Status SqlSession::explain(std::string_view sql, size_t statement_at) const {
  const std::string message = store_.error_text();
  const inspector::SqlProblem problem = inspector::sql_problem(store_, sql, statement_at);
  if (problem.interrupted) return {Error::InvalidArgument, "SQL: interrupted"};
  if (problem.damaged) {
    return {Error::InvalidExternalData,
            (store_.path().empty() ? "store" : store_.path()) + ": damaged store: " + message};
  }
  std::string text = "SQL: " + problem.text;
  if (problem.line == 0) return {Error::InvalidArgument, text};
  const size_t at = problem.at;
  const size_t before = at == 0 ? std::string_view::npos : sql.rfind('\n', at - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  text += " (line " + std::to_string(problem.line) + ", column " + std::to_string(at - begin + 1) + ")\n";
  const std::string_view shown = sql.substr(begin, std::min(sql.find('\n', at), sql.size()) - begin);
  text += "  " + std::string(shown) + "\n  ";
  for (size_t i = begin; i < at; ++i) {
    if (sql[i] == '\t')
      text += '\t';
    else if ((static_cast<unsigned char>(sql[i]) & 0xc0) != 0x80)
      text += ' ';
  }
  return {Error::InvalidArgument, text + "^"};
}

Status SqlSession::bind_parameters(Statement& st) const {
  for (int i = 1; i <= sqlite3_bind_parameter_count(st.raw()); ++i) {
    const char* name = sqlite3_bind_parameter_name(st.raw(), i);
    if (name == nullptr || std::strcmp(name + 1, "trace") != 0) {
      return {Error::InvalidArgument, std::string("SQL: parameter ") + (name == nullptr ? "?" : name) +
                                          " is not bound; expected :trace, the number of the selected trace"};
    }
    if (trace_id_ == 0) {
      return {Error::InvalidArgument,
              "SQL: :trace is not bound: no trace is selected; use store.db#number, #name or @latest"};
    }
    st.bind(i, trace_id_);
  }
  return {};
}

Status SqlSession::write_result(Statement& st, const inspector::TableOptions& options, std::ostream& out) {
  const bool for_people = options.format == "table" || options.format == "markdown";
  const std::vector<std::string> names = column_names(st);
  std::string text;
  uint64_t rows = 0;
  progress_(0);
  if (options.format == "json") {
    inspector::JsonWriter json(&text);
    json.begin_array();
    while (out && st.step()) {
      json_row(json, st, names);
      if (++rows % kRowsAtOnce == 0) progress_(rows);
      if (text.size() < (1u << 16)) continue;
      out << text;
      text.clear();
    }
    json.end_array();
    out << text;
    return {};
  }
  inspector::Table table;
  for (const std::string& name : names)
    table.columns.push_back({.title = name, .key = name, .decimals = 3, .min_width = 12});
  inspector::TableOptions now = options;
  while (out && st.step()) {
    std::vector<Cell> cells;
    for (int c = 0; c < st.columns(); ++c) cells.push_back(cell_of(st, c, for_people));
    table.add(std::move(cells));
    if (++rows % kRowsAtOnce == 0) progress_(rows);
    if (for_people || table.rows.size() < kRowsAtOnce) continue;
    const Status status = table.write(now, &text);
    if (!status.ok()) return status;
    out << text;
    text.clear();
    table.rows.clear();
    now.header = false;
  }
  // Columns of numbers only are right-aligned.
  for (size_t c = 0; c < table.columns.size(); ++c) {
    bool numbers = false, texts = false;
    for (const inspector::Row& r : table.rows) {
      const auto* t = std::get_if<std::string>(&r.cells[c]);
      texts |= t != nullptr && *t != "NULL";
      numbers |= t == nullptr;
    }
    table.columns[c].right = numbers && !texts;
  }
  const Status status = table.write(now, &text);
  out << text;
  return status;
}

Status SqlSession::run(std::string_view sql, const inspector::TableOptions& options, std::ostream& out) {
  const std::string text(sql);  // SQLite wants a terminator
  std::optional<Interruptible> interruptible;
  if (at_prompt_) interruptible.emplace(store_.db());
  size_t at = 0;
  while (at < text.size()) {
    sqlite3_stmt* raw = nullptr;
    const char* tail = nullptr;
    const int rc = sqlite3_prepare_v2(store_.db(), text.c_str() + at, -1, &raw, &tail);
    Statement st(raw);
    if (rc != SQLITE_OK) return explain(text, at);
    const size_t statement_at = at;
    at = static_cast<size_t>(tail - text.c_str());
    if (!st.valid()) {  // a comment, or nothing
      if (at <= statement_at) break;
      continue;
    }
    Status status = bind_parameters(st);
    if (!status.ok()) return status;
    if (!first_result_ && options.format != "json") out << "\n";
    first_result_ = false;
    status = write_result(st, options, out);
    if (!status.ok()) return status;
    const int code = sqlite3_reset(st.raw());
    if (code != SQLITE_OK) return explain(text, statement_at);
    if (!out) break;
  }
  return {};
}

}  // namespace et::cli
