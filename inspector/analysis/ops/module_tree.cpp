#include "inspector/analysis/ops/module_tree.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "inspector/match/operator_name.h"

namespace et::inspector {
namespace {

constexpr size_t kMostLevels = 64;  // of modules; deeper paths of a damaged record end there

std::string op_label(const OpEntry& op) {
  if (op.kind == "operator_call" && op.op_types.size() == 1) return op.op_types.front();
  if (op.kind == "delegate_call" && op.backend && !op.backend->empty()) return *op.backend + " call";
  return std::string(kernel_name(op.name));
}

class TreeBuilder {
 public:
  explicit TreeBuilder(const OpTable& table) : table_(table), parts_(parts_of(table)) {
    tree_.unit = table.unit;
    tree_.nodes.emplace_back().name = keep("all executions");
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
    if (block.variation != 0) node(child(at, CostKind::Outside, "(variation)")).self += block.variation;
    return at;
  }

  void charge(int32_t at, size_t op, double time) {
    CostNode& n = node(at);
    const OpPart& part = parts_[op];
    n.self += time;
    // Ops come one after the other, so the last one is enough to count each of them once.
    last_op_.resize(tree_.nodes.size(), kNoOp);
    uint32_t& last = last_op_[static_cast<size_t>(at)];
    const bool first = last == kNoOp;
    if (last != op) {
      ++n.ops;
      n.samples += table_.ops[op].count;
      last = static_cast<uint32_t>(op);
    }
    if (first) {
      n.part = part.part;
      n.backend = keep(part.backend.str());
    } else if (n.part != part.part || n.backend != part.backend) {
      n.mixed = true;
    }
  }

  CostNode& node(int32_t at) { return tree_.nodes[static_cast<size_t>(at)]; }

  CostTree finish() {
    for (CostNode& n : tree_.nodes) n.total = n.self;
    for (size_t i = tree_.nodes.size(); i-- > 1;) {  // children stand behind their parents
      const CostNode& n = tree_.nodes[i];
      CostNode& parent = node(n.parent);
      const bool first = parent.ops == 0;
      parent.total += n.total;
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
    for (CostNode& n : tree_.nodes) {
      if (n.mixed) n.backend = {};
    }
    return std::move(tree_);
  }

  const OpTable& table_;
  CostTree tree_;

 private:
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
  bool any_execution_ = false;
};

using ModuleTypes = std::unordered_map<std::string, std::string>;

int32_t module_node(TreeBuilder& b, int32_t method, const std::string& path, const ModuleTypes& types) {
  const auto type_of = [&](const std::string& p) {
    const auto found = types.find(p);
    return found == types.end() ? std::string() : found->second;
  };
  int32_t at = b.child(method, CostKind::Module, "");
  b.node(at).type = b.keep(type_of(""));
  size_t levels = 0;
  for (size_t begin = 0; begin < path.size() && ++levels < kMostLevels;) {
    const size_t dot = std::min(path.find('.', begin), path.size());
    at = b.child(at, CostKind::Module, path.substr(begin, dot - begin));
    const std::string whole = path.substr(0, dot);
    b.node(at).path = b.keep(whole);
    b.node(at).type = b.keep(type_of(whole));
    begin = dot + 1;
  }
  return at;
}

void add_outside(TreeBuilder& b, int32_t method, size_t index, double time) {
  const OpEntry& op = b.table_.ops[index];
  const int32_t outside = b.child(method, CostKind::Outside, "(no module)");
  const CostKind kind = op.encloses ? CostKind::Unattributed : CostKind::Call;
  const int32_t at = b.child(outside, kind, op_label(op));
  CostNode& n = b.node(at);
  n.type = b.keep(op.kind.str());
  if (n.op < 0) n.op = static_cast<int32_t>(index);
  b.charge(at, index, time);
}

// The nearest op around that is on the trace's clock.
std::optional<size_t> enclosing(const OpTable& table, const OpBlock& block, size_t op) {
  for (size_t steps = 0; steps < kMostLevels && table.ops[op].parent; ++steps) {
    op = *table.ops[op].parent;
    if (op < block.first_op || op >= block.first_op + block.ops) break;
    if (table.ops[op].on_trace_clock() && table.ops[op].count > 0) return op;
  }
  return std::nullopt;
}

}  // namespace

Status module_tree(const Store& store, const OpTable& table, CostTree* out) {
  ModuleTypes types;
  Statement st;
  Status status = store.prepare(
      "SELECT m.path, max(m.type) FROM modules m JOIN nodes n ON n.node_id = m.node_id WHERE n.trace_id = ?1 "
      "GROUP BY m.path",
      &st);
  if (!status.ok()) return status;
  st.bind_all(table.trace_id);
  while (st.step()) types.emplace(st.str(0), st.str(1));
  status = st.finish("modules");
  if (!status.ok()) return status;

  TreeBuilder b(table);
  for (const OpBlock& block : table.blocks) {
    if (!b.counted(block)) continue;
    const int32_t method = b.method_node(block);
    for (size_t i = block.first_op; i < block.first_op + block.ops; ++i) {
      const OpEntry& op = table.ops[i];
      if (!b.counted(op)) continue;
      const double self = op.cost;
      double charged = 0;
      for (size_t l = op.first_node; l < op.first_node + op.nodes; ++l) {
        const OpNode& link = table.nodes[l];
        if (!(link.weight > 0)) continue;
        charged += link.weight;
        const NodeFacts& facts = *link.node;
        const int32_t where = facts.has_module ? module_node(b, method, facts.module_path, types)
                                               : b.child(method, CostKind::Outside, "(no module)");
        const int32_t at = b.child(where, CostKind::Node, facts.name);
        b.node(at).type = b.keep(facts.op);
        b.node(at).node = b.keep(facts.name);
        b.charge(at, i, link.weight * self);
      }
      // Weights add up to 1, or to 0 where nobody can be charged.
      if (charged <= 0) {
        add_outside(b, method, i, self);
      } else if (charged < 1 - 1e-9) {
        add_outside(b, method, i, (1 - charged) * self);
      }
    }
  }
  *out = b.finish();
  return {};
}

CostTree call_tree(const OpTable& table, bool merge_names) {
  TreeBuilder b(table);
  if (!merge_names) b.tree_.nodes.reserve(table.ops.size() + table.blocks.size() + 1);
  for (const OpBlock& block : table.blocks) {
    if (!b.counted(block)) continue;
    const int32_t method = b.method_node(block);
    const size_t end = block.first_op + block.ops;
    std::vector<int32_t> made(block.ops, -1);  // nodes of the block's ops
    // Outermost first: an enclosing op may stand before or behind what it encloses.
    const auto place = [&](size_t op) {
      std::vector<size_t> chain;
      int32_t parent = method;
      for (std::optional<size_t> at = op; at; at = enclosing(table, block, *at)) {
        if (made[*at - block.first_op] >= 0) {
          parent = made[*at - block.first_op];
          break;
        }
        if (chain.size() >= kMostLevels) break;  // a ring in a damaged store
        chain.push_back(*at);
      }
      for (; !chain.empty(); chain.pop_back()) {
        const size_t at = chain.back();
        const std::string label = op_label(table.ops[at]);
        // Calls with and without inner events do not
        // merge: the former's own time is unattributed.
        const std::string key = (table.ops[at].encloses ? "+" : "") + label;
        parent = merge_names ? b.child(parent, CostKind::Call, key) : b.add(parent, CostKind::Call, b.keep(label));
        CostNode& n = b.node(parent);
        n.name = b.keep(label);
        n.type = b.keep(table.ops[at].kind.str());
        if (n.op < 0) n.op = static_cast<int32_t>(at);
        if (const OpNode* main = table.main_node(table.ops[at]); main != nullptr && main->node->has_module) {
          n.path = b.keep(main->node->module_path);
        }
        made[at - block.first_op] = parent;
      }
    };
    for (size_t i = block.first_op; i < end; ++i) {
      if (!b.counted(table.ops[i])) continue;
      place(i);
    }
    for (size_t i = block.first_op; i < end; ++i) {
      int32_t at = made[i - block.first_op];
      if (at < 0) continue;
      if (table.ops[i].encloses) {
        at = merge_names ? b.child(at, CostKind::Unattributed, "(unattributed)")
                         : b.add(at, CostKind::Unattributed, b.keep("(unattributed)"));
        CostNode& n = b.node(at);
        n.type = b.keep(table.ops[i].kind.str());
        if (n.op < 0) n.op = static_cast<int32_t>(i);
      }
      b.charge(at, i, table.ops[i].cost);
    }
  }
  return b.finish();
}

}  // namespace et::inspector
