#include "python/src/trace_session.h"

#include <unistd.h>

#include "inspector/analysis/ops/kept_executions.h"
#include "inspector/analysis/tables/analysis_tables.h"
#include "inspector/ingest/neighbours.h"
#include "inspector/store/file_kind.h"
#include "inspector/store/line_rule.h"
#include "inspector/store/sql_guard.h"
#include "inspector/store/trace_ref.h"

namespace et::python {

using inspector::Store;

namespace {

/// Asks between SQLite's steps whether to go on.
class StepWatch {
 public:
  StepWatch(sqlite3* db, const std::function<bool()>& interrupted) : db_(db) {
    constexpr int kSteps = 50'000;
    sqlite3_progress_handler(
        db_, kSteps, [](void* f) { return (*static_cast<const std::function<bool()>*>(f))() ? 1 : 0; },
        const_cast<std::function<bool()>*>(&interrupted));
  }
  ~StepWatch() { sqlite3_progress_handler(db_, 0, nullptr, nullptr); }
  StepWatch(const StepWatch&) = delete;
  StepWatch& operator=(const StepWatch&) = delete;

 private:
  sqlite3* db_;
};

void bind_value(inspector::Statement& statement, int at, const SqlValue& value) {
  switch (value.kind) {
    case SqlValue::Kind::Null:
      return statement.bind(at, nullptr);
    case SqlValue::Kind::Integer:
      return statement.bind(at, value.integer);
    case SqlValue::Kind::Real:
      return statement.bind(at, value.real);
    case SqlValue::Kind::Text:
      return statement.bind(at, value.bytes);
    case SqlValue::Kind::Blob:
      return statement.bind(
          at, std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(value.bytes.data()), value.bytes.size()));
  }
}

/// Every parameter of the statement gets a value; :trace is the number of the trace unless it is given.
Status bind_parameters(inspector::Statement& statement, const SqlParameters& parameters, int64_t trace_id) {
  const int count = sqlite3_bind_parameter_count(statement.raw());
  int unnamed = 0, named_before = 0;  // parameters are counted by SQLite, those with a name, too
  for (int i = 1; i <= count; ++i) {
    const char* given = sqlite3_bind_parameter_name(statement.raw(), i);
    const std::string name = given == nullptr || given[0] == '?' ? "" : given + 1;
    const SqlValue* value = nullptr;
    if (!name.empty()) {
      for (const auto& [key, v] : parameters.by_name) {
        if (key == name) value = &v;
      }
      ++named_before;
      if (value == nullptr && name == "trace") {
        statement.bind(i, trace_id);
        continue;
      }
      if (value == nullptr) return {Error::InvalidArgument, std::string("SQL: parameter ") + given + " has no value"};
    } else {
      ++unnamed;
      const size_t at = static_cast<size_t>(i - 1 - named_before);
      if (at >= parameters.by_position.size()) {
        return {Error::InvalidArgument, "SQL: expected " + std::to_string(count - named_before) + " parameters, got " +
                                            std::to_string(parameters.by_position.size())};
      }
      value = &parameters.by_position[at];
    }
    bind_value(statement, i, *value);
  }
  if (!parameters.named && parameters.by_position.size() > static_cast<size_t>(unnamed)) {
    return {Error::InvalidArgument, "SQL: expected " + std::to_string(unnamed) + " parameters, got " +
                                        std::to_string(parameters.by_position.size())};
  }
  return {};
}

Status sql_failure(const Store& store, const std::string& sql) {
  const inspector::SqlProblem problem = inspector::sql_problem(store, sql, 0);
  std::string text = "SQL: " + problem.text;
  if (problem.line > 0) {
    text += " (line " + std::to_string(problem.line) + ", column " + std::to_string(problem.column) + ")";
  }
  return {problem.damaged ? Error::InvalidExternalData : Error::InvalidArgument, text};
}

}  // namespace

Status TraceSession::import_files(inspector::IngestInputs inputs, const std::string& store, bool neighbours,
                                  const inspector::Progress& progress) {
  const std::lock_guard lock(mutex_);
  inspector::SortedFiles files;
  files.inputs = std::move(inputs);
  if (neighbours) inspector::find_neighbours(&files, true, &notes_);
  const bool fresh = !store.empty() && inspector::file_kind(store) == inspector::FileKind::Missing;
  Status status = Store::open(store, store.empty() ? Store::Mode::Memory : Store::Mode::ReadWrite, &store_);
  if (!status.ok()) return status;
  inspector::IngestResult result;
  status = inspector::ingest_found(store_, &files.inputs, progress, &result, &notes_);
  if (status.ok() && !store.empty()) status = inspector::keep_executions(store_, result.trace_id);
  if (!status.ok()) {
    store_ = Store();
    if (fresh) ::unlink(store.c_str());  // nothing is left of a failed import
    return status;
  }
  if (const std::string found = inspector::found_text(files.inputs); !found.empty()) notes_.push_back(found);
  trace_id_ = result.trace_id;
  store_path_ = store;
  open_ = true;
  (void)inspector::show_lines(store_, trace_id_, inspector::LineRule::Auto);  // a damaged store is told by who reads it
  return {};
}

Status TraceSession::open_stored(const std::string& address) {
  const std::lock_guard lock(mutex_);
  inspector::TraceRef ref;
  Status status = inspector::parse_trace_ref(address, &ref);
  if (status.ok()) status = Store::open(ref.path, Store::Mode::ReadOnly, &store_);
  if (status.ok()) status = inspector::resolve_trace(store_, ref, &trace_id_);
  if (!status.ok()) {
    store_ = Store();
    return status;
  }
  store_path_ = ref.path;
  open_ = true;
  (void)inspector::show_lines(store_, trace_id_, inspector::LineRule::Auto);
  return {};
}

Status TraceSession::with_store(const std::function<Status(Store&)>& body) {
  const std::lock_guard lock(mutex_);
  if (!open_) return {Error::InvalidState, "trace: it is closed"};
  return body(store_);
}

Status TraceSession::query(const std::string& sql, const SqlParameters& parameters,
                           const std::function<bool()>& interrupted, std::shared_ptr<TableData>* out) {
  return with_store([&](Store& store) -> Status {
    inspector::add_analysis_tables(store);
    const inspector::SqlGuard guard(store);
    const StepWatch watch(store.db(), interrupted);
    sqlite3_stmt* raw = nullptr;
    const char* tail = nullptr;
    if (sqlite3_prepare_v2(store.db(), sql.data(), static_cast<int>(sql.size()), &raw, &tail) != SQLITE_OK) {
      return sql_failure(store, sql);
    }
    inspector::Statement statement(raw, store.db());
    if (raw == nullptr) return {Error::InvalidArgument, "SQL: it is empty"};
    const std::string_view rest = std::string_view(sql).substr(static_cast<size_t>(tail - sql.data()));
    sqlite3_stmt* more = nullptr;
    const int again = sqlite3_prepare_v2(store.db(), rest.data(), static_cast<int>(rest.size()), &more, nullptr);
    const bool several = again != SQLITE_OK || more != nullptr;
    sqlite3_finalize(more);
    if (several) return {Error::InvalidArgument, "SQL: expected one statement, got several"};
    if (Status status = bind_parameters(statement, parameters, trace_id_); !status.ok()) return status;
    inspector::clear_statement_failure();
    *out = read_table(statement);
    if (Status status = statement.finish("rows"); !status.ok()) return sql_failure(store, sql);
    return {};
  });
}

void TraceSession::close() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  store_ = Store();
}

bool TraceSession::closed() {
  const std::lock_guard lock(mutex_);
  return !open_;
}

}  // namespace et::python
