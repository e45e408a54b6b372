#include "inspector/analysis/ops/stack_profile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "inspector/analysis/ops/frame_tree.h"

namespace et::inspector {
namespace {

/// Ops on the trace's clock, enclosing ones first. What a damaged store lets enclose itself is left out.
std::vector<size_t> outermost_first(const OpTable& table) {
  std::vector<std::vector<uint32_t>> inside(table.ops.size());
  std::vector<size_t> order;
  for (size_t i = 0; i < table.ops.size(); ++i) {
    const OpEntry& op = table.ops[i];
    if (!op.on_trace_clock()) continue;
    if (op.parent) {
      inside[*op.parent].push_back(static_cast<uint32_t>(i));
    } else {
      order.push_back(i);
    }
  }
  for (size_t at = 0; at < order.size(); ++at) {
    order.insert(order.end(), inside[order[at]].begin(), inside[order[at]].end());
  }
  return order;
}

/// Takes negative self times out of a table: what is inside of an op is shrunk until it fits. Sums stay.
void fit_costs(OpTable* table) {
  std::vector<OpEntry>& ops = table->ops;
  const std::vector<size_t> order = outermost_first(*table);
  std::vector<double> inner(ops.size()), whole(ops.size()), factor(ops.size(), 1);
  for (size_t k = order.size(); k-- > 0;) {
    const size_t i = order[k];
    whole[i] = ops[i].cost + inner[i];
    if (ops[i].parent) inner[*ops[i].parent] += whole[i];
  }
  std::vector<double> of_block(table->blocks.size(), 1);
  for (size_t b = 0; b < table->blocks.size(); ++b) {
    OpBlock& block = table->blocks[b];
    if (block.variation >= 0) continue;
    // The usual times of the ops sum to more than the usual execution.
    of_block[b] = block.cost / (block.cost - block.variation);
    block.variation = 0;
  }
  for (const size_t i : order) {
    const double outer = ops[i].parent ? factor[*ops[i].parent] : of_block[ops[i].block];
    const bool fits = ops[i].cost >= 0;
    factor[i] = fits ? outer : inner[i] > 0 ? std::max(0.0, whole[i]) * outer / inner[i] : 0;
    ops[i].cost = fits ? ops[i].cost * outer : 0;
  }
}

class ProfileBuilder {
 public:
  ProfileBuilder(StackKind kind, StackProfile* out) : kind_(kind), out_(*out) {}

  /// Adds what a tree has on one basis: to `warm` of the stacks, or to samples and `total`.
  void add(const OpTable& table, const CostTree& tree, bool warm) {
    nodes_.assign(tree.nodes.size(), {});
    std::vector<double> rest(tree.nodes.size());
    for (size_t i = 0; i < tree.nodes.size(); ++i) rest[i] = tree.nodes[i].self;
    for (const CostCharge& c : tree.charges) {
      const auto at = static_cast<size_t>(c.node);
      rest[at] -= c.time;
      const OpEntry& op = table.ops[c.op];
      const std::string module = c.link >= 0 ? table.nodes[static_cast<size_t>(c.link)].node->module_path : "";
      weigh({path(tree, c.node), op.backend.value_or(""), module}, op.count, c.time, warm);
    }
    for (size_t i = 1; i < tree.nodes.size(); ++i) {
      const CostNode& n = tree.nodes[i];
      const bool op = tree.charges.empty() && n.op >= 0 && n.children.empty();
      if (!(rest[i] > 1e-6) && !op) continue;
      weigh({path(tree, static_cast<int32_t>(i)), n.backend.str(), n.path.str()},
            op ? table.ops[static_cast<size_t>(n.op)].count : 0, std::max(0.0, rest[i]), warm);
    }
  }

  /// Rounds to whole ticks so that the sums stay.
  void finish() {
    double total = 0, warm = 0;
    for (size_t i = 0; i < out_.stacks.size(); ++i) {
      out_.stacks[i].total = step(&total, times_[i].first);
      out_.stacks[i].warm = step(&warm, times_[i].second);
    }
  }

 private:
  using Key = std::tuple<std::vector<int32_t>, std::string, std::string>;

  static int64_t step(double* sum, double more) {
    const double before = *sum;
    *sum += more;
    return std::llround(*sum) - std::llround(before);
  }

  void weigh(const Key& key, int64_t samples, double time, bool warm) {
    const auto [at, fresh] = index_.try_emplace(key, out_.stacks.size());
    if (fresh) {
      out_.stacks.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), 0, 0, 0});
      times_.emplace_back();
    }
    (warm ? times_[at->second].second : times_[at->second].first) += time;
    if (!warm) out_.stacks[at->second].samples += samples;
  }

  const std::vector<int32_t>& path(const CostTree& tree, int32_t node) {
    std::vector<int32_t>& known = nodes_[static_cast<size_t>(node)];
    if (!known.empty() || node == 0) return known;
    const CostNode& n = tree.nodes[static_cast<size_t>(node)];
    known = path(tree, n.parent);
    // The own time of a call belongs to the call: no frame more.
    if (n.kind != CostKind::Unattributed || kind_ == StackKind::Python) known.push_back(frame(n));
    return known;
  }

  int32_t frame(const CostNode& n) {
    std::string name = n.name.str();
    if (n.kind == CostKind::Node && !n.type.empty()) name = n.type.str();
    if (name.empty()) name = n.kind == CostKind::Method ? "(method not known)" : "?";
    const bool line = n.kind == CostKind::Frame;
    const auto [at, fresh] =
        frames_.try_emplace({name, line ? n.file.str() : "", line ? n.line : 0}, out_.frames.size());
    if (fresh) out_.frames.push_back({name, std::get<1>(at->first), std::get<2>(at->first)});
    return static_cast<int32_t>(at->second);
  }

  StackKind kind_;
  StackProfile& out_;
  std::map<Key, size_t> index_;
  std::map<std::tuple<std::string, std::string, int64_t>, size_t> frames_;
  std::vector<std::pair<double, double>> times_;  // total, warm; by stack
  std::vector<std::vector<int32_t>> nodes_;       // paths, of the tree that is being added
};

}  // namespace

Status stack_profile(const Store& store, int64_t trace_id, StackKind kind, const PathMaps& maps, StackProfile* out) {
  *out = {};
  ProfileBuilder builder(kind, out);
  for (const bool warm : {false, true}) {
    OpTable table;
    const Basis basis = {warm ? BasisKind::WarmMedian : BasisKind::Total};
    if (Status s = load_shown_ops(store, trace_id, {.maps = maps, .basis = basis}, &table); !s.ok()) return s;
    fit_costs(&table);
    CostTree tree;
    if (kind == StackKind::Ops) {
      tree = call_tree(table, false);
      tree.charges.clear();  // each op is a node of its own
    } else if (Status s = frame_tree(store, table, {scope_of_rule(table.lines.rule), maps}, &tree); !s.ok()) {
      return s;
    }
    builder.add(table, tree, warm);
    out->unit = table.unit;
    out->title = table.trace_name.empty() ? "trace " + std::to_string(trace_id) : table.trace_name;
    out->lines = table.lines.text();
  }
  builder.finish();
  return {};
}

}  // namespace et::inspector
