#include "gui/panels/overview_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <vector>

#include "gui/core/text.h"
#include "gui/core/window_words.h"
#include "gui/widgets/cells.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

constexpr ImGuiTableFlags kOverviewTable = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX |
                                           ImGuiTableFlags_NoBordersInBodyUntilResize | ImGuiTableFlags_SizingFixedFit |
                                           ImGuiTableFlags_NoHostExtendX | ImGuiTableFlags_NoSavedSettings;

struct OverviewHeading {
  const char* title;
  bool right;
  const char* help = nullptr;
};

template <size_t N>
void header_row(const std::array<OverviewHeading, N>& headings) {
  ImGui::TableNextRow();
  for (size_t i = 0; i < N; ++i) {
    ImGui::TableSetColumnIndex(static_cast<int>(i));
    if (headings[i].right) {
      text_right(headings[i].title, theme().muted);
    } else {
      text_colored(theme().muted, headings[i].title);
    }
    if (headings[i].help != nullptr) item_tooltip(headings[i].help);
  }
}

/// Widths of columns that shrink together where the panel is narrow.
template <size_t N>
void setup_columns(const std::array<float, N>& points) {
  float wanted = 0;
  for (const float width : points) wanted += scaled(width) + 2 * ImGui::GetStyle().CellPadding.x;
  const float room = ImGui::GetContentRegionAvail().x - scaled(4);
  const float fit = std::clamp(room / wanted, 0.4F, 1.0F);
  for (size_t i = 0; i < N; ++i)
    ImGui::TableSetupColumn(std::to_string(i).c_str(), ImGuiTableColumnFlags_WidthFixed, scaled(points[i]) * fit);
}

void number(std::string_view text) {
  ImGui::TableNextColumn();
  text_right(text);
}

/// A row that can be clicked wherever it is; its texts are drawn over it afterwards.
bool clickable_row(const char* what, int64_t id, bool selected) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 at = ImGui::GetCursorPos();
  const std::string label = what + std::to_string(id);
  const bool clicked = ImGui::Selectable(label.c_str(), selected, ImGuiSelectableFlags_SpanAllColumns);
  ImGui::SetCursorPos(at);
  return clicked;
}

ImU32 severity_color(const std::string& severity) {
  if (severity == "error") return theme().bad;
  if (severity == "data-loss" || severity == "warning") return theme().warning;
  return theme().kernel;
}

void wrapped(ImU32 color, std::string_view text) {
  ImGui::PushTextWrapPos();
  text_colored(color, text);
  ImGui::PopTextWrapPos();
}

}  // namespace

void OverviewTables::title(float room) const {
  std::string name;
  for (const OverviewMethod& method : overview.methods)
    if (method.known) name += (name.empty() ? "" : ", ") + method.name;
  for (const OverviewExport& method : overview.exports) name += (name.empty() ? "" : ", ") + method.name;
  const std::string& model = data.model;
  if (!model.empty() && model != name) name = name.empty() ? model : model + " · " + name;
  if (name.empty()) name = data.facts.name.value_or("Trace #" + std::to_string(data.trace_id()));
  ImGui::Dummy({0, scaled(4)});
  ImGui::PushFont(fonts().bold, ImGui::GetStyle().FontSizeBase * 1.6F);
  ImGui::TextUnformatted(fitting(name, room).c_str());
  ImGui::PopFont();
  if (!data.has_etdump()) return wrapped(theme().muted, "Not run: the structure of the model, without times.");
  std::string line = inspector::plural(overview.executions, "execution") + " · " + overview.basis_text + " " +
                     inspector::format_duration_with_unit(overview.total, data.unit());
  if (!overview.two_times.empty()) line += " (" + overview.two_times + ")";
  // Only where both figures are told apart as they are written.
  const std::string usual = inspector::format_duration_with_unit(overview.shares_total, data.unit());
  if (usual != inspector::format_duration_with_unit(overview.total, data.unit()))
    line += ", the usual times of its ops add up to " + usual;
  if (overview.loading > 0) {
    line += " · loading the model " +
            inspector::format_duration_with_unit(static_cast<double>(overview.loading), data.unit()) +
            ", not in these times";
  }
  if (overview.foreign_ops > 0) {
    line += " · " + inspector::format_count(overview.foreign_ops) +
            " ops use a separate clock and are excluded from totals";
  }
  wrapped(theme().muted, line);
  if (!overview.weight_text.empty()) wrapped(theme().text, inspector::printable(overview.weight_text));
}

void OverviewTables::methods() const {
  if (overview.methods.empty()) return wrapped(theme().muted, "No execution was traced.");
  if (!ImGui::BeginTable("##methods", 7, kOverviewTable)) return;
  const std::string unit = inspector::unit_heading(overview.unit);
  const std::string cold = "Cold" + unit, median = "Warm median" + unit, mean = "Warm mean" + unit,
                    total = "Total" + unit;
  setup_columns<7>({180, 118, 112, 150, 112, 112, 112});
  header_row<7>({{{"Method", false},
                  {"Executions", true},
                  {cold.c_str(), true, "The first execution: cold caches, first touch of memory."},
                  {median.c_str(), true, "Median of the executions after the first."},
                  {mean.c_str(), true, "Mean of the executions after the first."},
                  {"Cold / warm", true, "How much longer the first execution took."},
                  {total.c_str(), true, "Of all executions."}}});
  const auto time = [&](const auto& v) { number(v ? duration(static_cast<double>(*v)) : std::string("–")); };
  for (const OverviewMethod& method : overview.methods) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    if (method.known) {
      text_fitting(method.name);
    } else {
      text_colored(theme().muted, "not known");
      item_tooltip("The trace does not say which method ran. Open the ETRecord or the program with it to find out.");
    }
    number(inspector::format_count(method.executions));
    if (method.incomplete > 0) {
      item_tooltip(inspector::format_count(method.incomplete) + " did not finish: they failed or were cut off.");
    }
    time(method.cold);
    time(method.warm_median);
    time(method.warm_mean);
    number(method.cold_ratio ? inspector::format_real(*method.cold_ratio, *method.cold_ratio < 10 ? 2 : 1) + " ×"
                             : std::string("–"));
    number(duration(static_cast<double>(method.total)));
  }
  ImGui::EndTable();
  if (!overview.not_run.empty())
    wrapped(theme().muted, "Not run in this trace: " + inspector::printable(inspector::joined(overview.not_run, ", ")));
}

void OverviewTables::exports() const {
  if (overview.exports.empty()) return wrapped(theme().muted, "No method is named in these files.");
  if (ImGui::BeginTable("##exports", 7, kOverviewTable)) {
    setup_columns<7>({180, 90, 90, 118, 118, 118, 118});
    header_row<7>({{{"Method", false},
                    {"Inputs", true},
                    {"Outputs", true},
                    {"Instructions", true, "In the program: what the runtime executes."},
                    {"Graph nodes", true, "In the ETRecord."},
                    {"Delegated", true, "Graph nodes that run in delegates."},
                    {"Delegates", true, "Delegate calls in the graph."}}});
    const auto count = [](const std::optional<int64_t>& n) { number(n ? inspector::format_count(*n) : "–"); };
    for (const OverviewExport& method : overview.exports) {
      ImGui::TableNextRow();
      ImGui::TableNextColumn();
      text_fitting(method.name);
      for (const auto* n :
           {&method.inputs, &method.outputs, &method.instructions, &method.nodes, &method.delegated, &method.delegates})
        count(*n);
    }
    ImGui::EndTable();
  }
  ImGui::Dummy({0, scaled(6)});
  struct Way {
    const char *title, *panel;
    bool open;
  };
  const bool program = data.facts.program_path.has_value(), record = data.has_etrecord();
  bool first = true;
  for (const Way& way : {Way{"Graph", "graph", record}, Way{"Delegation map", "delegation", program || record},
                         Way{"Source lines", "source", record}, Way{"Memory plan", "memory", program}}) {
    if (!std::exchange(first, false)) ImGui::SameLine();
    ImGui::BeginDisabled(!way.open);
    if (ImGui::Button(way.title)) document.select(document.selection(), way.panel);
    ImGui::EndDisabled();
  }
}

void OverviewTables::fact_table(const char* id, const std::vector<OverviewFact>& facts) const {
  if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_PadOuterX)) return;
  ImGui::TableSetupColumn("label", ImGuiTableColumnFlags_WidthFixed, scaled(92));
  ImGui::TableSetupColumn("value", ImGuiTableColumnFlags_WidthStretch);
  for (const OverviewFact& fact : facts) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    text_fitting(fact.label, theme().muted);
    ImGui::TableNextColumn();
    text_fitting(fact.value, fact.value == "none" ? theme().warning : 0);
    if (!fact.more.empty()) item_tooltip(inspector::printable(fact.more));
  }
  ImGui::EndTable();
}

void OverviewTables::facts() const {
  fact_tables();
  // Files that lay beside these and were not taken, and why.
  for (const std::string& note : document.request().notes) {
    if (note.find(": not used: ") != std::string::npos) wrapped(theme().warning, inspector::printable(note));
  }
}

void OverviewTables::fact_tables() const {
  if (overview.machine.empty()) return fact_table("##files", overview.files);
  if (!ImGui::BeginTable("##facts", 2, ImGuiTableFlags_SizingStretchSame)) return;
  ImGui::TableNextColumn();
  fact_table("##files", overview.files);
  ImGui::TableNextColumn();
  fact_table("##machine", overview.machine);
  ImGui::EndTable();
}

void OverviewTables::parts() const {
  if (!ImGui::BeginTable("##parts", 6, kOverviewTable)) return;
  const std::string time = "Time" + inspector::unit_heading(overview.unit), shares = "Of " + overview.shares_of + ".";
  setup_columns<6>({16, 236, 84, 150, 56, 64});
  header_row<6>(
      {{{"", false},
        {"Part", false},
        {time.c_str(), true, overview.basis_text.c_str()},
        {"Share", true, shares.c_str()},
        {"Ops", true, "Operators of the program: a kernel and its call are one, as are all calls of an op."},
        {"Calls", true,
         data.shown.basis.is_sum() ? "How often they ran in all executions; for a delegate, how often it was called."
                                   : "How often they run in an execution; for a delegate, how often it is called."}}});
  for (const OverviewPart& part : overview.parts) {
    if (!part.is_worth_a_row()) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    color_square(part_color(part));
    ImGui::TableNextColumn();
    text_fitting(part.kind == OverviewPart::Kind::Delegate    ? "delegated: ops of " + part.name
                 : part.kind == OverviewPart::Kind::Variation ? "variation beyond the ops' usual times"
                                                              : part.name);
    std::string help = part_help(part.kind);
    if (part.calling > 0) {
      help = "Of it, calling the kernels takes the runtime " + duration_named(part.calling) + " (" +
             inspector::format_share(overview.shares_total > 0 ? part.calling / overview.shares_total : 0) + ").";
    }
    if (!help.empty()) item_tooltip(help);
    number(duration(part.time));
    ImGui::TableNextColumn();
    share_cell(part.share, part_color(part));
    number(part.ops > 0 ? inspector::format_count(part.ops) : std::string());
    // Of a branch that some executions took it is no whole number.
    const bool whole = std::abs(part.calls - std::round(part.calls)) < 0.05;
    number(part.calls > 0 ? inspector::format_real(part.calls, whole ? 0 : 1) : std::string());
  }
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TableNextColumn();
  const bool all = overview.shares_total == overview.total;
  ImGui::PushFont(fonts().bold, 0);
  ImGui::TextUnformatted(all ? "total" : "total of usual times");
  ImGui::PopFont();
  item_tooltip(overview.basis_text);
  ImGui::PushFont(fonts().bold, 0);
  number(duration(overview.shares_total));
  number("100%");
  ImGui::PopFont();
  if (!all) execution_row();
  ImGui::EndTable();
}

/// What an execution took, which is not what the parts add up to.
void OverviewTables::execution_row() const {
  const double variation = overview.total - overview.shares_total;
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TableNextColumn();
  text_fitting("an execution, " + duration_named(std::abs(variation)) + (variation > 0 ? " more" : " less"),
               theme().muted);
  item_tooltip(part_help(OverviewPart::Kind::Variation));
  ImGui::TableNextColumn();
  text_right(duration(overview.total), theme().muted);
  ImGui::TableNextColumn();
  text_right("–", theme().muted);
}

void OverviewTables::unlinked_rows(const OverviewUnlinked& group) const {
  if (!ImGui::BeginTable("##rows", 3, kOverviewTable)) return;
  setup_columns<3>({420, 118, 118});
  for (const auto& [index, time] : group.costliest) {
    const inspector::OpEntry& op = data.table.ops[static_cast<size_t>(index)];
    if (clickable_row("##unlinked", op.id, document.selection().op == op.id))
      document.select(select_op(data, op.id), "operators");
    text_fitting(own_time_title(data.table, op));
    ImGui::TableNextColumn();
    if (op.instruction_id) text_right("instr. " + std::to_string(*op.instruction_id), theme().muted);
    ImGui::TableNextColumn();
    text_right(op.on_trace_clock() ? duration_named(time)
                                   : inspector::format_duration_with_unit(static_cast<double>(op.self), op.unit));
  }
  ImGui::EndTable();
  const int64_t more = group.count.ops + group.count.calls - std::ssize(group.costliest);
  if (more > 0) text_colored(theme().muted, "and " + inspector::format_count(more) + " more");
}

void OverviewTables::unlinked() const {
  if (overview.unlinked.empty()) return;
  heading("Not linked");
  const bool one = overview.unlinked_ops.ops + overview.unlinked_ops.calls == 1;
  const double share = overview.shares_total > 0 ? overview.unlinked_time / overview.shares_total : 0;
  wrapped(theme().muted, overview.unlinked_ops.text() + (one ? " leads" : " lead") +
                             " to no graph node: " + inspector::format_share(share) + " of " + overview.shares_of +
                             ", " + duration_named(overview.unlinked_time) + ".");
  for (size_t i = 0; i < overview.unlinked.size(); ++i) {
    const OverviewUnlinked& group = overview.unlinked[i];
    ImGui::PushID(static_cast<int>(i));
    const std::string label = group.count.text() + ": " + inspector::printable(group.reason);
    ImGui::SetNextItemOpen(i == 0, ImGuiCond_Once);
    if (ImGui::TreeNodeEx("##why", ImGuiTreeNodeFlags_SpanAvailWidth, "%s", label.c_str())) {
      if (!group.advice.empty()) wrapped(theme().muted, group.advice);
      unlinked_rows(group);
      ImGui::TreePop();
    }
    ImGui::PopID();
  }
}

void OverviewTables::findings() const {
  std::vector<const inspector::Finding*> shown;
  for (const inspector::Finding& finding : data.findings) {
    if (overview.search.empty() || lower(finding.text + " " + finding.id).find(overview.search) != std::string::npos)
      shown.push_back(&finding);
  }
  if (shown.empty()) return;
  heading("Diagnostics");
  for (const inspector::Finding* one : shown) {
    const inspector::Finding& finding = *one;
    ImGui::PushFont(fonts().bold, 0);
    text_colored(severity_color(finding.severity), inspector::printable(finding.severity));
    ImGui::PopFont();
    ImGui::SameLine();
    text_colored(theme().muted, inspector::printable(finding.id));
    ImGui::Indent(scaled(14));
    wrapped(theme().text, finding.text);
    if (!finding.advice.empty()) wrapped(theme().muted, in_window(finding.advice));
    ImGui::Unindent(scaled(14));
    ImGui::Dummy({0, scaled(4)});
  }
}

void OverviewTables::traces() const {
  if (document.traces().size() < 2) return;
  heading("Traces in this store");
  if (!ImGui::BeginTable("##traces", 5, kOverviewTable)) return;
  setup_columns<5>({46, 380, 160, 100, 118});
  header_row<5>({{{"#", false}, {"Name or file", false}, {"Methods", false}, {"Executions", true}, {"Time", true}}});
  for (const inspector::TraceSummary& trace : document.traces()) {
    const bool shown = trace.id == data.trace_id();
    if (clickable_row("##trace", trace.id, shown) && !shown) document.show_trace(trace.id);
    ImGui::TextUnformatted(std::to_string(trace.id).c_str());
    ImGui::TableNextColumn();
    text_fitting(inspector::trace_title(trace));
    ImGui::TableNextColumn();
    text_fitting(trace.methods);
    number(inspector::format_count(trace.executions));
    number(trace.execute_time
               ? inspector::format_duration_with_unit(static_cast<double>(*trace.execute_time), trace.unit)
               : std::string());
  }
  ImGui::EndTable();
}

}  // namespace et::gui
