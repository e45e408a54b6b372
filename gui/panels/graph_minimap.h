// The whole graph in small, with what is seen of it; and the legend of its colours.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gui/panels/graph_painter.h"

namespace et::gui {

/// An item of its own over a corner of the view.
class GraphMinimap {
 public:
  /// False where all of the graph is seen at its zoom in a view of that size: `room` is the view without a map.
  static bool is_needed(const GraphViewModel& model, ImVec2 room);
  static ImVec2 size(const GraphViewModel& model, ImVec2 room);
  /// A press on it, and a drag from there, move the camera, and so do keys: its parts, one of which the camera is moved
  /// to. `room`: size of the view.
  void draw(Canvas& canvas, const GraphPainter& painter, GraphCamera* camera, ImVec2 at, ImVec2 size, ImVec2 room);
  bool walked() const { return walked_; }

 private:
  bool walked_ = false;
};

/// Colours of what is drawn, with their meaning.
struct GraphLegend {
  std::vector<std::pair<ImU32, std::string>> rows;
  std::string least, most, hottest;  ///< by cost: the ends of the scale, and the costliest node
  double hottest_at = 1;             ///< where on the scale that is, 0 to 1
};
GraphLegend graph_legend(const GraphPainter& painter);
/// Over the view, an item of its own, in as many lines as `size` has; its tooltip has what finds no room.
void draw_graph_legend(Canvas& canvas, const GraphPainter& painter, ImVec2 at, ImVec2 size);
/// A second line where one has no room for all; the same whatever is open, since what is shown at first ends above it.
float graph_legend_height(const GraphViewModel& model, GraphColoring coloring, float width);

}  // namespace et::gui
