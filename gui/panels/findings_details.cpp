// The details of a finding: what it could save, what to do, the numbers it rests on, its places.
#include "gui/panels/findings_details.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gui/widgets/cells.h"
#include "gui/widgets/sentence.h"
#include "inspector/report/findings_report.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

std::string show_in_label(const std::string& panel) {
  const PanelSpec* const spec = find_panel(panel);
  return spec == nullptr ? std::string() : std::string("Show in ") + spec->title;
}

void draw_finding_facts(const FindingsRow& row) {
  float names = 0, values = 0;
  for (const auto& [name, value] : row.facts)
    names = std::max(names, text_width(sentence(name))), values = std::max(values, text_width(value));
  const float left = std::min(names, ImGui::GetContentRegionAvail().x - values - scaled(24));
  if (!ImGui::BeginTable("##facts", 2, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("What", ImGuiTableColumnFlags_WidthFixed, left + scaled(12));
  ImGui::TableSetupColumn("Measured", ImGuiTableColumnFlags_WidthFixed, values);
  for (const auto& [name, value] : row.facts) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text_fitting(sentence(name), theme().muted);
    ImGui::TableNextColumn();
    text_right(value);
  }
  ImGui::EndTable();
}

bool is_chosen(const Selection& chosen, const inspector::AdvicePlace& place) {
  if (!place.node.empty() && chosen.node == place.node) return true;
  return place.op_id > 0 && chosen.kind == Selection::Kind::Op && chosen.op == place.op_id;
}

/// The panels that show an op, in its context menu.
void draw_item_menu(PanelContext& context, const Selection& target) {
  if (target.empty() || !ImGui::BeginPopupContextItem("##menu")) return;
  for (const char* const panel : {"operators", "timeline", "graph", "source"}) {
    const std::string_view id = panel;
    if (id == "graph"    ? target.nodes.empty() && target.node.empty()
        : id == "source" ? target.file.empty()
                         : target.ops.empty())
      continue;
    if (ImGui::MenuItem(show_in_label(panel).c_str())) context.document.select(target, panel);
  }
  ImGui::EndPopup();
}

/// Each op that it is about, of a search those with its words; a click selects it everywhere.
void draw_finding_items(PanelContext& context, const FindingsModel& model, const FindingsRow& row) {
  const std::vector<size_t> found = model.items_found(row);
  const std::string all = inspector::format_count(std::ssize(row.advice.items));
  heading((found.size() == row.advice.items.size()
               ? "All " + all + " of them"
               : inspector::format_count(std::ssize(found)) + " of " + all + ", with the words of the search")
              .c_str());
  const float room = ImGui::GetContentRegionAvail().x;
  const bool module = room > scaled(430);
  if (!ImGui::BeginTable("##items", module ? 4 : 3, ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("Op", ImGuiTableColumnFlags_WidthStretch, 1);
  if (module) ImGui::TableSetupColumn("Module", ImGuiTableColumnFlags_WidthStretch, 1);
  ImGui::TableSetupColumn("Line", ImGuiTableColumnFlags_WidthFixed, line_column(room));
  ImGui::TableSetupColumn("Time", ImGuiTableColumnFlags_WidthFixed, scaled(72));
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(found.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const inspector::AdviceItem& item = row.advice.items[found[static_cast<size_t>(i)]];
      ImGui::PushID(i);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const ImVec2 at = ImGui::GetCursorPos();
      const auto target = [&] { return model.selection_of(item.place, row.advice.method); };
      if (ImGui::Selectable("##item", is_chosen(context.document.selection(), item.place),
                            ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
        const bool twice = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
        if (const Selection to = target(); !to.empty()) context.document.select(to, twice ? "graph" : "");
      }
      item_tooltip("click: select in all panels, double-click: show in Graph, right click: other panels");
      if (ImGui::IsItemHovered() || ImGui::IsPopupOpen("##menu")) draw_item_menu(context, target());
      ImGui::SetCursorPos(at);
      text_fitting(item.title);
      if (module) {
        ImGui::TableNextColumn();
        text_fitting(item.place.module, theme().muted);
      }
      ImGui::TableNextColumn();
      inspector::AdvicePlace line = item.place;
      line.module.clear();
      text_fitting(inspector::advice_place_text(line, true), theme().muted);
      ImGui::TableNextColumn();
      text_right(inspector::format_duration_with_unit(item.ns, context.document.data()->unit()));
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

/// Each line leads to itself.
void draw_finding_lines(PanelContext& context, const FindingsRow& row) {
  constexpr size_t kMostLines = 8;
  const size_t shown = row.lines.size() > kMostLines ? kMostLines - 1 : row.lines.size();
  float wide = 0;
  for (size_t i = 0; i < shown; ++i) wide = std::max(wide, text_width(row.lines[i].text));
  wide = std::min(wide, ImGui::GetContentRegionAvail().x * 0.6F);
  const float left = ImGui::GetCursorPosX();
  for (size_t i = 0; i < shown; ++i) {
    const FindingsLine& line = row.lines[i];
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::TextLink(fitting(line.text, wide).c_str()))
      context.document.select(select_line(*context.document.data(), line.file, line.line), "source");
    item_tooltip(inspector::printable(line.file) + "\nShows the line in the Source panel");
    ImGui::SameLine(left + wide + scaled(12));
    text_fitting((line.ns > 0 ? inspector::format_duration_with_unit(line.ns, context.document.data()->unit()) + ", "
                              : std::string()) +
                     inspector::plural(line.ops, "op"),
                 theme().muted);
    ImGui::PopID();
  }
  if (shown < row.lines.size()) {
    findings_text(theme().muted,
                  "and " + inspector::plural(std::ssize(row.lines) - static_cast<int64_t>(shown), "more line") +
                      ": in the list below");
  }
}

}  // namespace

void findings_text(ImU32 color, std::string_view text) {
  ImGui::PushTextWrapPos(0);
  text_colored(color, text);
  ImGui::PopTextWrapPos();
}

void saving_bar(const FindingsRow& row, float width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float high = scaled(5);
  ImDrawList* const draw = ImGui::GetWindowDrawList();
  draw->AddRectFilled(at, {at.x + width, at.y + high}, theme().grid, 2);
  draw->AddRectFilled(at, {at.x + width * static_cast<float>(std::min(row.share, 1.0)), at.y + high},
                      with_alpha(theme().good, 0.4F), 2);
  draw->AddRectFilled(at, {at.x + width * static_cast<float>(std::min(row.least_share, 1.0)), at.y + high},
                      theme().good, 2);
  ImGui::Dummy({width, high});
}

void button_to_panel(PanelContext& context, const char* panel, const Selection& target) {
  const std::string label = show_in_label(panel);
  if (label.empty() || !ImGui::Button(label.c_str())) return;
  context.document.select(target.empty() ? context.document.selection() : target, panel);
}

namespace {

void draw_finding_place(PanelContext& context, const FindingsModel& model, const FindingsRow& row) {
  const inspector::AdvicePlace& place = row.advice.place;
  const Selection target = model.selection_of(row);
  if (!row.lines.empty()) {
    draw_finding_lines(context, row);
  } else if (!row.line.empty()) {
    const std::string line = fitting(row.line, ImGui::GetContentRegionAvail().x);
    if (ImGui::TextLink(line.c_str()))
      context.document.select(select_line(*context.document.data(), place.file, place.line), "source");
    item_tooltip(inspector::printable(place.file) + "\nShows the line in the Source panel");
  }
  const char* const of = row.advice.items.size() < 2 ? "" : "of the costliest: ";
  if (!place.module.empty()) text_fitting("Module " + (of + place.module), theme().muted);
  if (!place.node.empty()) text_fitting("Node " + (of + place.node), theme().muted);
  if (target.empty() && row.line.empty() && place.module.empty())
    findings_text(theme().muted, "No single place: all of it is in the panel below.");
  ImGui::Dummy({0, scaled(2)});
  button_to_panel(context, row.panel.c_str(), target);
  if (target.empty()) return;
  for (const char* const panel : {"graph", "operators", "timeline"}) {
    const bool time = std::string_view(panel) != "graph";
    if (row.panel == panel || (time && target.ops.empty())) continue;
    flow_button(show_in_label(panel).c_str());
    button_to_panel(context, panel, target);
  }
}

}  // namespace

void draw_finding(PanelContext& context, const FindingsModel& model, const FindingsRow& row) {
  ImGui::PushFont(fonts().bold, ImGui::GetStyle().FontSizeBase * 1.15F);
  findings_text(theme().text, inspector::printable(row.advice.title));
  ImGui::PopFont();
  findings_text(theme().text, sentence(inspector::printable(row.advice.text)) + ".");
  heading("Could save");
  if (row.win.empty()) {
    findings_text(theme().muted, "No bound is known.");
  } else {
    if (row.share > 0) saving_bar(row, std::min(scaled(320), ImGui::GetContentRegionAvail().x));
    findings_text(theme().text,
                  sentence(row.win) + (inspector::has_two_bounds(row.advice) ? ". Upper bounds, no forecasts."
                                                                             : ". An upper bound, not a forecast."));
    if (!row.advice.overlap.empty()) findings_text(theme().warning, sentence(row.advice.overlap) + ".");
    if (!row.roofline.empty()) findings_text(theme().muted, "Roofline " + row.roofline + ".");
  }
  heading("Do");
  findings_text(theme().text, inspector::printable(row.advice.what_to_do));
  if (!row.facts.empty()) {
    heading("Evidence");
    draw_finding_facts(row);
  }
  heading("Where");
  draw_finding_place(context, model, row);
  if (row.advice.items.size() > 1) draw_finding_items(context, model, row);
  ImGui::Spacing();
  const std::string rule = "Rule " + row.advice.id +
                           (row.advice.method.empty() ? "" : ", method " + row.advice.method) + ". Times are of " +
                           context.document.data()->shown.basis.whole() + ".";
  findings_text(theme().faint, rule);
}

}  // namespace et::gui
