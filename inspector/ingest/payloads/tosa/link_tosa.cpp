// TOSA operators → graph nodes. The payload has no debug handles, and the operators' names are renumbered by each
// pass of the lowering ("aten_convolution_default_1" may have been the graph's first convolution): they say nothing.
// What does:
//   1. the location of an operator, where the export kept it: exact;
//   2. constants, which keep the names of the graph's inputs: their reader is the node that reads the input: exact;
//   3. the order of operators, against what each node is lowered to, where producers and consumers agree: data flow;
//   4. neighbours: scalings, casts and layout changes belong to what they prepare or finish: data flow.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "inspector/ingest/method_graph.h"
#include "inspector/ingest/payloads/dataflow_search.h"
#include "inspector/ingest/payloads/tosa/tosa_kind.h"
#include "inspector/ingest/program_facts.h"
#include "inspector/match/alignment.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/tosa_sequences.h"

namespace et::inspector {
namespace {

constexpr double kTosaExact = 1.0;
constexpr double kSequence = 0.9, kFreeSequence = 0.7;  // forced by the order, or one of several that are as good
constexpr double kAgainstDataflow = 0.4;                // the order says so, producers do not
constexpr double kPerNeighbour = 0.1, kFolded = 0.2, kMinConfidence = 0.3;
constexpr size_t kMaxVisits = 4096;  // of one question for an ancestor

bool is_constant(const PayloadNode& n) { return n.type == "CONST" || n.type == "CONST_SHAPE"; }
/// Operators that lowering puts anywhere.
bool is_scaling(const PayloadNode& n) { return n.type == "RESCALE" || n.type == "CAST" || n.type == "IDENTITY"; }
bool is_layout(std::string_view type) { return type == "RESHAPE" || type == "TRANSPOSE"; }
bool is_quantisation(std::string_view base) { return base.starts_with("quantize_") || base.starts_with("dequantize_"); }

int bits_of(std::string_view dtype) {
  int bits = 0;
  for (const char c : dtype) {
    if (c >= '0' && c <= '9') bits = bits * 10 + (c - '0');
  }
  return bits;
}

class TosaLinks {
 public:
  TosaLinks(const MethodGraph& graph, const std::vector<int64_t>& handles, DelegateFacts* delegate)
      : graph_(graph), d_(*delegate), node_of_(d_.nodes.size(), -1) {
    for (const int64_t h : handles) {
      const std::vector<int32_t>& nodes = graph.walk->nodes_of_handle(h);
      inside_.insert(nodes.begin(), nodes.end());
    }
    // The scalings to and from float around the delegate share a handle with what is inside.
    std::erase_if(inside_, [&](int32_t n) {
      const auto with_neighbour = [&](const std::vector<int32_t>& around) {
        return std::any_of(around.begin(), around.end(), [&](int32_t m) { return inside_.contains(m); });
      };
      return (base(n).starts_with("quantize_") && !with_neighbour(graph_.walk->producers_of(n))) ||
             (base(n).starts_with("dequantize_") && !with_neighbour(graph_.walk->consumers_of(n)));
    });
    producer_.assign(d_.values.size(), -1);
    readers_.resize(d_.values.size());
    for (size_t o = 0; o < d_.nodes.size(); ++o) {
      for (const int64_t v : d_.nodes[o].outputs) producer_[static_cast<size_t>(v)] = static_cast<int32_t>(o);
      if (is_constant(d_.nodes[o])) continue;
      for (const int64_t v : d_.nodes[o].inputs) readers_[static_cast<size_t>(v)].push_back(static_cast<int32_t>(o));
    }
  }

  void run() {
    if (inside_.empty()) return;
    for (size_t o = 0; o < d_.nodes.size(); ++o) {
      if (!is_constant(d_.nodes[o])) by_location(o);
    }
    for (size_t o = 0; o < d_.nodes.size(); ++o) {
      if (!is_constant(d_.nodes[o]) && !is_scaling(d_.nodes[o]) && node_of_[o] < 0) by_constant(o);
    }
    // Passes move layout changes over other operators: those are told by what the others have become.
    by_sequence(false);
    by_sequence(true);
    by_neighbours();
    add_folded();
    for (PayloadNode& n : d_.nodes) {
      if (n.links.empty()) continue;
      std::stable_sort(n.links.begin(), n.links.end(),
                       [](const Link& a, const Link& b) { return a.confidence > b.confidence; });
      n.debug_handle = graph_.node(n.links[0].node).debug_handle.value_or(-1);
      n.label += n.links[0].via == Via::PayloadNode ? ""
                 : n.links[0].via == Via::Dataflow  ? ", node by data flow"
                                                    : ", node by order only";
    }
  }

 private:
  std::string_view base(int32_t node) const { return operator_base(graph_.node(node).qualified_op); }

  void link(size_t op, int32_t node, Via via, double confidence) {
    std::vector<Link>& links = d_.nodes[op].links;
    if (std::any_of(links.begin(), links.end(), [&](const Link& l) { return l.node == node; })) return;
    links.push_back({node, via, confidence, 0});
    if (node_of_[op] < 0) node_of_[op] = node;
  }

  bool quantised(int32_t node) const {
    const auto around = [&](const std::vector<int32_t>& nodes) {
      return std::any_of(nodes.begin(), nodes.end(), [&](int32_t n) { return is_quantisation(base(n)); });
    };
    return around(graph_.walk->producers_of(node)) || around(graph_.walk->consumers_of(node));
  }

  /// A batch norm behind a convolution is multiplied into its weights.
  bool folds_into_convolution(int32_t node) const {
    if (base(node).find("batch_norm") == std::string_view::npos) return false;
    const std::vector<int32_t> before = graph_.walk->producers_of(node);
    return std::any_of(before.begin(), before.end(), [&](int32_t n) { return base(n) == "convolution"; });
  }

  std::vector<std::string_view> steps_of(int32_t node) const {
    std::vector<std::string_view> out;
    const TosaSequence* s = tosa_sequence(base(node));
    if (s == nullptr || folds_into_convolution(node)) return out;
    if (!s->integer_steps[0].empty() && quantised(node)) {
      for (const std::string_view step : s->integer_steps) {
        if (!step.empty()) out.push_back(step);
      }
      return out;
    }
    for (const std::string_view step : s->steps) {
      if (!step.empty()) out.push_back(step);
    }
    return out;
  }

  bool fits(int32_t node, std::string_view type) const {
    const std::vector<std::string_view> steps = steps_of(node);
    return std::any_of(steps.begin(), steps.end(), [&](std::string_view s) { return tosa_step_has(s, type); });
  }

  void by_location(size_t op) {
    TosaOrigin origin;
    if (!tosa_origin(d_.nodes[op].location, &origin)) return;
    const auto& found = origins()[{origin.graph_id, origin.name}];
    // Several nodes of one origin: a decomposition. The type tells which, the rest is what it does that for.
    for (const bool best : {true, false}) {
      for (const int32_t n : found) {
        if (fits(n, d_.nodes[op].type) == best)
          link(op, n, Via::PayloadNode, best || found.size() == 1 ? kTosaExact : 0.9);
      }
    }
  }

  std::map<std::pair<int64_t, std::string>, std::vector<int32_t>>& origins() {
    if (!origins_known_) {
      for (const int32_t n : inside_) {
        for (const etrecord::FromNode& f : graph_.node(n).from) {
          auto& nodes = origins_[{f.graph_id, f.name}];
          if (std::find(nodes.begin(), nodes.end(), n) == nodes.end()) nodes.push_back(n);
        }
      }
      origins_known_ = true;
    }
    return origins_;
  }

  /// Nodes inside that read an input of the graph, through quantisation.
  std::set<int32_t> readers_of_input(const std::string& name) const {
    std::set<int32_t> out, seen;
    const std::vector<int32_t>& first = graph_.walk->consumers(0, name);
    std::vector<int32_t> open(first.begin(), first.end());
    while (!open.empty()) {
      const int32_t n = open.back();
      open.pop_back();
      if (!inside_.contains(n) || !seen.insert(n).second) continue;
      if (!is_quantisation(base(n))) {
        out.insert(n);
        continue;
      }
      const std::vector<int32_t> next = graph_.walk->consumers_of(n);
      open.insert(open.end(), next.begin(), next.end());
    }
    return out;
  }

  void by_constant(size_t op) {
    constexpr std::string_view kFusedNorm = "_fused_bn";  // a batch norm was multiplied into it
    for (const int64_t v : d_.nodes[op].inputs) {
      const int32_t made_by = producer_[static_cast<size_t>(v)];
      if (made_by < 0 || !is_constant(d_.nodes[static_cast<size_t>(made_by)])) continue;
      std::string name = d_.values[static_cast<size_t>(v)].name;
      std::set<int32_t> nodes = readers_of_input(name);
      if (nodes.empty() && name.ends_with(kFusedNorm)) {
        name.resize(name.size() - kFusedNorm.size());
        nodes = readers_of_input(name);
        // A bias that only the batch norm brought is called after the weight.
        if (nodes.empty() && name.ends_with("bias"))
          nodes = readers_of_input(name.replace(name.size() - 4, 4, "weight"));
      }
      std::erase_if(nodes, [&](int32_t n) { return !fits(n, d_.nodes[op].type); });
      if (nodes.size() == 1) return link(op, *nodes.begin(), Via::PayloadNode, kTosaExact);
    }
  }

  void by_sequence(bool layouts) {
    struct Expected {
      int32_t node;
      std::string_view step;
    };
    std::vector<Expected> expected;
    for (const int32_t n : inside_) {
      for (const std::string_view step : steps_of(n)) {
        if (layouts || !is_layout(step)) expected.push_back({n, step});
      }
    }
    std::vector<size_t> ops;
    for (size_t o = 0; o < d_.nodes.size(); ++o) {
      const PayloadNode& n = d_.nodes[o];
      if (!is_constant(n) && !is_scaling(n) && (layouts || !is_layout(n.type))) ops.push_back(o);
    }
    const Alignment match = align(expected.size(), ops.size(), [&](size_t e, size_t o) {
      const int32_t known = node_of_[ops[o]];
      return tosa_step_has(expected[e].step, d_.nodes[ops[o]].type) && (known < 0 || known == expected[e].node);
    });
    std::vector<size_t> found;
    for (size_t o = 0; o < ops.size(); ++o) {
      if (match.of_b[o] < 0 || node_of_[ops[o]] >= 0) continue;
      node_of_[ops[o]] = expected[static_cast<size_t>(match.of_b[o])].node;
      found.push_back(o);
    }
    std::vector<bool> flows(ops.size());
    for (const size_t o : found) flows[o] = agrees(ops[o], true) && agrees(ops[o], false);
    for (const size_t o : found) {
      const size_t op = ops[o];
      const bool free = match.ambiguous[static_cast<size_t>(match.of_b[o])];
      if (!flows[o] && is_layout(d_.nodes[op].type)) {
        node_of_[op] = -1;
      } else {
        const double confidence = !flows[o] ? kAgainstDataflow : free ? kFreeSequence : kSequence;
        link(op, node_of_[op], flows[o] ? Via::Dataflow : Via::Inferred, confidence);
      }
    }
  }

  /// Does each value that the operator reads come from its own node or from one that its node depends on? Or (`up`
  /// false): is each value that it makes read by its own node or by one that depends on it?
  bool agrees(size_t op, bool up) const {
    std::vector<int32_t> open{static_cast<int32_t>(op)};
    std::set<int32_t> seen;
    const auto look = [&](int32_t o) {
      if (o < 0 || is_constant(d_.nodes[static_cast<size_t>(o)]) || !seen.insert(o).second) return true;
      const int32_t node = node_of_[static_cast<size_t>(o)];
      if (node < 0) {
        open.push_back(o);
        return true;
      }
      return up ? depends(node_of_[op], node) : depends(node, node_of_[op]);
    };
    while (!open.empty() && seen.size() < kMaxVisits) {
      const PayloadNode& at = d_.nodes[static_cast<size_t>(open.back())];
      open.pop_back();
      for (const int64_t v : up ? at.inputs : at.outputs) {
        if (up && !look(producer_[static_cast<size_t>(v)])) return false;
        for (const int32_t r : readers_[static_cast<size_t>(v)]) {
          if (!up && !look(r)) return false;
        }
      }
    }
    return true;
  }

  bool depends(int32_t node, int32_t on) const {
    if (node == on) return true;
    std::vector<int32_t> open{node};
    std::set<int32_t> seen{node};
    while (!open.empty() && seen.size() < kMaxVisits) {
      const int32_t at = open.back();
      open.pop_back();
      for (const int32_t p : graph_.walk->producers_of(at)) {
        if (p == on) return true;
        if (p > on && inside_.contains(p) && seen.insert(p).second) open.push_back(p);
      }
    }
    return false;
  }

  /// Of an operator without its own node: the one that produces its first operand, or one that reads its output.
  int32_t neighbour(size_t op, bool up) const {
    if (up) {
      for (const int64_t v : d_.nodes[op].inputs) {
        const int32_t p = producer_[static_cast<size_t>(v)];
        if (p < 0 || is_constant(d_.nodes[static_cast<size_t>(p)])) continue;
        return node_of_[static_cast<size_t>(p)] >= 0 ? p : -1;
      }
      return -1;
    }
    for (const int64_t v : d_.nodes[op].outputs) {
      for (const int32_t r : readers_[static_cast<size_t>(v)]) {
        if (node_of_[static_cast<size_t>(r)] >= 0) return r;
      }
    }
    return -1;
  }

  /// A scaling to more bits prepares the operator behind it; to fewer bits it finishes the one before.
  bool prepares(const PayloadNode& n) const {
    if (!is_scaling(n) || n.inputs.empty() || n.outputs.empty()) return false;
    const auto bits = [&](int64_t v) { return bits_of(d_.values[static_cast<size_t>(v)].dtype); };
    return bits(n.outputs[0]) > bits(n.inputs[0]);
  }

  void take_from_neighbour(size_t op, bool up) {
    if (node_of_[op] >= 0 || is_constant(d_.nodes[op])) return;
    const int32_t other = neighbour(op, up);
    if (other < 0 || d_.nodes[static_cast<size_t>(other)].links.empty()) return;
    const Link& l = d_.nodes[static_cast<size_t>(other)].links[0];
    link(op, l.node, l.via == Via::Inferred ? Via::Inferred : Via::Dataflow,
         std::max(kMinConfidence, l.confidence - kPerNeighbour));
  }

  void by_neighbours() {
    const size_t n = d_.nodes.size();
    for (size_t o = n; o-- > 0;) {
      if (prepares(d_.nodes[o])) take_from_neighbour(o, false);
    }
    for (size_t o = 0; o < n; ++o) {
      if (!prepares(d_.nodes[o])) take_from_neighbour(o, true);
    }
    for (size_t o = n; o-- > 0;) take_from_neighbour(o, false);
    for (size_t o = 0; o < n; ++o) take_from_neighbour(o, true);
  }

  /// Nodes without an operator (activations, batch norms, quantisation) go with the last one of the node before them,
  /// or with the first one of the node behind them.
  void add_folded() {
    std::map<int32_t, int32_t> first, last;
    for (size_t o = 0; o < d_.nodes.size(); ++o) {
      if (node_of_[o] < 0) continue;
      first.try_emplace(node_of_[o], static_cast<int32_t>(o));
      last[node_of_[o]] = static_cast<int32_t>(o);
    }
    const DataflowSearch search(graph_, inside_, first);
    for (const int32_t n : inside_) {
      if (first.contains(n)) continue;
      int hops = 0;
      const bool prepares = base(n).starts_with("dequantize_");
      int32_t near = search.nearest(n, !prepares, &hops);
      bool up = !prepares;
      if (near < 0) near = search.nearest(n, up = prepares, &hops);
      if (near < 0) continue;
      const auto op = static_cast<size_t>((up ? last : first).at(near));
      const Link& host = d_.nodes[op].links[0];
      link(op, n, host.via == Via::Inferred ? Via::Inferred : Via::Dataflow,
           std::max(kMinConfidence, host.confidence - kFolded - kPerNeighbour * (hops - 1)));
    }
  }

  const MethodGraph& graph_;
  DelegateFacts& d_;
  std::set<int32_t> inside_;
  std::vector<int32_t> node_of_;               // by operator
  std::vector<int32_t> producer_;              // by value: operator, -1 an input
  std::vector<std::vector<int32_t>> readers_;  // by value: operators
  bool origins_known_ = false;
  std::map<std::pair<int64_t, std::string>, std::vector<int32_t>> origins_;
};

}  // namespace

void link_tosa_nodes(const MethodGraph& graph, const std::vector<int64_t>& handles, DelegateFacts* delegate) {
  TosaLinks(graph, handles, delegate).run();
}

}  // namespace et::inspector
