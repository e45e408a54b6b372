// What a tooltip says of an op.
#include <imgui.h>

#include "gui/panels/operators_panel.h"
#include "gui/panels/operators_table.h"
#include "gui/widgets/cells.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/shorten.h"

namespace et::gui {
namespace {

/// What the row is, and what a reader of its numbers has to know.
void op_heading(const TraceData& data, const inspector::OpEntry& op, const OpUnits& units) {
  const std::string title = row_title(data.shown, op);
  ImGui::TextUnformatted(inspector::printable(title).c_str());
  if (title != op.name.str()) text_colored(theme().muted, "event " + inspector::printable(op.name));
  if (op.encloses) {
    std::string text = "Encloses other ops: its row is the time that they do not account for.";
    if (op.warm_p50 && op.on_trace_clock())
      text += " With them it takes " + inspector::format_duration_named(*op.warm_p50, units.sums) + " (warm median).";
    text_colored(theme().muted, text);
  }
  // Of a range that cuts executions, only the whole trace knows.
  const auto whole = data.range ? data.usual().find(op.id) : std::nullopt;
  const std::string some =
      whole ? executions_of_op(data.usual(), data.usual().ops[*whole]) : executions_of_op(data.shown, op);
  if (!some.empty()) text_colored(theme().warning, "Ran in " + some + ": a branch, or a failure before it.");
  if (op.resolution_limited) text_colored(theme().warning, "Clock resolution: 1 µs.");
  if (op.clock)
    text_colored(theme().warning, "Separate clock (" + inspector::printable(*op.clock) + "); excluded from totals.");
  if (op.role) text_colored(theme().muted, "Role: " + inspector::printable(*op.role));
}

}  // namespace

void op_tooltip(const TraceData& data, const inspector::OpEntry& of, const OpUnits& units, const std::string& shapes) {
  if (!begin_item_tooltip()) return;
  const inspector::OpEntry& op = data.shown_op(data.find_op(of.id));
  op_heading(data, op, units);
  const std::string time = op_cell(data.shown, op, OpColumn::Self, units);
  if (!time.empty() && op.on_trace_clock()) {
    const std::string unit = units.sums.by_cell ? "" : " " + inspector::unit_name(units.sums);
    // Not the median of its samples: what the heading calls usual.
    const bool usual = data.shown.basis.kind == inspector::BasisKind::WarmMedian;
    const std::string what = usual ? "usual: the mean of the middle half of its warm samples" : data.shown.basis.text();
    ImGui::TextUnformatted((time + unit + ", " + what).c_str());
  }
  if (!shapes.empty()) ImGui::TextUnformatted(shapes.c_str());
  if (op.backend) text_colored(theme().muted, inspector::backend_title(*op.backend));
  if (const inspector::OpNode* const node = data.shown.main_node(op)) {
    std::string place = source_place(*node->node);
    place = place.substr(place.find_last_of('/') + 1);
    if (!node->node->module_path.empty()) place += (place.empty() ? "" : ", ") + node->node->module_path;
    if (!place.empty()) text_colored(theme().muted, inspector::printable(place));
  }
  end_item_tooltip();
}

void op_facts_tooltip(const TraceData& data, const inspector::OpEntry& of, const OperatorsView& view) {
  const OpUnits& units = view.units;
  if (!begin_item_tooltip()) return;
  const inspector::OpEntry& op = data.shown_op(data.find_op(of.id));
  op_heading(data, op, units);
  if (ImGui::BeginTable("##facts", 2, ImGuiTableFlags_SizingFixedFit)) {
    for (const OpColumnSpec& spec : op_columns()) {
      std::string text =
          spec.text != nullptr ? view.text_of(data, op, spec.column) : op_cell(data.shown, op, spec.column, units);
      if (text.empty() || spec.column == OpColumn::Name) continue;
      const inspector::TimeUnit& unit = spec.per_call ? units.calls : units.sums;
      if (spec.kind == ColumnKind::Time && op.on_trace_clock() && !unit.by_cell)
        text += " " + inspector::unit_name(unit);
      ImGui::TableNextColumn();
      text_colored(theme().muted, spec.column == OpColumn::Self ? self_title(data) : spec.title);
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(inspector::printable(text).c_str());
    }
    if (op.metadata) {
      ImGui::TableNextColumn();
      text_colored(theme().muted, "metadata");
      ImGui::TableNextColumn();
      ImGui::TextUnformatted(inspector::shorten_middle(inspector::printable(*op.metadata), 120).c_str());
    }
    ImGui::EndTable();
  }
  end_item_tooltip();
}

}  // namespace et::gui
