// Bodies of control flow: the exporter throws away the handle maps of sub-emitters. Their kernels are in the program
// in the order of the graph's bodies, so what remains on both sides is matched by name and order.
#include <algorithm>
#include <cstdlib>

#include "inspector/ingest/links/linker.h"
#include "inspector/match/alignment.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/word_list.h"

namespace et::inspector {
namespace {

constexpr double kLoopExpansion = 0.6;
constexpr int64_t kMostInstructionsAway = 4;
constexpr size_t kMostKernelsAway = 16;

/// What the emitter adds to a loop to take the input's slices and to store the outputs'.
bool is_loop_expansion(const Op& op) { return in_word_list("select_copy|et_copy_index", operator_base(op.name)); }

/// The kernel nearest to `k` that a node of a body stands for; -1 when none is near. Kernels are sorted by instruction.
int32_t nearest_in_body(const Trace& trace, const std::vector<int32_t>& kernels,
                        const std::vector<int32_t>& body_node_of, size_t k) {
  auto instruction = [&](size_t i) { return int64_t{trace.ops[static_cast<size_t>(kernels[i])].key.instruction}; };
  int32_t nearest = -1;
  int64_t away = kMostInstructionsAway + 1;
  auto look_at = [&](size_t other) {
    const int64_t distance = std::abs(instruction(other) - instruction(k));
    if (body_node_of[other] >= 0 && distance < away) nearest = body_node_of[other], away = distance;
  };
  for (size_t d = 1; d <= kMostKernelsAway; ++d) {
    if (d <= k) look_at(k - d);
    if (k + d < kernels.size()) look_at(k + d);
  }
  return nearest;
}

/// Kernels of a loop that no node of its body stands for belong to the loop's own node.
void link_loop_expansion(Trace& trace, const MethodIndex& index, const std::vector<int32_t>& kernels,
                         const std::vector<int32_t>& body_node_of) {
  for (size_t k = 0; k < kernels.size(); ++k) {
    Op& op = trace.ops[static_cast<size_t>(kernels[k])];
    if (body_node_of[k] >= 0 || !is_loop_expansion(op)) continue;
    const int32_t nearest = nearest_in_body(trace, kernels, body_node_of, k);
    if (nearest < 0) continue;
    const etrecord::Program& program = *index.graph->program;
    const int32_t loop = program.graphs[static_cast<size_t>(index.graph->node(nearest).graph)].parent_node;
    if (loop >= 0) add_link(op, loop, Via::Inferred, kLoopExpansion);
  }
}

}  // namespace

void link_control_flow(Trace& trace, const Block& block, const MethodIndex& index) {
  std::vector<int32_t> kernels;
  for (const int32_t o : block.ops) {
    const Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind == OpKind::Kernel && op.key.chain >= 0 && op.links.empty() && !op.has_handles) kernels.push_back(o);
  }
  std::stable_sort(kernels.begin(), kernels.end(), [&](int32_t a, int32_t b) {
    return trace.ops[static_cast<size_t>(a)].key.instruction < trace.ops[static_cast<size_t>(b)].key.instruction;
  });
  std::vector<int32_t> nodes;
  for (size_t n = 0; n < index.graph->program->nodes.size(); ++n) {
    const etrecord::Node& node = index.graph->program->nodes[n];
    if (node.graph > 0 && !(node.debug_handle && index.mapped_handles.contains(*node.debug_handle))) {
      nodes.push_back(static_cast<int32_t>(n));
    }
  }
  if (kernels.empty() || nodes.empty()) return;
  const Alignment match = align(kernels.size(), nodes.size(), [&](size_t k, size_t n) {
    return same_operator(operator_base(trace.ops[static_cast<size_t>(kernels[k])].name),
                         operator_base(index.graph->node(nodes[n]).qualified_op));
  });
  std::vector<int32_t> body_node_of(kernels.size(), -1);
  for (size_t k = 0; k < kernels.size(); ++k) {
    if (match.of_a[k] < 0) continue;
    body_node_of[k] = nodes[static_cast<size_t>(match.of_a[k])];
    Op& op = trace.ops[static_cast<size_t>(kernels[k])];
    const double confidence = match.ambiguous[k] ? 0.5 : 0.8;
    add_link(op, nodes[static_cast<size_t>(match.of_a[k])], Via::Inferred, confidence);
    if (op.parent >= 0 && trace.ops[static_cast<size_t>(op.parent)].kind == OpKind::OperatorCall) {
      add_link(trace.ops[static_cast<size_t>(op.parent)], nodes[static_cast<size_t>(match.of_a[k])], Via::Inferred,
               confidence);
    }
  }
  link_loop_expansion(trace, index, kernels, body_node_of);
}

}  // namespace et::inspector
