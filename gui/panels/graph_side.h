// The side of the graph: all that is known of the chosen node or group.
#pragma once

#include "gui/models/graph_model.h"
#include "gui/panels/panel.h"

namespace et::gui {

class GraphSide {
 public:
  void draw(PanelContext& context, const GraphViewModel& model);

 private:
  void draw_node(PanelContext& context, const GraphViewModel& model);
  void draw_arguments(PanelContext& context, const TraceData& data);
  void draw_group(PanelContext& context, const GraphViewModel& model);
  void draw_graph(PanelContext& context, const GraphViewModel& model);
  static void draw_found(PanelContext& context, const GraphViewModel& model);
  /// Nodes with times and shares; a click selects.
  static void draw_nodes(PanelContext& context, const GraphViewModel& model,
                         const std::vector<const inspector::GraphNode*>& nodes);

  uint64_t selection_ = 0;
  const inspector::GraphModel* graph_ = nullptr;
  int32_t node_ = -1;
  GraphNodeDetails details_;
};

/// A table of labels and values that wrap.
void facts_table(const char* id, const std::vector<std::pair<std::string, std::string>>& facts, bool names = false);

}  // namespace et::gui
