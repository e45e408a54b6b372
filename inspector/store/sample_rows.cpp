#include "inspector/store/sample_rows.h"

#include <sqlite3.h>

#include <new>

namespace et::inspector {
namespace {

constexpr const char* kSource = "et_pending_samples";

using Pending = std::span<const Sample>;

struct SourceTable : sqlite3_vtab {
  const Pending* pending = nullptr;
};

struct SourceCursor : sqlite3_vtab_cursor {
  size_t row = 0;
};

SourceCursor& source_cursor(sqlite3_vtab_cursor* c) { return *static_cast<SourceCursor*>(c); }
const Pending& pending_of(const sqlite3_vtab_cursor* c) { return *static_cast<const SourceTable*>(c->pVtab)->pending; }

int source_connect(sqlite3* db, void* data, int, const char* const*, sqlite3_vtab** out, char**) {
  if (const int rc = sqlite3_declare_vtab(db, "CREATE TABLE source(run, start, duration)"); rc != SQLITE_OK) return rc;
  auto* const table = new (std::nothrow) SourceTable();
  if (table == nullptr) return SQLITE_NOMEM;
  table->pending = static_cast<const Pending*>(data);
  *out = table;
  return SQLITE_OK;
}

int source_disconnect(sqlite3_vtab* table) {
  delete static_cast<SourceTable*>(table);
  return SQLITE_OK;
}

int source_best_index(sqlite3_vtab*, sqlite3_index_info*) { return SQLITE_OK; }

int source_open(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  *out = new (std::nothrow) SourceCursor();
  return *out == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int source_close(sqlite3_vtab_cursor* cursor) {
  delete &source_cursor(cursor);
  return SQLITE_OK;
}

int source_filter(sqlite3_vtab_cursor* cursor, int, const char*, int, sqlite3_value**) {
  source_cursor(cursor).row = 0;
  return SQLITE_OK;
}

int source_next(sqlite3_vtab_cursor* cursor) {
  ++source_cursor(cursor).row;
  return SQLITE_OK;
}

int source_eof(sqlite3_vtab_cursor* cursor) { return source_cursor(cursor).row >= pending_of(cursor).size() ? 1 : 0; }

int source_column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int column) {
  const Sample& s = pending_of(cursor)[source_cursor(cursor).row];
  sqlite3_result_int64(context, column == 0 ? s.run : column == 1 ? s.start : s.duration);
  return SQLITE_OK;
}

int source_rowid(sqlite3_vtab_cursor* cursor, sqlite3_int64* out) {
  *out = static_cast<sqlite3_int64>(source_cursor(cursor).row);
  return SQLITE_OK;
}

const sqlite3_module& source_module() {
  static const sqlite3_module kModule = [] {
    sqlite3_module m = {};
    m.xConnect = source_connect;
    m.xBestIndex = source_best_index;
    m.xDisconnect = source_disconnect;
    m.xOpen = source_open;
    m.xClose = source_close;
    m.xFilter = source_filter;
    m.xNext = source_next;
    m.xEof = source_eof;
    m.xColumn = source_column;
    m.xRowid = source_rowid;
    return m;
  }();
  return kModule;
}

}  // namespace

SampleRows::SampleRows(const Store& store) : store_(store) {
  sqlite3_create_module(store.db(), kSource, &source_module(), &source_);
  if (Statement st = store.query("SELECT coalesce(max(id), 0) FROM raw_sample"); st.step()) last_ = st.integer(0);
  one_ = store.query("INSERT INTO raw_sample VALUES(?1,?2,?3,?4)");
  // Without an id a row gets the next one, and SQLite need not look for its place.
  many_ = store.query("INSERT INTO raw_sample(run, start, duration) SELECT run, start, duration FROM " +
                      std::string(kSource));
}

SampleRows::~SampleRows() {
  one_ = Statement();
  many_ = Statement();
  sqlite3_create_module(store_.db(), kSource, nullptr, nullptr);
}

bool SampleRows::append_one(int64_t id, const Sample& sample) {
  return one_.run(id, sample.run, sample.start, sample.duration);
}

bool SampleRows::append(int64_t id, std::span<const Sample> samples) {
  while (!samples.empty() && id != last_ + 1) {
    if (!append_one(id, samples.front())) return false;
    last_ = id > last_ ? id : last_;
    ++id;
    samples = samples.subspan(1);
  }
  if (samples.empty()) return true;
  source_ = samples;
  const bool ok = many_.run();
  last_ += static_cast<int64_t>(samples.size());
  source_ = {};
  return ok;
}

}  // namespace et::inspector
