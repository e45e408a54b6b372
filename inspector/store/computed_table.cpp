#include "inspector/store/computed_table.h"

#include <cassert>
#include <charconv>
#include <mutex>
#include <new>
#include <set>

namespace et::inspector {
namespace {

using Use = ComputedColumn::Use;

struct TableSource {
  const Store* store;
  const ComputedTable* table;
};

struct VirtualTable : sqlite3_vtab {
  TableSource source = {};
};

struct VirtualCursor : sqlite3_vtab_cursor {
  std::optional<ComputedRows> rows;
  size_t row = 0;
};

VirtualTable& table_of(sqlite3_vtab* t) { return *static_cast<VirtualTable*>(t); }
VirtualCursor& cursor_of(sqlite3_vtab_cursor* c) { return *static_cast<VirtualCursor*>(c); }

int refuse(sqlite3_vtab* table, const std::string& message) {
  sqlite3_free(table->zErrMsg);
  table->zErrMsg = sqlite3_mprintf("%s", message.c_str());
  return SQLITE_ERROR;
}

int x_connect(sqlite3* db, void* data, int, const char* const*, sqlite3_vtab** out, char**) {
  const auto* const source = static_cast<const TableSource*>(data);
  std::string sql = "CREATE TABLE computed(";
  for (const ComputedColumn& c : source->table->columns) {
    if (sql.back() != '(') sql += ", ";
    sql += std::string(c.name) + " " + c.type;
  }
  if (const int rc = sqlite3_declare_vtab(db, (sql + ")").c_str()); rc != SQLITE_OK) return rc;
  auto* const table = new (std::nothrow) VirtualTable();
  if (table == nullptr) return SQLITE_NOMEM;
  table->source = *source;
  *out = table;
  return SQLITE_OK;
}

int x_disconnect(sqlite3_vtab* table) {
  delete &table_of(table);
  return SQLITE_OK;
}

/// What the query gives reaches filter() as arguments; idxStr has their columns: "0 3".
int x_best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  const ComputedTable& spec = *table_of(table).source.table;
  std::string columns;
  int arguments = 0;
  for (size_t c = 0; c < spec.columns.size(); ++c) {
    const Use use = spec.columns[c].use;
    if (use == Use::Result) continue;
    bool seen = false, used = false;
    for (int i = 0; i < info->nConstraint && !used; ++i) {
      const auto& constraint = info->aConstraint[i];
      if (constraint.iColumn != static_cast<int>(c) || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
      seen = true;
      used = constraint.usable != 0;
      if (used) info->aConstraintUsage[i].argvIndex = ++arguments;
    }
    if (used) columns += (columns.empty() ? "" : " ") + std::to_string(c);
    if (use == Use::Wanted && !used) {
      if (seen) return SQLITE_CONSTRAINT;  // another order of a join has it
      return refuse(table, std::string(spec.name) + ": expected WHERE " + spec.columns[c].name + " = a value");
    }
  }
  // Each run is dear: joins have it outside.
  info->estimatedCost = arguments > 0 ? 1e6 : 1e8;
  info->estimatedRows = 1000;
  info->idxStr = sqlite3_mprintf("%s", columns.c_str());
  info->needToFreeIdxStr = 1;
  return info->idxStr == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int x_open(sqlite3_vtab*, sqlite3_vtab_cursor** out) {
  *out = new (std::nothrow) VirtualCursor();
  return *out == nullptr ? SQLITE_NOMEM : SQLITE_OK;
}

int x_close(sqlite3_vtab_cursor* cursor) {
  delete &cursor_of(cursor);
  return SQLITE_OK;
}

SqlValue value_of(sqlite3_value* v) {
  switch (sqlite3_value_type(v)) {
    case SQLITE_INTEGER:
      return sqlite3_value_int64(v);
    case SQLITE_FLOAT:
      return sqlite3_value_double(v);
    case SQLITE_TEXT:
      return std::string(reinterpret_cast<const char*>(sqlite3_value_text(v)),
                         static_cast<size_t>(sqlite3_value_bytes(v)));
    default:
      return {};
  }
}

/// Rows of each trace in turn, or of the only run where there is no column for it.
Status fill_rows(const TableSource& source, std::optional<size_t> trace_column, bool of_one, ComputedRows* rows) {
  if (!trace_column) return source.table->fill(*source.store, 0, rows);
  if (of_one) {
    const auto* const id = std::get_if<int64_t>(&rows->given(*trace_column));
    return id == nullptr ? Status() : source.table->fill(*source.store, *id, rows);
  }
  std::vector<int64_t> traces;
  Statement st = source.store->query("SELECT trace_id FROM traces ORDER BY trace_id");
  while (st.step()) traces.push_back(st.integer(0));
  for (const int64_t id : traces) {
    rows->set(*trace_column, id);
    const Status status = source.table->fill(*source.store, id, rows);
    const bool none = status.code() == Error::NotFound || status.code() == Error::InvalidArgument;
    if (!status.ok() && !none) return status;
  }
  return st.finish("traces");
}

int x_filter(sqlite3_vtab_cursor* at, int, const char* columns, int count, sqlite3_value** values) {
  VirtualCursor& cursor = cursor_of(at);
  const TableSource& source = table_of(at->pVtab).source;
  const auto specs = source.table->columns;
  try {
    std::vector<SqlValue> given(specs.size());
    std::optional<size_t> trace;
    bool of_one = false;
    for (size_t c = 0; c < specs.size(); ++c) {
      if (specs[c].use == Use::Trace) trace = c;
    }
    const char* const end = columns + std::char_traits<char>::length(columns);
    for (int i = 0; i < count && columns < end; ++i) {
      size_t column = 0;
      columns = std::from_chars(columns, end, column).ptr + 1;
      given[column] = value_of(values[i]);
      of_one |= specs[column].use == Use::Trace;
    }
    cursor.rows.emplace(*source.table, std::move(given));
    cursor.row = 0;
    const Status status = fill_rows(source, trace, of_one, &*cursor.rows);
    if (!status.ok()) return refuse(at->pVtab, std::string(source.table->name) + ": " + status.message());
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
  return SQLITE_OK;
}

int x_next(sqlite3_vtab_cursor* cursor) {
  ++cursor_of(cursor).row;
  return SQLITE_OK;
}

int x_eof(sqlite3_vtab_cursor* at) {
  const VirtualCursor& cursor = cursor_of(at);
  return !cursor.rows || cursor.row >= cursor.rows->size() ? 1 : 0;
}

int x_column(sqlite3_vtab_cursor* at, sqlite3_context* context, int i) {
  const VirtualCursor& cursor = cursor_of(at);
  const SqlValue& value = cursor.rows->at(cursor.row, static_cast<size_t>(i));
  if (const auto* n = std::get_if<int64_t>(&value)) {
    sqlite3_result_int64(context, *n);
  } else if (const auto* d = std::get_if<double>(&value)) {
    sqlite3_result_double(context, *d);
  } else if (const auto* s = std::get_if<std::string>(&value)) {
    sqlite3_result_text64(context, s->data(), s->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  } else {
    sqlite3_result_null(context);
  }
  return SQLITE_OK;
}

int x_rowid(sqlite3_vtab_cursor* at, sqlite3_int64* out) {
  *out = static_cast<sqlite3_int64>(cursor_of(at).row);
  return SQLITE_OK;
}

/// Without xCreate: such a table is there by its name alone, and in no file.
const sqlite3_module& table_module() {
  static const sqlite3_module kModule = [] {
    sqlite3_module m = {};
    m.xConnect = x_connect;
    m.xBestIndex = x_best_index;
    m.xDisconnect = x_disconnect;
    m.xOpen = x_open;
    m.xClose = x_close;
    m.xFilter = x_filter;
    m.xNext = x_next;
    m.xEof = x_eof;
    m.xColumn = x_column;
    m.xRowid = x_rowid;
    return m;
  }();
  return kModule;
}

/// Of all connections.
struct KnownNames {
  std::mutex mutex;
  std::set<std::string> names;
};
KnownNames& known() {
  static KnownNames names;
  return names;
}

}  // namespace

std::string ComputedRows::given_text(size_t column, const char* fallback) const {
  const auto* const text = std::get_if<std::string>(&given_[column]);
  return text != nullptr ? *text : fallback;
}

int64_t ComputedRows::given_integer(size_t column, int64_t fallback) const {
  const auto* const n = std::get_if<int64_t>(&given_[column]);
  return n != nullptr ? *n : fallback;
}

void ComputedRows::add(std::vector<SqlValue> values) {
  auto value = values.begin();
  for (size_t c = 0; c < table_.columns.size(); ++c) {
    if (table_.columns[c].use != Use::Result) {
      cells_.push_back(given_[c]);
    } else {
      assert(value != values.end());
      cells_.push_back(std::move(*value++));
    }
  }
  assert(value == values.end());
}

void add_computed_tables(const Store& store, std::span<const ComputedTable> tables) {
  const auto drop = [](void* source) { delete static_cast<TableSource*>(source); };
  for (const ComputedTable& table : tables) {
    // Again each time: a store may have been moved since.
    sqlite3_create_module_v2(store.db(), table.name, &table_module(), new TableSource{&store, &table}, drop);
    const std::lock_guard lock(known().mutex);
    known().names.insert(table.name);
  }
}

std::vector<std::string> computed_table_names(const Store& store) {
  std::vector<std::string> out;
  Statement st = store.query("SELECT name FROM pragma_module_list");
  const std::lock_guard lock(known().mutex);
  while (st.step()) {
    if (known().names.contains(st.str(0))) out.push_back(st.str(0));
  }
  return out;
}

ViewDoc computed_table_doc(const ComputedTable& table) {
  ViewDoc out = {.name = table.name, .description = table.description, .columns = {}};
  for (const ComputedColumn& c : table.columns) out.columns.push_back({c.name, c.type, c.description});
  return out;
}

}  // namespace et::inspector
