// The plot of the roofline: a point for each op over its operations a byte, under the roofs, and left of the axis a
// lane for ops that move data alone.
#pragma once

#include <imgui.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gui/models/roofline_model.h"
#include "gui/panels/panel.h"

namespace et::gui {

/// Of a roof, in pixels.
struct RoofEnds {
  ImVec2 a, b;
};

class RooflinePlot {
 public:
  explicit RooflinePlot(const RooflineModel& model) : model_(model) {}
  /// Other points: the axes fit them again.
  void reset() { fresh_ = true, label_at_.clear(); }
  /// Plot and legend, which has one line where there is little room. The row whose point was clicked.
  std::optional<size_t> draw(PanelContext& context, float height, bool little);

 private:
  void set_up_axes(float width, float height);
  void draw_lane();
  void draw_roofs();
  void place_roof_name(const std::string& name, bool must, const RoofEnds& own, const std::vector<RoofEnds>& lines,
                       const std::vector<ImVec4>& points);
  void draw_roof_names() const;
  void draw_own_roof(ImDrawList* list, const RooflinePoint& point, ImVec2 at, float radius, bool chosen) const;
  SelectedPart selected_part(const PanelContext& context, size_t row) const;
  const RooflinePoint* draw_points(const PanelContext& context) const;
  void draw_labels();
  bool draw_label(const std::string& name, const RooflinePoint& point, std::vector<ImVec4>* taken) const;
  void legend(bool little) const;
  std::string how_to_read() const;
  std::vector<ImVec4> large_points() const;

  struct RoofName {
    std::string text;
    ImVec4 box;  // left, top, right, bottom
  };

  const RooflineModel& model_;
  bool fresh_ = true;
  double lane_end_ = 0;  // where the numbers of the axis begin: ImPlot asks for them while it draws
  std::vector<RoofName> roof_names_;
  std::optional<ImVec4> lane_name_;
  std::map<std::string, size_t> label_at_;  // of each name, the point that it stands at
};

}  // namespace et::gui
