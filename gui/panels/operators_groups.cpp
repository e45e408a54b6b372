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
  if (!row.detail.empty()) text_colored(theme().muted, inspector::printable(row.detail));
  if (!selected.empty()) ImGui::TextUnformatted(selected.c_str());
  if (row.none && row.key == "(unattributed)") text_colored(theme().muted, words::kUnattributed);
  if (row.none && row.key == "(framework)") text_colored(theme().muted, words::kFramework);
  if (has_filter) text_colored(theme().muted, "double-click: its ops");
  end_item_tooltip();
}

using GroupWidths = std::array<float, kGroupColumns>;

/// In pixels, 0 for columns that are left out; the name takes what the others leave.
GroupWidths group_widths(float room, bool detail, bool modules) {
  constexpr std::array<float, kGroupColumns> kPoints = {150, 150, 56, 70, 84, 120, 76, 76, 76, 120};
  GroupWidths out{};
  room -= ImGui::GetStyle().ScrollbarSize;
  const float gap = 2 * ImGui::GetStyle().CellPadding.x + 1;
  for (size_t i = 0; i < kGroupColumns; ++i) {
    const auto column = static_cast<GroupColumn>(i);
    if ((column == GroupColumn::Detail && !detail) || (column == GroupColumn::Inner && !modules)) continue;
    out[i] = scaled(kPoints[i]);
    room -= out[i] + gap;
  }
  for (const GroupColumn column : {GroupColumn::Samples, GroupColumn::Detail, GroupColumn::Ops, GroupColumn::Inner,
                                   GroupColumn::Mean, GroupColumn::P99, GroupColumn::P50}) {
    float& width = out[static_cast<size_t>(column)];
    if (room >= 0) break;
    room += width > 0 ? width + gap : 0;
    width = 0;
  }
  float& name = out[static_cast<size_t>(GroupColumn::Key)];
  float& text = out[static_cast<size_t>(GroupColumn::Detail)];
  const float more = std::max(room, 0.0F);
  const float to_name = std::min(more * (text > 0 ? 0.6F : 1.0F), scaled(300));
  const float to_text = text > 0 ? std::min(more * 0.4F, scaled(300)) : 0;
  name += to_name;
  text += to_text;
  // The rest makes bars longer: they are compared at a glance.
  out[static_cast<size_t>(GroupColumn::Share)] += std::min(more - to_name - to_text, scaled(400));
  return out;
}

}  // namespace

void OperatorsPanel::draw_groups(PanelContext& context, float height) {
  const OperatorsView& view = model_.view();
  if (view.groups.empty()) {
    if (ImGui::BeginChild("##none", {0, height})) draw_empty("No ops match the filter", "Clear or relax the filter.");
    return ImGui::EndChild();
  }
  const inspector::GroupBy by = *view.query.group;
  const bool modules = by == inspector::GroupBy::Module;
  const bool detail =
      modules || by == inspector::GroupBy::Line ||
      std::any_of(view.groups.begin(), view.groups.end(), [](const auto& g) { return !g.detail.empty(); });
  const GroupWidths widths = group_widths(ImGui::GetContentRegionAvail().x, detail, modules);
  // Which columns there are is part of the table's name: widths that the user chose belong to them.
  std::string id = "##groups" + std::to_string(static_cast<int>(by));
  for (const float width : widths) id += width > 0 ? '1' : '0';
  const float inner = ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ScrollbarSize;
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
  if (std::exchange(scroll_group_, false)) {
    const auto wanted = std::find_if(view.groups.begin(), view.groups.end(), [&](const OperatorsGroup& row) {
      return is_shown_group(context.document.selection(), row);
    });
    if (wanted != view.groups.end())
      ImGui::SetScrollY(static_cast<float>(wanted - view.groups.begin()) * operators_row_height());
  }
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

std::string group_title(inspector::GroupBy by, const inspector::GroupRow& row) {
  if (by == inspector::GroupBy::Line && !row.none) return row.key.substr(row.key.find_last_of('/') + 1);
  return row.key.empty() ? "(the model itself)" : inspector::operator_title(inspector::kernel_name(row.key));
}

/// The group that was clicked or is wanted, else those of what is selected.
bool OperatorsPanel::is_shown_group(const Selection& chosen, const OperatorsGroup& row) const {
  using inspector::GroupBy;
  const GroupBy by = *model_.view().query.group;
  if (group_.by == by && !group_.key.empty()) return group_.key == row.key;
  if (row.none) return false;
  if (chosen.kind == Selection::Kind::Op)
    return is_in_group(*model_.data(), by, row.key, op_of_selection(*model_.data(), chosen));
  if (chosen.kind == Selection::Kind::Group && by == chosen.by) return row.key == chosen.group;
  if (chosen.kind == Selection::Kind::Module && by == GroupBy::Module) return chosen.module == row.key;
  if (chosen.kind == Selection::Kind::Line && by == GroupBy::Line)
    return chosen.file + ":" + std::to_string(chosen.line) == row.key;
  return marked_.contains(row.key);
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
    for (const GroupColumn column : {GroupColumn::Mean, GroupColumn::P50, GroupColumn::P99}) {
      if (cell(column, "–", theme().muted)) item_tooltip("None of its ops ran in a warm execution.");
    }
    return;
  }
  const auto far = mean_above_median(row.times.mean, row.times.p50);
  if (cell(GroupColumn::Mean, time(row.times.mean), far ? theme().warning : 0) && far) far_mean_tooltip(*far);
  if (row.times.methods > 1) {
    for (const GroupColumn column : {GroupColumn::P50, GroupColumn::P99}) {
      if (cell(column, "–", theme().muted))
        item_tooltip("Of ops of " + inspector::format_count(row.times.methods) +
                     " methods, whose executions differ: filter one (method:name).");
    }
    return;
  }
  cell(GroupColumn::P50, time(row.times.p50));
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
  const auto marked = marked_.find(row.key);
  const SelectedPart part = selected && marked != marked_.end() ? marked->second : SelectedPart();
  ImGui::TableNextRow();
  if (selected) mark_row(!part.any() || part.all());
  ImGui::TableSetColumnIndex(0);
  const ImVec2 at = ImGui::GetCursorPos();
  const auto filter = filter_of_group(by, row, context.document.data()->shown);
  const auto open = [&] {
    if (auto opened = opened_group(*model_.data(), model_.query, by, row)) model_.query = *std::move(opened);
  };
  if (ImGui::Selectable(("##group" + std::to_string(number)).c_str(), false,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    if (filter && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
      open();
    } else if (!row.none && by == GroupBy::Module) {
      context.document.select(select_module(*model_.data(), row.key));
    } else if (!row.none && by == GroupBy::Line) {
      context.document.select(select_line(*model_.data(), file, line));
    } else {
      const Selection all = row.none ? Selection() : select_group(*model_.data(), by, row.key);
      if (!all.empty()) {
        context.document.select(all);
      } else {
        // Of ops that lead to no node, or of no operator, or of loading alone: nothing that other panels could show.
        context.document.select({});
        group_selection_ = context.document.selection_version();
        group_ = {by, row.key};
      }
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
  const auto figure = [&](GroupColumn column, const std::string& text) {
    if (ImGui::TableSetColumnIndex(static_cast<int>(column))) text_right(text);
  };
  if (ImGui::TableSetColumnIndex(static_cast<int>(GroupColumn::Detail))) {
    const size_t begin = std::min(row.detail.find_first_not_of(" \t"), row.detail.size());
    text_fitting(row.detail.substr(begin), theme().muted);
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
                                                         : name_color(by == GroupBy::Line ? file : row.key),
               view.largest_share);
  draw_group_times(row);
  figure(GroupColumn::Inner, inspector::format_duration(row.inner, view.units.sums));
}

}  // namespace et::gui
