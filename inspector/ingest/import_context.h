// What the importers of one trace share: the store, the trace's number, row numbers and diagnostics.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "inspector/ingest/diagnostics.h"
#include "inspector/ingest/ingest.h"
#include "inspector/ingest/payloads/payload_kinds.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Hands out row numbers of one table, after those in use. Only for the holder of the write transaction.
class RowIds {
 public:
  RowIds(const Store& store, const char* table) {
    Statement st = store.query(std::string("SELECT coalesce(max(id), 0) FROM ") + table);
    if (st.step()) last_ = st.integer(0);
  }
  int64_t next() { return ++last_; }
  int64_t last() const { return last_; }

 private:
  int64_t last_ = 0;
};

/// A bad file is not wrong usage of the command, whatever its reader calls it.
inline Status of_bad_file(Status status) {
  return status.code() == Error::InvalidArgument ? Status(Error::InvalidExternalData, status.message()) : status;
}

struct ImportContext {
  Store& store;
  const IngestInputs& inputs;
  const Progress& progress;
  Diagnostics diagnostics;
  int64_t trace = 0;
  bool cancelled = false;
  std::span<const PayloadKind> payload_kinds = inspector::payload_kinds();

  /// False when the user wants to stop.
  bool report(const char* stage, uint64_t done, uint64_t total) {
    if (progress && !progress(stage, done, total)) cancelled = true;
    return !cancelled;
  }
};

}  // namespace et::inspector
