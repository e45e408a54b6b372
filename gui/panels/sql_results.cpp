#include "gui/panels/sql_results.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "gui/widgets/cells.h"
#include "inspector/text/words.h"

namespace et::gui {

using inspector::SqlResult;

namespace {

constexpr size_t kMaxColumns = 128;
constexpr size_t kRowsMeasured = 60;
constexpr float kPathWidth = 150;
constexpr size_t kShownCharacters = 400;  // of one cell; its tooltip has more

std::string shown_text(const SqlResult& result, size_t row, size_t column, const std::string& unit) {
  const auto& cell = result.at(row, column);
  if (const auto* s = std::get_if<std::string>(&cell); s != nullptr && s->size() > kShownCharacters) {
    return inspector::printable(std::string_view(*s).substr(0, kShownCharacters)) + "…";
  }
  return inspector::printable(sql_cell_text(result.columns[column].name, cell, unit));
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

void copy_row(PanelContext& context, const SqlResult& result, size_t row) {
  ImGui::SetClipboardText(inspector::sql_tsv_row(result, row).c_str());
  context.notices.say("copied the row");
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
                            // The first click: the largest first, texts from A to Z.
                            (stretched ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed) |
                                (result.columns[c].number ? ImGuiTableColumnFlags_PreferSortDescending
                                                          : ImGuiTableColumnFlags_PreferSortAscending),
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
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(model.order().size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_row(context, model, model.order()[static_cast<size_t>(i)], unit);
  }
  const bool focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
  ImGui::EndTable();
  if (chosen_ >= 0 && focused && !ImGui::GetIO().WantTextInput && ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_C))
    copy_row(context, result, static_cast<size_t>(chosen_));
}

void SqlTable::draw_row(PanelContext& context, const SqlModel& model, size_t row, const std::string& unit) {
  ImGui::PushID(static_cast<int>(row));
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorPos();
  if (ImGui::Selectable("##row", chosen_ == static_cast<int64_t>(row),
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick |
                            ImGuiSelectableFlags_AllowOverlap)) {
    chosen_ = static_cast<int64_t>(row);
    select_sql_row(context, model, row, ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left));
  }
  if (ImGui::IsItemClicked(ImGuiMouseButton_Right))
    menu_column_ = static_cast<size_t>(std::max(ImGui::TableGetHoveredColumn(), 0));
  draw_menu(context, model, row, unit);
  ImGui::SetCursorPos(at);
  for (size_t c = 0; c < widths_.size(); ++c) {
    if (c > 0) ImGui::TableNextColumn();
    draw_cell(model, row, c, unit);
  }
  ImGui::PopID();
}

void SqlTable::draw_menu(PanelContext& context, const SqlModel& model, size_t row, const std::string& unit) {
  if (!ImGui::BeginPopupContextItem("##row_menu")) return;
  chosen_ = static_cast<int64_t>(row);
  const SqlResult& result = model.result();
  const TraceData* data = context.document.data();
  const Selection target = data == nullptr ? Selection() : model.target(*data, row);
  for (const auto& [label, panel] : {std::pair{"Show in timeline", "timeline"},
                                     {"Show in operators", "operators"},
                                     {"Show in graph", "graph"},
                                     {"Show source line", "source"}}) {
    if (ImGui::MenuItem(label, nullptr, false, !target.empty())) context.document.select(target, panel);
  }
  ImGui::Separator();
  const size_t column = std::min(menu_column_, result.columns.size() - 1);
  if (ImGui::MenuItem("Copy cell")) {
    ImGui::SetClipboardText(inspector::cell_value(result.at(row, column)).c_str());
    context.notices.say("copied " + inspector::printable(result.columns[column].name));
  }
  if (ImGui::MenuItem("Copy row", "Ctrl+C")) copy_row(context, result, row);
  const std::string all = inspector::plural(std::ssize(model.order()), "row");
  if (ImGui::MenuItem("Copy all as CSV", "Ctrl+Shift+C")) {
    ImGui::SetClipboardText(model.csv().c_str());
    context.notices.say("copied " + all);
  }
  if (ImGui::MenuItem("Copy all as Markdown")) {
    ImGui::SetClipboardText(model.markdown(unit).c_str());
    context.notices.say("copied " + all);
  }
  ImGui::EndPopup();
}

void select_sql_row(PanelContext& context, const SqlModel& model, size_t row, bool lead) {
  const TraceData* const data = context.document.data();
  Selection target = data == nullptr ? Selection() : model.target(*data, row);
  if (target.empty()) {
    if (lead) context.notices.say("this row names nothing in the open trace");
    return;
  }
  std::string panel;
  if (lead) {
    panel = target.kind == Selection::Kind::Node     ? "graph"
            : target.kind == Selection::Kind::Line   ? "source"
            : target.kind == Selection::Kind::Module ? "flame"
                                                     : "timeline";
  }
  context.document.select(std::move(target), panel);
}

}  // namespace et::gui
