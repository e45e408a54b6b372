#include "gui/panels/samples_plots.h"

#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "gui/widgets/box_walk.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr ImPlotFlags kSamplesPlot = ImPlotFlags_CanvasOnly;
constexpr ImPlotAxisFlags kSamplesAxis = ImPlotAxisFlags_NoHighlight | ImPlotAxisFlags_NoMenus;

/// Plots hold ticks of the trace; labels are in the unit of the axis.
int format_tick(double value, char* out, int size, void* unit) {
  const double divisor = static_cast<const inspector::TimeUnit*>(unit)->divisor;
  return std::snprintf(out, static_cast<size_t>(size), "%.6g", value / divisor);
}

inspector::TimeUnit unit_of(const inspector::OpEntry& op, double largest) {
  inspector::TimeUnit unit;
  // As the labels of the marks: no "3280 ns" beside "3.28 µs".
  const char* const of_ns = largest < 1e3 ? "ns" : largest < 1e6 ? "us" : largest < 1e9 ? "ms" : "s";
  (void)inspector::choose_unit(op.unit == "ns" ? of_ns : "auto", op.unit, largest, &unit);
  return unit;
}

/// Counts and numbers of executions: no label between them.
int format_whole(double value, char* out, int size, void*) {
  if (std::abs(value - std::round(value)) > 1e-6) return std::snprintf(out, static_cast<size_t>(size), "%s", "");
  return std::snprintf(out, static_cast<size_t>(size), "%.0f", std::round(value) + 0.0);
}

struct Mark {
  double at = 0;
  std::string label;
};

std::vector<Mark> marks_of(const inspector::OpEntry& op) {
  std::vector<Mark> marks;
  const bool warm = op.warm_p50.has_value();
  for (const auto& [name, value] : {std::pair<const char*, std::optional<double>>{"p50", warm ? op.warm_p50 : op.p50},
                                    {"p99", warm ? op.warm_p99 : op.p99},
                                    {"mean", warm ? op.warm_mean : op.mean}}) {
    if (value)
      marks.push_back({*value, std::string(name) + " " + inspector::format_duration_with_unit(*value, op.unit.str())});
  }
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) { return a.at < b.at; });
  return marks;
}

struct MarkPlace {
  float left = 0, width = 0;
  size_t row = 0;
};

/// Where labels stand beside their lines, one below the other where they would overlap. `x_of`: of a time.
template <class XOf>
std::vector<MarkPlace> places_of(const std::vector<Mark>& marks, float from, float to, const XOf& x_of) {
  std::array<float, 4> right{};  // of the last label in each row
  right.fill(-1e9F);
  std::vector<MarkPlace> out;
  for (const Mark& mark : marks) {
    const float width = ImGui::CalcTextSize(mark.label.c_str()).x;
    MarkPlace place = {std::min(x_of(mark.at) + scaled(3), to - width - scaled(2)), width, 0};
    if (x_of(mark.at) >= from - 1 && x_of(mark.at) <= to + 1) {
      while (place.row + 1 < right.size() && right[place.row] > place.left) ++place.row;
      right[place.row] = place.left + width + scaled(6);
    }
    out.push_back(place);
  }
  return out;
}

/// How much higher than its bars a plot has to be for the labels of its marks, at most twice.
double room_for_marks(const std::vector<Mark>& marks, double low, double high, ImVec2 size) {
  const float line = ImGui::GetTextLineHeight();
  const float wide = std::max(size.x - 5 * line, line), inside = size.y - 3 * line;
  const auto x_of = [&](double at) { return static_cast<float>((at - low) / (high - low)) * wide; };
  size_t rows = 0;
  for (const MarkPlace& place : places_of(marks, 0, wide, x_of)) rows = std::max(rows, place.row + 1);
  const float taken = static_cast<float>(rows) * line + scaled(4);
  return inside > 2 * taken ? inside / (inside - taken) : 2;
}

/// Lines from top to bottom with their labels at the top.
void draw_marks(const std::vector<Mark>& marks) {
  const ImVec2 corner = ImPlot::GetPlotPos(), size = ImPlot::GetPlotSize();
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const float line = ImGui::GetTextLineHeight();
  const auto x_of = [](double at) { return ImPlot::PlotToPixels(at, 0).x; };
  // All lines first: none goes through another one's label.
  for (const Mark& mark : marks) {
    const float x = ImPlot::PlotToPixels(mark.at, 0).x;
    if (x >= corner.x - 1 && x <= corner.x + size.x + 1)
      list->AddLine({x, corner.y}, {x, corner.y + size.y}, with_alpha(theme().selection, 0.8F), 1);
  }
  const std::vector<MarkPlace> places = places_of(marks, corner.x, corner.x + size.x, x_of);
  for (size_t i = 0; i < marks.size(); ++i) {
    const float x = x_of(marks[i].at);
    if (x < corner.x - 1 || x > corner.x + size.x + 1) continue;
    const ImVec2 at = {places[i].left, corner.y + scaled(2) + static_cast<float>(places[i].row) * line};
    list->AddRectFilled({at.x - scaled(1), at.y}, {at.x + places[i].width + scaled(1), at.y + line}, theme().surface);
    list->AddText(at, theme().text, tr(marks[i].label).data());
  }
}

void plot_tooltip(const std::string& text) {
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(text.c_str());
  ImGui::EndTooltip();
}

/// Room at both ends, so that the outermost bars and points are whole.
std::pair<double, double> with_margin(double low, double high, bool logarithmic) {
  if (logarithmic) {
    low = std::max(low, 0.5);
    high = std::max(high, low * 1.1);
    const double part = std::pow(high / low, 0.04);
    return {low / part, high * part};
  }
  const double part = std::max((high - low) * 0.04, 0.5);
  return {low - part, high + part};
}

}  // namespace

namespace {

/// Round numbers of the unit with room for their labels, which stand inside of the axis.
void setup_time_ticks(double low, double high, const inspector::TimeUnit& unit, float width) {
  const float room = ImGui::CalcTextSize("0000.00").x * 1.5F;
  const double most = std::max(1.0, std::floor(static_cast<double>(width / room)));
  const double range = (high - low) / unit.divisor;
  double step = std::pow(10.0, std::floor(std::log10(range / most)));
  for (const double factor : {2.0, 2.5, 2.0, 2.0}) {
    if (range / step > most) step *= factor;
  }
  std::vector<double> values;
  std::vector<std::string> labels;
  const double edge = 0.04 * range;
  for (double at = std::ceil((low / unit.divisor + edge) / step) * step; at <= high / unit.divisor - edge; at += step) {
    values.push_back(at * unit.divisor);
    std::array<char, 32> text{};
    (void)std::snprintf(text.data(), text.size(), "%.6g", std::abs(at) < step / 1000 ? 0 : at);
    labels.emplace_back(text.data());
  }
  if (values.empty()) {  // no room for two: any number is better than none
    values.push_back((low + high) / 2);
    std::array<char, 32> text{};
    (void)std::snprintf(text.data(), text.size(), "%.4g", values.front() / unit.divisor);
    labels.emplace_back(text.data());
  }
  std::vector<const char*> texts;
  for (const std::string& label : labels) texts.push_back(label.c_str());
  if (!values.empty()) ImPlot::SetupAxisTicks(ImAxis_X1, values.data(), static_cast<int>(values.size()), texts.data());
}

/// Where lines of text have no room one above the other, the ends stand for all.
void setup_low_plot(double low, double high, float height) {
  constexpr float kLines = 7;
  if (height < kLines * ImGui::GetFontSize() && high > low) ImPlot::SetupAxisTicks(ImAxis_Y1, low, high, 2);
}

/// As high as the plot, as the mouse finds them.
std::vector<WalkBox> bin_boxes(const Histogram& h) {
  std::vector<WalkBox> out;
  const float top = ImPlot::GetPlotPos().y, bottom = top + ImPlot::GetPlotSize().y;
  for (size_t i = 0; i < h.counts.size(); ++i) {
    if (h.counts[i] == 0) continue;
    out.push_back({static_cast<int64_t>(i),
                   {ImPlot::PlotToPixels(h.edges[i], 0).x, top},
                   {ImPlot::PlotToPixels(h.edges[i + 1], 0).x, bottom}});
  }
  return out;
}

/// The bars with marks at percentiles.
void draw_bins(const Histogram& h, const inspector::OpEntry& op, bool logarithmic, bool fresh, ImVec2 size) {
  const ImGuiID stop = walk_stop("##bins", size);
  if (!ImPlot::BeginPlot("##histogram", size, kSamplesPlot)) return;
  inspector::TimeUnit unit = unit_of(op, h.edges.back());
  const std::string label = "duration (" + inspector::unit_name(unit) + ")";
  ImPlotAxisFlags of_time = kSamplesAxis;
  if (!logarithmic) of_time |= ImPlotAxisFlags_Lock;  // all of it is seen
  ImPlot::SetupAxes(tr(label).data(), tr("samples").data(), of_time, kSamplesAxis);
  const auto [low, high] = with_margin(h.edges.front(), h.edges.back(), logarithmic);
  if (logarithmic) {
    ImPlot::SetupAxisScale(ImAxis_X1, ImPlotScale_Log10);
    ImPlot::SetupAxisFormat(ImAxis_X1, format_tick, &unit);
  } else {
    setup_time_ticks(low, high, unit, size.x - ImGui::GetFontSize() * 4);
  }
  ImPlot::SetupAxisFormat(ImAxis_Y1, format_whole);
  setup_low_plot(0, static_cast<double>(h.highest), size.y);
  const std::vector<Mark> marks = marks_of(op);
  const double above = logarithmic ? 1.12 : room_for_marks(marks, low, high, size);
  ImPlot::SetupAxesLimits(low, high, 0, static_cast<double>(h.highest) * above,
                          fresh ? ImPlotCond_Always : ImPlotCond_Once);
  ImPlot::SetupFinish();
  const BoxWalk keys({.boxes = [&] { return bin_boxes(h); }}, stop);
  ImPlot::PushPlotClipRect();
  ImDrawList* list = ImPlot::GetPlotDrawList();
  const double mouse = keys || ImPlot::IsPlotHovered() ? ImPlot::GetPlotMousePos().x : -1e300;
  std::string under;
  for (size_t i = 0; i < h.counts.size(); ++i) {
    const bool hovered = mouse >= h.edges[i] && mouse < h.edges[i + 1];
    if (hovered) {
      under = inspector::format_duration(std::max(0.0, std::ceil(h.edges[i])), unit) + " to " +
              inspector::format_duration_named(std::floor(h.edges[i + 1]), unit) + "\n" +
              inspector::format_count(h.counts[i]) + (h.counts[i] == 1 ? " sample" : " samples");
    }
    if (h.counts[i] == 0) continue;
    const ImVec2 a = ImPlot::PlotToPixels(h.edges[i], static_cast<double>(h.counts[i]));
    const ImVec2 b = ImPlot::PlotToPixels(h.edges[i + 1], 0);
    // A single sample among thousands stays visible.
    const float top = std::min(a.y, b.y - scaled(2));
    list->AddRectFilled({a.x, top}, {std::max(a.x + scaled(2), b.x - 1), b.y},
                        with_alpha(theme().kernel, hovered ? 1.0F : 0.75F));
  }
  draw_marks(marks);
  ImPlot::PopPlotClipRect();
  if (!under.empty()) plot_tooltip(under);
  ImPlot::EndPlot();
}

/// Above the histogram: what it is of, and what it has no room for.
bool draw_histogram_caption(const SamplesView& view, const inspector::OpEntry& op, const Histogram& h) {
  const auto time = [&](int64_t ticks) {
    return inspector::format_duration_with_unit(static_cast<double>(ticks), op.unit.str());
  };
  int64_t shown = h.beyond;
  for (const int64_t n : h.counts) shown += n;
  std::string what =
      inspector::format_count(shown) + (view.cold.empty() ? "" : " warm") + (shown == 1 ? " sample" : " samples");
  if (!view.cold.empty()) {
    what += "; cold " + time(view.cold.front()) +
            (view.cold.size() > 1 ? " and " + inspector::format_count(std::ssize(view.cold) - 1) + " more" : "");
  }
  text_fitting(what, theme().muted);
  if (h.beyond == 0) return false;
  const std::string beyond = inspector::format_count(h.beyond) + " beyond: " + time(h.beyond_lowest) +
                             (h.beyond_most > h.beyond_lowest ? " … " + time(h.beyond_most) : std::string());
  flow(ImGui::CalcTextSize(beyond.c_str()).x);
  const bool clicked = ImGui::TextLink((beyond + "###beyond").c_str());
  item_tooltip(
      "The axis ends at the 99th percentile, with few samples at the largest that is not far out. Click: show the "
      "slowest in the timeline.");
  return clicked;
}

}  // namespace

bool draw_histogram(const SamplesView& view, const inspector::OpEntry& op, bool logarithmic, bool fresh, ImVec2 size) {
  const Histogram& h = logarithmic ? view.logarithmic : view.linear;
  if (h.counts.empty()) return false;
  if (!ImGui::BeginChild("##distribution", size, ImGuiChildFlags_None, ImGuiWindowFlags_NoScrollbar)) {
    ImGui::EndChild();
    return false;
  }
  const float top_of_all = ImGui::GetCursorPosY();
  const bool clicked = draw_histogram_caption(view, op, h);
  size.y -= ImGui::GetCursorPosY() - top_of_all;
  draw_bins(h, op, logarithmic, fresh, size);
  ImGui::EndChild();
  return clicked;
}

namespace {

/// Triangles at the upper edge, for points above `highest`.
void draw_beyond(const Course& c, double highest) {
  ImPlot::PushPlotClipRect();
  const float size = scaled(4), top = ImPlot::GetPlotPos().y;
  for (size_t i = 0; i < c.high.size(); ++i) {
    if (c.high[i] <= highest) continue;
    const float x = ImPlot::PlotToPixels(c.position[i], 0).x;
    ImPlot::GetPlotDrawList()->AddTriangleFilled({x, top + 1}, {x - size, top + 2 * size}, {x + size, top + 2 * size},
                                                 c.cold[i] ? theme().kernel : theme().warning);
  }
  ImPlot::PopPlotClipRect();
}

std::vector<WalkBox> course_boxes(const Course& c, double highest) {
  std::vector<WalkBox> out;
  const float r = scaled(3);
  for (size_t i = 0; i < c.position.size(); ++i) {
    const ImVec2 at = ImPlot::PlotToPixels(c.position[i], std::min(c.mean[i], highest));
    out.push_back({static_cast<int64_t>(i), {at.x - r, at.y - r}, {at.x + r, at.y + r}});
  }
  return out;
}

}  // namespace

void draw_course(const SamplesView& view, const inspector::OpEntry& op, bool logarithmic, bool fresh, ImVec2 size) {
  const Course& c = view.course;
  if (c.position.empty()) return;
  const ImGuiID stop = walk_stop("##course_points", size);
  if (!ImPlot::BeginPlot("##course", size, kSamplesPlot)) return;
  const auto n = static_cast<int>(c.position.size());
  const double lowest = *std::min_element(c.low.begin(), c.low.end());
  double highest = *std::max_element(c.high.begin(), c.high.end());
  // The same limit as the histogram's: as many stand at the upper edge as it counts beyond.
  if (!logarithmic && view.linear.beyond > 0) highest = std::min(highest, view.linear.edges.back());
  inspector::TimeUnit unit = unit_of(op, highest);
  const std::string label = "duration (" + inspector::unit_name(unit) + ")";
  ImPlot::SetupAxes(tr("execution").data(), tr(label).data(), kSamplesAxis, kSamplesAxis);
  if (logarithmic) ImPlot::SetupAxisScale(ImAxis_Y1, ImPlotScale_Log10);
  ImPlot::SetupAxisFormat(ImAxis_Y1, format_tick, &unit);
  ImPlot::SetupAxisFormat(ImAxis_X1, format_whole);
  const auto [left, right] = with_margin(c.position.front(), c.position.back(), false);
  const auto [low, high] = with_margin(logarithmic ? lowest : 0, highest, logarithmic);
  setup_low_plot(logarithmic ? lowest : 0, highest, size.y);
  ImPlot::SetupAxesLimits(left, right, logarithmic ? low : -0.03 * high, high,
                          fresh ? ImPlotCond_Always : ImPlotCond_Once);
  ImPlot::SetupFinish();
  const BoxWalk keys({.boxes = [&] { return course_boxes(c, highest); }}, stop);
  ImPlotSpec spec;
  const ImVec4 color = ImGui::ColorConvertU32ToFloat4(theme().kernel);
  if (c.exact) {
    spec.Marker = ImPlotMarker_Circle;
    spec.MarkerSize = n > 300 ? scaled(1.5F) : scaled(2.5F);
    spec.MarkerFillColor = color;
    spec.MarkerLineColor = color;
    ImPlot::PlotScatter("samples", c.position.data(), c.mean.data(), n, spec);
  } else {
    spec.FillColor = color;
    spec.FillAlpha = 0.35F;
    ImPlot::PlotShaded("range", c.position.data(), c.low.data(), c.high.data(), n, spec);
    ImPlotSpec mean;
    mean.LineColor = color;
    ImPlot::PlotLine("mean", c.position.data(), c.mean.data(), n, mean);
  }
  draw_beyond(c, highest);
  if (const std::optional<double> p50 = op.warm_p50 ? op.warm_p50 : op.p50) {
    ImPlotSpec line;
    line.LineColor = ImGui::ColorConvertU32ToFloat4(with_alpha(theme().selection, 0.8F));
    line.Flags = ImPlotInfLinesFlags_Horizontal;
    ImPlot::PlotInfLines("p50", &*p50, 1, line);
  }
  if (keys || ImPlot::IsPlotHovered()) {
    const double x = ImPlot::GetPlotMousePos().x;
    const auto after = std::lower_bound(c.position.begin(), c.position.end(), x);
    size_t i = static_cast<size_t>(after - c.position.begin());
    if (i == c.position.size() || (i > 0 && x - c.position[i - 1] < c.position[i] - x)) --i;
    std::string text = "execution #" + inspector::format_count(static_cast<int64_t>(c.position[i])) +
                       (c.cold[i] ? " (cold)" : "") + "\n";
    if (!c.exact) {
      text +=
          inspector::format_duration(c.low[i], unit) + " to " + inspector::format_duration(c.high[i], unit) + ", mean ";
    }
    plot_tooltip(text + inspector::format_duration_named(c.mean[i], unit));
  }
  ImPlot::EndPlot();
}

}  // namespace et::gui
