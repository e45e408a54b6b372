// The delegation map as it is drawn: a strip of instructions for each method, and the table of non-delegated operators.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gui/core/selection.h"
#include "gui/core/trace_data.h"
#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/delegation/what_if.h"

namespace et::gui {

/// One instruction on a strip.
struct StripBox {
  int32_t item = 0;  ///< index into DelegationMap::items
  float x0 = 0, x1 = 0;
};

/// A row of the table: a non-delegated operator, or all of one type.
struct NonDelegatedRow {
  int32_t map = 0;
  std::vector<int32_t> ops;  ///< indices into DelegationMap::non_delegated, the most expensive first; one unless types
  double ns = 0, share = 0;  ///< of an execution of each method, as all rows have: DelegationModel::whole_ns
  int64_t bytes = 0;         ///< to and from delegates; -1 unknown
  std::string reasons;       ///< names of the kinds, the strongest first: "dtype, between delegates"
  std::string said;          ///< DelegationModel::reasons_of(), where it is sorted by that
  std::string module;        ///< of the most expensive one, and in how many others: "layers.0.attention and 5 more"
};

/// What is worth a look in a method, and why.
struct FirstLook {
  std::string what, why;  ///< "aten.where.self (6 operators), 20.9 µs, 3.2 %"; both "" when there is nothing to say
  int32_t item = -1;      ///< to select
};

/// What the column of bytes between operators and delegates adds up to: listed = breaks + outside + again.
struct CrossingSum {
  int64_t listed = 0;   ///< of all operators (`with_free`: views and folded nodes, too); -1 when one is unknown
  int64_t breaks = 0;   ///< in graph breaks, each tensor once in each, as totals have it
  int64_t outside = 0;  ///< of operators in no graph break
  int64_t again = 0;    ///< of tensors that several operators of a break take
};
CrossingSum crossing_sum(const inspector::DelegationMap& map, bool with_free);

/// Operators of a type that no delegate runs: what delegating them would spare at most.
struct TypeBound {
  std::string op;
  int64_t ops = 0;
  double ns = 0, with_above = 0;  ///< with_above: with all types that cost more
  bool product = false;           ///< a matrix product or a convolution
};
/// The most time first; without control flow, and without what has no instruction.
std::vector<TypeBound> type_bounds(const inspector::DelegationMap& map);

/// An item, a break, a bound or a type of a map.
struct PlaceInMap {
  int32_t map = 0, index = 0;
};

/// The lists beside the non-delegated operators, and what they can be sorted by.
enum class PlaceList : uint8_t { Delegates, Breaks, WhatIf, Counts };
enum class PlaceColumn : uint8_t {
  Method,
  Instruction,
  Name,
  Operators,
  Module,
  Part,
  Nodes,
  Payload,
  Calls,
  Time,
  Inside,
  Overhead,
  Reads,
  Produces,
  Moves,
  MoveTime,
  Crossing,
  Reason,
  Computing,
  Breaks,
  Moving,
  AtMost,
  Delegated,
  DelegatedTime,
  NonDelegated,
  NonDelegatedTime
};
struct PlaceOrder {
  PlaceColumn column = PlaceColumn::Time;
  bool descending = true;
  bool operator==(const PlaceOrder&) const = default;
};
constexpr size_t kPlaceLists = 4;

class DelegationModel {
 public:
  enum class Column : uint8_t { Time, Count, Method, Operator, Node, Module, Instruction, Tensor, Bytes, Reasons };

  void set(std::vector<inspector::DelegationMap> maps, std::shared_ptr<const TraceData> data);
  /// The findings: what several operators outside of delegates cost together is looked at before one of them alone.
  void set_advice(std::vector<inspector::Advice> advice) { advice_ = std::move(advice); }
  /// What the maps do not count as time of an op: inspector::left_out_text().
  void set_left_out(std::string text) { left_out_ = std::move(text); }
  const std::string& left_out() const { return left_out_; }
  const std::vector<inspector::DelegationMap>& maps() const { return maps_; }
  const inspector::DelegationMap& map(int32_t index) const { return maps_[static_cast<size_t>(index)]; }
  const inspector::DelegationTotals& totals(int32_t index) const { return totals_[static_cast<size_t>(index)]; }
  const inspector::WhatIfDelegated& what_if(int32_t index) const { return what_if_[static_cast<size_t>(index)]; }
  bool has_graph() const;                                                 ///< of any method
  const std::vector<std::string>& backends() const { return backends_; }  ///< of all maps, in their order
  /// One method only; -1 for all of them.
  void show_map(int32_t index);
  int32_t shown_map() const { return shown_map_; }
  bool shows_map(int32_t index) const { return shown_map_ < 0 || shown_map_ == index; }
  /// Of the shown maps: delegate calls (items), graph breaks, bounds of what delegating more would spare, types of
  /// nodes; the most expensive first unless sorted.
  const std::vector<PlaceInMap>& places(PlaceList list) const { return places_[static_cast<size_t>(list)]; }
  const std::vector<PlaceInMap>& delegates() const { return places(PlaceList::Delegates); }
  const std::vector<PlaceInMap>& breaks() const { return places(PlaceList::Breaks); }
  void sort_places(PlaceList list, PlaceOrder order);
  PlaceOrder order_of(PlaceList list) const { return orders_[static_cast<size_t>(list)]; }
  /// Bounds by the likely reason, else by operator type.
  void bounds_by_reason(bool yes);
  bool are_bounds_by_reason() const { return by_reason_; }
  const inspector::WhatIf& bound(const PlaceInMap& place) const;
  std::string bound_name(const PlaceInMap& place) const;
  /// Short names of the likely reasons of what a bound is of.
  std::string bound_reasons(const PlaceInMap& place) const;
  const inspector::MapBreak& break_at(const PlaceInMap& place) const;
  /// Shows what `other` shows: its order, filter and choices. For a model that is made off the UI thread.
  void choose_as(const DelegationModel& other);

  /// Boxes of all instructions, side by side over `width` pixels; `equal` ones over more when even two pixels for each
  /// are too many. Else widths are in proportion to time, but for those of less than a pixel: short_ones().
  const std::vector<StripBox>& strip(int32_t map, float width);
  /// The width that the strip was laid out for last; asking for another one lays it out again.
  float strip_width(int32_t map) const { return strips_[static_cast<size_t>(map)].width; }
  /// Of that strip, instructions that are drawn wider than their time, so that they can be seen.
  int64_t short_ones(int32_t map) const { return strips_[static_cast<size_t>(map)].short_ones; }
  void set_equal(bool equal);
  bool equal() const { return equal_; }
  /// How many times as wide as its room a strip is.
  float zoom(int32_t map) const { return strips_[static_cast<size_t>(map)].zoom; }
  void set_zoom(int32_t map, float zoom);
  /// Item at this place of the strip that was asked for last, a narrow one also where it is near; -1 for none.
  int32_t hit(int32_t map, float x) const;

  const std::vector<NonDelegatedRow>& rows() const { return rows_; }
  /// An execution of each method: what shares of rows of several methods are of.
  double whole_ns() const { return whole_ns_; }
  bool has_reasons() const { return has_reasons_; }  ///< a row says more than that nothing is delegated
  double largest_ns() const { return largest_ns_; }  ///< of the rows
  double largest_share() const { return largest_share_; }
  uint64_t rows_version() const { return rows_version_; }
  /// The whole reasons of an operator, a line each; of several operators those that most of them have, with how many.
  std::string reasons_of(const NonDelegatedRow& row) const;
  /// The operator whose time outside of delegates is worth the most, or what a finding says of several of them; where
  /// that is little, the costliest call.
  FirstLook first_look(int32_t map) const;
  void sort(Column column, bool descending);
  Column sorted_by() const { return sort_; }
  bool is_descending() const { return descending_; }
  void filter(const std::string& text);
  void by_type(bool yes);
  bool is_by_type() const { return by_type_; }
  /// Rows that show nothing but views and nodes without an instruction, which cost nothing.
  void show_free(bool yes);
  bool shows_free() const { return show_free_; }
  int64_t hidden_free() const { return hidden_free_; }
  /// Why the column of crossing bytes adds up to more than the graph breaks have; "" when it does not.
  std::string crossing_note() const;
  const inspector::NonDelegatedOp& first(const NonDelegatedRow& row) const;
  int32_t row_of(int32_t map, int32_t item) const;  ///< -1 when it is not shown
  /// Row of what is selected, the most expensive one; -1 when none is.
  int32_t row_of(const Selection& selection) const;
  /// Call of a delegate that is selected or has it inside; nullptr for none.
  const PlaceInMap* delegate_of(const Selection& selection) const;
  /// Times are of a range, which may have parts of an execution alone.
  bool is_of_range() const { return data_ != nullptr && data_->range.has_value(); }
  /// Of the time of its ops, most is spent inside of delegates.
  bool is_mostly_delegated(const Selection& selection) const;

  /// The most expensive node of an operator in a map's graph; "" for none.
  std::string costliest_node(int32_t map, const std::string& op) const;
  /// Of several operators the most expensive one.
  Selection selection_of(const NonDelegatedRow& row) const;
  Selection selection_of(int32_t map, int32_t item) const;
  Selection selection_of_break(const PlaceInMap& place) const;
  Selection selection_of_bound(const PlaceInMap& place) const;
  bool is_bound_selected(const PlaceInMap& place, const Selection& selection) const;  ///< any of its operators
  bool is_selected(const NonDelegatedRow& row, const Selection& selection) const;
  /// The one op of a row of several that is chosen; nullptr where none or more of them are.
  const inspector::NonDelegatedOp* only_selected(const NonDelegatedRow& row, const Selection& selection) const;
  bool is_selected(int32_t map, int32_t item, const Selection& selection) const;
  bool is_selected(int32_t map, const inspector::NonDelegatedOp& op, const Selection& selection) const;
  std::string csv() const;

 private:
  struct Strip {
    float width = -1, zoom = 1;
    std::vector<StripBox> boxes;
    int64_t short_ones = 0;
  };
  void refresh();
  void find_places();
  void sort_list(size_t list);
  double number_of(PlaceList list, PlaceColumn column, const PlaceInMap& place) const;
  std::string text_of(PlaceList list, PlaceColumn column, const PlaceInMap& place) const;
  std::vector<int32_t> ops_of_bound(const PlaceInMap& place) const;

  std::vector<inspector::DelegationMap> maps_;
  std::string left_out_;
  std::vector<inspector::Advice> advice_;
  std::shared_ptr<const TraceData> data_;
  std::vector<Strip> strips_;
  int32_t shown_map_ = -1;
  bool has_reasons_ = false;
  bool equal_ = false, by_type_ = true, show_free_ = false, descending_ = true, by_reason_ = false;
  Column sort_ = Column::Time;
  std::string filter_;
  std::vector<inspector::DelegationTotals> totals_;
  std::vector<inspector::WhatIfDelegated> what_if_;
  uint64_t rows_version_ = 0;
  std::vector<std::string> backends_;
  std::array<std::vector<PlaceInMap>, kPlaceLists> places_;
  std::array<PlaceOrder, kPlaceLists> orders_ = {
      PlaceOrder{}, {}, {PlaceColumn::AtMost, true}, {PlaceColumn::NonDelegatedTime, true}};
  std::vector<NonDelegatedRow> rows_;
  double whole_ns_ = 0, largest_ns_ = 0, largest_share_ = 0;
  int64_t hidden_free_ = 0;
};

}  // namespace et::gui
