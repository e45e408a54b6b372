// Draws a laid out graph on a canvas, as the camera sees it.
#pragma once

#include <string>
#include <vector>

#include "gui/models/graph_model.h"
#include "gui/widgets/canvas.h"

namespace et::gui {

/// Smaller texts, in pixels, are not drawn.
inline constexpr float kLegibleText = 4.8F;

enum class GraphColoring : int { Cost, Delegate, Type };

struct GraphPainter {
  const GraphViewModel& model;
  GraphCamera camera;
  GraphColoring coloring = GraphColoring::Cost;
  const std::vector<bool>& selected;  ///< by box
  const std::vector<bool>& found;     ///< by box; empty when nothing is searched
  int32_t hovered_box = -1, hovered_cluster = -1, hovered_link = -1;

  void draw(Canvas& canvas, ImVec2 origin) const;
  /// Square with + or − of a closed group's box, or of a cluster: on the screen, relative to the origin.
  inspector::LayoutRect toggle_of_box(int32_t box) const;
  inspector::LayoutRect toggle_of_cluster(int32_t cluster) const;
  ImU32 color_of(const GraphBox& box) const;

 private:
  inspector::LayoutRect on_screen(const inspector::LayoutRect& r) const;
  void draw_cluster(Canvas& canvas, ImVec2 origin, int32_t cluster, const inspector::LayoutRect& piece) const;
  /// Over the links, on a ground of its own.
  void draw_title(Canvas& canvas, ImVec2 origin, int32_t cluster, std::vector<ImVec4>* texts) const;
  /// "≈ 1.28 ms  3.1%".
  std::string time_text(double ns, bool estimate) const;
  void draw_continued(Canvas& canvas, ImVec2 origin, std::vector<ImVec4>* texts) const;
  void draw_link(Canvas& canvas, ImVec2 origin, size_t link) const;
  /// It leads to or from what is selected or pointed at.
  bool is_strong(size_t link) const;
  void draw_link_label(Canvas& canvas, ImVec2 origin, size_t link, std::vector<ImVec4>* texts) const;
  ImU32 color_of_cluster(const GraphGroup& group) const;
  void draw_costliest(Canvas& canvas, ImVec2 origin, std::vector<ImVec4>* texts) const;
  void draw_name_alone(Canvas& canvas, ImVec2 a, ImVec2 b, float left, ImU32 color, const GraphBox& box) const;
  void draw_label_alone(Canvas& canvas, ImVec2 a, ImVec2 b, float left, const GraphGroup& g,
                        std::vector<ImVec4>* texts) const;
  ImVec2 free_place(ImVec2 origin, int32_t box, ImVec2 a, ImVec2 b, ImVec2 extent) const;
  void draw_box(Canvas& canvas, ImVec2 origin, size_t box) const;
  void draw_toggle(Canvas& canvas, ImVec2 origin, const inspector::LayoutRect& at, bool open) const;
};

/// As text_in_box, in the size of the drawing.
void scaled_text(Canvas& canvas, ImVec2 a, ImVec2 b, ImU32 color, std::string_view text, float size);

}  // namespace et::gui
