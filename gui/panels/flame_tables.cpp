#include "gui/panels/flame_tables.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/widgets/canvas.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"
#include "inspector/analysis/diff/diff_text.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

constexpr ImGuiTableFlags kFlameTable =
    ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_Resizable;

/// `sign` as of draw(): a comparison has both times in place of the number of ops.
bool begin_flame_table(const char* id, const std::string& title, const char* share, int sign) {
  const bool change = sign != 0;
  // Names go before shares, which the boxes show.
  const bool shares = !change || ImGui::GetContentRegionAvail().x > scaled(520);
  const int columns = (change ? 5 : 4) - (shares ? 0 : 1);
  const std::string name = id + std::to_string(columns) + (change ? "c" : "");
  if (!ImGui::BeginTable(name.c_str(), columns, kFlameTable)) return false;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch, change ? 2.6F : 1.4F);
  ImGui::TableSetupColumn("boxes", ImGuiTableColumnFlags_WidthFixed, scaled(change ? 72 : 54));
  ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed, scaled(change ? 72 : 80));
  if (change) ImGui::TableSetupColumn("change", ImGuiTableColumnFlags_WidthFixed, scaled(84));
  if (shares) ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthStretch, 1);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  const std::array<const char*, 5> titles = {title.c_str(), change ? "Before" : "Ops", change ? "After" : "Time",
                                             change ? "Change" : share, share};
  for (int i = 0; i < columns; ++i) {
    ImGui::TableSetColumnIndex(i);
    ImGui::PushID(i);
    header_cell(titles[static_cast<size_t>(i)], i > 0 && (i + 1 < columns || !shares));
    ImGui::PopID();
  }
  return true;
}

/// What stands for what: `sign` as of draw().
std::string others_text(const FlameType& type, int sign) {
  if (type.others.empty()) return {};
  std::string names;
  for (const std::string& name : type.others) names += (names.empty() ? "" : ", ") + name;
  return (type.gone == (sign > 0) ? "replaced by " : "in place of ") + names;
}

/// A name, and behind it what it replaces, where there is room; the tooltip of the cell has all of it.
void name_with_others(const FlameType& type, int sign) {
  const std::string others = inspector::printable(others_text(type, sign));
  const std::string name = inspector::printable(type.name);
  const float room = ImGui::GetContentRegionAvail().x, gap = scaled(6);
  text_fitting(name, type.gone ? theme().muted : 0);
  if (others.empty()) return;
  const float left = room - std::min(room, text_width(name)) - gap;
  if (left > text_width("in place of …")) {
    ImGui::SameLine(0, gap);
    text_colored(theme().muted, fitting(others, left));
  }
  if (begin_item_tooltip()) {
    ImGui::TextUnformatted((name + ": " + others).c_str());
    end_item_tooltip();
  }
}

void figures(const FlameModel& model, const FlameType& type, double whole, ImU32 color, int sign) {
  const auto time = [&](double ticks) {
    return ticks > 0 ? inspector::format_duration_with_unit(ticks, model.tree()->unit) : std::string("–");
  };
  const double other = type.time - type.change;
  ImGui::TableNextColumn();
  const std::string ops = type.count > 0 ? inspector::format_count(type.count) : std::string("–");
  text_right(sign == 0 ? ops : time(sign > 0 ? other : type.time));
  ImGui::TableNextColumn();
  text_right(sign == 0 ? inspector::format_duration_with_unit(type.time, model.tree()->unit)
                       : time(sign > 0 ? type.time : other));
  if (sign != 0) {
    ImGui::TableNextColumn();
    // Parts of boxes add up to what they were, but for the last bits.
    const double change = std::fabs(type.change) < 0.05 ? 0 : sign * type.change;
    inspector::TimeUnit unit;
    (void)inspector::choose_unit("auto", model.tree()->unit, std::fabs(change), &unit);
    const double sure = FlameModel::colored(type.change, type.sure_change);
    const bool slight = !FlameModel::shows_change(std::max(type.time, type.time - type.change), sure);
    text_right(inspector::signed_duration(change, unit), slight            ? theme().muted
                                                         : sign * sure > 0 ? theme().slower
                                                                           : theme().faster);
  }
  constexpr int kWithShares = 5;
  if (sign != 0 && ImGui::TableGetColumnCount() < kWithShares) return;
  ImGui::TableNextColumn();
  share_cell(whole > 0 ? type.time / whole : 0, color);
}

}  // namespace

float FlameTables::height(float room, float boxes) {
  constexpr float kLeastLines = 7, kMost = 0.4F, kGenerous = 1.7F;  // rows of boxes may grow before the tables come
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const float left = std::min(room - boxes * kGenerous, room * kMost);
  shown_ = left >= kLeastLines * line;
  return shown_ ? std::floor(left) : 0;
}

bool FlameTables::draw(FlameModel* model, int32_t chosen, float height, int sign) const {
  bool searched = false;
  const float room = ImGui::GetContentRegionAvail().x, gap = ImGui::GetStyle().ItemSpacing.x;
  const bool both = room > scaled(760);
  const float first = both ? std::floor((room - gap) / 2) : room;
  if (ImGui::BeginChild("##types", {first, height})) searched = draw_types(model, sign);
  ImGui::EndChild();
  if (!both) return searched;
  ImGui::SameLine();
  const bool known = chosen >= 0 && static_cast<size_t>(chosen) < model->tree()->nodes.size();
  int32_t node = known ? chosen : model->first_division(model->zoomed());
  while (model->node(node).children.empty() && model->node(node).parent >= 0) node = model->node(node).parent;
  if (ImGui::BeginChild("##inside", {0, height})) draw_inside(*model, node, chosen, sign);
  ImGui::EndChild();
  return searched;
}

bool FlameTables::draw_types(FlameModel* model, int sign) {
  bool searched = false;
  const int32_t zoomed = model->zoomed();
  const std::string title =
      zoomed == 0 ? std::string("Operator, wherever it is")
                  : "Operators in " + inspector::printable(model->label(zoomed, model->end_of_chain(zoomed)));
  if (!begin_flame_table("##types", zoomed == 0 ? title : fitting(title, ImGui::GetContentRegionAvail().x * 0.4F),
                         zoomed == 0 ? "Share of all" : "Share of it", sign))
    return false;
  const std::vector<FlameType>& types = model->types_in_view();
  const double whole = model->node(zoomed).total;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(types.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const FlameType& type = types[static_cast<size_t>(i)];
      const ImU32 color = type_color(type.name);
      ImGui::PushID(i);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      const ImVec2 at = ImGui::GetCursorPos();
      const bool marked = model->query() == type.name;
      if (!type.gone && ImGui::Selectable("##type", marked, ImGuiSelectableFlags_SpanAllColumns)) {
        model->search(marked ? "" : type.name);
        searched = true;
      }
      if (!type.gone) item_tooltip(marked ? "Click: show all alike" : "Click: highlight its boxes");
      ImGui::SetCursorPos(at);
      color_square(type.gone ? with_alpha(color, 0.3F) : color);
      ImGui::SameLine(0, scaled(4));
      name_with_others(type, sign);
      figures(*model, type, whole, type.gone ? theme().grid : color, sign);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
  return searched;
}

/// `chosen`: the row of it, where it is a box in it, is marked.
void FlameTables::draw_inside(const FlameModel& model, int32_t node, int32_t chosen, int sign) {
  const double whole = model.node(node).total;
  const bool inside = chosen >= 0 && model.node(chosen).parent == model.end_of_chain(node);
  const std::string marked = inside ? model.label(chosen, model.end_of_chain(chosen)) : std::string();
  const auto rows = model.inside(node);
  const std::string name = inspector::printable(model.label(node, model.end_of_chain(node)));
  const std::string title = (rows.empty() ? "Nothing inside of " : "Inside of ") + name;
  if (!begin_flame_table("##rows", fitting(title, ImGui::GetContentRegionAvail().x * 0.4F), "Share of it", sign))
    return;
  for (const FlameType& row : rows) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (inside && row.name == marked)
      ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, ImGui::GetColorU32(ImGuiCol_Header));
    name_with_others(row, sign);
    figures(model, row, whole, theme().kernel, sign);
  }
  ImGui::EndTable();
}

}  // namespace et::gui
