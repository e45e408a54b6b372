#include "inspector/analysis/sql_result.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <span>
#include <utility>

#include "inspector/analysis/tables/analysis_tables.h"
#include "inspector/text/format.h"
#include "inspector/text/table.h"

namespace et::inspector {
namespace {

constexpr size_t kBlobBytesShown = 64;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// At most `most` bytes, cut between characters.
std::string shortened(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return std::string(text.substr(0, most)) + "…";
}

SqlCell cell_of(const Statement& st, int c, const SqlLimits& limits) {
  switch (st.type(c)) {
    case SQLITE_INTEGER:
      return st.integer(c);
    case SQLITE_FLOAT:
      return st.real(c);
    case SQLITE_BLOB:
      return blob_text(st.blob(c), kBlobBytesShown);
    case SQLITE_NULL:
      return {};
    default:
      return shortened(st.text(c), limits.cell_bytes);
  }
}

std::string bind_trace(Statement& st, int64_t trace_id) {
  for (int i = 1; i <= sqlite3_bind_parameter_count(st.raw()); ++i) {
    const char* name = sqlite3_bind_parameter_name(st.raw(), i);
    if (name == nullptr || std::strcmp(name + 1, "trace") != 0) {
      return std::string("parameter ") + (name == nullptr ? "?" : name) +
             " has no value; the only one there is is :trace, the number of the trace";
    }
    st.bind(i, trace_id);
  }
  return {};
}

/// What all statements of a text share.
struct Spent {
  Clock::time_point start = Clock::now();
  size_t rows = 0, bytes = 0;
};

void read_rows(Statement& st, const SqlLimits& limits, const std::function<bool()>& stop, Spent* spent,
               SqlResult* out) {
  for (int c = 0; c < st.columns(); ++c) out->columns.push_back({.name = std::string(st.column_name(c))});
  while (st.step()) {
    if (stop && stop()) return;
    if (spent->rows >= limits.rows) out->cut = SqlResult::Cut::Rows;
    if (spent->bytes >= limits.bytes) out->cut = SqlResult::Cut::Bytes;
    if (seconds_since(spent->start) > limits.seconds) out->cut = SqlResult::Cut::Time;
    if (out->cut != SqlResult::Cut::None) return;
    ++spent->rows;
    for (size_t c = 0; c < out->columns.size(); ++c) {
      SqlCell cell = cell_of(st, static_cast<int>(c), limits);
      const bool text = std::holds_alternative<std::string>(cell);
      spent->bytes += sizeof cell + (text ? std::get<std::string>(cell).size() : 0);
      out->columns[c].number &= !text;
      out->columns[c].any |= !std::holds_alternative<std::monostate>(cell);
      out->cells.push_back(std::move(cell));
    }
  }
}

/// SQLite's memory is bounded while it lives: a sort of endless rows ends with an error, not with the process.
class MemoryLimit {
 public:
  explicit MemoryLimit(int64_t bytes) : before_(sqlite3_hard_heap_limit64(bytes)) {}
  ~MemoryLimit() { sqlite3_hard_heap_limit64(before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  int64_t before_;
};

void fail(const Store& store, std::string_view sql, size_t statement_at, const SqlLimits& limits, SqlResult* out) {
  const bool too_much = (sqlite3_errcode(store.db()) & 0xff) == SQLITE_NOMEM;
  out->problem = sql_problem(store, sql, statement_at);
  if (too_much) out->problem.text = "the query needs more memory than " + format_bytes(limits.memory);
  out->error = out->problem.damaged ? store.path() + ": damaged store: " + out->problem.text : out->problem.text;
}

}  // namespace

int SqlResult::column(std::string_view name) const {
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].name == name) return static_cast<int>(c);
  }
  return -1;
}

std::vector<SqlResult> run_statements(const Store& store, std::string_view sql, int64_t trace_id,
                                      const SqlLimits& limits, const std::function<bool()>& stop) {
  std::vector<SqlResult> results;
  Spent spent;
  add_analysis_tables(store);
  const SqlGuard guard(store);
  const MemoryLimit memory(limits.memory);
  const std::string text(sql);  // SQLite wants a terminator
  for (size_t at = 0; at < text.size();) {
    const Clock::time_point start = Clock::now();
    sqlite3_stmt* raw = nullptr;
    const char* tail = nullptr;
    const int rc = sqlite3_prepare_v2(store.db(), text.c_str() + at, -1, &raw, &tail);
    Statement st(raw, store.db(), {});
    if (rc != SQLITE_OK) {
      fail(store, text, at, limits, &results.emplace_back());
      break;
    }
    const size_t statement_at = at;
    at = static_cast<size_t>(tail - text.c_str());
    if (!st.valid()) {  // a comment, or nothing
      if (at <= statement_at) break;
      continue;
    }
    SqlResult& out = results.emplace_back();
    out.error = bind_trace(st, trace_id);
    if (!out.error.empty()) break;
    out.statements = 1;
    read_rows(st, limits, stop, &spent, &out);
    for (SqlColumn& c : out.columns) c.number &= c.any;
    out.seconds = seconds_since(start);
    // A statement that was left before its end is reset without an error.
    if (sqlite3_reset(st.raw()) != SQLITE_OK) {
      fail(store, text, statement_at, limits, &out);
      break;
    }
    if (out.cut == SqlResult::Cut::Time || (stop && stop())) break;
  }
  if (results.empty()) results.emplace_back().error = "there is no statement";
  return results;
}

void run_sql(const Store& store, std::string_view sql, int64_t trace_id, const SqlLimits& limits,
             const std::function<bool()>& stop, SqlResult* out) {
  const Clock::time_point start = Clock::now();
  std::vector<SqlResult> results = run_statements(store, sql, trace_id, limits, stop);
  size_t statements = 0;
  for (const SqlResult& r : results) statements += r.statements;
  SqlResult last = std::move(results.back());
  // What ran before a mistake is kept.
  if (results.size() > 1 && last.columns.empty()) {
    last.columns = std::move(results[results.size() - 2].columns);
    last.cells = std::move(results[results.size() - 2].cells);
  }
  *out = std::move(last);
  out->statements = statements;
  out->seconds = seconds_since(start);
}

std::string cell_text(const SqlCell& cell) {
  if (const auto* i = std::get_if<int64_t>(&cell)) return format_count(*i);
  if (const auto* d = std::get_if<double>(&cell)) {
    constexpr double kThousands = 1000;
    if (!std::isfinite(*d) || std::abs(*d) >= kThousands) return format_real(*d, 1);
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", *d);
    return text;
  }
  if (const auto* s = std::get_if<std::string>(&cell)) return *s;
  return "NULL";
}

std::string cell_value(const SqlCell& cell) {
  if (const auto* i = std::get_if<int64_t>(&cell)) return std::to_string(*i);
  if (const auto* d = std::get_if<double>(&cell)) return std::isfinite(*d) ? format_double(*d) : cell_text(cell);
  if (const auto* s = std::get_if<std::string>(&cell)) return *s;
  return {};
}

bool cell_less(const SqlCell& a, const SqlCell& b) {
  const auto number = [](const SqlCell& c) {
    const auto* i = std::get_if<int64_t>(&c);
    return i != nullptr ? static_cast<double>(*i) : std::get<double>(c);
  };
  const auto rank = [](const SqlCell& c) { return c.index() == 0 ? 0 : c.index() == 3 ? 2 : 1; };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (rank(a) == 0) return false;
  if (rank(a) == 2) return std::get<std::string>(a) < std::get<std::string>(b);
  const auto *i = std::get_if<int64_t>(&a), *k = std::get_if<int64_t>(&b);
  return i != nullptr && k != nullptr ? *i < *k : number(a) < number(b);
}

namespace {

std::string table_text(const SqlResult& result, std::span<const uint32_t> rows, const TableOptions& options) {
  if (result.columns.empty()) return {};
  Table table;
  for (const SqlColumn& c : result.columns) table.columns.push_back({.title = c.name, .key = c.name});
  for (const uint32_t row : rows) {
    std::vector<Cell> cells;
    for (size_t c = 0; c < result.columns.size(); ++c) cells.push_back(result.at(row, c));
    table.add(std::move(cells));
  }
  std::string out;
  (void)table.write(options, &out);
  return out;
}

}  // namespace

std::string sql_csv(const SqlResult& result, const std::vector<uint32_t>& order) {
  return table_text(result, order, {.format = "csv"});
}

std::string sql_tsv_row(const SqlResult& result, size_t row) {
  const auto one = static_cast<uint32_t>(row);
  return table_text(result, {&one, 1}, {.format = "tsv", .header = false});
}

}  // namespace et::inspector
