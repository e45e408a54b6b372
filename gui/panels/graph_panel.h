// The panel of the graph: what is drawn and clicked (graph.cpp), what of it is seen (graph_camera.cpp), keys
// (graph_keys.cpp), its tool bar, menu and tooltip (graph_tools.cpp).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gui/models/graph_model.h"
#include "gui/panels/graph_minimap.h"
#include "gui/panels/graph_painter.h"
#include "gui/panels/graph_side.h"
#include "gui/panels/panel.h"
#include "gui/widgets/box_walk.h"

namespace et::gui {

class GraphPanel : public Panel {
 public:
  void draw(PanelContext& context) override;

  std::string csv() const override { return model_.csv(); }
  bool draw_on(Canvas& canvas) override;
  void* model() override { return &model_; }
  void commands(CommandList* list) override;
  std::vector<std::pair<std::string, std::string>> settings() const override;
  void restore(const std::string& key, const std::string& value) override;

 private:
  /// Opening: the first view of a graph, of which groups are closed until the whole can be read. Selection: as large as
  /// there is room for; Jump: as large as usual.
  enum class Fit : uint8_t { None, Opening, First, All, Selection, Jump, Found };

  GraphColoring coloring() const { return static_cast<GraphColoring>(coloring_); }

  void refresh(PanelContext& context);

  void show_graph(std::shared_ptr<const TraceData> data, size_t index);

  // What was opened or closed stays where it was.
  void ask_for_layout(PanelContext& context, ImVec2 room);
  void take_layout(inspector::GraphLayout layout, uint64_t version);

  bool group_rect(int32_t group, inspector::LayoutRect* out) const;
  /// With its pieces in further columns.
  bool whole_group_rect(int32_t group, inspector::LayoutRect* out) const;

  void draw_toolbar(PanelContext& context);

  void open(bool all);

  void draw_search(PanelContext& context);
  void set_query(const std::string& text);

  void jump(PanelContext& context, int32_t node);

  // A selection of another method shows that method's graph.
  void follow_selection(PanelContext& context);

  void draw_view(PanelContext& context);

  // Where in the model what is selected is, else what is in the middle of the view; each step frames its group.
  void draw_crumbs(PanelContext& context);
  bool fills_view(int32_t group) const;
  void frame_group(PanelContext& context, int32_t group);

  void move_by_keys(PanelContext& context);
  void open_by_keys();
  /// Boxes and the frames around them, by keys.
  BoxWalk walk(ImVec2 origin, ImVec2 room);

  float zoom_of_whole(ImVec2 room) const;
  bool make_smaller(ImVec2 room);  ///< what is seen at first; true when another layout is needed
  /// `whole`: the view where all of the graph is seen; `room`: what a map leaves of it.
  void move_camera(ImVec2 whole, ImVec2 room);
  void resize(ImVec2 from, ImVec2 to);
  bool is_untouched() const;  ///< nobody moved the camera since the graph was fitted
  void fold_anew(ImVec2 room);
  void take_mouse(PanelContext& context, const GraphPainter& painter, const GraphViewModel::Hit& hit,
                  inspector::LayoutPoint mouse, bool clicked);
  void draw_overlays(Canvas& canvas, const GraphPainter& painter, ImVec2 origin, ImVec2 size, ImVec2 map, float legend);
  bool wants_tooltip(PanelContext& context, const GraphViewModel::Hit& hit);

  void show_legibly(ImVec2 room);
  void show_whole(const inspector::LayoutRect& rect, ImVec2 room);
  void keep_in_view(ImVec2 room);

  void toggle(int32_t group);

  Selection selection_of(const GraphViewModel::Hit& hit) const;

  int32_t group_of(const GraphViewModel::Hit& hit) const;

  void click(PanelContext& context, const GraphPainter& painter, const GraphViewModel::Hit& hit,
             inspector::LayoutPoint mouse);

  void double_click(PanelContext& context, const GraphViewModel::Hit& hit);

  void draw_menu(PanelContext& context);

  void draw_tooltip(int32_t index) const;
  void draw_link_tooltip(int32_t index) const;
  // All that was found, or where that could not be read, the first of it.
  void show_found(ImVec2 room);

  GraphViewModel model_;
  GraphSide side_;
  GraphMinimap map_;
  JobHandle job_;
  uint64_t trace_version_ = 0, version_ = 0, asked_ = 0, seen_selection_ = 0;
  uint64_t marks_ = 0;  ///< selection version + 1 that selected_ and found_ are of, 0: none
  std::vector<bool> selected_, found_;
  bool laying_out_ = false, side_open_ = true, dragged_ = false, follow_ = false, own_click_ = false;
  bool tried_brief_ = false, refit_ = false;
  bool keys_moved_ = false;  ///< until the mouse moves, tooltips are not asked for
  Fit fit_ = Fit::First, shown_ = Fit::None;
  GraphCamera shown_at_;                  ///< after `shown_`
  ImVec2 size_ = {}, laid_out_for_ = {};  ///< of the view; of the room that columns are made for
  int coloring_ = 0;
  int32_t anchor_ = -1;   ///< group that was toggled
  int32_t toggled_ = -1;  ///< group that is to be seen
  int32_t pointed_ = -1;  ///< box that the mouse came to last
  double pointed_since_ = 0;
  int32_t cursor_ = -1;          ///< box that keys went to last
  inspector::LayoutPoint view_;  ///< size of the view
  GraphViewModel::Hit menu_;
  std::string query_;
};

}  // namespace et::gui
