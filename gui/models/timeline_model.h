// What the timeline shows of a trace: the window that is seen, read in jobs and kept until the next is there; the
// ghost of the median execution; search, steps from slice to slice, and the cost of a range.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/core/jobs.h"
#include "gui/core/selection.h"
#include "gui/core/trace_data.h"
#include "gui/models/executions_model.h"
#include "gui/models/timeline_details.h"
#include "gui/models/timeline_execution.h"
#include "gui/models/timeline_folds.h"
#include "gui/models/timeline_gaps.h"
#include "gui/models/timeline_modules.h"
#include "gui/models/timeline_range.h"
#include "gui/models/timeline_regimes.h"
#include "gui/models/timeline_view.h"
#include "inspector/analysis/timeline/timeline_range.h"
#include "inspector/analysis/timeline/timeline_window.h"

namespace et::gui {

/// A row of the drawing. It stays once it was seen, so that rows do not jump while the view moves.
struct TimelineRow {
  int32_t track = 0, lane = 0, level = 0;
  size_t first = 0, last = 0;  ///< slices of the window
  bool begins_track = false;
};

/// A median execution under the one that is looked at.
struct TimelineGhost {
  int64_t run = 0;     ///< run_id of the one that is looked at
  int64_t median = 0;  ///< run_id of the median one
  size_t median_execution = 0;
  int64_t shift = 0;        ///< to be added to its slices' times
  int32_t aligned_at = -1;  ///< the chosen op that begins at one time in both; -1: the executions do
  int64_t duration = 0;
  double median_duration = 0;  ///< ExecutionsModel::median_of
  inspector::TimelineWindow window;
};

struct TimelineSearch {
  std::string text;
  std::vector<int32_t> ops;  ///< that it hits
  int64_t distinct = 0;      ///< of them, with those of several blocks counted once
  int64_t samples = 0;       ///< of these: all that the steps go to
  int64_t apart = 0;         ///< and on clocks of their own, where no step goes
  std::vector<bool> hit;     ///< by op; empty without a text
  bool by_module = false;    ///< no op is named so, but modules are: their ops
};
/// Ops whose name or single operator type contains `text`, upper or lower case; without any those of modules whose path
/// or type does. What is searched instead of names
/// stands before a colon: "line:", "module:", "node:", "backend:", and "type:", which must be the whole of it.
TimelineSearch search_timeline(const TraceData& data, const std::string& text);

class TimelineModel {
 public:
  explicit TimelineModel(Jobs& jobs) : jobs_(jobs) {}

  /// Shows the executions of a trace; null for none. The same again costs nothing.
  void show(std::shared_ptr<const TraceData> data, uint64_t version);
  const TraceData* data() const { return data_.get(); }
  /// The index is there; before that there is nothing to draw.
  bool ready() const { return index_ != nullptr; }
  const Status& status() const { return status_; }  ///< of the last read that failed
  bool reading() const { return window_running_ || index_running_; }

  TimelineView view;
  const ExecutionsModel& executions() const { return executions_; }
  /// Of executions(): what find_regimes says.
  const std::vector<TimelineRegime>& regimes() const { return regimes_; }
  const inspector::TimelineIndex& index() const { return *index_; }

  /// Once a frame: asks for what the view needs at `width` pixels. `run`: the execution chosen, 0 for none.
  void update(int width, const Selection& selection, uint64_t selection_version, int64_t run);
  const inspector::TimelineWindow& window() const { return window_; }
  /// The window knows that selection: its slices are marked.
  bool has_marks(uint64_t selection_version) const {
    return selection_version_ == selection_version && window_has_.marks == marks_ && !reading();
  }
  const std::vector<TimelineRow>& rows() const { return rows_; }
  /// The slice of a row at a time of the view, or the nearest within `slack`; nullptr for none.
  const inspector::WindowSlice* slice_at(const TimelineRow& row, double time, double slack) const;
  double begin_of(const inspector::WindowSlice& s) const { return static_cast<double>(s.start - view.origin()); }
  double end_of(const inspector::WindowSlice& s) const { return static_cast<double>(s.end - view.origin()); }

  /// Time of executions in no op, of the window, by start: what is too narrow to be seen is not among them.
  const std::vector<IdleGap>& gaps() const { return gaps_; }
  const std::vector<CallGap>& call_gaps() const { return call_gaps_; }
  /// Slices of the window that are far_from_usual(), the furthest first.
  const std::vector<FarSlice>& far_slices() const { return far_slices_; }

  const TimelineFolds& folds() const { return folds_; }
  const TimelineModules& modules() const { return modules_; }
  /// Of the window, by start.
  const std::vector<ModuleSpan>& module_spans() const { return module_spans_; }
  /// Whether the row has no place of its own: its slices are drawn upon those of the row before.
  bool is_folded_row(size_t row) const;

  /// Level of the rows in which gaps are drawn: below Method::execute.
  int32_t gap_level() const { return gap_level_; }

  /// Where the rows are drawn, from the top of all rows, in pixels: set by whoever draws.
  struct Lanes {
    float row = 0;                     ///< height of a row of ops; those of frames are lower
    std::vector<float> tops, heights;  ///< by row
  };
  Lanes lanes;

  bool ghost_wanted = true;
  /// Why there is no ghost though it is wanted: "" where one can be.
  const char* no_ghost() const { return no_ghost_; }
  /// nullptr while nothing is looked at closely enough.
  const TimelineGhost* ghost() const { return ghost_ ? &*ghost_ : nullptr; }

  /// Once a frame: the execution that is chosen (run_id), 0 for none.
  void update_execution(int64_t run);
  /// Of that execution; nullptr while it is read.
  const ExecutionDetails* execution_details() const { return details_ ? &*details_ : nullptr; }

  void search(const std::string& text);
  const TimelineSearch& found() const { return search_; }

  /// Goes to the next or previous slice of the ops; `at()` is there then. `around`: from the last to the first.
  void step(const std::vector<int32_t>& ops, bool forward, bool around = false);
  /// Of the slices that were stepped through, which one `at()` is, from 1; 0 when it is none of them.
  int64_t at_number() const { return at_number_; }
  /// How often step() arrived at a slice, be it the same one.
  uint64_t steps() const { return steps_; }
  /// Where step() or go_to() went; a slice that is framed.
  const std::optional<inspector::FoundSample>& at() const { return at_; }
  /// What is around `at()`; nullptr while it is read.
  const SliceSurroundings* surroundings() const { return near_ ? &*near_ : nullptr; }
  /// A slice beside it: shows it and makes it `at()`.
  void go_near(const NearSlice& slice);
  void leave() { at_.reset(), near_.reset(), near_job_.reset(); }
  void go_to(int32_t op, int64_t position, const inspector::WindowSlice& slice);
  /// Of one op the slice that is framed, else all that the view has of it; of several, as of a module, from the first
  /// to the last in the execution that is seen.
  void fit(const std::vector<int32_t>& ops);
  void show_execution(size_t execution);
  /// All executions, without what was before them: the first view.
  void show_executions();
  /// What the basis of all panels is of: execution #n, or the cold one; of the method of `run` (run_id) where it is
  /// that one, else of the method that took the most time. run_id; 0 when the basis is of no one execution.
  int64_t run_of_basis(int64_t run) const;
  /// The execution that the basis is of, else the usual one.
  void show_first();
  /// Of the method that ran most the execution that is nearest to what the basis says of them: its median, its mean.
  /// run_id; 0 where there are too few.
  int64_t usual_run() const { return usual_run_; }
  /// That one: ops can be told apart, and the strip above shows all executions.
  void show_usual_execution();
  /// How much of the trace is seen, which execution where it is one, and that loading is not when it is before:
  /// "#4, the nearest to the median: 34.3 ms; shown 35.0 ms of 101 ms; loading …".
  std::string view_text() const;

  /// Of the view, in its times; reversed ends are fine.
  void select_range(double begin, double end);
  void clear_range();
  bool has_range() const { return range_; }
  double range_begin() const { return range_begin_; }
  double range_end() const { return range_end_; }
  /// On the trace's clock, as selections and notes have it.
  int64_t range_start_tick() const { return absolute(range_begin_); }
  int64_t range_end_tick() const { return absolute(range_end_); }
  /// nullptr while it is read.
  const inspector::RangeStatistics* range_statistics() const { return statistics_ ? &*statistics_ : nullptr; }
  /// Of the range: time within executions in no op, and outside of executions. Known with range_statistics().
  RangeRest range_rest() const;
  /// What all panels say of the range; nullptr while it is read.
  const RangeTable* range_rows() const;
  std::string range_csv() const;

 private:
  struct Span {
    double begin = 0, end = 0;
  };
  Span executions_span() const;
  std::string seen_execution_text() const;
  int64_t find_usual_run();
  struct Wanted {
    int64_t begin = 0, end = 0, resolution = 0;
    uint64_t marks = 0;
    bool operator==(const Wanted&) const = default;
  };
  void read_index();
  void read_window(const Wanted& wanted);
  void read_ghost(size_t execution);
  void update_ghost(int64_t run);
  void align_ghost();
  bool are_several(const std::vector<int32_t>& ops) const;
  void fit_in_execution(const std::vector<int32_t>& ops);
  void update_rows();
  void update_gaps();
  void read_near();
  void mark(const Selection& selection);
  void take_search(TimelineSearch found);
  int64_t absolute(double time) const;

  Jobs& jobs_;
  std::shared_ptr<const TraceData> data_;
  uint64_t version_ = 0, selection_version_ = 0;
  int64_t usual_run_ = 0;
  const char* usual_name_ = "";  // what it is the nearest to
  std::shared_ptr<const inspector::TimelineIndex> index_;
  ExecutionsModel executions_;
  std::vector<TimelineRegime> regimes_;
  Status status_;
  inspector::TimelineWindow window_;
  Wanted window_has_, window_asked_;
  std::vector<TimelineRow> rows_;
  std::shared_ptr<const std::vector<bool>> marked_, found_;
  uint64_t marks_ = 0;  // grows with each change of what is marked
  std::optional<TimelineGhost> ghost_;
  int64_t ghost_asked_ = 0;
  const char* no_ghost_ = "";
  TimelineSearch search_;
  std::string search_asked_;
  std::optional<inspector::FoundSample> at_;
  int64_t at_number_ = 0;
  uint64_t steps_ = 0;
  std::optional<SliceSurroundings> near_;
  std::vector<IdleGap> gaps_;
  std::vector<CallGap> call_gaps_;
  std::vector<FarSlice> far_slices_;
  TimelineFolds folds_;
  TimelineModules modules_;
  std::vector<ModuleSpan> module_spans_;
  int32_t gap_level_ = 0;
  bool range_ = false;
  double range_begin_ = 0, range_end_ = 0;
  std::optional<inspector::RangeStatistics> statistics_;
  mutable std::optional<RangeTable> range_table_;  ///< made when it is asked for, of range_table_of_
  mutable std::shared_ptr<const TraceData> range_table_of_;
  std::optional<ExecutionDetails> details_;
  int64_t details_asked_ = 0;
  bool untouched_ = true;  ///< the view is as show_first() left it: no frame was drawn yet
  bool index_running_ = false, window_running_ = false;
  JobHandle index_job_, window_job_, ghost_job_, search_job_, step_job_, fit_job_, range_job_, near_job_, details_job_;
};

}  // namespace et::gui
