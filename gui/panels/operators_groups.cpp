// The table of groups of ops: by type, module, line and more.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "gui/core/words.h"
#include "gui/models/opened_group.h"
#include "gui/panels/operators_panel.h"
#include "gui/panels/operators_table.h"
#include "gui/widgets/cells.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"

namespace et::gui {
namespace {

void group_tooltip(const OperatorsGroup& row, const std::string& selected, bool has_filter) {
  if (!begin_item_tooltip()) return;
  ImGui::TextUnformatted(inspector::printable(row.key).c_str());
  if (row.shapes && !row.shapes->empty()) ImGui::TextUnformatted(row.shapes->c_str());
  if (!row.runs_in.empty()) text_colored(theme().muted, row.runs_in);
  if (!row.detail.empty()) text_colored(theme().muted, inspector::printable(row.detail));
  if (!selected.empty()) ImGui::TextUnformatted(selected.c_str());
  if (row.none && row.key == "(unattributed)") text_colored(theme().muted, words::kUnattributed);
  if (row.none && row.key == "(framework)") text_colored(theme().muted, words::kFramework);
  if (has_filter) text_colored(theme().muted, "double-click: its ops");
  end_item_tooltip();
}

constexpr std::array<float, kGroupColumns> kGroupPoints = {150, 110, 190, 150, 56, 70, 84,
                                                           120, 76,  76,  76,  76, 76, 120};

}  // namespace

/// In pixels, 0 for columns that are left out; the name takes what the others leave.
std::array<float, kGroupColumns> OperatorsPanel::group_widths(float room) const {
  const OperatorsView& view = model_.view();
  const inspector::GroupBy by = *view.query.group;
  const auto& rows = view.groups;
  const auto has = [&](GroupColumn column) {
    switch (column) {
      case GroupColumn::Backend:
        return view.delegates && by != inspector::GroupBy::Delegate;
      case GroupColumn::Shapes:
        return view.query.by_shapes;
      case GroupColumn::Detail:
        return by == inspector::GroupBy::Module || by == inspector::GroupBy::Line ||
               std::any_of(rows.begin(), rows.end(), [](const auto& g) { return !g.detail.empty(); });
      case GroupColumn::Inner:
        return by == inspector::GroupBy::Module;
      case GroupColumn::Max:
      case GroupColumn::Cold:
        return group_columns_[static_cast<size_t>(column)] == ColumnChoice::On;
      default:
        return true;
    }
  };
  std::array<float, kGroupColumns> out{};
  room -= ImGui::GetStyle().ScrollbarSize;
  const float gap = 2 * ImGui::GetStyle().CellPadding.x + 1;
  for (size_t i = 0; i < kGroupColumns; ++i) {
    if (!has(static_cast<GroupColumn>(i)) || group_columns_[i] == ColumnChoice::Off) continue;
    constexpr float kPath = 220;  // of a module
    const bool path = i == static_cast<size_t>(GroupColumn::Key) && by == inspector::GroupBy::Module;
    out[i] = scaled(path ? kPath : kGroupPoints[i]);
    room -= out[i] + gap;
  }
  for (const GroupColumn column :
       {GroupColumn::Samples, GroupColumn::Mean, GroupColumn::P99, GroupColumn::Detail, GroupColumn::Ops,
        GroupColumn::Inner, GroupColumn::P50, GroupColumn::Shapes, GroupColumn::Backend}) {
    float& width = out[static_cast<size_t>(column)];
    if (room >= 0) break;
    if (group_columns_[static_cast<size_t>(column)] == ColumnChoice::On) continue;
    room += width > 0 ? width + gap : 0;
    width = 0;
  }
  float more = std::max(room, 0.0F);
  const float all = more;
  const auto give = [&](GroupColumn column, float part, float most) {
    float& width = out[static_cast<size_t>(column)];
    const float wider = width > 0 ? std::min({more, part * all, scaled(most)}) : 0;
    width += wider;
    more -= wider;
  };
  give(GroupColumn::Shapes, 0.3F, 200);
  give(GroupColumn::Detail, 0.55F, 300);
  give(GroupColumn::Key, 1, 300);
  // The rest makes bars longer: they are compared at a glance.
  give(GroupColumn::Share, 1, 400);
  return out;
}

void OperatorsPanel::draw_group_columns_menu() {
  for (size_t i = 0; i < kGroupColumns; ++i) {
    const auto column = static_cast<GroupColumn>(i);
    const inspector::GroupBy by = *model_.query.group;
    const bool possible = column != GroupColumn::Key && column != GroupColumn::Self &&
                          (column != GroupColumn::Shapes || model_.query.by_shapes) &&
                          (column != GroupColumn::Inner || by == inspector::GroupBy::Module);
    bool on = group_columns_shown_[i];
    const char* const title = column == GroupColumn::Self && model_.data() != nullptr ? self_title(*model_.data())
                                                                                      : group_column_title(column, by);
    if (ImGui::MenuItem(title, nullptr, &on, possible)) group_columns_[i] = on ? ColumnChoice::On : ColumnChoice::Off;
    if (const char* const help = group_column_help(column); help != nullptr) item_tooltip(help);
  }
  ImGui::Separator();
  const bool own = std::any_of(group_columns_.begin(), group_columns_.end(),
                               [](ColumnChoice choice) { return choice != ColumnChoice::Fitting; });
  if (ImGui::MenuItem("As many as fit", nullptr, false, own)) group_columns_.fill(ColumnChoice::Fitting);
}

/// To the row of what is selected elsewhere, unless it is in sight.
void OperatorsPanel::scroll_to_group(const Selection& chosen) {
  if (!std::exchange(scroll_group_, false)) return;
  const auto& rows = model_.view().groups;
  const auto wanted =
      std::find_if(rows.begin(), rows.end(), [&](const OperatorsGroup& row) { return is_shown_group(chosen, row); });
  if (wanted == rows.end()) return;
  const float height = operators_row_height(), top = static_cast<float>(wanted - rows.begin()) * height,
              window = ImGui::GetWindowHeight() - 3 * height;
  if (top < ImGui::GetScrollY() || top + height > ImGui::GetScrollY() + window)
    ImGui::SetScrollY(std::max(0.0F, top - window / 2));
}

void OperatorsPanel::draw_groups(PanelContext& context, float height) {
  const OperatorsView& view = model_.view();
  if (view.groups.empty()) {
    if (ImGui::BeginChild("##none", {0, height})) draw_empty("No ops match the filter", "Clear or relax the filter.");
    return ImGui::EndChild();
  }
  const inspector::GroupBy by = *view.query.group;
  const std::array<float, kGroupColumns> widths = group_widths(ImGui::GetContentRegionAvail().x);
  for (size_t i = 0; i < kGroupColumns; ++i) group_columns_shown_[i] = widths[i] > 0;
  // Which columns there are is part of the table's name: widths that the user chose belong to them.
  std::string id = "##groups" + std::to_string(static_cast<int>(by));
  for (const float width : widths) id += width > 0 ? '1' : '0';
  // Those that the user adds beyond what fits make it scroll.
  float wanted = 0;
  for (const float width : widths) wanted += width > 0 ? width + 2 * ImGui::GetStyle().CellPadding.x + 1 : 0;
  const float inner = std::max(ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize, wanted);
  if (!ImGui::BeginTable(id.c_str(), static_cast<int>(kGroupColumns), kOperatorsTable & ~ImGuiTableFlags_Hideable,
                         {0, height}, std::max(inner, 1.0F)))
    return;
  ImGui::TableSetupScrollFreeze(0, 2);
  for (size_t i = 0; i < kGroupColumns; ++i) {
    const auto column = static_cast<GroupColumn>(i);
    // The name takes what the others leave.
    const bool name = column == GroupColumn::Key;
    ImGuiTableColumnFlags flags = name ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed;
    if (widths[i] <= 0) flags |= ImGuiTableColumnFlags_Disabled;
    if (column > GroupColumn::Detail) flags |= ImGuiTableColumnFlags_PreferSortDescending;
    if (column == GroupColumn::Self) flags |= ImGuiTableColumnFlags_DefaultSort;
    std::string title = column == GroupColumn::Self ? self_title(*model_.data()) : group_column_title(column, by);
    if (column == GroupColumn::Self || column == GroupColumn::Inner) title += inspector::unit_heading(view.units.sums);
    ImGui::TableSetupColumn(title.c_str(), flags, name ? 1 : std::max(widths[i], 1.0F), static_cast<ImGuiID>(i));
  }
  if (ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs(); specs != nullptr && specs->SpecsDirty) {
    if (specs->SpecsCount > 0) {
      model_.query.group_sort = static_cast<GroupColumn>(specs->Specs[0].ColumnUserID);
      model_.query.descending = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
    }
    specs->SpecsDirty = false;
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t i = 0; i < kGroupColumns; ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    const std::string share = static_cast<GroupColumn>(i) == GroupColumn::Share ? share_help(view) : std::string();
    header_cell(ImGui::TableGetColumnName(static_cast<int>(i)), i > static_cast<size_t>(GroupColumn::Detail),
                share.empty() ? group_column_help(static_cast<GroupColumn>(i)) : share.c_str());
  }
  draw_total_row(static_cast<int>(GroupColumn::Key), static_cast<int>(GroupColumn::Self),
                 static_cast<int>(GroupColumn::Share));
  mark_groups(context.document.selection(), context.document.selection_version());
  scroll_to_group(context.document.selection());
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(view.groups.size()), operators_row_height());
  while (clipper.Step()) {
    for (int row = clipper.DisplayStart; row < clipper.DisplayEnd; ++row) {
      ImGui::PushID(row);
      draw_group_row(context, view.groups[static_cast<size_t>(row)], row);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

std::string group_title(inspector::GroupBy by, const OperatorsGroup& row) {
  if (!row.members.empty()) return row.key + " ×" + inspector::format_count(static_cast<int64_t>(row.members.size()));
  if (by == inspector::GroupBy::Line && !row.none) return row.key.substr(row.key.find_last_of('/') + 1);
  return row.key.empty() ? "(the model itself)" : inspector::operator_title(inspector::kernel_name(row.key));
}

std::string whole_group_title(inspector::GroupBy by, const OperatorsGroup& row) {
  std::string out = group_title(by, row);
  if (row.backend) out += row.backend->empty() ? " in kernels" : " in " + inspector::backend_title(*row.backend);
  if (row.shapes && !row.shapes->empty()) out += ", " + *row.shapes;
  return out;
}

/// The group that was clicked or is wanted, else those of what is selected.
bool OperatorsPanel::is_shown_group(const Selection& chosen, const OperatorsGroup& row) const {
  using inspector::GroupBy;
  const GroupBy by = *model_.view().query.group;
  if (group_.by == by && !group_.key.empty()) return group_.key == row.id() || group_.key == row.key;
  if (row.none) return false;
  if (row.is_part() || !row.members.empty()) return marked_.contains(row.id());
  if (chosen.kind == Selection::Kind::Op)
    return is_in_group(*model_.data(), by, row.key, op_of_selection(*model_.data(), chosen));
  if (chosen.kind == Selection::Kind::Group && by == chosen.by) return row.key == chosen.group;
  if (chosen.kind == Selection::Kind::Module && by == GroupBy::Module) return chosen.has_module(row.key);
  if (chosen.kind == Selection::Kind::Line && by == GroupBy::Line)
    return chosen.file + ":" + std::to_string(chosen.line) == row.key;
  return marked_.contains(row.id());
}

/// Mean and percentiles.
void OperatorsPanel::draw_group_times(const OperatorsGroup& row) const {
  const auto& unit = model_.view().units.sums;
  const auto cell = [&](GroupColumn column, const std::string& text, ImU32 color = 0) {
    const bool seen = ImGui::TableSetColumnIndex(static_cast<int>(column)) && !text.empty();
    if (seen) text_right(text, color);
    return seen;
  };
  const auto time = [&](const std::optional<double>& t) { return t ? inspector::format_duration(*t, unit) : ""; };
  if (row.times.known && row.times.methods == 0) {
    for (const GroupColumn column : {GroupColumn::Mean, GroupColumn::P50, GroupColumn::P99, GroupColumn::Max}) {
      if (cell(column, "–", theme().muted)) item_tooltip("None of its ops ran in a warm execution.");
    }
    return;
  }
  const auto far = mean_above_median(row.times.mean, row.times.p50);
  if (cell(GroupColumn::Mean, time(row.times.mean), far ? theme().warning : 0) && far) far_mean_tooltip(*far);
  if (row.times.methods > 1) {
    for (const GroupColumn column : {GroupColumn::P50, GroupColumn::P99, GroupColumn::Max}) {
      if (cell(column, "–", theme().muted))
        item_tooltip("Of ops of " + inspector::format_count(row.times.methods) +
                     " methods, whose executions differ: filter one (method:name).");
    }
    return;
  }
  cell(GroupColumn::P50, time(row.times.p50));
  cell(GroupColumn::Max, time(row.times.max));
  const bool few = row.times.p99 && row.times.executions < kFewestForP99;
  cell(GroupColumn::P99, few ? "–" : time(row.times.p99));
}

void OperatorsPanel::draw_group_row(PanelContext& context, const OperatorsGroup& row, int number) {
  using inspector::GroupBy;
  const OperatorsView& view = model_.view();
  const GroupBy by = *view.query.group;
  const size_t colon = row.key.rfind(':');
  const std::string file = row.key.substr(0, colon);
  const int64_t line = colon == std::string::npos ? 0 : std::atoll(row.key.c_str() + colon + 1);
  const bool selected = is_shown_group(context.document.selection(), row);
  const auto marked = marked_.find(row.id());
  const SelectedPart part = selected && marked != marked_.end() ? marked->second : SelectedPart();
  ImGui::TableNextRow();
  if (selected) mark_row(!part.any() || part.all());
  ImGui::TableSetColumnIndex(0);
  const ImVec2 at = ImGui::GetCursorPos();
  const auto filter = filter_of_group(by, row, context.document.data()->shown);
  const auto open = [&] {
    if (auto opened = opened_row(*model_.data(), model_.query, by, row)) model_.query = *std::move(opened);
  };
  if (ImGui::Selectable(("##group" + std::to_string(number)).c_str(), false,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick |
                            ImGuiSelectableFlags_SelectOnNav)) {
    group_click_ = true;
    const Selection all = select_row(*model_.data(), *view.shapes, by, row);
    if (filter && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      open();
    } else if (!all.empty()) {
      context.document.select(all);
    } else {
      // Of ops that lead to no node, or of no operator, or of loading alone: nothing that other panels could show.
      context.document.select({});
      group_selection_ = context.document.selection_version();
      group_ = {by, row.id()};
    }
  }
  if (ImGui::BeginPopupContextItem("##menu")) {
    if (ImGui::MenuItem("Show ops", nullptr, false, filter.has_value())) open();
    if (ImGui::MenuItem("Show source line", nullptr, false, by == GroupBy::Line && !row.none))
      context.document.select(select_line(*model_.data(), file, line), "source");
    if (ImGui::MenuItem("Copy name")) ImGui::SetClipboardText(row.key.c_str());
    ImGui::EndPopup();
  }
  group_tooltip(row, part.text(view.units.sums), filter.has_value());
  ImGui::SetCursorPos(at);
  text_fitting(group_title(by, row), row.none ? theme().muted : 0);
  if (ImGui::TableSetColumnIndex(static_cast<int>(GroupColumn::Backend)))
    text_fitting(row.runs_in, row.runs_in == "kernels" ? theme().muted : 0);
  if (ImGui::TableSetColumnIndex(static_cast<int>(GroupColumn::Shapes)))
    text_fitting(row.shapes.value_or("").empty() ? "–" : *row.shapes,
                 row.shapes.value_or("").empty() ? theme().muted : 0);
  const auto figure = [&](GroupColumn column, const std::string& text) {
    if (ImGui::TableSetColumnIndex(static_cast<int>(column))) text_right(text);
  };
  if (ImGui::TableSetColumnIndex(static_cast<int>(GroupColumn::Detail))) {
    const size_t begin = std::min(row.detail.find_first_not_of(" \t"), row.detail.size());
    // Of a class its own name; the tooltip has the package.
    const size_t name = by == GroupBy::Module ? row.detail.rfind('.') + 1 : begin;
    text_fitting(row.detail.substr(name), theme().muted);
  }
  figure(GroupColumn::Ops, row.ops > 0 ? inspector::format_count(row.ops) : "–");
  figure(GroupColumn::Samples, inspector::format_count(row.shown_samples));
  const bool none_ran = row.shown_samples == 0 && row.self == 0;
  figure(GroupColumn::Self, none_ran ? "–" : inspector::format_duration(row.self, view.units.sums));
  if (ImGui::TableSetColumnIndex(static_cast<int>(GroupColumn::Share)))
    share_cell(row.share,
               row.none && row.key == "(framework)"      ? theme().framework
               : row.none                                ? theme().unattributed
               : by == GroupBy::Type                     ? type_color(row.key)
               : by == GroupBy::Op && row.costliest >= 0 ? op_color(*model_.data(), row.costliest)
               : by == GroupBy::Delegate                 ? backend_color(row.key)
                                                         : theme().kernel,
               view.largest_share);
  draw_group_times(row);
  if (row.cold) figure(GroupColumn::Cold, inspector::format_duration(*row.cold, view.units.sums));
  figure(GroupColumn::Inner, inspector::format_duration(row.inner, view.units.sums));
}

}  // namespace et::gui
