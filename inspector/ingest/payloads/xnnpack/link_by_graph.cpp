// XNNPACK's events → graph nodes without the program: which nodes of the call run as an operator of their own is told
// from the graph, and those are matched with the events by kind and order.
#include <algorithm>
#include <map>
#include <vector>

#include "inspector/ingest/links/link_context.h"
#include "inspector/ingest/payloads/xnnpack/lost_handles.h"
#include "inspector/ingest/payloads/xnnpack/xnnpack_kind.h"
#include "inspector/match/alignment.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/word_list.h"
#include "inspector/match/xnnpack_kinds.h"

namespace et::inspector {
namespace {

constexpr double kByGraph = 0.9;           // every event but layout has one node that it can be
constexpr double kByGraphPartly = 0.6;     // some events are left over, so the order may be another one
constexpr double kByGraphAmbiguous = 0.4;  // other nodes would do as well

// How likely a node of the graph runs as an operator of its own.
enum Weight : uint8_t { kNever = 0, kPerhaps = 1, kUsually = 4, kAlways = 16 };

bool is_gemm(std::string_view op) {
  return node_fits_operator("Conv2d", op) || node_fits_operator("FullyConnected", op) ||
         node_fits_operator("ConvTranspose2d", op);
}

/// A step of what XNNPACK is expected to run.
struct Step {
  int32_t node = 0;
  std::string_view op;
  Weight weight = kNever;
};

Step step_of(const MethodGraph& graph, int32_t node) {
  Step step{node, operator_base(graph.node(node).qualified_op), kAlways};
  if (is_constant(graph, node)) {
    step.weight = kNever;
    return step;
  }
  const std::vector<int32_t> producers = graph.walk->producers_of(node);
  const bool behind_gemm = !producers.empty() && is_gemm(operator_base(graph.node(producers[0]).qualified_op)) &&
                           graph.walk->consumers_of(producers[0]).size() == 1;
  if (is_batch_norm_operator(step.op)) {
    step.weight = behind_gemm ? kNever : kAlways;
  } else if (is_clamp_operator(step.op)) {
    step.weight = behind_gemm ? kPerhaps : kUsually;
  } else if (node_fits_operator("Convert", step.op) || node_fits_operator("Copy", step.op) ||
             node_fits_operator("StaticConstantPad", step.op)) {
    step.weight = kPerhaps;
  } else if (is_layout_operator(step.op)) {
    step.weight = kUsually;
  }
  return step;
}

/// The nodes of the call in the order in which they were lowered: that of the call's list of handles, which has a
/// handle once for each of its nodes. Where it has fewer, some ran elsewhere: then all stand where the first one does.
std::vector<int32_t> nodes_as_lowered(const DelegateCall& call) {
  std::vector<int32_t> order;
  std::map<int64_t, size_t> listed, used;
  for (const int64_t h : *call.handles()) ++listed[h];
  for (const int64_t h : *call.handles()) {
    const std::vector<int32_t>& nodes = call.index.nodes(h);
    size_t& at = used[h];
    const size_t until = listed[h] < nodes.size() ? nodes.size() : std::min(at + 1, nodes.size());
    for (; at < until; ++at) order.push_back(nodes[at]);
  }
  return order;
}

bool may_run_as(const Step& step, std::string_view stem) {
  return stem_fits_operator(step.op, stem) || (stem == "Convolution" && is_batch_norm_operator(step.op));
}

}  // namespace

void link_xnnpack_by_graph(DelegateCall& call) {
  if (call.handles() == nullptr) return;
  // link_recorded() does better with events that name their nodes.
  if (std::all_of(call.events.begin(), call.events.end(), [&](int32_t o) { return call.op(o).recorded; })) return;
  const MethodIndex& index = call.index;
  std::vector<Step> steps;
  for (const int32_t n : nodes_as_lowered(call)) {
    const Step step = step_of(*index.graph, n);
    if (step.weight != kNever) steps.push_back(step);
  }
  std::vector<std::string_view> stems;
  for (const std::string_view name : event_names(call.trace, call.events)) stems.push_back(event_stem(name));
  const Alignment match = align(steps.size(), call.events.size(), [&](size_t s, size_t e) -> uint8_t {
    return may_run_as(steps[s], stems[e]) ? steps[s].weight : 0;
  });
  bool whole = true;
  for (size_t s = 0; s < steps.size(); ++s) whole &= match.of_a[s] >= 0 || steps[s].weight != kAlways;
  for (size_t e = 0; e < stems.size(); ++e) whole &= match.of_b[e] >= 0 || stem_fits_layout(stems[e]);
  for (size_t e = 0; whole && e < stems.size(); ++e) {
    if (match.of_b[e] < 0) call.event(e).role = "layout";
  }
  for (size_t s = 0; s < steps.size(); ++s) {
    if (match.of_a[s] < 0) continue;
    const double confidence = match.ambiguous[s] ? kByGraphAmbiguous : whole ? kByGraph : kByGraphPartly;
    add_link(call.event(static_cast<size_t>(match.of_a[s])), steps[s].node, Via::Inferred, confidence);
  }
}

}  // namespace et::inspector
