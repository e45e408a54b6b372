// Which traces of a store go into which partition of a data set, as temporary tables that the statements of
// dataset_views.h join.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "inspector/report/dataset/dataset.h"

namespace et::inspector {

struct DatasetPartition {
  std::string date, device, build;
};

/// Makes fleet_part (a trace each), fleet_check (a call of et-check each) and fleet_partition, and lets fleet_traces
/// speak of these traces alone. The destructor removes them.
class DatasetParts {
 public:
  explicit DatasetParts(Store& store) : store_(store) {}
  ~DatasetParts();
  DatasetParts(const DatasetParts&) = delete;
  DatasetParts& operator=(const DatasetParts&) = delete;

  Status make(const std::vector<int64_t>& traces, const DatasetOptions& options, const std::set<std::string>& known,
              DatasetResult* result);
  const std::vector<DatasetPartition>& partitions() const { return partitions_; }

 private:
  Status shadow_tables(const std::vector<int64_t>& traces, const DatasetOptions& options);
  Status number_traces(const DatasetOptions& options, const std::set<std::string>& known, DatasetResult* result);
  Status number_checks(const DatasetOptions& options, const std::set<std::string>& known, DatasetResult* result);
  Status number_partitions();

  Store& store_;
  std::vector<DatasetPartition> partitions_;
};

/// A value as a part of a folder's name, "device=Pixel%208": engines decode it again.
std::string partition_text(const std::string& value);

}  // namespace et::inspector
