#include "inspector/store/statement.h"

#include "base/utf8.h"

namespace et::inspector {

namespace {
thread_local std::string first_failure;
}  // namespace

const std::string& first_statement_failure() { return first_failure; }
void clear_statement_failure() { first_failure.clear(); }

void Statement::bind(int i, std::string_view v) {
  if (is_storable_text(v)) {
    sqlite3_bind_text64(stmt_, i, v.data() == nullptr ? "" : v.data(), v.size(), SQLITE_STATIC, SQLITE_UTF8);
    return;
  }
  const std::string clean = storable_text(v);
  sqlite3_bind_text64(stmt_, i, clean.data(), clean.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

Status Statement::finish(std::string_view what) const {
  if (last_ == SQLITE_OK || last_ == SQLITE_DONE || last_ == SQLITE_ROW) return {};
  // Another statement may have run since: then the connection speaks of that one.
  const bool ours = db_ != nullptr && (stmt_ == nullptr || sqlite3_errcode(db_) == last_);
  return {Error::InvalidExternalData, (path_ == nullptr || path_->empty() ? std::string("store") : *path_) +
                                          ": cannot read " + std::string(what) + ": " +
                                          (ours ? sqlite3_errmsg(db_) : sqlite3_errstr(last_))};
}

void Statement::note_failure() const {
  if (!first_failure.empty()) return;
  first_failure = stmt_ == nullptr ? "a statement that does not compile" : sqlite3_errmsg(sqlite3_db_handle(stmt_));
}

}  // namespace et::inspector
