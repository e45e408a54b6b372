#include "inspector/analysis/ops/source_lines.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "inspector/analysis/ops/op_count.h"
#include "inspector/analysis/ops/share_basis.h"

namespace et::inspector {
namespace {

using Lines = std::map<std::string, std::map<int64_t, SourceLine>>;

SourceLine& line_at(Lines& lines, const std::string& file, int64_t line) {
  SourceLine& l = lines[file][line];
  l.line = line;
  return l;
}

/// What the executions' ops charge each graph node with, on the table's basis, and how many of them do.
struct NodeCharge {
  double cost = 0;
  std::vector<uint32_t> ops;
};
using NodeCharges = std::map<int64_t, NodeCharge>;

Status charge_nodes(const Store& store, const OpTable& table, NodeCharges* charges, SourceCost* cost) {
  for (const OpBlock& block : table.blocks) {
    if (block.kind != "execute") continue;
    cost->total_ns += block.cost;
    cost->variation_ns += block.variation;
  }
  cost->no_line_ns = cost->total_ns - cost->variation_ns;
  cost->base_ns = share_basis({cost->total_ns, cost->variation_ns});
  const auto [first, last] = table.ids();
  Statement links = store.query("SELECT op, node, weight FROM raw_link WHERE op BETWEEN ?1 AND ?2 AND weight > 0");
  links.bind_all(first, last);
  while (links.step()) {
    const int64_t id = links.integer(0);
    const auto index = table.find_own(id);
    if (!index) continue;
    const OpEntry& op = table.ops[*index];
    if (table.block_of(op).kind != "execute" || !op.on_trace_clock() || op.count == 0) continue;
    NodeCharge& charge = (*charges)[links.integer(1)];
    charge.cost += links.real(2) * op.cost;
    charge.ops.push_back(static_cast<uint32_t>(*index));
  }
  return links.finish("links");
}

/// The lines that are charged, each with the ops and the operators of its nodes.
Status add_own_lines(const Store& store, const OpTable& table, const NodeCharges& charges, Lines& lines,
                     SourceCost* cost) {
  Statement st = store.query(
      "SELECT file, coalesce(line, 0), coalesce(function, ''), coalesce(code, ''), op FROM nodes WHERE node_id = ?1");
  std::map<std::pair<std::string, int64_t>, std::vector<uint32_t>> ops;
  std::map<std::pair<std::string, int64_t>, std::map<std::string, double>> types;
  for (const auto& [node, charge] : charges) {
    st.bind_all(node);
    if (st.step() && !st.is_null(0)) {
      const std::pair<std::string, int64_t> at(st.str(0), st.integer(1));
      SourceLine& l = line_at(lines, at.first, at.second);
      l.function = std::max(l.function, st.str(2));
      l.code = std::max(l.code, st.str(3));
      l.ns += charge.cost;
      cost->no_line_ns -= charge.cost;
      ops[at].insert(ops[at].end(), charge.ops.begin(), charge.ops.end());
      types[at][st.str(4)] += charge.cost;
    }
    st.reset();
  }
  for (const auto& [at, all] : ops) line_at(lines, at.first, at.second).ops = count_ops(table, all);
  for (const auto& [at, by_type] : types) {
    std::vector<std::pair<double, std::string>> order;
    for (const auto& [type, time] : by_type) order.emplace_back(-time, type);
    std::sort(order.begin(), order.end());
    for (const auto& [time, type] : order) line_at(lines, at.first, at.second).op_types.push_back(type);
  }
  return st.finish("nodes");
}

/// The lines that called them.
Status add_callers(const Store& store, const NodeCharges& charges, Lines& lines) {
  // A line that is on a node's stack more than once (recursion) counts once.
  Statement frames = store.query(
      "SELECT DISTINCT file, line, coalesce(function, ''), coalesce(code, '') FROM frames WHERE node_id = ?1");
  std::map<std::pair<std::string, int64_t>, SourceLine> callers;
  std::set<std::pair<std::string, int64_t>> seen;
  for (const auto& [node, charge] : charges) {
    frames.bind_all(node);
    seen.clear();
    while (frames.step()) {
      const std::pair<std::string, int64_t> at(frames.str(0), frames.integer(1));
      // Installed packages that a model only passes through are not what a user wants to read.
      if (!lines.contains(at.first) || !seen.insert(at).second) continue;
      SourceLine& l = callers[at];
      l.inclusive_ns += charge.cost;
      l.function = std::max(l.function, frames.str(2));
      l.code = std::max(l.code, frames.str(3));
    }
    frames.reset();
  }
  for (const auto& [at, caller] : callers) {
    SourceLine& l = line_at(lines, at.first, at.second);
    l.inclusive_ns = caller.inclusive_ns;
    if (l.function.empty()) l.function = caller.function;
    if (l.code.empty()) l.code = caller.code;
  }
  return frames.finish("frames");
}

Status add_nodes(const Store& store, int64_t trace_id, Lines& lines) {
  Statement nodes = store.query(
      "SELECT file, coalesce(line, 0), coalesce(max(function), ''), coalesce(max(code), ''), op, count(*) FROM nodes "
      "WHERE trace_id = ?1 AND graph = 'edge' AND file IS NOT NULL GROUP BY file, line, op ORDER BY min(ordinal)");
  nodes.bind_all(trace_id);
  while (nodes.step()) {
    SourceLine& l = line_at(lines, nodes.str(0), nodes.integer(1));
    l.function = nodes.str(2);
    l.code = nodes.str(3);
    l.op_types.push_back(nodes.str(4));
    l.nodes += nodes.integer(5);
  }
  return nodes.finish("nodes");
}

}  // namespace

Status load_source_cost(const Store& store, const OpTable& table, SourceCost* out) {
  SourceCost cost;
  cost.unit = table.unit;
  cost.basis = table.basis;
  Lines lines;
  NodeCharges charges;
  Status status = charge_nodes(store, table, &charges, &cost);
  if (status.ok()) status = add_own_lines(store, table, charges, lines, &cost);
  if (status.ok()) status = add_callers(store, charges, lines);
  if (!status.ok()) return status;
  cost.timed =
      std::any_of(table.blocks.begin(), table.blocks.end(), [](const OpBlock& b) { return b.kind == "execute"; });
  if (!cost.timed) {
    if (Status s = add_nodes(store, table.trace_id, lines); !s.ok()) return s;
  }

  cost.shown = shown_lines(store, table.trace_id);
  const auto owners = owners_of_files(store, table.trace_id);
  for (auto& [file, by_line] : lines) {
    SourceFileCost f;
    f.file = file;
    if (const auto owner = owners.find(file); owner != owners.end()) f.owner = owner->second;
    for (auto& [number, l] : by_line) {
      f.ns += l.ns;
      l.inclusive_ns = std::max(l.inclusive_ns, l.ns);
      f.lines.push_back(std::move(l));
    }
    cost.files.push_back(std::move(f));
  }
  std::stable_sort(cost.files.begin(), cost.files.end(),
                   [](const SourceFileCost& a, const SourceFileCost& b) { return a.ns > b.ns; });
  *out = std::move(cost);
  return {};
}

void for_each_line_charge(const OpTable& table, const std::function<void(const LineCharge&)>& take) {
  struct Charge {
    double cost = 0, confidence = 0;
  };
  std::map<std::pair<std::string_view, int64_t>, Charge> lines;
  for (const OpEntry& op : table.ops) {
    if (table.block_of(op).kind != "execute" || !op.on_trace_clock()) continue;
    lines.clear();
    double charged = 0;
    for (size_t i = op.first_node; i < op.first_node + op.nodes; ++i) {
      const OpNode& link = table.nodes[i];
      const double weight = std::max(link.weight, 0.0);
      Charge& charge = lines[{link.node->file, link.node->file.empty() ? 0 : link.node->line.value_or(0)}];
      charge.cost += weight * op.cost;
      charge.confidence = std::max(charge.confidence, link.confidence);
      charged += weight;
    }
    if (charged < 1 - 1e-9) lines[{std::string_view(), 0}].cost += (1 - charged) * op.cost;
    for (const auto& [at, charge] : lines) {
      if (!at.first.empty() || charge.cost != 0) take({op.id, at.first, at.second, charge.cost, charge.confidence});
    }
  }
}

}  // namespace et::inspector
