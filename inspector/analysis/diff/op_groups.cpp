#include "inspector/analysis/diff/op_groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <unordered_map>

#include "inspector/analysis/ops/op_title.h"

namespace et::inspector {
namespace {

// An op with more nodes than any fusion has shares its handle with a whole loop; its nodes tell nothing apart.
constexpr uint32_t kMostNodes = 64;

class Sets {
 public:
  explicit Sets(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), size_t{0}); }
  size_t find(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(size_t a, size_t b) { parent_[find(b)] = find(a); }

 private:
  std::vector<size_t> parent_;
};

bool takes_part(const OpTable& table, const OpEntry& op) {
  return op.count > 0 && op.on_trace_clock() && table.block_of(op).kind == "execute";
}

class OpGrouper {
 public:
  OpGrouper(const OpTable& before, const OpTable& after, const UnknownMethods& unknown)
      : tables_{&before, &after},
        unknown_(unknown),
        by_event_(!before.ops.empty() && !after.ops.empty() && has_nodes(before) != has_nodes(after)),
        sets_(before.ops.size() + after.ops.size()) {}

  std::vector<OpGroup> run() {
    if (!tables_[0]->ops.empty() && !tables_[1]->ops.empty()) {
      for (const int side : {0, 1}) {
        for (const OpEntry& op : tables_[side]->ops) {
          if (op.kind == "delegate_op" && !has_work(op)) titles_[side].insert(op_title(*tables_[side], op));
        }
      }
    }
    for (const int side : {0, 1}) join_side(side);
    for (const int side : {0, 1}) add_absorbed(side);
    for (const NodeMatch& match : match_nodes(*tables_[0], *tables_[1], unknown_)) {
      const auto a = of_node_[0].find(match.a), b = of_node_[1].find(match.b);
      if (a == of_node_[0].end() || b == of_node_[1].end()) continue;
      sets_.join(a->second, b->second);
      matches_.push_back({a->second, match.via});
    }
    return collect();
  }

 private:
  static bool has_nodes(const OpTable& table) {
    return std::any_of(table.ops.begin(), table.ops.end(),
                       [&](const OpEntry& op) { return takes_part(table, op) && has_work(op); });
  }
  size_t index(int side, size_t op) const { return op + (side == 0 ? 0 : tables_[0]->ops.size()); }

  void join_side(int side) {
    const OpTable& table = *tables_[side];
    std::map<std::string, int64_t> numbers;  // of kernels of a name
    for (size_t i = 0; i < table.ops.size(); ++i) {
      const OpEntry& op = table.ops[i];
      if (!takes_part(table, op)) continue;
      const size_t at = index(side, i);
      // A call and its kernel are one.
      if (op.parent && table.ops[*op.parent].is_wrapper()) sets_.join(index(side, *op.parent), at);
      bool linked = false;
      for (uint32_t l = op.first_node; has_work(op) && l < op.first_node + op.nodes; ++l) {
        if (!(table.nodes[l].weight > 0)) continue;
        const auto [first, fresh] = of_node_[side].try_emplace(table.nodes[l].node->id, at);
        if (!fresh) sets_.join(first->second, at);
        linked = true;
      }
      // A call goes where its kernel goes.
      const OpEntry* const call = op.parent && table.ops[*op.parent].is_wrapper() ? &table.ops[*op.parent] : nullptr;
      if (op.is_wrapper() || (!by_event_ && (linked || (call != nullptr && has_work(*call))))) continue;
      const std::string method = unknown_.name(side == 1, table.block_of(op).method.value_or(""));
      // What a lowering inserts has no node: its type tells it where the other trace has it with another dtype or
      // shape.
      const bool inserted = !by_event_ && op.kind == "delegate_op" && !titles_[1 - side].empty() &&
                            !titles_[1 - side].contains(op_title(table, op));
      std::string name = method + "\n" + op.kind.str() + "\n" +
                         (by_event_  ? op.name.str()
                          : inserted ? type_title(table, op)
                                     : op_title(table, op));
      // Kernels of one name are told apart by their order; what the runtime and delegates take besides is one.
      if (op.kind == "kernel" || (by_event_ && op.kind == "delegate_op"))
        name += "\n" + std::to_string(numbers[name]++);
      const auto [first, fresh] = by_name_.try_emplace(name, at);
      if (!fresh) sets_.join(first->second, at);
    }
  }

  /// What a fused operator took in costs it nothing that could be told apart (a batch norm in a convolution's weights,
  /// a clamp of its output), but where the other side has kernels for it, they are what it replaces.
  void add_absorbed(int side) {
    const OpTable& table = *tables_[side];
    for (size_t i = 0; i < table.ops.size(); ++i) {
      const OpEntry& op = table.ops[i];
      if (!takes_part(table, op) || !has_work(op)) continue;
      for (uint32_t l = op.first_node; l < op.first_node + op.nodes; ++l) {
        const OpNode& link = table.nodes[l];
        if (!(link.weight > 0) && link.via == "dataflow") of_node_[side].try_emplace(link.node->id, index(side, i));
      }
    }
  }

  std::vector<OpGroup> collect() {
    std::vector<OpGroup> out;
    std::unordered_map<size_t, size_t> number;
    for (const int side : {1, 0}) {
      const OpTable& table = *tables_[side];
      for (size_t i = 0; i < table.ops.size(); ++i) {
        if (!takes_part(table, table.ops[i])) continue;
        const auto [at, fresh] = number.try_emplace(sets_.find(index(side, i)), out.size());
        if (fresh) out.emplace_back();
        (side == 0 ? out[at->second].before : out[at->second].after).push_back(static_cast<uint32_t>(i));
      }
    }
    for (const auto& [op, via] : matches_) {
      std::optional<NodeMatchVia>& loosest = out[number.at(sets_.find(op))].via;
      loosest = loosest ? std::max(*loosest, via) : via;
    }
    return out;
  }

  const OpTable* tables_[2];
  const UnknownMethods& unknown_;
  const bool by_event_;  // one trace has no graph: all ops are told by the names of their events
  Sets sets_;
  std::unordered_map<int64_t, size_t> of_node_[2];  // first op of a node
  std::map<std::string, size_t> by_name_;           // of both sides
  std::set<std::string> titles_[2];                 // of delegates' ops without nodes; empty where one side has no ops
  std::vector<std::pair<size_t, NodeMatchVia>> matches_;
};

}  // namespace

bool has_work(const OpEntry& op) {
  return op.nodes > 0 && op.nodes <= kMostNodes && !(op.encloses && op.kind == "delegate_call");
}

std::vector<OpGroup> group_ops(const OpTable& before, const OpTable& after, const UnknownMethods& unknown) {
  return OpGrouper(before, after, unknown).run();
}

}  // namespace et::inspector
