// The panel Compare: what diff_traces found, as rows that can be filtered and sorted, and both typical executions as
// lanes whose slices know their group. Figures are those of `et-inspect diff`.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/core/comparison.h"
#include "gui/core/selection.h"
#include "inspector/analysis/diff/diff_shares.h"
#include "inspector/analysis/diff/diff_text.h"
#include "inspector/text/format.h"

namespace et::gui {

/// Slight: too little to matter, sure or not. Noise: the intervals of both medians overlap. TooFew: no interval.
enum class CompareFilter : uint8_t { All, Slower, Faster, Slight, Noise, TooFew, Added, Removed, Moved, Delegate };
inline constexpr size_t kCompareFilters = 10;
const char* compare_filter_name(CompareFilter filter);

/// Size: of the change, whatever its sign.
enum class CompareSort : uint8_t { Size, Op, Before, After, Change, Relative, Verdict, Delegate, Line, Module, Method };

struct CompareQuery {
  std::string text;  ///< in the title, line, module, method or delegate, whatever its case
  CompareFilter filter = CompareFilter::All;
  CompareSort sort = CompareSort::Size;
  bool descending = true;
  std::optional<std::string> method = {};  ///< of that alone
  std::optional<std::string> type = {};    ///< of that operator type alone (DiffGroup::type)
  bool operator==(const CompareQuery&) const = default;
};

/// Rows that have something in common, and their sums.
enum class CompareGrouping : uint8_t { None, Type, Module, Line };
struct CompareBand {
  std::string name;           ///< "aten.linear", "encoder.0", "model.py:12"; what has none stands for itself
  std::vector<int32_t> rows;  ///< in the order of rows()
  double before = 0, after = 0;
  int64_t slower = 0, faster = 0;  ///< surely, with what is added or removed

  double change() const { return after - before; }
  /// "12 faster, 1 slower"; "" where nothing of it is sure.
  std::string verdict() const;
};

/// Time of a group's ops without a pause, from the execution's begin.
struct CompareSlice {
  int64_t begin = 0, end = 0;
  int32_t group = -1;    ///< index in TraceDiff::groups
  int32_t partner = -1;  ///< the slice of the other side that does the same, by order
  double times = 0;      ///< how many times as long as usual its group took in this execution, where that is far off
};

struct CompareLane {
  int64_t number = -1;  ///< of the execution; -1: the method did not run on this side
  int64_t duration = 0;
  bool is_usual = false;            ///< the slices are as long as their ops usually take, laid end to end
  double usual = 0;                 ///< what the basis says of the executions; 0 where it says nothing
  std::vector<CompareSlice> own;    ///< one after the other
  std::vector<CompareSlice> calls;  ///< of delegates

  /// The nearest one to the basis is not near it: how many times as long; 0 for a typical one.
  double untypical() const;
  int64_t far_groups() const;  ///< of which the ops took far more or less than usual
};

struct CompareMethod {
  std::string name;
  CompareLane before, after;
  int64_t extent() const;
};

/// A line of what changed beside times.
struct CompareFact {
  std::string section, what, before, after, change;
};

class CompareModel {
 public:
  void set(std::shared_ptr<const ComparedTraces> compared);
  const ComparedTraces* compared() const { return compared_.get(); }
  const inspector::TraceDiff& diff() const { return compared_->diff; }
  const inspector::DiffGroup& group(int32_t g) const { return compared_->diff.groups[static_cast<size_t>(g)]; }
  const inspector::TimeUnit& unit() const { return unit_; }

  CompareQuery query;
  /// The lanes are of usual times where the basis has such; else of the executions that are nearest to it.
  bool usual_times = true;
  bool has_usual_times() const { return !usual_methods_.empty(); }
  /// Groups as the query wants them. The same vector until it changes.
  const std::vector<int32_t>& rows();
  /// Of rows(), by the size of their change.
  std::vector<CompareBand> bands(CompareGrouping by);
  /// How many rows a filter would leave, whatever the text.
  int64_t count(CompareFilter filter) const { return counts_[static_cast<size_t>(filter)]; }
  bool has_several_methods() const { return compared_ != nullptr && compared_->diff.methods.size() > 1; }

  /// "slower", "within noise", "same, moved".
  std::string verdict(int32_t g) const;
  /// Without the variation, which no op has: next to it no bar would be seen.
  double largest_change() const { return largest_; }
  /// The ratio at the edge of the intervals' scale: what most of them and those of sure changes fit into, from 1.1
  /// to 4.
  double interval_scale() const { return interval_scale_; }
  bool has_delegates() const { return has_delegates_; }
  bool has_intervals() const { return has_intervals_; }
  bool is_moved(int32_t g) const { return !group(g).was_place.empty(); }

  /// The group of an op of the open trace (index in TraceData::table), -1 for none.
  int32_t group_of(int32_t table_op) const;
  /// The group that a selection is in, of several the one that changed most; -1 for none.
  int32_t group_of(const Selection& selection) const;
  /// All groups that a selection has ops of, sorted.
  std::vector<int32_t> groups_of(const Selection& selection) const;
  /// The costliest op of the group in the open trace; None where only the other one has it.
  Selection selection_of(int32_t g) const;
  /// Label and value, for tooltips.
  using Facts = std::vector<std::pair<std::string, std::string>>;
  Facts facts(int32_t g) const;
  /// The same of a slice of the method's lanes: what itself took stands first. `call`: a delegate's, whole.
  Facts slice_facts(const CompareMethod& method, const CompareSlice& slice, bool after, bool call) const;
  /// "+4.0% to +8.0%", where the ratio of the medians lies; "" without an interval.
  std::string interval_text(int32_t g) const;

  const std::vector<CompareMethod>& methods() const {
    return usual_times && has_usual_times() ? usual_methods_ : methods_;
  }
  /// The method that takes the most time, of those that ran on both sides if there is one; 0 without any.
  size_t first_method() const;
  const std::vector<CompareFact>& changes() const { return changes_; }
  /// The totals of that on one line: "Delegated nodes 0 → 8 of 12  ·  memory plan unchanged  ·  …"; "" when nothing is
  /// known of both.
  const std::string& summary() const { return summary_; }
  const std::vector<inspector::DiffSentence>& sentences() const { return sentences_; }
  const std::vector<inspector::DiffShare>& shares() const { return shares_; }
  /// Instead of those, where several methods ran.
  const std::vector<inspector::MethodShares>& method_shares() const { return method_shares_; }
  /// An ETRecord or program of another model on either side.
  const std::vector<std::string>& errors() const { return errors_; }
  /// Other machines, other models: what makes the comparison doubtful.
  const std::vector<std::string>& warnings() const { return warnings_; }

  std::string csv();
  std::string markdown() const;

 private:
  bool fits(int32_t g, CompareFilter filter) const;
  bool matches(int32_t g, const std::string& text) const;
  void find_scale();
  void map_ops();
  void make_lanes();
  void make_changes();
  void make_summary();

  std::shared_ptr<const ComparedTraces> compared_;
  inspector::TimeUnit unit_;
  std::vector<int32_t> group_of_before_, group_of_after_;  // by op of the side's table
  std::vector<CompareMethod> methods_, usual_methods_;
  std::vector<CompareFact> changes_;
  std::string summary_;
  std::vector<inspector::DiffSentence> sentences_;
  std::vector<inspector::DiffShare> shares_;
  std::vector<inspector::MethodShares> method_shares_;
  std::vector<std::string> errors_;
  std::vector<std::string> warnings_;
  std::array<int64_t, kCompareFilters> counts_{};
  double largest_ = 0, interval_scale_ = 2;
  bool has_delegates_ = false, has_intervals_ = false;
  std::vector<int32_t> rows_;
  CompareQuery made_;
  bool rows_made_ = false;
};

}  // namespace et::gui
