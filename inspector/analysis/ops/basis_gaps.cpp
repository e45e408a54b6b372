#include "inspector/analysis/ops/basis_gaps.h"

#include <algorithm>

#include "inspector/text/format.h"

namespace et::inspector {
namespace {

std::string name_of_method(const OpBlock& block) {
  return block.method.value_or("the method of block " + std::to_string(block.ordinal));
}

std::string times(int64_t runs) { return runs == 1 ? "once" : format_count(runs) + " times"; }

}  // namespace

std::string missing_basis(const OpTable& shown, const Basis& basis) {
  const bool from_costs = basis.kind == BasisKind::Cold || basis.kind == BasisKind::P99;
  if (from_costs && shown.old_store)
    return "the store is of an older version that has sums only; import the trace again";
  if (basis.kind != BasisKind::Execution) return {};
  int64_t most = 0;
  for (const OpBlock& b : shown.blocks) most = std::max(most, b.kind == "execute" ? b.runs : 0);
  if (basis.execution < most) return {};
  if (most == 0) return "the trace has no execution";
  if (most == 1) return "the trace has 1 execution, #0";
  return "the trace has " + std::to_string(most) + " executions, #0 to #" + std::to_string(most - 1);
}

std::vector<std::string> basis_gaps(const OpTable& shown) {
  std::vector<std::string> out;
  for (const OpBlock& b : shown.blocks) {
    if (b.kind != "execute" || b.runs == 0) continue;
    switch (shown.basis.kind) {
      case BasisKind::Execution:
        if (b.runs <= shown.basis.execution)
          out.push_back(name_of_method(b) + " ran " + times(b.runs) + ": it has no execution " + shown.basis.name());
        break;
      case BasisKind::Cold:
        if (!b.cold) out.push_back("which execution of " + name_of_method(b) + " was the cold one is unknown");
        break;
      case BasisKind::WarmMedian:
      case BasisKind::P99:
        if (b.runs == 1 && b.cold)
          out.push_back(name_of_method(b) + " ran once: its times are of that execution, which is cold");
        break;
      case BasisKind::Mean:
      case BasisKind::Total:
      case BasisKind::Range:
        break;
    }
  }
  return out;
}

}  // namespace et::inspector
