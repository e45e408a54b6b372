// The history of a check: median times with their confidence bands, errors below, failed runs marked.
#include <implot.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "gui/panels/checks_panel.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/cells.h"
#include "inspector/report/check_report.h"

namespace et::gui {
namespace {

using inspector::CheckPoint;
using inspector::CheckSeries;

constexpr ImPlotFlags kCheckPlot = ImPlotFlags_CanvasOnly;
constexpr ImPlotAxisFlags kCheckAxis = ImPlotAxisFlags_NoHighlight | ImPlotAxisFlags_NoMenus;

int format_time(double value, char* out, int size, void* unit) {
  const double divisor = static_cast<const inspector::TimeUnit*>(unit)->divisor;
  return std::snprintf(out, static_cast<size_t>(size), "%.6g", value / divisor);
}

/// Positions are runs: ticks stand at them alone, at as many as have room for what tells them apart.
void mark_runs(const CheckSeries& check, float width, bool labels) {
  std::vector<double> places;
  std::vector<std::string> texts;
  float widest = 0;
  for (size_t i = 0; i < check.points.size(); ++i)
    widest = std::max(widest, ImGui::CalcTextSize(run_label(check, i).c_str()).x);
  const float room = (width - scaled(80)) / (widest + scaled(16));
  const auto step = static_cast<size_t>(std::ceil(static_cast<float>(check.points.size()) / std::max(room, 1.0F)));
  // Counted from the newest, which is looked at first.
  for (size_t i = check.points.size(); i > 0; i -= std::min(i, step)) {
    places.push_back(static_cast<double>(i - 1));
    texts.push_back(labels ? run_label(check, i - 1) : std::string());
  }
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  ImPlot::SetupAxisTicks(ImAxis_X1, places.data(), static_cast<int>(places.size()), pointers.data());
}

void point_tooltip(const CheckPoint& p, const inspector::TimeUnit& unit) {
  ImGui::BeginTooltip();
  std::string head = inspector::time_text(p.started);
  if (!p.label.empty()) head += " · " + p.label;
  if (!p.host.empty()) head += " · " + p.host;
  ImGui::TextUnformatted(inspector::printable(head).c_str());
  text_colored(verdict_color(p), inspector::printable(inspector::verdict_text(p)));
  if (p.median_ns) {
    ImGui::TextUnformatted(measured_text(p, unit).c_str());
    if (p.samples == 1) text_colored(theme().muted, "No line joins it with medians of many.");
  }
  if (p.change) ImGui::TextUnformatted(("change " + inspector::format_change(*p.change)).c_str());
  if (p.speed) ImGui::TextUnformatted(inspector::printable(p.speed->text).c_str());
  if (p.max_abs_error) ImGui::TextUnformatted(("largest error " + inspector::format_error(p.max_abs_error)).c_str());
  text_colored(theme().muted, p.trace_id ? "trace #" + std::to_string(*p.trace_id) + " (click to open)"
                                         : std::string("no trace in this store"));
  ImGui::EndTooltip();
}

/// Lines and the band of one host; they end where another begins.
void draw_times(const CheckPlot& plot) {
  const ImVec4 color = ImGui::ColorConvertU32ToFloat4(theme().kernel);
  ImPlotSpec band, line;
  band.FillColor = color;
  band.FillAlpha = 0.25F;
  line.LineColor = color;
  line.LineWeight = scaled(1.5F);
  line.Marker = ImPlotMarker_Circle;
  line.MarkerSize = scaled(3);
  line.MarkerFillColor = color;
  line.MarkerLineColor = color;
  // Runs without a time leave a gap: each stretch of runs with one is drawn for itself.
  for (size_t from = 0; from < plot.time.size();) {
    size_t to = from;
    while (to < plot.time.size() && !std::isnan(plot.time[to]) && plot.parts[to] == plot.parts[from]) ++to;
    if (to > from) {
      const auto n = static_cast<int>(to - from);
      ImPlot::PlotShaded("interval", &plot.position[from], &plot.low[from], &plot.high[from], n, band);
      ImPlot::PlotLine("median", &plot.position[from], &plot.time[from], n, line);
    }
    from = std::max(to, from + 1);
  }
}

/// One execution, mostly a cold one, is a ring, and no line leads to medians of many.
void mark_single_runs(const CheckPlot& plot) {
  ImDrawList* const list = ImPlot::GetPlotDrawList();
  for (const double at : plot.single) {
    const ImVec2 point = ImPlot::PlotToPixels(at, plot.time[static_cast<size_t>(at)]);
    list->AddCircleFilled(point, scaled(5), theme().surface);
    list->AddCircle(point, scaled(5), theme().kernel, 0, scaled(1.5F));
  }
}

/// Whiskers, so that the interval of a single run is seen, too.
void draw_whiskers(const CheckPlot& plot) {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  for (size_t i = 0; i < plot.time.size(); ++i) {
    if (std::isnan(plot.time[i]) || plot.low[i] == plot.high[i]) continue;
    const ImVec2 a = ImPlot::PlotToPixels(plot.position[i], plot.low[i]);
    const ImVec2 b = ImPlot::PlotToPixels(plot.position[i], plot.high[i]);
    const float half = scaled(3);
    list->AddLine(a, b, theme().kernel, 1);
    for (const ImVec2& end : {a, b}) list->AddLine({end.x - half, end.y}, {end.x + half, end.y}, theme().kernel, 1);
  }
}

/// Failed runs have a red ground, the chosen one a frame.
void draw_ground(const ChecksModel& model) {
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const ImVec2 corner = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  const auto column = [&](double position) {
    // Of few runs each has a large part of the plot, and a frame around all of that is none.
    const float at = ImPlot::PlotToPixels(position, 0).x;
    const float half = std::min(ImPlot::PlotToPixels(position + 0.4, 0).x - at, scaled(24));
    return std::pair<ImVec2, ImVec2>{{at - half, corner.y}, {at + half, corner.y + size.y}};
  };
  for (const double at : model.plot().failed) {
    const auto [a, b] = column(at);
    list->AddRectFilled(a, b, with_alpha(theme().bad, 0.16F));
    list->AddText({(a.x + b.x) / 2 - ImGui::CalcTextSize("×").x / 2, a.y + scaled(1)}, theme().bad, "×");
  }
  if (model.point_index() >= 0) {
    const auto [a, b] = column(model.point_index());
    list->AddRect({a.x, a.y + 1}, {b.x, b.y - 1}, theme().selection, 0, 0, 1.5F);
  }
}

/// Times from below the shortest, as bands of a percent are to be seen; but a few percent must not look like a
/// collapse. Errors from 0.
double floor_of(const CheckPlot& plot) {
  double lowest = plot.longest;
  for (const double low : plot.low) lowest = std::isnan(low) ? lowest : std::min(lowest, low);
  constexpr double kLeastShown = 0.2;  // of the longest
  constexpr double kNearly = 0.1;      // of it: then the axis begins at 0
  const double floor = std::min(lowest - (plot.longest - lowest) * 0.3, plot.longest * (1 - kLeastShown));
  return floor < kNearly * plot.longest ? 0 : floor;
}

/// Whether runs are told apart by their times; by numbers a word is due.
bool names_runs(const CheckSeries& check) { return check.points.size() < 2 || !run_label(check, 0).starts_with("#"); }
constexpr const char* kNumbered = "runs by number: some began within the same second";

void setup(const ChecksModel& model, const char* y, double lowest, double highest, bool fresh, bool labels,
           ImVec2 size) {
  const auto n = static_cast<double>(model.plot().position.size());
  // A plot that is too low for the name of its axis is without it.
  const bool low = size.y < ImGui::CalcTextSize(y).x + ImGui::GetFontSize();
  ImPlot::SetupAxes(names_runs(*model.chosen()) || !labels ? nullptr : tr(kNumbered).data(),
                    low ? nullptr : tr(y).data(), labels ? kCheckAxis : kCheckAxis | ImPlotAxisFlags_NoTickLabels,
                    kCheckAxis);
  mark_runs(*model.chosen(), size.x, labels);
  const double room = highest - lowest;
  ImPlot::SetupAxesLimits(-0.6, n - 0.4, lowest - room * 0.03, room > 0 ? highest + room * 0.2 : highest + 1,
                          fresh ? ImPlotCond_Always : ImPlotCond_Once);
}

/// The columns of the runs.
std::vector<WalkBox> walk_boxes(const ChecksModel& model) {
  std::vector<WalkBox> out;
  const ImVec2 corner = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  for (const double position : model.plot().position) {
    const float left = ImPlot::PlotToPixels(position - 0.4, 0).x, right = ImPlot::PlotToPixels(position + 0.4, 0).x;
    out.push_back({std::ssize(out), {left, corner.y + 1}, {right, corner.y + size.y - 1}});
  }
  return out;
}

/// The click and the point_tooltip of both plots.
void follow_mouse(PanelContext& context, ChecksModel& model, ImGuiID stop) {
  const BoxWalk keys({.boxes = [&] { return walk_boxes(model); },
                      .begins_at = [&](int64_t run) { return run == model.point_index(); }},
                     stop);
  if (!keys && !ImPlot::IsPlotHovered()) return;
  const int32_t at = model.point_at(ImPlot::PixelsToPlot(ImGui::GetMousePos()).x);
  if (at < 0) return;
  point_tooltip(model.chosen()->points[static_cast<size_t>(at)], model.plot().unit);
  const ImVec2 dragged = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left);  // that moves the plot
  if (ImGui::IsMouseReleased(ImGuiMouseButton_Left) && dragged.x == 0 && dragged.y == 0)
    model.choose_point(context.document, at);
}

void draw_plots(PanelContext& context, ChecksModel& model, bool fresh, ImVec2 size) {
  const ImVec2 all = ImGui::GetContentRegionAvail();
  if (size.x <= 0) size.x = all.x;
  if (size.y < 0) size.y = all.y;
  const CheckPlot& plot = model.plot();
  const bool both = plot.has_time && plot.has_error;
  const float gap = ImGui::GetStyle().ItemSpacing.y;
  const float upper = both ? (size.y - gap) * 0.62F : size.y;
  if (plot.has_time) {
    const ImGuiID stop = walk_stop("##times_runs", {size.x, upper});
    if (ImPlot::BeginPlot("##times", {size.x, upper}, kCheckPlot)) {
      inspector::TimeUnit unit;  // four digits before a point are few on an axis
      (void)inspector::choose_unit("auto", "ns", plot.longest * 10, &unit);
      const double floor = floor_of(plot);
      const std::string label = "median (" + inspector::unit_name(unit) + (floor > 0 ? ", not from 0)" : ")");
      setup(model, label.c_str(), floor, plot.longest, fresh, !both, {size.x, upper});
      ImPlot::SetupAxisFormat(ImAxis_Y1, format_time, &unit);
      ImPlot::SetupFinish();
      ImPlot::PushPlotClipRect();
      draw_ground(model);
      draw_whiskers(plot);
      ImPlot::PopPlotClipRect();
      draw_times(plot);
      ImPlot::PushPlotClipRect();
      mark_single_runs(plot);
      ImPlot::PopPlotClipRect();
      follow_mouse(context, model, stop);
      ImPlot::EndPlot();
    }
  }
  if (!plot.has_error) return;
  const float lower = both ? size.y - gap - upper : size.y;
  const ImGuiID stop = walk_stop("##errors_runs", {size.x, lower});
  if (ImPlot::BeginPlot("##errors", {size.x, lower}, kCheckPlot)) {
    setup(model, "error", 0, plot.worst, fresh, true, {size.x, lower});
    ImPlot::SetupAxisFormat(ImAxis_Y1, "%.2g");
    // Where ticks would touch, the ends of the scale are enough. They take the format that is set already.
    if (lower < 7 * ImGui::GetFontSize() && plot.worst > 0) ImPlot::SetupAxisTicks(ImAxis_Y1, 0, plot.worst, 2);
    ImPlot::SetupFinish();
    ImPlot::PushPlotClipRect();
    draw_ground(model);
    ImPlot::PopPlotClipRect();
    ImPlotSpec spec;
    const ImVec4 color = ImGui::ColorConvertU32ToFloat4(theme().warning);
    spec.LineColor = color;
    spec.Marker = ImPlotMarker_Circle;
    spec.MarkerSize = scaled(3);
    spec.MarkerFillColor = color;
    spec.MarkerLineColor = color;
    ImPlot::PlotLine("error", plot.position.data(), plot.error.data(), static_cast<int>(plot.position.size()), spec);
    follow_mouse(context, model, stop);
    ImPlot::EndPlot();
  }
}

/// Nothing was measured: what the runs say instead, each to choose.
void draw_without_plot(PanelContext& context, ChecksModel& model) {
  const CheckSeries& check = *model.chosen();
  if (model.point() != nullptr) {
    ImGui::PushFont(fonts().bold, ImGui::GetStyle().FontSizeBase * 1.3F);
    ImGui::PushTextWrapPos(0);
    text_colored(verdict_color(*model.point()), inspector::printable(inspector::verdict_text(*model.point())));
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
  }
  if (check.points.size() < 2) return;
  for (size_t i = check.points.size(); i-- > 0;) {
    ImGui::PushID(static_cast<int>(i));
    const std::string text = run_label(check, i) + "  " + inspector::verdict_text(check.points[i]);
    const ImVec2 at = ImGui::GetCursorPos();
    if (ImGui::Selectable("##run", static_cast<int32_t>(i) == model.point_index()))
      model.choose_point(context.document, static_cast<int32_t>(i));
    ImGui::SetCursorPos(at);
    text_fitting(text, theme().muted);
    ImGui::PopID();
  }
}

}  // namespace

void draw_check_plots(PanelContext& context, ChecksModel& model, bool fresh, ImVec2 size) {
  if (!model.plot().has_time && !model.plot().has_error) return draw_without_plot(context, model);
  if (!ImPlot::BeginAlignedPlots("##history")) return;  // a run stands at the same place in both
  draw_plots(context, model, fresh, size);
  ImPlot::EndAlignedPlots();
}

}  // namespace et::gui
