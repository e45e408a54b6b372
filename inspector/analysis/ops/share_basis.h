// What shares of a trace's time are of, where the usual times of ops are not an execution's: the machine was disturbed,
// or they add up to more.
#pragma once

#include <string>

#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

inline constexpr double kMostNoise = 0.25;  ///< of an execution, as the note on a disturbed machine has it

/// Of the executions of a method, "" for all: ticks on the basis.
struct ExecutionTime {
  double whole = 0;
  double noise = 0;  ///< of it: OpBlock::variation
  /// Most of it is what a disturbed machine added.
  bool is_disturbed() const { return whole > 0 && noise >= kMostNoise * whole; }
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

/// Ticks on the basis that the shares of a method's ops are of ("": of all methods): its executions, and what its ops
/// usually take together where that is more (parts of a whole are none above 100 %), or where the machine was
/// disturbed, as most of an execution is noise then.
inline double share_basis(const ExecutionTime& time) {
  const bool disturbed = time.is_disturbed() && time.noise < time.whole;
  return disturbed || time.noise < 0 ? time.whole - time.noise : time.whole;
}
inline double share_basis(const OpTable& shown, const std::string& method = "") {
  return share_basis(execution_time(shown, method));
}

/// What is left without the noise, behind "what" or "the 7.65 ms that".
inline const char* share_basis_text(const Basis& basis) {
  return basis.kind == BasisKind::WarmMedian ? "the ops usually take" : "the ops take without interruptions";
}

}  // namespace et::inspector
