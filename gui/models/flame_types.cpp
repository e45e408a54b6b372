// What a part of the flame graph spends in each operator; of a comparison what the same work took before.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gui/models/flame_model.h"
#include "gui/models/frame_text.h"
#include "inspector/analysis/ops/op_count.h"

namespace et::gui {

using inspector::CostKind;
using inspector::CostNode;

struct FlameModel::TypeSums {
  struct Row {
    FlameType type;
    std::set<uint32_t> ops;
    double gone_replaced = 0;
  };
  std::map<std::string, Row> rows;
  std::map<int32_t, std::map<std::string, double>> groups;  ///< time now, by work and operator

  void give(const std::string& name, double time, double sure) {
    FlameType& type = rows[name].type;
    type.change -= time;
    type.sure_change -= sure;
  }
};

/// Times of operators by the work that they do.
std::vector<FlameModel::Piece> FlameModel::pieces(const Tree& tree, FlameWork::Groups FlameWork::*of) const {
  const auto is_operator = [&](int32_t node) {
    const CostNode& n = tree.nodes[static_cast<size_t>(node)];
    return (n.kind == CostKind::Node || n.kind == CostKind::Call) && n.children.empty();
  };
  std::vector<Piece> out;
  for (const inspector::CostCharge& c : tree.charges) {
    if (!is_operator(c.node)) continue;
    out.push_back({c.node, work_ == nullptr ? -1 : group_of((*work_).*of, c.op), c.op, c.time, true});
  }
  for (size_t i = 0; tree.charges.empty() && i < tree.nodes.size(); ++i) {
    const auto node = static_cast<int32_t>(i);
    if (is_operator(node)) out.push_back({node, -1, 0, tree.nodes[i].total, false});
  }
  return out;
}

void FlameModel::add_types_now(int32_t scope, TypeSums* sums) const {
  const std::vector<bool> below = nodes_below(*tree_, scope);
  const bool new_itself = before_ != nullptr && fresh_root_[static_cast<size_t>(scope)] >= 0;
  for (size_t i = 0; i < below.size(); ++i) {
    if (!below[i] || type_of_[i] < 0) continue;
    const auto node = static_cast<int32_t>(i);
    TypeSums::Row& row = sums->rows[types_[static_cast<size_t>(type_of_[i])].name];
    row.type.time += tree_->nodes[i].total;
    if (tree_->charges.empty()) ++row.type.count;
    if (before_ == nullptr) continue;
    if (new_itself) {
      row.type.change += change(node) - tree_->nodes[i].total;
      row.type.sure_change += replaced(node) == nullptr ? sure_change(node) : 0;
    }
    if (const FlameReplaced* const r = replaced(node); r != nullptr) {
      row.type.replaced += tree_->nodes[i].total;
      if (r->node == node) row.type.others.insert(r->operators.begin(), r->operators.end());
    }
  }
  for (const Piece& piece : pieces(*tree_, &FlameWork::open)) {
    const auto at = static_cast<size_t>(piece.node);
    if (!below[at]) continue;
    const std::string& name = types_[static_cast<size_t>(type_of_[at])].name;
    TypeSums::Row& row = sums->rows[name];
    // A call and its kernel are one.
    if (piece.is_op && data_ != nullptr)
      row.ops.insert(inspector::counted_op(data_->shown, piece.op).value_or(piece.op));
    if (piece.group >= 0) sums->groups[piece.group][name] += piece.time;
    const bool sure = work_ == nullptr || work_->is_sure(piece.group);
    if (before_ != nullptr && !new_itself && sure && replaced(piece.node) == nullptr)
      row.type.sure_change += piece.time;
  }
}

/// An operator's time before is that of its name; where its work has another name now, it is that one's.
void FlameModel::add_types_before(int32_t scope, TypeSums* sums) const {
  std::map<int32_t, std::set<std::string>> names;  // by work
  const std::vector<Piece> all = pieces(*before_, &FlameWork::other);
  const auto name_of = [&](const Piece& piece) { return type_name(before_->nodes[static_cast<size_t>(piece.node)]); };
  for (const Piece& piece : all) {
    if (piece.group >= 0) names[piece.group].insert(name_of(piece));
  }
  for (const auto& [root, part] : before_of_[static_cast<size_t>(scope)]) {
    const std::vector<bool> below = nodes_below(*before_, root);
    for (const Piece& piece : all) {
      const auto at = static_cast<size_t>(piece.node);
      if (!below[at]) continue;
      const std::string name = name_of(piece);
      const double time = part * piece.time;
      const bool sure = (work_ == nullptr || work_->is_sure(piece.group)) && !replaced_before_[at];
      const auto now = piece.group < 0 ? sums->groups.end() : sums->groups.find(piece.group);
      if (now == sums->groups.end() || now->second.contains(name)) {
        sums->give(name, time, sure ? time : 0);
        if (replaced_before_[at]) sums->rows[name].gone_replaced += time;
        if (const auto others = other_of_gone_.find(piece.node); others != other_of_gone_.end())
          sums->rows[name].type.others.insert(others->second.begin(), others->second.end());
        continue;
      }
      std::map<std::string, double> heirs;
      for (const auto& [heir, much] : now->second) {
        if (!names[piece.group].contains(heir)) heirs[heir] = much;
      }
      if (heirs.empty()) heirs = now->second;
      double whole = 0;
      for (const auto& [heir, much] : heirs) whole += much;
      for (const auto& [heir, much] : heirs) {
        const double its = whole > 0 ? time * much / whole : time / static_cast<double>(heirs.size());
        sums->give(heir, its, sure ? its : 0);
        sums->rows[heir].type.others.insert(name);
      }
    }
  }
}

std::vector<FlameType> FlameModel::finish_types(TypeSums* sums) {
  std::vector<FlameType> out;
  std::vector<FlameType> gone;
  for (auto& [name, row] : sums->rows) {
    row.type.name = name;
    row.type.count += std::ssize(row.ops);
    row.type.gone = !(row.type.time > 0) && row.type.change < 0 && row.ops.empty();
    if (row.type.gone) row.type.replaced = row.gone_replaced;
    (row.type.gone ? gone : out).push_back(std::move(row.type));
  }
  const auto only = [](const FlameType& type, double time) {
    return type.others.size() == 1 && type.replaced >= time * (1 - 1e-9);
  };
  for (FlameType& old : gone) {
    const auto now = std::find_if(out.begin(), out.end(), [&](const FlameType& t) {
      return !t.gone && t.change >= 0 && only(t, t.time) && t.others.contains(old.name) && old.others.contains(t.name);
    });
    if (now != out.end() && only(old, -old.change)) {
      now->change += old.change;
    } else {
      out.push_back(std::move(old));
    }
  }
  for (FlameType& type : out) type.change += type.time;
  return out;
}

std::vector<FlameType> FlameModel::types_in(int32_t scope) const {
  TypeSums sums;
  add_types_now(scope, &sums);
  if (before_ != nullptr) add_types_before(scope, &sums);
  std::vector<FlameType> out = finish_types(&sums);
  for (FlameType& type : out) {
    if (before_ == nullptr) type.change = type.sure_change = 0;
  }
  const auto larger = [](const FlameType& t) { return std::max(t.time, t.time - t.change); };
  std::stable_sort(out.begin(), out.end(),
                   [&](const FlameType& a, const FlameType& b) { return larger(a) > larger(b); });
  return out;
}

const std::vector<FlameType>& FlameModel::types_in_view() {
  if (std::exchange(view_, zoom_) != zoom_)
    types_in_view_ = tree_ == nullptr ? std::vector<FlameType>() : types_in(zoom_);
  return types_in_view_;
}

}  // namespace et::gui
