// Each op against what the machine could do: operations and bytes from the shapes of its graph nodes, its time on the
// basis, and the roof that it is under. Ops that do the work of the same nodes are one row (diff/op_groups.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/analysis/work/machine.h"
#include "inspector/analysis/work/node_work.h"
#include "inspector/store/store.h"

namespace et::inspector {

enum class Bound : uint8_t {
  Unknown,   ///< no graph, no formula, or no machine; or nothing but the arithmetic of other ops to hold it against
  Compute,   ///< arithmetic is its roof
  Memory,    ///< bandwidth is its roof
  Overhead,  ///< so little to do that calling it is most of its time
  Neither,   ///< far below both roofs: how its kernel goes about it, not what the machine can do
};
const char* bound_name(Bound bound);

/// What a clock's step makes of a shorter call is no rate, in ns.
inline constexpr double kShortestRate = 250;

struct RooflineRow {
  std::string title, method, place, module, backend;
  std::string op;             ///< operator of the node with the most operations; "" without one
  int64_t op_id = 0;          ///< of the op that speaks for the row
  std::vector<uint32_t> ops;  ///< indices in the table
  double ns = 0;              ///< on the basis: of an execution, or of the sum of several
  double usual_ns = 0;        ///< on the warm median, where `ns` is of one execution, a few or a range; 0: as `ns`
  double calls = 1;           ///< of its nodes in that time: more than one of loops, and where times are sums
  NodeWork work;              ///< of all calls
  bool is_framework = false;  ///< the runtime's own time, no operator's
  double roof_ns = 0;         ///< least time on the machine; 0 when unknown
  /// It took less than its operations do at the peak, so it was computed with fewer: its roof is that of those
  /// (NodeWork::spared_flops).
  bool spares = false;
  bool may_stay = false;  ///< nothing but views: may_leave_data()
  /// Of these, one that takes far less than moving its bytes would: they stayed where they are. It has no roof.
  bool stays = false;
  Bound bound = Bound::Unknown;

  /// Nothing to do but be called: up to a thousand operations and a kilobyte each time.
  bool is_tiny() const {
    const double most = 1000 * (calls > 1 ? calls : 1);
    return work.flops.value_or(most + 1) <= most && work.bytes.value_or(most + 1) <= most;
  }
  std::optional<double> gflops() const { return rate(work.flops); }
  std::optional<double> gbytes() const { return stays ? std::nullopt : rate(work.bytes); }
  /// Operations for each byte.
  std::optional<double> intensity() const {
    return work.flops && work.bytes && *work.bytes > 0 ? std::optional(*work.flops / *work.bytes) : std::nullopt;
  }
  /// What its roof is about.
  double done_flops() const { return work.flops.value_or(0) - (spares ? work.spared_flops : 0); }
  /// Time beyond the roof; nullopt when that is unknown.
  std::optional<double> win_ns() const {
    return roof_ns > 0 ? std::optional(ns > roof_ns ? ns - roof_ns : 0) : std::nullopt;
  }
  /// Faster than what holds it, by more than a clock's step: the machine can do more than was measured, or it moves
  /// less than its shapes say.
  bool is_above_roof() const {
    constexpr double kNoise = 1.05;
    return roof_ns > kNoise * ns && ns >= kShortestRate * (calls > 1 ? calls : 1);
  }
  /// Part of its time that the roof explains, 1 at the roof; nullopt when unknown.
  std::optional<double> efficiency() const {
    return roof_ns > 0 && ns > 0 ? std::optional(roof_ns / ns) : std::nullopt;
  }

 private:
  std::optional<double> rate(const std::optional<double>& n) const {
    return n && ns > 0 ? std::optional(*n / ns) : std::nullopt;
  }
};

/// Of 10^9 operations a second.
inline const char* rate_unit(bool integer) { return integer ? "GOP/s" : "GFLOP/s"; }

struct Roofline {
  Basis basis;
  std::vector<RooflineRow> rows;  ///< the most time first
  double total_ns = 0;            ///< of the executions
  double variation_ns = 0;        ///< of the total: OpBlock::variation
  double framework_ns = 0;        ///< of the total: the runtime's own events
  double known_ns = 0;            ///< of rows whose roof is known, or, without a machine, whose work is
  double roof_ns = 0;             ///< these rows at their roofs
  double above_ns = 0;            ///< of them, those that are faster than their roofs
  double flops = 0, bytes = 0;    ///< of rows where they are known
  bool has_graph = false;
  /// What rows take beyond their roofs: those whose kernels could do better, and those that do next to nothing each
  /// time they are called, of which only fewer calls win anything.
  double kernels_win_ns() const { return win_of(false); }
  double calls_win_ns() const { return win_of(true); }
  bool has_calls_to_win() const { return calls_win_ns() >= 0.01 * total_ns; }  ///< enough to speak of
  bool has_integers() const {  ///< some rows are operations of int8: not all are FLOP
    for (const RooflineRow& row : rows) {
      if (row.work.integer) return true;
    }
    return false;
  }
  std::set<std::string> symbols;                     ///< of dynamic shapes, that have no number
  std::map<std::string, std::string> symbol_places;  ///< of those and of others: WorkOfNodes::symbol_places()
  std::string left_out;                              ///< of calm_roofline(): left_out_text()

  /// What shares are of where noise is left out of them (share_basis.h).
  double share_base_ns() const { return share_basis(ExecutionTime{total_ns, variation_ns}); }
  /// No operator's work: the runtime's own time, and what ops took beyond the usual.
  double no_work_ns() const { return framework_ns + (variation_ns > 0 ? variation_ns : 0); }
  /// Of operators whose work is not known; 0 where it is little.
  double unknown_ns() const {
    const double unknown = total_ns - known_ns - no_work_ns();
    return unknown > 0.1 * (total_ns - no_work_ns()) ? unknown : 0;
  }
  /// Where that is much: what it is, "llama.custom_sdpa 141 µs (no formula for it)" with the most time first; "" else.
  std::string unknown_text() const;
  /// Rows are of several methods.
  bool has_methods() const;
  /// False where much is faster than the machine can be: it was busy when it was measured. Then no bound holds.
  bool believable() const { return above_ns <= 0.1 * known_ns; }

 private:
  double win_of(bool calls) const {
    double out = 0;
    for (const RooflineRow& row : rows) out += (row.bound == Bound::Overhead) == calls ? row.win_ns().value_or(0) : 0;
    return out;
  }
};

/// `machine`: null gives what was achieved without roofs. `dims`: numbers for symbols of dynamic shapes.
/// Errors: InvalidArgument for a trace in cycles; InvalidExternalData (damaged store).
Status roofline(const Store& store, const OpTable& shown, const MachinePeaks* machine, const DimValues& dims,
                Roofline* out);

/// The same, without the time that the processor was taken from ops (interruptions.h): no kernel wins it. It counts as
/// variation.
Status calm_roofline(const Store& store, const OpTable& shown, const MachinePeaks* machine, const DimValues& dims,
                     Roofline* out);

/// The best rates that rows of this roofline usually reach, as one fast sample is no roof: the machine's peaks are at
/// least these. A rate counts that another kind or size of op comes near to, or that much time is spent at: one short
/// op whose work was counted wrong shall not be what all others are held against. A view of little time may have
/// moved nothing, and sets none. Bandwidths are by working set, each the best of those rows whose working set is as
/// large or larger: what lies in a cache is read faster. They hold up to kSeenReach times that size: a trace has few
/// sizes, and from one to the next no cache ends. nullopt where fewer than three rows of known work take longer than a
/// call.
struct SeenPeaks {
  MachinePeaks peaks;
  std::string compute_of;              ///< the row that reached the most operations a second
  std::vector<std::string> memory_of;  ///< by entry of peaks.bandwidth, the row that reached it

  /// What a row is held against: "171 GB/s in 48.8 KiB (aten.add.Tensor)", or its arithmetic's. "" without a roof.
  std::string reference_of(const RooflineRow& row) const;
};
inline constexpr double kSeenReach = 4;

std::optional<SeenPeaks> best_rates(const Roofline& roofline);
/// Of a row whose operations and bytes are known.
MachinePeaks::Roofs roofs_of(const MachinePeaks& machine, const RooflineRow& row);
/// Gives the rows the roofs of `machine`, and the sums that follow from them. What is counted of a row stays.
void hold_against(const MachinePeaks& machine, Roofline* roofline);

/// Of an op that reaches less than this part of its roof, the roof is not what limits it.
inline constexpr double kNearRoof = 0.25;

/// Calling a kernel or a delegate's operator takes up to so much: a shorter one far from its roof is Overhead.
inline constexpr double kCallNs = 2000;
/// So does a slower one that is_tiny().
inline constexpr double kSlowCallNs = 10000;

}  // namespace et::inspector
