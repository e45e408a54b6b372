// The page of a range: what it cost, by op, and what of it is in no op.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "gui/core/range_text.h"
#include "gui/panels/timeline_side.h"
#include "gui/widgets/cells.h"
#include "inspector/text/format.h"

namespace et::gui {

void TimelineSide::draw_range_head(TimelineModel* model) {
  const std::string& unit = model->data()->unit();
  const double length = model->range_end() - model->range_begin();
  const auto time = [&](double ticks) { return inspector::format_duration_with_unit(ticks, unit); };
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(fonts().bold);
  const std::string name = range_text(*model->data(), {model->range_start_tick(), model->range_end_tick()});
  text_fitting("Range of " + time(length) + ": " + name);
  ImGui::PopFont();
  flow_button("Zoom##range");
  if (ImGui::SmallButton("Zoom##range")) model->view.show(model->range_begin(), model->range_end(), 0);
  flow_button("Bookmark##range");
  if (ImGui::SmallButton("Bookmark##range")) actions_.bookmark_range = true;
  item_tooltip("Bookmark the range in the store (Ctrl+B)");
  flow_button("Clear##range");
  if (ImGui::SmallButton("Clear##range")) actions_.forget_range = true;
  item_tooltip("All panels show the whole trace again (Esc)");
  draw_grouping();
  if (model->range_statistics() == nullptr || length <= 0) return;
  const RangeRest rest = model->range_rest();
  std::string text = time(static_cast<double>(rest.executions)) + " in executions";
  if (rest.executions > 0) {
    text += ", " + time(static_cast<double>(rest.idle)) + " (" +
            inspector::format_share(static_cast<double>(rest.idle) / static_cast<double>(rest.executions)) +
            ") of it in no op (the runtime between its ops, or interrupted)";
  }
  if (rest.between > 0) text += "; " + time(static_cast<double>(rest.between)) + " outside of executions";
  ImGui::PushTextWrapPos(0);
  text_colored(theme().muted, text);
  ImGui::PopTextWrapPos();
}

void TimelineSide::draw_range(PanelContext& context, TimelineModel* model) {
  draw_range_head(model);
  if (model->range_statistics() == nullptr) return ImGui::TextDisabled("reading…");
  draw_range_table(context, *model);
}

namespace {

struct RangeColumn {
  const char* title;
  float width;  // points; 0: what is left
};

struct GroupingName {
  RangeGrouping by;
  const char* name;
};
constexpr std::array<GroupingName, 3> kRangeGroupings = {{{RangeGrouping::Name, "Rows: by name"},
                                                          {RangeGrouping::Module, "Rows: by module"},
                                                          {RangeGrouping::None, "Rows: each op"}}};

}  // namespace

/// The groups of the table, made anew where it, or what they are by, is another.
void TimelineSide::group_range(const TimelineModel& model) {
  const RangeTable& table = *model.range_rows();
  const auto key = std::tuple(model.data(), model.range_start_tick(), model.range_end_tick(), table.rows.size(), by_);
  if (range_groups_of_ != key) {
    range_groups_of_ = key;
    range_groups_ = range_groups(*model.data(), table, by_);
  }
  range_lines_.clear();
  if (by_ == RangeGrouping::None) {
    for (size_t i = 0; i < table.rows.size(); ++i) range_lines_.push_back({-1, static_cast<int32_t>(i)});
  }
  for (size_t g = 0; g < range_groups_.size(); ++g) {
    const RangeGroup& group = range_groups_[g];
    const bool alone = group.rows.size() == 1 && by_ == RangeGrouping::Name;
    if (!alone) range_lines_.push_back({static_cast<int32_t>(g), -1});
    if (!alone && !open_groups_.contains(group.name)) continue;
    for (const int32_t row : group.rows) range_lines_.push_back({alone ? -1 : static_cast<int32_t>(g), row});
  }
}

void TimelineSide::draw_grouping() {
  const auto at =
      std::find_if(kRangeGroupings.begin(), kRangeGroupings.end(), [&](const GroupingName& g) { return g.by == by_; });
  flow(scaled(150));
  ImGui::SetNextItemWidth(scaled(150));
  if (!ImGui::BeginCombo("##grouping", at->name)) return;
  for (const GroupingName& g : kRangeGroupings) {
    if (ImGui::Selectable(g.name, g.by == by_)) by_ = g.by;
  }
  ImGui::EndCombo();
}

/// A group, which a click opens, or an op, which one selects.
void TimelineSide::draw_range_line(PanelContext& context, const TimelineModel& model, const RangeLine& line,
                                   bool modules, bool lines) {
  const TraceData& data = *model.data();
  const auto cells = [&](const std::string& module, const std::string& place, const auto& of) {
    if (modules && ImGui::TableNextColumn()) text_fitting_end(inspector::printable(module));
    if (lines && ImGui::TableNextColumn()) text_fitting(place);
    ImGui::TableNextColumn();
    text_right(inspector::format_count(of.count));
    for (const int64_t ticks : {of.total, of.self}) {
      ImGui::TableNextColumn();
      text_right(inspector::format_duration_with_unit(static_cast<double>(ticks), data.unit()));
    }
    ImGui::TableNextColumn();
    if (of.share) {
      share_cell(*of.share, theme().kernel);
    } else {
      text_colored(theme().faint, "–");
    }
  };
  ImGui::TableNextColumn();
  if (line.row < 0) {
    const RangeGroup& group = range_groups_[static_cast<size_t>(line.group)];
    const bool open = open_groups_.contains(group.name);
    ImGui::SetNextItemOpen(open);
    ImGui::TreeNodeEx("##group", ImGuiTreeNodeFlags_NoTreePushOnOpen | ImGuiTreeNodeFlags_SpanAllColumns |
                                     ImGuiTreeNodeFlags_NoAutoOpenOnLog);
    if (ImGui::IsItemToggledOpen()) {
      if (open) {
        open_groups_.erase(group.name);
      } else {
        open_groups_.insert(group.name);
      }
    }
    ImGui::SameLine(0, 0);
    text_fitting(inspector::printable(group.name) + "  ×" + inspector::format_count(group.ops));
    return cells("", "", group);
  }
  const RangeRow& r = model.range_rows()->rows[static_cast<size_t>(line.row)];
  if (ImGui::Selectable("##row", context.document.selection().has_op(r.op), ImGuiSelectableFlags_SpanAllColumns)) {
    actions_.choose_op = true;
    actions_.op = r.op;
  }
  ImGui::SameLine(0, line.group < 0 ? 0 : scaled(18));
  text_fitting(slice_label(data, r.op));
  const RangePlace place = lines ? range_place(data, r.op) : RangePlace();
  cells(place.module, place.line, r);
}

void TimelineSide::draw_range_table(PanelContext& context, const TimelineModel& model) {
  const float room = ImGui::GetContentRegionAvail().x;
  const bool lines = room > scaled(620), modules = room > scaled(820);
  std::vector<RangeColumn> columns = {{"Op", 0}};
  if (modules) columns.push_back({"Module", 0});
  if (lines) columns.push_back({"Line", 170});
  for (const char* title : {"Count", "Total", "Self", "Self share"})
    columns.push_back({title, std::string_view(title) == "Self share" ? 110.0F : 72.0F});
  const std::string id = "##range_table" + std::to_string(columns.size());  // widths belong to the columns there are
  if (!ImGui::BeginTable(id.c_str(), static_cast<int>(columns.size()),
                         ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable |
                             ImGuiTableFlags_BordersInnerV)) {
    return;
  }
  ImGui::TableSetupScrollFreeze(0, 1);
  for (const RangeColumn& c : columns)
    ImGui::TableSetupColumn(c.title,
                            c.width > 0 ? ImGuiTableColumnFlags_WidthFixed : ImGuiTableColumnFlags_WidthStretch,
                            c.width > 0 ? scaled(c.width) : 1);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t c = 0; c < columns.size(); ++c) {
    ImGui::TableSetColumnIndex(static_cast<int>(c));
    const bool share = c + 1 == columns.size();
    header_cell(columns[c].title, c + 4 >= columns.size() && !share,
                share ? "Of the executions' time in the range, as in Overview" : nullptr);
  }
  group_range(model);
  const std::vector<RangeLine> shown = range_lines_;  // a click changes what is open
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      ImGui::PushID(i);
      ImGui::TableNextRow();
      draw_range_line(context, model, shown[static_cast<size_t>(i)], modules, lines);
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

}  // namespace et::gui
