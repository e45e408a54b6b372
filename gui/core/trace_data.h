// What all panels share of the trace that is looked at: its ops with statistics, its facts, graphs and source lines,
// read once, off the UI thread, and never changed. Memory grows with ops and runs, never with samples.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gui/core/jobs.h"
#include "inspector/analysis/findings/finding.h"
#include "inspector/analysis/graph/graph_model.h"
#include "inspector/analysis/ops/executions.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/analysis/ops/source_lines.h"
#include "inspector/analysis/ops/summary.h"
#include "inspector/store/foreign_files.h"
#include "inspector/store/store.h"

namespace et::gui {

using Run = inspector::Execution;

struct TraceData {
  std::string path;          ///< of the store
  inspector::OpTable table;  ///< block by block, sums: what the timeline and selections count in
  inspector::OpTable shown;  ///< executions of methods, on the basis that rankings are on, or of a range
  /// What load_trace_data restricts `shown` and all that follows from it to, and the same trace without: for what is
  /// of all executions whatever was selected. Both are set before, or neither.
  std::optional<inspector::TimeRange> range;
  std::shared_ptr<const TraceData> whole;
  inspector::TraceFacts facts;
  std::vector<inspector::Finding> findings;  ///< what `et-inspect doctor` says
  std::vector<inspector::PartRow> parts;     ///< cost_parts
  std::vector<inspector::OpPart> op_parts;   ///< by index of ops
  inspector::SourceCost sources;
  std::vector<inspector::GraphModel> graphs;  ///< the edge graph of each method; empty without an ETRecord
  std::vector<Run> runs;                      ///< in the order of the ETDump, numbered over all executions of a method
  std::string model;                ///< its class, else the trace's name, else that of the program or of its folder
  inspector::ForeignFiles foreign;  ///< files that are another model's: none of them is shown
  std::string basis_error;          ///< why `shown` is not on the basis that was asked for

  int64_t trace_id() const { return table.trace_id; }
  const std::string& unit() const { return table.unit; }
  /// False: an ETRecord or a program was opened alone; there are no times.
  bool has_etdump() const { return facts.dump_path.has_value(); }
  bool has_etrecord() const { return facts.record_path.has_value(); }
  /// " --method decode" for commands that run the program, where they would look for a `forward` that it has not: the
  /// method that took the most; "" else.
  std::string method_option() const;
  /// Number of a run among the executions of its method, from 0, as a basis has it; -1 when it is none.
  int64_t execution_of(int64_t run_id) const;
  /// Index of an op by its key, -1 when there is none.
  int32_t find_op(int64_t op_id) const;
  /// What stands for an op of `table` (by index) in `shown`: itself, or the op that it was merged into.
  const inspector::OpEntry& shown_op(int32_t op) const;
  /// As `shown` without a range.
  const inspector::OpTable& usual() const { return whole != nullptr ? whole->shown : shown; }
  const inspector::OpEntry& usual_op(int32_t op) const { return whole != nullptr ? whole->shown_op(op) : shown_op(op); }
  /// Index in `table` of an op of `shown`.
  int32_t index_of(const inspector::OpEntry& shown_op) const { return find_op(shown_op.id); }
  /// Ops (indices, ascending) that are linked to the node of that name in the method ("" = any).
  std::vector<int32_t> ops_of_node(const std::string& node_name) const;

 private:
  friend Status load_trace_data(const inspector::Store&, int64_t, const Cancel&, TraceData*, const inspector::Basis&);
  friend Status load_other_times(const inspector::Store&, const std::shared_ptr<const TraceData>&, const Cancel&,
                                 TraceData*, const inspector::Basis&);
  Status load_kept(const inspector::Store& store, int64_t trace_id, const Cancel& cancel);
  void keep(const std::shared_ptr<const TraceData>& other);
  Status load_times(const inspector::Store& store, const Cancel& cancel);
  void index();
  std::unordered_map<std::string, std::vector<int32_t>> by_node_;
};

/// Indices of one are indices of the other.
bool is_alike(const TraceData& a, const TraceData* b);

/// A basis that the trace does not have is told in basis_error, and `shown` is on the usual one. Errors: as
/// load_op_table. A cancelled load returns a status that nobody sees.
Status load_trace_data(const inspector::Store& store, int64_t trace_id, const Cancel& cancel, TraceData* out,
                       const inspector::Basis& basis = {});

/// The same trace on another basis, or of out->range (then `data` is out->whole): ops, runs, facts and graphs are those
/// of `data`; only what has times is read. Errors: as load_trace_data.
Status load_other_times(const inspector::Store& store, const std::shared_ptr<const TraceData>& data,
                        const Cancel& cancel, TraceData* out, const inspector::Basis& basis = {});

}  // namespace et::gui
