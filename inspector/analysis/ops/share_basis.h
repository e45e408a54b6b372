// What shares of a trace's time are of, where the machine was disturbed.
#pragma once

#include <algorithm>
#include <string>

#include "inspector/analysis/ops/op_table.h"

namespace et::inspector {

inline constexpr double kMostNoise = 0.25;  ///< of an execution, as the note on a disturbed machine has it

/// Ticks on the basis that the shares of a method's ops are of ("": of all methods): its executions, and of a disturbed
/// machine's trace what its ops usually take together, as most of an execution is noise then.
inline double share_basis(const OpTable& shown, const std::string& method) {
  double whole = 0, noise = 0;
  for (const OpBlock& b : shown.blocks) {
    if (b.kind != "execute" || (!method.empty() && b.method.value_or("") != method)) continue;
    whole += b.cost;
    noise += std::max(b.variation, 0.0);
  }
  return noise >= kMostNoise * whole && noise < whole ? whole - noise : whole;
}

/// What is left without the noise, behind "what" or "the 7.65 ms that".
inline const char* share_basis_text(const Basis& basis) {
  return basis.kind == BasisKind::WarmMedian ? "the ops usually take" : "the ops take without interruptions";
}

}  // namespace et::inspector
