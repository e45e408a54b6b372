// Delegation: the table of non-delegated operators with the likely reasons.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/panels/delegation_panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"

namespace et::gui {

namespace {

struct NonDelegatedColumn {
  const char* title;
  DelegationModel::Column column;
  float width;  // 0: stretches
  bool right;
  const char* help;
};
constexpr std::array<NonDelegatedColumn, 8> kNonDelegatedColumns = {{
    {"Time", DelegationModel::Column::Time, 90, true, "Inclusive time of the instruction in all executions"},
    {"Ops", DelegationModel::Column::Count, 40, true, "Nodes or instructions in this row"},
    {"Operator", DelegationModel::Column::Operator, 210, false, nullptr},
    {"Node", DelegationModel::Column::Node, 190, false, "Its name in the graph"},
    {"Instr.", DelegationModel::Column::Instruction, 50, true, "Index of the instruction"},
    {"Produces", DelegationModel::Column::Tensor, 150, false, "dtype and shape of its first output"},
    {"Crossing", DelegationModel::Column::Bytes, 80, true, "Bytes read from and produced for delegates, per call"},
    {"Likely reason", DelegationModel::Column::Reasons, 0, false,
     "Inferred from what this program delegates; the files do not record the partitioner's decisions"},
}};

}  // namespace

void DelegationPanel::draw_non_delegated(PanelContext& context) {
  ImGui::SetNextItemWidth(scaled(200));
  take_search_focus();
  if (ImGui::InputTextWithHint("##filter", "Filter: operator, module, reason", &filter_)) {
    model_.filter(filter_);
    chosen_row_ = -1;
  }
  ImGui::SameLine();
  bool types = model_.is_by_type();
  if (ImGui::Checkbox("By operator type", &types)) {
    model_.by_type(types);
    chosen_row_ = -1;
  }
  ImGui::SameLine();
  bool free = model_.shows_free();
  const std::string label = "Without instruction" +
                            (model_.hidden_free() > 0 ? " (" + format_count(model_.hidden_free()) + ")" : "") +
                            "###free";
  if (ImGui::Checkbox(label.c_str(), &free)) {
    model_.show_free(free);
    chosen_row_ = -1;
  }
  item_tooltip("Nodes without their own instruction: views and folded nodes");
  if (model_.rows().empty()) {
    const bool filtered = !filter_.empty();
    return draw_empty(filtered ? "No operators match the filter" : "No non-delegated operators",
                      filtered ? "Clear the filter to see all." : "All instructions are delegate calls.");
  }
  draw_non_delegated_table(context);
  draw_why(context);
}

void DelegationPanel::draw_non_delegated_table(PanelContext& context) {
  const float below = ImGui::GetTextLineHeightWithSpacing() * 5.2F;
  const float height = std::max(scaled(80), ImGui::GetContentRegionAvail().y - below);
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Sortable | ImGuiTableFlags_Resizable | ImGuiTableFlags_ScrollY |
                                     ImGuiTableFlags_ScrollX | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV |
                                     ImGuiTableFlags_Hideable;
  const float room = ImGui::GetContentRegionAvail().x - scaled(2);
  // Names that are cut in the middle may look alike.
  const auto longest = std::max_element(
      model_.rows().begin(), model_.rows().begin() + std::min<std::ptrdiff_t>(std::ssize(model_.rows()), 200),
      [&](const NonDelegatedRow& a, const NonDelegatedRow& b) {
        return model_.first(a).op.size() < model_.first(b).op.size();
      });
  const float names = ImGui::CalcTextSize(model_.first(*longest).op.c_str()).x;
  const auto width_of = [&](const NonDelegatedColumn& c) {
    return c.column == DelegationModel::Column::Operator ? std::clamp(names, scaled(c.width), scaled(360))
                                                         : scaled(c.width);
  };
  float fixed = 0;
  for (const NonDelegatedColumn& c : kNonDelegatedColumns)
    fixed += width_of(c) + 2 * ImGui::GetStyle().CellPadding.x + 1;
  if (!ImGui::BeginTable("##non_delegated", static_cast<int>(kNonDelegatedColumns.size()), kFlags, {0, height})) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const NonDelegatedColumn& c : kNonDelegatedColumns) {
    ImGuiTableColumnFlags flags = ImGuiTableColumnFlags_WidthFixed;
    if (c.column == DelegationModel::Column::Time)
      flags |= ImGuiTableColumnFlags_DefaultSort | ImGuiTableColumnFlags_PreferSortDescending;
    // The last one takes what the others leave.
    const float rest = std::max(scaled(300), room - fixed);
    ImGui::TableSetupColumn(c.title, flags, c.width > 0 ? width_of(c) : rest);
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t c = 0; c < kNonDelegatedColumns.size(); ++c) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(c))) continue;
    ImGui::PushID(static_cast<int>(c));
    header_cell(kNonDelegatedColumns[c].title, kNonDelegatedColumns[c].right, kNonDelegatedColumns[c].help);
    ImGui::PopID();
  }
  if (ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs(); specs != nullptr && specs->SpecsDirty) {
    if (specs->SpecsCount > 0) {
      model_.sort(kNonDelegatedColumns[static_cast<size_t>(specs->Specs[0].ColumnIndex)].column,
                  specs->Specs[0].SortDirection == ImGuiSortDirection_Descending);
    }
    specs->SpecsDirty = false;
  }
  inspector::TimeUnit unit;
  const Status chosen = inspector::choose_unit("auto", model_.map(0).unit, model_.largest_ns(), &unit);
  (void)chosen;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(model_.rows().size()));
  if (scroll_to_row_ && chosen_row_ >= 0) clipper.IncludeItemByIndex(chosen_row_);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) draw_row(context, i, unit);
  }
  ImGui::EndTable();
}

void DelegationPanel::draw_row(PanelContext& context, int i, const inspector::TimeUnit& unit) {
  const NonDelegatedRow& row = model_.rows()[static_cast<size_t>(i)];
  const NonDelegatedOp& op = model_.first(row);
  const bool several = row.ops.size() > 1;
  ImGui::PushID(i);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool selected = i == chosen_row_ || model_.is_selected(row, context.document.selection());
  if (ImGui::Selectable("##row", selected,
                        ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    chosen_row_ = i;
    scroll_to_row_ = false;
    if (Selection s = model_.selection_of(row); !s.empty()) {
      context.document.select(std::move(s), ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) ? "graph" : "");
      seen_selection_ = context.document.selection_version();
    }
  }
  if (scroll_to_row_ && i == chosen_row_) {
    ImGui::SetScrollHereY(0.5F);
    scroll_to_row_ = false;
  }
  draw_row_menu(context, row);
  ImGui::SameLine(0, 0);
  text_right(timed_ ? inspector::format_duration_named(row.ns, unit) : std::string());
  ImGui::TableNextColumn();
  text_right(format_count(static_cast<int64_t>(row.ops.size())));
  ImGui::TableNextColumn();
  text_fitting(op.op);
  ImGui::TableNextColumn();
  const std::string method = model_.maps().size() > 1 ? method_name(row.map) + ": " : "";
  text_fitting(several ? method : method + op.node);
  ImGui::TableNextColumn();
  if (!several && op.instruction >= 0) text_right(std::to_string(op.instruction));
  ImGui::TableNextColumn();
  if (!several) text_fitting(op.dtype + (op.shape.empty() ? "" : " " + op.shape));
  ImGui::TableNextColumn();
  text_right(row.bytes == 0 ? "" : bytes_text(row.bytes), row.bytes < 0 ? theme().faint : 0);
  ImGui::TableNextColumn();
  std::string reasons = several ? row.reasons : std::string();
  if (!several) {
    for (const auto& r : op.reasons) reasons += (reasons.empty() ? "" : " · ") + r.text;
  }
  text_fitting(reasons, theme().muted);
  ImGui::PopID();
}

void DelegationPanel::draw_row_menu(PanelContext& context, const NonDelegatedRow& row) {
  if (!ImGui::BeginPopupContextItem("##menu")) return;
  for (const auto& [title, panel] : {std::pair{"Show in timeline", "timeline"},
                                     {"Show in operators", "operators"},
                                     {"Show source line", "source"},
                                     {"Show in graph", "graph"}}) {
    if (ImGui::MenuItem(title)) context.document.select(model_.selection_of(row), panel);
  }
  ImGui::EndPopup();
}

// The likely reasons of the chosen row.
void DelegationPanel::draw_why(PanelContext& context) {
  (void)context;
  ImGui::Separator();
  if (chosen_row_ < 0 || static_cast<size_t>(chosen_row_) >= model_.rows().size()) {
    text_colored(theme().muted,
                 "Select a row to see the likely reason. Reasons are inferred from what this program delegates; the "
                 "files do not record the partitioner's decisions.");
    return;
  }
  const NonDelegatedRow& row = model_.rows()[static_cast<size_t>(chosen_row_)];
  const NonDelegatedOp& op = model_.first(row);
  if (!ImGui::BeginChild("##why", {0, 0})) {
    ImGui::EndChild();
    return;
  }
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted(inspector::printable(op.op).c_str());
  ImGui::PopFont();
  ImGui::SameLine();
  std::string facts = time(row.ns) + ", " + format_share(row.share) + " of " + method_name(row.map);
  if (row.bytes != 0)
    facts += ", " + bytes_text(row.bytes) + (row.bytes < 0 ? " bytes" : "") + " to and from delegates per run";
  if (!op.file.empty()) facts += ", " + op.file + (op.line > 0 ? ":" + std::to_string(op.line) : "");
  text_fitting(facts, theme().muted);
  std::vector<std::string> said;
  for (const int32_t i : row.ops) {
    for (const auto& r : model_.map(row.map).non_delegated[static_cast<size_t>(i)].reasons) {
      if (std::find(said.begin(), said.end(), r.text) != said.end() || said.size() > 30) continue;
      said.push_back(r.text);
      ImGui::Bullet();
      text_fitting(r.text);
    }
  }
  if (said.empty()) {
    text_colored(theme().muted, "Without an ETRecord, its dtypes and neighbours are unknown.");
  }
  ImGui::EndChild();
}

}  // namespace et::gui
