#include "gui/panels/graph_minimap.h"

#include <algorithm>
#include <map>
#include <set>

#include "gui/widgets/box_walk.h"
#include "gui/widgets/theme.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::LayoutPoint;
using inspector::LayoutRect;

namespace {

constexpr float kNearlyAll = 1.2F;  // of the view
constexpr float kMapMargin = 8, kMapWide = 200, kMapHigh = 200, kMapLeast = 84;

/// Of the graph in the map's rectangle. Graphs are long: then the map is stretched, so that its boxes can be told
/// apart.
LayoutPoint map_zoom(const GraphViewModel& model, const LayoutRect& map) {
  return {map.width() / std::max(1.0F, model.layout().width), map.height() / std::max(1.0F, model.layout().height)};
}

}  // namespace

LayoutRect GraphMinimap::place(const GraphViewModel& model, ImVec2 origin, ImVec2 room) const {
  const float width = model.layout().width, height = model.layout().height, zoom = model.camera.zoom;
  // Where nearly all is seen, and in a small view, it would hide more than it shows.
  const bool all = width * zoom <= room.x * kNearlyAll && height * zoom <= room.y * kNearlyAll;
  if (all || width <= 0 || height <= 0 || room.x < scaled(kMapLeast) * 6 || room.y < scaled(kMapLeast) * 6) return {};
  const float most_high = std::min(scaled(kMapHigh), room.y * 0.3F),
              most_wide = std::min(scaled(kMapWide), room.x * 0.3F);
  const float fit = std::min(most_wide / width, most_high / height);
  const LayoutPoint size = {std::max(scaled(kMapLeast), width * fit), std::max(scaled(kMapLeast), height * fit)};
  const float margin = scaled(kMapMargin);
  const LayoutPoint begin = {corner_ % 2 == 0 ? origin.x + room.x - margin - size.x : origin.x + margin,
                             corner_ < 2 ? origin.y + room.y - margin - size.y : origin.y + margin};
  return {begin, {begin.x + size.x, begin.y + size.y}};
}

// Where it covers nothing, if there is such a corner; it stays where it is as long as it can.
void GraphMinimap::choose_corner(const GraphViewModel& model, const std::vector<bool>& selected, ImVec2 origin,
                                 ImVec2 room) {
  const auto covered = [&](int corner) {
    corner_ = corner;
    const LayoutRect map = place(model, origin, room);
    const LayoutPoint a = model.camera.to_graph({map.min.x - origin.x, map.min.y - origin.y});
    const LayoutPoint b = model.camera.to_graph({map.max.x - origin.x, map.max.y - origin.y});
    const auto is_under = [&](const LayoutRect& r) {
      return r.min.x < b.x && r.max.x > a.x && r.min.y < b.y && r.max.y > a.y;
    };
    // What is selected counts for many; of a frame its title and its button.
    constexpr int64_t kSelected = 100;
    constexpr float kTitleWide = 200, kTitleHigh = 26;
    int64_t out = 0;
    const auto& boxes = model.layout().boxes;
    for (size_t i = 0; i < boxes.size(); ++i) {
      if (is_under(boxes[i])) out += i < selected.size() && selected[i] ? kSelected : 1;
    }
    for (const LayoutRect& r : model.layout().clusters)
      out += is_under({r.min, {std::min(r.max.x, r.min.x + kTitleWide), r.min.y + kTitleHigh}}) ? 1 : 0;
    return out;
  };
  const int before = corner_;
  int best = before;
  auto least = covered(before);
  for (int corner = 0; corner < 4 && least > 0; ++corner) {
    // Rather one that covers less, but only a corner that is free, or much freer, is worth a move.
    if (const auto there = covered(corner); there * 2 < least) least = there, best = corner;
  }
  corner_ = best;
}

bool GraphMinimap::move(GraphViewModel* model, const std::vector<bool>& selected, ImVec2 origin, ImVec2 room,
                        bool hovered) {
  LayoutRect map = place(*model, origin, room);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool in_use = held_ || walked_ || map.contains(LayoutPoint{mouse.x, mouse.y});
  if (!in_use && map.width() > 0) {
    choose_corner(*model, selected, origin, room);
    map = place(*model, origin, room);
  }
  const bool over = hovered && map.contains(LayoutPoint{mouse.x, mouse.y});
  if (over && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) held_ = true;
  if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) held_ = false;
  if (held_) {
    const LayoutPoint zoom = map_zoom(*model, map);
    if (zoom.x > 0 && zoom.y > 0)
      model->camera.center({(mouse.x - map.min.x) / zoom.x, (mouse.y - map.min.y) / zoom.y}, room.x, room.y);
  }
  return over || held_;
}

void GraphMinimap::walk(GraphViewModel* model, ImVec2 origin, ImVec2 room) {
  walked_ = false;
  const LayoutRect map = place(*model, origin, room);
  if (map.width() <= 0) return;
  constexpr float kPart = 14;  // points, about
  const int across = std::max(1, static_cast<int>(map.width() / scaled(kPart)));
  const int down = std::max(1, static_cast<int>(map.height() / scaled(kPart)));
  const ImVec2 part = {map.width() / static_cast<float>(across), map.height() / static_cast<float>(down)};
  const auto boxes = [=] {
    std::vector<WalkBox> out;
    for (int i = 0; i < across * down; ++i) {
      const ImVec2 a = {map.min.x + part.x * static_cast<float>(i % across),
                        map.min.y + part.y * static_cast<float>(i / across)};
      out.push_back({i, a, {a.x + part.x, a.y + part.y}});
    }
    return out;
  };
  const LayoutPoint zoom = map_zoom(*model, map);
  const GraphCamera& camera = model->camera;
  const float x = (camera.x + room.x / camera.zoom / 2) * zoom.x / part.x;
  const float y = (camera.y + room.y / camera.zoom / 2) * zoom.y / part.y;
  const auto begins_at = [=](int64_t key) {
    return key % across == static_cast<int64_t>(std::clamp(x, 0.0F, static_cast<float>(across - 1))) &&
           key / across == static_cast<int64_t>(std::clamp(y, 0.0F, static_cast<float>(down - 1)));
  };
  ImGui::SetCursorScreenPos({map.min.x, map.min.y});
  const ImGuiID stop = walk_stop("##map", {map.width(), map.height()});
  const BoxWalk keys({.boxes = boxes, .begins_at = begins_at, .reveal = [](const WalkBox&) {}}, stop);
  walked_ = static_cast<bool>(keys);
  if (!walked_ || !ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  const ImVec2 at = ImGui::GetIO().MousePos;
  model->camera.center({(at.x - map.min.x) / zoom.x, (at.y - map.min.y) / zoom.y}, room.x, room.y);
}

void GraphMinimap::draw(Canvas& canvas, const GraphPainter& painter, ImVec2 origin, ImVec2 room) const {
  const GraphViewModel& model = painter.model;
  const LayoutRect map = place(model, origin, room);
  if (map.width() <= 0) return;
  const LayoutPoint zoom = map_zoom(model, map);
  const ImVec2 a = {map.min.x, map.min.y}, b = {map.max.x, map.max.y};
  canvas.fill(a, b, with_alpha(theme().surface, 0.94F), 3);
  canvas.push_clip(a, b);
  const auto on_map = [&](LayoutPoint p) { return ImVec2{a.x + p.x * zoom.x, a.y + p.y * zoom.y}; };
  for (const LayoutRect& r : model.layout().clusters) {
    canvas.fill(on_map(r.min), on_map(r.max), with_alpha(theme().muted, 0.1F));
  }
  for (const auto& [cluster, r] : model.layout().pieces) {
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

namespace {

std::set<std::string> shown_backends(const GraphViewModel& model) {
  std::set<std::string> out;
  for (const GraphBox& box : model.drawn().boxes) {
    if (!box.backend.empty()) out.insert(box.backend);
  }
  return out;
}

}  // namespace

GraphLegend graph_legend(const GraphPainter& painter) {
  GraphLegend out;
  const GraphViewModel& model = painter.model;
  if (painter.coloring == GraphColoring::Cost) {
    constexpr int kSteps = 6;
    if (!(model.scale_end() > 0)) return out;
    for (int i = 0; i < kSteps; ++i) {
      out.rows.emplace_back(cost_color(static_cast<double>(i) / (kSteps - 1)), "");
    }
    const auto time = [&](double ns) { return inspector::format_duration_with_unit(ns, model.graph()->unit); };
    out.end = time(model.scale_end());
    out.hottest = time(model.hottest());
    out.hottest_at = model.cost_level(model.hottest());
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
      name = box.title;
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

float graph_legend_height() { return ImGui::GetTextLineHeight() + scaled(8); }

void draw_graph_legend(Canvas& canvas, const GraphPainter& painter, ImVec2 at, float width) {
  const GraphLegend legend = graph_legend(painter);
  const float line = ImGui::GetTextLineHeight(), square = line * 0.7F, pad = scaled(6), end = at.x + width;
  const float y = at.y + scaled(5);
  float x = at.x + scaled(2);
  const auto box = [&](ImU32 color, float wide) {
    canvas.fill({x, y + line * 0.15F}, {x + wide, y + line * 0.85F}, color, 2);
    x += wide;
  };
  const auto word = [&](const std::string& text) {
    canvas.text({x + pad / 2, y}, theme().muted, text);
    x += pad / 2 + text_width(text) + pad * 1.5F;
  };
  // Boxes have an edge in the colour of the backend that runs them.
  const auto edges = [&] {
    if (painter.coloring == GraphColoring::Delegate) return;
    for (const std::string& backend : shown_backends(painter.model)) {
      const std::string text = "border: " + inspector::printable(backend);
      if (x + square + pad * 2 + text_width(text) > end) return;
      canvas.frame({x, y + line * 0.15F}, {x + square, y + line * 0.85F}, backend_color(backend), 2, 2);
      x += square;
      word(text);
    }
  };
  if (painter.coloring == GraphColoring::Cost) {
    // A group costs more than a node: then the mark says where the costliest node is.
    const bool group = legend.hottest_at < 1 && !legend.rows.empty();
    const float step = scaled(18);
    const std::string none = "no time", node = group ? "| costliest op " + legend.hottest : "";
    std::string most = legend.end + (group ? ", costliest closed group" : ", costliest op");
    const auto wide = [&] {
      float all = text_width(none) + text_width(most) + step * 6 + pad * 7 + square + (group ? text_width(node) : 0);
      for (const std::string& backend : shown_backends(painter.model))
        all += text_width("border: " + backend) + square + pad * 2;
      return x + all > end;
    };
    const bool brief = wide();
    if (brief) most = legend.end;
    box(theme().grid, square);
    word(none);
    const float begin = x;
    for (const auto& [color, name] : legend.rows) box(color, step);
    if (group) {
      const float at_node = begin + (x - begin) * static_cast<float>(legend.hottest_at);
      canvas.line({at_node, y}, {at_node, y + line}, theme().text, 2);
    }
    word(legend.rows.empty() ? "no op has a time" : most);
    if (group && x + text_width(node) <= end) word(node);
    return edges();
  }
  for (const auto& [color, name] : legend.rows) {
    if (x + square + pad * 2 + text_width(name) > end) return;
    if (color != 0) box(color, square);
    word(name);
  }
  edges();
}

}  // namespace et::gui
