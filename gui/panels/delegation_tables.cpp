// Delegation: tables of delegates, of graph breaks, and of node counts as get_delegation_info has them.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gui/panels/delegation_panel.h"
#include "gui/widgets/cells.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::gui {

void DelegationPanel::draw_tabs(PanelContext& context) {
  if (!ImGui::BeginTabBar("##tables")) return;
  const Tab wanted = std::exchange(wanted_tab_, Tab::None);
  const auto tab = [&](const char* title, Tab which, const auto& draw_tab) {
    const bool forced = which != Tab::None && which == wanted;
    if (!ImGui::BeginTabItem(title, nullptr, forced ? ImGuiTabItemFlags_SetSelected : 0)) return;
    draw_tab();
    ImGui::EndTabItem();
  };
  tab("Non-delegated", Tab::NonDelegated, [&] { draw_non_delegated(context); });
  tab("If delegated", Tab::None, [&] { draw_what_if(); });
  tab("Delegates", Tab::Delegates, [&] { draw_delegates(context); });
  tab("Graph breaks", Tab::None, [&] { draw_breaks(context); });
  tab("Node counts", Tab::None, [&] { draw_counts(context); });
  ImGui::EndTabBar();
}

bool DelegationPanel::begin_table(const char* id, std::initializer_list<TableColumn> columns) {
  constexpr ImGuiTableFlags kFlags =
      ImGuiTableFlags_Resizable | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV;
  std::vector<float> widths;
  float wanted = ImGui::GetStyle().ScrollbarSize;
  int most = 0;
  for (const TableColumn& c : columns) {
    // No heading is cut.
    const float title = ImGui::CalcTextSize(c.title).x + scaled(4);
    widths.push_back(std::max(title, scaled(c.width < 0 ? std::min(-c.width, 90.0F) : c.width)));
    wanted += widths.back() + 2 * ImGui::GetStyle().CellPadding.x + 1;
    most = std::max(most, c.drop);
  }
  std::vector<bool> shown(columns.size(), true);
  for (int drop = most; drop > 0 && (drop >= kNotShown || wanted > ImGui::GetContentRegionAvail().x); --drop) {
    size_t i = 0;
    for (const TableColumn& c : columns) {
      if (c.drop == drop) {
        shown[i] = false;
        wanted -= widths[i] + 2 * ImGui::GetStyle().CellPadding.x + 1;
      }
      ++i;
    }
  }
  if (!ImGui::BeginTable(id, static_cast<int>(columns.size()), kFlags)) return false;
  ImGui::TableSetupScrollFreeze(0, 1);
  size_t i = 0;
  for (const TableColumn& c : columns) {
    ImGuiTableColumnFlags flags = c.width < 0 ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed;
    if (!shown[i]) flags |= ImGuiTableColumnFlags_Disabled;
    ImGui::TableSetupColumn(c.title, flags, c.width < 0 ? -c.width : widths[i]);
    ++i;
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  int n = 0;
  for (const TableColumn& c : columns) {
    if (ImGui::TableSetColumnIndex(n++)) header_cell(c.title, c.width > 0);
  }
  return true;
}

void DelegationPanel::draw_delegates(PanelContext& context) {
  if (model_.backends().empty())
    return draw_empty("Nothing is delegated", "No instruction in this program calls a delegate.");
  if (!begin_table("##delegates", {{"Method", -100, model_.maps().size() > 1 ? 0 : kNotShown},
                                   {"Instr.", 55},
                                   {"Delegate call", -170},
                                   {"Part", -150, 2},
                                   {"Nodes", 60, 5},
                                   {"Payload", 90, 4},
                                   {"Calls", 60, 6},
                                   {"Time", 90},
                                   {"Share", 70, 1},
                                   {"Inside", 90, 1},
                                   {"Overhead", 90, 1},
                                   {"Reads", 90, 3},
                                   {"Produces", 90, 3}})) {
    return;
  }
  for (const auto& [map_index, index] : model_.delegates()) {
    const DelegationMap& map = model_.map(map_index);
    const MapItem& item = map.items[static_cast<size_t>(index)];
    ImGui::PushID(map_index * 100000 + index);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const bool selected = model_.is_selected(map_index, index, context.document.selection());
    if (selected) mark_row();
    if (ImGui::Selectable("##row", false,
                          ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
      choose(context, map_index, index, ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) ? "graph" : "");
    }
    if (selected && std::exchange(scroll_to_delegate_, false)) ImGui::SetScrollHereY(0.5F);
    ImGui::SameLine(0, 0);
    text_fitting(method_name(map_index));
    const auto cell = [](const std::string& text) {
      ImGui::TableNextColumn();
      text_right(text);
    };
    cell(std::to_string(item.instruction));
    ImGui::TableNextColumn();
    text_fitting(inspector::call_name(item));
    ImGui::TableNextColumn();
    text_fitting(item.part + (item.guessed ? " ?" : ""));
    cell(format_count(item.shown_nodes));
    cell(item.payload_bytes < 0 ? "" : inspector::format_bytes(item.payload_bytes));
    cell(format_count(item.calls));
    cell(time(item.ns));
    cell(map.total_ns > 0 ? format_share(item.ns / map.total_ns) : "");
    cell(time(item.inner_ns));
    cell(time(item.ns - item.inner_ns));
    cell(item.bytes_in < 0 ? "" : inspector::format_bytes(item.bytes_in));
    cell(item.bytes_out < 0 ? "" : inspector::format_bytes(item.bytes_out));
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void DelegationPanel::draw_breaks(PanelContext& context) {
  const bool any =
      std::any_of(model_.maps().begin(), model_.maps().end(), [](const DelegationMap& m) { return !m.breaks.empty(); });
  if (!any) return draw_empty("No graph breaks", "No operator runs between two delegate calls.");
  if (!begin_table("##breaks", {{"Method", -90, model_.maps().size() > 1 ? 0 : kNotShown},
                                {"Instr.", 80},
                                {"Between", -190},
                                {"Operators", -260},
                                {"Module", -150, model_.has_graph() ? 5 : kNotShown},
                                {"Instructions", 90, 6},
                                {"Time", 90},
                                {"Share", 70, 1},
                                {"Data moves", 90, 4},
                                {"Move time", 90, 2},
                                {"Crossing", 90, 3}})) {
    return;
  }
  for (const auto& [map_index, index] : model_.breaks()) {
    const DelegationMap& map = model_.map(map_index);
    const inspector::MapBreak& x = map.breaks[static_cast<size_t>(index)];
    ImGui::PushID(map_index * 100000 + index);
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns)) {
      choose(context, map_index, static_cast<int32_t>(x.first), "");
    }
    ImGui::SameLine(0, 0);
    text_fitting(method_name(map_index));
    const auto cell = [](const std::string& text, ImU32 color = 0) {
      ImGui::TableNextColumn();
      text_right(text, color);
    };
    const int64_t first = map.items[x.first].instruction, last = map.items[x.last].instruction;
    cell(first == last ? std::to_string(first) : std::to_string(first) + "–" + std::to_string(last));
    ImGui::TableNextColumn();
    text_fitting(inspector::calls_between(map.items[x.first - 1], map.items[x.last + 1]));
    ImGui::TableNextColumn();
    text_fitting(inspector::break_operators(map, x, 6));
    ImGui::TableNextColumn();
    text_fitting(inspector::break_module(map, x));
    cell(format_count(static_cast<int64_t>(x.last - x.first + 1)));
    cell(time(x.ns));
    cell(map.total_ns > 0 ? format_share(x.ns / map.total_ns) : "");
    cell(x.moves > 0 ? format_count(x.moves) : "");
    cell(x.moves > 0 ? time(x.move_ns) : "");
    cell(bytes_text(x.bytes), x.bytes < 0 ? theme().faint : 0);
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void DelegationPanel::draw_counts(PanelContext& context) {
  const bool any =
      std::any_of(model_.maps().begin(), model_.maps().end(), [](const DelegationMap& m) { return m.has_graph; });
  if (!any) return draw_empty("No graph", "Node counts need the ETRecord: open it together with the ETDump.");
  if (!begin_table("##counts", {{"Method", -100, model_.maps().size() > 1 ? 1 : kNotShown},
                                {"Node type", -260},
                                {"Delegated", 90},
                                {"Delegated time", 110},
                                {"Non-delegated", 100},
                                {"Non-delegated time", 140}})) {
    return;
  }
  for (size_t m = 0; m < model_.maps().size(); ++m) {
    const DelegationMap& map = model_.map(static_cast<int32_t>(m));
    if (!model_.shows_map(static_cast<int32_t>(m))) continue;
    const auto row = [&](const std::string& type, int64_t in, double in_ns, int64_t out, double out_ns, bool bold) {
      ImGui::TableNextRow();
      if (bold) ImGui::PushFont(fonts().bold, 0);
      ImGui::TableNextColumn();
      if (!bold) {
        ImGui::PushID(type.c_str());
        const std::string node = model_.costliest_node(static_cast<int32_t>(m), type);
        if (ImGui::Selectable("##row", false,
                              ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick) &&
            !node.empty()) {
          context.document.select(select_node(*context.document.data(), node),
                                  ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) ? "graph" : "");
          seen_selection_ = context.document.selection_version();
        }
        ImGui::PopID();
        ImGui::SameLine(0, 0);
      }
      text_fitting(method_name(static_cast<int32_t>(m)));
      ImGui::TableNextColumn();
      text_fitting(inspector::operator_title(type));
      for (const auto& [count, ns] : {std::pair{in, in_ns}, {out, out_ns}}) {
        ImGui::TableNextColumn();
        text_right(count > 0 ? format_count(count) : "");
        ImGui::TableNextColumn();
        text_right(ns > 0 ? time(ns) : "");
      }
      if (bold) ImGui::PopFont();
    };
    double in = 0, out = 0;
    for (const inspector::NodeCount& r : map.nodes.types) {
      row(r.op, r.delegated, r.ns_delegated, r.non_delegated, r.ns_non_delegated, false);
      in += r.ns_delegated;
      out += r.ns_non_delegated;
    }
    if (map.has_graph) row("all", map.nodes.delegated, in, map.nodes.non_delegated, out, true);
  }
  ImGui::EndTable();
}

}  // namespace et::gui
