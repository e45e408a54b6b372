// What is known of one op: its samples, and the nodes that it is linked with.
#include <algorithm>
#include <utility>

#include "gui/models/overview_model.h"
#include "gui/panels/operators_panel.h"
#include "gui/panels/samples_plots.h"
#include "gui/widgets/cells.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::gui {

void OperatorsPanel::draw_detail(PanelContext& context, int32_t index) {
  samples_.refresh(context.document, context.jobs, index);
  if (index < 0) {
    return draw_empty("No operator is selected", "Click a row to see its samples and linked nodes.");
  }
  const TraceData& data = *context.document.data();
  const inspector::OpEntry& op = data.shown_op(index);
  // In the middle of the line that the check box makes higher than a text.
  const float height = ImGui::GetFrameHeight(), size = ImGui::GetTextLineHeight() * 0.7F;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddRectFilled(
      {at.x, at.y + (height - size) / 2}, {at.x + size, at.y + (height + size) / 2}, op_color(data, index), scaled(2));
  ImGui::Dummy({size, height});
  ImGui::SameLine(0, scaled(4));
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted(inspector::shorten_middle(inspector::printable(row_title(data.shown, op)), 60).c_str());
  ImGui::PopFont();
  op_facts_tooltip(data, op, model_.view());
  std::string caption = samples_.caption();
  if (op.encloses) caption += " of the whole call";
  if (const std::string some = executions_of_op(data.shown, op); !some.empty()) caption += ", in " + some;
  const Selection& chosen = context.document.selection();
  const bool of_group = is_of_group(chosen), of_several = chosen.kind != Selection::Kind::Op && chosen.ops.size() > 1;
  if (model_.view().query.group && (of_group || of_several)) {
    caption += of_group ? "; the costliest op of the group" : "; the costliest of the selected ops";
    if (const inspector::OpNode* const node = data.shown.main_node(op); node != nullptr && !node->node->file.empty())
      caption += ", " + short_place(node->node->file, node->node->line.value_or(0)) +
                 (node->node->module_path.empty() ? "" : ", " + node->node->module_path);
  }
  if (!model_.view().query.group && of_several) caption += "; the costliest of the selected ops";
  if (const std::string shapes = model_.view().text_of(data, op, OpColumn::Shapes); !shapes.empty())
    caption += "; " + shapes;
  if (samples_.reading()) caption += "   reading…";
  flow(text_width(caption));
  text_fitting(caption, theme().muted);
  flow(ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + text_width("Log scale"));
  ImGui::Checkbox("Log scale", &logarithmic_);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float nodes = list_width(room.x);
  const SamplesView* const view = samples_.view();
  const bool is_its = view != nullptr && view->samples.op_id == op.id;
  if (draw_samples(is_its ? view : nullptr, samples_.status(), op, "The op is in the trace, but has no times.",
                   {false, samples_.op()},
                   {room.x - (nodes > 0 ? nodes + ImGui::GetStyle().ItemSpacing.x : 0), room.y})) {
    context.document.select(select_op(data, op.id), "timeline");
    context.document.show_run(view->worst_run);
  }
  if (nodes <= 0) return;
  ImGui::SameLine();
  if (ImGui::BeginChild("##nodes", {nodes, room.y})) draw_nodes(context, op);
  ImGui::EndChild();
}

bool OperatorsPanel::draw_samples(const SamplesView* view, const Status& status, const inspector::OpEntry& figures,
                                  const char* none, std::pair<bool, int32_t> what, ImVec2 size) {
  bool beyond = false;
  if (!ImGui::BeginChild("##plots", size, ImGuiChildFlags_None, ImGuiWindowFlags_NoScrollbar)) {
    ImGui::EndChild();
    return beyond;
  }
  if (!status.ok()) {
    ImGui::PushTextWrapPos();
    text_colored(theme().bad, status.message());
    ImGui::PopTextWrapPos();
  } else if (view == nullptr) {
    ImGui::TextDisabled("reading…");
  } else if (view->samples.durations.empty()) {
    draw_empty("No samples", none);
  } else {
    const bool same = std::exchange(plotted_, what) == what;
    const bool fresh = std::exchange(last_logarithmic_, logarithmic_) != logarithmic_ || !same;
    const float half = view->few() ? size.x : (size.x - ImGui::GetStyle().ItemSpacing.x) / 2;
    if (!view->few()) {
      beyond = draw_histogram(*view, figures, logarithmic_, fresh, {half, size.y});
      ImGui::SameLine();
    }
    draw_course(*view, figures, logarithmic_, fresh, {half, size.y});
  }
  ImGui::EndChild();
  return beyond;
}

float OperatorsPanel::list_width(float room) {
  return room > scaled(900)   ? std::max(scaled(430), room * 0.38F)
         : room > scaled(540) ? std::max(scaled(250), room * 0.42F)
                              : 0;
}

void OperatorsPanel::draw_nodes(PanelContext& context, const inspector::OpEntry& op) {
  const TraceData& data = *context.document.data();
  if (op.nodes == 0) {
    const char* why = data.has_etrecord() ? "" : "The trace was opened without an ETRecord, which names the nodes.";
    const auto& rows = data.facts.unlinked;
    const auto& ops = data.table.ops;
    const auto row = std::lower_bound(rows.begin(), rows.end(), op.id,
                                      [&](const inspector::UnlinkedRow& r, int64_t id) { return ops[r.op].id < id; });
    if (row != rows.end() && ops[row->op].id == op.id) why = row->reason.c_str();
    if (*why == '\0')
      why = op.encloses ? "Its inner ops are linked, not the call around them." : "No instruction is linked to it.";
    return draw_empty("No linked nodes", why);
  }
  const ImGuiTableFlags flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable |
                                ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingFixedFit;
  // Where there is little room, what can be clicked stays: the node and its line.
  const bool roomy = ImGui::GetContentRegionAvail().x >= scaled(400);
  if (!ImGui::BeginTable(roomy ? "##linked" : "##linked2", 5, flags)) return;
  const ImGuiTableColumnFlags step_back =
      ImGuiTableColumnFlags_WidthFixed | (roomy ? ImGuiTableColumnFlags_None : ImGuiTableColumnFlags_Disabled);
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Linked node", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("Via", step_back, scaled(86));
  ImGui::TableSetupColumn("Conf.", step_back, share_width());
  ImGui::TableSetupColumn("Part", step_back, share_width());
  ImGui::TableSetupColumn("Line", ImGuiTableColumnFlags_WidthFixed, scaled(roomy ? 140 : 110));
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  ImGui::TableSetColumnIndex(0);
  header_cell("Linked node", false, "Node of the exported graph. Click: show it in the graph.");
  if (ImGui::TableSetColumnIndex(1)) header_cell("Via", false, "Where the link comes from.");
  if (ImGui::TableSetColumnIndex(2)) header_cell("Conf.", true, "Confidence of the link.");
  if (ImGui::TableSetColumnIndex(3)) header_cell("Part", true, "Part of the op's self time attributed to the node.");
  ImGui::TableSetColumnIndex(4);
  header_cell("Line", false, "Python line of the node. Click: show it.");
  ImGuiListClipper clipper;
  const std::vector<const inspector::OpNode*> links = data.shown.own_nodes(op);
  clipper.Begin(static_cast<int>(links.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const inspector::OpNode& link = *links[static_cast<size_t>(i)];
      const inspector::NodeFacts& node = *link.node;
      ImGui::TableNextRow();
      if (context.document.selection().kind == Selection::Kind::Node && context.document.selection().node == node.name)
        mark_row();
      ImGui::PushID(i);
      ImGui::TableNextColumn();
      if (ImGui::TextLink((fitting(node.name, ImGui::GetContentRegionAvail().x) + "###node").c_str()))
        context.document.select(select_node(data, node.name), "graph");
      item_tooltip((roomy ? "" : "via " + link.via + ", " + inspector::format_share(link.confidence) + " sure\n") +
                   inspector::printable(node.name) + "\n" + inspector::printable(node.op) + "\n" +
                   inspector::printable(node.target) +
                   (node.has_module ? "\nmodule " + inspector::printable(node.module_path) + " (" +
                                          inspector::printable(node.module_type) + ")"
                                    : ""));
      if (ImGui::TableSetColumnIndex(1)) text_fitting(link.via, theme().muted);
      if (ImGui::TableSetColumnIndex(2))
        text_right(inspector::format_share(link.confidence), link.confidence < 0.75 ? theme().warning : 0);
      if (ImGui::TableSetColumnIndex(3)) text_right(inspector::format_share(link.weight));
      ImGui::TableSetColumnIndex(4);
      if (!node.file.empty()) {
        const std::string place = short_place(node.file, node.line.value_or(0));
        if (ImGui::TextLink((fitting(place, ImGui::GetContentRegionAvail().x) + "###line").c_str()))
          context.document.select(select_line(data, node.file, node.line.value_or(0)), "source");
        item_tooltip(inspector::printable(source_place(node)) + "\n" + inspector::printable(node.code));
      }
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

}  // namespace et::gui
