// The page of an execution: how long it took, against what is usual, and what in it took longer.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "gui/panels/graph_side.h"
#include "gui/panels/timeline_side.h"
#include "gui/widgets/cells.h"
#include "inspector/analysis/diff/diff_text.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::format_duration_with_unit;

namespace {

/// Of each figure its own.
inspector::TimeUnit signed_unit(const std::string& trace_unit) {
  inspector::TimeUnit unit;
  (void)inspector::choose_unit("auto", trace_unit, 0, &unit);
  return unit;
}

/// Many ops are called alike: with the module, else with the line, else with the instruction.
std::string placed_label(const TraceData& data, int32_t op) {
  const inspector::OpEntry& entry = data.table.ops[static_cast<size_t>(op)];
  const RangePlace place = range_place(data, op);
  const std::string& where = place.module.empty() ? place.line : place.module;
  std::string out = slice_label(data, op);
  if (!where.empty()) return out + ", " + where;
  if (entry.instruction_id) out += " (instruction " + std::to_string(*entry.instruction_id) + ")";
  return out;
}

}  // namespace

void TimelineSide::draw_execution(PanelContext& context, TimelineModel* model) {
  const TraceData& data = *model->data();
  const ExecutionsModel& executions = model->executions();
  const int64_t found = executions.find(context.document.run());
  if (found < 0) return ImGui::TextDisabled("no execution is chosen: click one");
  const auto execution = static_cast<size_t>(found);
  const Run& run = data.runs[static_cast<size_t>(executions.run(execution))];
  const auto time = [&](double ticks) { return format_duration_with_unit(ticks, data.unit()); };
  const auto duration = static_cast<double>(run.duration);
  const double median = executions.median_of(execution);
  ImGui::AlignTextToFramePadding();
  ImGui::PushFont(fonts().bold);
  ImGui::TextUnformatted(inspector::printable("Execution " + executions.name(data, execution)).c_str());
  ImGui::PopFont();
  flow_button("Zoom##execution");
  if (ImGui::SmallButton("Zoom##execution")) model->show_execution(execution);
  flow_button("Times of all panels##execution");
  if (ImGui::SmallButton("Times of all panels##execution")) context.command = kExecutionBasisCommand;
  item_tooltip("All panels show what this execution took, until another basis is chosen");
  flow_button("As range##execution");
  if (ImGui::SmallButton("As range##execution")) actions_.range_of_run = run.id;
  item_tooltip("Select its time as a range");
  const int columns = ImGui::GetContentRegionAvail().x > scaled(520) ? 2 : 1;
  if (!ImGui::BeginTable("##execution", columns, ImGuiTableFlags_SizingStretchSame | ImGuiTableFlags_BordersInnerV))
    return;
  ImGui::TableNextColumn();
  std::vector<std::pair<std::string, std::string>> facts;
  facts.emplace_back("time", time(duration));
  if (median > 0) {
    facts.emplace_back("median",
                       time(median) + ", this is " + inspector::format_real(duration / median, 2) + " times as long");
  }
  facts.emplace_back("start", time(static_cast<double>(run.start - model->view.origin())) + " after the trace's start");
  if (run.cold) facts.emplace_back("cold", "the first execution of its method");
  if (!run.complete) facts.emplace_back("incomplete", "Method::execute did not finish: it failed or was cut off");
  facts_table("##execution_facts", facts, false);
  draw_sums(*model, run, median);
  ImGui::TableNextColumn();
  draw_longer(model, run, duration < median);
  ImGui::EndTable();
}

// The difference to the median by what it is in: the parts add up to it.
void TimelineSide::draw_sums(const TimelineModel& model, const Run& run, double median) {
  const ExecutionDetails* details = model.execution_details();
  if (details == nullptr || details->run != run.id || !(median > 0)) return;
  const inspector::TimeUnit unit = signed_unit(model.data()->unit());
  const std::string all = inspector::signed_duration(static_cast<double>(run.duration) - median, unit);
  side_text("Against the median " + all + ":", theme().muted);
  std::vector<std::pair<std::string, std::string>> sums;
  for (const ExecutionPart& part : parts_of_execution(*details, model.data()->unit()))
    sums.emplace_back(part.what, inspector::signed_duration(part.ticks, unit) + "  (" + part.text + ")");
  facts_table("##execution_sums", sums, false);
}

// What makes an execution longer, or shorter, than usual; of a shorter one what is longer in it, too, but after it.
void TimelineSide::draw_longer(TimelineModel* model, const Run& run, bool is_shorter) {
  const ExecutionDetails* details = model->execution_details();
  const bool read = details != nullptr && details->run == run.id;
  const auto heading = [](const char* title) {
    ImGui::PushFont(fonts().bold);
    ImGui::TextUnformatted(title);
    ImGui::PopFont();
  };
  constexpr size_t kMost = 8, kFew = 3;
  if (is_shorter && read && !details->shorter.empty()) {
    heading("Shorter than usual");
    draw_parts(*model->data(), run, details->shorter, kMost, "shorter");
    if (details->longer.empty()) return;
  }
  heading("Longer than usual");
  if (!read) return ImGui::TextDisabled("reading…");
  if (details->longer.empty()) return ImGui::TextDisabled("nothing: each of its ops took its usual time or less");
  draw_parts(*model->data(), run, details->longer, is_shorter ? kFew : kMost, "longer");
}

void TimelineSide::draw_parts(const TraceData& data, const Run& run, const std::vector<inspector::ExtraTime>& parts,
                              size_t most, const char* id) {
  for (size_t i = 0; i < std::min(most, parts.size()); ++i) {
    const inspector::ExtraTime& extra = parts[i];
    const int32_t op = extra.op_id ? data.find_op(*extra.op_id) : -1;
    // A delegate's call is counted without the ops inside, which its label would not say.
    const inspector::OpEntry* entry = op >= 0 ? &data.table.ops[static_cast<size_t>(op)] : nullptr;
    std::string name = extra.op_id ? extra.name : "in no op";
    if (entry != nullptr && !entry->encloses) name = placed_label(data, op);
    const std::string text = inspector::signed_duration(extra.ticks, signed_unit(data.unit())) + "  " + name;
    if (op < 0) {
      ImGui::TextUnformatted(fitting(text, ImGui::GetContentRegionAvail().x).c_str());
    } else if (side_link((id + std::to_string(i)).c_str(), text)) {
      actions_.choose_op = actions_.step_in_run = true;
      actions_.op = op;
      actions_.run = run.id;
    }
  }
}

}  // namespace et::gui
