// XNNPACK's events → payload nodes → graph nodes.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "inspector/ingest/links/link_context.h"
#include "inspector/ingest/payloads/dataflow_search.h"
#include "inspector/ingest/payloads/xnnpack/alignment.h"
#include "inspector/ingest/payloads/xnnpack/lost_handles.h"
#include "inspector/ingest/payloads/xnnpack/payload_siblings.h"
#include "inspector/ingest/payloads/xnnpack/xnnpack_kind.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/xnnpack_kinds.h"

namespace et::inspector {
namespace {

constexpr double kFusedPayloadNode = 0.9;            // the node's time is inside its neighbour's event
constexpr double kAmbiguous = 0.7;                   // another matching of events would be as long
constexpr double kLost = 0.9, kLostAmbiguous = 0.6;  // the payload node has no handle
constexpr double kDataflowUp = 0.9, kDataflowDown = 0.8, kPerHop = 0.1, kDataflowMin = 0.5;
constexpr double kSure = 0.5;               // what an op is said to consist of
constexpr double kNextSmallerHandle = 0.4;  // docs/xnnpack-events.md: last resort for folded nodes

struct Found {
  int32_t node;
  double confidence;
};

/// Nodes of one operator of the model have one call stack: whichever of them it is, the line is known.
bool one_place(const MethodGraph& graph, const std::vector<int32_t>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](int32_t n) { return graph.node(n).stack_trace == graph.node(nodes[0]).stack_trace; });
}

// Graph nodes of a payload node: all of its handle, the type of the payload node tells them apart.
std::vector<Found> nodes_of(const MethodGraph& graph, const std::vector<int32_t>& candidates, const MethodFacts& method,
                            size_t delegate, size_t node) {
  const PayloadNode& payload = method.delegates[delegate].nodes[node];
  if (candidates.size() == 1) return {{candidates[0], 1.0}};
  std::vector<int32_t> fits;
  for (const int32_t n : candidates) {
    if (node_fits_operator(payload.type, operator_base(graph.node(n).qualified_op))) fits.push_back(n);
  }
  std::vector<Found> found;
  if (fits.empty()) {
    for (const int32_t n : candidates)
      found.push_back({n, std::max(0.1, 1.0 / static_cast<double>(candidates.size()))});
    return found;
  }
  if (fits.size() > 1) {
    if (const int32_t own = node_among_siblings(graph, method, fits, delegate, node); own >= 0)
      return {{own, one_place(graph, fits) ? 1.0 : 0.9}};
    for (const int32_t n : fits) found.push_back({n, std::max(0.1, 1.0 / static_cast<double>(fits.size()))});
    return found;
  }
  found.push_back({fits[0], 1.0});
  // The rest of a decomposition (linear → permute + addmm) went into the same payload node.
  if (candidates.size() <= 4) {
    for (const int32_t n : candidates) {
      if (n != fits[0]) found.push_back({n, 0.6});
    }
  }
  return found;
}

/// The matching that the events carry themselves. Empty: not all of them do.
std::optional<XnnpackMatch> match_recorded(const DelegateCall& call) {
  const DelegateFacts& delegate = call.facts();
  XnnpackMatch match;
  match.host.assign(delegate.nodes.size(), -1);
  for (size_t e = 0; e < call.events.size(); ++e) {
    const Op& op = call.event(e);
    if (!op.recorded) return std::nullopt;
    if (op.role == "init" || op.role == "plan" || op.recorded_nodes.empty()) continue;
    // Node numbers of another program are worth no more than its names.
    const bool fits =
        std::all_of(op.recorded_nodes.begin(), op.recorded_nodes.end(), [&](const format::DelegateNode& n) {
          if (n.index >= delegate.nodes.size()) return false;
          const int64_t handle = n.debug_handle == format::kNoDebugHandle ? -1 : int64_t{n.debug_handle};
          return delegate.nodes[n.index].debug_handle == handle;
        });
    if (!fits) {
      ++match.alignment.unmatched_b;
      continue;
    }
    const auto first = static_cast<int32_t>(op.recorded_nodes[0].index);
    match.steps.push_back({first, false});
    match.alignment.of_a.push_back(static_cast<int32_t>(e));
    match.alignment.ambiguous.push_back(false);
    for (const format::DelegateNode& n : op.recorded_nodes) match.host[n.index] = first;
  }
  return match;
}

/// One call: which op each payload node runs in, then which graph nodes that op has.
struct XnnpackCall {
  DelegateCall& call;
  XnnpackMatch match = {};
  std::vector<int32_t> op_of = {}, clamp_of = {};  // by payload node: its op, and the op of the clamp after it
  std::vector<bool> unsure = {};                   // by payload node: the matching could be another one
  std::map<int32_t, int32_t> op_of_node = {};      // graph node → op
  std::map<int32_t, size_t> payload_of_node = {};  // graph node → payload node
  std::set<int64_t> assigned = {};                 // handles that have their op
};

void assign_payload_nodes(XnnpackCall& x) {
  DelegateCall& call = x.call;
  DelegateFacts& delegate = call.facts();
  const std::string where = call.context.import.inputs.program + ": method " + call.method->name + ", delegate " +
                            std::to_string(call.delegate);
  Diagnostics& diagnostics = call.context.import.diagnostics;
  if (x.match.alignment.unmatched_b > 0) {
    diagnostics.add("payload-unmatched",
                    where + ": " + std::to_string(x.match.alignment.unmatched_b) + " of " +
                        std::to_string(call.events.size()) + " events fit no node",
                    x.match.alignment.unmatched_b);
  }
  x.op_of.assign(delegate.nodes.size(), -1);
  x.clamp_of.assign(delegate.nodes.size(), -1);
  x.unsure.assign(delegate.nodes.size(), false);
  for (size_t s = 0; s < x.match.steps.size(); ++s) {
    if (x.match.alignment.of_a[s] < 0) continue;
    const int32_t o = call.events[static_cast<size_t>(x.match.alignment.of_a[s])];
    Op& op = call.op(o);
    const auto node = static_cast<size_t>(x.match.steps[s].node);
    op.payload_node = x.match.steps[s].node;
    ++delegate.nodes[node].events;
    (x.match.steps[s].clamp ? x.clamp_of : x.op_of)[node] = o;
    if (event_stem(op.name) != kTableEvent) op.converts = delegate.nodes[node].converts;
    if (x.match.steps[s].clamp) op.role = "clamp";
    if (delegate.nodes[node].inserted && is_layout_node(delegate.nodes[node].type)) op.role = "layout";
    if (x.match.alignment.ambiguous[s]) {
      x.unsure[node] = true;
      diagnostics.add("alignment-ambiguous",
                      where + ", node " + std::to_string(node) + " (" + delegate.nodes[node].type + ")");
    }
  }
  for (size_t n = 0; n < delegate.nodes.size(); ++n) {
    const int32_t host = x.match.host[n];
    if (host >= 0 && host != static_cast<int32_t>(n)) delegate.nodes[n].fused_into = host;
  }
}

/// A concatenation of more than five values became a chain of them, of which one has the graph's node.
void share_along_concatenations(const DelegateFacts& delegate, std::vector<std::vector<Found>>* found) {
  std::map<int64_t, size_t> maker;  // of each value that a concatenation makes
  std::vector<std::pair<size_t, size_t>> chained;
  for (size_t n = 0; n < delegate.nodes.size(); ++n) {
    const PayloadNode& node = delegate.nodes[n];
    if (!is_concatenation(node.type)) continue;
    for (const int64_t v : node.inputs) {
      if (const auto m = maker.find(v); m != maker.end()) chained.emplace_back(m->second, n);
    }
    for (const int64_t v : node.outputs) maker.emplace(v, n);
  }
  auto share = [&](size_t from, size_t to) {
    if ((*found)[to].empty() && delegate.nodes[to].debug_handle < 0) (*found)[to] = (*found)[from];
  };
  for (const auto& [first, second] : chained) share(first, second);
  for (auto it = chained.rbegin(); it != chained.rend(); ++it) share(it->second, it->first);
}

/// By payload node: what it became of, with the confidence of the pair alone.
std::vector<std::vector<Found>> graph_nodes(const DelegateCall& call) {
  const DelegateFacts& delegate = call.facts();
  const MethodGraph& graph = *call.index.graph;
  std::vector<std::vector<Found>> found(delegate.nodes.size());
  std::vector<std::vector<int32_t>> of_kind(delegate.nodes.size());
  for (size_t n = 0; n < delegate.nodes.size(); ++n) {
    const int64_t handle = delegate.nodes[n].debug_handle;
    if (handle < 0) continue;
    found[n] = nodes_of(graph, call.index.nodes(handle), *call.method, call.delegate, n);
    for (const Found& f : found[n]) {
      const bool fits = node_fits_operator(delegate.nodes[n].type, operator_base(graph.node(f.node).qualified_op));
      if (fits || found[n].size() == 1) of_kind[n].push_back(f.node);
    }
  }
  if (call.handles() == nullptr) return found;
  const std::vector<LostNode> lost = find_lost_nodes(graph, delegate.nodes, nodes_inside(call), of_kind);
  for (size_t n = 0; n < delegate.nodes.size(); ++n) {
    if (found[n].empty() && lost[n].node >= 0) {
      found[n] = {{lost[n].node, lost[n].ambiguous ? kLostAmbiguous : kLost}};
    }
  }
  share_along_concatenations(delegate, &found);
  return found;
}

/// Payload nodes to the graph nodes that they stand for.
void link_payload_nodes(XnnpackCall& x) {
  DelegateCall& call = x.call;
  const DelegateFacts& delegate = call.facts();
  const std::vector<std::vector<Found>> found = graph_nodes(call);
  for (size_t n = 0; n < delegate.nodes.size(); ++n) {
    const int32_t host = x.match.host[n];
    const int32_t o = host < 0 ? -1 : x.op_of[static_cast<size_t>(host)];
    if (o < 0) continue;
    Op& op = call.op(o);
    if (host == static_cast<int32_t>(n) && !found[n].empty() && op.role == "layout") op.role.clear();
    double factor = x.unsure[static_cast<size_t>(host)] ? kAmbiguous : 1.0;
    if (host != static_cast<int32_t>(n)) factor *= kFusedPayloadNode;
    std::set<int64_t> handles;
    if (delegate.nodes[n].debug_handle >= 0) handles.insert(delegate.nodes[n].debug_handle);
    for (const Found& f : found[n]) {
      if (const auto h = call.index.graph->node(f.node).debug_handle) handles.insert(*h);
      add_link(op, f.node, Via::PayloadNode, f.confidence * factor);
      if (x.clamp_of[n] >= 0) add_link(call.op(x.clamp_of[n]), f.node, Via::PayloadNode, f.confidence * 0.5);
      x.op_of_node.try_emplace(f.node, o);
      x.payload_of_node.try_emplace(f.node, n);
    }
    for (const int64_t h : handles) {
      x.assigned.insert(h);
      note_handle(op, h);
      if (x.clamp_of[n] >= 0) note_handle(call.op(x.clamp_of[n]), h);
    }
  }
}

/// A folded node without a neighbour that has an op: to the op of the next smaller handle.
void link_to_smaller_handle(XnnpackCall& x, int32_t node, int64_t handle) {
  auto smaller = x.assigned.lower_bound(handle);
  if (smaller == x.assigned.begin()) return;
  --smaller;
  const std::vector<PayloadNode>& nodes = x.call.facts().nodes;
  for (size_t p = 0; p < nodes.size(); ++p) {
    const int32_t host = x.match.host[p];
    if (nodes[p].debug_handle != *smaller || host < 0 || x.op_of[static_cast<size_t>(host)] < 0) continue;
    add_link(x.call.op(x.op_of[static_cast<size_t>(host)]), node, Via::Inferred, kNextSmallerHandle);
    return;
  }
}

/// Graph nodes of the call that no payload node names: folded into a neighbour.
void link_folded(XnnpackCall& x) {
  const DelegateCall& call = x.call;
  const MethodIndex& index = call.index;
  const std::vector<int64_t>* call_handles = call.handles();
  if (call_handles == nullptr) return;
  const std::vector<int32_t> nodes = nodes_inside(call);
  const std::set<int32_t> inside(nodes.begin(), nodes.end());
  const DataflowSearch search(*index.graph, inside, x.op_of_node);
  const std::set<int64_t> unique(call_handles->begin(), call_handles->end());
  for (const int64_t h : unique) {
    const bool assigned = x.assigned.contains(h);
    for (const int32_t n : index.nodes(h)) {
      // A folded activation may share its handle with the quantisation behind it, which is a node of its own.
      if (assigned &&
          (x.op_of_node.contains(n) || !is_clamp_operator(operator_base(index.graph->node(n).qualified_op))))
        continue;
      int hops = 0;
      bool up = true;
      int32_t near = search.nearest(n, up, &hops);
      if (near < 0) near = search.nearest(n, up = false, &hops);
      if (near < 0) {
        if (!assigned) link_to_smaller_handle(x, n, h);
        continue;
      }
      int32_t o = x.op_of_node.at(near);
      const int32_t clamp = x.clamp_of[x.payload_of_node.at(near)];
      if (up && clamp >= 0 && is_clamp_operator(operator_base(index.graph->node(n).qualified_op))) o = clamp;
      Op& op = call.op(o);
      note_handle(op, h);
      add_link(op, n, Via::Dataflow, std::max(kDataflowMin, (up ? kDataflowUp : kDataflowDown) - kPerHop * (hops - 1)));
    }
  }
}

void fill_op_types(const DelegateCall& call) {
  for (const int32_t o : call.events) {
    Op& op = call.op(o);
    if (!op.op_types.empty()) continue;
    std::vector<int32_t> nodes;
    for (const Link& l : op.links) {
      if (l.via != Via::Inferred && l.confidence >= kSure) nodes.push_back(l.node);
    }
    std::sort(nodes.begin(), nodes.end());
    for (const int32_t n : nodes) op.op_types.push_back(call.index.graph->node(n).op);
  }
}

}  // namespace

void link_xnnpack_events(DelegateCall& call) {
  XnnpackCall x{call};
  if (std::optional<XnnpackMatch> recorded = match_recorded(call)) {
    x.match = std::move(*recorded);
  } else {
    x.match = match_xnnpack(call.facts(), event_names(call.trace, call.events));
  }
  assign_payload_nodes(x);
  if (call.index.graph == nullptr) return;
  link_payload_nodes(x);
  link_folded(x);
  if (call.handles() != nullptr) fill_op_types(call);
}

int64_t unmatched_xnnpack_events(const DelegateFacts& delegate, const std::vector<std::string_view>& events) {
  const XnnpackMatch match = match_xnnpack(delegate, events);
  // A payload of other nodes leaves nodes without event; fused ones do too, so they count less.
  return static_cast<int64_t>(match.alignment.unmatched_b + match.unexplained_nodes);
}

}  // namespace et::inspector
