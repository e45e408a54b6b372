// Delegation: tables of delegates, of graph breaks, and of node counts as get_delegation_info has them.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "gui/core/text.h"
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
  tab("If delegated", Tab::None, [&] { draw_what_if(context); });
  tab("Delegates", Tab::Delegates, [&] { draw_delegates(context); });
  tab("Graph breaks", Tab::None, [&] { draw_breaks(context); });
  tab("Node counts", Tab::None, [&] { draw_counts(context); });
  ImGui::EndTabBar();
}

/// Widths as wanted, none narrower than its heading, and which columns are left out where there is no room for all.
bool DelegationPanel::begin_table(const char* id, PlaceList list, const std::vector<TableColumn>& columns) {
  constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_Resizable | ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                     ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Sortable;
  constexpr float kLeastOfWidth = 0.6F;
  const float padding = 2 * ImGui::GetStyle().CellPadding.x + 1, arrow = ImGui::GetFontSize();
  std::vector<float> widths;
  float wanted = ImGui::GetStyle().ScrollbarSize;
  int most = 0;
  for (const TableColumn& c : columns) {
    const float title = ImGui::CalcTextSize(c.title).x + arrow;
    widths.push_back(std::max(title, scaled(c.width < 0 ? -c.width * kLeastOfWidth : c.width)));
    wanted += widths.back() + padding;
    most = std::max(most, c.drop);
  }
  std::vector<bool> shown(columns.size(), true);
  for (int drop = most; drop > 0 && (drop >= kNotShown || wanted > ImGui::GetContentRegionAvail().x); --drop) {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].drop != drop) continue;
      shown[i] = false;
      wanted -= widths[i] + padding;
    }
  }
  if (!ImGui::BeginTable(id, static_cast<int>(columns.size()), kFlags)) return false;
  ImGui::TableSetupScrollFreeze(0, 1);
  const PlaceOrder order = model_.order_of(list);
  bool sorted = false;
  for (size_t i = 0; i < columns.size(); ++i) {
    const TableColumn& c = columns[i];
    ImGuiTableColumnFlags flags = c.width < 0 ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed;
    if (!shown[i]) flags |= ImGuiTableColumnFlags_Disabled;
    if (c.width > 0) flags |= ImGuiTableColumnFlags_PreferSortDescending;
    if (c.sort == order.column && !std::exchange(sorted, true)) flags |= ImGuiTableColumnFlags_DefaultSort;
    ImGui::TableSetupColumn(c.title, flags, c.width < 0 ? -c.width : widths[i]);
  }
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (ImGui::TableSetColumnIndex(static_cast<int>(i)))
      header_cell(columns[i].title, columns[i].width > 0, columns[i].help);
  }
  // The arrow in the heading is what counts.
  if (const ImGuiTableSortSpecs* specs = ImGui::TableGetSortSpecs(); specs != nullptr && specs->SpecsCount > 0) {
    model_.sort_places(list, {columns[static_cast<size_t>(specs->Specs[0].ColumnIndex)].sort,
                              specs->Specs[0].SortDirection == ImGuiSortDirection_Descending});
  }
  return true;
}

bool DelegationPanel::draw_places_menu(PanelContext& context, const std::function<Selection()>& select) {
  if (!ImGui::BeginPopupContextItem("##menu")) return false;
  for (const auto& [title, panel] : {std::pair{"Show in timeline", "timeline"},
                                     {"Show in operators", "operators"},
                                     {"Show source line", "source"},
                                     {"Show in graph", "graph"}}) {
    if (ImGui::MenuItem(title)) context.document.select(select(), panel);
  }
  ImGui::EndPopup();
  return true;
}

bool DelegationPanel::draw_place(PanelContext& context, const PlaceInMap& place, bool selected,
                                 const std::function<Selection()>& select) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (selected) mark_row();
  const bool clicked =
      ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick);
  if (clicked) {
    if (Selection s = select(); !s.empty()) {
      const bool twice = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
      context.document.select(std::move(s), twice && model_.map(place.map).has_graph ? "graph"
                                            : twice                                  ? "timeline"
                                                                                     : "");
      seen_selection_ = context.document.selection_version();
      chosen_row_ = model_.row_of(context.document.selection());
      scroll_to_row_ = chosen_row_ >= 0;
      reveal_ = true;
    }
  }
  draw_places_menu(context, select);
  ImGui::SameLine(0, 0);
  return clicked;
}

namespace {

void number_cell(const std::string& text, ImU32 color = 0) {
  ImGui::TableNextColumn();
  text_right(text, color);
}
void text_cell(const std::string& text, ImU32 color = 0) {
  ImGui::TableNextColumn();
  text_fitting(text, color);
}
std::string known_bytes(int64_t bytes) { return bytes < 0 ? "" : inspector::format_bytes(bytes); }

}  // namespace

/// Where there is one backend, its calls need no name of it.
std::string DelegationPanel::without_backend(std::string name) const {
  if (model_.backends().size() != 1) return name;
  const std::string backend = inspector::backend_title(model_.backends().front()) + " ";
  return name.starts_with(backend) ? with_capital(name.substr(backend.size())) : name;
}

void DelegationPanel::draw_delegates(PanelContext& context) {
  if (model_.backends().empty())
    return draw_empty("Nothing is delegated", "No instruction in this program calls a delegate.");
  using Column = PlaceColumn;
  const int method = model_.maps().size() > 1 ? 0 : kNotShown, graph = model_.has_graph() ? 0 : kNotShown;
  if (!begin_table("##delegates", PlaceList::Delegates,
                   {{"Instr.", 48, 0, Column::Instruction, "Index of the instruction"},
                    {"Method", -100, method, Column::Method},
                    {"Delegate call", model_.backends().size() > 1 ? -210.0F : -110.0F, 0, Column::Name},
                    {"Operators", -400, std::max(3, graph), Column::Operators,
                     "Of its graph nodes, most first; what only moves data where nothing computes"},
                    {"Module", -230, std::max(4, graph), Column::Module, "The innermost one that all its nodes are in"},
                    {"Part", -150, 8, Column::Part, "Its name in the lowered graph"},
                    {"Nodes", 56, 6, Column::Nodes, "Graph nodes that it took over"},
                    {"Payload", 80, 9, Column::Payload, "What the program file has for the backend"},
                    {"Calls", 56, 10, Column::Calls},
                    {"Time", 80, 0, Column::Time},
                    {"Share", 64, 2, Column::Time, "Of an execution of its method"},
                    {"Inside", 80, 5, Column::Inside, "Time that its own events cover"},
                    {"Overhead", 80, 1, Column::Overhead, "Time of the call that its own events do not cover"},
                    {"Reads", 80, 7, Column::Reads, "Bytes of tensors that it is given, per call"},
                    {"Produces", 80, 7, Column::Produces, "Bytes of tensors that it makes, per call"}})) {
    return;
  }
  for (const PlaceInMap& place : model_.delegates()) {
    const DelegationMap& map = model_.map(place.map);
    const MapItem& item = map.items[static_cast<size_t>(place.index)];
    ImGui::PushID(place.map * 100000 + place.index);
    const bool selected = model_.is_selected(place.map, place.index, context.document.selection());
    draw_place(context, place, selected, [&] { return model_.selection_of(place.map, place.index); });
    if (selected && std::exchange(scroll_to_delegate_, false)) ImGui::SetScrollHereY(0.5F);
    text_right(std::to_string(item.instruction));
    text_cell(method_name(place.map));
    text_cell(without_backend(inspector::call_name(item)));
    ImGui::TableNextColumn();
    text_fitting_start(item.operators);
    text_cell(item.module);
    text_cell(item.part + (item.guessed ? " (inferred)" : ""));
    number_cell(format_count(item.shown_nodes) + (item.guessed ? " ?" : ""));
    if (item.guessed)
      item_tooltip("Which nodes are inside is inferred: several share a debug handle, and not all of them are.");
    number_cell(known_bytes(item.payload_bytes));
    number_cell(format_count(item.calls));
    number_cell(time(item.ns));
    number_cell(map.total_ns > 0 ? format_share(item.ns / map.total_ns) : "");
    number_cell(time(item.inner_ns));
    number_cell(time(item.ns - item.inner_ns));
    number_cell(known_bytes(item.bytes_in));
    number_cell(known_bytes(item.bytes_out));
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void DelegationPanel::draw_breaks(PanelContext& context) {
  if (model_.breaks().empty()) return draw_empty("No graph breaks", "No operator runs between two delegate calls.");
  using Column = PlaceColumn;
  if (!begin_table("##breaks", PlaceList::Breaks,
                   {{"Instr.", 66, 0, Column::Instruction, "Indices of its first and last instruction"},
                    {"Method", -90, model_.maps().size() > 1 ? 0 : kNotShown, Column::Method},
                    {"Between", model_.backends().size() > 1 ? -240.0F : -130.0F, 0, Column::Name,
                     "The delegate calls on both sides"},
                    {"Operators", -260, 0, Column::Operators, "What runs in it, the most time first"},
                    {"Module", -150, model_.has_graph() ? 5 : kNotShown, Column::Module,
                     "The innermost one that all of it is in"},
                    {"Instructions", 90, 6, Column::Nodes, "How many there are in it"},
                    {"Time", 80, 0, Column::Time},
                    {"Share", 64, 1, Column::Time, "Of an execution of its method"},
                    {"Data moves", 90, 4, Column::Moves, "Instructions that only move data"},
                    {"Move time", 80, 2, Column::MoveTime, "Time of those"},
                    {"Crossing", 80, 3, Column::Crossing,
                     "Bytes of tensors that go into and out of delegates, each once per execution"}})) {
    return;
  }
  for (const PlaceInMap& place : model_.breaks()) {
    const DelegationMap& map = model_.map(place.map);
    const inspector::MapBreak& x = model_.break_at(place);
    const Selection& selection = context.document.selection();
    bool selected = false;
    for (size_t i = x.first; i <= x.last; ++i)
      selected = selected || model_.is_selected(place.map, static_cast<int32_t>(i), selection);
    ImGui::PushID(place.map * 100000 + place.index);
    draw_place(context, place, selected, [&] { return model_.selection_of_break(place); });
    const int64_t first = map.items[x.first].instruction, last = map.items[x.last].instruction;
    text_right(first == last ? std::to_string(first) : std::to_string(first) + "–" + std::to_string(last));
    text_cell(method_name(place.map));
    text_cell(without_backend(inspector::calls_between(map.items[x.first - 1], map.items[x.last + 1])));
    ImGui::TableNextColumn();
    text_fitting_start(inspector::break_operators(map, x, 6));
    text_cell(inspector::break_module(map, x));
    number_cell(format_count(static_cast<int64_t>(x.last - x.first + 1)));
    number_cell(time(x.ns));
    number_cell(map.total_ns > 0 ? format_share(x.ns / map.total_ns) : "");
    number_cell(x.moves > 0 ? format_count(x.moves) : "");
    number_cell(x.moves > 0 ? time(x.move_ns) : "");
    number_cell(bytes_text(x.bytes), x.bytes < 0 ? theme().faint : 0);
    ImGui::PopID();
  }
  ImGui::EndTable();
}

void DelegationPanel::draw_counts(PanelContext& context) {
  if (!model_.has_graph())
    return draw_empty("No graph", "Node counts need the ETRecord: open it together with the ETDump.");
  using Column = PlaceColumn;
  if (!begin_table("##counts", PlaceList::Counts,
                   {{"Node type", -260, 0, Column::Operators, "A click selects the costliest node of the type"},
                    {"Method", -100, model_.maps().size() > 1 ? 1 : kNotShown, Column::Method},
                    {"Delegated", 90, 0, Column::Delegated},
                    {"Delegated time", 110, 0, Column::DelegatedTime},
                    {"Non-delegated", 100, 0, Column::NonDelegated},
                    {"Non-delegated time", 140, 0, Column::NonDelegatedTime}})) {
    return;
  }
  const auto cells = [&](int32_t map, int64_t in, double in_ns, int64_t out, double out_ns) {
    text_cell(method_name(map));
    for (const auto& [count, ns] : {std::pair{in, in_ns}, {out, out_ns}}) {
      number_cell(count > 0 ? format_count(count) : "");
      number_cell(ns > 0 ? time(ns) : "");
    }
  };
  for (const PlaceInMap& place : model_.places(PlaceList::Counts)) {
    const inspector::NodeCount& r = model_.map(place.map).nodes.types[static_cast<size_t>(place.index)];
    const std::string node = model_.costliest_node(place.map, r.op);
    const auto select = [&] { return node.empty() ? Selection() : select_node(*context.document.data(), node); };
    ImGui::PushID(place.map);
    ImGui::PushID(r.op.c_str());
    draw_place(context, place, !node.empty() && context.document.selection().node == node, select);
    text_fitting(inspector::operator_title(r.op));
    cells(place.map, r.delegated, r.ns_delegated, r.non_delegated, r.ns_non_delegated);
    ImGui::PopID();
    ImGui::PopID();
  }
  for (int32_t m = 0; m < static_cast<int32_t>(model_.maps().size()); ++m) {
    const DelegationMap& map = model_.map(m);
    if (!model_.shows_map(m) || !map.has_graph) continue;
    double in = 0, out = 0;
    for (const inspector::NodeCount& r : map.nodes.types) in += r.ns_delegated, out += r.ns_non_delegated;
    ImGui::TableNextRow();
    ImGui::PushFont(fonts().bold, 0);
    text_cell("all");
    cells(m, map.nodes.delegated, in, map.nodes.non_delegated, out);
    ImGui::PopFont();
  }
  ImGui::EndTable();
}

}  // namespace et::gui
