#include "inspector/ingest/payloads/xnnpack/lost_handles.h"

#include <algorithm>
#include <string>

#include "inspector/ingest/payloads/xnnpack/tensor_sizes.h"
#include "inspector/match/alignment.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/xnnpack_kinds.h"

namespace et::inspector {
namespace {

// 0: not the same tensor. 2: the same sizes in whatever order (NHWC). 1: nothing speaks against it: as many elements
// (a linear's leading dimensions are flattened in the graph), or dimensions that vary.
uint8_t same_tensor(const TensorSizes& payload, const TensorSizes& graph) {
  if (!payload.known || !graph.known) return 1;
  if (graph.varies) {
    return std::includes(payload.fixed.begin(), payload.fixed.end(), graph.fixed.begin(), graph.fixed.end()) ? 1 : 0;
  }
  if (payload.fixed == graph.fixed) return 2;
  return payload.count() == graph.count() ? 1 : 0;
}

/// Is there a node without a handle and one of the graph that nobody took, of kinds that go together? Mostly not: what
/// has no handle is layout, and aligning a large delegate costs time.
bool any_pair(const MethodGraph& graph, const std::vector<PayloadNode>& payload, const std::vector<int32_t>& inside,
              const std::vector<std::vector<int32_t>>& nodes_of_handle, const std::set<int32_t>& taken) {
  std::set<std::string_view> types, operators;
  for (size_t p = 0; p < payload.size(); ++p) {
    if (nodes_of_handle[p].empty()) types.insert(payload[p].type);
  }
  for (const int32_t n : inside) {
    if (!taken.contains(n) && !graph.is_constant(n)) operators.insert(operator_base(graph.node(n).qualified_op));
  }
  return std::any_of(types.begin(), types.end(), [&](std::string_view type) {
    return std::any_of(operators.begin(), operators.end(),
                       [&](std::string_view op) { return is_composite_node(type) || node_stems_from(type, op); });
  });
}

}  // namespace

std::vector<LostNode> find_lost_nodes(const MethodGraph& graph, const std::vector<PayloadNode>& payload,
                                      const std::vector<int32_t>& inside,
                                      const std::vector<std::vector<int32_t>>& nodes_of_handle) {
  constexpr uint8_t kAnchor = 16, kKind = 4, kComposite = 1, kOtherWay = 1;
  std::vector<LostNode> out(payload.size());
  std::set<int32_t> taken;
  for (const std::vector<int32_t>& nodes : nodes_of_handle) taken.insert(nodes.begin(), nodes.end());
  if (!any_pair(graph, payload, inside, nodes_of_handle, taken)) return out;

  std::vector<TensorSizes> payload_sizes, graph_sizes;
  for (const PayloadNode& n : payload) payload_sizes.push_back(n.sizes.empty() ? TensorSizes{} : tensor_sizes(n.sizes));
  std::vector<std::string_view> operators;
  std::vector<bool> constant;
  for (const int32_t n : inside) {
    graph_sizes.push_back(tensor_sizes(graph, n));
    operators.push_back(operator_base(graph.node(n).qualified_op));
    constant.push_back(graph.is_constant(n));
  }
  const Alignment match = align(payload.size(), inside.size(), [&](size_t p, size_t g) -> uint8_t {
    const std::vector<int32_t>& own = nodes_of_handle[p];
    if (!own.empty()) return std::find(own.begin(), own.end(), inside[g]) != own.end() ? kAnchor : 0;
    if (taken.contains(inside[g]) || constant[g]) return 0;
    const uint8_t same = same_tensor(payload_sizes[p], graph_sizes[g]);
    if (same == 0) return 0;
    if (node_stems_from(payload[p].type, operators[g])) {
      const bool other_way =
          payload[p].converts != Conversion::None && !goes_the_way(payload[p].converts, operators[g]);
      return other_way ? kOtherWay : kKind + same;
    }
    return is_composite_node(payload[p].type) && same == 2 ? kComposite : 0;
  });
  for (size_t p = 0; p < payload.size(); ++p) {
    if (!nodes_of_handle[p].empty() || match.of_a[p] < 0) continue;
    out[p] = {inside[static_cast<size_t>(match.of_a[p])], match.ambiguous[p]};
  }
  return out;
}

}  // namespace et::inspector
