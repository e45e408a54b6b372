// What is known of a slice and of an execution, beside the mouse.
#include <fmt/format.h>
#include <imgui.h>

#include <optional>

#include "gui/core/words.h"
#include "gui/models/overview_model.h"
#include "gui/panels/timeline_painter.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/sentence.h"
#include "inspector/analysis/ops/op_title.h"
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

}  // namespace

// Two lines: all else is in the pane of details, which covers nothing.
void draw_slice_tooltip(const TimelineModel& model, const TimelineHover& hover) {
  const inspector::WindowSlice& s = *hover.slice;
  const TraceData& data = *model.data();
  const OpEntry& op = data.usual_op(s.op);  // its statistics are those that all panels show
  std::string text = format_duration_with_unit(static_cast<double>(s.sum), op.unit);
  if (s.count > 1) {
    text = fmt::format("{} samples{}, {}{}", format_count(s.count),
                       s.mixed ? " of several ops, the costliest is named" : "", s.estimated ? "about " : "", text);
  } else {
    if (const SliceStatistics all = slice_statistics(data, s.op); !all.p50.empty() && op.count > 1) {
      text += ", p50 " + all.p50;
    }
    if (s.clamped > 0) {
      text += ", " + format_duration_with_unit(static_cast<double>(s.clamped), op.unit) + " beyond the enclosing event";
    }
  }
  if (hover.ghost) text += ", in the median execution";
  const double far = hover.ghost ? 0 : far_from_usual(data, s).value_or(0);
  if (!ImGui::BeginTooltip()) return;
  ImGui::PushFont(fonts().bold);
  ImGui::TextUnformatted(inspector::printable(slice_label(data, s.op)).c_str());
  ImGui::PopFont();
  text_colored(theme().muted, text);
  if (far > 0)
    text_colored(theme().warning, inspector::format_real(far, far < 10 ? 1 : 0) +
                                      " times its usual time (p50) in this execution: interrupted, or work of its own");
  ImGui::EndTooltip();
}

void draw_call_gap_tooltip(const TimelineModel& model, const CallGap& gap) {
  const TraceData& data = *model.data();
  if (!ImGui::BeginTooltip()) return;
  ImGui::TextUnformatted(
      fmt::format("{} of {} in no op inside",
                  format_duration_with_unit(static_cast<double>(gap.end - gap.start), data.unit()),
                  inspector::printable(op_title(data.table, data.table.ops[static_cast<size_t>(gap.call)])))
          .c_str());
  ImGui::PushTextWrapPos(scaled(420));
  text_colored(theme().muted, words::kUnattributed);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void draw_gap_tooltip(const TimelineModel& model, const IdleGap& gap) {
  const Run& run = model.data()->runs[static_cast<size_t>(gap.run)];
  const auto length = static_cast<double>(gap.end - gap.start);
  if (!ImGui::BeginTooltip()) return;
  ImGui::TextUnformatted(fmt::format("{} in no op", format_duration_with_unit(length, model.data()->unit())).c_str());
  text_colored(
      theme().muted,
      fmt::format("{} of execution #{}",
                  format_share(run.duration > 0 ? length / static_cast<double>(run.duration) : 0), run.execution));
  ImGui::PushTextWrapPos(scaled(420));
  text_colored(theme().muted, inspector::printable(gap_text(*model.data(), gap)));
  ImGui::PopTextWrapPos();
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
