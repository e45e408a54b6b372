// The parts of the overview, each a table or a line of text.
#pragma once

#include <cstdint>

#include "gui/core/document.h"
#include "gui/models/overview_model.h"
#include "gui/panels/panel.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/canvas.h"
#include "gui/widgets/theme.h"

namespace et::gui {

ImU32 part_color(const OverviewPart& part);
/// The parts side by side, over the whole width, and below each the types of its operators. Negative parts (inner
/// events that overlap) have no place in it. Returns the parts whose names had none.
std::vector<const OverviewPart*> draw_stacked_bar(Canvas& canvas, ImVec2 a, ImVec2 b,
                                                  const std::vector<OverviewPart>& parts);
/// What is at a place of the bar, both from 0 to 1.
struct BarPlace {
  const OverviewPart* part = nullptr;
  const OverviewSlice* slice = nullptr;  ///< null: not in the row of types
};
/// Its parts and the types below them, in the order of reading.
std::vector<WalkBox> bar_boxes(const std::vector<OverviewPart>& parts, ImVec2 a, ImVec2 b);
BarPlace bar_place(const std::vector<OverviewPart>& parts, float x, float y);

/// Nothing is open: what to open, what was open before, and how to make a first trace.
void draw_overview_start(PanelContext& context);

struct OverviewTables {
  Document& document;
  const TraceData& data;
  const Overview& overview;
  size_t most = SIZE_MAX;  ///< rows of each of the costliest: few where the window is low, so that what to do is seen

  /// Model and methods in that many pixels, and a line about the run.
  void title(float room) const;
  /// Errors in a frame, then what stands out among the executions and warnings, which make other numbers doubtful:
  /// several of them fold into one line.
  void problems() const;
  void methods() const;
  /// What an ETRecord or a program contains without an ETDump, with links to the panels that show it.
  void exports() const;
  void facts() const;
  void parts() const;
  void costliest() const;
  /// One of the costliest, in the panel for it.
  void open(const OverviewCost& row) const;
  /// What to do next, each a link.
  void steps() const;
  /// What is at that place of the bar, in the panel for it.
  void show(const BarPlace& place) const;
  void unlinked() const;
  void findings() const;
  void traces() const;

 private:
  std::string duration(double ticks) const { return inspector::format_duration(ticks, overview.unit); }
  std::string duration_named(double ticks) const { return inspector::format_duration_named(ticks, overview.unit); }
  void cost_table(const char* id, const char* what, const std::vector<OverviewCost>& rows, const char* none) const;
  void cost_row(const OverviewCost& row, size_t number, double largest) const;
  void unlinked_rows(const OverviewUnlinked& group) const;
  void execution_row() const;
  void notice(const inspector::Finding& finding) const;
  void fact_tables() const;
  void fact_table(const char* id, const std::vector<OverviewFact>& facts) const;
};

}  // namespace et::gui
