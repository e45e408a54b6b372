#include "gui/models/report_draft.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "gui/core/text.h"
#include "gui/core/window_words.h"
#include "gui/models/executions_model.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {
namespace {

using inspector::format_share;
using inspector::printable;

constexpr size_t kMostWarnings = 4;
/// Facts of the machine that nobody needs to read numbers.
constexpr std::array<std::string_view, 3> kNotToldOf = {"Host", "Clock", "Cost per event"};

std::string draft_time(const TraceData& data, double ticks) {
  return inspector::format_duration_with_unit(ticks, data.unit());
}

std::string draft_cost(const TraceData& data, double ticks, double share) {
  return draft_time(data, ticks) + ", " + format_share(share);
}

DraftSection draft_measured(const TraceData& data, const Overview& overview) {
  DraftSection out{"measured", "What was measured", {}};
  for (const OverviewMethod& m : overview.methods) {
    if (!m.warm_median) continue;
    std::string figure = "warm median " + draft_time(data, *m.warm_median);
    if (m.cold_ratio && *m.cold_ratio >= 1.25)
      figure += ", the first one took " + inspector::format_real(*m.cold_ratio, 1) + " times that";
    figure += ", " + inspector::plural(m.executions, "execution");
    out.lines.push_back({m.known ? m.name : "unknown method", figure});
  }
  for (const auto* facts : {&overview.files, &overview.machine}) {
    for (const OverviewFact& fact : *facts) {
      if (std::find(kNotToldOf.begin(), kNotToldOf.end(), fact.label) == kNotToldOf.end())
        out.lines.push_back({fact.label, fact.value});
    }
  }
  if (!out.lines.empty()) out.lines.push_back({"Basis of the times below", data.shown.basis_text()});
  if (!overview.weight_text.empty()) out.lines.push_back({overview.weight_text, ""});
  return out;
}

DraftSection draft_doubts(const TraceData& data) {
  DraftSection out{"doubts", "Before the numbers", {}};
  const OverviewNotices notices = first_notices(data.findings);
  for (const auto* list : {&notices.errors, &notices.executions, &notices.warnings}) {
    for (const inspector::Finding* finding : *list) {
      if (out.lines.size() == kMostWarnings) break;
      out.lines.push_back({in_window(finding->text), "", {}, "overview"});
    }
  }
  return out;
}

DraftSection draft_parts(const TraceData& data, const Overview& overview) {
  DraftSection out{"parts", "Where the time goes", {}};
  for (const OverviewPart& part : overview.parts) {
    if (!part.is_worth_a_row() || part.time == 0) continue;
    const bool delegated = part.kind == OverviewPart::Kind::Delegate;
    DraftLine line{(delegated ? "delegated: " : "") + part.name, draft_cost(data, part.time, part.share)};
    if (delegated || part.kind == OverviewPart::Kind::Kernel) line.panel = "delegation";
    out.lines.push_back(std::move(line));
  }
  return out;
}

DraftSection draft_costs(const TraceData& data, const char* id, const char* title,
                         const std::vector<OverviewCost>& rows) {
  DraftSection out{id, title, {}};
  for (const OverviewCost& row : rows) {
    DraftLine line{row.title, draft_cost(data, row.time, row.share)};
    line.code = true;
    if (row.op != 0) {
      line.target = select_op(data, row.op);
      line.panel = "operators";
    } else if (!row.file.empty()) {
      line.target = select_line(data, row.file, row.line);
      line.panel = "source";
    } else {
      line.target = select_module(data, row.module);
      line.panel = "flame";
    }
    out.lines.push_back(std::move(line));
  }
  return out;
}

/// Of a disturbed machine's trace they are not of the execution that is named on top.
void say_what_shares_are_of(const TraceData& data, const Overview& overview, std::vector<DraftSection>* sections) {
  if (!(overview.shares_total < overview.total)) return;
  for (DraftSection& section : *sections) {
    if (section.id != "parts" && section.id != "operators" && section.id != "lines" && section.id != "modules")
      continue;
    DraftLine line{"Shares leave the noise out: they are of the " +
                       inspector::format_duration_with_unit(overview.shares_total, data.unit()) + " that " +
                       inspector::share_basis_text(overview.basis) + ".",
                   ""};
    section.lines.insert(section.lines.begin(), std::move(line));
    return;  // the first of them says it for all
  }
}

DraftSection draft_steps(const Overview& overview) {
  DraftSection out{"steps", "Worth a look", {}};
  for (const OverviewStep& step : overview.steps) {
    out.lines.push_back({step.text, "", step.selection, step.panel});
  }
  return out;
}

/// Nothing in it is a mark.
std::string code_span(std::string text) {
  std::replace(text.begin(), text.end(), '`', '\'');
  return "`" + printable(text) + "`";
}

/// Key of the kernel or delegated op that takes the most time; 0 for none.
int64_t costliest_op(const TraceData& data) {
  const inspector::OpEntry* most = nullptr;
  for (const inspector::OpEntry& op : data.shown.ops) {
    const bool does_work = op.kind == "kernel" || op.kind == "delegate_op" || op.kind == "delegate_call";
    // Loading packs weights, which no execution pays for.
    if (data.shown.block_of(op).kind != "execute") continue;
    if (does_work && op.on_trace_clock() && !op.encloses && (most == nullptr || op.cost > most->cost)) most = &op;
  }
  return most == nullptr || most->cost <= 0 ? 0 : most->id;
}

}  // namespace

std::string draft_title(const TraceData& data, const Overview& overview) {
  std::string methods;
  for (const OverviewMethod& m : overview.methods)
    if (m.known) methods += (methods.empty() ? "" : ", ") + m.name;
  if (data.model.empty() || data.model == methods)
    return methods.empty() ? "trace " + std::to_string(data.trace_id()) : methods;
  return methods.empty() ? data.model : data.model + " · " + methods;
}

std::vector<DraftSection> draft_sections(const TraceData& data, const Overview& overview) {
  std::vector<DraftSection> out;
  for (DraftSection& section :
       std::vector{draft_measured(data, overview), draft_doubts(data), draft_parts(data, overview),
                   draft_costs(data, "operators", "Costliest operators", overview.ops),
                   draft_costs(data, "lines", "Costliest Python lines", overview.lines),
                   draft_costs(data, "modules", "Costliest modules, with all inside", overview.modules),
                   draft_steps(overview)}) {
    if (!section.lines.empty()) out.push_back(std::move(section));
  }
  say_what_shares_are_of(data, overview, &out);
  return out;
}

std::string draft_markdown(const std::string& title, const std::vector<DraftSection>& sections,
                           const std::vector<std::string>& left_out, const std::string& notes) {
  std::string out = "# " + printable(title) + "\n";
  for (const DraftSection& section : sections) {
    if (std::find(left_out.begin(), left_out.end(), section.id) != left_out.end()) continue;
    out += "\n## " + section.title + "\n\n";
    for (const DraftLine& line : section.lines) {
      out += "- " + (line.code ? code_span(line.text) : printable(line.text));
      out += line.figure.empty() ? "\n" : (line.code ? ": " : ": ") + printable(line.figure) + "\n";
    }
  }
  if (!notes.empty()) out += "\n## Notes\n" + notes;
  return out;
}

std::vector<NoteSuggestion> note_suggestions(const TraceData& data, const Overview& overview) {
  std::vector<NoteSuggestion> out;
  // Of a type that costs much by its number no single op need stand out.
  const int64_t costliest = costliest_op(data);
  if (Selection op = select_op(data, costliest); !op.empty()) {
    std::string label = "the costliest single op, " + op.label;
    out.push_back({std::move(label), std::move(op)});
  }
  if (!overview.ops.empty() && overview.ops.front().op != costliest) {
    const OverviewCost& type = overview.ops.front();
    Selection op = select_op(data, type.op);
    std::string label =
        "the costliest operator type, " + type.title + (type.alike > 1 ? ": of its costliest line, " + op.label : "");
    if (!op.empty()) out.push_back({std::move(label), std::move(op)});
  }
  // By its own median: a method that takes longer than another has no slower executions for that.
  const ExecutionsModel executions = ExecutionsModel::make(data);
  const Run* slowest = nullptr;
  size_t which = 0;
  double most = 0;
  for (size_t i = 0; i < executions.size(); ++i) {
    const Run& run = data.runs[static_cast<size_t>(executions.run(i))];
    const double median = executions.median_of(i);
    if (run.execution == 0 || !run.complete || !(median > 0)) continue;  // the first is slow for reasons of its own
    if (const double times = static_cast<double>(run.duration) / median; times > most) {
      slowest = &run;
      which = i;
      most = times;
    }
  }
  if (slowest != nullptr && slowest->duration > 0) {
    out.push_back({"the slowest execution after the first, " + executions.name(data, which) + " (" +
                       draft_time(data, static_cast<double>(slowest->duration)) + ")",
                   select_range(data, slowest->start, slowest->start + slowest->duration)});
  }
  if (!overview.lines.empty()) {
    const OverviewCost& line = overview.lines.front();
    if (Selection s = select_line(data, line.file, line.line); !s.empty()) {
      std::string label = "the costliest Python line, " + s.label;
      out.push_back({std::move(label), std::move(s)});
    }
  }
  if (!overview.modules.empty()) {
    const OverviewCost& module = overview.modules.front();
    if (Selection s = select_module(data, module.module); !s.empty()) {
      // The one that is selected may be cheaper than a module without others like it.
      std::string label = module.alike > 1 ? "the costliest modules, " + module.title + ": " + s.label
                                           : "the costliest module, " + s.label;
      out.push_back({std::move(label), std::move(s)});
    }
  }
  out.push_back({"the trace", {}});
  return out;
}

}  // namespace et::gui
