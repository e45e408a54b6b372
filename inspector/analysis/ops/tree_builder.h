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
#include "inspector/analysis/ops/op_count.h"
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

  /// `weight`: which part of the op's time that is; `link`: the op's link that it comes by.
  void charge(int32_t at, size_t op, double time, double weight = 1, int32_t link = -1) {
    tree_.charges.push_back({at, static_cast<uint32_t>(op), link, time});
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
    charged_.emplace_back(counted_op(table_, static_cast<uint32_t>(op)).value_or(static_cast<uint32_t>(op)), at);
    has_part_.resize(tree_.nodes.size());
    if (std::exchange(has_part_[static_cast<size_t>(at)], char{1}) == 0) {
      n.part = part.part;
      n.backend = keep(part.backend.str());
    } else if (n.part != part.part || n.backend != part.backend) {
      n.mixed = true;
    }
  }

  CostNode& node(int32_t at) { return tree_.nodes[static_cast<size_t>(at)]; }

  CostTree finish() {
    for (CostNode& n : tree_.nodes) n.total = n.self;
    count_ops_of_nodes();
    weights_.resize(tree_.nodes.size());
    has_part_.resize(tree_.nodes.size());
    for (size_t i = tree_.nodes.size(); i-- > 1;) {  // children stand behind their parents
      const CostNode& n = tree_.nodes[i];
      CostNode& parent = node(n.parent);
      parent.total += n.total;
      parent.middle += n.middle;
      weights_[static_cast<size_t>(n.parent)] += weights_[i];
      if (has_part_[i] == 0) continue;
      if (std::exchange(has_part_[static_cast<size_t>(n.parent)], char{1}) == 0) {
        parent.part = n.part;
        parent.backend = n.backend;
        parent.mixed = n.mixed;
      } else {
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
  /// An op that several nodes inside have a part of counts once.
  void count_ops_of_nodes() {
    std::sort(charged_.begin(), charged_.end());
    constexpr uint32_t kNoOp = std::numeric_limits<uint32_t>::max();
    std::vector<uint32_t> seen(tree_.nodes.size(), kNoOp);
    for (const auto& [op, charged] : charged_) {
      const bool is_op = counted_op(table_, op).has_value();
      for (int32_t at = charged; at >= 0 && seen[static_cast<size_t>(at)] != op; at = node(at).parent) {
        seen[static_cast<size_t>(at)] = op;
        node(at).ops += is_op ? 1 : 0;
        node(at).samples += table_.ops[op].count;
      }
    }
  }

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
  std::vector<std::pair<uint32_t, int32_t>> charged_;  // op as it is counted, and node
  std::vector<char> has_part_;                         // by node: its part is that of what was charged
  std::vector<double> weights_;                        // of CostNode::middle, by node
  bool any_execution_ = false;
};

}  // namespace et::inspector
