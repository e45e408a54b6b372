#include "inspector/report/dataset/dataset.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/hex.h"
#include "base/sha256.h"
#include "inspector/report/dataset/dataset_parts.h"
#include "inspector/report/dataset/dataset_views.h"
#include "inspector/report/dataset/redaction.h"

namespace et::inspector {
namespace {

constexpr size_t kBatchRows = 32 * 1024;

/// SQLite decides the type of each cell; here the column does.
void add_cell(DataColumn* column, const Statement& row, int c) {
  if (row.is_null(c)) return column->add_null();
  switch (column->kind()) {
    case ColumnKind::Integer:
      return column->add(row.integer(c));
    case ColumnKind::Real:  // results of et-check have NaN as a text
      return column->add(row.type(c) == SQLITE_TEXT ? std::strtod(row.str(c).c_str(), nullptr) : row.real(c));
    case ColumnKind::Blob: {
      const auto blob = row.blob(c);
      return column->add_bytes({reinterpret_cast<const char*>(blob.data()), blob.size()}, ColumnKind::Blob);
    }
    case ColumnKind::Text:
    case ColumnKind::Null:
      return column->add_bytes(row.text(c), ColumnKind::Text);
  }
}

/// The rows of a view, partition by partition, batch by batch.
class Rows {
 public:
  Rows(Statement statement, const DatasetQuery& query, std::string what)
      : statement_(std::move(statement)), query_(query), what_(std::move(what)) {
    more_ = statement_.step();
  }
  bool more() const { return more_; }
  int64_t partition() const { return statement_.integer(0); }
  Status finish() const { return statement_.finish(what_); }

  /// The next batch of a partition, nullptr behind its last one.
  Status next(int64_t part, std::shared_ptr<const TableData>* out) {
    *out = nullptr;
    if (!more_ || partition() != part) return more_ ? Status() : finish();
    auto batch = std::make_shared<TableData>();
    for (const DatasetColumn& c : query_.columns) batch->columns.emplace_back(c.name, c.kind);
    while (more_ && partition() == part && batch->rows < kBatchRows) {
      for (size_t c = 0; c < batch->columns.size(); ++c)
        add_cell(&batch->columns[c], statement_, static_cast<int>(c) + 1);
      ++batch->rows;
      more_ = statement_.step();
    }
    *out = std::move(batch);
    return more_ ? Status() : finish();
  }

 private:
  Statement statement_;
  const DatasetQuery& query_;
  std::string what_;
  bool more_ = false;
};

void redact_cell(sqlite3_context* context, int, sqlite3_value** values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return sqlite3_result_null(context);
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  const std::string_view view(text == nullptr ? "" : text, static_cast<size_t>(sqlite3_value_bytes(values[0])));
  const std::string& hash = static_cast<Redaction*>(sqlite3_user_data(context))->of(view);
  sqlite3_result_text(context, hash.data(), static_cast<int>(hash.size()), SQLITE_TRANSIENT);
}

/// The SQL function fleet_redact, while it lives.
class RedactFunction {
 public:
  RedactFunction(Store& store, Redaction* redaction) : store_(store) {
    sqlite3_create_function(store.db(), "fleet_redact", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, redaction, redact_cell,
                            nullptr, nullptr);
  }
  ~RedactFunction() {
    sqlite3_create_function(store_.db(), "fleet_redact", 1, SQLITE_UTF8, nullptr, nullptr, nullptr, nullptr);
  }
  RedactFunction(const RedactFunction&) = delete;
  RedactFunction& operator=(const RedactFunction&) = delete;

 private:
  Store& store_;
};

/// Files of the same traces have the same name, whoever writes them.
std::string file_name(const std::set<std::string>& hashes) {
  std::string all;
  for (const std::string& hash : hashes) all += hash;
  return "part-" + hex_text(et::sha256({reinterpret_cast<const uint8_t*>(all.data()), all.size()})).substr(0, 20) +
         ".parquet";
}

std::string folder_of(const DatasetView& view, const DatasetPartition& p) {
  return std::string(view.name) + "/date=" + partition_text(p.date) + "/device=" + partition_text(p.device) +
         "/build=" + partition_text(p.build);
}

Status write_view(Store& store, const DatasetView& view, const DatasetQuery& query, const DatasetParts& parts,
                  const std::string& staging, DatasetFile file, const std::string& name, const DatasetWriter& writer,
                  DatasetResult* result) {
  Statement statement;
  Status status = store.prepare(query.sql, &statement);
  if (!status.ok()) return status;
  Rows rows(std::move(statement), query, view.name);
  if (!rows.more()) return rows.finish();
  for (const DatasetColumn& c : query.columns) {
    if (!c.list_type.empty()) file.lists.emplace_back(c.name, c.list_type);
  }
  file.metadata.emplace_back("et_inspect.view", view.name);
  while (rows.more()) {
    const int64_t part = rows.partition();
    const std::filesystem::path folder =
        std::filesystem::path(staging) / folder_of(view, parts.partitions().at(static_cast<size_t>(part)));
    std::error_code ec;
    std::filesystem::create_directories(folder, ec);
    if (ec) return {Error::AccessFailed, folder.string() + ": cannot create the folder: " + ec.message()};
    file.path = (folder / name).string();
    std::shared_ptr<const TableData> first;
    status = rows.next(part, &first);
    if (!status.ok()) return status;
    ArrowArrayStream stream;
    open_arrow_stream(
        first, [&rows, part](std::shared_ptr<const TableData>* out) { return rows.next(part, out); }, &stream);
    first = nullptr;
    status = writer(file, &stream);
    if (stream.release != nullptr) stream.release(&stream);
    if (!status.ok()) return status;
    ++result->files;
  }
  return {};
}

bool of_checks(const DatasetView& view) {
  return view.of == DatasetView::Of::CheckRun || view.of == DatasetView::Of::CheckCase;
}

}  // namespace

Status stage_dataset(Store& store, const std::vector<int64_t>& traces, const DatasetOptions& options,
                     const std::set<std::string>& known, const std::string& staging, const DatasetWriter& writer,
                     DatasetResult* result) {
  Redaction redaction(options.key);
  const RedactFunction function(store, &redaction);
  DatasetParts parts(store);
  DatasetResult found;
  Status status = parts.make(traces, options, known, &found);
  result->skipped += found.skipped;
  if (!status.ok() || found.hashes.empty()) return status;
  std::vector<ViewDoc> docs;
  status = schema_doc(&docs);
  if (!status.ok()) return status;
  DatasetFile file;
  file.metadata = {{"et_inspect.schema_version", kDatasetVersion}, {"et_inspect.sketch", "ddsketch gamma=1.02"}};
  if (redaction.active()) file.metadata.emplace_back("et_inspect.redacted_with", redaction.key_id());
  const std::string name = file_name(found.hashes);
  for (const DatasetView& view : dataset_views()) {
    if (std::string_view(view.name) == "samples" && !options.samples) continue;
    if (of_checks(view) ? found.checks == 0 : found.traces == 0) continue;
    const DatasetQuery query = dataset_query(view, docs, redaction.active());
    status = write_view(store, view, query, parts, staging, file, name, writer, &found);
    if (!status.ok()) return status;
  }
  result->traces += found.traces;
  result->checks += found.checks;
  result->files += found.files;
  result->hashes.merge(found.hashes);
  return {};
}

}  // namespace et::inspector
