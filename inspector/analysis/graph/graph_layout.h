// Where the boxes of a graph stand: by Graphviz's dot, beyond the size that it manages in plain layers. Knows nothing
// of models: boxes with sizes, clusters that nest, edges between boxes.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "base/status.h"

namespace et::inspector {

struct LayoutBox {
  float width = 0, height = 0;
  int32_t cluster = -1;  ///< innermost cluster, -1 for none
};

struct LayoutCluster {
  int32_t parent = -1;    ///< cluster around it, a smaller index; -1 for none
  float label_width = 0;  ///< room at the top
  float label_height = 0;
};

struct LayoutEdge {
  int32_t from = 0, to = 0;  ///< boxes
};

struct LayoutInput {
  std::vector<LayoutBox> boxes;
  std::vector<LayoutCluster> clusters;
  std::vector<LayoutEdge> edges;
  float row_gap = 32.4F;  ///< between rows of boxes, by Graphviz
};

struct LayoutPoint {
  float x = 0, y = 0;
};

struct LayoutRect {
  LayoutPoint min, max;
  float width() const { return max.x - min.x; }
  float height() const { return max.y - min.y; }
  bool contains(LayoutPoint p) const { return p.x >= min.x && p.x < max.x && p.y >= min.y && p.y < max.y; }
  bool contains(const LayoutRect& r) const {
    return r.min.x >= min.x && r.min.y >= min.y && r.max.x <= max.x && r.max.y <= max.y;
  }
};

/// In the units of the boxes' sizes; y grows downwards, edges run downwards.
struct GraphLayout {
  std::vector<LayoutRect> boxes, clusters;
  /// Of clusters that are in several columns what follows the first piece: cluster and rectangle.
  std::vector<std::pair<int32_t, LayoutRect>> pieces;
  /// By edge: control points of a cubic spline (1 + 3 n), from the first box to the second; may be empty.
  std::vector<std::vector<LayoutPoint>> edges;
  float width = 0, height = 0;
  bool graphviz = false;  ///< made by Graphviz
};

/// Graphviz keeps global state: whoever calls it holds this.
std::mutex& graphviz_mutex();

/// With Graphviz up to a size that it handles in seconds, else, and when it refuses, in layers.
GraphLayout layout_graph(const LayoutInput& input);
/// Errors: InvalidExternalData when it refuses the graph.
Status layout_with_graphviz(const LayoutInput& input, GraphLayout* out);
/// Layers by the longest path, clusters laid out for themselves first.
GraphLayout layout_in_layers(const LayoutInput& input);

}  // namespace et::inspector
