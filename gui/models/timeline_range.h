// The table of a range: the ops of TraceData::shown, so that it says what Overview and Operators say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/core/trace_data.h"
#include "inspector/analysis/timeline/timeline_range.h"

namespace et::gui {

/// An op in a range, however many blocks it is part of.
struct RangeRow {
  int32_t op = 0;  ///< index into TraceData::table.ops
  int64_t count = 0, total = 0, self = 0;
  std::optional<double> share;  ///< self, of the executions' time in the range; none for what runs outside of them
};

struct RangeTable {
  std::vector<RangeRow> rows;  ///< what runs in executions first, then by self time
  int64_t executions = 0;      ///< time of the range in executions
};

/// Where an op is in the model: what tells ops of one name apart. Empty without a node.
struct RangePlace {
  std::string module, line;  ///< "layers.1.mlp.fc1", "modeling_vit.py:250"
};
RangePlace range_place(const TraceData& data, int32_t op);

/// Rows of one name, or of one module, and their sums.
enum class RangeGrouping : uint8_t { None, Name, Module };
struct RangeGroup {
  std::string name;           ///< "aten.mm"; "layers.1.mlp"; "(no module)"
  std::vector<int32_t> rows;  ///< of RangeTable::rows, in their order
  int64_t count = 0, total = 0, self = 0;
  std::optional<double> share;  ///< as that of a row
  int64_t ops = 0;              ///< a call and its kernel are one
};
/// By self time; what runs outside of executions last. Nothing with None.
std::vector<RangeGroup> range_groups(const TraceData& data, const RangeTable& table, RangeGrouping by);

/// From TraceData::shown where the data are of that range; until these are read, from `statistics`.
RangeTable range_table(const TraceData& data, const inspector::RangeStatistics& statistics);
std::string range_csv_of(const TraceData& data, const RangeTable& table, int64_t outside);

}  // namespace et::gui
