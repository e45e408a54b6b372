// What is known of a slice and of an execution, beside the mouse.
#include <fmt/format.h>
#include <imgui.h>

#include "gui/models/overview_model.h"
#include "gui/panels/timeline_painter.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/sentence.h"
#include "inspector/text/format.h"

namespace et::gui {

using inspector::format_count;
using inspector::format_duration_with_unit;
using inspector::format_share;
using inspector::OpEntry;

namespace {

/// One line of a tooltip: what, and its value.
void fact(const char* name, const std::string& value) {
  if (value.empty()) return;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  text_colored(theme().muted, sentence(name));
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(inspector::printable(value).c_str());
}

std::string joined(const std::vector<int64_t>& handles) {
  constexpr size_t kMaxHandles = 8;
  std::string out;
  for (size_t i = 0; i < handles.size() && i < kMaxHandles; ++i)
    out += (i == 0 ? "" : ", ") + std::to_string(handles[i]);
  if (handles.size() > kMaxHandles) out += fmt::format(", … ({} in total)", handles.size());
  return out;
}

void op_facts(const TraceData& data, const OpEntry& op) {
  const auto time = [&](double ticks) { return format_duration_with_unit(ticks, op.unit); };
  if (op.count > 1) {
    std::string all = fmt::format("{} of {} samples", time(static_cast<double>(op.sum)), format_count(op.count));
    if (op.share) all += ", " + format_share(*op.share) + " of its block";
    fact("all", all);
    if (op.min && op.p50 && op.max) {
      fact("range", fmt::format("{} to {}, median {}", time(static_cast<double>(*op.min)),
                                time(static_cast<double>(*op.max)), time(*op.p50)));
    }
  }
  if (op.self != op.sum) {
    fact(op.encloses ? "unattributed" : "self",
         time(static_cast<double>(op.self)) + (op.self_share ? ", " + format_share(*op.self_share) : ""));
  }
  if (op.clock) fact("clock", *op.clock + ", excluded from totals");
  if (op.name != op_title(data.usual(), op)) fact("event", op.name);
  if (op.instruction_id) fact("instruction", std::to_string(*op.instruction_id));
  fact("method", data.usual().block_of(op).method.value_or(""));
  fact("backend", op.backend.value_or(""));
  fact("delegate id", op.delegate_debug_id.value_or(""));
  fact("role", op.role.value_or(""));
  if (const inspector::OpNode* node = data.usual().main_node(op); node != nullptr) {
    fact("node", node->node->name + (op.nodes > 1 ? fmt::format(" and {} more", op.nodes - 1) : ""));
    fact("line", source_place(*node->node));
    fact("code", node->node->code);
    if (node->node->has_module) {
      const std::string& path = node->node->module_path;
      fact("module", (path.empty() ? "(root)" : path) + "  " + node->node->module_type);
    }
    if (node->confidence < 1) fact("link", fmt::format("{}, confidence {:.2f}", node->via, node->confidence));
  }
  fact("handles", joined(op.debug_handles));
  if (op.resolution_limited) fact("note", "clock resolution: 1 µs");
}

}  // namespace

void draw_slice_tooltip(const TimelineModel& model, const TimelineHover& hover) {
  const inspector::WindowSlice& s = *hover.slice;
  const TraceData& data = *model.data();
  const OpEntry& op = data.usual_op(s.op);  // its statistics are those that all panels show
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushFont(fonts().bold);
  ImGui::TextUnformatted(inspector::printable(slice_label(data, s.op)).c_str());
  ImGui::PopFont();
  if (ImGui::BeginTable("##facts", 2, ImGuiTableFlags_SizingFixedFit)) {
    const std::string sum = format_duration_with_unit(static_cast<double>(s.sum), op.unit);
    if (s.count == 1) {
      fact("time", sum);
      const int64_t execution = model.executions().at_time(s.start);
      if (execution >= 0) {
        const Run& run = data.runs[static_cast<size_t>(model.executions().run(static_cast<size_t>(execution)))];
        if (s.start <= run.start + run.duration) {
          const bool shares = !op.clock && run.duration > 0;
          fact("execution",
               fmt::format(
                   "#{}{}", run.execution,
                   shares
                       ? ", " + format_share(static_cast<double>(s.sum) / static_cast<double>(run.duration)) + " of it"
                       : ""));
        }
      }
      fact("from", format_duration_with_unit(static_cast<double>(s.start - model.view.origin()), data.unit()) +
                       " after the trace's start");
      if (s.clamped > 0) {
        fact("cut",
             format_duration_with_unit(static_cast<double>(s.clamped), op.unit) + " extend beyond the enclosing event");
      }
    } else {
      fact("here", fmt::format("{} samples{}", format_count(s.count),
                               s.mixed ? " of several ops; the costliest is named" : ""));
      fact("time", s.estimated ? "about " + sum + ", estimated from the ops' means: zoom in for exact times" : sum);
    }
    op_facts(data, op);
    ImGui::EndTable();
  }
  ImGui::EndTooltip();
}

void draw_execution_tooltip(const TimelineModel& model, int64_t execution) {
  const auto at = static_cast<size_t>(execution);
  const TraceData& data = *model.data();
  const Run& run = data.runs[static_cast<size_t>(model.executions().run(at))];
  const inspector::OpBlock& block = data.table.blocks[static_cast<size_t>(run.block)];
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushFont(fonts().bold);
  ImGui::TextUnformatted(
      inspector::printable(fmt::format("{} #{}", block.method.value_or(block.name), run.execution)).c_str());
  ImGui::PopFont();
  if (ImGui::BeginTable("##facts", 2, ImGuiTableFlags_SizingFixedFit)) {
    const auto duration = static_cast<double>(run.duration), median = model.executions().median_of(at);
    fact("time", format_duration_with_unit(duration, data.unit()));
    if (median > 0) {
      fact("median", fmt::format("{}, this is {} times as long", format_duration_with_unit(median, data.unit()),
                                 inspector::format_real(duration / median, 2)));
    }
    fact("start", format_duration_with_unit(static_cast<double>(run.start - model.view.origin()), data.unit()) +
                      " after the trace's start");
    if (run.cold) fact("cold", "the first execution of its method");
    if (!run.complete) fact("incomplete", "Method::execute did not finish: it failed or was cut off");
    ImGui::EndTable();
  }
  ImGui::EndTooltip();
}

}  // namespace et::gui
