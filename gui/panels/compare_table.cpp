// Compare: the table of ops and groups.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "gui/panels/compare_panel.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/search_focus.h"
#include "gui/widgets/sentence.h"
#include "inspector/analysis/ops/op_title.h"

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
  kRange,
  kInterval,
  kVerdict,
  kDelegate,
  kMethod,
  kLine
};

struct CompareColumnSpec {
  const char* title;
  float width;  // 0: of its longest name
  bool right;
  CompareSort sort;
  const char* help;
};
constexpr std::array<CompareColumnSpec, 13> kCompareColumns = {{
    {"Op", 0, false, CompareSort::Op, "Operator or event; of several, those that do the same work in both"},
    {"Module", 0, false, CompareSort::Module, nullptr},
    {"Before", 72, true, CompareSort::Before, nullptr},
    {"After", 72, true, CompareSort::After, nullptr},
    {"Change", 80, true, CompareSort::Change, "After less before; without a choice rows stand by its size"},
    {"", 80, false, CompareSort::Size, "To the right: slower; to the left: faster"},
    {"Relative", 70, true, CompareSort::Relative, nullptr},
    {"95 % interval", 126, true, CompareSort::Relative, "Where the ratio of the two medians lies with 95 % confidence"},
    {"", 110, false, CompareSort::Relative, nullptr},
    {"Verdict", 104, false, CompareSort::Verdict,
     "Slower and faster: the intervals of both medians do not overlap, and the change matters"},
    {"Delegate", 0, false, CompareSort::Delegate, "What runs it; both where they differ"},
    {"Method", 76, false, CompareSort::Method, nullptr},
    {"Line", 128, false, CompareSort::Line, nullptr},
}};
// What is left out first where names would be cut; pictures go before numbers, and the module, which tells rows of one
// name apart, is cut before it goes.
constexpr std::array<size_t, 8> kSteppingBack = {kInterval, kLine,  kBar,      kDelegate,
                                                 kMethod,   kRange, kRelative, kVerdict};
constexpr float kLongestOp = 380, kLongestModule = 320, kLongestDelegate = 200, kLeastNames = 60,
                kLeastModule = 130;   // points
constexpr double kNamesShown = 0.95;  // whole

/// From the middle to the right or to the left.
void change_bar(double change, double largest, ImU32 color) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight();
  const float middle = std::round(at.x + room / 2), top = at.y + height * 0.15F, bottom = at.y + height * 0.9F;
  const bool beyond = std::fabs(change) > largest;  // of what has no bar of its own
  ImDrawList* const list = ImGui::GetWindowDrawList();
  list->AddLine({middle, at.y}, {middle, at.y + height}, theme().grid);
  const auto part = static_cast<float>(largest > 0 ? std::min(std::fabs(change) / largest, 1.0) : 0);
  const float sign = change > 0 ? 1 : -1, tip = beyond ? scaled(5) : 0;
  const float end = middle + sign * (part * room / 2 - tip);
  if (change != 0) list->AddRectFilled({std::min(middle, end), top}, {std::max(middle, end) + 1, bottom}, color);
  if (beyond) list->AddTriangleFilled({end, top}, {end, bottom}, {end + sign * tip, (top + bottom) / 2}, color);
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
  search_field("Search", &model_.query.text);
  draw_grouping();
  if (model_.query.type) {
    const std::string only = "Only " + inspector::operator_title(*model_.query.type) + "  ×";
    flow_button(only.c_str());
    if (ImGui::Button((only + "###type").c_str())) model_.query.type.reset();
    item_tooltip("Show the rows of all operator types again");
  }
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

/// How wide the names of nearly all rows are: those of a search do not move the columns, nor does a single long one.
void ComparePanel::measure_names() {
  const std::pair now{version_, ImGui::GetFontSize()};
  if (std::exchange(measured_, now) == now) return;
  std::vector<float> ops, modules, delegates;
  for (const inspector::DiffGroup& g : model_.diff().groups) {
    ops.push_back(text_width(inspector::with_change(g.title, g.was_title)));
    modules.push_back(text_width(g.module));
    delegates.push_back(text_width(inspector::delegate_text(g)));
  }
  const auto most = [](std::vector<float>* widths, float limit) {
    if (widths->empty()) return scaled(kLeastNames);
    const auto at = widths->begin() + static_cast<ptrdiff_t>(static_cast<double>(widths->size() - 1) * kNamesShown);
    std::nth_element(widths->begin(), at, widths->end());
    return std::clamp(std::ceil(*at) + 1, scaled(kLeastNames), scaled(limit));  // columns are whole pixels
  };
  op_width_ = most(&ops, kLongestOp) + ImGui::GetTextLineHeight() * 0.7F + scaled(6);  // with its square
  module_width_ = most(&modules, kLongestModule);
  delegate_width_ = most(&delegates, kLongestDelegate);
}

std::vector<bool> ComparePanel::shown_columns() const {
  std::vector<float> widths;
  for (const CompareColumnSpec& c : kCompareColumns) widths.push_back(scaled(c.width));
  widths[kOp] = op_width_;
  widths[kModule] = module_width_;
  widths[kDelegate] = model_.has_delegates() ? delegate_width_ : 0;
  if (!model_.has_intervals()) widths[kInterval] = widths[kRange] = 0;
  if (!model_.has_several_methods() || model_.query.method) widths[kMethod] = 0;
  const float room = ImGui::GetContentRegionAvail().x;
  // Numbers stay where a shorter path of the module leaves room for them.
  constexpr size_t kPictures = 5;
  std::vector<bool> shown = columns_that_fit(widths, std::span(kSteppingBack).first<kPictures>(), room);
  for (size_t i = 0; i < widths.size(); ++i) widths[i] = shown[i] ? widths[i] : 0;
  widths[kModule] = std::min(module_width_, scaled(kLeastModule));
  return columns_that_fit(widths, kSteppingBack, room);
}

void ComparePanel::draw_table(PanelContext& context) {
  measure_names();
  std::string id = "##rows";  // which columns there are is part of the name: widths belong to them
  const std::vector<bool> shown = shown_columns();
  for (const bool is_shown : shown) id += is_shown ? '1' : '0';
  if (!ImGui::BeginTable(id.c_str(), static_cast<int>(kCompareColumns.size()), kCompareTable)) return;
  ImGui::TableSetupScrollFreeze(0, 1);
  for (size_t i = 0; i < kCompareColumns.size(); ++i) {
    const CompareColumnSpec& c = kCompareColumns[i];
    // Names of ops come first; the module has what is left.
    const float width = i == kOp ? op_width_ : i == kDelegate ? delegate_width_ : scaled(c.width);
    ImGuiTableColumnFlags flags = width > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch;
    if (!shown[i]) flags |= ImGuiTableColumnFlags_Disabled;
    if (c.right) flags |= ImGuiTableColumnFlags_PreferSortDescending;
    if (c.sort == CompareSort::Size || i == kInterval) flags |= ImGuiTableColumnFlags_NoSort;
    const std::string title = std::string(c.title) + "##" + std::to_string(i);
    ImGui::TableSetupColumn(title.c_str(), flags, width > 0 ? width : 1, static_cast<ImGuiID>(i));
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
  const std::vector<Line> lines = table_lines();
  const float height = ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
  if (std::exchange(scroll_, false)) {
    const auto at = std::find_if(lines.begin(), lines.end(), [&](const Line& l) { return l.row == chosen_; });
    const float top = height * static_cast<float>(at - lines.begin()), seen = ImGui::GetScrollY();
    const float view = ImGui::GetWindowHeight() - 2 * height;
    if (chosen_ >= 0 && at != lines.end() && (top < seen || top > seen + view))
      ImGui::SetScrollY(std::max(0.0F, top - view / 2));
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(lines.size()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const Line& line = lines[static_cast<size_t>(i)];
      if (line.row < 0) {
        draw_band(bands_[static_cast<size_t>(line.band)]);
      } else {
        draw_row(context, line.row, line.band >= 0);
      }
    }
  }
  ImGui::EndTable();
}

std::vector<ComparePanel::Line> ComparePanel::table_lines() {
  std::vector<Line> out;
  bands_ = model_.bands(by_);
  if (by_ == CompareGrouping::None) {
    for (const int32_t row : model_.rows()) out.push_back({-1, row});
  }
  for (size_t b = 0; b < bands_.size(); ++b) {
    const CompareBand& band = bands_[b];
    const bool alone = band.rows.size() == 1;
    if (!alone) out.push_back({static_cast<int32_t>(b), -1});
    if (!alone && !open_bands_.contains(band.name)) continue;
    for (const int32_t row : band.rows) out.push_back({alone ? -1 : static_cast<int32_t>(b), row});
  }
  return out;
}

void ComparePanel::draw_grouping() {
  struct Name {
    CompareGrouping by;
    const char* text;
  };
  static constexpr std::array<Name, 4> kNames = {{{CompareGrouping::None, "Rows: each"},
                                                  {CompareGrouping::Type, "Rows: by type"},
                                                  {CompareGrouping::Module, "Rows: by module"},
                                                  {CompareGrouping::Line, "Rows: by line"}}};
  flow(scaled(140));
  ImGui::SetNextItemWidth(scaled(140));
  if (!ImGui::BeginCombo("##grouping", kNames[static_cast<size_t>(by_)].text)) return;
  for (const Name& name : kNames) {
    if (ImGui::Selectable(name.text, name.by == by_)) by_ = name.by;
  }
  ImGui::EndCombo();
}

/// The sums of rows that a click shows or hides.
void ComparePanel::draw_band(const CompareBand& band) {
  const bool slower = band.slower > 0 && band.faster == 0, faster = band.faster > 0 && band.slower == 0;
  const ImU32 color = slower ? theme().slower : faster ? theme().faster : theme().muted;
  const bool open = open_bands_.contains(band.name);
  ImGui::TableNextRow();
  ImGui::PushID(band.name.c_str());
  ImGui::TableSetColumnIndex(kOp);
  ImGui::SetNextItemOpen(open);
  ImGui::TreeNodeEx("##band", ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAllColumns);
  if (ImGui::IsItemToggledOpen()) {
    if (open) {
      open_bands_.erase(band.name);
    } else {
      open_bands_.insert(band.name);
    }
  }
  ImGui::SameLine(0, 0);
  text_fitting(inspector::printable(band.name) + "  ×" + inspector::format_count(std::ssize(band.rows)));
  const auto time = [&](double cost) { return inspector::format_duration(cost, model_.unit()); };
  if (ImGui::TableSetColumnIndex(kBefore)) text_right(time(band.before));
  if (ImGui::TableSetColumnIndex(kAfter)) text_right(time(band.after));
  if (ImGui::TableSetColumnIndex(kChange))
    text_right(inspector::signed_duration(band.change(), model_.unit()), slower || faster ? color : 0);
  if (ImGui::TableSetColumnIndex(kBar)) {
    double largest = 0;
    for (const CompareBand& each : bands_) largest = std::max(largest, std::fabs(each.change()));
    change_bar(band.change(), std::max(largest, model_.largest_change()), color);
  }
  if (ImGui::TableSetColumnIndex(kRelative))
    text_right(band.before > 0 && band.after > 0 ? inspector::percent_change(band.before, band.after) : "");
  if (ImGui::TableSetColumnIndex(kVerdict)) text_fitting(band.verdict(), slower || faster ? color : theme().muted);
  ImGui::PopID();
}

void ComparePanel::draw_row(PanelContext& context, int32_t g, bool inside) {
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
  ImGui::SetCursorPos({at.x + (inside ? scaled(18) : 0), at.y});
  color_square(group_color(of));
  ImGui::SameLine(0, scaled(4));
  ImGui::TextUnformatted(
      fitting(inspector::with_change(of.title, of.was_title), ImGui::GetContentRegionAvail().x).c_str());
  const auto time = [&](double cost) { return inspector::format_duration(cost, model_.unit()); };
  if (ImGui::TableSetColumnIndex(kModule)) text_fitting_end(of.module);
  if (ImGui::TableSetColumnIndex(kBefore)) text_right(of.verdict == DiffVerdict::Added ? "–" : time(of.before.cost));
  if (ImGui::TableSetColumnIndex(kAfter)) text_right(of.verdict == DiffVerdict::Removed ? "–" : time(of.after.cost));
  if (ImGui::TableSetColumnIndex(kChange))
    text_right(inspector::signed_duration(of.change(), model_.unit()), sure ? color : 0);
  if (ImGui::TableSetColumnIndex(kBar)) change_bar(of.change(), model_.largest_change(), color);
  if (ImGui::TableSetColumnIndex(kRelative)) {
    const bool both = !of.before.parts.empty() && !of.after.parts.empty();  // a rest may be below 0
    text_right(both ? inspector::percent_change(of.before.cost, of.after.cost) : "");
  }
  if (ImGui::TableSetColumnIndex(kRange)) text_right(model_.interval_text(g), sure ? 0 : theme().muted);
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

void ComparePanel::group_tooltip(int32_t group) const { facts_tooltip(group, model_.facts(group)); }

void ComparePanel::facts_tooltip(int32_t group, const CompareModel::Facts& facts) const {
  ImGui::BeginTooltip();
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted(inspector::printable(model_.group(group).title).c_str());
  ImGui::PopFont();
  if (ImGui::BeginTable("##facts", 2, ImGuiTableFlags_SizingFixedFit)) {
    for (const auto& [label, value] : facts) {
      ImGui::TableNextColumn();
      text_colored(theme().muted, sentence(label));
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(broken_at_spaces(inspector::printable(value), scaled(420)).c_str());
    }
    ImGui::EndTable();
  }
  ImGui::EndTooltip();
}

}  // namespace et::gui
