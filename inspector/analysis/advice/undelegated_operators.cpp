// Operators that stayed outside of the delegates of their method, by operator, with what the break around them costs.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "inspector/analysis/advice/advice.h"
#include "inspector/analysis/advice/closed_breaks.h"
#include "inspector/analysis/delegation/what_if.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"
#include "inspector/text/words.h"

namespace et::inspector {
namespace {

using Why = StayReason::Kind;
using Unit = AdviceFact::Unit;

bool has(const NonDelegatedOp& op, Why kind) {
  return std::any_of(op.reasons.begin(), op.reasons.end(), [&](const StayReason& r) { return r.kind == kind; });
}

/// Not a partitioner's to take, or not surely outside; what only moves data is another rule's.
bool is_candidate(const NonDelegatedOp& op) {
  return op.item >= 0 && op.ns > 0 && !has(op, Why::ControlFlow) && !has(op, Why::NotATensor) && !has(op, Why::View) &&
         !has(op, Why::Uncertain) && !has(op, Why::NoNode) && !only_moves_data(op.op);
}

struct OfOperator {
  std::vector<const NonDelegatedOp*> ops;
  double ns = 0;
  const NonDelegatedOp* costliest = nullptr;
  int64_t constant = 0;  // more of it, of constants alone
  bool masks = false;    // makes or applies a mask that something is selected by
};

/// Of masks: what makes them, and what picks by them.
bool selects(std::string_view op) {
  constexpr std::string_view kOps[] = {"where", "masked_fill", "eq",          "ne",         "lt",  "le",         "gt",
                                       "ge",    "logical_not", "logical_and", "logical_or", "any", "bitwise_not"};
  const std::string_view base = operator_base(op);
  return std::find(std::begin(kOps), std::end(kOps), base) != std::end(kOps);
}

/// Of a library's own, with a kernel that somebody wrote for it.
bool is_custom(std::string_view op) {
  constexpr std::string_view kCommon[] = {"aten", "dim_order_ops", "quantized_decomposed", "prims", "prim"};
  const size_t end = std::min(op.find('.'), op.find("::"));
  return end != std::string_view::npos &&
         std::find(std::begin(kCommon), std::end(kCommon), op.substr(0, end)) == std::end(kCommon);
}

bool is_embedding(std::string_view op) { return operator_base(op) == "embedding"; }

AdvicePlace place_of(const NonDelegatedOp& op) { return {0, op.file, op.module_path, op.node, op.line}; }

bool is_said(const StayReason& r) {
  return r.kind == Why::Dtype || r.kind == Why::SameElsewhere || r.kind == Why::DynamicShape ||
         r.kind == Why::NeverDelegated || r.kind == Why::NotTaken || r.kind == Why::Limits ||
         r.kind == Why::DecomposedWeight;
}

/// Why the ops of a group stayed outside: the reason that most of their time has, and the costliest op with it.
struct Cause {
  const NonDelegatedOp* op = nullptr;
  std::string text;        ///< "" where nothing is known
  int64_t ops = 0;         ///< with a reason of the kind
  int64_t same_words = 0;  ///< of them: with these very words
};

Cause cause_of(const OfOperator& group) {
  std::map<Why, double> times;
  const auto reason = [](const NonDelegatedOp& op) {
    const auto at = std::find_if(op.reasons.begin(), op.reasons.end(), is_said);
    return at == op.reasons.end() ? nullptr : &*at;
  };
  for (const NonDelegatedOp* const op : group.ops) {
    if (const StayReason* const r = reason(*op)) times[r->kind] += op->ns;
  }
  Cause out;
  out.op = group.costliest;
  if (times.empty()) return out;
  const Why kind = std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) {
                     return a.second < b.second;
                   })->first;
  std::vector<const NonDelegatedOp*> ops;
  for (const NonDelegatedOp* const op : group.ops) {
    if (const StayReason* const r = reason(*op); r != nullptr && r->kind == kind) ops.push_back(op);
  }
  out.op = *std::max_element(ops.begin(), ops.end(), [](const auto* a, const auto* b) { return a->ns < b->ns; });
  out.text = reason(*out.op)->text;
  out.ops = std::ssize(ops);
  out.same_words =
      std::count_if(ops.begin(), ops.end(), [&](const NonDelegatedOp* op) { return reason(*op)->text == out.text; });
  return out;
}

/// "; XnnpackBackend has no aten.eq", of a part of the group with the number of those that it is true of.
std::string cause_text(const Cause& cause, int64_t count) {
  if (cause.text.empty()) return {};
  const std::string of = cause.same_words == count ? ""
                         : cause.same_words == 1   ? "of the costliest: "
                                                   : "of " + format_count(cause.same_words) + " of them: ";
  return "; " + of + cause.text;
}

/// What an operator is told that has no place in the backend. `in_break`: it lies between two delegates.
std::string instead_of(const OfOperator& group, bool in_break) {
  const bool one = group.ops.size() == 1;
  if (!in_break)
    return one ? "It stands at the beginning or the end of the model, where it breaks nothing: only its own time can "
                 "be won, by a backend that has it, or by less of it."
               : "They stand at the beginning or the end of the model, where they break nothing: only their own time "
                 "can be won, by a backend that has them, or by fewer of them.";
  return group.masks ? "Keep masks out of the forward pass: add a float mask (0 and -inf, a buffer) instead of "
                       "selecting by a boolean one."
                     : "Write the module with operators that it takes, or keep this part of the model at the "
                       "beginning or the end, where it breaks nothing.";
}

/// `op`: whose reason it answers; the words are of all of the group.
std::string what_to_do(const NonDelegatedOp& op, const OfOperator& group, bool in_break) {
  const bool one = group.ops.size() == 1;
  if (has(op, Why::NotTaken) && is_embedding(op.op) && (in_break || !one))
    return std::string("An embedding copies rows, which no delegate for CPUs does: ") +
           (!one ? "look up in one table instead of several (with an offset for each), " : "do it ") +
           "before what is delegated.";
  if (is_custom(op.op))
    return "A custom operator is in no partitioner's list: it runs in the kernel that its library brings, which is as "
           "a rule faster than its parts would be. "
           "Have less of it (a shorter cache or window, fewer heads or calls), or a better kernel.";
  if (has(op, Why::NotTaken)) return instead_of(group, in_break);
  if (has(op, Why::DecomposedWeight))
    return std::string(one ? "Its weight is worked out of constants in every execution, and so it is no constant for "
                             "the partitioner. "
                           : "Their weights are worked out of constants in every execution, and so they are no "
                             "constants for the partitioner. ") +
           "Where the model's own code computes it, constant_prop_pass(exported_program) before lowering makes it one; "
           "the transpose of a linear layer's weight XnnpackPartitioner of ExecuTorch 1.5 takes along: export with it.";
  if (has(op, Why::Limits))
    return one ? "Write it within these limits, or keep it at the beginning or the end of the model."
               : "Write them within these limits, or keep them at the beginning or the end of the model.";
  if (has(op, Why::Dtype))
    return std::string("Other operators of this program are delegated on other dtypes: cast ") +
           (one ? "its operands (.to(torch.float32)) before it" : "their operands (.to(torch.float32)) before them") +
           ", or keep integer and boolean masks out of the forward pass (a precomputed float mask, a buffer).";
  if (has(op, Why::DynamicShape))
    return std::string(one ? "Give its dimensions" : "Give their dimensions") +
           " fixed sizes at export, or bound them (torch.export.Dim with max), where the partitioner wants static "
           "shapes.";
  if (has(op, Why::SameElsewhere))
    return std::string(
               "The same operator is delegated elsewhere in this program: compare arguments and shapes "
               "(et-inspect delegation), and make ") +
           (one ? "this call like the others." : "these calls like the others.");
  return "Ask the partitioner why (its log at export), write the module with operators that it takes, or keep this "
         "part of the model at the beginning or the end, where it breaks nothing.";
}

}  // namespace

void advise_undelegated_operators(AdviceContext& c) {
  for (size_t m = 0; m < c.maps().size(); ++m) {
    const DelegationMap& map = c.maps()[m];
    if (map.delegates() == 0 || map.total_ns <= 0) continue;
    const std::set<int64_t> constant = c.constant_instructions(m);       // another rule's
    const std::set<int64_t> attention = c.safe_softmax_instructions(m);  // another's, too
    const bool masks = std::any_of(map.non_delegated.begin(), map.non_delegated.end(), [](const NonDelegatedOp& op) {
      const std::string_view base = operator_base(op.op);
      return base == "where" || base == "masked_fill";
    });
    std::map<std::string, OfOperator> groups;
    for (const NonDelegatedOp& op : map.non_delegated) {
      if (!is_candidate(op) || attention.contains(op.instruction)) continue;
      OfOperator& g = groups[op.op];
      if (constant.contains(op.instruction)) {
        ++g.constant;
        continue;
      }
      g.ops.push_back(&op);
      g.ns += op.ns;
      if (g.costliest == nullptr || op.ns > g.costliest->ns) g.costliest = &op;
    }
    for (auto& [name, group] : groups) {
      group.masks = selects(name) && masks;
      if (group.ops.empty() || group.ns < kLeastShare * c.usual(map.method)) continue;
      std::set<size_t> items;
      for (const NonDelegatedOp* const op : group.ops) items.insert(static_cast<size_t>(op->item));
      const ClosedBreaks closed = closed_breaks(map, items);
      const int64_t breaks = closed.count;
      const double moves = closed.moves_ns;
      Advice a;
      a.id = "undelegated-operator";
      a.method = map.method;
      const auto count = static_cast<int64_t>(group.ops.size());
      const std::string title = operator_title(name);
      a.title = title + (count == 1 ? "" : " ×" + format_count(count)) + " outside of the delegates";
      c.add_time(&a, "time outside of the delegates", group.ns);
      if (count > 1) a.facts.push_back({"of which the costliest", group.costliest->ns, Unit::Time});
      a.facts.push_back({"nodes", static_cast<double>(count), Unit::Count});
      if (breaks > 0) a.facts.push_back({"graph breaks that would close", static_cast<double>(breaks), Unit::Count});
      if (moves > 0) a.facts.push_back({kCopiesAtBreaks, moves, Unit::Time});
      a.text = (count == 1 ? title : plural(count, title + " node")) + " outside of the delegates " +
               (count == 1 ? "takes " : "take ") + c.time(group.ns) + ", " + c.share(group.ns, map.method) +
               " of the execution";
      if (breaks > 0)
        a.text += "; without " + std::string(count == 1 ? "it " : "them ") + plural(breaks, "graph break") +
                  (moves > 0 ? " with " + c.time(moves) + " of copies" : "") + " would close";
      if (group.constant > 0)
        a.text += "; " + format_count(group.constant) + " more " + (group.constant == 1 ? "computes" : "compute") +
                  " from constants alone and " + (group.constant == 1 ? "is" : "are") + " not counted here";
      const Cause cause = cause_of(group);
      a.text += cause_text(cause, count);
      a.what_to_do = what_to_do(*cause.op, group, closed.in_break);
      // Told of the reason above it; the others may have another one.
      if (cause.ops > 0 && cause.ops < count)
        a.what_to_do = "For " + format_count(cause.ops) + " of the " + format_count(count) + ": " + a.what_to_do;
      a.most_ns = group.ns + moves;
      a.work_ns = group.ns;
      a.assumes = moves > 0 ? "the delegate takes no time for the work, and the copies at the breaks go away"
                            : "the delegate takes no time for the work";
      a.place = place_of(*group.costliest);
      for (const NonDelegatedOp* const op : group.ops) a.items.push_back({title, op->ns, place_of(*op)});
      c.add(std::move(a));
    }
  }
}

}  // namespace et::inspector
