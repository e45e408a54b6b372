// Delegation: what delegating more would spare at most, by reason and in total.
#include <imgui.h>

#include <algorithm>
#include <map>

#include "gui/panels/delegation_panel.h"
#include "gui/widgets/cells.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::gui {

namespace {

/// By type: it and all that cost more.
std::map<std::string, double> with_above(const DelegationMap& map) {
  std::map<std::string, double> out;
  for (const TypeBound& bound : type_bounds(map)) out.emplace(bound.op, bound.with_above);
  return out;
}

}  // namespace

std::string DelegationPanel::what_if_line(int32_t index) const {
  const inspector::WhatIfDelegated& w = model_.what_if(index);
  const double total = model_.totals(index).total;
  if (!timed_ || w.all.ops == 0 || !(total > 0)) return {};
  const auto part = [&](const char* what, const inspector::WhatIf& x) {
    return what + (" (" + format_count(x.ops)) + (x.ops == 1 ? " operator" : " operators") + "): at most " +
           time(std::min(x.most(), total)) + " (" + format_share(std::min(x.most() / total, 1.0)) + ") less";
  };
  if (model_.backends().empty()) {
    inspector::WhatIf products;
    for (const TypeBound& bound : type_bounds(model_.map(index))) {
      products.ops += bound.product ? bound.ops : 0;
      products.ns += bound.product ? bound.ns : 0;
    }
    return (products.ops > 0 ? part("If a backend ran the matrix products and convolutions", products) + "; "
                             : std::string()) +
           part(products.ops > 0 ? "if it ran all" : "If a backend ran all of it", w.all);
  }
  return (w.supported.ops > 0
              ? part("If what is supported elsewhere in this program were delegated", w.supported) + "; "
              : std::string()) +
         part(w.supported.ops > 0 ? "if all were" : "If all of it were delegated", w.all);
}

// What a backend supports is known from what it took: without a delegate nothing is said of reasons.
void DelegationPanel::draw_what_if_head(bool any_delegate) {
  ImGui::PushTextWrapPos(0);
  text_colored(theme().muted,
               any_delegate
                   ? inspector::what_if_text()
                   : "This program has no delegate: what a backend would take is not in its files. Upper bound by "
                     "operator type: the time of its operators, as if a delegate did their work in no time. Export "
                     "with a partitioner to see what one takes.");
  ImGui::PopTextWrapPos();
  if (!any_delegate) return;
  bool reason = model_.are_bounds_by_reason();
  if (ImGui::Checkbox("By likely reason", &reason)) model_.bounds_by_reason(reason);
  item_tooltip("On: all operators with the same first reason together. Off: each operator type alone.");
}

void DelegationPanel::draw_bound_cells(int32_t map, const inspector::WhatIf& bound, const std::string& reason,
                                       double with_above) {
  const double total = model_.totals(map).total;
  const auto cell = [](const std::string& text) {
    ImGui::TableNextColumn();
    text_right(text);
  };
  ImGui::TableNextColumn();
  text_fitting(method_name(map));
  ImGui::TableNextColumn();
  text_fitting(reason, theme().muted);
  cell(format_count(bound.ops));
  cell(bound.computing() > 0 ? time(bound.computing()) : "");
  cell(bound.breaks > 0 ? format_count(bound.breaks) : "");
  cell(bound.breaks > 0 ? bytes_text(bound.bytes) : "");
  cell(bound.moving() > 0 ? time(bound.moving()) : "");
  cell(time(bound.most()));
  ImGui::TableNextColumn();
  const double all = model_.what_if(map).all.most();
  share_cell(total > 0 ? bound.most() / total : 0, theme().kernel, total > 0 && all > 0 ? all / total : 1);
  cell(total > 0 && with_above >= 0 ? format_share(with_above / total) : "");
}

void DelegationPanel::draw_bound(PanelContext& context, const PlaceInMap& place, double with_above) {
  const inspector::WhatIf& bound = model_.bound(place);
  const std::string name = model_.bound_name(place);
  const auto select = [&] { return model_.selection_of_bound(place); };
  const Selection& selection = context.document.selection();
  const bool selected = !selection.empty() && model_.is_bound_selected(place, selection);
  ImGui::PushID(place.map);
  ImGui::PushID(name.c_str());
  draw_place(context, place, selected, select);
  text_fitting(name);
  draw_bound_cells(place.map, bound, model_.bound_reasons(place), with_above);
  ImGui::PopID();
  ImGui::PopID();
}

void DelegationPanel::draw_what_if(PanelContext& context) {
  if (!timed_) return draw_empty("No times", "They need an ETDump: open it together with these files.");
  const bool any = !model_.backends().empty();
  draw_what_if_head(any);
  bool moves = false, breaks = false, reasons = any && !model_.are_bounds_by_reason() && model_.has_graph();
  for (int32_t m = 0; m < static_cast<int32_t>(model_.maps().size()); ++m) {
    moves = moves || (model_.shows_map(m) && model_.what_if(m).all.moving() > 0);
    breaks = breaks || (model_.shows_map(m) && model_.what_if(m).all.breaks > 0);
  }
  using Column = PlaceColumn;
  const auto only = [](bool shown, int drop) { return shown ? drop : kNotShown; };
  const char* const id = model_.are_bounds_by_reason() ? "##what_if_reasons" : "##what_if";
  if (!begin_table(
          id, PlaceList::WhatIf,
          {{"If this were delegated", -240, 0, Column::Name},
           {"Method", -90, only(model_.maps().size() > 1, 2), Column::Method},
           {"Likely reason", -200, only(reasons, 3), Column::Reason, "Why it is not, as far as is known"},
           {"Operators", 74, 4, Column::Nodes, "How many there are"},
           {"Computing", 80, only(moves, 2), Column::Computing,
            "Time of its operators, without those that only move data"},
           {"Breaks gone", 80, only(breaks, 1), Column::Breaks,
            "Graph breaks that have nothing else in them: one with operators of several types is gone in no row of a "
            "single type"},
           {"Crossing", 74, only(breaks, 4), Column::Crossing, "Bytes that go into and out of delegates there"},
           {"Moving data", 90, only(moves, 2), Column::Moving,
            "Time of what only moves data among its operators, and of transposes at the edges of delegates beside the "
            "breaks gone"},
           {"At most", 80, 0, Column::AtMost, "What an execution would take less: computing and moving data"},
           {"Share", 120, 1, Column::AtMost, "Of an execution of its method"},
           {"With those above", 120, only(!any, 1), Column::AtMost, "It and all that cost more"}})) {
    return;
  }
  if (any) draw_all_bounds();
  std::vector<std::map<std::string, double>> above;
  for (const DelegationMap& map : model_.maps())
    above.push_back(any ? std::map<std::string, double>() : with_above(map));
  for (const PlaceInMap& place : model_.places(PlaceList::WhatIf)) {
    const auto& types = above[static_cast<size_t>(place.map)];
    const auto at = types.find(model_.bound(place).op);
    draw_bound(context, place, at == types.end() ? -1 : at->second);
  }
  ImGui::EndTable();
}

/// What all of it comes to stands first.
void DelegationPanel::draw_all_bounds() {
  for (int32_t m = 0; m < static_cast<int32_t>(model_.maps().size()); ++m) {
    if (!model_.shows_map(m)) continue;
    const inspector::WhatIfDelegated& w = model_.what_if(m);
    ImGui::PushFont(fonts().bold, 0);
    for (const auto& [name, bound] : {std::pair{"all non-delegated", &w.all},
                                      {"all whose type is delegated elsewhere in the program", &w.supported}}) {
      if (bound->ops == 0) continue;
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      text_fitting(name);
      draw_bound_cells(m, *bound, "", -1);
    }
    ImGui::PopFont();
  }
}

}  // namespace et::gui
