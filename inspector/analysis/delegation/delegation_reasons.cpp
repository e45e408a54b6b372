// Why an operator may have stayed outside of delegates. Nothing here is a partitioner's word: what stayed outside is
// compared with what the same program delegated, and what is said is what differs.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "inspector/analysis/delegation/delegation_map.h"
#include "inspector/analysis/delegation/limit_check.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/partitioner_limits.h"

namespace et::inspector {
namespace {

using Why = StayReason::Kind;

bool is_dynamic(const std::string& shape) {
  return std::any_of(shape.begin(), shape.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

std::string joined(const std::set<std::string>& words, const char* between, size_t most = 3) {
  std::string out;
  size_t n = 0;
  for (const std::string& w : words) {
    if (n == most) return out + between + "…";
    out += (n++ == 0 ? "" : between) + w;
  }
  return out;
}

// What is known of nodes of one operator, or of all.
struct Traits {
  int64_t delegated = 0, all = 0;
  std::set<std::string> dtypes;
  std::set<int> ranks;
  bool dynamic = false;
  std::map<std::string, std::set<std::string>> arguments;  // values of those that are no tensors, by name
};

// An argument that names no value: a number, a list of them, a word.
bool is_plain(const GraphModel& m, const GraphNode& n, const GraphArgument& a) {
  const auto ids = identifiers(a.text);
  return !a.name.empty() && std::none_of(ids.begin(), ids.end(), [&](std::string_view id) {
    return m.value(n.scope, std::string(id)) != nullptr;
  });
}

std::set<std::string> dtypes_of(const GraphModel& m, const GraphNode& n) {
  std::set<std::string> out;
  if (!n.dtype.empty()) out.insert(n.dtype);
  for (const GraphArgument& a : n.arguments) {
    for (const std::string_view id : identifiers(a.text)) {
      const GraphValue* const v = m.value(n.scope, std::string(id));
      if (v != nullptr && !v->dtype.empty()) out.insert(v->dtype);
    }
  }
  return out;
}

void learn(const GraphModel& m, const GraphNode& n, Traits* t) {
  ++t->delegated;
  t->dtypes.merge(dtypes_of(m, n));
  t->ranks.insert(rank_of(n.shape));
  t->dynamic = t->dynamic || is_dynamic(n.shape);
  for (const GraphArgument& a : n.arguments) {
    if (is_plain(m, n, a)) t->arguments[a.name].insert(a.text);
  }
}

class Explainer {
 public:
  Explainer(const std::vector<const GraphModel*>& models, const std::vector<GraphModel>& inside,
            const std::vector<DelegationMap>& maps) {
    for (const GraphModel* m : models) {
      if (m == nullptr) continue;
      for (const GraphNode& n : m->nodes) {
        ++by_op_[n.op].all;
        if (n.part >= 0) take(*m, n);
      }
    }
    for (const GraphModel& m : inside) {
      for (const GraphNode& n : m.nodes) {
        ++by_op_[n.op].all;
        if (n.op != "executorch_call_delegate") take(m, n);
      }
    }
    for (const DelegationMap& map : maps) {
      for (const MapItem& item : map.items) {
        if (item.kind == MapItem::Kind::Delegate) backends_.insert(backend_title(item.backend));
      }
    }
  }

  void explain(const GraphModel* m, const DelegationMap& map, NonDelegatedOp* op) const {
    std::vector<StayReason> out;
    const auto say = [&](Why kind, std::string text) { out.push_back({kind, std::move(text)}); };
    const GraphNode* const n = m == nullptr || op->node.empty() ? nullptr : find(*m, op->node);
    const bool between = !op->reasons.empty();
    if (n == nullptr) {
      if (backends_.empty()) say(Why::NothingDelegated, "the program has no delegates");
      if (!partitioned(m, map)) say(Why::NotPartitioned, not_partitioned(map));
      const std::string control = op->item < 0 ? "" : map.items[static_cast<size_t>(op->item)].control;
      if (!control.empty())
        say(Why::ControlFlow, "a step of " + control + ", which is control flow");
      else if (m != nullptr)
        say(Why::NoNode, std::string("no graph node maps to this instruction: ") +
                             (behind_jump(map, op->instruction) ? "it is in a branch of the control flow, or " : "") +
                             // Views, sizes and moves are the emitter's own; what else has no node changes its input.
                             (op->op.starts_with("executorch_prim::")
                                  ? "the emitter inserted it"
                                  : "the ETRecord has no debug handle for it, as for what changes its input"));
    } else {
      // Nodes that only the runtime can do, whatever a backend supports.
      if (!n->bodies.empty()) {
        say(Why::ControlFlow, "control flow: the runtime interprets its bodies");
      } else if (n->scope != 0) {
        say(Why::ControlFlow, "inside a control flow body (" + n->subgraph + ")");
      }
      if (n->dtype.empty()) say(Why::NotATensor, "produces no tensor: a size or a check");
      if (backends_.empty()) {
        say(Why::NothingDelegated, "the program has no delegates");
      } else if (!n->dtype.empty() && n->bodies.empty()) {
        const bool tried = partitioned(m, map);
        if (!tried) say(Why::NotPartitioned, not_partitioned(map));
        compare(*m, *n, op->crossing_bytes > 0, tried, &out);
      }
    }
    if (between) say(Why::Between, "splits " + backends_around(map, *op) + ": reads from one and feeds the other");
    if (only_moves_data(op->op)) {
      if (op->instruction < 0) {
        say(Why::View, "no instruction found: a view of its input");
      } else {
        say(Why::Moves, "only copies, or changes layout, shape or dtype");
      }
    } else if (n != nullptr && op->instruction < 0 && !map.items.empty()) {
      say(Why::View, "has no instruction: folded away, or computed by a neighbour");
    }
    if (n != nullptr && uncertain(*m, *n)) {
      say(Why::Uncertain,
          "shares its debug handle with delegated nodes of the same operator: it may be delegated, too");
    }
    op->reasons = std::move(out);
  }

 private:
  void take(const GraphModel& m, const GraphNode& n) {
    learn(m, n, &by_op_[n.op]);
    learn(m, n, &all_);
  }

  static bool behind_jump(const DelegationMap& map, int64_t instruction) {
    return std::any_of(map.items.begin(), map.items.end(), [&](const MapItem& i) {
      return i.kind == MapItem::Kind::Control && i.label == "jump" && i.instruction < instruction;
    });
  }

  static const GraphNode* find(const GraphModel& m, const std::string& name) {
    for (const GraphNode& n : m.nodes) {
      if (n.name == name) return &n;
    }
    return nullptr;
  }

  // Something of the method is delegated, or nothing of the whole program is.
  bool partitioned(const GraphModel* m, const DelegationMap& map) const {
    return backends_.empty() || map.delegates() > 0 || (m != nullptr && !m->parts.empty());
  }

  std::string not_partitioned(const DelegationMap& map) const {
    return "nothing of " + (map.method.empty() ? "this method" : map.method) +
           " is delegated: probably no partitioner was given for it (" + joined(backends_, ", ") +
           (backends_.size() == 1 ? " has" : " have") + " parts of other methods)";
  }

  // `at_edge`: it reads from a delegate or feeds one. `tried`: of a method that nothing is delegated of, an operator
  // that never is delegated elsewhere either says nothing of what the backend supports.
  void compare(const GraphModel& m, const GraphNode& n, bool at_edge, bool tried, std::vector<StayReason>* out) const {
    if (all_.delegated == 0) return;  // nothing is known of what is inside
    const auto same = by_op_.find(n.op);
    if (same != by_op_.end() && same->second.delegated > 0) {
      const Traits& t = same->second;
      std::string text =
          std::to_string(t.delegated) + " of " + std::to_string(t.all) + " " + operator_title(n.op) + " are delegated";
      const std::string_view base = operator_base(n.op);
      if (at_edge && (base.starts_with("quantize_") || base.starts_with("dequantize_"))) {
        // Scales differ from node to node: they say nothing.
        out->push_back(
            {Why::SameElsewhere, text + "; this one converts between float outside the delegate and integers inside"});
        return;
      }
      const std::string differs = differences(m, n, t);
      if (tried || !differs.empty())
        text += differs.empty() ? "; it differs from them only in its place in the graph" : "; unlike them: " + differs;
      out->push_back({Why::SameElsewhere, std::move(text)});
      return;
    }
    if (!tried) return;
    const int64_t all = same == by_op_.end() ? 1 : same->second.all;
    const PartitionerLimit limit =
        backends_.size() == 1 ? partitioner_limit(*backends_.begin(), n.op) : PartitionerLimit();
    const std::string none = all > 1 ? ": none of " + std::to_string(all) + " was taken" : "";
    if (limit.taken == Taken::Never) {
      out->push_back({Why::NotTaken, *backends_.begin() + " has no " + operator_title(n.op) + " (" +
                                         std::string(limit.release) + ")" + none});
      return;
    }
    const LimitCheck check = limit.taken == Taken::Within ? check_limit(m, n) : LimitCheck();
    if (limit.taken == Taken::Within && !check.kept) {
      out->push_back({check.decomposed ? Why::DecomposedWeight : Why::Limits,
                      *backends_.begin() + " takes " + operator_title(n.op) + " only " + std::string(limit.limit) +
                          " (" + std::string(limit.release) + ")" + none + check.what});
    }
    // The dtype first: it is the likelier reason than the operator as such.
    std::set<std::string> other;
    for (const std::string& d : dtypes_of(m, n)) {
      if (!all_.dtypes.contains(d)) other.insert(d);
    }
    const std::string backends = joined(backends_, ", ");
    if (!other.empty()) {
      out->push_back({Why::Dtype, "works on " + joined(other, ", ") + "; " + backends + " took " +
                                      joined(all_.dtypes, ", ") + " only"});
    }
    if (limit.taken == Taken::Unknown)
      out->push_back({Why::NeverDelegated, "probably unsupported by " + backends + none});
    if ((limit.taken == Taken::Always || check.kept) && other.empty())
      out->push_back({Why::NeverDelegated, backends + " takes this operator (" + std::string(limit.release) +
                                               "); why not here is not in the files" + none});
    if (is_dynamic(n.shape) && !all_.dynamic) {
      out->push_back(
          {Why::DynamicShape, "its shape " + n.shape + " is dynamic; no delegated node has a dynamic shape"});
    }
  }

  static std::string differences(const GraphModel& m, const GraphNode& n, const Traits& t) {
    std::vector<std::string> out;
    for (const std::string& d : dtypes_of(m, n)) {
      if (!t.dtypes.contains(d)) out.push_back(d);
    }
    if (const int rank = rank_of(n.shape); rank >= 0 && !t.ranks.contains(rank)) {
      out.push_back(std::to_string(rank) + (rank == 1 ? " dimension" : " dimensions"));
    }
    if (is_dynamic(n.shape) && !t.dynamic) out.push_back("dynamic shape " + n.shape);
    for (const GraphArgument& a : n.arguments) {
      const auto known = t.arguments.find(a.name);
      if (known == t.arguments.end() || !is_plain(m, n, a) || known->second.contains(a.text)) continue;
      out.push_back(a.name + "=" + a.text + " (theirs: " + joined(known->second, " or ", 2) + ")");
    }
    std::string text;
    for (size_t i = 0; i < out.size() && i < 4; ++i) text += (i == 0 ? "" : ", ") + out[i];
    return text;
  }

  // The nearest delegates in the order of the program, which need not be those that its data come from and go to.
  std::string backends_around(const DelegationMap& map, const NonDelegatedOp& op) const {
    const MapItem *before = nullptr, *after = nullptr;
    for (const MapItem& item : map.items) {
      if (item.kind != MapItem::Kind::Delegate) continue;
      if (item.instruction < op.instruction) before = &item;
      if (item.instruction > op.instruction && after == nullptr) after = &item;
    }
    return before == nullptr || after == nullptr ? joined(backends_, ", ") : calls_between(*before, *after);
  }

  static bool uncertain(const GraphModel& m, const GraphNode& n) {
    if (!n.debug_handle) return false;
    return std::any_of(m.parts.begin(), m.parts.end(), [&](const GraphPart& p) {
      return p.guessed && std::any_of(p.nodes.begin(), p.nodes.end(), [&](int32_t i) {
               const GraphNode& other = m.nodes[static_cast<size_t>(i)];
               return other.debug_handle == n.debug_handle && other.op == n.op;
             });
    });
  }

  std::map<std::string, Traits> by_op_;
  Traits all_;
  std::set<std::string> backends_;
};

}  // namespace

const char* reason_name(Why kind) {
  constexpr std::array<const char*, 16> kNames = {"control flow",
                                                  "no tensor",
                                                  "same operator delegated elsewhere",
                                                  "not an operator of the backend",
                                                  "limits of the backend",
                                                  "operator never delegated",
                                                  "dtype",
                                                  "dynamic shape",
                                                  "between delegates",
                                                  "moves data",
                                                  "no instruction",
                                                  "nothing delegated",
                                                  "no node",
                                                  "uncertain",
                                                  "method not partitioned",
                                                  "decomposed layer"};
  return kNames[static_cast<size_t>(kind)];
}

void explain_non_delegated(const std::vector<const GraphModel*>& models, const std::vector<GraphModel>& inside,
                           std::vector<DelegationMap>* maps) {
  const Explainer explainer(models, inside, *maps);
  for (size_t i = 0; i < maps->size(); ++i) {
    DelegationMap& map = (*maps)[i];
    for (NonDelegatedOp& op : map.non_delegated) explainer.explain(models[i], map, &op);
  }
}

}  // namespace et::inspector
