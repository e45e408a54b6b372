// What the overview tells of a trace: facts, methods, where the time goes, what costs most, what is not linked. Made
// once a trace, off the UI thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/document.h"
#include "gui/core/selection.h"
#include "gui/core/trace_data.h"
#include "inspector/analysis/ops/execution_notes.h"
#include "inspector/analysis/ops/op_count.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/text/format.h"

#include "inspector/analysis/advice/advice.h"

namespace et::gui {

struct OverviewFact {
  std::string label, value;
  std::string more;  ///< for a tooltip, "" for none
};

/// Executions of one method, or of those whose method is not known.
struct OverviewMethod {
  std::string name;
  bool known = true;
  int64_t executions = 0, total = 0, incomplete = 0;
  std::optional<int64_t> cold;
  std::optional<double> warm_mean, warm_median;  ///< the median only where one block has all of its executions
  std::optional<double> cold_ratio;              ///< cold / warm median, or mean without a median
};

/// A method of an ETRecord or a program that was opened without an ETDump.
struct OverviewExport {
  std::string name;
  std::optional<int64_t> inputs, outputs, instructions;  ///< of the program
  std::optional<int64_t> nodes, delegated, delegates;    ///< of the ETRecord's graph
};

/// What a part's operators of one type take.
struct OverviewSlice {
  std::string type;  ///< as the group of Operators by type is called
  double time = 0, share = 0;
  int64_t op = 0;  ///< key of the costliest
};

/// A share of the executions' time.
struct OverviewPart {
  enum class Kind : uint8_t { Delegate, Kernel, Control, Framework, Unattributed, Variation };
  Kind kind = Kind::Unattributed;
  std::string name;
  std::string backend;  ///< of a delegate's time, and of what its operators leave unexplained
  double time = 0, share = 0;
  double calling = 0;  ///< of kernels: of the time, what calling them takes the runtime
  int64_t ops = 0;
  double calls = 0;                       ///< of an execution, or where times are sums, of all (Basis::is_sum)
  bool left_out = false;                  ///< of variation: shares are of what is left without it
  std::vector<OverviewSlice> types = {};  ///< the costliest first; what has no type is in none
  /// False: of noise so little that its sign means nothing.
  bool is_worth_a_row() const { return !left_out && (kind != Kind::Variation || share >= 0.0005 || share <= -0.0005); }
};

/// What a part is whose name does not say it; "" for the others.
const char* part_help(OverviewPart::Kind kind);

/// Those that have a place in the bar: what shares leave out, or is below zero, has none.
std::vector<OverviewPart> parts_of_bar(const std::vector<OverviewPart>& parts);

/// One of the costliest types of operators, lines or modules, and what a click selects.
struct OverviewCost {
  std::string title, detail;
  double time = 0, share = 0;
  std::string type;                       ///< types: as the group of Operators by type is called
  int64_t op = 0;                         ///< types: key of the costliest op
  std::string file;                       ///< lines
  int64_t line = 0;                       ///< lines
  std::string module;                     ///< modules: path, of the costliest of several alike
  std::vector<std::string> modules = {};  ///< modules: paths of all that it counts, the costliest first
  int64_t alike = 1;                      ///< types: its ops; modules: those that differ only in numbers
  int depth = 0;                          ///< modules: rows that it is inside of
  std::string name;                       ///< modules: its title within the row that it is inside of
  std::string short_detail = {};          ///< where `detail` has no room; "" is the same
  std::optional<size_t> rank;             ///< modules: where it is by time; else rows stand by time
};

/// Ops that lead to no node for the same reason.
struct OverviewUnlinked {
  std::string reason;
  inspector::OpCount count = {};
  double time = 0;                                         ///< self, so that an op and what it encloses count once
  std::vector<std::pair<int32_t, double>> costliest = {};  ///< indices into TraceData::table.ops, and their time
  std::string advice = {};                                 ///< what to do about it
};

/// What to do next, and where a click leads.
struct OverviewStep {
  std::string text;          ///< a link where it leads somewhere
  std::string detail = {};   ///< below it: what was found
  std::string panel = {};    ///< "" where there is nothing to click
  Selection selection = {};  ///< taken along
  std::string type = {};     ///< the group of Operators by type to show
  std::optional<WantedFinding> finding = {};
  double win = 0;  ///< at most, in ticks of an execution; 0 where nothing says how much
};

/// What is said before all numbers: errors, what stands out among the executions, warnings. Of the last two only the
/// first few, the others are counted.
struct OverviewNotices {
  std::vector<const inspector::Finding*> errors, executions, warnings;
  int64_t more = 0;

  int64_t size() const { return std::ssize(executions) + std::ssize(warnings); }
  /// "3 notes on the measurement: two groups of executions, a slow first execution": one line instead of them.
  std::string in_short() const;
};
OverviewNotices first_notices(const std::vector<inspector::Finding>& findings);

/// The warm execution that took longest, by its run_id; 0 without one: where a variation is to be seen.
int64_t slowest_run(const TraceData& data);

struct Overview {
  std::vector<OverviewFact> files, machine;
  std::vector<OverviewMethod> methods;
  std::vector<std::string> not_run;  ///< methods of the ETRecord or program without an execution, where all are known
  std::vector<OverviewExport> exports;                  ///< without an ETDump
  std::vector<OverviewPart> parts;                      ///< the costliest first, unattributed last; add up to `total`,
                                                        ///< those that are not left out to `shares_total`
  std::vector<OverviewCost> ops, lines, modules;        ///< ops: types of them
  std::vector<std::pair<std::string, double>> untyped;  ///< time of no operator type: "framework", "unattributed"
  std::vector<OverviewUnlinked> unlinked;
  std::vector<OverviewStep> steps;
  std::string search;        ///< what ops, lines and modules are looked for by
  inspector::TimeUnit unit;  ///< of all times here
  double total = 0;          ///< of an execution of each method, on the basis, in ticks
  inspector::Basis basis;
  double shares_total = 0;  ///< ticks that all shares are of: inspector::share_basis()
  std::string shares_of;    ///< what that is: basis.whole(), or what the ops usually take together
  std::string two_times;    ///< "26 around 7.14 ms, 3 around 11.7 ms", where one median stands for neither; else ""
  std::string basis_text;   ///< with how many methods `total` adds up
  std::string weight_text;  ///< of methods that ran far more often than others: what they are of the whole trace; or ""
  int64_t executions = 0;
  int64_t loading = 0;      ///< of the blocks that load, in ticks, not in the total
  int64_t foreign_ops = 0;  ///< ops on a clock of their own, in no sum
  inspector::OpCount unlinked_ops;
  double unlinked_time = 0;
};

/// `search`: only types, lines and modules that contain it (any case; of a type the names of its events and its places
/// as well, of a line its function and types) are among the costliest; more of them then.
Overview make_overview(const TraceData& data, const std::string& search = "");
/// The steps: those that say what they would win, the most first, then what costs most, what is not delegated, what is
/// missing. Executions that stand out are said above all numbers.
std::vector<OverviewStep> next_steps(const TraceData& data, const Overview& overview,
                                     const std::vector<inspector::Advice>& advice = {},
                                     const std::vector<inspector::Consumer>& silent = {});

/// File and line as short as a person says them: "model.py:12".
std::string short_place(const std::string& file, int64_t line);

}  // namespace et::gui
