#include <implot.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "gui/panels/llm_panel.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/cells.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr ImPlotAxisFlags kTokenAxis = ImPlotAxisFlags_NoHighlight | ImPlotAxisFlags_NoMenus;

int format_time(double value, char* out, int size, void* unit) {
  const double divisor = static_cast<const inspector::TimeUnit*>(unit)->divisor;
  return std::snprintf(out, static_cast<size_t>(size), "%.6g", value / divisor);
}

int format_position(double value, char* out, int size, void*) {
  if (std::abs(value - std::round(value)) > 1e-6) return std::snprintf(out, static_cast<size_t>(size), "%s", "");
  return std::snprintf(out, static_cast<size_t>(size), "%.0f", std::round(value) + 0.0);
}

bool told(const LlmModel& model) { return model.view().steps.told_by != inspector::ToldBy::Nothing; }

void point_tooltip(const LlmModel& model, const TokenPoint& point) {
  ImGui::BeginTooltip();
  std::string text = told(model) && !model.points_are_prompts()
                         ? "position " + inspector::format_count(static_cast<int64_t>(point.position)) + ", "
                         : std::string();
  text += model.time_text(point.time) + (point.cold ? " (cold)" : "") + "\nexecution #" +
          inspector::format_count(point.execution);
  if (model.sequences().size() > 1) text += ", sequence " + inspector::format_count(point.sequence + 1);
  ImGui::TextUnformatted(text.c_str());
  text_colored(theme().muted, "Click: show it in the timeline.");
  ImGui::EndTooltip();
}

/// Where a point stands; above the axis' end at its edge, as a triangle.
ImVec2 point_at(const TokenPoint& point) {
  const ImVec2 at = ImPlot::PlotToPixels(point.position, point.time);
  return {at.x, std::max(at.y, ImPlot::GetPlotPos().y + scaled(5))};
}

bool is_beyond(const TokenPoint& point) { return point.time > ImPlot::GetPlotLimits().Y.Max; }

/// Times of what stands at the edge, beside their triangles; the slowest first, as far as there is room.
void draw_times_beyond(const LlmModel& model) {
  ImDrawList* const list = ImPlot::GetPlotDrawList();
  const ImVec2 corner = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  std::vector<std::pair<float, float>> taken;  // from, to
  // A time stands beside its triangle, never upon another's.
  std::vector<float> triangles;
  for (const size_t i : model.beyond(ImPlot::GetPlotLimits().Y.Max)) triangles.push_back(point_at(model.points()[i]).x);
  for (const size_t i : model.beyond(ImPlot::GetPlotLimits().Y.Max)) {
    const TokenPoint& point = model.points()[i];
    const std::string text = model.time_text(point.time);
    const float width = ImGui::CalcTextSize(text.c_str()).x, at = point_at(point).x, gap = scaled(7);
    if (at < corner.x || at > corner.x + size.x) continue;
    const float left = at + gap + width > corner.x + size.x ? at - gap - width : at + gap;
    const float from = std::min(at, left) - gap, to = std::max(at, left + width) + gap;
    const auto hides = [&](float x) { return x != at && x > left - gap && x < left + width + gap; };
    if (std::any_of(taken.begin(), taken.end(), [&](const auto& t) { return from < t.second && to > t.first; }) ||
        std::any_of(triangles.begin(), triangles.end(), hides)) {
      if (static_cast<float>(taken.size()) * width > size.x) break;
      continue;
    }
    taken.emplace_back(from, to);
    list->AddText({left, corner.y + scaled(1)}, theme().text, text.c_str());
  }
}

std::vector<WalkBox> walk_boxes(const LlmModel& model) {
  std::vector<WalkBox> out;
  const float r = scaled(3);
  for (const TokenPoint& point : model.points()) {
    const ImVec2 at = point_at(point);
    out.push_back({std::ssize(out), {at.x - r, at.y - r}, {at.x + r, at.y + r}});
  }
  return out;
}

/// Nullptr when none is near the mouse.
const TokenPoint* draw_points(const LlmModel& model, bool keys) {
  ImDrawList* const list = ImPlot::GetPlotDrawList();
  const ImVec2 mouse = ImGui::GetMousePos();
  const TokenPoint* under = nullptr;
  float nearest = scaled(8);
  const float radius = scaled(model.points().size() > 300 ? 2.0F : 2.5F);
  for (const TokenPoint& point : model.points()) {
    const ImVec2 at = point_at(point);
    if (is_beyond(point)) {
      const float s = scaled(4);
      list->AddTriangleFilled({at.x, at.y - s}, {at.x - s, at.y + s}, {at.x + s, at.y + s}, theme().warning);
    } else if (point.cold) {
      list->AddCircle(at, radius, theme().kernel, 0, scaled(1.5F));
    } else {
      list->AddCircleFilled(at, radius, with_alpha(theme().kernel, 0.8F));
    }
    const float away = std::hypot(mouse.x - at.x, mouse.y - at.y);
    if (away < nearest) nearest = away, under = &point;
  }
  if (under != nullptr && (keys || ImPlot::IsPlotHovered()))
    list->AddCircle(point_at(*under), radius + scaled(2), theme().hover, 0, scaled(1.5F));
  return under;
}

/// The line of the trend with what it says at its right end.
void draw_trend(const LlmModel& model) {
  const auto& growth = model.view().times.growth;
  if (!growth) return;
  const ImVec2 a = ImPlot::PlotToPixels(static_cast<double>(growth->first), growth->at_first);
  const ImVec2 b = ImPlot::PlotToPixels(static_cast<double>(growth->last), growth->at_last);
  ImDrawList* const list = ImPlot::GetPlotDrawList();
  list->AddLine(a, b, theme().selection, scaled(2));
  const std::string text =
      (growth->per_token < 0 ? "-" : "+") + model.time_text(std::abs(growth->per_token)) + " a position";
  const ImVec2 size = ImGui::CalcTextSize(text.c_str()), corner = ImPlot::GetPlotPos();
  const ImVec2 at = {std::max(b.x - size.x - scaled(4), corner.x + scaled(2)),
                     std::max(b.y - size.y - scaled(6), corner.y + scaled(2))};
  list->AddRectFilled({at.x - scaled(2), at.y}, {at.x + size.x + scaled(2), at.y + size.y},
                      with_alpha(theme().surface, 0.8F));
  list->AddText(at, theme().text, tr(text).data());
}

}  // namespace

const TokenPoint* draw_token_plot(const LlmModel& model, bool fresh, float height) {
  if (model.points().empty()) return nullptr;
  const ImGuiID stop = walk_stop("##points", {-1, height});
  if (!ImPlot::BeginPlot("##tokens", {-1, height}, ImPlotFlags_CanvasOnly)) return nullptr;
  inspector::TimeUnit unit;
  (void)inspector::choose_unit("auto", model.view().unit, model.highest(), &unit);
  const bool tokens = told(model) && !model.points_are_prompts();
  const std::string label = (tokens        ? "token ("
                             : told(model) ? "prefill ("
                                           : "execution (") +
                            std::string(inspector::unit_name(unit)) + ")";
  ImPlot::SetupAxes(tr(tokens ? "tokens of its sequence before it, as traced" : "execution").data(), tr(label).data(),
                    kTokenAxis, kTokenAxis);
  ImPlot::SetupAxisFormat(ImAxis_X1, format_position);
  ImPlot::SetupAxisFormat(ImAxis_Y1, format_time, &unit);
  const auto [least, most] =
      std::minmax_element(model.points().begin(), model.points().end(),
                          [](const TokenPoint& a, const TokenPoint& b) { return a.position < b.position; });
  const double margin = std::max((most->position - least->position) * 0.03, 0.5);
  ImPlot::SetupAxesLimits(least->position - margin, most->position + margin, -0.03 * model.highest(), model.highest(),
                          fresh ? ImPlotCond_Always : ImPlotCond_Once);
  ImPlot::SetupFinish();
  const BoxWalk keys({.boxes = [&] { return walk_boxes(model); }}, stop);
  ImPlot::PushPlotClipRect();
  const TokenPoint* under = draw_points(model, static_cast<bool>(keys));
  draw_times_beyond(model);
  draw_trend(model);
  ImPlot::PopPlotClipRect();
  if (!keys && !ImPlot::IsPlotHovered()) under = nullptr;
  if (under != nullptr) point_tooltip(model, *under);
  const bool clicked = under != nullptr && ImGui::IsMouseReleased(ImGuiMouseButton_Left) &&
                       ImGui::GetIO().MouseDragMaxDistanceSqr[0] < 9;
  ImPlot::EndPlot();
  return clicked ? under : nullptr;
}

}  // namespace et::gui
