#include "gui/panels/graph_minimap.h"

#include <algorithm>
#include <map>
#include <set>

#include "gui/widgets/box_walk.h"
#include "gui/widgets/theme.h"
#include "inspector/match/type_family.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::LayoutPoint;
using inspector::LayoutRect;

namespace {

constexpr float kPartHigh = 0.15F, kPartWide = 0.35F;  // of the view, at most
constexpr float kMapHigh = 88, kMapLeast = 52;         // points
constexpr float kStretched = 2.5F;                     // as much wider or higher than the graph is

/// Of the graph in the map's rectangle, which may be stretched, so that its boxes can be told apart.
LayoutPoint map_zoom(const GraphViewModel& model, ImVec2 size) {
  return {size.x / std::max(1.0F, model.layout().width), size.y / std::max(1.0F, model.layout().height)};
}

}  // namespace

bool GraphMinimap::is_needed(const GraphViewModel& model, ImVec2 room) {
  const float zoom = model.camera.zoom, wide = model.layout().width * zoom, high = model.layout().height * zoom;
  const bool small = room.x < scaled(kMapLeast) * 3 || room.y < scaled(kMapLeast) * 4;
  return !small && wide > 0 && (wide > room.x || high > room.y);
}

ImVec2 GraphMinimap::size(const GraphViewModel& model, ImVec2 room) {
  const float high = std::clamp(room.y * kPartHigh, scaled(kMapLeast), scaled(kMapHigh));
  const float like_graph = high * model.layout().width / std::max(1.0F, model.layout().height);
  const float most = room.x * kPartWide;
  return {std::min(std::max(like_graph * (like_graph < most / kStretched ? kStretched : 1), high), most), high};
}

void GraphMinimap::draw(Canvas& canvas, const GraphPainter& painter, GraphCamera* camera, ImVec2 at, ImVec2 size,
                        ImVec2 room) {
  const GraphViewModel& model = painter.model;
  const ImVec2 a = at, b = {a.x + size.x, a.y + size.y};
  const LayoutPoint zoom = map_zoom(model, size);
  ImGui::SetCursorScreenPos(a);
  ImGui::InvisibleButton("##map", size, ImGuiButtonFlags_EnableNav);
  constexpr float kPart = 14;  // points, about: of the parts that keys walk
  const int across = std::max(1, static_cast<int>(size.x / scaled(kPart)));
  const int down = std::max(1, static_cast<int>(size.y / scaled(kPart)));
  const ImVec2 part = {size.x / static_cast<float>(across), size.y / static_cast<float>(down)};
  const auto boxes = [=] {
    std::vector<WalkBox> out;
    for (int i = 0; i < across * down; ++i) {
      const ImVec2 p = {a.x + part.x * static_cast<float>(i % across), a.y + part.y * static_cast<float>(i / across)};
      out.push_back({i, p, {p.x + part.x, p.y + part.y}});
    }
    return out;
  };
  const float x = (camera->x + room.x / camera->zoom / 2) * zoom.x / part.x;
  const float y = (camera->y + room.y / camera->zoom / 2) * zoom.y / part.y;
  const auto begins_at = [=](int64_t key) {
    return key % across == static_cast<int64_t>(std::clamp(x, 0.0F, static_cast<float>(across - 1))) &&
           key / across == static_cast<int64_t>(std::clamp(y, 0.0F, static_cast<float>(down - 1)));
  };
  const BoxWalk keys({.boxes = boxes, .begins_at = begins_at, .reveal = [](const WalkBox&) {}});
  walked_ = static_cast<bool>(keys);
  if (ImGui::IsItemActive() || (walked_ && ImGui::IsMouseClicked(ImGuiMouseButton_Left))) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    camera->center({(mouse.x - a.x) / zoom.x, (mouse.y - a.y) / zoom.y}, room.x, room.y);
  }
  canvas.fill(a, b, with_alpha(theme().surface, 0.94F), 3);
  canvas.push_clip(a, b);
  const auto on_map = [&](LayoutPoint p) { return ImVec2{a.x + p.x * zoom.x, a.y + p.y * zoom.y}; };
  for (const LayoutRect& r : model.layout().clusters) {
    canvas.fill(on_map(r.min), on_map(r.max), with_alpha(theme().muted, 0.1F));
  }
  for (const auto& [cluster, r] : model.layout().pieces) {
    canvas.fill(on_map(r.min), on_map(r.max), with_alpha(theme().muted, 0.1F));
  }
  std::vector<std::pair<ImVec2, ImVec2>> framed;
  for (size_t i = 0; i < model.layout().boxes.size(); ++i) {
    const LayoutRect& r = model.layout().boxes[i];
    ImVec2 p = on_map(r.min), q = on_map(r.max);
    q = {std::max(q.x, p.x + 1), std::max(q.y, p.y + 1)};
    const bool marked = painter.selected[i] || (!painter.found.empty() && painter.found[i]);
    const ImU32 color = painter.color_of(model.drawn().boxes[i]);
    canvas.fill(p, q, color == theme().grid ? with_alpha(theme().muted, 0.5F) : color);
    if (marked) framed.emplace_back(p, q);
  }
  // Over all fills, in a colour that is on no scale.
  for (const auto& [p, q] : framed) canvas.frame({p.x - 1, p.y - 1}, {q.x + 1, q.y + 1}, theme().text, scaled(1.5F));
  const ImVec2 left = on_map({camera->x, camera->y});
  const ImVec2 right = on_map({camera->x + room.x / camera->zoom, camera->y + room.y / camera->zoom});
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
    if (!(model.hottest() > 0)) return out;
    for (int i = 0; i < kSteps; ++i) {
      out.rows.emplace_back(cost_color(static_cast<double>(i) / (kSteps - 1)), "");
    }
    out.least = inspector::format_share(GraphViewModel::kLeastShare);
    out.most = "≥ " + inspector::format_real(100 * GraphViewModel::kMostShare, 0) + "%";
    out.hottest = inspector::format_duration_with_unit(model.hottest(), model.graph()->unit);
    if (model.graph()->total_ns > 0)
      out.hottest += ", " + inspector::format_share(model.hottest() / model.graph()->total_ns);
    out.hottest_at = model.cost_level(model.hottest());
    return out;
  }
  // The most frequent ones; a closed group has the colour of what costs most in it.
  std::map<std::string, std::pair<ImU32, int>> found;
  for (const GraphBox& box : model.drawn().boxes) {
    if (box.kind == GraphBox::Kind::Input || box.kind == GraphBox::Kind::Output) continue;
    std::string name;
    if (painter.coloring == GraphColoring::Delegate) {
      const bool group = box.kind == GraphBox::Kind::Group;
      const bool control = !group && !model.graph()->nodes[static_cast<size_t>(box.index)].bodies.empty();
      name = !box.backend.empty() ? box.backend : group ? "mixed" : control ? "control flow" : "runtime kernels";
    } else {
      name = inspector::short_type(box.type);
    }
    auto& [color, count] = found.try_emplace(name, painter.color_of(box), 0).first->second;
    ++count;
  }
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [name, entry] : found) order.emplace_back(-entry.second, name);
  std::sort(order.begin(), order.end());
  for (const auto& [count, name] : order) out.rows.emplace_back(found[name].first, inspector::printable(name));
  return out;
}

namespace {

/// Words and colours one after another, in lines.
class LegendLines {
 public:
  /// `canvas`: nullptr measures only.
  LegendLines(Canvas* canvas, ImVec2 at, ImVec2 size)
      : canvas_(canvas),
        left_(at.x + scaled(2)),
        end_(at.x + size.x),
        bottom_(at.y + size.y),
        at_{left_, at.y + scaled(5)} {}

  /// For something that wide: on this line, else on the next one.
  bool has_room(float wide) {
    if (at_.x + wide <= end_) return true;
    if (at_.y + 2 * line_ > bottom_ || left_ + wide > end_) return false;
    widest_ = std::max(widest_, at_.x);
    at_ = {left_, at_.y + line_ + scaled(2)};
    return true;
  }
  /// The same, and for something behind it on its line, if that is the last one.
  bool has_room_before(float wide, float behind) {
    const bool is_last = at_.y + 2 * line_ > bottom_;
    return is_last && at_.x + wide + behind > end_ ? false : has_room(wide);
  }
  float wide(const std::string& text) const { return pad_ / 2 + text_width(text) + pad_ * 1.5F; }
  void word(const std::string& text) {
    if (canvas_ != nullptr) canvas_->text({at_.x + pad_ / 2, at_.y}, theme().muted, text);
    at_.x += wide(text);
  }
  void box(ImU32 color, float wide) {
    if (canvas_ != nullptr)
      canvas_->fill({at_.x, at_.y + line_ * 0.15F}, {at_.x + wide, at_.y + line_ * 0.85F}, color, 2);
    at_.x += wide;
  }
  void edge(ImU32 color) {
    if (canvas_ != nullptr)
      canvas_->frame({at_.x, at_.y + line_ * 0.15F}, {at_.x + square(), at_.y + line_ * 0.85F}, color, 2, 2);
    at_.x += square();
  }
  /// Where on what was drawn last, `wide` pixels.
  void mark(float wide, double part) {
    const float x = at_.x - wide + wide * static_cast<float>(part);
    if (canvas_ != nullptr) canvas_->line({x, at_.y}, {x, at_.y + line_}, theme().text, 2);
  }
  float square() const { return line_ * 0.7F; }
  /// Right lower corner of all that was laid out.
  ImVec2 end() const { return {std::max(widest_, at_.x), at_.y + line_}; }

 private:
  Canvas* canvas_;
  float left_, end_, bottom_, line_ = ImGui::GetTextLineHeight(), pad_ = scaled(6), widest_ = 0;
  ImVec2 at_;
};

/// False where something had no room.
bool lay_out_legend(const GraphPainter& painter, const std::set<std::string>& backends, LegendLines* out) {
  LegendLines& lines = *out;
  const GraphLegend legend = graph_legend(painter);
  const bool by_cost = painter.coloring == GraphColoring::Cost;
  if (by_cost) {
    lines.box(theme().grid, lines.square());
    lines.word(legend.rows.empty() ? "no op has a time" : "no time");
  }
  if (by_cost && !legend.rows.empty()) {
    const float step = scaled(18), scale = step * static_cast<float>(legend.rows.size());
    const std::string most = legend.most + " of the execution";
    const float before = lines.wide(legend.least) + scale;
    if (!lines.has_room(before + lines.wide(most)) && !lines.has_room(before + lines.wide(legend.most))) return false;
    lines.word(legend.least);
    for (const auto& [color, name] : legend.rows) lines.box(color, step);
    lines.mark(scale, legend.hottest_at);
    lines.word(lines.has_room(lines.wide(most)) ? most : legend.most);
    const std::string node = (painter.model.costliest_node() < 0 ? "| costliest " : "| costliest op ") + legend.hottest;
    if (!lines.has_room(lines.wide(node))) return false;
    lines.word(node);
  }
  // As many as there is room for; the tooltip has all of them.
  const auto more = [&](size_t from) { return "and " + std::to_string(legend.rows.size() - from) + " more"; };
  for (size_t i = 0; !by_cost && i < legend.rows.size(); ++i) {
    const auto& [color, name] = legend.rows[i];
    const bool is_last = i + 1 == legend.rows.size();
    const float behind = is_last ? 0 : lines.wide(more(i + 1));
    if (!lines.has_room_before(lines.square() + lines.wide(name), behind)) {
      lines.word(more(i));
      return false;
    }
    lines.box(color, lines.square());
    lines.word(name);
  }
  // Boxes have an edge in the colour of the backend that runs them.
  if (painter.coloring == GraphColoring::Delegate) return true;
  for (const std::string& backend : backends) {
    const std::string text = "border: " + inspector::printable(backend);
    if (!lines.has_room(lines.square() + lines.wide(text))) return false;
    lines.edge(backend_color(backend));
    lines.word(text);
  }
  return true;
}

}  // namespace

namespace {

void legend_tooltip(const GraphPainter& painter) {
  if (painter.coloring == GraphColoring::Cost) {
    ImGui::TextUnformatted("Colours are of the share of the execution, by its logarithm, whatever is open.");
    return;
  }
  if (painter.coloring == GraphColoring::Type)
    ImGui::TextUnformatted("A closed group has the colour of the type with the most time in it.");
  // In columns, as a screen is low.
  constexpr int kLines = 16;
  const GraphLegend legend = graph_legend(painter);
  const int columns = (static_cast<int>(legend.rows.size()) + kLines - 1) / kLines;
  if (columns == 0 || !ImGui::BeginTable("##types", columns, ImGuiTableFlags_SizingFixedFit)) return;
  for (const auto& [color, name] : legend.rows) {
    ImGui::TableNextColumn();
    const ImVec2 p = ImGui::GetCursorScreenPos();
    const float line = ImGui::GetTextLineHeight(), square = line * 0.7F;
    ImGui::GetWindowDrawList()->AddRectFilled({p.x, p.y + line * 0.15F}, {p.x + square, p.y + line * 0.85F}, color, 2);
    ImGui::Dummy({square, line});
    ImGui::SameLine(0, scaled(6));
    ImGui::TextUnformatted(name.c_str());
  }
  ImGui::EndTable();
}

}  // namespace

float graph_legend_height(const GraphViewModel& model, GraphColoring coloring, float width) {
  constexpr float kNarrow = 900;  // for the names of types, which depend on what is open
  const float line = ImGui::GetTextLineHeight(), one = line + scaled(8), two = one + line + scaled(2);
  if (coloring == GraphColoring::Type) return width < scaled(kNarrow) ? two : one;
  std::set<std::string> backends;
  for (const inspector::GraphPart& part : model.graph()->parts) backends.insert(part.backend);
  const std::vector<bool> none;
  LegendLines lines(nullptr, {}, {width, one});
  return lay_out_legend({model, model.camera, coloring, none, none}, backends, &lines) ? one : two;
}

void draw_graph_legend(Canvas& canvas, const GraphPainter& painter, ImVec2 at, ImVec2 size) {
  const std::set<std::string> backends = shown_backends(painter.model);
  LegendLines measured(nullptr, at, size);
  (void)lay_out_legend(painter, backends, &measured);
  const ImVec2 end = {std::min(measured.end().x, at.x + size.x), at.y + size.y};
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("##legend", {std::max(1.0F, end.x - at.x), std::max(1.0F, end.y - at.y)});
  canvas.fill(at, end, with_alpha(theme().background, 0.88F), 3);
  LegendLines lines(&canvas, at, size);
  (void)lay_out_legend(painter, backends, &lines);
  if (ImGui::IsItemHovered() && ImGui::BeginTooltip()) {
    legend_tooltip(painter);
    ImGui::EndTooltip();
  }
}

}  // namespace et::gui
