// How a CostTree grows, op by op: children by key, charges of ops, sums at the end. For the analyses of this folder.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inspector/analysis/ops/module_tree.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Classes of modules by path.
using ModuleTypes = std::unordered_map<std::string, std::string>;
/// Errors: InvalidExternalData (damaged store).
Status load_module_types(const Store& store, int64_t trace_id, ModuleTypes* out);

class TreeBuilder {
 public:
  explicit TreeBuilder(const OpTable& table) : table_(table), parts_(parts_of(table)) {
    tree_.unit = table.unit;
    tree_.nodes.emplace_back().name = keep(table.basis.whole());
    any_execution_ =
        std::any_of(table.blocks.begin(), table.blocks.end(), [](const OpBlock& b) { return b.kind == "execute"; });
  }

  bool counted(const OpBlock& block) const { return !any_execution_ || block.kind == "execute"; }
  bool counted(const OpEntry& op) {
    if (op.count == 0) return false;
    if (!op.on_trace_clock()) ++tree_.other_clock_ops;
    return op.on_trace_clock();
  }

  Text keep(std::string_view text) { return text.empty() ? Text() : Text(tree_.texts.keep(text)); }

  /// The child of `parent` with that key, made when it is not there yet.
  int32_t child(int32_t parent, CostKind kind, std::string_view key) {
    const std::string* const text = tree_.texts.keep(key);
    const auto [at, made] = index_.try_emplace({parent, kind, text}, 0);
    if (made) at->second = add(parent, kind, text);
    return at->second;
  }

  /// A child that nobody asks for again.
  int32_t add(int32_t parent, CostKind kind, Text name) {
    const auto at = static_cast<int32_t>(tree_.nodes.size());
    CostNode node;
    node.kind = kind;
    node.name = name;
    node.parent = parent;
    node.method = tree_.nodes[static_cast<size_t>(parent)].method;
    node.path = tree_.nodes[static_cast<size_t>(parent)].path;
    tree_.nodes.push_back(std::move(node));
    tree_.nodes[static_cast<size_t>(parent)].children.push_back(at);
    return at;
  }

  int32_t method_node(const OpBlock& block) {
    const std::string name = block.kind == "execute" ? block.method.value_or("") : block.name;
    const int32_t at = child(0, CostKind::Method, name);
    node(at).method = keep(block.method.value_or(""));
    if (block.variation != 0) {
      CostNode& variation = node(child(at, CostKind::Outside, "(variation)"));
      variation.self += block.variation;
      variation.note = keep(
          "What an execution takes beyond the usual times of its ops: noise, each time elsewhere. An idle machine and "
          "more executions make it smaller.");
    }
    return at;
  }

  /// `weight`: which part of the op's time that is.
  void charge(int32_t at, size_t op, double time, double weight = 1) {
    CostNode& n = node(at);
    if (const int64_t among = nodes_sharing(weight); among > 1) {
      n.shared += time;
      n.shared_by = std::max(n.shared_by, among);
    }
    const OpPart& part = parts_[op];
    n.self += time;
    // Something that takes no time has a place, too.
    const double much = std::max(time, 0.0) + kLeastTime;
    weights_.resize(tree_.nodes.size());
    weights_[static_cast<size_t>(at)] += much;
    n.middle += much * place_of(op);
    // Ops come one after the other, so the last one is enough to count each of them once. A call and its kernel are
    // one.
    last_op_.resize(tree_.nodes.size(), kNoOp);
    uint32_t& last = last_op_[static_cast<size_t>(at)];
    const bool first = last == kNoOp;
    if (last != op && !are_one_call(last, op)) {
      ++n.ops;
      n.samples += table_.ops[op].count;
    }
    last = static_cast<uint32_t>(op);
    if (first) {
      n.part = part.part;
      n.backend = keep(part.backend.str());
    } else if (n.part != part.part || n.backend != part.backend) {
      n.mixed = true;
    }
  }

  /// A call and its kernel, in whichever order the trace has them.
  bool are_one_call(uint32_t a, size_t b) const {
    if (a == kNoOp) return false;
    const auto calls = [&](size_t call, size_t kernel) {
      const Maybe<uint32_t> parent = table_.ops[kernel].parent;
      return parent && *parent == call && table_.ops[call].is_wrapper();
    };
    return calls(a, b) || calls(b, a);
  }

  CostNode& node(int32_t at) { return tree_.nodes[static_cast<size_t>(at)]; }

  CostTree finish() {
    for (CostNode& n : tree_.nodes) n.total = n.self;
    weights_.resize(tree_.nodes.size());
    for (size_t i = tree_.nodes.size(); i-- > 1;) {  // children stand behind their parents
      const CostNode& n = tree_.nodes[i];
      CostNode& parent = node(n.parent);
      const bool first = parent.ops == 0;
      parent.total += n.total;
      parent.middle += n.middle;
      weights_[static_cast<size_t>(n.parent)] += weights_[i];
      parent.ops += n.ops;
      parent.samples += n.samples;
      if (first) {
        parent.part = n.part;
        parent.backend = n.backend;
        parent.mixed = n.mixed;
      } else if (n.ops > 0) {
        parent.mixed = parent.mixed || n.mixed || parent.part != n.part || parent.backend != n.backend;
      }
    }
    for (size_t i = 0; i < tree_.nodes.size(); ++i) {
      CostNode& n = tree_.nodes[i];
      if (n.mixed) n.backend = {};
      if (weights_[i] > 0) n.middle /= weights_[i];
    }
    return std::move(tree_);
  }

  const OpTable& table_;
  CostTree tree_;

 private:
  // Instruction of the op, or of what encloses it; ops of one in their order.
  double place_of(size_t op) const {
    size_t at = op;
    for (size_t steps = 0; steps < 64 && !table_.ops[at].instruction_id && table_.ops[at].parent; ++steps)
      at = *table_.ops[at].parent;
    const Maybe<int64_t>& instruction = table_.ops[at].instruction_id;
    return (instruction ? static_cast<double>(*instruction) : 0) +
           static_cast<double>(op) / static_cast<double>(table_.ops.size() + 1);
  }

  static constexpr double kLeastTime = 1e-3;  // ticks
  static constexpr uint32_t kNoOp = std::numeric_limits<uint32_t>::max();
  struct Key {
    int32_t parent;
    CostKind kind;
    const std::string* text;  // of the tree's pool, so that equal texts have one address
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& k) const {
      return std::hash<const void*>()(k.text) ^
             (static_cast<size_t>(k.parent) * 0x9e3779b97f4a7c15U + static_cast<size_t>(k.kind));
    }
  };
  std::vector<OpPart> parts_;
  std::unordered_map<Key, int32_t, KeyHash> index_;
  std::vector<uint32_t> last_op_;  // that was charged, by node
  std::vector<double> weights_;    // of CostNode::middle, by node
  bool any_execution_ = false;
};

}  // namespace et::inspector
