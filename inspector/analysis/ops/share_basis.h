// What shares of a trace's time are of, where the usual times of ops are not an execution's: noise is a notable part of
// it, or they add up to more.
#pragma once

#include <string>

#include "inspector/analysis/ops/module_tree.h"
#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

inline constexpr double kMostNoise = 0.25;   ///< of an execution, as the note on a disturbed machine has it
inline constexpr double kSharedNoise = 0.1;  ///< so little of it changes no share that matters

/// Of the executions of a method, "" for all: ticks on the basis.
struct ExecutionTime {
  double whole = 0;
  double noise = 0;  ///< of it: OpBlock::variation
  /// Most of it is what a disturbed machine added.
  bool is_disturbed() const { return whole > 0 && noise >= kMostNoise * whole; }
  /// So that traces of one program, of a calm and of a busy machine, have the same shares.
  bool leaves_noise_out() const { return noise < 0 || (noise >= kSharedNoise * whole && noise < whole); }
};
inline ExecutionTime execution_time(const OpTable& shown, const std::string& method = "") {
  ExecutionTime out;
  for (const OpBlock& b : shown.blocks) {
    if (b.kind != "execute" || (!method.empty() && b.method.value_or("") != method)) continue;
    out.whole += b.cost;
    out.noise += b.variation;
  }
  return out;
}

/// The same of a tree of its costs.
inline ExecutionTime execution_time(const CostTree& tree) {
  ExecutionTime out;
  if (tree.nodes.empty()) return out;
  out.whole = tree.nodes[0].total;
  for (const CostNode& n : tree.nodes) out.noise += is_variation(n) ? n.total : 0;
  return out;
}

/// Ticks on the basis that the shares of a method's ops are of ("": of all methods): its executions, and what its ops
/// usually take together where that is more (parts of a whole are none above 100 %), or notably less, as the rest is
/// noise.
inline double share_basis(const ExecutionTime& time) {
  return time.leaves_noise_out() ? time.whole - time.noise : time.whole;
}
inline double share_basis(const OpTable& shown, const std::string& method = "") {
  return share_basis(execution_time(shown, method));
}

/// What is left without the noise, behind "what" or "the 7.65 ms that".
inline const char* share_basis_text(const Basis& basis) {
  return basis.kind == BasisKind::WarmMedian ? "the ops usually take" : "the ops take without interruptions";
}

}  // namespace et::inspector
