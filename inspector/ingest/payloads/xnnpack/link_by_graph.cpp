// XNNPACK's events → graph nodes without the program: which nodes of the call run as an operator of their own is told
// from the graph, and those are matched with the events by kind and order.
#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <unordered_map>
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
constexpr double kByGraphPartly = 0.8;     // some events are left over, so the order may be another one
constexpr double kByGraphAmbiguous = 0.7;  // other nodes would do as well

// How likely a node of the graph runs as an operator of its own.
enum Weight : uint8_t { kNever = 0, kPerhaps = 1, kUsually = 4, kAlways = 16, kAnchor = 64 };

bool is_gemm(std::string_view op) {
  return node_fits_operator("Conv2d", op) || node_fits_operator("FullyConnected", op) ||
         node_fits_operator("ConvTranspose2d", op);
}

bool shares_handle_with_linear(const MethodGraph& graph, const std::set<int32_t>& inside, int32_t node) {
  const auto handle = graph.node(node).debug_handle;
  if (!handle) return false;
  const std::vector<int32_t>& same = graph.walk->nodes_of_handle(*handle);
  return std::any_of(same.begin(), same.end(), [&](int32_t n) {
    return inside.contains(n) && node_fits_operator("FullyConnected", operator_base(graph.node(n).qualified_op));
  });
}

/// A step of what XNNPACK is expected to run.
struct Step {
  int32_t node = 0;
  std::string_view op;
  Weight weight = kNever;
};

/// `inside`: the nodes that surely are in the call.
Step step_of(const MethodGraph& graph, const std::set<int32_t>& inside, int32_t node) {
  Step step{node, operator_base(graph.node(node).qualified_op), inside.contains(node) ? kAlways : kUsually};
  if (graph.is_constant(node)) {
    // A weight's layout is changed ahead of time where the operator that reads it is lowered with it.
    const std::vector<int32_t> users = graph.walk->consumers_of(node);
    const bool folded = std::all_of(users.begin(), users.end(), [&](int32_t u) { return inside.contains(u); });
    step.weight = folded ? kNever : kUsually;
    return step;
  }
  const std::vector<int32_t> producers = graph.walk->producers_of(node);
  const bool behind_gemm = !producers.empty() && inside.contains(producers[0]) &&
                           is_gemm(operator_base(graph.node(producers[0]).qualified_op)) &&
                           graph.walk->consumers_of(producers[0]).size() == 1;
  if (is_batch_norm_operator(step.op)) {
    step.weight = behind_gemm ? kNever : kAlways;
  } else if (is_clamp_operator(step.op)) {
    step.weight = behind_gemm ? kPerhaps : kUsually;
  } else if (node_fits_operator("Convert", step.op) || node_fits_operator("Copy", step.op) ||
             node_fits_operator("StaticConstantPad", step.op)) {
    step.weight = kPerhaps;
  } else if (is_layout_operator(step.op)) {
    // A linear layer of more than two dimensions is flattened, multiplied and shaped again, all inside of one node.
    step.weight = shares_handle_with_linear(graph, inside, node) ? kPerhaps : kUsually;
  }
  return step;
}

/// An event as it is told from its name, or by the debug handles that it carries.
struct Event {
  std::string_view stem;
  std::set<int64_t> handles;
};

Event event_of(const Op& op) {
  Event event{event_stem(op.name), {}};
  for (const format::DelegateNode& n : op.recorded_nodes) {
    if (n.debug_handle != format::kNoDebugHandle) event.handles.insert(n.debug_handle);
  }
  return event;
}

/// Which operators run as which kinds of events, asked once for each pair: an alignment asks for all steps and events.
class KindFits {
 public:
  KindFits(const std::vector<Step>& steps, const std::vector<Event>& events) {
    std::unordered_map<std::string_view, size_t> ops, stems;
    for (const Step& s : steps) op_of_.push_back(ops.try_emplace(s.op, ops.size()).first->second);
    for (const Event& e : events) stem_of_.push_back(stems.try_emplace(e.stem, stems.size()).first->second);
    stems_ = stems.size();
    fits_.resize(ops.size() * stems_);
    for (const auto& [op, o] : ops) {
      for (const auto& [stem, s] : stems)
        fits_[o * stems_ + s] = stem_fits_operator(op, stem) || (stem == "Convolution" && is_batch_norm_operator(op));
    }
  }
  bool of(size_t step, size_t event) const { return fits_[op_of_[step] * stems_ + stem_of_[event]]; }

 private:
  std::vector<size_t> op_of_, stem_of_;
  size_t stems_ = 0;
  std::vector<bool> fits_;
};

uint8_t may_run_as(const MethodGraph& graph, const Step& step, const Event& event, bool kind_fits) {
  if (event.handles.empty()) return kind_fits ? step.weight : 0;
  const auto handle = graph.node(step.node).debug_handle;
  return handle && event.handles.contains(*handle) ? kAnchor : 0;
}

struct GraphMatch {
  std::vector<Step> steps;
  std::vector<Event> events;
  Alignment alignment;    // a = steps, b = events
  int64_t unmatched = 0;  // events that are no layout change, and steps that should have an event
};

GraphMatch match_by_graph(const MethodGraph& graph, const std::vector<int64_t>& handles,
                          const std::vector<const Op*>& ops) {
  GraphMatch m;
  const std::vector<InsideNode> nodes = nodes_inside(graph, handles);
  std::set<int32_t> inside;
  for (const InsideNode& n : nodes) {
    if (n.sure) inside.insert(n.node);
  }
  for (const InsideNode& n : nodes) {
    const Step step = step_of(graph, inside, n.node);
    if (step.weight != kNever) m.steps.push_back(step);
  }
  for (const Op* op : ops) m.events.push_back(event_of(*op));
  const KindFits fits(m.steps, m.events);
  m.alignment = align(m.steps.size(), m.events.size(),
                      [&](size_t s, size_t e) { return may_run_as(graph, m.steps[s], m.events[e], fits.of(s, e)); });
  for (size_t s = 0; s < m.steps.size(); ++s) {
    if (m.alignment.of_a[s] < 0 && m.steps[s].weight == kAlways) ++m.unmatched;
  }
  for (size_t e = 0; e < m.events.size(); ++e) {
    if (m.alignment.of_b[e] < 0 && !stem_fits_layout(m.events[e].stem)) ++m.unmatched;
  }
  return m;
}

bool is_run(const Op& op) { return op.role != "init" && op.role != "plan"; }

}  // namespace

void link_xnnpack_by_graph(DelegateCall& call) {
  if (call.handles() == nullptr) return;
  std::vector<Op*> ops;
  for (const int32_t o : call.events) {
    if (is_run(call.op(o))) ops.push_back(&call.op(o));
  }
  const GraphMatch m = match_by_graph(*call.index.graph, *call.handles(), {ops.begin(), ops.end()});
  for (size_t e = 0; e < ops.size(); ++e) {
    if (m.unmatched == 0 && m.alignment.of_b[e] < 0 && m.events[e].handles.empty()) ops[e]->role = "layout";
  }
  for (size_t s = 0; s < m.steps.size(); ++s) {
    if (m.alignment.of_a[s] < 0) continue;
    const auto e = static_cast<size_t>(m.alignment.of_a[s]);
    if (!m.events[e].handles.empty()) continue;  // link_recorded() does better
    const double confidence = m.alignment.ambiguous[s] ? kByGraphAmbiguous
                              : m.unmatched == 0       ? kByGraph
                                                       : kByGraphPartly;
    add_link(*ops[e], m.steps[s].node, Via::Inferred, confidence);
  }
}

int64_t unmatched_xnnpack_by_graph(const MethodGraph& graph, const std::vector<int64_t>& handles,
                                   const std::vector<const Op*>& events) {
  std::vector<const Op*> run;
  std::copy_if(events.begin(), events.end(), std::back_inserter(run), [](const Op* op) { return is_run(*op); });
  return match_by_graph(graph, handles, run).unmatched;
}

}  // namespace et::inspector
