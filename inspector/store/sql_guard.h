// SQL of a person's own, on a store: it may read and nothing else. And where a mistake is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inspector/store/store.h"

namespace et::inspector {

/// While it lives, the connection refuses everything but reading: ATTACH, writes, PRAGMAs that change something,
/// loading of extensions.
class SqlGuard {
 public:
  explicit SqlGuard(const Store& store);
  ~SqlGuard();
  SqlGuard(const SqlGuard&) = delete;
  SqlGuard& operator=(const SqlGuard&) = delete;

 private:
  sqlite3* db_;
};

/// What SQLite's last error on a store means for the person who wrote the SQL.
struct SqlProblem {
  std::string text;               ///< one sentence, with what was probably meant
  size_t at = std::string::npos;  ///< byte of the text where it is, npos when SQLite does not say
  size_t line = 0, column = 0;    ///< from 1, column in characters; 0 when it does not say
  bool interrupted = false;
  bool damaged = false;  ///< the store's file, not the SQL
};
/// `statement_at`: where in `sql` the statement begins that failed.
SqlProblem sql_problem(const Store& store, std::string_view sql, size_t statement_at);

/// Names of the views and of their columns, for suggestions.
std::vector<std::string> names_in_views(const Store& store);

/// Blobs as SQL writes them, x'00ff'; longer ones than `most` bytes are cut, with their size behind.
std::string blob_text(std::span<const uint8_t> bytes, size_t most);

}  // namespace et::inspector
