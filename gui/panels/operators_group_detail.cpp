// What is known of a group of ops: what they take together in each execution, and which ops these are.
#include <imgui.h>

#include <algorithm>

#include "gui/models/frame_text.h"
#include "gui/models/overview_model.h"
#include "gui/panels/operators_panel.h"
#include "gui/panels/operators_table.h"
#include "gui/widgets/canvas.h"
#include "gui/widgets/cells.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/words.h"

namespace et::gui {

void OperatorsPanel::draw_group_detail(PanelContext& context, const OperatorsGroup& group) {
  const inspector::GroupBy by = *model_.view().query.group;
  group_samples_.refresh(context.document, context.jobs, by, group);
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted(inspector::shorten_middle(inspector::printable(whole_group_title(by, group)), 60).c_str());
  ImGui::PopFont();
  const inspector::OpCount& ops = group_samples_.count();
  std::string caption = "what its " + ops.text() + (ops.ops + ops.calls == 1 ? " takes" : " take together") +
                        " in each of " + inspector::plural(group.times.executions, "warm execution");
  if (group_samples_.reading()) caption += "   reading…";
  flow(text_width(caption));
  text_colored(theme().muted, caption);
  flow(ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + text_width("Log scale"));
  ImGui::Checkbox("Log scale", &logarithmic_);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float list = list_width(room.x);
  if (draw_samples(group_samples_.view(), group_samples_.status(), group_samples_.figures(),
                   "None of its ops ran in a warm execution.", {true, group_samples_.version()},
                   {room.x - (list > 0 ? list + ImGui::GetStyle().ItemSpacing.x : 0), room.y})) {
    context.document.select(context.document.selection(), "timeline");
    context.document.show_run(group_samples_.view()->worst_run);
  }
  if (list <= 0) return;
  ImGui::SameLine();
  if (ImGui::BeginChild("##group_ops", {list, room.y})) draw_group_ops(context, group);
  ImGui::EndChild();
}

namespace {

/// What tells it from the others of its group, its module as far as there is room.
void op_name_fitting(const GroupOpName& name) {
  const float room = ImGui::GetContentRegionAvail().x;
  const auto fits = [&](const std::string& module) {
    return text_width(inspector::printable(name.text(module))) <= room;
  };
  text_fitting(name.text(name.module.empty() ? "" : short_module(name.module, fits)));
}

}  // namespace

void OperatorsPanel::draw_group_ops(PanelContext& context, const OperatorsGroup& group) {
  const TraceData& data = *context.document.data();
  const std::vector<GroupOp>& ops = group_samples_.ops();
  const float room = ImGui::GetContentRegionAvail().x;
  const bool roomy = room >= scaled(520);
  const ImGuiTableFlags flags =
      ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingFixedFit;
  if (!ImGui::BeginTable(roomy ? "##of_group" : "##of_group2", roomy ? 4 : 3, flags)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Op", ImGuiTableColumnFlags_WidthStretch);
  if (roomy) ImGui::TableSetupColumn("Line", ImGuiTableColumnFlags_WidthFixed, line_column(room));
  ImGui::TableSetupColumn("Time", ImGuiTableColumnFlags_WidthFixed, scaled(72));
  // A bar must not take the room of the names.
  const float share = room >= scaled(430) ? scaled(110) : std::max(share_width(), text_width("Of group"));
  ImGui::TableSetupColumn("Share", ImGuiTableColumnFlags_WidthFixed, share);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  ImGui::TableNextColumn();
  header_cell("Its ops", false, "Click: select it. Double-click: show it in the timeline.");
  if (roomy && ImGui::TableNextColumn()) header_cell("Line", false);
  ImGui::TableNextColumn();
  header_cell(self_title(data), true, "Its part of the group's time.");
  ImGui::TableNextColumn();
  header_cell("Of group", true, "Of the group's time; the longest bar is the costliest op.");
  const double whole = group.self, largest = ops.empty() || whole <= 0 ? 0 : ops.front().time / whole;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(ops.size()), operators_row_height());
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const GroupOp& part = ops[static_cast<size_t>(i)];
      const inspector::OpEntry& op = data.shown_op(part.op);
      const inspector::OpNode* const node = data.shown.main_node(op);
      ImGui::PushID(i);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const ImVec2 at = ImGui::GetCursorPos();
      if (ImGui::Selectable("##op", false,
                            ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick |
                                ImGuiSelectableFlags_SelectOnNav)) {
        const bool twice = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
        context.document.select(select_op(data, op.id), twice ? "timeline" : "");
      }
      op_tooltip(data, op, model_.view().units, model_.view().text_of(data, op, OpColumn::Shapes));
      ImGui::SetCursorPos(at);
      color_square(op_color(data, part.op));
      ImGui::SameLine(0, scaled(4));
      op_name_fitting(group_samples_.names()[static_cast<size_t>(i)]);
      if (roomy && ImGui::TableNextColumn() && node != nullptr && !node->node->file.empty())
        text_fitting(short_place(node->node->file, node->node->line.value_or(0)), theme().muted);
      ImGui::TableNextColumn();
      text_right(inspector::format_duration_with_unit(part.time, data.unit()));
      ImGui::TableNextColumn();
      share_cell(whole > 0 ? part.time / whole : 0, op_color(data, part.op), largest);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

}  // namespace et::gui
