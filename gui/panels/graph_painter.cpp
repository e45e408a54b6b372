#include "gui/panels/graph_painter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/widgets/theme.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::LayoutPoint;
using inspector::LayoutRect;

namespace {

constexpr float kText = GraphViewModel::kText, kSmallText = GraphViewModel::kSmallText;
constexpr float kLeastName = 10;    // points: names stay when the rest of a box is too small to be read
constexpr float kSmallestRead = 7;  // points: below it names are all that a box says
constexpr float kToggle = 13;
constexpr int kFewestLetters = 5;  // of a cut text: less says nothing

ImVec2 at(ImVec2 origin, LayoutPoint p) { return {origin.x + p.x, origin.y + p.y}; }

}  // namespace

void scaled_text(Canvas& canvas, ImVec2 a, ImVec2 b, ImU32 color, std::string_view text, float size) {
  if (size < kLegibleText || text.empty()) return;
  // Of a box that is only seen in part the text stays in what is seen.
  constexpr float kEdge = 4;
  a.x = std::max(a.x, canvas.min().x + kEdge);
  b.x = std::min(b.x, canvas.max().x - kEdge);
  const float room = b.x - a.x;
  std::string shown = inspector::printable(text);
  if (text_width(shown, size) > room) {
    int low = 1, high = inspector::text_width(shown);
    while (low + 1 < high) {
      const int middle = (low + high) / 2;
      (text_width(inspector::shorten_middle(shown, middle), size) <= room ? low : high) = middle;
    }
    if (low < kFewestLetters) return;
    shown = inspector::shorten_middle(shown, low);
  }
  canvas.text({a.x, a.y + (b.y - a.y - size) / 2}, color, shown, size);
}

LayoutRect GraphPainter::on_screen(const LayoutRect& r) const {
  return {camera.to_screen(r.min), camera.to_screen(r.max)};
}

LayoutRect GraphPainter::toggle_of_box(int32_t box) const {
  const LayoutRect r = on_screen(model.layout().boxes[static_cast<size_t>(box)]);
  const float size = kToggle * camera.zoom, margin = 5 * camera.zoom;
  return {{r.min.x + margin, r.min.y + margin}, {r.min.x + margin + size, r.min.y + margin + size}};
}

LayoutRect GraphPainter::toggle_of_cluster(int32_t cluster) const {
  const LayoutRect r = on_screen(model.layout().clusters[static_cast<size_t>(cluster)]);
  const float size = kToggle * camera.zoom, margin = 4 * camera.zoom;
  // Of a cluster that begins left of the view it stays in sight.
  const float left = std::max(r.min.x + margin, std::min(margin, r.max.x - margin - size));
  return {{left, r.min.y + margin}, {left + size, r.min.y + margin + size}};
}

ImU32 GraphPainter::color_of(const GraphBox& box) const {
  if (box.kind == GraphBox::Kind::Input || box.kind == GraphBox::Kind::Output) return theme().grid;
  switch (coloring) {
    case GraphColoring::Cost:
      return box.ns > 0 ? cost_color(model.cost_level(box.ns)) : theme().grid;
    case GraphColoring::Delegate: {
      if (!box.backend.empty()) return backend_color(box.backend);
      if (box.kind == GraphBox::Kind::Group) return theme().framework;
      const auto& node = model.graph()->nodes[static_cast<size_t>(box.index)];
      return node.bodies.empty() ? theme().kernel : theme().control;
    }
    case GraphColoring::Type:
      break;
  }
  return type_color(box.type);
}

void GraphPainter::draw(Canvas& canvas, ImVec2 origin) const {
  const auto& scene = model.drawn();
  const auto& layout = model.layout();
  for (size_t c = 0; c < scene.clusters.size(); ++c) {
    const auto cluster = static_cast<int32_t>(c);
    draw_cluster(canvas, origin, cluster, layout.clusters[c]);
    for (const auto& [of, piece] : layout.pieces) {
      if (of == cluster) draw_cluster(canvas, origin, cluster, piece);
    }
  }
  for (size_t l = 0; l < scene.links.size(); ++l) draw_link(canvas, origin, l);
  std::vector<ImVec4> texts;  // where a label of a link would cover one
  for (size_t c = 0; c < scene.clusters.size(); ++c) draw_title(canvas, origin, static_cast<int32_t>(c), &texts);
  draw_continued(canvas, origin, &texts);
  for (size_t b = 0; b < scene.boxes.size(); ++b) draw_box(canvas, origin, b);
  if (coloring == GraphColoring::Cost) draw_costliest(canvas, origin, &texts);
  for (size_t l = 0; l < scene.links.size(); ++l) draw_link_label(canvas, origin, l, &texts);
}

// Where to look first.
void GraphPainter::draw_costliest(Canvas& canvas, ImVec2 origin, std::vector<ImVec4>* texts) const {
  const int32_t box = model.longest_box();
  if (box < 0) return;
  const LayoutRect r = on_screen(model.layout().boxes[static_cast<size_t>(box)]);
  const ImVec2 a = at(origin, r.min), b = at(origin, r.max);
  const float size = kSmallText * camera.zoom;
  canvas.frame({a.x - 3, a.y - 3}, {b.x + 3, b.y + 3}, theme().warning, 2, 5 * camera.zoom);
  if (size < kLegibleText) return;
  const bool group = model.drawn().boxes[static_cast<size_t>(box)].kind == GraphBox::Kind::Group;
  const char* const name = group ? "costliest closed group" : "costliest op";
  const ImVec2 extent = {text_width(name, size) + 8, size + 5};
  const ImVec2 corner = free_place(origin, box, a, b, extent);
  texts->emplace_back(corner.x, corner.y, corner.x + extent.x, corner.y + extent.y);
  canvas.fill(corner, {corner.x + extent.x, corner.y + extent.y}, theme().warning, 3);
  canvas.text({corner.x + 4, corner.y + 2}, text_on(theme().warning), name, size);
}

// Beside the frame of a box where no other box and no title is; below it where everything is taken.
ImVec2 GraphPainter::free_place(ImVec2 origin, int32_t box, ImVec2 a, ImVec2 b, ImVec2 extent) const {
  const float gap = 3;
  const std::array<ImVec2, 6> places = {{{a.x - gap, b.y + gap},
                                         {b.x + gap - extent.x, b.y + gap},
                                         {b.x + gap, a.y - gap},
                                         {a.x - gap - extent.x, a.y - gap},
                                         {b.x + gap - extent.x, a.y - gap - extent.y},
                                         {a.x - gap, a.y - gap - extent.y}}};
  const auto meets = [&](ImVec2 at_corner, const LayoutRect& r) {
    const ImVec2 low = at(origin, r.min), high = at(origin, r.max);
    return at_corner.x < high.x && at_corner.x + extent.x > low.x && at_corner.y < high.y &&
           at_corner.y + extent.y > low.y;
  };
  const auto is_free = [&](ImVec2 corner) {
    const auto& layout = model.layout();
    for (size_t other = 0; other < layout.boxes.size(); ++other) {
      if (static_cast<int32_t>(other) != box && meets(corner, on_screen(layout.boxes[other]))) return false;
    }
    for (size_t c = 0; c < layout.clusters.size(); ++c) {
      // Its title: a line at its top.
      const LayoutRect whole = on_screen(layout.clusters[c]), toggle = toggle_of_cluster(static_cast<int32_t>(c));
      if (meets(corner, {whole.min, {whole.max.x, toggle.max.y + 2}})) return false;
    }
    return true;
  };
  const auto* const place = std::find_if(places.begin(), places.end(), is_free);
  return place == places.end() ? places[0] : *place;
}

void GraphPainter::draw_toggle(Canvas& canvas, ImVec2 origin, const LayoutRect& r, bool open) const {
  if (r.width() < 5) return;
  const ImVec2 a = at(origin, r.min), b = at(origin, r.max), middle = {(a.x + b.x) / 2, (a.y + b.y) / 2};
  canvas.fill(a, b, theme().background, 2);
  canvas.frame(a, b, theme().muted, 1, 2);
  const float arm = r.width() * 0.28F;
  canvas.line({middle.x - arm, middle.y}, {middle.x + arm, middle.y}, theme().text, 1.5F);
  if (!open) canvas.line({middle.x, middle.y - arm}, {middle.x, middle.y + arm}, theme().text, 1.5F);
}

ImU32 GraphPainter::color_of_cluster(const GraphGroup& g) const {
  if (g.kind == GraphGroup::Kind::Part) return backend_color(g.detail);
  return g.kind == GraphGroup::Kind::Body ? theme().control : theme().muted;
}

void GraphPainter::draw_cluster(Canvas& canvas, ImVec2 origin, int32_t cluster, const LayoutRect& piece) const {
  const LayoutRect r = on_screen(piece);
  const ImVec2 a = at(origin, r.min), b = at(origin, r.max);
  if (b.x < canvas.min().x || a.x > canvas.max().x || b.y < canvas.min().y || a.y > canvas.max().y) return;
  const GraphGroup& g = model.groups()[static_cast<size_t>(model.drawn().clusters[static_cast<size_t>(cluster)])];
  const bool module = g.kind == GraphGroup::Kind::Module;
  const ImU32 color = color_of_cluster(g);
  canvas.fill(a, b, with_alpha(color, module ? 0.07F : 0.13F), 5 * camera.zoom);
  const bool hovered = cluster == hovered_cluster;
  canvas.frame(a, b, hovered ? theme().hover : with_alpha(color, module ? 0.45F : 0.9F),
               g.kind == GraphGroup::Kind::Part ? 1.8F : 1, 5 * camera.zoom);
}

void GraphPainter::draw_title(Canvas& canvas, ImVec2 origin, int32_t cluster, std::vector<ImVec4>* texts) const {
  const LayoutRect r = on_screen(model.layout().clusters[static_cast<size_t>(cluster)]);
  const ImVec2 a = at(origin, r.min), b = at(origin, r.max);
  if (b.x < canvas.min().x || a.x > canvas.max().x || b.y < canvas.min().y || a.y > canvas.max().y) return;
  const GraphGroup& g = model.groups()[static_cast<size_t>(model.drawn().clusters[static_cast<size_t>(cluster)])];
  const bool module = g.kind == GraphGroup::Kind::Module;
  const LayoutRect toggle = toggle_of_cluster(cluster);
  draw_toggle(canvas, origin, toggle, true);
  if (kSmallText * camera.zoom < kSmallestRead * scaled(1))
    return draw_label_alone(canvas, a, b, origin.x + toggle.max.x, g, texts);
  const float size = kSmallText * camera.zoom, pad = 4 * camera.zoom;
  const float left = origin.x + toggle.max.x + 5 * camera.zoom, top = at(origin, toggle.min).y,
              bottom = at(origin, toggle.max).y;
  const float room = std::min(b.x, canvas.max().x) - 4 - left;
  if (size < kLegibleText || room < 3 * size) return;
  // The class gives way first, then the time; its time has the colour that the closed group's box has.
  const bool by_cost = g.ns > 0 && coloring == GraphColoring::Cost;
  const std::string name = inspector::printable(g.label);
  std::string label = g.detail.empty() ? name : name + "  " + inspector::printable(g.detail);
  std::string time = g.ns > 0 ? time_text(g.ns, false) : "";
  float wide = time.empty() ? 0 : text_width(time, size) + 4 * pad;
  if (text_width(label, size) + wide > room) label = name;
  if (text_width(label, size) + wide > room) time.clear(), wide = 0;
  const float middle = left + std::min(room - wide, text_width(label, size) + 3);
  canvas.fill({left - 3, top}, {middle + wide, bottom}, with_alpha(theme().background, 0.85F), 2);
  texts->emplace_back(origin.x + toggle.min.x, top, middle + wide, bottom);
  scaled_text(canvas, {left, top}, {middle, bottom}, module ? theme().muted : theme().text, label, size);
  if (time.empty()) return;
  const bool bright = by_cost && found.empty();  // a search leaves what it finds bright
  const ImU32 heat = by_cost ? cost_color(model.cost_level(g.ns)) : 0;
  if (by_cost) canvas.fill({middle + pad, top}, {middle + wide - pad, bottom}, with_alpha(heat, bright ? 1 : 0.3F), 2);
  scaled_text(canvas, {middle + 2 * pad, top}, {middle + wide, bottom}, bright ? text_on(heat) : theme().muted, time,
              size);
}

// Of an open group that is seen from afar its name, on its upper edge where no other one is.
void GraphPainter::draw_label_alone(Canvas& canvas, ImVec2 a, ImVec2 b, float left, const GraphGroup& g,
                                    std::vector<ImVec4>* texts) const {
  const float size = kLeastName * scaled(1), room = std::min(b.x, canvas.max().x) - left;
  const std::string label = inspector::printable(g.label);
  const float wide = std::min(room, text_width(label, size) + 4);
  const ImVec4 place = {left, a.y - size / 2, left + wide, a.y + size / 2 + 2};
  const bool taken = std::any_of(texts->begin(), texts->end(), [&](const ImVec4& t) {
    return place.x < t.z && t.x < place.z && place.y < t.w && t.y < place.w;
  });
  if (taken || room < 3 * size) return;
  texts->push_back(place);
  canvas.fill({place.x, place.y}, {place.z, place.w}, with_alpha(theme().background, 0.85F), 2);
  scaled_text(canvas, {place.x + 2, place.y}, {place.z, place.w}, theme().text, label, size);
}

std::string GraphPainter::time_text(double ns, bool estimate) const {
  const double total = model.graph()->total_ns;
  return (estimate ? "≈ " : "") + inspector::format_duration_with_unit(ns, model.graph()->unit) +
         (total > 0 ? "  " + inspector::format_share(ns / total) : "");
}

namespace {

/// The inner ones of "a › b › c", as many as there is room for.
std::string inner_names(const std::string& names, float room, float size) {
  static constexpr std::string_view kInside = " › ";
  std::string text = names;
  for (size_t at = names.find(kInside); at != std::string::npos && text_width(inspector::printable(text), size) > room;
       at = names.find(kInside, at + 1)) {
    text = "…" + names.substr(at);
  }
  return text;
}

}  // namespace

// Above a column that clusters go on in their names, outermost first: once, above the innermost, and no wider than the
// outermost.
void GraphPainter::draw_continued(Canvas& canvas, ImVec2 origin, std::vector<ImVec4>* texts) const {
  const float size = kSmallText * camera.zoom;
  if (size < kLegibleText) return;
  for (const auto& [cluster, piece] : model.layout().pieces) {
    const std::string names = model.continued(cluster, piece);
    if (names.empty()) continue;
    LayoutRect widest = piece;
    for (const auto& [other, r] : model.layout().pieces) {
      if (std::abs(r.min.y - piece.min.y) > 0.5F || r.min.x > widest.min.x || r.max.x < widest.max.x) continue;
      widest.min.x = r.min.x, widest.max.x = r.max.x;
    }
    const LayoutRect r = on_screen(widest);
    const ImVec2 a = at(origin, r.min), b = at(origin, r.max);
    if (b.x < canvas.min().x || a.x > canvas.max().x || a.y < canvas.min().y || a.y - size > canvas.max().y) continue;
    const float left = std::max(a.x, canvas.min().x + 6);
    const float right = std::min(b.x + 3, canvas.max().x), top = a.y - size - 5 * camera.zoom;
    canvas.fill({left - 3, top}, {right, a.y - 1}, with_alpha(theme().background, 0.85F), 2);
    texts->emplace_back(left - 3, top, right, a.y - 1);
    scaled_text(canvas, {left, top}, {right, a.y - 1}, theme().muted, inner_names(names, right - left, size), size);
  }
}

namespace {

/// "convolution" of "aten.convolution": what is the same on many boxes gives way first.
std::string name_that_fits(const std::string& title, float room, float size) {
  const std::string whole = inspector::printable(title);
  if (text_width(whole, size) <= room) return whole;
  for (const std::string_view common : {"aten.", "lowered_module_", "graph "}) {
    if (whole.starts_with(common)) return whole.substr(common.size());
  }
  return whole;
}

}  // namespace

// In the middle of the box, as large as it has room for.
void GraphPainter::draw_name_alone(Canvas& canvas, ImVec2 a, ImVec2 b, float left, ImU32 color,
                                   const GraphBox& box) const {
  const float size = std::min(std::max(kText * camera.zoom, kLeastName * scaled(1)), b.y - a.y);
  const float margin = 2;
  if (size < kLeastName * scaled(1) * 0.8F) return;
  const float begin = box.kind == GraphBox::Kind::Group ? left : a.x + margin;
  scaled_text(canvas, {begin, a.y}, {b.x - margin, b.y}, color, name_that_fits(box.title, b.x - margin - begin, size),
              size);
}

void GraphPainter::draw_box(Canvas& canvas, ImVec2 origin, size_t index) const {
  const LayoutRect r = on_screen(model.layout().boxes[index]);
  const ImVec2 a = at(origin, r.min), b = at(origin, r.max);
  if (b.x < canvas.min().x || a.x > canvas.max().x || b.y < canvas.min().y || a.y > canvas.max().y) return;
  const GraphBox& box = model.drawn().boxes[index];
  const bool group = box.kind == GraphBox::Kind::Group;
  const bool dimmed = !found.empty() && !found[index] && !selected[index];
  ImU32 color = color_of(box);
  const ImU32 ink = text_on(color);
  const float rounding = (box.kind == GraphBox::Kind::Node || group ? 4 : 14) * camera.zoom;
  if (dimmed) color = with_alpha(color, 0.3F);
  if (group) {  // a stack of boxes
    const float shift = 3 * camera.zoom;
    canvas.fill({a.x + shift, a.y + shift}, {b.x + shift, b.y + shift}, with_alpha(color, 0.45F), rounding);
  }
  canvas.fill(a, b, color, rounding);
  ImU32 edge = with_alpha(theme().text, 0.35F);
  if (!box.backend.empty()) edge = backend_color(box.backend);
  canvas.frame(a, b, edge, box.backend.empty() ? 1 : 2, rounding);
  if (selected[index]) {  // with a line of the text's colour: fills of what costs most are nearly as bright
    canvas.frame({a.x - 2, a.y - 2}, {b.x + 2, b.y + 2}, theme().selection, 2.5F, rounding + 2);
    canvas.frame({a.x - 4, a.y - 4}, {b.x + 4, b.y + 4}, theme().text, 1, rounding + 4);
    canvas.frame({a.x - 0.5F, a.y - 0.5F}, {b.x + 0.5F, b.y + 0.5F}, theme().background, 1, rounding);
  }
  if (static_cast<int32_t>(index) == hovered_box) canvas.frame(a, b, theme().hover, 1.5F, rounding);

  const float size = kText * camera.zoom, small = kSmallText * camera.zoom, margin = 7 * camera.zoom;
  float left = a.x + margin;
  if (group) {
    const LayoutRect toggle = toggle_of_box(static_cast<int32_t>(index));
    draw_toggle(canvas, origin, toggle, false);
    left = origin.x + toggle.max.x + 5 * camera.zoom;
  }
  const ImU32 text = dimmed ? theme().muted : ink;
  if (small < kSmallestRead * scaled(1)) return draw_name_alone(canvas, a, b, left, text, box);
  float y = a.y + 4 * camera.zoom;
  const float line = GraphViewModel::kLine * camera.zoom;
  scaled_text(canvas, {left, y}, {b.x - 3, y + line}, text, box.title, size);
  y += line;
  if (!box.name.empty()) {
    scaled_text(canvas, {a.x + margin, y}, {b.x - 3, y + line}, with_alpha(text, 0.92F), box.name, small);
    y += line;
  }
  if (!box.output.empty()) {
    scaled_text(canvas, {a.x + margin, y}, {b.x - 3, y + line}, with_alpha(text, 0.92F), box.output, small);
    y += line;
  }
  if (box.ns > 0) {
    const bool estimate =
        box.kind == GraphBox::Kind::Node && model.graph()->nodes[static_cast<size_t>(box.index)].is_estimate();
    scaled_text(canvas, {a.x + margin, y}, {b.x - 3, y + line}, text, time_text(box.ns, estimate), small);
  } else if (!box.fused.empty()) {
    scaled_text(canvas, {a.x + margin, y}, {b.x - 3, y + line}, with_alpha(text, 0.92F), box.fused, small);
  }
}

}  // namespace et::gui
