#include "inspector/analysis/ops/unlinked_time.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "inspector/analysis/ops/op_title.h"
#include "inspector/ingest/links/unlinked_reasons.h"

namespace et::inspector {
namespace {

/// Weights of the nodes that the op's time goes to: of those with a file, and of all.
struct LinkedWeight {
  double lined = 0;
  bool any = false;
};

LinkedWeight linked_weight(const OpTable& table, const OpEntry& op) {
  LinkedWeight out;
  for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) {
    const OpNode& n = table.nodes[i];
    if (!(n.weight > 0)) continue;
    out.any = true;
    if (!n.node->file.empty()) out.lined += n.weight;
  }
  return out;
}

bool charged_to_several_types(const OpTable& table, const OpEntry& op) {
  const OpNode* first = nullptr;
  for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) {
    const OpNode& n = table.nodes[i];
    if (!(n.weight > 0)) continue;
    if (first == nullptr) first = &n;
    if (n.node->op != first->node->op) return true;
  }
  return false;
}

bool has_cost(const OpTable& table, const OpEntry& op) {
  return table.block_of(op).kind == "execute" && op.on_trace_clock() && op.cost > 0;
}

/// What the executions cost, the variation as well: what all shares are of. Where inner events overlap (costs below 0),
/// what their ops cost at least.
double executed_cost(const OpTable& table, double of_ops) {
  double total = 0;
  for (const OpBlock& block : table.blocks) total += block.kind == "execute" ? block.cost : 0;
  return std::max(total, of_ops);
}

/// What the import found, by the op's key.
std::unordered_map<int64_t, std::string> stored_reasons(const Store& store, const OpTable& table) {
  std::unordered_map<int64_t, std::string> out;
  const auto [first, last] = table.ids();
  Statement st = store.query("SELECT op, reason FROM raw_unlinked WHERE op BETWEEN ?1 AND ?2");
  st.bind_all(first, last);
  while (st.step()) out.emplace(st.integer(0), st.str(1));
  return out;
}

}  // namespace

std::string UnlinkedGroup::what() const {
  return count.ops == 0 && count.calls == 1 ? example : count.text() + ", e.g. " + example;
}

double share_without_line(const OpTable& table) {
  double of_ops = 0, lined = 0;
  for (const OpEntry& op : table.ops) {
    if (!has_cost(table, op)) continue;
    of_ops += op.cost;
    lined += linked_weight(table, op).lined * op.cost;
  }
  const double total = executed_cost(table, of_ops);
  return total > 0 ? (of_ops - lined) / total : 0;
}

double share_of_guessed_types(const OpTable& table) {
  double of_ops = 0, guessed = 0;
  for (const OpEntry& op : table.ops) {
    if (!has_cost(table, op)) continue;
    of_ops += op.cost;
    guessed += charged_to_several_types(table, op) ? op.cost : 0;
  }
  const double total = executed_cost(table, of_ops);
  return total > 0 ? guessed / total : 0;
}

UnlinkedTime unlinked_time(const Store& store, const OpTable& table) {
  const std::unordered_map<int64_t, std::string> reasons = stored_reasons(store, table);
  UnlinkedTime out;
  out.basis = table.basis;
  struct Group {
    UnlinkedGroup group;
    std::vector<uint32_t> ops;
    double most = 0;  // cost of the costliest
  };
  std::map<std::string, Group> groups;
  for (uint32_t i = 0; i < table.ops.size(); ++i) {
    const OpEntry& op = table.ops[i];
    if (!has_cost(table, op)) continue;
    out.of_ops += op.cost;
    const LinkedWeight linked = linked_weight(table, op);
    const double time = op.cost * (1 - linked.lined);
    if (!(time > 0)) continue;
    const auto stored = reasons.find(op.id);
    const std::string reason = linked.any                   ? unlinked_reason(Unlinked::no_line).text
                               : stored != reasons.end()    ? stored->second
                               : op.kind == "delegate_call" ? unlinked_reason(Unlinked::delegate_overhead).text
                                                            : unlinked_reason(Unlinked::runtime_overhead).text;
    auto& [group, ops, most] = groups[reason];
    group.reason = reason;
    ops.push_back(i);
    group.ns += time;
    if (time <= most) continue;
    most = time;
    group.example = op.kind == "framework" ? own_time_title(table, op) : op_title(table, op);
  }
  out.total = executed_cost(table, out.of_ops);
  for (auto& [reason, found] : groups) {
    // Weights of a node's share add up to 1 but for rounding.
    if (found.group.ns < out.total * 1e-9) continue;
    found.group.count = count_ops_and_calls(table, found.ops);
    out.unlinked += found.group.ns;
    out.groups.push_back(std::move(found.group));
  }
  std::stable_sort(out.groups.begin(), out.groups.end(),
                   [](const UnlinkedGroup& a, const UnlinkedGroup& b) { return a.ns > b.ns; });
  return out;
}

}  // namespace et::inspector
