// The whole graph in a corner, with what is seen of it; and the legend of its colours.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gui/panels/graph_painter.h"

namespace et::gui {

class GraphMinimap {
 public:
  /// Where it is in a view of that place and size, in the corner that move() chose; empty when all of the graph is
  /// seen.
  inspector::LayoutRect place(const GraphViewModel& model, ImVec2 origin, ImVec2 room) const;
  /// A press on it, and a drag from there, move the camera. True while it has the mouse.
  /// `selected`: by box; the map does not stand on them.
  bool move(GraphViewModel* model, const std::vector<bool>& selected, ImVec2 origin, ImVec2 room, bool hovered);
  /// By keys, a stop of its own: its parts, one of which the camera is moved to. After all else of the view.
  void walk(GraphViewModel* model, ImVec2 origin, ImVec2 room);
  bool walked() const { return walked_; }
  void draw(Canvas& canvas, const GraphPainter& painter, ImVec2 origin, ImVec2 room) const;

 private:
  void choose_corner(const GraphViewModel& model, const std::vector<bool>& selected, ImVec2 origin, ImVec2 room);

  int corner_ = 0;  // right, left below; right, left above
  bool held_ = false, walked_ = false;
};

/// Colours of what is drawn, with their meaning.
struct GraphLegend {
  std::vector<std::pair<ImU32, std::string>> rows;
  std::string end, hottest;  ///< by cost: the end of the scale, and the costliest node
  double hottest_at = 1;     ///< where on the scale that is, 0 to 1
};
GraphLegend graph_legend(const GraphPainter& painter);
/// A line below the view, over nothing of it.
void draw_graph_legend(Canvas& canvas, const GraphPainter& painter, ImVec2 at, float width);
float graph_legend_height();

}  // namespace et::gui
