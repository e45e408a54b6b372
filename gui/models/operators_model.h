// The table of operators: which ops are shown in what order, or what they cost in groups. Made in a job whenever the
// trace or the question changes; a frame only reads it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/core/document.h"
#include "gui/core/jobs.h"
#include "gui/models/operators_columns.h"
#include "inspector/analysis/ops/group.h"

namespace et::gui {

enum class GroupColumn : uint8_t { Key, Detail, Ops, Samples, Self, Share, Inner };
constexpr size_t kGroupColumns = static_cast<size_t>(GroupColumn::Inner) + 1;
const char* group_column_title(GroupColumn column, inspector::GroupBy by);

struct OperatorsQuery {
  std::string filter;                            ///< as inspector/analysis/ops/filter.h
  std::optional<inspector::GroupBy> group = {};  ///< without: single ops
  OpColumn sort = OpColumn::Self;
  GroupColumn group_sort = GroupColumn::Self;
  bool descending = true;
  bool all_blocks = false;  ///< those of loading, too; in no sum
  bool operator==(const OperatorsQuery&) const = default;
};

struct OperatorsView {
  OperatorsQuery query;
  Status status;                            ///< of the filter; rows are empty when it is wrong
  std::vector<int32_t> ops;                 ///< indices into TraceData::table.ops, without `query.group`
  std::vector<inspector::GroupRow> groups;  ///< with it
  double total = 0;                         ///< of all executions, in ticks
  double shown = 0;                         ///< self time of the rows that belongs to executions
  double hidden = 0;                        ///< that of executions' ops that the filter took out
  int64_t hidden_ops = 0;                   ///< their number
  OpUnits units;
};
OperatorsView make_operators_view(const TraceData& data, const OperatorsQuery& query);

/// Rows and columns as CSV with a header line: times in the trace's unit, shares from 0 to 1.
std::string operators_csv(const TraceData& data, const OperatorsView& view, const std::vector<OpColumn>& columns);

/// A filter that leaves only the ops of a group; nullopt where no filter can say that.
std::optional<std::string> filter_of_group(inspector::GroupBy by, const inspector::GroupRow& row);

/// Keeps a view up to date.
class OperatorsModel {
 public:
  OperatorsQuery query;
  /// Asks again when the trace or the query changed; the old view stays until the new one is there.
  void refresh(const Document& document, Jobs& jobs);
  const OperatorsView& view() const { return view_; }
  /// Trace that the view belongs to, null before the first one.
  const TraceData* data() const { return data_.get(); }
  bool reading() const { return reading_; }
  /// Grows with each new view.
  uint64_t version() const { return version_; }
  /// Row of an op in the view, -1 when it is not shown.
  int32_t row_of(int32_t op) const;

 private:
  OperatorsView view_;
  std::shared_ptr<const TraceData> data_;
  std::vector<int32_t> rows_;  // by op
  OperatorsQuery asked_;
  uint64_t asked_version_ = 0, version_ = 0;
  bool reading_ = false;
  JobHandle job_;
};

}  // namespace et::gui
