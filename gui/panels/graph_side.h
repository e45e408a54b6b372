// The side of the graph: all that is known of the chosen node or group.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gui/models/graph_model.h"
#include "gui/panels/panel.h"

namespace et::gui {

class GraphSide {
 public:
  void draw(PanelContext& context, const GraphViewModel& model);
  /// A node was chosen here that the graph goes to; once.
  bool takes_went() { return std::exchange(went_, false); }

 private:
  void draw_node(PanelContext& context, const GraphViewModel& model);
  void draw_arguments(PanelContext& context, const TraceData& data);
  void draw_group(PanelContext& context, const GraphViewModel& model);
  void draw_graph(PanelContext& context, const GraphViewModel& model);
  void draw_found(PanelContext& context, const GraphViewModel& model);
  /// Nodes with times and shares; a click selects.
  void draw_nodes(PanelContext& context, const GraphViewModel& model,
                  const std::vector<const inspector::GraphNode*>& nodes);
  void go_to(PanelContext& context, const TraceData& data, const std::string& node);

  uint64_t selection_ = 0;
  const inspector::GraphModel* graph_ = nullptr;
  int32_t node_ = -1;
  int64_t ops_ = 0;  ///< of a selected group: that run its nodes
  bool went_ = false;
  GraphNodeDetails details_;
};

/// A table of labels and values that wrap.
void facts_table(const char* id, const std::vector<std::pair<std::string, std::string>>& facts, bool names = false);

}  // namespace et::gui
