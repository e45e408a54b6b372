// Draws the timeline: strip of executions, ruler, rows of slices. On the screen and into SVG alike.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gui/models/timeline_model.h"
#include "gui/widgets/canvas.h"
#include "gui/widgets/theme.h"

namespace et::gui {

enum class TimelineColors : uint8_t { Type, Part, Module, Cost };

/// What the mouse is on.
struct TimelineHover {
  int64_t execution = -1;
  int row = -1;  ///< index into TimelineModel::rows()
  const inspector::WindowSlice* slice = nullptr;
  bool ghost = false;     ///< the slice is one of the median execution
  int32_t module = -1;    ///< index into TimelineModel::module_spans()
  int32_t gap = -1;       ///< index into TimelineModel::gaps()
  int32_t call_gap = -1;  ///< index into TimelineModel::call_gaps()
};

/// Of what is drawn behind: a call whose kernel is drawn upon it.
constexpr float kCallBehind = 0.4F;

/// The op's name, its type alone where it is too long, "" where even that says nothing.
std::string fitting_slice_label(const TraceData& data, int32_t op, float room);

/// A delegate's call whose ops are seen below it.
bool is_open_call(const TimelineModel& model, const inspector::WindowSlice& slice);

/// Least room of an upright label, and of one that lies: pixels.
float least_upright();
/// "permute_copy  2.21 µs" or, where that is too long, the name alone; "" when even that is.
std::string upright_slice_label(const TraceData& data, int32_t op, double time, float room);

/// Neighbours of a row, each too narrow for a label, that are named together.
struct SliceFold {
  float begin = 0, end = 0;   ///< pixels
  float top = 0, bottom = 0;  ///< of the lowest of them
  int64_t count = 0, sum = 0;
  int32_t op = -1;  ///< the costliest
  int64_t most = 0;
  int slices = 0;
};
/// "where.self + 5 ops  8.10 µs", or less of it; "" when nothing fits.
std::string fold_label(const TraceData& data, const SliceFold& fold, float room);

/// Executions that the strip shows; the whole trace unless it is zoomed.
struct StripRange {
  double from = 0, to = 1;
};

/// Pixels at most so far beyond the edges: coordinates stay small however near the view is.
inline float clamp_x(double x) { return static_cast<float>(std::clamp(x, -1e5, 1e5)); }

class TimelinePainter {
 public:
  TimelineColors colors = TimelineColors::Type;

  /// Another trace is shown: what was kept of the last one goes.
  void forget() { colored_ = bars_of_ = nullptr; }

  float strip_height() const;
  float ruler_height() const;
  /// Places the rows, higher ones where `room` is left; their height in all.
  float lay_out(const TimelineModel& model, float room);
  TimelineModel::Lanes lanes() const { return {row_height_, tops_, heights_}; }

  void draw_strip(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, StripRange range, int64_t chosen,
                  int64_t hovered);
  void draw_ruler(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model);
  /// Of the mouse, `x` pixels from the left.
  static void draw_cursor_time(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, float x);
  /// `scroll`: pixels of the rows that are above `a`.
  void draw_rows(Canvas& canvas, ImVec2 a, ImVec2 b, float scroll, const TimelineModel& model, int64_t chosen_run,
                 const TimelineHover& hover);

  /// All that is seen and that a click could hit, from the left upper corner of the rows: executions, modules, slices.
  struct Place {
    TimelineHover what;
    ImVec2 min, max;
  };
  std::vector<Place> places(const TimelineModel& model, double width) const;
  /// What is at a point; `y` from the top of the rows.
  TimelineHover hit(const TimelineModel& model, double x, float y, double width) const;
  /// Bars of the strip, from its left edge.
  struct StripPlace {
    int64_t first, last, slowest;  ///< executions: [first, last)
    float left, right;
    bool has(int64_t execution) const { return execution >= first && execution < last; }
  };
  std::vector<StripPlace> strip_places(const TimelineModel& model, StripRange range, float width);
  int64_t hit_strip(const TimelineModel& model, StripRange range, double x, double width);
  float row_height() const { return row_height_; }

 private:
  float execution_height() const;
  float place_rows(const TimelineModel& model);
  /// Method::execute around all else says little: its row stays low.
  static bool grows(const TimelineModel& model, int32_t track, int32_t level);
  float height_of_level(const TimelineModel& model, int32_t track, int32_t level) const;
  struct GhostRow {
    float top, height;
  };
  GhostRow ghost_row(const TimelineModel& model, int32_t level) const;
  GhostRow ghost_span(const TimelineModel& model, int32_t level, const inspector::WindowSlice& slice) const;
  GhostRow span_of(const TimelineModel& model, size_t row, const inspector::WindowSlice& slice) const;
  void draw_bar_labels(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, StripRange range);
  void draw_medians(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, StripRange range,
                    const std::function<float(double)>& y_of);
  void draw_call_gaps(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, const TimelineRow& row,
                      int32_t hovered);
  void draw_gaps(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, int32_t hovered);
  /// Of the first lane of the trace's own clock.
  float bottom_of_ops(const TimelineModel& model) const;
  void draw_label(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, const inspector::WindowSlice& slice,
                  ImU32 fill, bool dim);
  void draw_folded(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, const SliceFold& fold);
  /// Kept while nothing changes: with very many executions they take milliseconds.
  const std::vector<ExecutionBar>& bars(const TimelineModel& model, StripRange range, int width);
  void forget_colors(const TimelineModel& model);
  ImU32 color_of(const TraceData& data, int32_t op);
  void draw_executions(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, int64_t chosen_run,
                       int64_t hovered);
  void draw_row(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, size_t row, const TimelineHover& hover);
  void draw_modules(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model, int32_t hovered) const;
  static void draw_merged(Canvas& canvas, ImVec2 a, ImVec2 b, int64_t samples);
  void draw_ghost(Canvas& canvas, ImVec2 a, ImVec2 b, float top, const TimelineModel& model,
                  const TimelineHover& hover);

  std::vector<float> tops_, heights_;  // by row
  float row_height_ = 20;
  float modules_top_ = 0, modules_height_ = 0;  ///< no height without modules
  float ghost_top_ = 0, ghost_height_ = 0;
  int32_t ghost_levels_ = 0;
  bool has_ghost_ = false;
  std::vector<ImU32> op_colors_;  // 0 until it is drawn
  double costliest_ = 0;
  std::vector<ExecutionBar> bars_;
  const TraceData* bars_of_ = nullptr;
  StripRange bars_range_;
  int bars_width_ = 0;
  const TraceData* colored_ = nullptr;
  TimelineColors colored_by_ = TimelineColors::Type;
  ThemeKind colored_theme_ = ThemeKind::Dark;
};

void draw_slice_tooltip(const TimelineModel& model, const TimelineHover& hover);
void draw_module_tooltip(const TimelineModel& model, const ModuleSpan& span);
void draw_call_gap_tooltip(const TimelineModel& model, const CallGap& gap);
void draw_gap_tooltip(const TimelineModel& model, const IdleGap& gap);
void draw_execution_tooltip(const TimelineModel& model, int64_t execution);

}  // namespace et::gui
