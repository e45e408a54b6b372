// The page while nothing is chosen: where the time goes by operator type, the costliest ops, the slowest executions.
#include <imgui.h>

#include <algorithm>
#include <set>

#include "gui/core/words.h"
#include "gui/models/overview_model.h"
#include "gui/panels/operators_panel.h"
#include "gui/panels/timeline_side.h"
#include "gui/widgets/cells.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::format_duration_with_unit;

// Nothing is chosen: where to begin.
void TimelineSide::draw_trace(TimelineModel* model) {
  draw_disturbance(*model->data());
  side_text(
      "Click a slice for its arguments, statistics and neighbours. Shift+drag or right-drag: a range, which "
      "restricts the panels that rank.",
      theme().muted);
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = room > scaled(1000) ? 3 : room > scaled(560) ? 2 : 1;
  if (!ImGui::BeginTable("##begin", columns, ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_BordersInnerV)) return;
  ImGui::TableNextColumn();
  draw_types(*model);
  ImGui::TableNextColumn();
  draw_costliest(*model->data());
  if (columns != 2) ImGui::TableNextColumn();
  if (model->executions().size() > 1) draw_executions(model);
  ImGui::EndTable();
}

/// As the panels with shares say it.
void TimelineSide::draw_disturbance(const TraceData& data) {
  const inspector::OpTable& table = data.usual();
  const inspector::ExecutionTime time = inspector::execution_time(table);
  if (!time.is_disturbed()) return;
  side_text("The machine was disturbed: " + inspector::format_share(time.noise / time.whole) + " of the " +
                format_duration_with_unit(time.whole, data.unit()) +
                " is in no op's usual time, in another op each time. Shares are of the " +
                format_duration_with_unit(inspector::share_basis(time), data.unit()) + " that " +
                inspector::share_basis_text(table.basis),
            theme().warning);
}

void TimelineSide::draw_executions(TimelineModel* model) {
  const TraceData& data = *model->data();
  const ExecutionsModel& executions = model->executions();
  ImGui::PushFont(fonts().bold);
  ImGui::TextUnformatted("Slowest executions");
  ImGui::PopFont();
  constexpr size_t kMost = 8;
  // Of methods, or of groups that differ, each has its own: which one is said then.
  std::set<double> medians;
  for (const size_t execution : executions.slowest()) medians.insert(executions.median_of(execution));
  for (size_t i = 0; i < std::min(kMost, executions.slowest().size()); ++i) {
    const size_t execution = executions.slowest()[i];
    const Run& run = data.runs[static_cast<size_t>(executions.run(execution))];
    const auto duration = static_cast<double>(run.duration);
    const double median = executions.median_of(execution);
    std::string text = executions.name(data, execution) + "  " + format_duration_with_unit(duration, data.unit());
    constexpr double kWorthSaying = 1.05;
    if (median > 0 && duration >= kWorthSaying * median)
      text += ", " + inspector::format_real(duration / median, duration < 100 * median ? 1 : 0) + " times the median" +
              (medians.size() > 1 ? " of " + format_duration_with_unit(median, data.unit()) : "");
    if (run.cold) text += ", cold";
    if (!run.complete) text += ", incomplete";
    if (side_link(("execution" + std::to_string(i)).c_str(), text)) {
      actions_.run = run.id;
      model->show_execution(execution);
    }
  }
}

void TimelineSide::draw_costliest(const TraceData& data) {
  const inspector::OpTable& table = data.usual();
  constexpr size_t kMost = 8;
  const auto key = std::tuple(&table, data.trace_id(), table.ops.size(), table.basis.name());
  if (costliest_of_ != key) {
    costliest_of_ = key;
    costliest_.clear();
    for (size_t i = 0; i < table.ops.size(); ++i) {
      if (table.block_of(table.ops[i]).kind == "execute" && table.ops[i].cost > 0) costliest_.push_back(i);
    }
    const auto last = costliest_.begin() + static_cast<std::ptrdiff_t>(std::min(kMost, costliest_.size()));
    std::partial_sort(costliest_.begin(), last, costliest_.end(),
                      [&](size_t x, size_t y) { return table.ops[x].cost > table.ops[y].cost; });
    costliest_.erase(last, costliest_.end());
  }
  ImGui::PushFont(fonts().bold);
  side_text("Costliest ops, " + table.basis.text(), theme().text);
  ImGui::PopFont();
  for (const size_t i : costliest_) {
    const int32_t op = data.index_of(table.ops[i]);
    if (op < 0) continue;
    std::string text = format_duration_with_unit(table.ops[i].cost, data.unit()) + "  " +
                       (table.ops[i].encloses ? own_time_title(table, table.ops[i]) : slice_label(data, op));
    // Many are called alike: their lines tell them apart.
    const inspector::OpNode* node = table.main_node(table.ops[i]);
    if (node != nullptr && !node->node->file.empty())
      text += ", " + short_place(node->node->file, node->node->line.value_or(0));
    if (!side_link(("op" + std::to_string(i)).c_str(), text)) continue;
    actions_.choose_op = actions_.step = true;
    actions_.op = op;
  }
}

// The legend of the colours, too. A click marks the slices of the type, another one lets go of them.
void TimelineSide::draw_types(const TimelineModel& model) {
  const TraceData& data = *model.data();
  const inspector::OpTable& table = data.usual();
  const auto key = std::tuple(&table, data.trace_id(), table.ops.size(), table.basis.name());
  if (types_of_ != key) {
    types_of_ = key;
    types_ = timeline_types(data);
  }
  ImGui::PushFont(fonts().bold);
  side_text("Where the time goes, " + table.basis_text(), theme().text);
  ImGui::PopFont();
  if (!ImGui::BeginTable("##types", 3, ImGuiTableFlags_SizingFixedFit)) return;
  ImGui::TableSetupColumn("type", ImGuiTableColumnFlags_WidthStretch, 1.2F);
  ImGui::TableSetupColumn("share", ImGuiTableColumnFlags_WidthStretch, 1.0F);
  ImGui::TableSetupColumn("time", ImGuiTableColumnFlags_WidthFixed, scaled(72));
  constexpr size_t kMost = 14;
  const size_t shown = all_types_ ? types_.size() : std::min(types_.size(), kMost);
  double largest = 0;
  for (const TimelineType& type : types_) largest = std::max(largest, type.share.value_or(0));
  for (size_t i = 0; i < shown; ++i) {
    const TimelineType& type = types_[i];
    const bool runtime = type.search.empty(), marked = !runtime && model.found().text == type.search;
    const ImU32 color = type.costliest < 0            ? theme().variation
                        : type.name == "unattributed" ? theme().unattributed
                        : runtime                     ? theme().framework
                                                      : type_color(type.type);
    ImGui::PushID(static_cast<int>(i));
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const ImVec2 at = ImGui::GetCursorPos();
    if (ImGui::Selectable("##type", marked, ImGuiSelectableFlags_SpanAllColumns) && !runtime)
      actions_.search = marked ? std::string() : type.search;
    item_tooltip(type.costliest < 0            ? words::kVariation
                 : type.name == "framework"    ? words::kFramework
                 : type.name == "unattributed" ? words::kUnattributed
                 : runtime                     ? "Events that lead to no operator"
                 : marked                      ? "Click: show all alike"
                                               : "Click: mark its slices; N and P step through them");
    ImGui::SetCursorPos(at);
    color_square(color);
    ImGui::SameLine(0, scaled(4));
    const std::string name = type.name + (type.ops > 1 ? "  ×" + inspector::format_count(type.ops) : "");
    text_fitting(name, runtime ? theme().muted : 0);
    ImGui::TableNextColumn();
    if (type.share) {
      share_cell(*type.share, color, largest);
    } else {
      text_fitting("beside the shares", theme().muted);
    }
    ImGui::TableNextColumn();
    text_right(format_duration_with_unit(type.time, data.unit()));
    ImGui::PopID();
  }
  ImGui::EndTable();
  if (types_.size() <= kMost) return;
  const std::string more = inspector::format_count(static_cast<int64_t>(types_.size() - kMost)) + " more types";
  if (side_link("more_types", all_types_ ? "the costliest types alone" : "and " + more)) all_types_ = !all_types_;
}

}  // namespace et::gui
