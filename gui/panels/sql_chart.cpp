// A query's result as bars, a line or points: of two columns, with the units that the table has.
#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <tuple>

#include "gui/panels/sql_results.h"
#include "gui/widgets/cells.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::SqlResult;

namespace {

constexpr size_t kMostTickLabels = 40;  // of texts on an axis
constexpr float kNearPoint = 24;        // points of the screen: farther from the mouse is not meant

std::string chart_heading(const SqlModel& model, int column, const std::string& unit) {
  return column < 0 ? std::string("row")
                    : inspector::printable(sql_heading(model.result().columns[static_cast<size_t>(column)], unit));
}

SqlMeasure measure_of(const SqlModel& model, int column, const std::string& unit) {
  if (column < 0) return SqlMeasure::Key;
  const inspector::SqlColumn& c = model.result().columns[static_cast<size_t>(column)];
  return c.number ? sql_measure(c.name, unit) : SqlMeasure::Key;
}

}  // namespace

double SqlChartView::Axis::largest() const { return std::max(std::fabs(seen.low), std::fabs(seen.high)); }

int SqlChartView::write_tick(double value, char* out, int size, void* axis) {
  const auto& of = *static_cast<const Axis*>(axis);
  return std::snprintf(out, static_cast<size_t>(size), "%s", sql_tick(of.measure, value, of.largest()).c_str());
}

void SqlChartView::draw_choices(const SqlModel& model) {
  const SqlResult& result = model.result();
  const auto column_name = [&](int c) {
    return c < 0 ? std::string("row") : inspector::printable(result.columns[static_cast<size_t>(c)].name);
  };
  int kind = static_cast<int>(kind_);
  ImGui::SetNextItemWidth(scaled(90));
  if (ImGui::Combo("##kind", &kind, "Bars\0Line\0Scatter\0")) kind_ = static_cast<Kind>(kind), fit_ = true;
  const auto choose = [&](const char* id, const char* label, int* chosen, bool numbers_only) {
    ImGui::SameLine();
    ImGui::AlignTextToFramePadding();
    text_colored(theme().muted, label);
    ImGui::SameLine();
    ImGui::SetNextItemWidth(scaled(150));
    if (!ImGui::BeginCombo(id, column_name(*chosen).c_str())) return;
    if (!numbers_only && ImGui::Selectable("row", *chosen < 0)) *chosen = -1, fit_ = true;
    for (size_t c = 0; c < result.columns.size(); ++c) {
      if (numbers_only && !result.columns[c].number) continue;
      ImGui::PushID(static_cast<int>(c));
      const auto i = static_cast<int>(c);
      if (ImGui::Selectable(column_name(i).c_str(), *chosen == i)) *chosen = i, fit_ = true;
      ImGui::PopID();
    }
    ImGui::EndCombo();
  };
  choose("##x", "x", &x_, false);
  choose("##y", "y", &y_, true);
  if (chart_.cut) {
    ImGui::SameLine();
    text_colored(theme().warning,
                 "the first " + inspector::format_count(static_cast<int64_t>(chart_.x.size())) + " rows are drawn");
  }
}

void SqlChartView::draw(PanelContext& context, SqlModel& model, const std::string& unit) {
  if (version_ != model.version()) {
    version_ = model.version();
    std::tie(x_, y_) = model.usual_chart();
    fit_ = true;
  }
  draw_choices(model);
  if (y_ < 0) return draw_empty("No chart", "The result has no numeric column.");
  if (charted_ != model.order_version() || charted_x_ != x_ || charted_y_ != y_ || charted_kind_ != kind_) {
    charted_ = model.order_version();
    charted_x_ = x_;
    charted_y_ = y_;
    charted_kind_ = kind_;
    chosen_ = -1;
    chart_ = model.chart(x_, y_, kind_ == Kind::Bars ? SqlModel::kMaxBars : SqlModel::kMaxChartRows);
  }
  if (kind_ == Kind::Bars) return draw_bars(context, model, unit);
  draw_plot(context, model, unit);
}

// Lying, a line each: names are read whole, and a result of hundreds of rows scrolls.
void SqlChartView::draw_bars(PanelContext& context, const SqlModel& model, const std::string& unit) {
  const auto label = [&](size_t i) { return cell_of_point(model, x_, i, unit); };
  const auto value_text = [&](size_t i) { return cell_of_point(model, y_, i, unit); };
  double low = 0, high = 0;
  float names = text_width(x_ < 0 ? "row" : model.result().columns[static_cast<size_t>(x_)].name), values = 0;
  for (size_t i = 0; i < chart_.x.size(); ++i) {
    low = std::min(low, chart_.y[i]);
    high = std::max(high, chart_.y[i]);
    names = std::max(names, text_width(label(i)));
    values = std::max(values, text_width(value_text(i)));
  }
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable |
                                     ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_NoSavedSettings;
  const std::string id = "##bars" + std::to_string(charted_) + "." + std::to_string(x_) + "." + std::to_string(y_);
  if (!ImGui::BeginTable(id.c_str(), 3, kFlags)) return;
  const float most = ImGui::GetContentRegionAvail().x * 0.45F;
  const auto name = [&](int c) { return chart_heading(model, c, unit); };
  ImGui::TableSetupColumn((name(x_) + "##name").c_str(), ImGuiTableColumnFlags_WidthFixed,
                          std::min(most, names + scaled(6)));
  ImGui::TableSetupColumn((name(y_) + "##value").c_str(), ImGuiTableColumnFlags_WidthFixed,
                          std::max(values, text_width(name(y_))) + scaled(6));
  ImGui::TableSetupColumn("##bar", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (int c = 0; c < 3; ++c) {
    ImGui::TableSetColumnIndex(c);
    header_cell(ImGui::TableGetColumnName(c), c == 1);
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(chart_.x.size()));
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      const auto i = static_cast<size_t>(row);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      ImGui::PushID(row);
      const ImVec2 left = ImGui::GetCursorPos();
      if (ImGui::Selectable("##bar", chosen_ == row,
                            ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap |
                                ImGuiSelectableFlags_AllowDoubleClick)) {
        chosen_ = row;
        select_sql_row(context, model, chart_.rows[i], ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left));
      }
      item_tooltip(label(i) + ": " + value_text(i));
      ImGui::SetCursorPos(left);
      ImGui::PopID();
      text_fitting(fitting(label(i), ImGui::GetContentRegionAvail().x));
      ImGui::TableNextColumn();
      text_right(value_text(i));
      ImGui::TableNextColumn();
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float room = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight();
      const auto x_of = [&](double value) {
        return at.x + static_cast<float>((value - low) / std::max(high - low, 1e-300)) * room;
      };
      const float zero = x_of(0), end = x_of(chart_.y[i]);
      ImGui::GetWindowDrawList()->AddRectFilled({std::min(zero, end), at.y + height * 0.12F},
                                                {std::max({zero, end, zero + 1}), at.y + height * 0.88F},
                                                theme().kernel, scaled(2));
      ImGui::Dummy({room, height});
    }
  }
  ImGui::EndTable();
}

std::string SqlChartView::cell_of_point(const SqlModel& model, int column, size_t point,
                                        const std::string& unit) const {
  if (column < 0) return inspector::format_count(static_cast<int64_t>(chart_.x[point]));
  if (column == x_ && !chart_.labels.empty()) return inspector::printable(chart_.labels[point]);
  const auto c = static_cast<size_t>(column);
  const SqlResult& result = model.result();
  return inspector::printable(sql_cell_text(result.columns[c].name, result.at(chart_.rows[point], c), unit));
}

std::vector<WalkBox> SqlChartView::walk_boxes() const {
  std::vector<WalkBox> out;
  const float r = scaled(3);
  for (size_t i = 0; i < chart_.x.size(); ++i) {
    const ImVec2 at = ImPlot::PlotToPixels(chart_.x[i], chart_.y[i]);
    out.push_back({static_cast<int64_t>(i), {at.x - r, at.y - r}, {at.x + r, at.y + r}});
  }
  return out;
}

/// Labels that would run into each other are shortened; the tooltip has them whole.
void SqlChartView::setup_label_ticks() const {
  constexpr int kLabelWidth = 16;
  std::vector<std::string> texts;
  std::vector<const char*> labels;
  for (const std::string& l : chart_.labels) {
    texts.push_back(inspector::shorten_middle(
        inspector::printable(l), std::max<int>(3, kLabelWidth * 8 / static_cast<int>(chart_.labels.size() + 3))));
  }
  for (const std::string& t : texts) labels.push_back(t.c_str());
  ImPlot::SetupAxisTicks(ImAxis_X1, chart_.x.data(), static_cast<int>(labels.size()), labels.data());
}

void SqlChartView::setup_axes(const SqlModel& model, const std::string& unit) {
  const bool labelled = !chart_.labels.empty() && chart_.labels.size() <= kMostTickLabels;
  const std::string x_name = chart_heading(model, x_, unit);
  // The tooltip has the label of a row.
  const std::string x_title = labelled || chart_.labels.empty() ? x_name : "row (" + x_name + ")";
  ImPlot::SetupAxes(x_title.c_str(), chart_heading(model, y_, unit).c_str());
  x_axis_.measure = measure_of(model, x_, unit);
  y_axis_.measure = measure_of(model, y_, unit);
  if (fit_) {
    // Times and counts stand on zero, so that heights compare; what names something has none.
    x_axis_.seen =
        sql_range(chart_.x, kind_ == Kind::Scatter && x_axis_.measure != SqlMeasure::Key && chart_.labels.empty());
    y_axis_.seen = sql_range(chart_.y, y_axis_.measure != SqlMeasure::Key);
  }
  const ImPlotCond when = fit_ ? ImPlotCond_Always : ImPlotCond_Once;
  ImPlot::SetupAxesLimits(x_axis_.seen.low, x_axis_.seen.high, y_axis_.seen.low, y_axis_.seen.high, when);
  for (const auto& [axis, of] : {std::pair{ImAxis_X1, &x_axis_}, {ImAxis_Y1, &y_axis_}}) {
    ImPlot::SetupAxisFormat(axis, &write_tick, of);
    if (of->measure != SqlMeasure::Bytes) continue;
    const std::vector<double> ticks = sql_byte_ticks(of->seen.low, of->seen.high, 8);
    if (ticks.empty()) continue;
    std::vector<std::string> texts;
    std::vector<const char*> labels;
    for (const double tick : ticks) texts.push_back(sql_tick(of->measure, tick, of->largest()));
    for (const std::string& t : texts) labels.push_back(t.c_str());
    ImPlot::SetupAxisTicks(axis, ticks.data(), static_cast<int>(ticks.size()), labels.data());
  }
  if (labelled) setup_label_ticks();
}

int64_t SqlChartView::point_at_mouse() const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool line = kind_ == Kind::Line;
  float nearest = scaled(kNearPoint);
  // A line is read by its place along the axis; of points the nearest is meant.
  if (line) nearest = ImPlot::GetPlotSize().x;
  int64_t out = -1;
  for (size_t i = 0; i < chart_.x.size(); ++i) {
    const ImVec2 at = ImPlot::PlotToPixels(chart_.x[i], chart_.y[i]);
    const float away = line ? std::fabs(mouse.x - at.x) : std::hypot(mouse.x - at.x, mouse.y - at.y);
    if (away < nearest) nearest = away, out = static_cast<int64_t>(i);
  }
  return out;
}

void SqlChartView::draw_plot(PanelContext& context, const SqlModel& model, const std::string& unit) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImGuiID stop = walk_stop("##points", room);
  // What ImPlot writes at the mouse would lie over the points: the tooltip has the point's own numbers.
  if (!ImPlot::BeginPlot("##chart", room, ImPlotFlags_NoLegend | ImPlotFlags_NoTitle | ImPlotFlags_NoMouseText)) return;
  setup_axes(model, unit);
  fit_ = false;
  ImPlot::SetupFinish();
  const BoxWalk keys({.boxes = [this] { return walk_boxes(); }}, stop);
  const auto count = static_cast<int>(chart_.x.size());
  if (kind_ == Kind::Line) {
    ImPlot::PlotLine("##y", chart_.x.data(), chart_.y.data(), count);
  } else {
    ImPlot::PlotScatter("##y", chart_.x.data(), chart_.y.data(), count);
  }
  const ImPlotRect limits = ImPlot::GetPlotLimits();
  x_axis_.seen = {limits.X.Min, limits.X.Max};
  y_axis_.seen = {limits.Y.Min, limits.Y.Max};
  const bool hovered = ImPlot::IsPlotHovered();
  const bool twice = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
  const int64_t under = keys ? last_ring().key : hovered ? point_at_mouse() : -1;
  for (const int64_t point : {chosen_, under}) {
    if (point < 0 || point >= std::ssize(chart_.x)) continue;
    const auto i = static_cast<size_t>(point);
    ImPlot::PushPlotClipRect();
    ImPlot::GetPlotDrawList()->AddCircle(ImPlot::PlotToPixels(chart_.x[i], chart_.y[i]), scaled(5),
                                         point == under ? theme().hover : theme().selection, 0, scaled(1.5F));
    ImPlot::PopPlotClipRect();
  }
  // ImPlot's own fit would leave zero out.
  if (twice && (hovered || ImPlot::IsAxisHovered(ImAxis_X1) || ImPlot::IsAxisHovered(ImAxis_Y1))) fit_ = true;
  if (under >= 0) {
    const auto i = static_cast<size_t>(under);
    const Verbatim values;
    ImGui::SetTooltip("%s: %s\n%s: %s", chart_heading(model, x_, unit).c_str(),
                      cell_of_point(model, x_, i, unit).c_str(), chart_heading(model, y_, unit).c_str(),
                      cell_of_point(model, y_, i, unit).c_str());
    const bool clicked = ImGui::IsMouseReleased(ImGuiMouseButton_Left) && ImGui::GetIO().MouseDragMaxDistanceSqr[0] < 9;
    if (clicked) {
      chosen_ = under;
      select_sql_row(context, model, chart_.rows[i], false);
    }
  }
  ImPlot::EndPlot();
}

}  // namespace et::gui
