// Stores as a data set in Parquet: the views of the contract, partitioned by day, device and build, for engines that a
// laptop's store is too small for. docs/fleet.md says what is in it. The files themselves are written by whom the
// caller names: the command loads Arrow's C++ library when it is asked to, Python has it already.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "inspector/store/arrow_stream.h"
#include "inspector/store/store.h"

namespace et::inspector {

constexpr const char* kDatasetVersion = "1";

struct DatasetOptions {
  bool samples = false;             ///< every measurement, too; sketches are always there
  std::string date, device, build;  ///< of all traces, where not ""
  std::string key;                  ///< --redact: what private texts are hashed with, "" leaves them
};

/// A file to be written, and how.
struct DatasetFile {
  std::string path;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<std::pair<std::string, std::string>> lists;  ///< columns of JSON, and the Arrow type that they become
  int64_t row_group_rows = 64 * 1024;
};
/// Writes and closes a file; what it takes of the stream it releases.
using DatasetWriter = std::function<Status(const DatasetFile&, ArrowArrayStream*)>;

/// What went into a folder.
struct DatasetResult {
  int64_t traces = 0, skipped = 0, checks = 0, files = 0;
  std::set<std::string> hashes;  ///< of traces and results of et-check that are new
};

/// Writes the traces of a store (all, or those of `traces`) that `known` does not have into `staging`, folders as in a
/// data set. Errors: those of the writer, InvalidExternalData for a damaged store.
Status stage_dataset(Store& store, const std::vector<int64_t>& traces, const DatasetOptions& options,
                     const std::set<std::string>& known, const std::string& staging, const DatasetWriter& writer,
                     DatasetResult* result);

}  // namespace et::inspector
