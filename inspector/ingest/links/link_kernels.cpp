// Kernels and the calls around them, by the debug handles of their instruction.
#include <algorithm>
#include <iterator>

#include "inspector/ingest/links/linker.h"
#include "inspector/match/operator_name.h"

namespace et::inspector {
namespace {

/// Several nodes stem from one operator of the model. The kernel's name tells which one ran, and of several with that
/// name the order does: instructions are emitted in the graph's order.
void link_one_of(Op& op, const std::vector<int32_t>& nodes, int64_t handle, const MethodIndex& index) {
  const auto kernel = index.kernel_of_instruction.find(op.key.instruction);
  const bool named = kernel != index.kernel_of_instruction.end();
  auto same = [&](int32_t n) {
    return named && same_operator(kernel->second, operator_base(index.graph->node(n).qualified_op));
  };
  std::vector<int32_t> alike;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(alike), same);
  std::vector<int64_t> rivals;
  if (const auto it = index.instructions_of_handle.find(handle); it != index.instructions_of_handle.end()) {
    for (const int64_t i : it->second) {
      const auto k = index.kernel_of_instruction.find(i);
      if (k != index.kernel_of_instruction.end() && named && same_operator(k->second, kernel->second)) {
        rivals.push_back(i);
      }
    }
  }
  const auto rank = static_cast<size_t>(std::find(rivals.begin(), rivals.end(), op.key.instruction) - rivals.begin());
  const bool exact = alike.size() == 1 || (!alike.empty() && alike.size() == rivals.size());
  for (const int32_t n : nodes) {
    double confidence = alike.empty() ? 0.5 : 0.2;
    if (same(n)) {
      confidence = 0.5;
      if (exact) confidence = alike.size() == 1 || alike[rank] == n ? 1.0 : 0.2;
    }
    add_link(op, n, Via::Instruction, confidence);
  }
}

}  // namespace

void link_kernels(LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index) {
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    const bool of_kernel = op.kind == OpKind::Kernel || op.kind == OpKind::OperatorCall;
    const bool value = op.kind == OpKind::Value && !op.key.delegated();
    if ((!of_kernel && !value) || op.key.chain < 0) continue;
    const std::vector<int64_t>* handles = context.record.handles(block.method, op.key.instruction);
    if (handles == nullptr) continue;
    op.handles = *handles;
    op.has_handles = true;
    for (const int64_t h : *handles) {
      const std::vector<int32_t> nodes = index.nodes(h, false);
      for (const int32_t n : nodes) op.op_types.push_back(index.graph->node(n).op);
      if (nodes.size() == 1) {
        add_link(op, nodes[0], Via::Instruction, 1.0);
      } else {
        link_one_of(op, nodes, h, index);
      }
    }
  }
}

}  // namespace et::inspector
