// What a click in the delegation map selects, and what of it is selected.
#include <algorithm>
#include <utility>

#include "gui/models/delegation_model.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::gui {

using inspector::DelegationMap;
using inspector::MapItem;
using inspector::NonDelegatedOp;

int32_t DelegationModel::row_of(int32_t map_index, int32_t item) const {
  for (size_t r = 0; r < rows_.size(); ++r) {
    if (rows_[r].map != map_index) continue;
    for (const int32_t i : rows_[r].ops) {
      if (map(map_index).non_delegated[static_cast<size_t>(i)].item == item) return static_cast<int32_t>(r);
    }
  }
  return -1;
}

Selection DelegationModel::selection_of(int32_t map_index, int32_t item_index) const {
  if (data_ == nullptr || item_index < 0) return {};
  const DelegationMap& m = map(map_index);
  const MapItem& item = m.items[static_cast<size_t>(item_index)];
  if (item.kind == MapItem::Kind::Delegate) return select_part(*data_, m.method, item.instruction);
  // The kernel's event says more than the call around it.
  const inspector::OpEntry* best = nullptr;
  for (const inspector::OpEntry& op : data_->table.ops) {
    const inspector::OpBlock& block = data_->table.block_of(op);
    if (op.instruction_id != item.instruction || block.kind != "execute" || block.method.value_or("") != m.method)
      continue;
    if (op.kind == "value") continue;
    if (best == nullptr || (op.kind == "kernel" && best->kind != "kernel")) best = &op;
  }
  if (best != nullptr) return select_op(*data_, best->id);
  return item.nodes.empty() ? Selection() : select_node(*data_, item.nodes.front());
}

std::string DelegationModel::costliest_node(int32_t index, const std::string& op) const {
  const inspector::GraphNode* best = nullptr;
  if (data_ == nullptr) return {};
  for (const inspector::GraphModel& graph : data_->graphs) {
    if (graph.method != map(index).method) continue;
    for (const inspector::GraphNode& n : graph.nodes) {
      if (n.op == op && (best == nullptr || n.ns > best->ns)) best = &n;
    }
  }
  return best == nullptr ? "" : best->name;
}

Selection DelegationModel::selection_of_break(const PlaceInMap& place) const {
  const inspector::MapBreak& x = break_at(place);
  const auto& items = map(place.map).items;
  std::vector<Selection> parts;
  for (size_t i = x.first; i <= x.last; ++i) parts.push_back(selection_of(place.map, static_cast<int32_t>(i)));
  return select_several(std::move(parts),
                        "graph break between " + inspector::calls_between(items[x.first - 1], items[x.last + 1]));
}

Selection DelegationModel::selection_of_bound(const PlaceInMap& place) const {
  NonDelegatedRow row;
  row.map = place.map;
  row.ops = ops_of_bound(place);
  return row.ops.empty() ? Selection() : selection_of(row);
}

bool DelegationModel::is_bound_selected(const PlaceInMap& place, const Selection& selection) const {
  NonDelegatedRow row;
  row.map = place.map;
  row.ops = ops_of_bound(place);
  return is_selected(row, selection);
}

Selection DelegationModel::selection_of(const NonDelegatedRow& row) const {
  if (data_ == nullptr) return {};
  std::vector<Selection> parts;
  for (const int32_t i : row.ops) {
    const NonDelegatedOp& op = map(row.map).non_delegated[static_cast<size_t>(i)];
    parts.push_back(op.node.empty() ? selection_of(row.map, op.item) : select_node(*data_, op.node));
  }
  return select_several(std::move(parts), inspector::operator_title(first(row).op) + " ×" +
                                              std::to_string(row.ops.size()) + ", non-delegated");
}

const NonDelegatedOp* DelegationModel::only_selected(const NonDelegatedRow& row, const Selection& s) const {
  if (s.empty() || row.ops.size() < 2) return nullptr;
  const NonDelegatedOp* only = nullptr;
  for (const int32_t i : row.ops) {
    const NonDelegatedOp& op = map(row.map).non_delegated[static_cast<size_t>(i)];
    const bool chosen = is_selected(row.map, op, s);
    if (chosen && only != nullptr) return nullptr;
    if (chosen) only = &op;
  }
  return only;
}

bool DelegationModel::is_selected(int32_t map_index, int32_t item_index, const Selection& s) const {
  if (s.empty() || data_ == nullptr) return false;
  const DelegationMap& m = map(map_index);
  if (!s.method.empty() && !m.method.empty() && s.method != m.method) return false;
  const MapItem& item = m.items[static_cast<size_t>(item_index)];
  if (s.kind == Selection::Kind::Op || s.kind == Selection::Kind::Part) return s.instruction == item.instruction;
  if (std::any_of(s.parts.begin(), s.parts.end(),
                  [&](const Selection& part) { return is_selected(map_index, item_index, part); }))
    return true;
  return std::any_of(item.nodes.begin(), item.nodes.end(), [&](const std::string& n) { return s.has_node(n); });
}

bool DelegationModel::is_selected(const NonDelegatedRow& row, const Selection& s) const {
  if (s.empty()) return false;
  return std::any_of(row.ops.begin(), row.ops.end(), [&](int32_t i) {
    return is_selected(row.map, map(row.map).non_delegated[static_cast<size_t>(i)], s);
  });
}

bool DelegationModel::is_selected(int32_t map_index, const NonDelegatedOp& op, const Selection& s) const {
  if (!op.node.empty()) return s.has_node(op.node);
  return op.item >= 0 && is_selected(map_index, op.item, s);
}

int32_t DelegationModel::row_of(const Selection& s) const {
  int32_t best = -1;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (is_selected(rows_[i], s) && (best < 0 || rows_[i].ns > rows_[static_cast<size_t>(best)].ns))
      best = static_cast<int32_t>(i);
  }
  return best;
}

bool DelegationModel::is_mostly_delegated(const Selection& s) const {
  double inside = 0, outside = 0;
  for (const int32_t op : s.ops) {
    const inspector::OpEntry& entry = data_->shown_op(op);
    (entry.is_delegated ? inside : outside) += entry.cost;
  }
  return inside > outside;
}

const PlaceInMap* DelegationModel::delegate_of(const Selection& s) const {
  const auto at = std::find_if(delegates().begin(), delegates().end(),
                               [&](const PlaceInMap& p) { return is_selected(p.map, p.index, s); });
  return at == delegates().end() ? nullptr : &*at;
}

}  // namespace et::gui
