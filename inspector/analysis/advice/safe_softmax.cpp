// scaled_dot_product_attention outside of delegates: its check for rows that see nothing, the scaling of its operands,
// and the copies around its products have one cause and one remedy.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/advice/closed_breaks.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

constexpr size_t kOperatorsNamed = 3;
constexpr size_t kMostNodesBetween = 16;  // of a score and its product

/// Of the graph as it was exported: operators are found by who reads whom, since all may have one line.
class SafeSoftmax {
 public:
  explicit SafeSoftmax(const GraphModel& graph) : graph_(graph), readers_(graph.nodes.size()) {
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      for (const int32_t p : graph.nodes[i].producers)
        readers_[static_cast<size_t>(p)].push_back(static_cast<int32_t>(i));
    }
  }

  std::set<std::string> nodes() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (base(static_cast<int32_t>(i)) == "where") attention_of(static_cast<int32_t>(i));
    }
    return std::move(found_);
  }

 private:
  std::string_view base(int32_t node) const { return operator_base(graph_.nodes[static_cast<size_t>(node)].op); }
  void keep(int32_t node) { found_.insert(graph_.nodes[static_cast<size_t>(node)].name); }
  int32_t producer(int32_t node, std::string_view op) const {
    if (node < 0) return -1;
    for (const int32_t p : graph_.nodes[static_cast<size_t>(node)].producers)
      if (base(p) == op) return p;
    return -1;
  }

  /// where(logical_not(any(logical_not(eq(scores, -inf)))), full_like(…), softmax(scores)).
  void attention_of(int32_t where) {
    const int32_t none = producer(where, "logical_not"), any = producer(none, "any");
    const int32_t seen = producer(any, "logical_not"), eq = producer(seen, "eq");
    if (eq < 0) return;
    for (const int32_t node : {where, none, any, seen, eq}) keep(node);
    if (const int32_t zeros = producer(where, "full_like"); zeros >= 0) keep(zeros);
    for (const int32_t scores : graph_.nodes[static_cast<size_t>(eq)].producers) climb(scores, 0);
    descend(where, 0);
  }

  static bool reshapes(std::string_view op) {
    return op.starts_with("view") || op.starts_with("permute") || op.starts_with("transpose") ||
           op.starts_with("unsqueeze") || op.starts_with("squeeze") || op.starts_with("clone") ||
           op == "_clone_dim_order";
  }

  /// From the scores up to their product, by the mask that is added.
  void climb(int32_t node, size_t steps) {
    if (steps > kMostNodesBetween) return;
    const std::string_view op = base(node);
    if (op == "bmm" || op == "matmul") return operands(node, 0);
    if (op == "where") return keep(node);  // the boolean mask as 0 and -inf
    if (!reshapes(op) && op != "add" && op != "mul") return;
    for (const int32_t p : graph_.nodes[static_cast<size_t>(node)].producers) climb(p, steps + 1);
  }
  /// From the weights down to their product.
  void descend(int32_t node, size_t steps) {
    if (steps > kMostNodesBetween) return;
    for (const int32_t reader : readers_[static_cast<size_t>(node)]) {
      const std::string_view op = base(reader);
      if (op == "bmm" || op == "matmul") operands(reader, 0);
      if (reshapes(op) || op.starts_with("expand")) descend(reader, steps + 1);
    }
  }
  /// Copies for broadcasting, and the square root of the scale on each operand.
  void operands(int32_t node, size_t steps) {
    if (steps > kMostNodesBetween) return;
    for (const int32_t p : graph_.nodes[static_cast<size_t>(node)].producers) {
      const bool scales = graph_.nodes[static_cast<size_t>(p)].op == "aten.mul.Scalar";
      if (base(p).starts_with("expand") || scales) keep(p);
      if (reshapes(base(p)) || base(p).starts_with("expand")) operands(p, steps + 1);
    }
  }

  const GraphModel& graph_;
  std::vector<std::vector<int32_t>> readers_;
  std::set<std::string> found_;
};

AdvicePlace place_of_op(const NonDelegatedOp& op) { return {0, op.file, op.module_path, op.node, op.line}; }

/// The costly ones of those kernels, and how many compute from constants alone, which is another rule's.
struct Check {
  std::vector<const NonDelegatedOp*> ops;
  int64_t constant = 0;
  double ns = 0;
};

Check check_of(AdviceContext& c, size_t m) {
  Check out;
  const DelegationMap& map = c.maps()[m];
  if (map.delegates() == 0 || map.total_ns <= 0) return out;
  const std::set<std::string> nodes = SafeSoftmax(c.graphs()[m]).nodes();
  const std::set<int64_t> constants = c.constant_instructions(m);
  for (const NonDelegatedOp& op : map.non_delegated) {
    if (op.item < 0 || !(op.ns > 0) || !nodes.contains(op.node)) continue;
    if (constants.contains(op.instruction)) {
      ++out.constant;
      continue;
    }
    out.ops.push_back(&op);
    out.ns += op.ns;
  }
  if (out.ns < kLeastShare * c.usual(map.method)) out = {};
  return out;
}

}  // namespace

std::set<int64_t> AdviceContext::safe_softmax_instructions(size_t graph) {
  std::set<int64_t> out;
  for (const NonDelegatedOp* const op : check_of(*this, graph).ops) out.insert(op->instruction);
  return out;
}

void advise_safe_softmax(AdviceContext& c) {
  for (size_t m = 0; m < c.maps().size(); ++m) {
    const DelegationMap& map = c.maps()[m];
    const Check check = check_of(c, m);
    if (check.ops.empty()) continue;
    std::map<std::string, std::pair<double, int64_t>> by_operator;
    std::set<size_t> items;
    const NonDelegatedOp* costliest = check.ops.front();
    Advice a;
    for (const NonDelegatedOp* const op : check.ops) {
      auto& [ns, count] = by_operator[operator_title(op->op)];
      ns += op->ns;
      ++count;
      items.insert(static_cast<size_t>(op->item));
      if (op->ns > costliest->ns) costliest = op;
      a.items.push_back({operator_title(op->op), op->ns, place_of_op(*op)});
    }
    const ClosedBreaks closed = closed_breaks(map, items);
    std::vector<std::pair<double, std::string>> names;
    for (const auto& [name, sum] : by_operator)
      names.emplace_back(sum.first,
                         name + (sum.second > 1 ? " ×" + format_count(sum.second) : "") + " " + c.time(sum.first));
    std::sort(names.rbegin(), names.rend());
    std::vector<std::string> named;
    for (size_t i = 0; i < std::min(names.size(), kOperatorsNamed); ++i) named.push_back(names[i].second);
    if (names.size() > kOperatorsNamed)
      named.push_back(format_count(static_cast<int64_t>(names.size() - kOperatorsNamed)) + " more operators");

    a.id = "safe-softmax";
    a.method = map.method;
    a.title = "What scaled_dot_product_attention becomes outside of the delegates";
    c.add_time(&a, "time outside of the delegates", check.ns);
    a.facts.push_back({"kernels", static_cast<double>(check.ops.size()), AdviceFact::Unit::Count});
    if (closed.count > 0)
      a.facts.push_back({"graph breaks that would close", static_cast<double>(closed.count), AdviceFact::Unit::Count});
    if (closed.moves_ns > 0) a.facts.push_back({kCopiesAtBreaks, closed.moves_ns, AdviceFact::Unit::Time});
    a.text = "scaled_dot_product_attention leaves " + plural(static_cast<int64_t>(check.ops.size()), "kernel") +
             " outside of the delegates, of its check for rows that see nothing (eq, logical_not, any, where) and " +
             "around its products (expand, scale): " + c.time(check.ns) + ", " + c.share(check.ns, map.method) +
             " of the execution (" + joined(named, ", ") + ")";
    if (closed.count > 0)
      a.text += "; without them " + plural(closed.count, "graph break") +
                (closed.moves_ns > 0 ? " with " + c.time(closed.moves_ns) + " of copies" : "") + " would close";
    if (check.constant > 0)
      a.text += "; " + plural(check.constant, "more kernel") + " of it " +
                (check.constant == 1 ? "computes" : "compute") + " from constants alone and " +
                (check.constant == 1 ? "is" : "are") + " not counted here";
    a.what_to_do =
        "Write attention out, with a float mask (0 and -inf, a buffer) where there is one, and q, k, v of three "
        "dimensions (batch times heads, length, size), since products of four are exported with copies: "
        "torch.bmm(torch.softmax(torch.bmm(q, k.transpose(1, 2)) * scale + mask, -1), v). XnnpackPartitioner takes all "
        "of "
        "that. In Hugging Face's transformers, attn_implementation=\"eager\" has no such check; its copies stay.";
    a.most_ns = check.ns + closed.moves_ns;
    a.assumes = closed.moves_ns > 0
                    ? "the delegate takes no time for what is left of it, and the copies at the breaks go away"
                    : "the delegate takes no time for what is left of it";
    a.place = place_of_op(*costliest);
    c.add(std::move(a));
  }
}

}  // namespace et::inspector
