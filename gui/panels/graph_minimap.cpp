#include "gui/panels/graph_minimap.h"

#include <algorithm>
#include <map>

#include "gui/widgets/theme.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::LayoutPoint;
using inspector::LayoutRect;

namespace {

constexpr float kMapMargin = 8, kMapWide = 190, kMapHigh = 150;

/// Of the graph in the map's rectangle.
float map_zoom(const GraphViewModel& model, const LayoutRect& map) {
  return std::min(map.width() / std::max(1.0F, model.layout().width),
                  map.height() / std::max(1.0F, model.layout().height));
}

}  // namespace

LayoutRect GraphMinimap::place(const GraphViewModel& model, ImVec2 origin, ImVec2 room) const {
  const float width = model.layout().width, height = model.layout().height, zoom = model.camera.zoom;
  const bool all = width * zoom <= room.x + 1 && height * zoom <= room.y + 1;
  if (all || width <= 0 || height <= 0 || room.x < scaled(kMapWide) * 2 || room.y < scaled(kMapHigh) * 1.5F) return {};
  const float fit = std::min(scaled(kMapWide) / width, scaled(kMapHigh) / height);
  const LayoutPoint size = {std::max(scaled(24), width * fit), std::max(scaled(24), height * fit)};
  const LayoutPoint end = {origin.x + room.x - scaled(kMapMargin), origin.y + room.y - scaled(kMapMargin)};
  return {{end.x - size.x, end.y - size.y}, end};
}

bool GraphMinimap::move(GraphViewModel* model, ImVec2 origin, ImVec2 room, bool hovered) {
  const LayoutRect map = place(*model, origin, room);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = hovered && map.contains(LayoutPoint{mouse.x, mouse.y});
  if (over && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) held_ = true;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) held_ = false;
  if (held_) {
    const float zoom = map_zoom(*model, map);
    if (zoom > 0) model->camera.center({(mouse.x - map.min.x) / zoom, (mouse.y - map.min.y) / zoom}, room.x, room.y);
  }
  return over || held_;
}

void GraphMinimap::draw(Canvas& canvas, const GraphPainter& painter, ImVec2 origin, ImVec2 room) const {
  const GraphViewModel& model = painter.model;
  const LayoutRect map = place(model, origin, room);
  if (map.width() <= 0) return;
  const float zoom = map_zoom(model, map);
  const ImVec2 a = {map.min.x, map.min.y}, b = {map.max.x, map.max.y};
  canvas.fill(a, b, with_alpha(theme().surface, 0.94F), 3);
  canvas.push_clip(a, b);
  const auto on_map = [&](LayoutPoint p) { return ImVec2{a.x + p.x * zoom, a.y + p.y * zoom}; };
  for (const LayoutRect& r : model.layout().clusters) {
    canvas.fill(on_map(r.min), on_map(r.max), with_alpha(theme().muted, 0.1F));
  }
  for (size_t i = 0; i < model.layout().boxes.size(); ++i) {
    const LayoutRect& r = model.layout().boxes[i];
    ImVec2 p = on_map(r.min), q = on_map(r.max);
    q = {std::max(q.x, p.x + 1), std::max(q.y, p.y + 1)};
    const bool marked = painter.selected[i] || (!painter.found.empty() && painter.found[i]);
    const ImU32 color = painter.color_of(model.drawn().boxes[i]);
    canvas.fill(p, q, marked ? theme().selection : color == theme().grid ? with_alpha(theme().muted, 0.5F) : color);
  }
  const GraphCamera& camera = model.camera;
  const ImVec2 left = on_map({camera.x, camera.y});
  const ImVec2 right = on_map({camera.x + room.x / camera.zoom, camera.y + room.y / camera.zoom});
  canvas.frame({std::max(left.x, a.x + 1), std::max(left.y, a.y + 1)},
               {std::min(right.x, b.x - 1), std::min(right.y, b.y - 1)}, theme().selection, 1.5F);
  canvas.pop_clip();
  canvas.frame(a, b, theme().grid, 1, 3);
}

GraphLegend graph_legend(const GraphPainter& painter) {
  GraphLegend out;
  const GraphViewModel& model = painter.model;
  if (painter.coloring == GraphColoring::Cost) {
    constexpr int kSteps = 6;
    if (!(model.hottest() > 0)) return out;
    for (int i = 0; i < kSteps; ++i) {
      out.rows.emplace_back(cost_color(static_cast<double>(i) / (kSteps - 1)), "");
    }
    out.hottest = inspector::format_duration_with_unit(model.hottest(), model.graph()->unit);
    return out;
  }
  // The most frequent ones; names of what has a colour of its own.
  constexpr size_t kMostRows = 7;
  std::map<std::string, std::pair<ImU32, int>> found;
  for (const GraphBox& box : model.drawn().boxes) {
    if (box.kind == GraphBox::Kind::Input || box.kind == GraphBox::Kind::Output) continue;
    std::string name;
    if (painter.coloring == GraphColoring::Delegate) {
      const bool group = box.kind == GraphBox::Kind::Group;
      const bool control = !group && !model.graph()->nodes[static_cast<size_t>(box.index)].bodies.empty();
      name = !box.backend.empty() ? box.backend : group ? "mixed" : control ? "control flow" : "runtime kernels";
    } else if (box.kind == GraphBox::Kind::Group) {
      const GraphGroup& g = model.groups()[static_cast<size_t>(box.index)];
      name = g.detail.empty() ? g.label : g.detail;
    } else {
      name = short_operator(model.graph()->nodes[static_cast<size_t>(box.index)].op);
    }
    auto& [color, count] = found.try_emplace(name, painter.color_of(box), 0).first->second;
    ++count;
  }
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [name, entry] : found) order.emplace_back(-entry.second, name);
  std::sort(order.begin(), order.end());
  for (const auto& [count, name] : order) {
    if (out.rows.size() == kMostRows) {
      out.rows.emplace_back(0, "and " + std::to_string(order.size() - kMostRows) + " more");
      break;
    }
    out.rows.emplace_back(found[name].first, inspector::printable(name));
  }
  return out;
}

void draw_graph_legend(Canvas& canvas, const GraphPainter& painter, ImVec2 origin, ImVec2 room) {
  const GraphLegend legend = graph_legend(painter);
  if (legend.rows.empty() || room.x < scaled(260) || room.y < scaled(160)) return;
  const float line = ImGui::GetTextLineHeight(), square = line * 0.7F, pad = scaled(6);
  const ImVec2 low = {origin.x + scaled(kMapMargin), origin.y + room.y - scaled(kMapMargin)};
  if (painter.coloring == GraphColoring::Cost) {
    const std::string from = "time: none";
    std::string to = legend.hottest + " (costliest box shown)";
    const float step = scaled(18), bar = step * static_cast<float>(legend.rows.size());
    const auto needed = [&] { return text_width(from) + bar + text_width(to) + pad * 4 + square; };
    const float most = room.x - scaled(kMapMargin) * 3 - scaled(kMapWide);
    if (needed() > most) to = legend.hottest;
    const float width = needed();
    if (width > room.x - scaled(kMapMargin) * 2) return;
    const ImVec2 a = {low.x, low.y - line - pad};
    canvas.fill(a, {a.x + width, low.y}, with_alpha(theme().surface, 0.94F), 3);
    float x = a.x + pad;
    const float y = a.y + pad / 2;
    canvas.fill({x, y + line * 0.15F}, {x + square, y + line * 0.85F}, theme().grid, 2);
    x += square + pad / 2;
    canvas.text({x, y}, theme().muted, from);
    x += text_width(from) + pad;
    for (const auto& [color, name] : legend.rows) {
      canvas.fill({x, y + line * 0.15F}, {x + step, y + line * 0.85F}, color);
      x += step;
    }
    canvas.text({x + pad, y}, theme().muted, to);
    return;
  }
  float width = 0;
  for (const auto& [color, name] : legend.rows) width = std::max(width, text_width(name));
  const float height = line * static_cast<float>(legend.rows.size()) + pad;
  ImVec2 at = {low.x, low.y - height};
  canvas.fill(at, {at.x + width + square + pad * 3, low.y}, with_alpha(theme().surface, 0.94F), 3);
  at = {at.x + pad, at.y + pad / 2};
  for (const auto& [color, name] : legend.rows) {
    if (color != 0) canvas.fill({at.x, at.y + line * 0.15F}, {at.x + square, at.y + line * 0.85F}, color, 2);
    canvas.text({at.x + square + pad, at.y}, theme().muted, name);
    at.y += line;
  }
}

}  // namespace et::gui
