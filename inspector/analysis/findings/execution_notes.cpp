// Executions that stand out, and too few of them: what makes a sum, a mean or a median say something else than it
// seems.
#include <algorithm>

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
  const ExecutionNote* slowest = nullptr;  ///< null: none
  std::string which;                       ///< "#4 aten.addmm, #9 aten.bmm"
  size_t first = 0, count = 0;

  int64_t run() const { return slowest->run_id.value_or(0); }
};

bool stood_out(const ExecutionNote& n) {
  return n.interrupted || n.kind == NoteKind::Outlier || n.kind == NoteKind::MoreOutliers;
}

/// Those that `like` takes.
template <class Like>
Interrupted interrupted_of(const std::vector<ExecutionNote>& notes, const Like& like) {
  Interrupted out;
  out.first = notes.size();
  for (size_t i = 0; i < notes.size(); ++i) {
    const ExecutionNote& n = notes[i];
    if (!like(n)) continue;
    out.first = std::min(out.first, i);
    out.count += static_cast<size_t>(n.count);
    if (n.ops.empty()) {  // several that are not named
      out.which += ", …";
    } else {
      out.which += (out.which.empty() ? "#" : ", #") + format_count(n.execution.value_or(0)) + " " +
                   n.ops[0].name.substr(0, n.ops[0].name.find(" (instruction"));
    }
    if (out.slowest == nullptr || n.time > out.slowest->time) out.slowest = &n;
  }
  return out;
}

std::string interrupted_text(const Interrupted& found, const std::string& unit, bool name_method) {
  ExecutionNote all = *found.slowest;
  all.text =
      format_count(static_cast<int64_t>(found.count)) + " of " + plural(all.warm, "warm execution") +
      " were most likely interrupted, mostly in ops that are quick otherwise (" + found.which + "): up to " +
      format_duration_with_unit(all.time, unit) + " against a median of " +
      format_duration_with_unit(all.reference, unit) +
      (kFew * found.count <= static_cast<size_t>(all.warm) ? ", which they do not change" : ", which they raise");
  return execution_note_line(all, name_method);
}

/// Of a disturbed machine's trace executions that stopped for long are more of the same: one statement has both, and
/// what it means.
std::string disturbed_text(const ExecutionNote& note, const std::vector<ExecutionNote>& notes, const std::string& unit,
                           bool name_method) {
  std::string out =
      execution_note_line(note, name_method) +
      "; until then usual times of ops and their order hold, medians of executions and percentiles do not";
  const Interrupted found =
      interrupted_of(notes, [&](const ExecutionNote& n) { return stood_out(n) && n.method == note.method; });
  if (found.count == 0) return out;
  return out + ". " + format_count(static_cast<int64_t>(found.count)) + " of " +
         plural(found.slowest->warm, "warm execution") + (found.count == 1 ? " was" : " were") +
         " held up for long besides, up to " + format_duration_with_unit(found.slowest->time, unit) + " (" +
         found.which + ")";
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
    const auto is_disturbed = [&](const ExecutionNote& other) {
      return other.kind == NoteKind::Disturbed && other.method == n.method;
    };
    if (stood_out(n) && std::any_of(notes.begin(), notes.end(), is_disturbed)) continue;  // said there
    Interrupted interrupted;
    if (n.interrupted)
      interrupted = interrupted_of(notes, [&](const ExecutionNote& other) {
        return other.interrupted && other.method == n.method && other.test_case == n.test_case;
      });
    if (interrupted.count > 1 && interrupted.first != i) continue;
    const bool outlier = n.kind == NoteKind::Outlier || n.kind == NoteKind::MoreOutliers;
    const bool moves = n.kind == NoteKind::Step || n.kind == NoteKind::Drift || n.kind == NoteKind::Disturbed;
    c.add({.severity = (outlier && distorted >= kDistorts) || moves ? "warning" : "info",
           .id = finding_id(n.kind),
           .text = n.kind == NoteKind::Disturbed ? disturbed_text(n, notes, c.unit(), name_method)
                   : interrupted.count > 1       ? interrupted_text(interrupted, c.unit(), name_method)
                                                 : execution_note_line(n, name_method),
           .advice = advice_for(n.kind),
           .of_executions = true,
           .run = interrupted.count > 1 ? interrupted.run() : n.run_id.value_or(0)});
  }
}

}  // namespace et::inspector
