// Executions that stand out, and too few of them: what makes a sum, a mean or a median say something else than it
// seems.
#include "inspector/analysis/findings/finding.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr size_t kListed = 12;      // a program with hundreds of test cases has as many
constexpr size_t kFew = 5;          // one in so many does not move the median
constexpr double kDistorts = 0.05;  // of the time of all warm executions: then sums and means are not to be trusted

using NoteKind = ExecutionNote::Kind;

const char* finding_id(NoteKind kind) {
  switch (kind) {
    case NoteKind::Outlier:
    case NoteKind::MoreOutliers:
      return "execution-outlier";
    case NoteKind::Cold:
      return "cold-start";
    case NoteKind::Step:
      return "execution-step";
    case NoteKind::Drift:
      return "execution-drift";
    case NoteKind::Modes:
      return "execution-modes";
    case NoteKind::Disturbed:
      return "execution-disturbed";
    case NoteKind::Few:
      break;
  }
  return "few-samples";
}

const char* advice_for(NoteKind kind) {
  switch (kind) {
    case NoteKind::Outlier:
    case NoteKind::MoreOutliers:
      return "Sums and means contain it; compare medians. Time in no op, or in all ops alike, is the machine's: "
             "another "
             "process, an interrupt, the clock of the processor.";
    case NoteKind::Cold:
      return "Touching memory for the first time, packing weights and caches cost it; judge start-up by it, and speed "
             "by the warm executions.";
    case NoteKind::Step:
    case NoteKind::Drift:
      return "Fix the processor's clock, let the device cool down, and pin the threads; then measure again.";
    case NoteKind::Modes:
      return "Look for what alternates: inputs, cores of two speeds, another process. --filter and the timeline show "
             "single executions.";
    case NoteKind::Disturbed:
      return "Shares are of an execution that nobody had: rank ops by their times. Other processes, a busy host of the "
             "virtual machine or a throttled processor hold executions up.";
    case NoteKind::Few:
      break;
  }
  return "Execute twenty times or more before writing the ETDump (et-run -n 20).";
}

/// Several executions that were each held up in one op are noise of one kind: one sentence for all of them.
struct Interrupted {
  std::string text;
  int64_t run = 0;  ///< the slowest
  size_t first = 0, count = 0;
};

bool same_method(const ExecutionNote& a, const ExecutionNote& b) {
  return a.method == b.method && a.test_case == b.test_case;
}

Interrupted interrupted_like(const std::vector<ExecutionNote>& notes, size_t index, const std::string& unit,
                             bool name_method) {
  Interrupted out;
  out.first = notes.size();
  std::string which;
  const ExecutionNote* slowest = nullptr;
  for (size_t i = 0; i < notes.size(); ++i) {
    const ExecutionNote& n = notes[i];
    if (!n.interrupted || !same_method(n, notes[index])) continue;
    out.first = std::min(out.first, i);
    out.count += static_cast<size_t>(n.count);
    if (n.ops.empty()) {  // several that are not named
      which += ", …";
    } else {
      which += (which.empty() ? "#" : ", #") + format_count(n.execution.value_or(0)) + " " +
               n.ops[0].name.substr(0, n.ops[0].name.find(" (instruction"));
    }
    if (slowest == nullptr || n.time > slowest->time) slowest = &n;
  }
  if (slowest == nullptr) return out;
  out.run = slowest->run_id.value_or(0);
  ExecutionNote all = *slowest;
  all.text = format_count(static_cast<int64_t>(out.count)) + " of " + plural(all.warm, "warm execution") +
             " were most likely interrupted, mostly in ops that are quick otherwise (" + which + "): up to " +
             format_duration_with_unit(all.time, unit) + " against a median of " +
             format_duration_with_unit(all.reference, unit) +
             (kFew * out.count <= static_cast<size_t>(all.warm) ? ", which they do not change" : ", which they raise");
  out.text = execution_note_line(all, name_method);
  return out;
}

}  // namespace

void find_execution_notes(FindingContext& c) {
  const std::vector<ExecutionNote>& notes = c.notes();
  const bool name_method = !notes.empty() && several_methods(notes);
  double distorted = 0;
  for (const ExecutionNote& n : notes) distorted += n.extra_share;
  for (size_t i = 0; i < notes.size(); ++i) {
    if (i == kListed) {
      c.add({.severity = "info",
             .id = "execution-outlier",
             .text = format_count(static_cast<int64_t>(notes.size() - i)) + " more stand out",
             .advice = "The JSON report lists all under execution_notes.",
             .of_executions = true});
      break;
    }
    const ExecutionNote& n = notes[i];
    Interrupted interrupted;
    if (n.interrupted) interrupted = interrupted_like(notes, i, c.unit(), name_method);
    if (interrupted.count > 1 && interrupted.first != i) continue;
    const bool outlier = n.kind == NoteKind::Outlier || n.kind == NoteKind::MoreOutliers;
    const bool moves = n.kind == NoteKind::Step || n.kind == NoteKind::Drift || n.kind == NoteKind::Disturbed;
    c.add({.severity = (outlier && distorted >= kDistorts) || moves ? "warning" : "info",
           .id = finding_id(n.kind),
           .text = interrupted.count > 1 ? interrupted.text : execution_note_line(n, name_method),
           .advice = advice_for(n.kind),
           .of_executions = true,
           .run = interrupted.count > 1 ? interrupted.run : n.run_id.value_or(0)});
  }
}

}  // namespace et::inspector
