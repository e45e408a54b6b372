// Beside or below the timeline's drawing: what is known of the slice that was clicked, and the table of a range.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gui/models/timeline_model.h"
#include "gui/models/timeline_types.h"
#include "gui/panels/panel.h"

namespace et::gui {

/// What the pane asks the panel to do.
struct TimelineSideActions {
  bool choose_op = false;  ///< select `op`
  int32_t op = -1;
  bool step = false;         ///< and go to its next slice
  int64_t run = 0;           ///< choose the execution (run_id); 0: none
  bool step_in_run = false;  ///< go to the slice of `op` in that execution
  int64_t range_of_run = 0;  ///< select its time as a range
  bool bookmark_range = false;
  bool forget_range = false;
  std::optional<std::string> search;  ///< search for that
};

/// Wrapped, printable.
void side_text(std::string_view text, ImU32 color);
/// A link that is never cut: shortened where there is no room.
bool side_link(const char* id, const std::string& text);

class TimelineSide {
 public:
  /// Brings the page of a slice or of the range to the front.
  void show_slice() { wanted_ = Page::Slice; }
  void show_range() { wanted_ = Page::Range; }
  void show_execution() { wanted_ = Page::Execution; }

  /// `op`: the one whose slice was clicked or that was chosen elsewhere, -1 for none.
  TimelineSideActions draw(PanelContext& context, TimelineModel* model, int32_t op);

 private:
  enum class Page : uint8_t { None, Slice, Execution, Range };
  void draw_slice(PanelContext& context, TimelineModel* model, int32_t op);
  static std::string several_text(const Selection& chosen, const TraceData& data);
  void draw_several(const Document& document);
  void draw_title(const TimelineModel& model, int32_t op, bool at);
  void draw_statistics(const TimelineModel& model, int32_t op);
  void draw_links(PanelContext& context, const TraceData& data, int32_t op);
  void draw_near(TimelineModel* model, bool at);
  void near_link(TimelineModel* model, const char* id, const char* what, const NearSlice& slice, bool gap);
  void draw_trace(TimelineModel* model);
  static void draw_disturbance(const TraceData& data);
  void draw_executions(TimelineModel* model);
  void draw_costliest(const TraceData& data);
  void draw_types(const TimelineModel& model);
  void draw_execution(PanelContext& context, TimelineModel* model);
  static void draw_sums(const TimelineModel& model, const Run& run, double median);
  void draw_longer(TimelineModel* model, const Run& run, bool is_shorter);
  void draw_parts(const TraceData& data, const Run& run, const std::vector<inspector::ExtraTime>& parts, size_t most,
                  const char* id);
  void draw_range(PanelContext& context, TimelineModel* model);
  void draw_range_head(TimelineModel* model);
  void draw_range_table(PanelContext& context, const TimelineModel& model);
  struct RangeLine {
    int32_t group = -1, row = -1;  ///< a group of its own, or a row, in a group or in none
  };
  void draw_range_line(PanelContext& context, const TimelineModel& model, const RangeLine& line, bool modules,
                       bool lines);
  void group_range(const TimelineModel& model);
  void draw_grouping();

  std::pair<uint64_t, uint64_t> several_of_;  // versions of the choice and of the times
  std::string several_;
  Page wanted_ = Page::None;
  TimelineSideActions actions_;
  std::vector<TimelineType> types_;  // of that table
  std::tuple<const inspector::OpTable*, int64_t, size_t, std::string> types_of_;
  bool all_types_ = false;
  RangeGrouping by_ = RangeGrouping::Name;
  std::vector<RangeGroup> range_groups_;  // of that
  std::tuple<const TraceData*, int64_t, int64_t, size_t, RangeGrouping> range_groups_of_;
  std::vector<RangeLine> range_lines_;
  std::set<std::string> open_groups_;
  std::vector<size_t> costliest_;  // likewise
  std::tuple<const inspector::OpTable*, int64_t, size_t, std::string> costliest_of_;
};

}  // namespace et::gui
