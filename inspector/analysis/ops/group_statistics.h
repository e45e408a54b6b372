// How long the ops of a group take together in an execution: mean and percentiles over the warm executions. Worked out
// from the samples: percentiles of ops do not add up to those of their sum.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Of exclusive times, in ticks. Nothing is known of a group whose ops ran in no execution of a method. Of a group with
/// ops of several methods the mean is that of one execution of each, as its cost is; percentiles it has none.
struct GroupStatistics {
  bool known = false;      // its samples were read
  int64_t executions = 0;  // warm ones of the methods that have an op of the group
  int64_t methods = 0;     // of which it has ops that ran in them
  std::optional<double> mean, p50, p99, max;
};

/// One for each row, in their order. `table` is the one that the rows were made from. Reads the samples of each group's
/// ops and of what these enclose; memory grows with the executions. `stop` is asked between groups.
/// Errors: AccessFailed or InvalidExternalData (damaged store).
Status group_statistics(const Store& store, const OpTable& table, const std::vector<GroupRow>& rows,
                        const std::function<bool()>& stop, std::vector<GroupStatistics>* out);

}  // namespace et::inspector
