// What stands out among the executions of each method, in sentences and numbers: outliers and the ops that made them,
// the cold start, a step, a drift, two groups, too few executions. Reads the runs, and samples of the few runs that it
// explains by their primary key: its cost does not grow with the samples of a store.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Of an execution that took longer: what an op, or what lies between ops, took more than usual.
struct ExtraTime {
  std::optional<int64_t> op_id;  // none: in no op
  std::string name;
  double ticks = 0;
  double usual = 0;    // what it takes in other executions
  bool of_op = false;  // not around ops, nor between them
};

struct ExecutionNote {
  enum class Kind : uint8_t { Outlier, MoreOutliers, Cold, Step, Drift, Modes, Few, Disturbed };
  Kind kind = Kind::Outlier;
  std::optional<std::string> method;
  std::optional<int64_t> test_case;  // index of the bundled input, where the trace names it
  std::optional<int64_t> run_id;     // Outlier, Cold, Step: the execution; MoreOutliers: the slowest
  std::optional<int64_t> execution;  // its position among the executions of the method, from 0
  int ordinal = 0;                   // Outlier: 0 is the worst of the method
  int64_t count = 0;                 // executions that the note is about
  int64_t warm = 0;                  // warm executions of the method, or of the test case
  double time = 0, reference = 0;  // ticks: of the execution and the median; after and before; last and first; groups;
                                   // Disturbed: the median, and what the ops usually take together
  bool interrupted = false;        // Outlier: held up in one op that is quick in all others
  double extra_share = 0;          // outliers: what they took more, of the time of all warm executions
  std::vector<ExtraTime> ops;      // Outlier, Cold: the most first
  std::string text;                // without the method
};

/// outlier, more_outliers, cold, step, drift, modes, few or disturbed.
const char* execution_note_name(ExecutionNote::Kind kind);

/// What to read first comes first. Errors: InvalidExternalData (damaged store).
Status load_execution_notes(const Store& store, int64_t trace_id, std::vector<ExecutionNote>* out);

/// The note as one sentence: "forward, test case 2: #4 took …"; the method only when `name_method`.
std::string execution_note_line(const ExecutionNote& note, bool name_method);
/// True when the notes are about more than one method.
bool several_methods(const std::vector<ExecutionNote>& notes);

}  // namespace et::inspector
