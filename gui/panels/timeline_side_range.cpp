// The page of a range: what it cost, by op, and what of it is in no op.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <string_view>
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

}  // namespace

void TimelineSide::draw_range_table(PanelContext& context, const TimelineModel& model) {
  const std::string& unit = model.data()->unit();
  const auto time = [&](int64_t ticks) {
    return inspector::format_duration_with_unit(static_cast<double>(ticks), unit);
  };
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
  const std::vector<RangeRow>& rows = model.range_rows()->rows;
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(rows.size()));
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const RangeRow& r = rows[static_cast<size_t>(i)];
      ImGui::PushID(i);
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      if (ImGui::Selectable("##row", context.document.selection().has_op(r.op), ImGuiSelectableFlags_SpanAllColumns)) {
        actions_.choose_op = true;
        actions_.op = r.op;
      }
      ImGui::SameLine(0, 0);
      text_fitting(slice_label(*model.data(), r.op));
      const RangePlace place = lines ? range_place(*model.data(), r.op) : RangePlace();
      if (modules && ImGui::TableNextColumn()) text_fitting_end(inspector::printable(place.module));
      if (lines && ImGui::TableNextColumn()) text_fitting(place.line);
      ImGui::TableNextColumn();
      text_right(inspector::format_count(r.count));
      ImGui::TableNextColumn();
      text_right(time(r.total));
      ImGui::TableNextColumn();
      text_right(time(r.self));
      ImGui::TableNextColumn();
      if (r.share) {
        share_cell(*r.share, theme().kernel);
      } else {
        text_colored(theme().faint, "–");
      }
      ImGui::PopID();
    }
  }
  ImGui::EndTable();
}

}  // namespace et::gui
