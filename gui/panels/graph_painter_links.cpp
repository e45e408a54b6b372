// Links of the graph, and what flows there.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "gui/panels/graph_painter.h"
#include "gui/widgets/theme.h"

namespace et::gui {

using inspector::LayoutPoint;
using inspector::LayoutRect;

namespace {

ImVec2 screen_point(ImVec2 origin, LayoutPoint p) { return {origin.x + p.x, origin.y + p.y}; }

}  // namespace

void GraphPainter::draw_link(Canvas& canvas, ImVec2 origin, size_t index) const {
  const auto& points = model.layout().edges[index];
  if (points.size() < 4) return;
  float left = points[0].x, right = left, top = points[0].y, bottom = top;
  for (const LayoutPoint& p : points) {
    left = std::min(left, p.x);
    right = std::max(right, p.x);
    top = std::min(top, p.y);
    bottom = std::max(bottom, p.y);
  }
  const LayoutRect box = on_screen({{left, top}, {right, bottom}});
  if (origin.x + box.max.x < canvas.min().x || origin.x + box.min.x > canvas.max().x ||
      origin.y + box.max.y < canvas.min().y || origin.y + box.min.y > canvas.max().y) {
    return;
  }
  const GraphLink& link = model.drawn().links[index];
  const bool strong = is_strong(index);
  const ImU32 color = strong ? theme().selection : link.control ? theme().control : with_alpha(theme().muted, 0.8F);
  const float thickness = strong ? 1.8F : 1.1F;
  // Long pieces get more points.
  static thread_local std::vector<ImVec2> line;
  line.clear();
  line.push_back(screen_point(origin, camera.to_screen(points[0])));
  for (size_t i = 0; i + 3 < points.size(); i += 3) {
    const float length =
        (std::abs(points[i + 3].x - points[i].x) + std::abs(points[i + 3].y - points[i].y)) * camera.zoom;
    const int steps = std::clamp(static_cast<int>(length / 14), 2, 16);
    for (int s = 1; s <= steps; ++s) {
      const LayoutPoint p = curve_point(&points[i], static_cast<float>(s) / static_cast<float>(steps));
      line.push_back(screen_point(origin, camera.to_screen(p)));
    }
  }
  canvas.polyline(line, color, thickness);
  const float head = std::clamp(6 * camera.zoom, 2.0F, 9.0F);
  const ImVec2 tip = line.back(), before = line[line.size() - 2];
  const float dx = tip.x - before.x, dy = tip.y - before.y, norm = std::sqrt(dx * dx + dy * dy);
  if (norm > 0.1F && head > 2.5F) {
    const ImVec2 back = {tip.x - dx / norm * head * 1.4F, tip.y - dy / norm * head * 1.4F};
    const ImVec2 side = {-dy / norm * head * 0.5F, dx / norm * head * 0.5F};
    const std::array<ImVec2, 3> triangle = {
        {tip, {back.x + side.x, back.y + side.y}, {back.x - side.x, back.y - side.y}}};
    canvas.polygon(triangle, color);
  }
}

// What flows there, of the links of what is selected or pointed at: all at once would cover each other. Where the link
// has no free place beside boxes, titles and other labels it has none, unless it is the one that is pointed at.
void GraphPainter::draw_link_label(Canvas& canvas, ImVec2 origin, size_t index, std::vector<ImVec4>* texts) const {
  const GraphLink& link = model.drawn().links[index];
  const auto& points = model.layout().edges[index];
  const float size = GraphViewModel::kSmallText * camera.zoom;
  if (!is_strong(index) || link.label.empty() || points.size() < 4 || size < kLegibleText) return;
  const float wide = text_width(link.label, size);
  const auto place_at = [&](size_t first, float part) {
    const ImVec2 middle = screen_point(origin, camera.to_screen(curve_point(&points[first], part)));
    return ImVec4(middle.x - wide / 2 - 3, middle.y - size / 2 - 2, middle.x + wide / 2 + 3, middle.y + size / 2 + 3);
  };
  const auto overlap = [](const ImVec4& p, const ImVec4& q) {
    return p.x < q.z && q.x < p.z && p.y < q.w && q.y < p.w;
  };
  const auto is_free = [&](const ImVec4& place) {
    if (std::any_of(texts->begin(), texts->end(), [&](const ImVec4& t) { return overlap(place, t); })) return false;
    return std::none_of(model.layout().boxes.begin(), model.layout().boxes.end(), [&](const auto& box) {
      const LayoutRect r = on_screen(box);
      const ImVec2 a = screen_point(origin, r.min), b = screen_point(origin, r.max);
      return overlap(place, {a.x, a.y, b.x, b.y});
    });
  };
  // From the middle outwards.
  const size_t pieces = points.size() / 3, middle = std::min((pieces / 2) * 3, points.size() - 4);
  ImVec4 place = place_at(middle, 0.5F);
  bool is_placed = is_free(place);
  for (size_t away = 0; away < pieces && !is_placed; ++away) {
    for (const size_t first : {middle + 3 * away, middle - 3 * std::min(away, middle / 3)}) {
      if (first + 3 >= points.size()) continue;
      for (const float part : {0.5F, 0.3F, 0.7F, 0.1F, 0.9F}) {
        if (is_placed) break;
        const ImVec4 other = place_at(first, part);
        is_placed = is_free(other);
        if (is_placed) place = other;
      }
    }
  }
  if (!is_placed && static_cast<int32_t>(index) != hovered_link) return;
  texts->push_back(place);
  canvas.fill({place.x, place.y}, {place.z, place.w}, with_alpha(theme().background, 0.92F), 3);
  canvas.text({place.x + 3, place.y + 2}, theme().text, link.label, size, Anchor::Left);
}

bool GraphPainter::is_strong(size_t index) const {
  const GraphLink& link = model.drawn().links[index];
  const auto near = [&](int32_t b) { return b == hovered_box || selected[static_cast<size_t>(b)]; };
  return near(link.from) || near(link.to) || static_cast<int32_t>(index) == hovered_link;
}

}  // namespace et::gui
