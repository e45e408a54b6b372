#include "inspector/store/store.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <utility>

#include <sys/stat.h>

#include "inspector/store/op_columns.h"
#include "inspector/store/schema_image.h"
#include "inspector/store/schema_statements.h"

namespace et::inspector {
namespace {

constexpr const char* kIndexesBegin = "--@indexes";

std::string_view tables_and_views() {
  const std::string_view all = schema_sql();
  return all.substr(0, all.find(kIndexesBegin));
}

// The others are made where they are asked for.
constexpr const char* kViewsOfReport[] = {"traces",     "labels",       "diagnostics", "methods", "blocks",
                                          "executions", "ops",          "nodes",       "links",   "execution_bases",
                                          "op_costs",   "source_files", "line_rules"};

// What messages call the store: one in memory has no path.
std::string label_of(const std::string& path) { return path.empty() ? "store" : path; }

}  // namespace

const std::span<const char* const> kReportViews = kViewsOfReport;

void use_sqlite_alone() { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

const std::string& schema_sql() {
  static const std::string text =
      schema_with_op_columns(kSchemaText, kRawOpColumns, kOpViewColumns, OpStatistics::kColumns);
  return text;
}

std::string schema_part(std::string_view name) {
  const std::string_view all = schema_sql();
  const std::string head = "\n--@" + std::string(name) + ":";
  const size_t begin = all.find(head);
  if (begin == std::string_view::npos) return {};
  size_t end = begin + 1;
  do {
    end = all.find("\n--@", end + 1);
  } while (end != std::string_view::npos && all.substr(end).starts_with("\n--@view "));
  return std::string(all.substr(begin, end == std::string_view::npos ? end : end - begin));
}

Store::~Store() {
  find_string_ = Statement();
  add_string_ = Statement();
  sqlite3_close(db_);
}

void Store::swap(Store& other) noexcept {
  std::swap(db_, other.db_);
  std::swap(views_when_asked_, other.views_when_asked_);
  std::swap(path_, other.path_);
  std::swap(find_string_, other.find_string_);
  std::swap(add_string_, other.add_string_);
  std::swap(strings_, other.strings_);
}

bool Store::looks_like_store(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  char magic[16] = {};
  return in.read(magic, sizeof magic) && std::memcmp(magic, "SQLite format 3", 16) == 0;
}

Status Store::open(const std::string& path, Mode mode, Store* out) {
  Store store;
  const bool in_memory = mode == Mode::Memory || mode == Mode::Report;
  store.path_ = std::make_shared<const std::string>(in_memory ? "" : path);
  bool fresh = in_memory;
  if (!in_memory) {
    struct stat st = {};
    const bool exists = ::stat(path.c_str(), &st) == 0;
    if (exists && !S_ISREG(st.st_mode))
      return {Error::AccessFailed, path + ": is not a regular file, expected a store"};
    if (mode == Mode::ReadOnly && !exists) return {Error::AccessFailed, path + ": cannot open: no such file"};
    fresh = !exists || st.st_size == 0;
    if (mode == Mode::ReadOnly && fresh)
      return {Error::InvalidExternalData, path + ": the file is empty, expected a store"};
    if (!exists && make_store_file(kWholeSchema, path)) fresh = false;
    if (!fresh && !looks_like_store(path)) {
      return {Error::InvalidExternalData, path + ": is not an SQLite database, expected a store of et-inspect"};
    }
  }
  // A connection belongs to one thread: without its mutex, reading a column costs half.
  const int flags = SQLITE_OPEN_NOMUTEX |
                    (mode == Mode::ReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (sqlite3_open_v2(in_memory ? ":memory:" : path.c_str(), &store.db_, flags, nullptr) != SQLITE_OK) {
    return {Error::AccessFailed, path + ": cannot open: " + store.error_text()};
  }
  sqlite3_busy_timeout(store.db_, 5000);
  // A store may come from anybody: nothing in its schema may run more than plain SQL.
  sqlite3_db_config(store.db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  Status status;
  if (!fresh) {
    status = store.check_identity();
  } else if (!in_memory || !load_schema_image(mode == Mode::Report ? kReportSchema : kWholeSchema, store.db_)) {
    status = store.create_schema(mode);
  }
  if (!status.ok()) return status;
  sqlite3_db_config(store.db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  status = store.exec("PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32768; PRAGMA temp_store=MEMORY;");
  if (!status.ok()) return status;
  if (mode == Mode::ReadOnly) store.add_temporary_views();
  store.views_when_asked_ = mode == Mode::Report;
  *out = std::move(store);
  return {};
}

Status Store::create_schema(Mode mode) {
  Status status = exec(mode == Mode::Report ? "PRAGMA page_size=4096; PRAGMA auto_vacuum=NONE;"
                                            : "PRAGMA page_size=8192; PRAGMA auto_vacuum=NONE;");
  if (!status.ok()) return status;
  // One transaction: a second process that opens the file sees a whole store or none.
  SchemaStatements schema = split_schema(tables_and_views());
  if (mode == Mode::Report) {
    std::erase_if(schema.views, [](const SchemaView& v) {
      return std::find(kReportViews.begin(), kReportViews.end(), v.name) == kReportViews.end();
    });
  }
  const std::string sql = "BEGIN IMMEDIATE; PRAGMA application_id=" + std::to_string(kStoreApplicationId) +
                          "; PRAGMA user_version=" + std::to_string(kStoreVersion) + ";" + schema.tables;
  status = exec(sql.c_str());
  if (status.ok() && mode == Mode::Report) status = build_indexes();
  if (status.ok()) status = add_views(schema.views);
  if (status.ok()) status = exec("COMMIT");
  if (status.ok()) return status;
  (void)exec("ROLLBACK");
  // Somebody else may have created it between our look and our try.
  return check_identity().ok() ? Status() : status;
}

// CREATE VIEW would have SQLite parse each of them three times, which is half of the time that a small trace takes:
// they are parsed once, when the schema is read. Only before the connection is made defensive.
Status Store::add_views(const std::vector<SchemaView>& views) {
  Status status = exec("PRAGMA writable_schema=ON");
  if (!status.ok()) return status;
  Statement add;
  status =
      prepare("INSERT INTO sqlite_schema(type, name, tbl_name, rootpage, sql) VALUES('view', ?1, ?1, 0, ?2)", &add);
  if (!status.ok()) return status;
  for (const SchemaView& v : views) {
    if (!add.run(v.name, v.sql)) return {Error::AccessFailed, label_of(path()) + ": " + error_text()};
  }
  return exec("PRAGMA writable_schema=RESET");
}

Status Store::check_identity() {
  // Who writes holds the file for a moment, or longer: that is no damage.
  const auto unreadable = [this]() -> Status {
    const int code = sqlite3_errcode(db_);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
      return {Error::AccessFailed, path() + ": is locked by another program that writes to it"};
    }
    return {Error::InvalidExternalData, path() + ": damaged store: " + error_text()};
  };
  auto pragma = [&](const char* sql, int64_t* value) {
    Statement st;
    Status status = prepare(sql, &st);
    if (!status.ok()) return status;
    if (!st.step()) return unreadable();
    *value = st.integer(0);
    return Status();
  };
  int64_t id = 0, version = 0;
  Status status = pragma("PRAGMA application_id", &id);
  if (status.ok()) status = pragma("PRAGMA user_version", &version);
  if (!status.ok()) return status.code() == Error::AccessFailed ? status : unreadable();
  if (id != kStoreApplicationId) {
    return {Error::InvalidExternalData,
            path() + ": is an SQLite database, but not a store of et-inspect (application_id " + std::to_string(id) +
                ", expected " + std::to_string(kStoreApplicationId) + ")"};
  }
  if (version != kStoreVersion) {
    return {Error::InvalidExternalData, path() + ": store version " + std::to_string(version) +
                                            ", this et-inspect reads version " + std::to_string(kStoreVersion)};
  }
  Statement probe;  // a header alone does not make a store
  status = prepare("SELECT count(*) FROM traces", &probe);
  if (!status.ok() || !probe.step()) return unreadable();
  return {};
}

Status Store::copy_to(const std::string& path) const {
  Statement copy;
  const Status status = prepare("VACUUM INTO ?1", &copy);
  if (!status.ok()) return status;
  copy.bind(1, path);
  copy.step();
  const int rc = sqlite3_errcode(db_);
  if (rc == SQLITE_DONE || rc == SQLITE_OK) return {};
  return {Error::AccessFailed, path + ": cannot write the store: " + error_text()};
}

std::string Store::error_text() const { return db_ == nullptr ? "out of memory" : sqlite3_errmsg(db_); }

Status Store::damaged(const std::string& what) const {
  return {Error::InvalidExternalData, label_of(path()) + ": " + what};
}

Status Store::exec(const char* sql) {
  char* message = nullptr;
  if (sqlite3_exec(db_, sql, nullptr, nullptr, &message) == SQLITE_OK) return {};
  const std::string text = message == nullptr ? error_text() : message;
  sqlite3_free(message);
  return {Error::AccessFailed, label_of(path()) + ": " + text};
}

bool Store::make_view(std::string_view name) const {
  if (!views_when_asked_) return false;
  constexpr std::string_view kMissing = "no such table: ", kMain = "main.";
  if (name.starts_with(kMissing)) name.remove_prefix(kMissing.size());
  if (name.starts_with(kMain)) name.remove_prefix(kMain.size());
  const std::string sql(view_statement(schema_sql(), name));
  return !sql.empty() && sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
}

Status Store::prepare(std::string_view sql, Statement* out) const {
  sqlite3_stmt* stmt = nullptr;
  while (sqlite3_prepare_v2(db_, sql.data(), static_cast<int>(sql.size()), &stmt, nullptr) != SQLITE_OK) {
    const std::string cause = error_text();
    if (!make_view(cause)) return {Error::InvalidArgument, label_of(path()) + ": " + cause};
  }
  *out = Statement(stmt, db_, path_);
  return {};
}

Statement Store::query(std::string_view sql) const {
  Statement st;
  if (!prepare(sql, &st).ok()) st = Statement(nullptr, db_, path_);
  return st;
}

int64_t Store::intern(std::string_view text) {
  if (auto it = strings_.find(text); it != strings_.end()) return it->second;
  if (!find_string_.valid()) {
    find_string_ = query("SELECT id FROM raw_string WHERE text = ?1");
    add_string_ = query("INSERT INTO raw_string(text) VALUES(?1)");
  }
  find_string_.bind(1, text);
  int64_t id = 0;
  if (find_string_.step()) id = find_string_.integer(0);
  find_string_.reset();
  if (id == 0) {
    add_string_.run(text);
    id = sqlite3_last_insert_rowid(db_);
  }
  strings_.emplace(std::string(text), id);
  return id;
}

bool Store::has_table(std::string_view name) const {
  Statement st = query("SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ?1");
  st.bind(1, name);
  return st.step() || make_view(name);
}

std::unordered_set<std::string> Store::column_names(std::string_view table) const {
  if (views_when_asked_) (void)has_table(table);
  std::unordered_set<std::string> out;
  Statement st = query("SELECT name FROM pragma_table_info(?1)");
  st.bind(1, table);
  while (st.step()) out.insert(st.str(0));
  return out;
}

bool Store::has_column(std::string_view table, std::string_view column) const {
  return column_names(table).contains(std::string(column));
}

Status Store::ensure_part(std::string_view part, std::string_view table) {
  return is_new() || has_table(table) ? Status() : exec(schema_part(part).c_str());
}

// Shares of a method that was loaded several times were of its loading once.
bool Store::has_newest_usual_views() const {
  Statement s = query("SELECT 1 FROM sqlite_master WHERE name = 'usual_ops' AND sql LIKE '%k.kind = b.kind%'");
  return s.step();
}

Status Store::renew_usual_views() {
  if (is_new() || has_newest_usual_views()) return {};
  Status status = exec("DROP VIEW IF EXISTS usual_costs; DROP VIEW IF EXISTS usual_ops;");
  return status.ok() ? exec(schema_part("usual").c_str()) : status;
}

// What a store of an older version lacks, for this connection: queries find the same views in every store. Whoever
// writes to it adds them for good.
void Store::add_temporary_views() {
  const auto add = [this](std::string_view part) {
    std::string sql = schema_part(part);
    for (const char* kind : {"VIEW ", "TABLE "}) {
      const std::string made = std::string("\nCREATE ") + kind, temporary = std::string("\nCREATE TEMP ") + kind;
      for (size_t at = sql.find(made); at != std::string::npos; at = sql.find(made, at + 1))
        sql.replace(at, made.size(), temporary);
    }
    (void)exec(sql.c_str());  // the query that misses one says so
  };
  if (!has_table("fleet_traces")) add("fleet");
  if (has_newest_usual_views()) return;
  if (!has_table("raw_op_cost")) add("costs");
  add("usual");
}

Status Store::build_indexes() {
  if (is_new()) return {};  // with the tables
  const std::string_view all = schema_sql();
  const size_t at = all.find(kIndexesBegin);
  return exec(std::string(all.substr(all.find('\n', at) + 1)).c_str());
}

Transaction::Transaction(Store& store) : store_(store) {
  clear_statement_failure();
  begin_ = store_.exec("BEGIN IMMEDIATE");
  open_ = begin_.ok();
  if (!open_) return;
  // After some errors (disk full) SQLite rolls back by itself, and every further statement would be its own
  // transaction.
  sqlite3_commit_hook(
      store_.db(), [](void* self) { return static_cast<Transaction*>(self)->committing_ ? 0 : 1; }, this);
}

Transaction::~Transaction() {
  if (!open_) return;
  (void)store_.exec("ROLLBACK");
  sqlite3_commit_hook(store_.db(), nullptr, nullptr);
  store_.forget_interned();
}

Status Transaction::check() const {
  if (first_statement_failure().empty()) return {};
  const std::string store = label_of(store_.path());
  return {Error::AccessFailed, store + ": cannot write: " + first_statement_failure()};
}

Status Transaction::commit() {
  Status status = check();
  if (!status.ok()) return status;
  committing_ = true;
  status = store_.exec("COMMIT");
  committing_ = false;
  if (!status.ok()) return status;
  open_ = false;
  sqlite3_commit_hook(store_.db(), nullptr, nullptr);
  return {};
}

}  // namespace et::inspector
