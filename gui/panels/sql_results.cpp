#include "gui/panels/sql_results.h"

#include <implot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "gui/widgets/box_walk.h"
#include "gui/widgets/cells.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::SqlResult;

namespace {

constexpr size_t kMaxColumns = 128;
constexpr size_t kRowsMeasured = 60;
constexpr float kPathWidth = 150;
constexpr size_t kShownCharacters = 400;  // of one cell; its tooltip has more

std::string shown_text(const SqlResult& result, size_t row, size_t column, const std::string& unit) {
  const auto& cell = result.at(row, column);
  const auto* const whole = std::get_if<int64_t>(&cell);
  const auto* const real = std::get_if<double>(&cell);
  if (whole != nullptr || real != nullptr) {
    const double value = whole != nullptr ? static_cast<double>(*whole) : *real;
    if (std::string text = sql_figure(result.columns[column].name, value, unit); !text.empty()) return text;
  }
  if (const auto* i = std::get_if<int64_t>(&cell); i != nullptr && is_sql_key(result.columns[column].name)) {
    return std::to_string(*i);
  }
  if (const auto* s = std::get_if<std::string>(&cell); s != nullptr && s->size() > kShownCharacters) {
    return inspector::printable(std::string_view(*s).substr(0, kShownCharacters)) + "…";
  }
  return inspector::printable(inspector::cell_text(cell));
}

/// What the views' times are, whatever basis the panels have; "" of others.
const char* time_help(const std::string& column) {
  if (column == "usual_ns") return "warm median per execution, whatever basis the panels have";
  if (column == "cold_ns") return "of the first execution, which is cold";
  if (column == "slow_ns") return "mean over the slowest warm executions, from the 99th percentile of latency on";
  return "";
}

float column_width(const SqlResult& result, const std::vector<uint32_t>& order, size_t column, const std::string& unit,
                   SqlContent content) {
  // A column that says nothing is as wide as its NULL, its heading in full is a tooltip.
  if (content == SqlContent::Nothing) return text_width("NULL") + scaled(4);
  float width = text_width(sql_heading(result.columns[column], unit)) + scaled(6);
  for (size_t i = 0; i < std::min(order.size(), kRowsMeasured); ++i) {
    width = std::max(width, text_width(shown_text(result, order[i], column, unit)) + scaled(4));
  }
  return std::min(width, scaled(content == SqlContent::Paths ? kPathWidth : 340));
}

/// Paths are whole where others leave room for them.
void widen_paths(const SqlResult& result, const std::vector<uint32_t>& order, const std::string& unit,
                 const std::vector<SqlContent>& contents, float room, std::vector<float>* widths) {
  for (size_t c = 0; c < widths->size() && room > 0; ++c) {
    if (contents[c] != SqlContent::Paths) continue;
    const float wanted = column_width(result, order, c, unit, SqlContent::Mixed);
    const float more = std::clamp(wanted - (*widths)[c], 0.0F, room);
    (*widths)[c] += more;
    room -= more;
  }
}

}  // namespace

void SqlTable::draw_cell(const SqlModel& model, size_t row, size_t column, const std::string& unit) const {
  const Verbatim values;
  const SqlResult& result = model.result();
  const auto& cell = result.at(row, column);
  const std::string text = shown_text(result, row, column, unit);
  if (std::holds_alternative<std::monostate>(cell)) {
    result.columns[column].number ? text_right(text, theme().faint) : text_colored(theme().faint, text);
  } else if (result.columns[column].number) {
    text_right(text);
    if (const std::string exact = inspector::cell_text(cell); exact != text && !is_sql_key(result.columns[column].name))
      item_tooltip(exact);
  } else if (contents_[column] == SqlContent::Paths) {
    text_fitting_end(text);
  } else {
    text_fitting(text);
  }
}

void SqlTable::draw_head(const SqlResult& result, const std::string& unit, size_t stretched_column) const {
  const size_t columns = widths_.size();
  for (size_t c = 0; c < columns; ++c) {
    const std::string label = inspector::printable(sql_heading(result.columns[c], unit)) + "##" + std::to_string(c);
    const bool stretched = c == stretched_column;
    ImGui::TableSetupColumn(label.c_str(),
                            (stretched ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed) |
                                ImGuiTableColumnFlags_PreferSortDescending,
                            stretched ? 1 : widths_[c]);
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t c = 0; c < columns; ++c) {
    ImGui::TableSetColumnIndex(static_cast<int>(c));
    const std::string& name = result.columns[c].name;
    const bool empty = contents_[c] == SqlContent::Nothing;
    const bool renamed = sql_heading(result.columns[c], unit) != name;
    const std::string what = time_help(name);
    const std::string help = renamed ? "column " + inspector::printable(name) + (what.empty() ? "" : ": " + what) +
                                           ", in nanoseconds; here each time has "
                                           "its unit. Raw numbers shows them as they are."
                             : empty ? "column " + inspector::printable(name) + ": NULL in all rows"
                                     : "";
    const std::string shown_help(tr(help));
    const Verbatim names;
    header_cell(ImGui::TableGetColumnName(static_cast<int>(c)), result.columns[c].number,
                help.empty() ? nullptr : shown_help.c_str());
  }
}

void SqlTable::measure(const SqlModel& model, const std::string& unit) {
  const SqlResult& result = model.result();
  widths_.clear();
  contents_.clear();
  for (size_t c = 0; c < std::min(result.columns.size(), kMaxColumns); ++c) {
    contents_.push_back(sql_content(result, model.order(), c));
    widths_.push_back(column_width(result, model.order(), c, unit, contents_[c]));
  }
  float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().ScrollbarSize;
  for (const float width : widths_) room -= width + 2 * ImGui::GetStyle().CellPadding.x + 1;
  widen_paths(result, model.order(), unit, contents_, room, &widths_);
}

void SqlTable::draw(PanelContext& context, SqlModel& model) {
  const SqlResult& result = model.result();
  const std::string unit = raw || context.document.data() == nullptr ? std::string() : context.document.data()->unit();
  if (version_ != model.version() || drawn_raw_ != raw) {
    if (version_ != model.version()) chosen_ = -1;
    version_ = model.version();
    drawn_raw_ = raw;
    measure(model, unit);
  }
  const size_t columns = widths_.size();
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_ScrollX | ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable |
                                     ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Hideable |
                                     ImGuiTableFlags_Reorderable | ImGuiTableFlags_NoSavedSettings;
  const std::string id = "##rows" + std::to_string(version_) + (raw ? "raw" : "");
  // The last column of texts takes what the others leave.
  float inner = ImGui::GetStyle().ScrollbarSize;
  size_t last_text = columns;
  for (size_t c = 0; c < columns; ++c) {
    inner += widths_[c] + 2 * ImGui::GetStyle().CellPadding.x + 1;
    if (!result.columns[c].number && contents_[c] == SqlContent::Mixed) last_text = c;
  }
  inner = std::max(inner, ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize);
  if (!ImGui::BeginTable(id.c_str(), static_cast<int>(columns), kFlags, {}, inner)) return;
  draw_head(result, unit, last_text);
  if (ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs(); specs != nullptr && specs->SpecsDirty) {
    specs->SpecsDirty = false;
    model.sort(context.jobs, specs->SpecsCount == 0 ? -1 : specs->Specs->ColumnIndex,
               specs->SpecsCount != 0 && specs->Specs->SortDirection == ImGuiSortDirection_Descending);
  }
  const TraceData* data = context.document.data();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(model.order().size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const size_t row = model.order()[static_cast<size_t>(i)];
      ImGui::PushID(static_cast<int>(row));
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const ImVec2 at = ImGui::GetCursorPos();
      if (ImGui::Selectable("##row", chosen_ == static_cast<int64_t>(row),
                            ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick |
                                ImGuiSelectableFlags_AllowOverlap)) {
        chosen_ = static_cast<int64_t>(row);
        if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) && data != nullptr) {
          Selection target = model.target(*data, row);
          if (target.empty()) {
            context.notices.say("this row names nothing in the open trace");
          } else {
            context.document.select(std::move(target));
          }
        }
      }
      if (ImGui::BeginPopupContextItem("##row_menu")) {
        const Selection target = data == nullptr ? Selection() : model.target(*data, row);
        for (const auto& [label, panel] : {std::pair{"Show in timeline", "timeline"},
                                           {"Show in operators", "operators"},
                                           {"Show in graph", "graph"},
                                           {"Show source line", "source"}}) {
          if (ImGui::MenuItem(label, nullptr, false, !target.empty())) context.document.select(target, panel);
        }
        ImGui::EndPopup();
      }
      ImGui::SetCursorPos(at);
      for (size_t c = 0; c < columns; ++c) {
        if (c > 0) ImGui::TableNextColumn();
        draw_cell(model, row, c, unit);
      }
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

namespace {

/// 12,000,000 and not 1.2e+07.
int format_axis(double value, char* out, int size, void*) {
  if (std::fabs(value) < 1e4 || std::fabs(value) > 1e15 || value != std::floor(value))
    return std::snprintf(out, static_cast<size_t>(size), "%g", value);
  return std::snprintf(out, static_cast<size_t>(size), "%s",
                       inspector::format_count(static_cast<int64_t>(value)).c_str());
}

}  // namespace

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

void SqlChartView::draw(SqlModel& model, const std::string& unit) {
  if (version_ != model.version()) {
    version_ = model.version();
    chosen_ = -1;
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
    chart_ = model.chart(x_, y_, kind_ == Kind::Bars ? SqlModel::kMaxBars : SqlModel::kMaxChartRows);
  }
  if (kind_ == Kind::Bars) return draw_bars(model, unit);
  draw_plot(model);
}

// Lying, a line each: names are read whole, and a result of hundreds of rows scrolls.
void SqlChartView::draw_bars(const SqlModel& model, const std::string& unit) {
  const auto label = [&](size_t i) {
    return inspector::printable(chart_.labels.empty() ? inspector::cell_text(chart_.x[i]) : chart_.labels[i]);
  };
  const std::string& measure = model.result().columns[static_cast<size_t>(y_)].name;
  const auto value_text = [&](size_t i) {
    const std::string text = sql_figure(measure, chart_.y[i], unit);
    return text.empty() ? inspector::cell_text(chart_.y[i]) : text;
  };
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
  const auto name = [&](int c) {
    return c < 0 ? std::string("row")
                 : inspector::printable(sql_heading(model.result().columns[static_cast<size_t>(c)], unit));
  };
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
      ImGui::Selectable("##bar", chosen_ == row,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowOverlap);
      if (ImGui::IsItemActivated()) chosen_ = row;
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

std::vector<WalkBox> SqlChartView::walk_boxes() const {
  std::vector<WalkBox> out;
  const float r = scaled(3);
  for (size_t i = 0; i < chart_.x.size(); ++i) {
    const ImVec2 at = ImPlot::PlotToPixels(chart_.x[i], chart_.y[i]);
    out.push_back({static_cast<int64_t>(i), {at.x - r, at.y - r}, {at.x + r, at.y + r}});
  }
  return out;
}

void SqlChartView::draw_plot(const SqlModel& model) {
  constexpr size_t kMaxLabels = 40;
  constexpr int kLabelWidth = 16;
  const auto name = [&](int c) {
    return c < 0 ? std::string("row") : inspector::printable(model.result().columns[static_cast<size_t>(c)].name);
  };
  if (fit_) ImPlot::SetNextAxesToFit();
  fit_ = false;
  // Points at the edge are drawn whole.
  ImPlot::PushStyleVar(ImPlotStyleVar_FitPadding, {0.02F, 0.05F});
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImGuiID stop = walk_stop("##points", room);
  const bool drawn = ImPlot::BeginPlot("##chart", room, ImPlotFlags_NoLegend | ImPlotFlags_NoTitle);
  if (!drawn) {
    ImPlot::PopStyleVar();
    return;
  }
  const bool labelled = chart_.labels.size() <= kMaxLabels;
  // The tooltip has the label of a row.
  const std::string x_title = labelled || chart_.labels.empty() ? name(x_) : "row (" + name(x_) + ")";
  ImPlot::SetupAxes(x_title.c_str(), name(y_).c_str());
  ImPlot::SetupAxisFormat(ImAxis_Y1, &format_axis);
  ImPlot::SetupAxisFormat(ImAxis_X1, &format_axis);
  if (!chart_.labels.empty() && labelled) {
    // Labels that would run into each other are shortened; the tooltip has them whole.
    std::vector<std::string> texts;
    std::vector<const char*> labels;
    for (const std::string& l : chart_.labels) {
      texts.push_back(inspector::shorten_middle(
          inspector::printable(l), std::max<int>(3, kLabelWidth * 8 / static_cast<int>(chart_.labels.size() + 3))));
    }
    for (const std::string& t : texts) labels.push_back(t.c_str());
    ImPlot::SetupAxisTicks(ImAxis_X1, chart_.x.data(), static_cast<int>(labels.size()), labels.data());
  }
  const auto count = static_cast<int>(chart_.x.size());
  ImPlot::SetupFinish();
  const BoxWalk keys({.boxes = [this] { return walk_boxes(); }}, stop);
  switch (kind_) {
    case Kind::Bars:
      break;
    case Kind::Line:
      ImPlot::PlotLine("##y", chart_.x.data(), chart_.y.data(), count);
      break;
    case Kind::Scatter:
      ImPlot::PlotScatter("##y", chart_.x.data(), chart_.y.data(), count);
      break;
  }
  if (keys) {
    const auto i = static_cast<size_t>(last_ring().key);
    const std::string at = chart_.labels.empty() ? inspector::cell_text(chart_.x[i]) : chart_.labels[i];
    const Verbatim values;
    ImGui::SetTooltip("%s: %s\n%s: %s", name(x_).c_str(), inspector::printable(at).c_str(), name(y_).c_str(),
                      inspector::cell_text(chart_.y[i]).c_str());
  } else if (ImPlot::IsPlotHovered() && !chart_.labels.empty()) {
    const double at = ImPlot::GetPlotMousePos().x + 0.5;
    if (at >= 0 && at < static_cast<double>(chart_.labels.size())) {
      const auto i = static_cast<size_t>(at);
      ImGui::SetTooltip("%s: %s", inspector::printable(chart_.labels[i]).c_str(),
                        inspector::cell_text(chart_.y[i]).c_str());
    }
  }
  ImPlot::EndPlot();
  ImPlot::PopStyleVar();
}

}  // namespace et::gui
