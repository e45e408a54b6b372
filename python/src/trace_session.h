// One trace of a store, opened for Python: one thread at a time is in it, the interpreter's lock is free meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "inspector/ingest/ingest.h"
#include "inspector/store/store.h"
#include "inspector/store/table_data.h"

namespace et::python {

using inspector::TableData;

/// A value for SQL.
struct SqlValue {
  enum class Kind : uint8_t { Null, Integer, Real, Text, Blob } kind = Kind::Null;
  int64_t integer = 0;
  double real = 0;
  std::string bytes;
};
struct SqlParameters {
  std::vector<SqlValue> by_position;
  std::vector<std::pair<std::string, SqlValue>> by_name;
  bool named = false;
};

class TraceSession {
 public:
  /// `store`: its path, "" to keep the trace in memory. `notes`: what was found beside the files, a line each.
  Status import_files(inspector::IngestInputs inputs, const std::string& store, bool neighbours,
                      const inspector::Progress& progress);
  /// store.db, store.db#3, store.db#name, store.db@latest.
  Status open_stored(const std::string& address);

  /// `body(store)` while no other thread is in. Errors: InvalidState after close().
  Status with_store(const std::function<Status(inspector::Store&)>& body);
  /// Reads with a statement of a person's own. `interrupted` is asked often.
  Status query(const std::string& sql, const SqlParameters& parameters, const std::function<bool()>& interrupted,
               std::shared_ptr<TableData>* out);
  void close();
  bool closed();

  int64_t trace_id() const { return trace_id_; }
  const std::string& store_path() const { return store_path_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::mutex mutex_;
  bool open_ = false;
  inspector::Store store_;
  int64_t trace_id_ = 0;
  std::string store_path_;
  std::vector<std::string> notes_;
};

}  // namespace et::python
