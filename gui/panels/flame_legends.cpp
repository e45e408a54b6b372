#include "gui/panels/flame_legends.h"

#include <algorithm>

#include "gui/panels/flame_boxes.h"
#include "gui/widgets/canvas.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

float width_of(const LegendEntry& entry) {
  return ImGui::GetTextLineHeight() * 0.7F + scaled(4) + text_width(entry.text);
}

void draw_entry(const LegendEntry& entry) {
  color_square(entry.color);
  ImGui::SameLine(0, scaled(4));
  text_colored(theme().muted, entry.text);
}

}  // namespace

void draw_legend_line(const std::vector<LegendEntry>& entries) {
  const float gap = scaled(12), room = ImGui::GetContentRegionAvail().x;
  float all = 0;
  for (const LegendEntry& entry : entries) all += width_of(entry) + (all > 0 ? gap : 0);
  flow(std::min(all, room));
  ImGui::AlignTextToFramePadding();
  float left = ImGui::GetContentRegionAvail().x;
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string rest = "+" + std::to_string(entries.size() - i);
    const bool last = i + 1 == entries.size();
    if (i > 0) ImGui::SameLine(0, gap);
    left -= width_of(entries[i]) + (i > 0 ? gap : 0);
    if (i == 0 || left >= (last ? 0 : gap + text_width(rest))) {
      draw_entry(entries[i]);
      continue;
    }
    text_colored(theme().muted, rest);
    if (!begin_item_tooltip()) return;
    for (; i < entries.size(); ++i) draw_entry(entries[i]);
    return end_item_tooltip();
  }
}

void draw_flame_type_legend(const FlameModel& model) {
  std::vector<LegendEntry> entries;
  for (const FlameType& type : model.types()) {
    const double share = model.root_total() > 0 ? type.time / model.root_total() : 0;
    entries.push_back({type_color(type.name), inspector::printable(type.name) + "  " + inspector::format_share(share)});
  }
  if (!entries.empty()) draw_legend_line(entries);
}

void draw_flame_cost_legend() {
  constexpr int kSteps = 6;
  const char* const none = "share of all: 0 %";
  flow(text_width(none) + kSteps * ImGui::GetTextLineHeight() + scaled(60));
  ImGui::AlignTextToFramePadding();
  text_colored(theme().muted, none);
  for (int i = 0; i < kSteps; ++i) {
    ImGui::SameLine(0, i == 0 ? scaled(4) : 0);
    color_square(cost_color(static_cast<double>(i) / (kSteps - 1)));
  }
  ImGui::SameLine(0, scaled(4));
  text_colored(theme().muted, "100 %");
}

void draw_flame_change_legend(bool after, bool replaced, const std::string& lost) {
  constexpr int kSteps = 9;
  const float step = scaled(10), high = ImGui::GetTextLineHeight(), gap = scaled(12);
  const std::string text = "slower";
  const std::string gone = lost.empty() ? "" : (after ? "only before: " : "only after: ") + lost;
  const LegendEntry other{theme().replaced, "replaced"};
  float all = text_width("faster") + step * kSteps + text_width(text) + scaled(8);
  if (replaced) all += gap + width_of(other);
  if (!gone.empty()) all += gap + text_width(gone);
  flow(std::min(all, ImGui::GetContentRegionAvail().x));
  ImGui::AlignTextToFramePadding();  // on a line of its own, too
  text_colored(theme().muted, "faster");
  ImGui::SameLine(0, scaled(4));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float top = at.y + ImGui::GetStyle().FramePadding.y;
  for (int i = 0; i < kSteps; ++i) {
    const double part = (static_cast<double>(i) / (kSteps - 1) - 0.5) * 2;  // -1 to 1
    const float x = at.x + step * static_cast<float>(i);
    ImGui::GetWindowDrawList()->AddRectFilled({x, top + high * 0.15F}, {x + step, top + high * 0.85F},
                                              flame_change_color(1, part / 2));
  }
  ImGui::Dummy({step * kSteps, high});
  ImGui::SameLine(0, scaled(4));
  text_colored(theme().muted, text);
  item_tooltip(
      "Grey: no change, none that is more than the samples scatter (Compare: unclear), or less than 2 % of the time. "
      "As strong as it gets: by "
      "half of the box's time, or more. Boxes are matched by their names "
      "from "
      "the root on, and by the work of their ops, as in Compare.");
  if (replaced) {
    flow(width_of(other));
    draw_entry(other);
    item_tooltip("Something else than in the other trace: its time is neither slower nor faster.");
  }
  if (gone.empty()) return;
  flow(text_width(gone));
  text_colored(theme().muted, gone);
  item_tooltip(
      "Time of modules, lines or ops that the other trace alone has: it is in no box here. The other width shows it.");
}

}  // namespace et::gui
