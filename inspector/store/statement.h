// A prepared SQLite statement. Bind, step, read: nothing else.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/status.h"
#include "inspector/text/compact.h"

namespace et::inspector {

/// Text of the first step that failed in this thread since the last clear, "" when none did. A transaction that saw one
/// must not commit: a row would be missing.
const std::string& first_statement_failure();
void clear_statement_failure();

class Statement {
 public:
  Statement() = default;
  /// Without a statement (it did not compile) each step fails, and finish() says why. `path` is that of the store.
  explicit Statement(sqlite3_stmt* stmt, sqlite3* db = nullptr, std::shared_ptr<const std::string> path = nullptr)
      : stmt_(stmt), db_(db), path_(std::move(path)) {}
  Statement(Statement&& other) noexcept { *this = std::move(other); }
  Statement& operator=(Statement&& other) noexcept {
    std::swap(stmt_, other.stmt_);
    std::swap(db_, other.db_);
    std::swap(path_, other.path_);
    std::swap(last_, other.last_);
    return *this;
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement() { sqlite3_finalize(stmt_); }

  bool valid() const { return stmt_ != nullptr; }
  sqlite3_stmt* raw() const { return stmt_; }

  // Strings and blobs are bound without a copy: they must outlive the step. Bytes that are not UTF-8 become U+FFFD.
  void bind(int i, int64_t v) { sqlite3_bind_int64(stmt_, i, v); }
  void bind(int i, double v) { sqlite3_bind_double(stmt_, i, v); }
  void bind(int i, std::string_view v);
  void bind(int i, const char* v) { bind(i, std::string_view(v)); }
  void bind(int i, const std::string& v) { bind(i, std::string_view(v)); }
  void bind(int i, std::span<const uint8_t> v) { sqlite3_bind_blob64(stmt_, i, v.data(), v.size(), SQLITE_STATIC); }
  void bind(int i, std::nullptr_t) { sqlite3_bind_null(stmt_, i); }
  template <class T>
  requires std::is_integral_v<T>
  void bind(int i, T v) { bind(i, static_cast<int64_t>(v)); }
  template <class T>
  void bind(int i, const std::optional<T>& v) {
    v ? bind(i, *v) : bind(i, nullptr);
  }
  template <class T>
  void bind(int i, const Maybe<T>& v) {
    v ? bind(i, *v) : bind(i, nullptr);
  }
  /// By an enumeration of the row's columns, whose first is parameter 1.
  template <class Column, class T>
  requires std::is_enum_v<Column>
  void bind(Column column, const T& v) { bind(static_cast<int>(column) + 1, v); }

  /// Binds all parameters from 1 on, runs the statement to its end and resets it. False on an error.
  template <class... T>
  bool run(const T&... values) {
    bind_all(values...);
    const bool ok = advance() != Outcome::Failed;
    sqlite3_reset(stmt_);
    return ok;
  }
  template <class... T>
  void bind_all(const T&... values) {
    int i = 0;
    (bind(++i, values), ...);
  }

  bool step() { return advance() == Outcome::Row; }
  /// After the last step: whether it ended because there was no more, not because the store is damaged.
  /// Errors: InvalidExternalData, "<store>: cannot read <what>: <cause>".
  Status finish(std::string_view what) const;
  void reset() { sqlite3_reset(stmt_); }

  int columns() const { return sqlite3_column_count(stmt_); }
  std::string_view column_name(int c) const { return sqlite3_column_name(stmt_, c); }
  int type(int c) const { return sqlite3_column_type(stmt_, c); }
  bool is_null(int c) const { return type(c) == SQLITE_NULL; }
  int64_t integer(int c) const { return sqlite3_column_int64(stmt_, c); }
  double real(int c) const { return sqlite3_column_double(stmt_, c); }
  std::string_view text(int c) const {
    const auto* p = reinterpret_cast<const char*>(sqlite3_column_text(stmt_, c));
    return p == nullptr ? std::string_view() : std::string_view(p, static_cast<size_t>(sqlite3_column_bytes(stmt_, c)));
  }
  std::string str(int c) const { return std::string(text(c)); }
  std::span<const uint8_t> blob(int c) const {
    const auto* p = static_cast<const uint8_t*>(sqlite3_column_blob(stmt_, c));
    return {p, p == nullptr ? 0 : static_cast<size_t>(sqlite3_column_bytes(stmt_, c))};
  }
  std::optional<int64_t> maybe_integer(int c) const { return is_null(c) ? std::nullopt : std::optional(integer(c)); }
  std::optional<double> maybe_real(int c) const { return is_null(c) ? std::nullopt : std::optional(real(c)); }
  std::optional<std::string> maybe_text(int c) const { return is_null(c) ? std::nullopt : std::optional(str(c)); }

 private:
  enum class Outcome { Row, Done, Failed };
  Outcome advance() {
    last_ = sqlite3_step(stmt_);
    if (last_ == SQLITE_ROW) return Outcome::Row;
    if (last_ == SQLITE_DONE) return Outcome::Done;
    note_failure();
    return Outcome::Failed;
  }
  void note_failure() const;

  sqlite3_stmt* stmt_ = nullptr;
  sqlite3* db_ = nullptr;
  std::shared_ptr<const std::string> path_;
  int last_ = SQLITE_OK;  // what the last step gave
};

}  // namespace et::inspector
