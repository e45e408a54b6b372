#include "runtime/backends/xnnpack/graph/fuse.h"

#include <algorithm>

namespace et::xnn {
namespace {

using T = format::XnnNodeType;

/// Positions of the operators that read each value, once for each time.
std::vector<std::vector<uint32_t>> readers_of(const Graph& g) {
  std::vector<std::vector<uint32_t>> readers(g.values.size());
  for (uint32_t i = 0; i < g.operators.size(); ++i) {
    for (const uint32_t v : g.operators[i]->inputs) readers[v].push_back(i);
  }
  return readers;
}

/// Producers bound their results themselves where a Clamp stands behind them alone.
void absorb_clamps(Graph& g, const std::vector<std::vector<uint32_t>>& readers) {
  // Backwards, so that a row of clamps is taken over as a whole.
  for (size_t i = g.operators.size(); i-- > 0;) {
    Operator& op = *g.operators[i];
    if (!op.can_clamp() || op.outputs.size() != 1) continue;
    const Value& v = g.values[op.outputs[0]];
    if (v.output || readers[op.outputs[0]].size() != 1) continue;
    const uint32_t behind = readers[op.outputs[0]][0];
    Operator& next = *g.operators[behind];
    if (next.type != T::Clamp) continue;
    const Value& to = g.values[next.outputs[0]];
    if (v.datatype != to.datatype || v.storage == Storage::S32 || v.scale != to.scale ||
        v.zero_point != to.zero_point) {
      continue;
    }
    op.absorbs = static_cast<int32_t>(behind);
    next.absorbed = true;
    op.fused_clamp = both(op.clamp, next.fused_clamp);
  }
}

/// Operators do what stands in front of them where they alone read it: the rest of the graph does not see it then.
void fold_into_readers(Graph& g, const std::vector<std::vector<uint32_t>>& readers) {
  for (uint32_t i = 0; i < g.operators.size(); ++i) {
    Operator& op = *g.operators[i];
    if (op.type != T::Convert && op.type != T::StaticTranspose && op.type != T::StaticConstantPad) continue;
    const std::vector<uint32_t>& behind = readers[op.outputs[0]];
    const bool alone = behind.size() == 1 && !g.values[op.outputs[0]].output;
    if (!alone) continue;
    Operator& reader = *g.operators[behind[0]];
    if (reader.inputs[0] != op.outputs[0] || !reader.fold(g, op)) continue;
    reader.folds = static_cast<int32_t>(i);
    op.absorbed = true;
  }
}

}  // namespace

void fuse(Graph& g) {
  for (const std::unique_ptr<Operator>& op : g.operators) op->own_clamp = op->fused_clamp = op->clamp;
  const std::vector<std::vector<uint32_t>> readers = readers_of(g);
  absorb_clamps(g, readers);
  fold_into_readers(g, readers);
  find_chains(g);
}

}  // namespace et::xnn
