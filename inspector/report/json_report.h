// The main report as JSON: a contract, described by docs/json-schema-1.json. Change it only by adding.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/analysis/ops/summary.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct JsonReportInput {
  const OpTable* table = nullptr;    // as load_op_table: blocks and sums
  const OpTable* shown = nullptr;    // as load_shown_ops: costs of executions on a basis
  const OpTable* grouped = nullptr;  // one of the two: what groups are of
  const TraceFacts* summary = nullptr;
  std::vector<size_t> ops;  // which, in which order
  const Filter* filter = nullptr;
  std::optional<GroupBy> group_by;
  PathMaps source_maps = {};
  bool samples = false, values = false;
};

/// Appends the report. Reads samples and values from the store op by op.
/// Errors: AccessFailed or InvalidExternalData when the store cannot be read.
Status write_json_report(const Store& store, const JsonReportInput& input, std::string* out);

}  // namespace et::inspector
