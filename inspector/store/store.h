// The store: one SQLite database that holds traces. schema.sql says what is in it; this file opens, creates and checks
// it.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/status.h"
#include "inspector/store/statement.h"

namespace et::inspector {

struct SchemaView;

/// Lets SQLite leave out counting its memory, a sixth of a small import. For a program's main, before it opens a store.
void use_sqlite_alone();

/// The text of schema.sql with the columns of ops.
const std::string& schema_sql();
/// schema.sql as it is compiled in.
extern const char* const kSchemaText;
constexpr int kStoreApplicationId = 0x45544953;  // "ETIS"
constexpr int kStoreVersion = 1;
/// The part of it that begins with "--@<name>: …" and that stores of older versions lack; ends before the next such
/// line.
std::string schema_part(std::string_view name);

class Store {
 public:
  /// Report: in memory, where views are made when they are first asked for. For who asks nothing of sqlite_schema.
  enum class Mode { Memory, Report, ReadOnly, ReadWrite };

  Store() = default;
  Store(Store&& other) noexcept { swap(other); }
  Store& operator=(Store&& other) noexcept {
    swap(other);
    return *this;
  }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store();

  /// Memory and Report: `path` is ignored. ReadWrite creates the file with the schema when it is missing or empty.
  /// Errors: AccessFailed, InvalidExternalData (no SQLite file, not a store, a newer version), each naming the path.
  static Status open(const std::string& path, Mode mode, Store* out);
  /// True when the file starts like an SQLite database.
  static bool looks_like_store(const std::string& path);

  sqlite3* db() const { return db_; }
  const std::string& path() const { return *path_; }
  /// Of Mode::Report: nobody can have taken from it what stores of older versions lack.
  bool is_new() const { return views_when_asked_; }

  /// "<path>: <what>": the store's own tables contradict each other.
  Status damaged(const std::string& what) const;

  Status exec(const char* sql);
  /// Prepares `sql`; the error names the statement's problem.
  Status prepare(std::string_view sql, Statement* out) const;
  /// For SQL of our own, which compiles on every sound store. On a damaged one the statement's steps fail.
  Statement query(std::string_view sql) const;

  /// Id of a text in raw_string, inserted when new.
  int64_t intern(std::string_view text);
  /// Forgets the ids of texts seen since the last call (after a rollback).
  void forget_interned() { strings_.clear(); }

  Status build_indexes();
  bool has_table(std::string_view name) const;
  bool has_column(std::string_view table, std::string_view column) const;
  /// Of a table or view; none when there is no such.
  std::unordered_set<std::string> column_names(std::string_view table) const;
  /// Adds a part of the schema (schema_part) to a store that does not have `table`; inside of a transaction.
  Status ensure_part(std::string_view part, std::string_view table);
  /// The views that rank ops, as they are now, in a store that has none or older ones; inside of a transaction.
  Status renew_usual_views();
  bool has_newest_usual_views() const;
  /// Writes a compact copy; `path` must not exist. Errors: AccessFailed.
  Status copy_to(const std::string& path) const;
  std::string error_text() const;

 private:
  struct TextHash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>()(s); }
  };
  void swap(Store& other) noexcept;
  Status check_identity();
  Status create_schema(Mode mode);
  Status add_views(const std::vector<SchemaView>& views);
  /// Of Mode::Report: makes the view that a message or a caller names. False where there is no such, or it is there
  /// already.
  bool make_view(std::string_view name) const;
  void add_temporary_views();

  sqlite3* db_ = nullptr;
  bool views_when_asked_ = false;
  std::shared_ptr<const std::string> path_ = std::make_shared<const std::string>();  // statements name it in errors
  Statement find_string_, add_string_;
  std::unordered_map<std::string, int64_t, TextHash, std::equal_to<>> strings_;
};

/// Everything between the constructor and commit() happens or does not happen; the destructor rolls back. commit()
/// refuses when a statement of this thread failed since the constructor (a full disk, a damaged file): no row goes
/// missing unseen.
class Transaction {
 public:
  explicit Transaction(Store& store);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Status begin_status() const { return begin_; }
  /// What commit() would refuse already.
  Status check() const;
  Status commit();

 private:
  Store& store_;
  Status begin_;
  bool open_ = false;
  bool committing_ = false;
};

}  // namespace et::inspector
