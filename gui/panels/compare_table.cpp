// Compare: the table of ops and groups.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "gui/panels/compare_panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"

namespace et::gui {
namespace {

constexpr ImGuiTableFlags kCompareTable = ImGuiTableFlags_ScrollY | ImGuiTableFlags_Resizable |
                                          ImGuiTableFlags_Sortable | ImGuiTableFlags_SortTristate |
                                          ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV;

enum CompareColumn {
  kOp,
  kModule,
  kBefore,
  kAfter,
  kChange,
  kBar,
  kRelative,
  kInterval,
  kVerdict,
  kDelegate,
  kMethod,
  kLine
};

struct CompareColumnSpec {
  const char* title;
  float width;  // 0: what the others leave
  float from;   // room of the panel that it takes
  bool right;
  CompareSort sort;
  const char* help;
};
constexpr std::array<CompareColumnSpec, 12> kCompareColumns = {{
    {"Op", 0, 0, false, CompareSort::Op, "Operator or event; of several, those that do the same work in both"},
    {"Module", 0, 600, false, CompareSort::Module, nullptr},
    {"Before", 72, 0, true, CompareSort::Before, nullptr},
    {"After", 72, 0, true, CompareSort::After, nullptr},
    {"Change", 80, 0, true, CompareSort::Change, "After less before; without a choice rows stand by its size"},
    {"", 80, 1060, false, CompareSort::Size, "To the right: slower; to the left: faster"},
    {"Relative", 76, 640, true, CompareSort::Relative, nullptr},
    {"95 % interval", 120, 1000, false, CompareSort::Relative, nullptr},
    {"Verdict", 110, 440, false, CompareSort::Verdict,
     "Slower and faster: the intervals of both medians do not overlap, and the change matters"},
    {"Delegate", 128, 1200, false, CompareSort::Delegate, "What runs it; both where they differ"},
    {"Method", 76, 500, false, CompareSort::Method, nullptr},
    {"Line", 128, 980, false, CompareSort::Line, nullptr},
}};

/// From the middle to the right or to the left.
void change_bar(double change, double largest, ImU32 color) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight();
  const float middle = std::round(at.x + room / 2), top = at.y + height * 0.15F, bottom = at.y + height * 0.9F;
  ImDrawList* const list = ImGui::GetWindowDrawList();
  list->AddLine({middle, at.y}, {middle, at.y + height}, theme().grid);
  const auto part = static_cast<float>(largest > 0 ? std::fabs(change) / largest : 0);
  const float end = middle + (change > 0 ? 1.0F : -1.0F) * part * room / 2;
  if (change != 0) list->AddRectFilled({std::min(middle, end), top}, {std::max(middle, end) + 1, bottom}, color);
  ImGui::Dummy({room, height});
}

/// Of a ratio, from 1 / `most` to `most` times the time; what is beyond has an arrow.
void interval_bar(const inspector::DiffGroup& g, double most, ImU32 color) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight();
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const float middle = std::round(at.x + room / 2), y = at.y + height / 2, tall = height * 0.3F;
  list->AddLine({middle, at.y}, {middle, at.y + height}, theme().grid);
  ImGui::Dummy({room, height});
  if (!g.interval_low || !g.interval_high || !(*g.interval_low > 0)) return;
  const auto place = [&](double ratio) {
    return middle +
           static_cast<float>(std::clamp(std::log(ratio) / std::log(most), -1.0, 1.0)) * (room / 2 - scaled(3));
  };
  const float a = place(*g.interval_low), b = std::max(place(*g.interval_high), a + 1);
  list->AddRectFilled({a, y - tall * 0.5F}, {b, y + tall * 0.5F}, with_alpha(color, 0.6F));
  const auto end = [&](float x, bool beyond, float direction) {
    if (beyond) {
      list->AddTriangleFilled({x, y - tall}, {x, y + tall}, {x + direction * scaled(4), y}, color);
    } else {
      list->AddLine({x, y - tall}, {x, y + tall}, color, scaled(1.5F));
    }
  };
  end(a, *g.interval_low * most < 1, -1);
  end(b, *g.interval_high > most, 1);
  item_tooltip("95 % interval of the change: " + inspector::percent_range(*g.interval_low, *g.interval_high));
}

}  // namespace

void ComparePanel::draw_tools(PanelContext& context) {
  ImGui::SetNextItemWidth(scaled(190));
  const auto label = [&](CompareFilter f) {
    return std::string(compare_filter_name(f)) + " (" + inspector::format_count(model_.count(f)) + ")";
  };
  if (ImGui::BeginCombo("##filter", label(model_.query.filter).c_str())) {
    for (size_t f = 0; f < kCompareFilters; ++f) {
      const auto filter = static_cast<CompareFilter>(f);
      if (ImGui::Selectable((label(filter) + "##" + std::to_string(f)).c_str(), filter == model_.query.filter))
        model_.query.filter = filter;
    }
    ImGui::EndCombo();
  }
  flow(scaled(180));
  ImGui::SetNextItemWidth(scaled(180));
  take_search_focus();
  ImGui::InputTextWithHint("##search", "Search", &model_.query.text);
  flow_button("Copy");
  if (ImGui::Button("Copy")) copy_wanted_ = true;
  item_tooltip("Copy the rows shown as CSV (Ctrl+C)");
  const auto rows = static_cast<int64_t>(model_.rows().size());
  const auto all = model_.count(CompareFilter::All);
  const std::string text = inspector::format_count(rows) + (rows == all ? "" : " of " + inspector::format_count(all)) +
                           (all == 1 ? " row" : " rows");
  flow(text_width(text));
  text_colored(theme().muted, text);
  const bool keys = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && !ImGui::GetIO().WantTextInput &&
                    ImGui::IsKeyChordPressed(ImGuiMod_Ctrl | ImGuiKey_C);
  if (!keys && !copy_wanted_) return;
  copy_wanted_ = false;
  ImGui::SetClipboardText(model_.csv().c_str());
  context.notices.say("copied " + inspector::format_count(rows) + (rows == 1 ? " row" : " rows"));
}

void ComparePanel::sort_as_asked() {
  ImGuiTableSortSpecs* const specs = ImGui::TableGetSortSpecs();
  if (specs == nullptr || !specs->SpecsDirty) return;
  specs->SpecsDirty = false;
  model_.query.sort = CompareSort::Size;
  model_.query.descending = true;
  if (specs->SpecsCount == 0) return;
  model_.query.sort = kCompareColumns[specs->Specs[0].ColumnUserID].sort;
  model_.query.descending = specs->Specs[0].SortDirection == ImGuiSortDirection_Descending;
}

void ComparePanel::draw_table(PanelContext& context) {
  const float room = ImGui::GetContentRegionAvail().x;
  std::string id = "##rows";  // which columns there are is part of the name: widths belong to them
  std::array<bool, kCompareColumns.size()> shown{};
  for (size_t i = 0; i < shown.size(); ++i) {
    shown[i] = room >= scaled(kCompareColumns[i].from) && (i != kDelegate || model_.has_delegates()) &&
               (i != kInterval || model_.has_intervals()) &&
               (i != kMethod || (model_.has_several_methods() && !model_.query.method));
    id += shown[i] ? '1' : '0';
  }
  if (!ImGui::BeginTable(id.c_str(), static_cast<int>(kCompareColumns.size()), kCompareTable)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (size_t i = 0; i < kCompareColumns.size(); ++i) {
    const CompareColumnSpec& c = kCompareColumns[i];
    ImGuiTableColumnFlags flags = c.width > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch;
    if (!shown[i]) flags |= ImGuiTableColumnFlags_Disabled;
    if (c.right) flags |= ImGuiTableColumnFlags_PreferSortDescending;
    if (c.sort == CompareSort::Size || i == kInterval) flags |= ImGuiTableColumnFlags_NoSort;
    const std::string title = std::string(c.title) + "##" + std::to_string(i);
    ImGui::TableSetupColumn(title.c_str(), flags, c.width > 0 ? scaled(c.width) : 1, static_cast<ImGuiID>(i));
  }
  sort_as_asked();
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t i = 0; i < kCompareColumns.size(); ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    const std::string title = std::string(kCompareColumns[i].title) + "##" + std::to_string(i);
    header_cell(title.c_str(), kCompareColumns[i].right, kCompareColumns[i].help);
    if (i == kInterval) {
      item_tooltip(
          "Where the ratio of the two medians lies with 95 % confidence; the line in the middle is no change, "
          "the right edge " +
          inspector::percent_change(1, model_.interval_scale()));
    }
  }
  const std::vector<int32_t>& rows = model_.rows();
  const float height = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  if (std::exchange(scroll_, false)) {
    const auto at = std::find(rows.begin(), rows.end(), chosen_);
    const float top = height * static_cast<float>(at - rows.begin()), seen = ImGui::GetScrollY();
    const float view = ImGui::GetWindowHeight() - 2 * height;
    if (at != rows.end() && (top < seen || top > seen + view)) ImGui::SetScrollY(std::max(0.0F, top - view / 2));
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) draw_row(context, rows[static_cast<size_t>(i)]);
  }
  ImGui::EndTable();
}

void ComparePanel::draw_row(PanelContext& context, int32_t g) {
  using inspector::DiffVerdict;
  const inspector::DiffGroup& of = model_.group(g);
  const ImU32 color = change_color(of);
  const bool sure = color != theme().muted;
  ImGui::TableNextRow();
  ImGui::PushID(g);
  if (is_marked(g)) mark_row();
  ImGui::TableSetColumnIndex(kOp);
  const ImVec2 at = ImGui::GetCursorPos();
  if (ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    const bool twice = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left);
    choose(context, g, twice ? "timeline" : "");
    scroll_ = false;  // it is where the mouse is
  }
  draw_row_menu(context, g);
  if (ImGui::TableGetHoveredColumn() == kOp && ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip)) group_tooltip(g);
  ImGui::SetCursorPos(at);
  color_square(group_color(of));
  ImGui::SameLine(0, scaled(4));
  ImGui::TextUnformatted(
      fitting(inspector::with_change(of.title, of.was_title), ImGui::GetContentRegionAvail().x).c_str());
  const auto time = [&](double cost) { return inspector::format_duration(cost, model_.unit()); };
  if (ImGui::TableSetColumnIndex(kModule)) text_fitting(of.module);
  if (ImGui::TableSetColumnIndex(kBefore)) text_right(of.verdict == DiffVerdict::Added ? "–" : time(of.before.cost));
  if (ImGui::TableSetColumnIndex(kAfter)) text_right(of.verdict == DiffVerdict::Removed ? "–" : time(of.after.cost));
  if (ImGui::TableSetColumnIndex(kChange))
    text_right(inspector::signed_duration(of.change(), model_.unit()), sure ? color : 0);
  if (ImGui::TableSetColumnIndex(kBar)) change_bar(of.change(), model_.largest_change(), color);
  if (ImGui::TableSetColumnIndex(kRelative)) {
    const bool both = !of.before.parts.empty() && !of.after.parts.empty();  // a rest may be below 0
    text_right(both ? inspector::percent_change(of.before.cost, of.after.cost) : "");
  }
  if (ImGui::TableSetColumnIndex(kInterval)) interval_bar(of, model_.interval_scale(), color);
  if (ImGui::TableSetColumnIndex(kVerdict)) text_fitting(model_.verdict(g), sure ? color : theme().muted);
  if (ImGui::TableSetColumnIndex(kDelegate)) text_fitting(inspector::delegate_text(of));
  if (ImGui::TableSetColumnIndex(kMethod)) text_fitting(of.method);
  if (ImGui::TableSetColumnIndex(kLine)) text_fitting(inspector::with_change(of.place, of.was_place));
  ImGui::PopID();
}

void ComparePanel::draw_row_menu(PanelContext& context, int32_t g) {
  if (!ImGui::BeginPopupContextItem("##menu")) return;
  const bool open = !model_.selection_of(g).empty();
  for (const auto& [title, panel] : {std::pair{"Show in timeline", "timeline"},
                                     {"Show in operators", "operators"},
                                     {"Show in flame graph", "flame"},
                                     {"Show source line", "source"},
                                     {"Show in graph", "graph"}}) {
    if (ImGui::MenuItem(title, nullptr, false, open)) choose(context, g, panel);
  }
  if (!open) text_colored(theme().muted, "Only the other trace has it");
  ImGui::EndPopup();
}

}  // namespace et::gui
