// What changed from one tree of costs to another: nodes are the same when they have the same names from the root on.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "gui/models/flame_model.h"
#include "gui/models/frame_text.h"
#include "inspector/analysis/diff/trace_diff.h"

namespace et::gui {
namespace {

using inspector::CostNode;
using inspector::CostTree;

/// Numbers for places in a tree by their names; siblings of one name are one place.
class CostPlaces {
 public:
  /// By node, with their times added up.
  std::vector<size_t> places_of(const CostTree& tree, std::vector<double>* totals) {
    std::vector<size_t> out;
    for (const CostNode& n : tree.nodes) {
      const size_t parent = n.parent < 0 ? 0 : out[static_cast<size_t>(n.parent)] + 1;
      // Lines move from version to version, what they say stays.
      const std::string& name = n.code.empty() ? n.name.str() : n.code.str();
      const size_t at = places_.try_emplace({parent, static_cast<int>(n.kind), name}, places_.size()).first->second;
      if (totals->size() < places_.size()) totals->resize(places_.size());
      (*totals)[at] += n.total;
      out.push_back(at);
    }
    return out;
  }

 private:
  std::map<std::tuple<size_t, int, std::string>, size_t> places_;
};

}  // namespace

FlameSure sure_changes(const inspector::TraceDiff& diff, const inspector::OpTable& open, bool after) {
  using inspector::DiffVerdict;
  FlameSure out;
  for (const inspector::DiffGroup& group : diff.groups) {
    const DiffVerdict v = group.verdict;
    if (v == DiffVerdict::Same || v == DiffVerdict::Unclear || v == DiffVerdict::TooFew) continue;
    out.titles.insert(group.title);
    for (const inspector::GroupPart& part : (after ? group.after : group.before).parts) {
      if (part.op >= open.ops.size()) continue;
      out.ops.insert(static_cast<int32_t>(part.op));
      for (const inspector::OpNode* const node : open.own_nodes(open.ops[part.op])) out.nodes.insert(node->node->name);
    }
  }
  return out;
}

void FlameModel::compare(std::shared_ptr<const Tree> before, std::shared_ptr<const FlameSure> sure) {
  sure_ = std::move(sure);
  whole_before_ = std::move(before);
  before_ = whole_before_;
  if (before_ != nullptr && merge_) {
    const auto merged = et::gui::merge_repeats(before_);
    before_ = std::shared_ptr<const Tree>(merged, &merged->tree);
  }
  find_changes();
}

void FlameModel::find_changes() {
  change_.clear();
  sure_change_.clear();
  replaced_.clear();
  replacements_.clear();
  replaced_before_.clear();
  gone_inside_.clear();
  lost_ = 0;
  find_type_changes();
  compared_types_ = types_;
  if (before_ == nullptr || tree_ == nullptr) return;
  CostPlaces places;
  std::vector<double> before, now;
  const std::vector<size_t> was = places.places_of(*before_, &before);
  const std::vector<size_t> place = places.places_of(*tree_, &now);
  for (const size_t at : place) change_.push_back(now[at] - (at < before.size() ? before[at] : 0));
  // What is gone, the outermost of it: what was inside went with it.
  std::vector<bool> here(std::max(before.size(), now.size()), false);
  for (const size_t at : place) here[at] = true;
  std::vector<double> gone(here.size());  // by the place that it was in
  for (size_t i = 0; i < was.size(); ++i) {
    const int32_t parent = before_->nodes[i].parent;
    if (here[was[i]] || (parent >= 0 && !here[was[static_cast<size_t>(parent)]])) continue;
    lost_ += before_->nodes[i].total;
    if (parent >= 0) gone[was[static_cast<size_t>(parent)]] += before_->nodes[i].total;
  }
  std::vector<double> gone_of(place.size());
  for (size_t i = 0; i < place.size(); ++i) gone_of[i] = gone[place[i]];
  find_sure_changes(gone_of);
  find_replaced(was, place, here);
  find_sure_types(was, here);
  add_compared_types();
}

bool FlameModel::is_sure(const Node& n) const {
  if (sure_ == nullptr) return true;
  if (!n.node.empty()) return sure_->nodes.contains(n.node.str());
  if (n.op >= 0 && n.ops <= 1) return sure_->ops.contains(n.op);
  return sure_->titles.contains(n.name.str()) || sure_->titles.contains(type_name(n));
}

/// `gone`: by node, time of what was in it.
void FlameModel::find_sure_changes(const std::vector<double>& gone) {
  sure_change_ = change_;
  if (sure_ == nullptr) return;
  sure_change_.assign(change_.size(), 0);
  for (size_t i = change_.size(); i-- > 0;) {  // parents stand before what is in them
    const Node& n = tree_->nodes[i];
    // What is inside has been added.
    if (n.children.empty()) {
      sure_change_[i] = is_sure(n) ? change_[i] : 0;
    } else {
      sure_change_[i] -= gone[i];
    }
    if (n.parent >= 0) sure_change_[static_cast<size_t>(n.parent)] += sure_change_[i];
  }
}

/// The sum of an operator's boxes, less those that are gone; what was replaced is no change of an operator.
void FlameModel::find_sure_types(const std::vector<size_t>& was, const std::vector<bool>& here) {
  std::map<std::string, FlameType*> known;
  for (FlameType& type : types_) known.emplace(type.name, &type);
  for (size_t i = 0; i < type_of_.size(); ++i) {
    if (type_of_[i] < 0) continue;
    FlameType& type = types_[static_cast<size_t>(type_of_[i])];
    if (replaced_[i] < 0) {
      type.sure_change += sure_change_[i];
    } else {
      type.replaced += tree_->nodes[i].total;
    }
  }
  for (size_t i = 0; i < was.size(); ++i) {
    const CostNode& n = before_->nodes[i];
    if (here[was[i]] || !n.children.empty() || replaced_before_[i]) continue;
    if (const auto at = known.find(type_name(n)); at != known.end()) at->second->sure_change -= n.total;
  }
}

bool FlameModel::shows_change(double time, double sure_change) {
  constexpr double kSeen = 0.02;
  return sure_change != 0 && std::fabs(sure_change) >= kSeen * std::max(time, std::fabs(sure_change));
}

void FlameModel::find_type_changes() {
  gone_types_.clear();
  for (FlameType& type : types_) {
    type.change = before_ == nullptr ? 0 : type.time;
    type.sure_change = 0;
    type.replaced = 0;
    type.others.clear();
  }
  if (before_ == nullptr || tree_ == nullptr) return;
  std::map<std::string, FlameType*> known;
  for (FlameType& type : types_) known.emplace(type.name, &type);
  std::map<std::string, double> gone;
  for (const CostNode& n : before_->nodes) {
    if ((n.kind != inspector::CostKind::Node && n.kind != inspector::CostKind::Call) || !n.children.empty()) continue;
    const std::string name = type_name(n);
    if (const auto at = known.find(name); at != known.end()) {
      at->second->change -= n.total;
    } else {
      gone[name] += n.total;
    }
  }
  for (const auto& [name, time] : gone) {
    if (!(time > 0)) continue;
    FlameType& type = gone_types_.emplace_back();
    type.name = name;
    type.change = type.sure_change = -time;
    type.gone = true;
  }
}

}  // namespace et::gui
