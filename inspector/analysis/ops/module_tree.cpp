#include "inspector/analysis/ops/module_tree.h"

#include <algorithm>
#include <map>
#include <optional>

#include "inspector/analysis/ops/op_title.h"
#include "inspector/analysis/ops/tree_builder.h"

namespace et::inspector {

Status load_module_types(const Store& store, int64_t trace_id, ModuleTypes* out) {
  Statement st;
  Status status = store.prepare(
      "SELECT m.path, max(m.type) FROM modules m JOIN nodes n ON n.node_id = m.node_id WHERE n.trace_id = ?1 "
      "GROUP BY m.path",
      &st);
  if (!status.ok()) return status;
  st.bind_all(trace_id);
  while (st.step()) out->emplace(st.str(0), st.str(1));
  return st.finish("modules");
}

namespace {

constexpr size_t kMostLevels = 64;  // of modules; deeper paths of a damaged record end there

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

/// `alike`: ops outside of modules by what they are called: several are in a box of their own.
void add_outside(TreeBuilder& b, int32_t method, size_t index, double time, const std::map<std::string, int>& alike) {
  const OpEntry& op = b.table_.ops[index];
  const int32_t outside = b.child(method, CostKind::Outside, "(no module)");
  b.node(outside).note = b.keep("Overhead, and ops without a link to the graph: by frames each has its reason.");
  const CostKind kind = op.encloses ? CostKind::Unattributed : CostKind::Call;
  const std::string type = type_title(b.table_, op), title = own_time_title(b.table_, op);
  const bool grouped = kind == CostKind::Call && alike.at(type) > 1 && type != title;
  const int32_t at = b.child(grouped ? b.child(outside, CostKind::Group, type) : outside, kind, title);
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
  if (Status status = load_module_types(store, table.trace_id, &types); !status.ok()) return status;
  TreeBuilder b(table);
  struct Outside {
    int32_t method;
    size_t op;
    double time;
  };
  std::vector<Outside> outside;
  std::map<std::string, int> alike;
  const auto keep_outside = [&](int32_t method, size_t op, double time) {
    outside.push_back({method, op, time});
    ++alike[type_title(table, table.ops[op])];
  };
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
        b.charge(at, i, link.weight * self, link.weight, static_cast<int32_t>(l));
      }
      // Weights add up to 1, or to 0 where nobody can be charged.
      if (charged <= 0) {
        keep_outside(method, i, self);
      } else if (charged < 1 - 1e-9) {
        keep_outside(method, i, (1 - charged) * self);
      }
    }
  }
  for (const Outside& o : outside) add_outside(b, o.method, o.op, o.time, alike);
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
        const std::string label = op_title(table, table.ops[at]);
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
        const char* own = table.ops[i].kind == "framework" ? "framework" : "(unattributed)";
        at = merge_names ? b.child(at, CostKind::Unattributed, own) : b.add(at, CostKind::Unattributed, b.keep(own));
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
