#include "gui/panels/roofline_plot.h"

#include <implot.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "gui/panels/roofline_row.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/cells.h"

namespace et::gui {
namespace {

constexpr double kLargePoint = 0.01;                 // of the time: no name may stand on it
constexpr float kPlotBorders = 50, kPlotSides = 70;  // of axes and their texts

/// Its area is its share of the time.
float radius_of(const RooflinePoint& point) {
  return scaled(3 + 22 * std::sqrt(static_cast<float>(std::clamp(point.share, 0.0, 1.0))));
}

/// A square inside of it.
ImVec4 square_of(const RooflinePoint& point) {
  const ImVec2 at = ImPlot::PlotToPixels(point.intensity, point.gflops);
  const float r = radius_of(point) * 0.7F;
  return {at.x - r, at.y - r, at.x + r, at.y + r};
}

bool overlap(const ImVec4& a, const ImVec4& b) { return a.x < b.z && b.x < a.z && a.y < b.w && b.y < a.w; }
bool is_free(const ImVec4& box, const std::vector<ImVec4>& taken) {
  return std::none_of(taken.begin(), taken.end(), [&](const ImVec4& t) { return overlap(box, t); });
}

bool crosses(const RoofEnds& line, const ImVec4& box) {
  const float from = std::max(line.a.x, box.x), to = std::min(line.b.x, box.z);
  if (from > to || line.b.x <= line.a.x) return false;
  const auto y_at = [&](float x) { return line.a.y + (line.b.y - line.a.y) * (x - line.a.x) / (line.b.x - line.a.x); };
  return std::min(y_at(from), y_at(to)) < box.w && std::max(y_at(from), y_at(to)) > box.y;
}

/// Not measured as a peak: the machine can do that much, and perhaps more.
void dashed_line(ImDrawList* list, ImVec2 a, ImVec2 b) {
  const float length = std::hypot(b.x - a.x, b.y - a.y), dash = scaled(6);
  for (float at = 0; at < length; at += 2 * dash) {
    const float from = at / length, to = std::min(at + dash, length) / length;
    list->AddLine({a.x + (b.x - a.x) * from, a.y + (b.y - a.y) * from},
                  {a.x + (b.x - a.x) * to, a.y + (b.y - a.y) * to}, theme().text, scaled(1.5F));
  }
}

/// Something stands between a point at `from` and its name.
bool is_crossed(ImVec2 begin, ImVec2 end, ImVec2 from, const std::vector<ImVec4>& taken) {
  constexpr int kSteps = 24;
  return std::any_of(taken.begin(), taken.end(), [&](const ImVec4& t) {
    if (t.x <= from.x && from.x <= t.z && t.y <= from.y && from.y <= t.w) return false;  // its own point, or one on it
    for (int i = 0; i <= kSteps; ++i) {
      const float part = static_cast<float>(i) / kSteps;
      const ImVec2 p = {begin.x + (end.x - begin.x) * part, begin.y + (end.y - begin.y) * part};
      if (p.x > t.x && p.x < t.z && p.y > t.y && p.y < t.w) return true;
    }
    return false;
  });
}

/// The lane of ops without arithmetic is no part of the axis. `data`: its end, a double.
int axis_number(double value, char* out, int size, void* data) {
  if (value < *static_cast<const double*>(data)) return std::snprintf(out, static_cast<size_t>(size), "%s", "");
  return std::snprintf(out, static_cast<size_t>(size), "%g", value);
}

/// One axis of numbers: of operations, and in the lane of bytes.
const char* y_axis_name(const RooflineModel& model) {
  if (model.lane() > 0)
    return model.integers() ? "GFLOP/s, GOP/s of int8; in the lane GB/s" : "GFLOP/s; in the lane GB/s";
  return model.integers() ? "GFLOP/s, GOP/s of int8" : "GFLOP/s";
}

std::vector<WalkBox> walk_boxes(const RooflineModel& model) {
  std::vector<WalkBox> out;
  for (const RooflinePoint& point : model.points()) {
    const ImVec2 at = ImPlot::PlotToPixels(point.intensity, point.gflops);
    const float r = radius_of(point);
    out.push_back({static_cast<int64_t>(point.row), {at.x - r, at.y - r}, {at.x + r, at.y + r}});
  }
  return out;
}

}  // namespace

std::optional<size_t> RooflinePlot::draw(PanelContext& context, float height, bool little) {
  const float width = ImGui::GetContentRegionAvail().x;
  const ImGuiID stop = walk_stop("##points", {-1, height});
  if (!ImPlot::BeginPlot("##roofline", {-1, height}, ImPlotFlags_CanvasOnly)) return {};
  std::optional<size_t> chosen;
  set_up_axes(width, height);
  const BoxWalk keys({.boxes = [this] { return walk_boxes(model_); },
                      .begins_at = [&](int64_t row) { return selected_part(context, static_cast<size_t>(row)).any(); }},
                     stop);
  ImPlot::PushPlotClipRect();
  draw_lane();
  draw_roofs();
  const RooflinePoint* const under = draw_points(context);
  draw_roof_names();
  draw_labels();
  ImPlot::PopPlotClipRect();
  if (under != nullptr && (keys || ImPlot::IsPlotHovered())) {
    ImGui::BeginTooltip();
    describe_roofline_row(model_, under->row);
    ImGui::EndTooltip();
    if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && ImGui::GetIO().MouseDragMaxDistanceSqr[0] < 9)
      chosen = under->row;
  }
  ImPlot::EndPlot();
  legend(little);
  return chosen;
}

void RooflinePlot::set_up_axes(float width, float height) {
  ImPlot::SetupAxes(tr(model_.integers() ? "operations a byte" : "operations a byte (FLOP/B)").data(),
                    tr(y_axis_name(model_)).data(), ImPlotAxisFlags_NoHighlight, ImPlotAxisFlags_NoHighlight);
  ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
  ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  lane_end_ = model_.lane_end();
  ImPlot::SetupAxisFormat(ImAxis_X1, &axis_number, &lane_end_);
  // Above the highest roof stands its name.
  const double inside = std::max(height - scaled(kPlotBorders), scaled(kPlotBorders));
  const double across = std::max(width - scaled(kPlotSides), scaled(kPlotBorders));
  const double name = (ImGui::GetTextLineHeight() + scaled(10)) / inside;
  const double top = model_.most_gflops() * std::pow(model_.most_gflops() / model_.least_gflops(), name);
  // The largest points are those that are looked for: none is cut at an edge.
  std::vector<std::pair<double, double>> high, left, right;
  for (const RooflinePoint& point : model_.points()) {
    if (point.gflops >= model_.least_gflops()) high.emplace_back(point.gflops, radius_of(point));
    left.emplace_back(point.intensity, radius_of(point));
    right.emplace_back(1 / point.intensity, radius_of(point));
  }
  const double low = low_end_for(high, model_.least_gflops(), top, inside);
  const double from = low_end_for(left, model_.least_intensity(), model_.most_intensity(), across);
  const double to = 1 / low_end_for(right, 1 / model_.most_intensity(), 1 / from, across);
  ImPlot::SetupAxesLimits(from, to, low, top, std::exchange(fresh_, false) ? ImPlotCond_Always : ImPlotCond_Once);
  ImPlot::SetupFinish();
}

/// Its ground covers the axis's lines, which mean nothing there.
void RooflinePlot::draw_lane() {
  lane_name_.reset();
  if (!(model_.lane() > 0)) return;
  ImDrawList* const list = ImPlot::GetPlotDrawList();
  const ImVec2 from = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  const float end = ImPlot::PlotToPixels(model_.lane_end(), model_.most_gflops()).x;
  if (end <= from.x) return;
  list->AddRectFilled(from, {end, from.y + size.y}, theme().background);
  list->AddLine({end, from.y}, {end, from.y + size.y}, theme().muted);
  // Roofs are low at the left.
  const bool integers = model_.integers();
  const char* const kNames[] = {integers ? "no arithmetic: GB/s" : "0 FLOP/B: GB/s", "GB/s"};
  for (const char* const name : kNames) {
    const float width = text_width(name);
    if (width + scaled(8) > end - from.x) continue;
    const ImVec2 at = {(from.x + end - width) / 2, from.y + scaled(3)};
    list->AddText(at, theme().faint, tr(name).data());
    lane_name_ = ImVec4(at.x, at.y, at.x + width, at.y + ImGui::GetTextLineHeight());
    return;
  }
}

/// Where the points are that stand out.
std::vector<ImVec4> RooflinePlot::large_points() const {
  std::vector<ImVec4> out;
  for (const RooflinePoint& point : model_.points()) {
    if (point.share >= kLargePoint) out.push_back(square_of(point));
  }
  return out;
}

/// The name stands on its line, or below it: at its right end, or where it rises left of it. Roofs lie close together:
/// each name where neither another one, nor another line, nor a large point is. `must`: also where there is no such
/// place.
void RooflinePlot::place_roof_name(const std::string& name, bool must, const RoofEnds& own,
                                   const std::vector<RoofEnds>& lines, const std::vector<ImVec4>& points) {
  const auto [a, b] = own;
  const ImVec2 size = ImGui::CalcTextSize(name.c_str());
  const ImVec2 from = ImPlot::GetPlotPos();
  const bool rises = b.y < a.y;
  const float left = std::max(a.x, from.x), right = std::min(b.x, from.x + ImPlot::GetPlotSize().x);
  if (right <= left && !must) return;
  std::vector<ImVec4> taken = points;
  for (const RoofName& other : roof_names_) taken.push_back(other.box);
  const auto on_another = [&](const ImVec4& box) {
    return std::any_of(lines.begin(), lines.end(), [&](const RoofEnds& line) {
      return !(line.a.x == a.x && line.a.y == a.y && line.b.x == b.x && line.b.y == b.y) && crosses(line, box);
    });
  };
  std::optional<ImVec4> first, found;
  for (const bool below : {false, true}) {
    for (const float place : {rises ? 0.7F : 1.0F, rises ? 0.45F : 0.7F, rises ? 0.2F : 0.4F}) {
      const float at = left + (right - left) * place;
      const float x = below && rises ? at + scaled(6) : std::max(rises ? left : from.x, at - size.x - scaled(6));
      const float part = b.x > a.x ? (at - a.x) / (b.x - a.x) : 0;
      const float on = a.y + (b.y - a.y) * part;
      const float y = below ? on + scaled(2) : std::max(on - size.y - scaled(2), from.y + scaled(1));
      const ImVec4 box = {x, y, x + size.x, y + size.y};
      if (!first) first = box;
      if (!found && is_free(box, taken) && !on_another(box)) found = box;
    }
  }
  if (found || must) roof_names_.push_back({name, found.value_or(*first)});
}

void RooflinePlot::draw_roofs() {
  roof_names_.clear();
  ImDrawList* const list = ImPlot::GetPlotDrawList();
  std::vector<ImVec4> points = large_points();
  // Nor on a point whose name would stand beside it.
  for (const RooflineLabel& label : model_.labels()) points.push_back(square_of(model_.points()[label.points.front()]));
  const auto ends = [](const RoofLine& roof) {
    return RoofEnds{ImPlot::PlotToPixels(roof.from, roof.gflops_from), ImPlot::PlotToPixels(roof.to, roof.gflops_to)};
  };
  std::vector<RoofEnds> lines;
  for (const RoofLine& roof : model_.roofs()) lines.push_back(ends(roof));
  for (const RoofLine& roof : model_.other_roofs()) lines.push_back(ends(roof));
  for (const RoofLine& roof : model_.other_roofs()) {
    const auto [a, b] = ends(roof);
    list->AddLine(a, b, with_alpha(theme().text, 0.25F));
  }
  for (size_t i = 0; i < model_.lane_roofs().size(); ++i) {
    const auto [a, b] = ends(model_.lane_roofs()[i]);
    const bool other = std::any_of(model_.other_roofs().begin(), model_.other_roofs().end(),
                                   [&](const RoofLine& line) { return line.name == model_.lane_roofs()[i].name; });
    if (!model_.machine() && !other)
      dashed_line(list, a, b);
    else
      list->AddLine(a, b, with_alpha(theme().text, other ? 0.25F : 1), other ? 1 : scaled(1.5F));
  }
  for (const RoofLine& roof : model_.roofs()) {
    const auto [a, b] = ends(roof);
    if (model_.machine())
      list->AddLine(a, b, theme().text, scaled(1.5F));
    else
      dashed_line(list, a, b);
    // A flat roof that was zoomed out of the view leaves no name at its edge.
    const float y = std::min(a.y, b.y), top = ImPlot::GetPlotPos().y;
    if (y < top - scaled(1) && a.y == b.y) continue;
    place_roof_name(roof.name, true, {a, b}, lines, points);
  }
  for (const RoofLine& roof : model_.other_roofs()) {
    place_roof_name(roof.name, false, ends(roof), lines, points);
  }
}

/// Above the points and their bars, which would cross them.
void RooflinePlot::draw_roof_names() const {
  ImDrawList* const list = ImPlot::GetPlotDrawList();
  for (const auto& [text, at] : roof_names_) {
    list->AddRectFilled({at.x - scaled(2), at.y}, {at.z + scaled(2), at.w}, with_alpha(theme().surface, 0.9F));
    list->AddText({at.x, at.y}, theme().muted, tr(text).data());
  }
}

/// How far up the op could go: caches make the roof of a small working set higher than that of a large one.
/// `chosen`: also of one that takes little time.
void RooflinePlot::draw_own_roof(ImDrawList* list, const RooflinePoint& point, ImVec2 at, float radius,
                                 bool chosen) const {
  const inspector::RooflineRow& row = model_.roofline().rows[point.row];
  if ((point.share < kNotablePoint && !chosen) || !(row.roof_ns > 0)) return;
  const float top = ImPlot::PlotToPixels(point.intensity, point.gflops * row.ns / row.roof_ns).y;
  if (top > at.y - radius - scaled(2)) return;
  const ImU32 color = with_alpha(bound_color(row.bound), 0.8F);
  list->AddLine({at.x, at.y - radius}, {at.x, top}, with_alpha(bound_color(row.bound), 0.35F));
  list->AddLine({at.x - scaled(4), top}, {at.x + scaled(4), top}, color, scaled(1.5F));
}

SelectedPart RooflinePlot::selected_part(const PanelContext& context, size_t row) const {
  return model_.selected_part(row, context.document.selection());
}

/// The one under the mouse; nullptr for none.
const RooflinePoint* RooflinePlot::draw_points(const PanelContext& context) const {
  ImDrawList* const list = ImPlot::GetPlotDrawList();
  const ImVec2 mouse = ImGui::GetMousePos();
  const RooflinePoint* under = nullptr;
  float nearest = 1e9F;
  for (const RooflinePoint& point : model_.points()) {
    const ImVec2 at = ImPlot::PlotToPixels(point.intensity, point.gflops);
    const float radius = radius_of(point);
    const float seen = model_.is_found(point.row) ? 0.55F : 0.1F;
    list->AddCircleFilled(at, radius, with_alpha(roofline_color(model_, point.row), seen));
    const bool above = model_.machine() && model_.roofline().rows[point.row].is_above_roof();
    list->AddCircle(at, radius, above ? theme().warning : theme().surface, 0, above ? scaled(1.5F) : 1);
    const SelectedPart selected = selected_part(context, point.row);
    draw_own_roof(list, point, at, radius, selected.any());
    if (selected.any()) {
      const ImU32 ring = selected.all() ? theme().selection : with_alpha(theme().selection, 0.5F);
      list->AddCircle(at, radius + scaled(2), ring, 0, scaled(2));
    }
    const float away = std::hypot(mouse.x - at.x, mouse.y - at.y) - radius;
    if (away < std::min(nearest, scaled(4))) nearest = away, under = &point;
  }
  if (under != nullptr) {
    const ImVec2 at = ImPlot::PlotToPixels(under->intensity, under->gflops);
    draw_own_roof(list, *under, at, radius_of(*under), true);
    list->AddCircle(at, radius_of(*under) + scaled(1.5F), theme().hover, 0, scaled(1.5F));
  }
  return under;
}

/// Each type's name once, at one of its points: the types that take the most time first, where they cover neither each
/// other nor a roof's name. While its point is seen it stays there, however the view moves.
void RooflinePlot::draw_labels() {
  // Large points as well: a name upon one would be taken for its own.
  std::vector<ImVec4> taken = large_points();
  for (const RoofName& name : roof_names_) taken.push_back(name.box);
  if (lane_name_) taken.push_back(*lane_name_);
  for (const RooflineLabel& label : model_.labels()) {
    const auto stands = label_at_.find(label.text);
    const auto still = stands == label_at_.end() ? label.points.end()
                                                 : std::find(label.points.begin(), label.points.end(), stands->second);
    if (still != label.points.end() && draw_label(label.text, model_.points()[*still], &taken)) continue;
    for (const size_t point : label.points) {
      if (!draw_label(label.text, model_.points()[point], &taken)) continue;
      label_at_[label.text] = point;
      break;
    }
  }
}

bool RooflinePlot::draw_label(const std::string& name, const RooflinePoint& point, std::vector<ImVec4>* taken) const {
  ImDrawList* const list = ImPlot::GetPlotDrawList();
  const ImVec2 from = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  const ImVec2 at = ImPlot::PlotToPixels(point.intensity, point.gflops);
  const ImVec2 text = ImGui::CalcTextSize(name.c_str());
  const float off = radius_of(point) + scaled(3);
  // Right of it, else left, below or above; where all of these are taken, further away.
  for (const float far : {0.0F, text.y, 2 * text.y}) {
    const ImVec2 places[] = {{at.x + off, at.y - text.y / 2 - far}, {at.x - off - text.x, at.y - text.y / 2 - far},
                             {at.x + off, at.y - text.y / 2 + far}, {at.x - off - text.x, at.y - text.y / 2 + far},
                             {at.x - text.x / 2, at.y + off + far}, {at.x - text.x / 2, at.y - off - text.y - far}};
    for (const ImVec2 a : places) {
      const ImVec4 box = {a.x, a.y, a.x + text.x, a.y + text.y};
      const bool inside = a.x >= from.x && a.y >= from.y && box.z <= from.x + size.x && box.w <= from.y + size.y;
      if (!inside || !is_free(box, *taken)) continue;
      // What does not stand right beside its point is led to it by a line, past all else.
      const ImVec2 end = {std::clamp(at.x, box.x, box.z), std::clamp(at.y, box.y + scaled(2), box.w - scaled(2))};
      const float length = std::hypot(end.x - at.x, end.y - at.y), edge = radius_of(point);
      const bool leads = far > 0 || (end.x == at.x && length > edge);
      const ImVec2 begin = {at.x + (end.x - at.x) * edge / std::max(length, 1.0F),
                            at.y + (end.y - at.y) * edge / std::max(length, 1.0F)};
      if (leads && is_crossed(begin, end, at, *taken)) continue;
      if (leads && length > edge) list->AddLine(begin, end, with_alpha(theme().text, 0.7F));
      // A roof that runs through it does not cross it out.
      list->AddRectFilled({box.x - scaled(2), box.y + scaled(2)}, {box.z + scaled(2), box.w - scaled(2)},
                          with_alpha(theme().surface, 0.95F));
      list->AddText(a, theme().text, name.c_str());
      taken->push_back(box);
      return true;
    }
  }
  return false;
}

void RooflinePlot::legend(bool little) const {
  using inspector::Bound;
  bool first = true;
  const auto entry = [&](ImU32 color, const char* name) {
    if (!first) flow(text_width(name) + ImGui::GetTextLineHeight());
    first = false;
    color_square(color);
    ImGui::SameLine(0, scaled(4));
    text_colored(theme().muted, name);
  };
  if (model_.has_roofs()) {
    constexpr std::pair<Bound, const char*> kBounds[] = {{Bound::Compute, "limited by compute"},
                                                         {Bound::Memory, "by memory"},
                                                         {Bound::Neither, "by neither: far below both"},
                                                         {Bound::Overhead, "by the overhead of its call"},
                                                         {Bound::Unknown, "roof not known"}};
    for (const auto& [limit, name] : kBounds) {
      const Bound bound = limit;
      const bool any = std::any_of(model_.points().begin(), model_.points().end(), [&](const RooflinePoint& p) {
        return model_.roofline().rows[p.row].bound == bound;
      });
      const bool seen = bound == Bound::Unknown && model_.seen().has_value();
      if (any)
        entry(bound_color(bound), seen ? "a quarter of the best of this trace and more: its limit is not known" : name);
    }
    if (model_.machine() && model_.has_points_above()) entry(theme().warning, "edge: faster than its roof");
  }
  const std::string text = how_to_read();
  if (little) {
    if (!first) flow(text_width("How to read it (?)"));
    text_colored(theme().muted, "How to read it (?)");
    return item_tooltip(text);
  }
  ImGui::PushTextWrapPos(0);
  text_colored(theme().muted, text);
  ImGui::PopTextWrapPos();
}

/// In the words of the window.
std::string RooflinePlot::how_to_read() const {
  constexpr const char* kWithRoofs =
      "Each point is an op; its area is its share of the time. The bar above those of 1% and more, and above a chosen "
      "one, ends at the roof of its own working set.";
  constexpr const char* kWithSeen =
      "Each point is an op; its area is its share of the time. The bar above those of 1% and more, and above a chosen "
      "one, ends at what it is held against. Dashed: the best rates of this trace.";
  constexpr const char* kWithout = "Each point is an op, in the colour of its type; its area is its share of the time.";
  std::vector<std::string> sentences = {model_.machine() ? kWithRoofs : model_.has_roofs() ? kWithSeen : kWithout};
  if (model_.lane() > 0)
    sentences.emplace_back(
        "The lane at the left has ops that compute nothing and only move data: the axis is GB/s there.");
  const auto& rows = model_.roofline().rows;
  if (std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.spares && row.roof_ns > 0; }))
    sentences.emplace_back(
        "Bars of 3x3 convolutions that end above all roofs: Winograd's algorithm has fewer operations than are "
        "counted.");
  // Names that found no place.
  if (roof_names_.size() < model_.roofs().size() + model_.other_roofs().size() && !model_.other_roofs().empty())
    sentences.push_back("Pale lines, the roofs of working sets of other sizes: " + model_.other_rates() + ".");
  if (const std::string below = model_.below_the_plot(); !below.empty())
    sentences.push_back("Below the plot until it is zoomed out: " + below + ".");
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : " ") + std::string(tr(sentence));
  return text;
}

}  // namespace et::gui
