// The table of operators: which ops are shown in what order, or what they cost in groups. Made in a job whenever the
// trace or the question changes; a frame only reads it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/document.h"
#include "gui/core/jobs.h"
#include "gui/core/selection.h"
#include "gui/models/op_shapes.h"
#include "gui/models/operators_columns.h"
#include "inspector/analysis/ops/group_statistics.h"
#include "inspector/analysis/ops/op_count.h"

namespace et::gui {

enum class GroupColumn : uint8_t {
  Key,
  Backend,
  Shapes,
  Detail,
  Ops,
  Samples,
  Self,
  Share,
  Mean,
  P50,
  P99,
  Max,
  Cold,
  Inner
};
constexpr size_t kGroupColumns = static_cast<size_t>(GroupColumn::Inner) + 1;
const char* group_column_title(GroupColumn column, inspector::GroupBy by);
/// nullptr where the title says all.
const char* group_column_help(GroupColumn column);

/// The ops of one group, where no filter says which they are.
struct OpsOfGroup {
  std::string name;
  std::vector<int32_t> ops = {};  ///< indices into TraceData::table.ops, ascending; empty: all ops
  bool operator==(const OpsOfGroup&) const = default;
};

struct OperatorsQuery {
  std::string filter;                            ///< as inspector/analysis/ops/filter.h
  OpsOfGroup only = {};                          ///< of single ops, these alone
  std::optional<std::string> method = {};        ///< ops of that alone, with shares of its execution
  std::optional<inspector::GroupBy> group = {};  ///< without: single ops
  bool by_shapes = false;                        ///< by type: ops of other shapes are a row of their own
  bool repeats = false;                          ///< by module: those that are one thing repeated are one row
  OpColumn sort = OpColumn::Self;
  GroupColumn group_sort = GroupColumn::Self;
  bool descending = true;
  bool all_blocks = false;  ///< those of loading, too; in no sum
  bool operator==(const OperatorsQuery&) const = default;
  /// With the method: what ops are asked for.
  std::string whole_filter() const;
};

/// Methods of which executions are shown, in their order.
std::vector<std::string> methods_that_ran(const inspector::OpTable& table);

/// A group with the times that its ops take together in an execution, once they were read.
struct OperatorsGroup : inspector::GroupRow {
  inspector::GroupStatistics times = {};
  int64_t shown_samples = 0;              ///< of `samples`, those of the executions that the basis is of
  int32_t costliest = -1;                 ///< of its ops, an index into TraceData::table.ops
  std::optional<double> cold = {};        ///< of the first execution, as `self`
  std::string runs_in = {};               ///< backends, the costliest first: "Xnnpack, kernels"; "" of no op's time
  std::vector<std::string> members = {};  ///< modules that it stands for, where these are several
  /// Where set, it has of the key's ops those alone that run in that backend ("": in kernels), or of such shapes.
  std::optional<std::string> backend = {}, shapes = {};

  /// Of all rows of a question, its own.
  std::string id() const;
  /// Of the key's ops it has only some.
  bool is_part() const { return backend.has_value() || shapes.has_value(); }
};
/// What that row has of an op's time, from 0 to 1; `op`: an index into TraceData::table.ops.
double part_in_row(const TraceData& data, const OpShapes& shapes, inspector::GroupBy by, const OperatorsGroup& row,
                   int32_t op);
/// The ops and nodes of a row; none where they are no part of the graph, or of loading alone.
Selection select_row(const TraceData& data, const OpShapes& shapes, inspector::GroupBy by, const OperatorsGroup& row);

/// Times of the groups that a question has, by name.
struct GroupTimes {
  const TraceData* data = nullptr;
  std::string filter;  ///< OperatorsQuery::whole_filter()
  std::optional<inspector::GroupBy> group;
  bool by_shapes = false, repeats = false;
  std::map<std::pair<bool, std::string>, inspector::GroupStatistics> of;  ///< by OperatorsGroup::id()
  bool answers(const TraceData& of_data, const OperatorsQuery& query) const {
    return data == &of_data && filter == query.whole_filter() && group == query.group && by_shapes == query.by_shapes &&
           repeats == query.repeats;
  }
};
/// Errors: as group_statistics.
Status load_group_times(const inspector::Store& store, const TraceData& data, const OperatorsQuery& query,
                        const Cancel& cancel, GroupTimes* out);

struct OperatorsView {
  OperatorsQuery query;
  Status status;                       ///< of the filter; of a wrong one the terms that are right are applied
  std::vector<int32_t> ops;            ///< indices into TraceData::table.ops, without `query.group`
  std::vector<OperatorsGroup> groups;  ///< with it
  double total = 0;                    ///< of all executions, of the query's method, in ticks
  double base = 0;                     ///< what shares are of: inspector::share_basis()
  double calling = 0;                  ///< of `shown`: calls of kernels, which have no rows beside these
  inspector::OpCount count = {};       ///< of the rows of single ops
  double shown = 0;                    ///< self time of the rows that belongs to executions
  double hidden = 0;                   ///< that of executions' ops that the filter took out
  int64_t hidden_ops = 0;              ///< their number, as ops are counted everywhere
  bool hides = false;                  ///< the filter takes something out
  double largest_share = 0;            ///< of the rows
  std::string basis;                   ///< what the times are of: OpTable::basis_text(), or that of the method
  bool without_warm = false;           ///< no op has a statistic of warm executions: an older store, or a single run
  OpUnits units;
  bool delegates = false;                       ///< some op of the trace runs in a backend
  std::shared_ptr<const OpShapes> shapes = {};  ///< of the trace

  /// A cell of a column of texts.
  std::string text_of(const TraceData& data, const inspector::OpEntry& op, OpColumn column) const;
  /// Of an op's row.
  std::optional<double> share_of(const TraceData& data, const inspector::OpEntry& op) const;
};
/// `times`: null until they were read; `shapes`: null where they are not at hand.
OperatorsView make_operators_view(const TraceData& data, const OperatorsQuery& query, const GroupTimes* times = nullptr,
                                  std::shared_ptr<const OpShapes> shapes = nullptr);
/// What is selected, as ops that are shown alone: of `least` rows or more, else none.
OpsOfGroup only_selected(const TraceData& data, const Selection& selection, size_t least = 2);
/// The terms of a filter that are right, one by one.
std::string right_terms(const std::string& filter);

/// Rows and columns as CSV with a header line: times in the trace's unit, shares from 0 to 1.
std::string operators_csv(const TraceData& data, const OperatorsView& view, const std::vector<OpColumn>& columns);

/// Keeps a view up to date.
class OperatorsModel {
 public:
  OperatorsQuery query;
  /// Asks again when the trace or the query changed; the old view stays until the new one is there.
  void refresh(const Document& document, Jobs& jobs);
  const OperatorsView& view() const { return view_; }
  /// Trace that the view belongs to, null before the first one.
  const TraceData* data() const { return data_.get(); }
  bool reading() const { return reading_ || reading_times_; }
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
  void read_times(const Document& document, Jobs& jobs);

  bool reading_ = false, reading_times_ = false;
  std::shared_ptr<const GroupTimes> times_;
  std::shared_ptr<const OpShapes> shapes_;
  const TraceData* shapes_of_ = nullptr;
  OperatorsQuery times_asked_;
  uint64_t times_version_ = 0;
  JobHandle job_, times_job_;
};

}  // namespace et::gui
