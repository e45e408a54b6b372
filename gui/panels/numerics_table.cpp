// The table of the panel Numerics: all figures of each tensor.
#include <algorithm>
#include <array>

#include "gui/panels/numerics_panel.h"
#include "gui/widgets/cells.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr ImGuiTableFlags kNumericsTable =
    ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Sortable;

/// Where there is no room for all, these step back first.
constexpr NumericsColumn kSteppingBack[] = {
    NumericsColumn::Cosine,  NumericsColumn::L1,     NumericsColumn::Mse,      NumericsColumn::Tensor,
    NumericsColumn::Special, NumericsColumn::MaxAbs, NumericsColumn::Delegate, NumericsColumn::Node,
    NumericsColumn::Own,     NumericsColumn::Module, NumericsColumn::Line,     NumericsColumn::Snr,
    NumericsColumn::Role,
};

float points_of(NumericsColumn column) {
  switch (column) {
    case NumericsColumn::Op:
      return 140;
    case NumericsColumn::Order:
      return 40;
    case NumericsColumn::Node:
    case NumericsColumn::Tensor:
    case NumericsColumn::Module:
      return 150;
    case NumericsColumn::Line:
    case NumericsColumn::Delegate:
    case NumericsColumn::Special:
      return 110;
    default:
      return 74;
  }
}

using ShownColumns = std::array<bool, kNumericsColumns>;

ShownColumns shown_numerics_columns(const NumericsModel& model, float room) {
  ShownColumns shown;
  for (size_t c = 0; c < kNumericsColumns; ++c) {
    // A column that says nothing of any row takes room for nothing.
    shown[c] = model.says_something(static_cast<NumericsColumn>(c));
  }
  const auto width = [](NumericsColumn c) { return scaled(points_of(c)) + 2 * ImGui::GetStyle().CellPadding.x + 1; };
  float sum = ImGui::GetStyle().ScrollbarSize;
  for (size_t c = 0; c < kNumericsColumns; ++c) sum += shown[c] ? width(static_cast<NumericsColumn>(c)) : 0;
  const auto step_back = [&](NumericsColumn column) {
    if (sum > room && std::exchange(shown[static_cast<size_t>(column)], false)) sum -= width(column);
  };
  // Before all others what says the same of each row.
  for (const NumericsColumn column : {NumericsColumn::Delegate, NumericsColumn::Line, NumericsColumn::Module}) {
    if (model.says_one_thing(column)) step_back(column);
  }
  for (const NumericsColumn column : kSteppingBack) step_back(column);
  return shown;
}

}  // namespace

void NumericsPanel::draw_rows(PanelContext& context, ImVec2 size) {
  const ShownColumns shown = shown_numerics_columns(model_, size.x > 0 ? size.x : ImGui::GetContentRegionAvail().x);
  std::string id = "##rows";  // which columns there are is part of the name: widths belong to them
  for (const bool on : shown) id += on ? '1' : '0';
  if (!ImGui::BeginTable(id.c_str(), static_cast<int>(kNumericsColumns), kNumericsTable, size)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (size_t c = 0; c < kNumericsColumns; ++c) {
    const auto column = static_cast<NumericsColumn>(c);
    const bool op = column == NumericsColumn::Op;
    ImGuiTableColumnFlags flags = op ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed;
    if (!shown[c]) flags |= ImGuiTableColumnFlags_Disabled;
    if (column == NumericsColumn::Order) flags |= ImGuiTableColumnFlags_DefaultSort;
    const bool low_is_bad = column == NumericsColumn::Snr || column == NumericsColumn::Cosine ||
                            column == NumericsColumn::Own || column == NumericsColumn::Order;
    if (is_number(column) && !low_is_bad) flags |= ImGuiTableColumnFlags_PreferSortDescending;
    ImGui::TableSetupColumn(column_title(column), flags, op ? 1 : scaled(points_of(column)), static_cast<ImGuiID>(c));
  }
  if (ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs(); specs != nullptr && specs->SpecsDirty) {
    sort_ = specs->SpecsCount > 0 ? static_cast<NumericsColumn>(specs->Specs[0].ColumnUserID) : NumericsColumn::Order;
    descending_ = specs->SpecsCount > 0 && specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
    specs->SpecsDirty = false;
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t c = 0; c < kNumericsColumns; ++c) {
    const auto column = static_cast<NumericsColumn>(c);
    if (ImGui::TableSetColumnIndex(static_cast<int>(c)))
      header_cell(column_title(column), is_number(column), column_help(column));
  }
  const std::vector<size_t>& rows = model_.shown(sort_, descending_);
  const float height = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  if (std::exchange(scroll_, false) && model_.chosen()) {
    const auto at = std::find(rows.begin(), rows.end(), *model_.chosen());
    const float top = static_cast<float>(at - rows.begin()) * height;
    if (at != rows.end() &&
        (top < ImGui::GetScrollY() || top > ImGui::GetScrollY() + ImGui::GetWindowHeight() - 3 * height))
      ImGui::SetScrollY(top - ImGui::GetWindowHeight() / 2);
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) draw_row(context, rows[static_cast<size_t>(i)]);
  }
  ImGui::EndTable();
  if (rows.empty()) {
    const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
    const char* const text = "No tensors match the filter.";
    const ImVec2 extent = ImGui::CalcTextSize(text);
    ImGui::GetWindowDrawList()->AddText({(a.x + b.x - extent.x) / 2, (a.y + b.y - extent.y) / 2}, theme().muted,
                                        tr(text).data());
  }
}

void NumericsPanel::draw_row(PanelContext& context, size_t row) {
  ImGui::TableNextRow();
  ImGui::PushID(static_cast<int>(row));
  const bool chosen = model_.chosen() == row;
  if (chosen || model_.is_selected(context.document, row))
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, with_alpha(theme().selection_fill, chosen ? 0.6F : 0.3F));
  bool clickable = false;
  for (size_t c = 0; c < kNumericsColumns; ++c) {
    const auto column = static_cast<NumericsColumn>(c);
    if (!ImGui::TableSetColumnIndex(static_cast<int>(c))) continue;
    if (!std::exchange(clickable, true)) {
      const ImVec2 at = ImGui::GetCursorPos();
      if (ImGui::Selectable("##row", false,
                            ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
        model_.choose(context.document, row, ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) ? "source" : "");
      }
      ImGui::SetCursorPos(at);
    }
    const inspector::GapRow& r = model_.row(row);
    std::string text = model_.cell(row, column);
    if (column == NumericsColumn::Op) {
      color_square(role_color(model_.gap(), r));
      ImGui::SameLine(0, scaled(4));
      if (model_.gap().first == row && model_.verdict() != NumericsVerdict::OtherInputs) text.insert(0, "> ");
      text_fitting(text);
    } else if (is_number(column)) {
      text_right(text, r.figures.exact() ? theme().muted : 0);
    } else if (column == NumericsColumn::Special) {
      text_fitting(text, r.figures.nan_mismatch + r.figures.inf_mismatch > 0 ? theme().bad : 0);
    } else if (column == NumericsColumn::Node || column == NumericsColumn::Module) {
      text_fitting_end(text);  // what tells one from the next is at the end
    } else if (column == NumericsColumn::Tensor) {
      text_fitting(text.substr(0, text.find(" / ")));  // of both where they differ the tooltip and the details speak
      if (text.find(" / ") != std::string::npos) item_tooltip(text);
    } else {
      text_fitting(text);
    }
  }
  ImGui::PopID();
}

}  // namespace et::gui
