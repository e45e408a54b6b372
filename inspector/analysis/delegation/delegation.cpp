#include "inspector/analysis/delegation/delegation.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/json_list_reader.h"
#include "inspector/match/operator_name.h"
#include "inspector/match/xnnpack_kinds.h"

namespace et::inspector {
namespace {

struct LoweredNode {
  int64_t id = 0;
  std::string name, op;
  int64_t handle = -1;
  int64_t getitems = 0;  // uses of single outputs of a node with several
  bool delegated = false;
};

// "aten_add_tensor_12" → "aten_add_tensor".
std::string type_of(std::string_view name) {
  size_t end = name.size();
  while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9') --end;
  if (end < name.size() && end > 0 && name[end - 1] == '_') name = name.substr(0, end - 1);
  return std::string(name);
}

bool is_delegate_call(const LoweredNode& n) { return type_of(n.name) == "executorch_call_delegate"; }

// Operators that lowering turns into views of memory: they can be without an instruction of their own.
bool is_view(std::string_view op) {
  const std::string_view base = operator_base(op);
  return base == "view_copy" || base == "view" || base == "_unsafe_view" || base == "reshape";
}

/// Instructions of one handle that call kernels.
struct Outside {
  std::vector<std::string> kernels;
  int64_t unnamed = 0;  // neither a program nor an event tells the kernel
};

class MethodCount {
 public:
  MethodCount(const Store& store, int64_t trace, std::string method) : store_(store), trace_(trace) {
    out_.method = std::move(method);
  }

  DelegationSummary run() {
    std::vector<LoweredNode> nodes = load_nodes("edge");
    if (const std::vector<LoweredNode> lowered = load_nodes("lowered"); !lowered.empty()) {
      count_lowered(lowered);
      for (const LoweredNode& n : nodes) type_of_node_[n.id] = type_of(n.name);
    } else if (std::any_of(nodes.begin(), nodes.end(), is_delegate_call)) {
      count_lowered(nodes);
    } else {
      count_by_handles(nodes);
    }
    for (auto& [type, row] : rows_) {
      row.op_type = type;
      out_.delegated_nodes += row.delegated;
      out_.non_delegated_nodes += row.non_delegated;
    }
    add_costs();
    for (auto& [type, row] : rows_) {
      if (row.delegated + row.non_delegated > 0) out_.rows.push_back(row);
    }
    load_parts();
    return std::move(out_);
  }

 private:
  std::vector<LoweredNode> load_nodes(const std::string& graph) {
    Statement st = store_.query(
        "SELECT n.node_id, n.name, n.op, n.debug_handle, coalesce(r.results, 0) FROM nodes n LEFT JOIN (SELECT "
        "node_id, count(*) AS "
        "results FROM graph_values WHERE trace_id = ?1 AND role = 'result' AND name NOT LIKE '%\\_unused\\_%' ESCAPE "
        "'\\' GROUP BY "
        "node_id) r ON r.node_id = n.node_id WHERE n.trace_id = ?1 AND n.method IS ?2 AND n.graph = ?3 AND n.subgraph "
        "= '' "
        "ORDER BY n.ordinal");
    st.bind_all(trace_, out_.method, graph);
    std::vector<LoweredNode> nodes;
    while (st.step()) {
      nodes.push_back({st.integer(0), st.str(1), st.str(2), st.is_null(3) ? -1 : st.integer(3), st.integer(4), false});
    }
    return nodes;
  }

  void count(const LoweredNode& n, bool delegated) {
    (delegated ? rows_[type_of(n.name)].delegated : rows_[type_of(n.name)].non_delegated) += 1;
    type_of_node_[n.id] = type_of(n.name);
  }
  void count_getitems(int64_t n, bool delegated) {
    if (n > 0) (delegated ? rows_["getitem"].delegated : rows_["getitem"].non_delegated) += n;
  }

  // A record made from a lowered program has the calls and the graphs inside them.
  void count_lowered(const std::vector<LoweredNode>& nodes) {
    for (const LoweredNode& n : nodes) {
      count_getitems(n.getitems, false);
      if (!is_delegate_call(n)) count(n, false);
    }
    Statement st = store_.query(
        "SELECT DISTINCT graph FROM nodes WHERE trace_id = ?1 AND graph LIKE 'edge%:%' AND graph NOT LIKE '%:%:%'");
    st.bind_all(trace_);
    std::vector<std::string> inside;
    while (st.step()) inside.push_back(st.str(0));
    for (const std::string& graph : inside) {
      Statement method = store_.query("SELECT method FROM nodes WHERE trace_id = ?1 AND graph = ?2 LIMIT 1");
      method.bind_all(trace_, graph);
      if (!method.step() || method.text(0) != out_.method) continue;
      ++out_.subgraphs;
      for (const LoweredNode& n : load_nodes(graph)) {
        count(n, true);
        count_getitems(n.getitems, true);
      }
    }
  }

  // The record's graph is the one before delegation; a delegate call lists the handle of each node it took, with
  // repeats.
  void count_by_handles(std::vector<LoweredNode>& nodes) {
    std::map<int64_t, std::vector<LoweredNode*>> by_handle;
    for (LoweredNode& n : nodes) by_handle[n.handle].push_back(&n);
    std::map<int64_t, int64_t> taken;
    std::map<int64_t, Outside> outside;
    int64_t outputs = 0;
    const std::map<int64_t, std::string> ran = kernels_of_events();
    Statement st = store_.query(
        "SELECT kind, operator, debug_handles, outputs, instruction_id FROM instructions WHERE trace_id = ?1 AND "
        "method = ?2");
    st.bind_all(trace_, out_.method);
    while (st.step()) {
      const std::vector<int64_t> handles = json_ints(st.text(2));
      if (st.text(0) == "DelegateCall") {
        ++out_.subgraphs;
        outputs += st.is_null(3) ? 1 : st.integer(3);
        for (const int64_t h : handles) ++taken[h];
      } else if (st.text(0) == "KernelCall") {
        // Without a program the record knows the handles, and only the events the kernels' names.
        std::string kernel(operator_base(st.text(1)));
        const auto event = ran.find(st.integer(4));
        if (kernel.empty() && event != ran.end()) kernel = event->second;
        for (const int64_t h : handles) {
          kernel.empty() ? void(++outside[h].unnamed) : outside[h].kernels.push_back(kernel);
        }
      }
    }
    std::map<int64_t, std::vector<std::string>> payload = payload_types();
    for (const auto& [handle, number] : taken) take(by_handle[handle], number, outside[handle], payload[handle]);
    for (const LoweredNode& n : nodes) {
      if (n.delegated) continue;
      count(n, false);
      count_getitems(n.getitems, false);
    }
    count_getitems(outputs, false);
  }

  std::map<int64_t, std::string> kernels_of_events() {
    Statement st = store_.query(
        "SELECT instruction_id, min(name) FROM ops WHERE trace_id = ?1 AND method = ?2 AND kind = 'kernel' AND "
        "instruction_id IS NOT NULL GROUP BY instruction_id");
    st.bind_all(trace_, out_.method);
    std::map<int64_t, std::string> kernels;
    while (st.step()) kernels[st.integer(0)] = std::string(operator_base(st.text(1)));
    return kernels;
  }

  // Types of the payloads' nodes by handle.
  std::map<int64_t, std::vector<std::string>> payload_types() {
    Statement st = store_.query(
        "SELECT p.debug_handle, p.type FROM payload_nodes p JOIN delegates d ON d.delegate_id = p.delegate_id WHERE "
        "p.trace_id = ?1 AND "
        "d.method = ?2 AND p.debug_handle IS NOT NULL");
    st.bind_all(trace_, out_.method);
    std::map<int64_t, std::vector<std::string>> types;
    while (st.step()) types[st.integer(0)].push_back(st.str(1));
    return types;
  }

  // `number` of the nodes with one handle were delegated; getitem nodes, which the graph does not have, share the
  // handle of what they take apart. When that is not all of them: not those that kernels execute; then those that the
  // payload has; views last, since they need no instruction to stay outside.
  void take(std::vector<LoweredNode*> nodes, int64_t number, const Outside& outside,
            const std::vector<std::string>& payload) {
    if (number < weight(nodes)) {
      for (const std::string& k : outside.kernels) {
        const auto it =
            std::find_if(nodes.begin(), nodes.end(), [&](const LoweredNode* n) { return operator_base(n->op) == k; });
        if (it != nodes.end()) nodes.erase(it);
      }
    }
    const bool all = number >= weight(nodes) || (number >= static_cast<int64_t>(nodes.size()) && outside.unnamed == 0);
    if (!all) {
      choose(&nodes, number, outside, payload);
      return;
    }
    int64_t left = number;
    for (LoweredNode* n : nodes) {
      n->delegated = true;
      count(*n, true);
      --left;
    }
    for (const LoweredNode* n : nodes) {
      const int64_t items = std::min(left, n->getitems);
      count_getitems(items, true);
      left -= items;
    }
    // Up to release 0.7 a getitem node has a handle of its own.
    if (nodes.empty() && outside.kernels.empty()) count_getitems(left, true);
    // More entries than nodes: nodes that were duplicated.
    for (; left > 0 && !nodes.empty(); --left) count(*nodes.back(), true);
  }

  static int64_t weight(const LoweredNode* n) { return 1 + n->getitems; }
  static int64_t weight(const std::vector<LoweredNode*>& nodes) {
    int64_t sum = 0;
    for (const LoweredNode* n : nodes) sum += weight(n);
    return sum;
  }

  /// Some of `nodes`: the likeliest first.
  void choose(std::vector<LoweredNode*>* nodes, int64_t number, const Outside& outside,
              const std::vector<std::string>& payload) {
    const auto rank = [&](const LoweredNode* n) {
      if (is_view(n->op)) return 2;
      const bool known = std::any_of(payload.begin(), payload.end(),
                                     [&](const std::string& t) { return node_fits_operator(t, operator_base(n->op)); });
      return known ? 0 : 1;
    };
    std::stable_sort(nodes->begin(), nodes->end(),
                     [&](const LoweredNode* a, const LoweredNode* b) { return rank(a) < rank(b); });
    int64_t left = number;
    int last = -1;  // rank of the last one taken
    for (LoweredNode* n : *nodes) {
      if (weight(n) > left) continue;
      n->delegated = true;
      left -= weight(n);
      last = rank(n);
    }
    const auto refused = std::find_if(nodes->begin(), nodes->end(), [](const LoweredNode* n) { return !n->delegated; });
    const bool alike = std::all_of(nodes->begin(), nodes->end(), [&](const LoweredNode* n) {
      return type_of(n->name) == type_of(nodes->front()->name) && n->getitems == nodes->front()->getitems;
    });
    const bool ranked = outside.unnamed == 0 && left == 0 && (refused == nodes->end() || rank(*refused) > last);
    if (!alike && !ranked) note_uncertain(*nodes, number);
    for (LoweredNode* n : *nodes) {
      if (!n->delegated && left > 0) {  // a part of its getitem nodes
        n->delegated = true;
        count(*n, true);
        const int64_t items = std::min(left - 1, n->getitems);
        count_getitems(items, true);
        count_getitems(n->getitems - items, false);
        left = 0;
      } else if (n->delegated) {
        count(*n, true);
        count_getitems(n->getitems, true);
      }
    }
  }

  /// Any of `nodes` may be among the delegated: how many of a type at least and at most.
  void note_uncertain(const std::vector<LoweredNode*>& nodes, int64_t number) {
    struct OfType {
      int64_t nodes = 0, weight = 0, lightest = 0, heaviest = 0, chosen = 0;
    };
    std::map<std::string, OfType> types;
    OfType items;
    for (const LoweredNode* n : nodes) {
      OfType& t = types[type_of(n->name)];
      t.lightest = t.nodes == 0 ? weight(n) : std::min(t.lightest, weight(n));
      t.heaviest = std::max(t.heaviest, weight(n));
      ++t.nodes;
      t.weight += weight(n);
      t.chosen += n->delegated ? 1 : 0;
      items.nodes += n->getitems;
      items.chosen += n->delegated ? n->getitems : 0;
    }
    const int64_t all = weight(nodes);
    const auto widen = [&](const std::string& type, int64_t least, int64_t most, int64_t chosen) {
      rows_[type].fewer += std::max<int64_t>(0, chosen - least);
      rows_[type].more += std::max<int64_t>(0, most - chosen);
    };
    for (const auto& [type, t] : types) {
      const int64_t must = std::max<int64_t>(0, number - (all - t.weight));
      widen(type, (must + t.heaviest - 1) / t.heaviest, std::min(t.nodes, number / t.lightest), t.chosen);
    }
    if (items.nodes > 0) widen("getitem", 0, std::min(items.nodes, number), items.chosen);
    out_.uncertain_nodes += static_cast<int64_t>(nodes.size());
  }

  void add_costs() {
    Statement st = store_.query(
        "SELECT c.node_id, o.kind IN ('delegate_op', 'delegate_call', 'backend'), sum(c.ns) FROM costs c JOIN ops o ON "
        "o.op_id = c.op_id "
        "JOIN blocks b ON b.block_id = c.block_id WHERE c.trace_id = ?1 AND b.method IS ?2 AND b.kind = 'execute' AND "
        "c.node_id IS NOT "
        "NULL GROUP BY 1, 2");
    st.bind_all(trace_, out_.method);
    while (st.step()) {
      const auto type = type_of_node_.find(st.integer(0));
      if (type == type_of_node_.end()) continue;
      DelegationRow& row = rows_[type->second];
      (st.integer(1) != 0 ? row.ns_delegated : row.ns_non_delegated) += st.real(2);
    }
  }

  void load_parts() {
    Statement st = store_.query(
        "SELECT i.instruction_id, d.backend, i.debug_handles, d.payload_bytes, o.count, o.ns, o.inner_ns FROM "
        "instructions i JOIN "
        "delegates d ON d.delegate_id = i.delegate_id LEFT JOIN (SELECT instruction_id, sum(count) AS count, "
        "sum(sum_ns) AS ns, "
        "sum(sum_ns - self_ns) AS inner_ns FROM ops WHERE trace_id = ?1 AND method = ?2 AND kind = 'delegate_call' "
        "GROUP BY "
        "instruction_id) o ON o.instruction_id = i.instruction_id WHERE i.trace_id = ?1 AND i.method = ?2 ORDER BY "
        "i.instruction_id");
    st.bind_all(trace_, out_.method);
    while (st.step()) {
      out_.parts.push_back({st.integer(0), st.str(1), static_cast<int64_t>(json_ints(st.text(2)).size()),
                            st.is_null(3) ? -1 : st.integer(3), st.integer(4), st.integer(5), st.integer(6)});
    }
  }

  const Store& store_;
  int64_t trace_;
  DelegationSummary out_;
  std::map<std::string, DelegationRow> rows_;
  std::map<int64_t, std::string> type_of_node_;
};

}  // namespace

Status delegation(const Store& store, int64_t trace_id, std::vector<DelegationSummary>* out) {
  out->clear();
  Statement st = store.query(
      "SELECT DISTINCT method FROM nodes WHERE trace_id = ?1 AND graph = 'edge' AND method IS NOT NULL ORDER BY "
      "method");
  st.bind_all(trace_id);
  while (st.step()) out->push_back(MethodCount(store, trace_id, st.str(0)).run());
  return {};
}

Status shown_delegation(const Store& store, const OpTable& table, std::vector<DelegationSummary>* out) {
  if (Status s = delegation(store, table.trace_id, out); !s.ok()) return s;
  for (DelegationSummary& m : *out) {
    std::map<std::string, DelegationRow*> rows;
    for (DelegationRow& r : m.rows) {
      r.ns_delegated = r.ns_non_delegated = 0;
      rows[r.op_type] = &r;
    }
    for (const OpEntry& op : table.ops) {
      const OpBlock& block = table.block_of(op);
      if (block.kind != "execute" || block.method != m.method || !op.on_trace_clock()) continue;
      for (size_t l = op.first_node; l < op.first_node + op.nodes; ++l) {
        const OpNode& link = table.nodes[l];
        const auto row = link.weight > 0 ? rows.find(type_of(link.node->name)) : rows.end();
        if (row == rows.end()) continue;
        const bool inside = op.kind == "delegate_op" || op.kind == "delegate_call" || op.kind == "backend";
        (inside ? row->second->ns_delegated : row->second->ns_non_delegated) += link.weight * op.cost;
      }
    }
    std::stable_sort(m.rows.begin(), m.rows.end(),
                     [](const DelegationRow& a, const DelegationRow& b) { return a.ns() > b.ns(); });
  }
  return {};
}

}  // namespace et::inspector
