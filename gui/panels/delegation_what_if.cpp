// Delegation: what delegating more would spare at most, by reason and in total.
#include <imgui.h>

#include <algorithm>

#include "gui/panels/delegation_panel.h"
#include "gui/widgets/cells.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::gui {

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

// What a backend supports is known from what it took: without a delegate there is a bound for each type alone.
void DelegationPanel::draw_type_bounds() {
  ImGui::PushTextWrapPos(0);
  text_colored(theme().muted,
               "This program has no delegate: what a backend would take is not in its files. Upper bound by operator "
               "type: the time of its operators, as if a delegate did their work in no time. Export with a partitioner "
               "to see what one takes.");
  ImGui::PopTextWrapPos();
  if (!begin_table("##type_bounds", {{"Method", -90, model_.maps().size() > 1 ? 2 : kNotShown},
                                     {"If this type were delegated", -240},
                                     {"Operators", 80, 3},
                                     {"At most", 90},
                                     {"Share", 130},
                                     {"With those above", 130, 1}})) {
    return;
  }
  for (size_t m = 0; m < model_.maps().size(); ++m) {
    const auto index = static_cast<int32_t>(m);
    const double total = model_.totals(index).total;
    if (!model_.shows_map(index)) continue;
    const std::vector<TypeBound> bounds = type_bounds(model_.map(index));
    for (const TypeBound& bound : bounds) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      text_fitting(method_name(index));
      ImGui::TableNextColumn();
      text_fitting(inspector::operator_title(bound.op));
      ImGui::TableNextColumn();
      text_right(format_count(bound.ops));
      ImGui::TableNextColumn();
      text_right(time(bound.ns));
      ImGui::TableNextColumn();
      share_cell(total > 0 ? bound.ns / total : 0, theme().kernel, total > 0 ? bounds.front().ns / total : 1);
      ImGui::TableNextColumn();
      text_right(total > 0 ? format_share(bound.with_above / total) : "");
    }
  }
  ImGui::EndTable();
}

void DelegationPanel::draw_what_if() {
  const bool any =
      std::any_of(model_.maps().begin(), model_.maps().end(), [](const DelegationMap& m) { return m.delegates() > 0; });
  if (!timed_) return draw_empty("No times", "They need an ETDump: open it together with these files.");
  if (!any) return draw_type_bounds();
  ImGui::PushTextWrapPos(0);
  text_colored(theme().muted, inspector::what_if_text());
  ImGui::PopTextWrapPos();
  bool moves = false;
  for (size_t m = 0; m < model_.maps().size(); ++m) {
    const inspector::WhatIfDelegated& x = model_.what_if(static_cast<int32_t>(m));
    moves = moves || (model_.shows_map(static_cast<int32_t>(m)) && x.all.break_ns > 0);
  }
  // One method needs no column.
  if (!begin_table("##what_if", {{"Method", -90, model_.maps().size() > 1 ? 2 : kNotShown},
                                 {"Likely reason", -240},
                                 {"Operators", 80, 3},
                                 {"Their time", 90},
                                 {"Breaks gone", 90, 1},
                                 {"Moving data", 100, moves ? 1 : kNotShown},
                                 {"At most", 90},
                                 {"Share", 130}})) {
    return;
  }
  for (size_t m = 0; m < model_.maps().size(); ++m) {
    const auto index = static_cast<int32_t>(m);
    const double total = model_.totals(index).total;
    if (!model_.shows_map(index)) continue;
    const auto row = [&](const char* name, const inspector::WhatIf& w, bool bold) {
      ImGui::TableNextRow();
      if (bold) ImGui::PushFont(fonts().bold, 0);
      ImGui::TableNextColumn();
      text_fitting(method_name(index));
      ImGui::TableNextColumn();
      text_fitting(name);
      const auto cell = [](const std::string& text) {
        ImGui::TableNextColumn();
        text_right(text);
      };
      cell(format_count(w.ops));
      cell(time(w.ns));
      cell(w.breaks > 0 ? format_count(w.breaks) : "");
      cell(w.break_ns > 0 ? time(w.break_ns) : "");
      cell(time(w.most()));
      ImGui::TableNextColumn();
      share_cell(total > 0 ? w.most() / total : 0, theme().kernel);
      if (bold) ImGui::PopFont();
    };
    const inspector::WhatIfDelegated& what_if = model_.what_if(index);
    for (const inspector::WhatIf& w : what_if.by_reason) row(inspector::reason_name(*w.reason), w, false);
    row("all that are supported elsewhere", what_if.supported, true);
    row("all non-delegated", what_if.all, true);
  }
  ImGui::EndTable();
}

}  // namespace et::gui
