// What makes one trace slower than another: ops that do the same work in both are compared, whatever runs it. A group
// is the least set of ops of both traces that share graph nodes: one kernel and the same kernel, or a chain of kernels
// and the fused operator of a delegate.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/diff/node_match.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

enum class DiffVerdict : uint8_t {
  Same,    ///< no difference, or one below the least effect
  Slower,  ///< surely, and by at least the least effect
  Faster,
  Unclear,  ///< the samples scatter more than the medians differ
  TooFew,   ///< too few warm executions for an interval
  Added,    ///< only in the new trace
  Removed,  ///< only in the old one
  Other,    ///< of different programs: what is called alike is not the same op
};
const char* diff_verdict_name(DiffVerdict verdict);

/// One side of a group.
struct DiffSide {
  std::vector<GroupPart> parts;               ///< ops of that side's table, of weight 1
  double cost = 0;                            ///< per execution, on the basis
  std::vector<double> times;                  ///< of each warm execution
  std::string backend;                        ///< "" for kernels of the runtime; several joined by ", "
  bool has_nodes = false;                     ///< of some op it is known which nodes it does
  std::optional<double> flops = {};           ///< operations of its nodes, where all are known
  std::optional<double> low = {}, high = {};  ///< where `cost` lies with 95 % confidence, as far as the run tells
};

struct DiffGroup {
  std::string title;                  ///< operator, event, or "(variation)"
  bool is_variation = false;          ///< what executions take beyond the usual times of their ops
  std::string type;                   ///< operator type of its main op, for colours; "" of what is no op
  std::string method, place, module;  ///< of its main node; place "model.py:12"
  std::string was_place, was_title;   ///< where they differ in the old trace, else ""
  std::optional<NodeMatchVia> via;    ///< the loosest match that it rests on
  DiffSide before, after;
  DiffVerdict verdict = DiffVerdict::Same;
  std::optional<double> low, high;                    ///< ratio after / before surely lies between
  std::optional<double> interval_low, interval_high;  ///< the same, also where it may be 1; empty with too few samples

  double change() const { return after.cost - before.cost; }
  bool delegation_changed() const {
    return before.backend != after.backend && !before.parts.empty() && !after.parts.empty();
  }
};

/// Executions of a method, on the basis. Methods are compared by name.
struct DiffMethod {
  std::string name;
  int64_t executions_before = 0, executions_after = 0;
  int64_t warm_before = 0, warm_after = 0;  ///< of them
  /// It ran, but has no execution of the basis, as a trace of a warmed-up model has no cold one. Then nothing of the
  /// method is in the figures of either side.
  bool lacks_before = false, lacks_after = false;
  double before = 0, after = 0;
  DiffVerdict verdict = DiffVerdict::Same;
  std::optional<double> low, high, interval_low, interval_high;  ///< as those of a group
  double variation_before = 0, variation_after = 0;              ///< of `before` and `after`: in no op's usual time
  /// Verdict and intervals are those of the ops' usual times together: the machine was disturbed, or the executions
  /// differ by their variation for the most part.
  bool by_usual = false;
  int64_t calls_before = 0, calls_after = 0;         ///< of delegates: different ones
  int64_t kernels_before = 0, kernels_after = 0;     ///< of the runtime: different ones
  double delegated_before = 0, delegated_after = 0;  ///< time of everything inside of delegates

  double usual_before() const { return before - variation_before; }
  double usual_after() const { return after - variation_after; }
  /// As ExecutionTime::is_disturbed has it.
  bool disturbed(bool is_after) const;
  bool lacks_basis() const { return lacks_before || lacks_after; }
  bool both_ran() const { return executions_before > 0 && executions_after > 0; }
};

struct TraceDiffOptions {
  Basis basis = {};
  double least_effect = 0.02;  ///< of an op's time; and 0.1 % of the execution's
};

struct TraceDiff {
  std::string unit = "ns";
  Basis basis;
  UnknownMethods unknown;  ///< methods without a name are those of the other trace
  std::vector<DiffMethod> methods;
  std::vector<DiffGroup> groups;  ///< by the size of the change; `cost`s add up to the methods
  double before = 0, after = 0;   ///< of all methods
};

/// Errors: NotFound (no such trace), InvalidArgument (a basis that a trace lacks, other units), InvalidExternalData.
Status diff_traces(const Store& before, int64_t before_id, const Store& after, int64_t after_id,
                   const TraceDiffOptions& options, TraceDiff* out);
/// Of tables that are read already, both on one basis; options.basis is not looked at.
Status diff_tables(const Store& before, const OpTable& old_table, const Store& after, const OpTable& new_table,
                   const TraceDiffOptions& options, TraceDiff* out);

}  // namespace et::inspector
