// XNNPACK's events → payload nodes → graph nodes. The payload's debug handle leads to the node it was made for; what
// was folded into it (batch norm, activation, quantisation) has no handle there and is found by the graph's dataflow.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "inspector/ingest/payloads/dataflow_search.h"
#include "inspector/ingest/linker.h"
#include "inspector/ingest/linker_index.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/text_fits.h"
#include "inspector/ingest/payloads/xnnpack/alignment.h"

namespace et::inspector {
namespace {

constexpr double kFusedPayloadNode = 0.9;  // the node's time is inside its neighbour's event
constexpr double kAmbiguous = 0.7;         // another matching of events would be as long
constexpr double kDataflowUp = 0.9, kDataflowDown = 0.8, kPerHop = 0.1, kDataflowLeast = 0.5;
constexpr double kNextSmallerHandle = 0.4;  // docs/xnnpack-events.md: last resort for folded nodes

// Place of a payload node among those of the whole method that have its handle and type.
struct Rank {
  size_t position = 0, count = 0;
};
Rank rank_in_method(const MethodFacts& method, size_t delegate, size_t node) {
  const PayloadNode& wanted = method.delegates[delegate].nodes[node];
  Rank rank;
  std::set<int32_t> seen;
  for (const InstructionFacts& in : method.instructions) {
    if (in.delegate < 0 || !seen.insert(in.delegate).second) continue;
    const auto d = static_cast<size_t>(in.delegate);
    for (size_t n = 0; n < method.delegates[d].nodes.size(); ++n) {
      const PayloadNode& other = method.delegates[d].nodes[n];
      if (other.debug_handle != wanted.debug_handle || other.type != wanted.type) continue;
      if (d == delegate && n == node) rank.position = rank.count;
      ++rank.count;
    }
  }
  return rank;
}

struct Found {
  int32_t node;
  double confidence;
};
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
    const Rank rank = rank_in_method(method, delegate, node);
    if (rank.count == fits.size()) return {{fits[rank.position], 0.9}};
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

/// What the events say of themselves, in the form of a matching. Empty: not all of them do.
std::optional<XnnpackMatch> match_recorded(const DelegateFacts& delegate, const Trace& trace,
                                           const std::vector<int32_t>& events) {
  XnnpackMatch match;
  match.host.assign(delegate.nodes.size(), -1);
  for (size_t e = 0; e < events.size(); ++e) {
    const Op& op = trace.ops[static_cast<size_t>(events[e])];
    if (!op.recorded) return std::nullopt;
    if (op.role == "init" || op.role == "plan" || op.recorded_nodes.empty()) continue;
    // A record of another program is no better than a name of another program.
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

}  // namespace

void Linker::link_xnnpack(Trace& trace, const Block& block, const MethodIndex& index, MethodFacts& method) {
  for (const auto& [instruction, events] : delegate_events(trace, block)) {
    if (static_cast<size_t>(instruction) >= method.instructions.size()) continue;
    const int32_t d = method.instructions[static_cast<size_t>(instruction)].delegate;
    if (d < 0 || method.delegates[static_cast<size_t>(d)].payload_kind != "xnnpack" ||
        !method.delegates[static_cast<size_t>(d)].readable) {
      continue;
    }
    DelegateFacts& delegate = method.delegates[static_cast<size_t>(d)];
    const std::optional<XnnpackMatch> recorded = match_recorded(delegate, trace, events);
    const XnnpackMatch match = recorded ? *recorded : match_xnnpack(delegate, event_names(trace, events));
    const std::string where = context_.inputs.program + ": method " + method.name + ", delegate " + std::to_string(d);
    if (match.alignment.unmatched_b > 0) {
      context_.diagnostics.add("payload-unmatched",
                               where + ": " + std::to_string(match.alignment.unmatched_b) + " of " +
                                   std::to_string(events.size()) + " events fit no node",
                               match.alignment.unmatched_b);
    }
    // Which op stands for a node, and for the clamp behind it.
    std::vector<int32_t> op_of(delegate.nodes.size(), -1), clamp_of(delegate.nodes.size(), -1);
    std::vector<bool> unsure(delegate.nodes.size(), false);
    for (size_t s = 0; s < match.steps.size(); ++s) {
      if (match.alignment.of_a[s] < 0) continue;
      const int32_t o = events[static_cast<size_t>(match.alignment.of_a[s])];
      Op& op = trace.ops[static_cast<size_t>(o)];
      const auto node = static_cast<size_t>(match.steps[s].node);
      op.payload_node = match.steps[s].node;
      ++delegate.nodes[node].events;
      (match.steps[s].clamp ? clamp_of : op_of)[node] = o;
      if (match.steps[s].clamp) op.role = "clamp";
      if (delegate.nodes[node].inserted) op.role = "layout";
      if (match.alignment.ambiguous[s]) {
        unsure[node] = true;
        context_.diagnostics.add("alignment-ambiguous",
                                 where + ", node " + std::to_string(node) + " (" + delegate.nodes[node].type + ")");
      }
    }
    for (size_t n = 0; n < delegate.nodes.size(); ++n) {
      const int32_t host = match.host[n];
      if (host >= 0 && host != static_cast<int32_t>(n)) delegate.nodes[n].fused_into = host;
    }
    if (index.graph == nullptr) continue;

    std::map<int32_t, int32_t> op_of_node;  // graph node → op
    std::map<int32_t, size_t> payload_of_node;
    std::set<int64_t> assigned;
    for (size_t n = 0; n < delegate.nodes.size(); ++n) {
      const int32_t host = match.host[n];
      if (delegate.nodes[n].debug_handle < 0 || host < 0) continue;
      const int32_t o = op_of[static_cast<size_t>(host)];
      if (o < 0) continue;
      const int64_t handle = delegate.nodes[n].debug_handle;
      assigned.insert(handle);
      double factor = unsure[static_cast<size_t>(host)] ? kAmbiguous : 1.0;
      if (host != static_cast<int32_t>(n) && !recorded) factor *= kFusedPayloadNode;
      Op& op = trace.ops[static_cast<size_t>(o)];
      note_handle(op, handle);
      for (const Found& f : nodes_of(*index.graph, index.nodes(handle), method, static_cast<size_t>(d), n)) {
        add_link(op, f.node, Via::PayloadNode, f.confidence * factor);
        if (clamp_of[n] >= 0) {
          Op& clamp = trace.ops[static_cast<size_t>(clamp_of[n])];
          note_handle(clamp, handle);
          add_link(clamp, f.node, Via::PayloadNode, f.confidence * 0.5);
        }
        op_of_node.try_emplace(f.node, o);
        payload_of_node.try_emplace(f.node, n);
      }
    }
    const std::vector<int64_t>* call_handles = record_.handles(block.method, instruction);
    if (call_handles == nullptr) continue;
    std::set<int32_t> inside;
    for (const int64_t h : *call_handles) inside.insert(index.nodes(h).begin(), index.nodes(h).end());
    const DataflowSearch search(*index.graph, inside, op_of_node);
    const std::set<int64_t> unique(call_handles->begin(), call_handles->end());
    for (const int64_t h : unique) {
      if (assigned.contains(h)) continue;
      for (const int32_t n : index.nodes(h)) {
        int hops = 0;
        bool up = true;
        int32_t near = search.nearest(n, up, &hops);
        if (near < 0) near = search.nearest(n, up = false, &hops);
        if (near >= 0) {
          int32_t o = op_of_node.at(near);
          const int32_t clamp = clamp_of[payload_of_node.at(near)];
          if (up && clamp >= 0 && is_clamp_operator(operator_base(index.graph->node(n).qualified_op))) o = clamp;
          Op& op = trace.ops[static_cast<size_t>(o)];
          note_handle(op, h);
          add_link(op, n, Via::Dataflow,
                   std::max(kDataflowLeast, (up ? kDataflowUp : kDataflowDown) - kPerHop * (hops - 1)));
          continue;
        }
        auto smaller = assigned.lower_bound(h);
        if (smaller == assigned.begin()) continue;
        --smaller;
        for (size_t p = 0; p < delegate.nodes.size(); ++p) {
          if (delegate.nodes[p].debug_handle != *smaller || match.host[p] < 0 ||
              op_of[static_cast<size_t>(match.host[p])] < 0)
            continue;
          add_link(trace.ops[static_cast<size_t>(op_of[static_cast<size_t>(match.host[p])])], n, Via::Inferred,
                   kNextSmallerHandle);
          break;
        }
      }
    }
    for (const int32_t o : events) {
      Op& op = trace.ops[static_cast<size_t>(o)];
      if (!op.op_types.empty()) continue;
      std::vector<int32_t> nodes;
      for (const Link& l : op.links) {
        if (l.via != Via::Inferred) nodes.push_back(l.node);
      }
      std::sort(nodes.begin(), nodes.end());
      for (const int32_t n : nodes) op.op_types.push_back(index.graph->node(n).op);
    }
  }
}

// Without a program: the nodes of the call's handles stand in for the payload's. Fusion and inserted operators are not
// known, so the links are inferred.
void Linker::link_xnnpack_by_graph(Trace& trace, const Block& block, const MethodIndex& index) {
  for (const auto& [instruction, events] : delegate_events(trace, block)) {
    const std::vector<int64_t>* handles = record_.handles(block.method, instruction);
    const etrecord::DelegateEntry* entry = record_.delegate(block.method, instruction);
    if (handles == nullptr || entry == nullptr || entry->name != "XnnpackBackend" || !entry->map.empty()) continue;
    std::set<int32_t> inside;
    for (const int64_t h : *handles) inside.insert(index.nodes(h).begin(), index.nodes(h).end());
    if (std::all_of(events.begin(), events.end(),
                    [&](int32_t o) { return trace.ops[static_cast<size_t>(o)].recorded; })) {
      continue;  // link_recorded() knows better
    }
    const std::vector<int32_t> nodes(inside.begin(), inside.end());
    std::vector<std::string_view> operators, stems;
    for (const int32_t n : nodes) operators.push_back(operator_base(index.graph->node(n).qualified_op));
    for (const std::string_view name : event_names(trace, events)) stems.push_back(event_stem(name));
    TextFits fits(operators, stems, stem_fits_operator);
    const Alignment match = align(nodes.size(), events.size(), fits);
    for (size_t n = 0; n < nodes.size(); ++n) {
      if (match.of_a[n] < 0) continue;
      Op& op = trace.ops[static_cast<size_t>(events[static_cast<size_t>(match.of_a[n])])];
      add_link(op, nodes[n], Via::Inferred, match.ambiguous[n] ? 0.4 : 0.6);
    }
  }
}

}  // namespace et::inspector
