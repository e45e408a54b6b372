// What to do next: each step says what was found and leads to the panel that shows it.
#include "gui/models/overview_model.h"

namespace et::gui {
namespace {

constexpr double kWorthALook = 0.1;  // of an execution
constexpr size_t kMostOutliers = 2;

OverviewStep step_of(const TraceData& data, const inspector::ExecutionNote& note) {
  const std::string number = "#" + std::to_string(note.execution.value_or(0));
  const std::string time = inspector::format_duration_with_unit(note.time, data.unit());
  return {.text = note.kind == inspector::ExecutionNote::Kind::Outlier
                      ? "Execution " + number + " took " + time + ": see what it did"
                      : "From execution " + number + " on it takes " + time + ": see where it begins",
          .panel = "timeline",
          .run = *note.run_id};
}

double share_of_kind(const Overview& overview, OverviewPart::Kind kind) {
  double sum = 0;
  for (const OverviewPart& part : overview.parts) sum += part.kind == kind ? part.share : 0;
  return sum;
}

void add_costliest(const TraceData& data, const Overview& overview, std::vector<OverviewStep>* out) {
  if (!overview.ops.empty()) {
    const OverviewCost& type = overview.ops.front();
    out->push_back({.text = type.title + " takes " + inspector::format_share(type.share) + ": see its ops and samples",
                    .panel = "operators",
                    .selection = select_op(data, type.op),
                    .type = type.type});
  }
  if (!overview.lines.empty()) {
    const OverviewCost& line = overview.lines.front();
    out->push_back({.text = line.title + " takes " + inspector::format_share(line.share) + ": see the line",
                    .panel = "source",
                    .selection = select_line(data, line.file, line.line)});
  }
}

void add_delegation(const Overview& overview, std::vector<OverviewStep>* out) {
  const double kernels = share_of_kind(overview, OverviewPart::Kind::Kernel);
  const bool delegates = share_of_kind(overview, OverviewPart::Kind::Delegate) > 0;
  if (!delegates || kernels < kWorthALook) return;
  out->push_back({.text = "Non-delegated operators take " + inspector::format_share(kernels) +
                          ": see why, and what delegating them would spare",
                  .panel = "delegation"});
}

void add_missing(const TraceData& data, std::vector<OverviewStep>* out) {
  if (!data.has_etrecord()) {
    out->push_back({.text = "Open the ETRecord with the ETDump (drop both at once): it names nodes, Python lines and "
                            "modules"});
  }
  if (!data.facts.program_path) {
    out->push_back({.text = "Open the program (.pte) with the ETDump: it names what delegates contain, and the memory "
                            "plan"});
  }
}

}  // namespace

std::vector<OverviewStep> next_steps(const TraceData& data, const Overview& overview,
                                     const std::vector<inspector::ExecutionNote>& notes) {
  std::vector<OverviewStep> out;
  if (!data.has_etdump() || !(overview.total > 0)) return out;
  add_costliest(data, overview, &out);
  using Kind = inspector::ExecutionNote::Kind;
  size_t outliers = 0;
  for (const inspector::ExecutionNote& note : notes) {
    const bool outlier = note.kind == Kind::Outlier;
    if (!note.run_id || !(outlier || note.kind == Kind::Step)) continue;
    if (outlier && ++outliers > kMostOutliers) continue;
    out.push_back(step_of(data, note));
  }
  add_delegation(overview, &out);
  add_missing(data, &out);
  return out;
}

}  // namespace et::gui
