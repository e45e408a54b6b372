// Work that something of another name did in the other tree: an op and the op that Compare pairs it with are one thing
// that became slower or faster, wherever they stand at one place.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "gui/models/flame_model.h"

namespace et::gui {

using inspector::CostCharge;
using inspector::CostNode;

namespace {

constexpr double kMostOfItsTime = 0.5;

size_t node_slot(int32_t node) { return static_cast<size_t>(node); }

std::string joined_names(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

std::string FlameModel::did_its_work(int32_t node) const {
  const auto at = did_its_work_.find(node);
  return at == did_its_work_.end() || !same_work_[node_slot(node)] ? std::string() : joined_names(at->second);
}

/// Of each node the outermost one around it, or itself, that the other tree does not have.
void FlameModel::find_roots(const std::vector<size_t>& was, const std::vector<size_t>& place) {
  const std::set<size_t> here(place.begin(), place.end()), there(was.begin(), was.end());
  const auto find = [](const Tree& tree, const std::vector<size_t>& own, const std::set<size_t>& other) {
    std::vector<int32_t> out(own.size(), -1);
    for (size_t i = 0; i < out.size(); ++i) {
      const int32_t parent = tree.nodes[i].parent;
      const int32_t above = parent < 0 ? -1 : out[node_slot(parent)];
      out[i] = above >= 0 || other.contains(own[i]) || parent < 0 ? above : static_cast<int32_t>(i);
    }
    return out;
  };
  fresh_root_ = find(*tree_, place, there);
  gone_root_ = find(*before_, was, here);
}

/// A node and what is around it, up to the outermost that is new.
void FlameModel::keep_names(int32_t node, const std::set<std::string>& names) {
  const int32_t root = fresh_root_[node_slot(node)];
  for (int32_t at = node;; at = tree_->nodes[node_slot(at)].parent) {
    did_its_work_[at].insert(names.begin(), names.end());
    if (at == root) return;
  }
}

void FlameModel::find_same_work(const std::vector<size_t>& was, const std::vector<size_t>& place) {
  taken_.assign(was.size(), 0);
  moved_away_.assign(was.size(), 0);
  same_work_.assign(place.size(), false);
  if (work_ == nullptr) return;
  struct Both {
    double now = 0, before = 0;
    std::set<std::string> names;
  };
  // What has gone and what has come in one place, by that place and the work that it does.
  std::map<std::pair<size_t, int32_t>, Both> works;
  const auto key = [this](const CostCharge& c, bool open, const std::vector<size_t>& places) {
    const Tree& tree = open ? *tree_ : *before_;
    const int32_t root = (open ? fresh_root_ : gone_root_)[node_slot(c.node)];
    const int32_t group = root < 0 ? -1 : group_of(open ? work_->open : work_->other, c.op);
    return group < 0 ? std::pair<size_t, int32_t>(0, -1)
                     : std::pair(places[node_slot(tree.nodes[node_slot(root)].parent)], group);
  };
  for (const CostCharge& c : tree_->charges) {
    if (const auto at = key(c, true, place); at.second >= 0 && c.time > 0) works[at].now += c.time;
  }
  for (const CostCharge& c : before_->charges) {
    const auto both = works.find(key(c, false, was));
    if (both == works.end()) continue;
    both->second.before += c.time;
    both->second.names.insert(replaced_name(before_->nodes[node_slot(c.node)]));
    taken_[node_slot(c.node)] += c.time;
    if (work_->is_sure(both->first.second)) sure_left_[node_slot(c.node)] -= c.time;
  }
  std::vector<double> time(place.size()), sure(place.size()), same(place.size());
  for (const CostCharge& c : tree_->charges) {
    const auto both = works.find(key(c, true, place));
    if (both == works.end() || both->second.names.empty() || !(c.time > 0)) continue;
    const double before = c.time * both->second.before / both->second.now;
    time[node_slot(c.node)] += before;
    same[node_slot(c.node)] += c.time;
    if (work_->is_sure(both->first.second)) sure[node_slot(c.node)] += before;
    keep_names(c.node, both->second.names);
  }
  take_work(&time, &sure, &same);
  find_moved();
}

/// What was taken, from the operators' boxes up to the outermost that is new: what is around those has it already.
void FlameModel::take_work(std::vector<double>* was, std::vector<double>* sure, std::vector<double>* same) {
  for (size_t i = tree_->nodes.size(); i-- > 1;) {
    if (fresh_root_[i] < 0) continue;
    change_[i] -= (*was)[i];
    sure_change_[i] -= (*sure)[i];
    same_work_[i] = (*same)[i] > 0 && (*same)[i] >= kMostOfItsTime * tree_->nodes[i].total;
    if (fresh_root_[i] == static_cast<int32_t>(i)) continue;
    const size_t parent = node_slot(tree_->nodes[i].parent);
    (*was)[parent] += (*was)[i];
    (*sure)[parent] += (*sure)[i];
    (*same)[parent] += (*same)[i];
  }
  for (size_t i = before_->nodes.size(); i-- > 1;) {
    if (gone_root_[i] < 0 || gone_root_[i] == static_cast<int32_t>(i)) continue;
    taken_[node_slot(before_->nodes[i].parent)] += taken_[i];
  }
  // Of the names that are gone what is left; a place that is in both trees has its sum above.
  std::vector<double> left(before_->nodes.size());
  for (size_t i = 0; i < left.size(); ++i) left[i] = before_->nodes[i].children.empty() ? sure_left_[i] : 0;
  for (size_t i = left.size(); i-- > 1;) left[node_slot(before_->nodes[i].parent)] += left[i];
  sure_left_ = std::move(left);
}

/// Work that stands at another place now, as in a delegate instead of among kernels.
void FlameModel::find_moved() {
  struct Group {
    double now = 0, before = 0;
    std::set<std::string> names;
  };
  std::map<int32_t, Group> groups;
  for (const CostCharge& c : before_->charges) {
    if (const int32_t g = group_of(work_->other, c.op); g >= 0) {
      groups[g].before += c.time;
      groups[g].names.insert(replaced_name(before_->nodes[node_slot(c.node)]));
    }
  }
  for (const CostCharge& c : tree_->charges) {
    if (const int32_t g = group_of(work_->open, c.op); g >= 0) groups[g].now += c.time;
  }
  std::vector<double> part(tree_->nodes.size()), time(tree_->nodes.size());
  std::vector<std::set<std::string>> names(tree_->nodes.size());
  for (const CostCharge& c : tree_->charges) {
    const int32_t root = fresh_root_[node_slot(c.node)];
    if (root < 0 || same_work_[node_slot(root)]) continue;
    const auto group = groups.find(group_of(work_->open, c.op));
    if (group == groups.end() || group->second.names.empty() || !(group->second.now > 0)) continue;
    part[node_slot(root)] += c.time;
    time[node_slot(root)] += c.time * group->second.before / group->second.now;
    names[node_slot(root)].insert(group->second.names.begin(), group->second.names.end());
  }
  replaced_.assign(tree_->nodes.size(), -1);
  for (size_t i = 0; i < part.size(); ++i) {
    if (!(part[i] > 0) || part[i] < kMostOfItsTime * tree_->nodes[i].total) continue;
    FlameReplaced r;
    r.node = static_cast<int32_t>(i);
    r.names = joined_names(names[i]);
    r.time = time[i];
    r.elsewhere = true;
    replaced_[i] = static_cast<int32_t>(replacements_.size());
    replacements_.push_back(std::move(r));
  }
  for (const CostCharge& c : before_->charges) {
    const int32_t root = gone_root_[node_slot(c.node)];
    const auto group = root < 0 ? groups.end() : groups.find(group_of(work_->other, c.op));
    if (group != groups.end() && group->second.now > 0) moved_away_[node_slot(root)] += c.time;
  }
  // What was taken where it was is not elsewhere.
  for (size_t i = 0; i < moved_away_.size(); ++i) {
    if (gone_root_[i] == static_cast<int32_t>(i)) moved_away_[i] = std::max(0.0, moved_away_[i] - taken_[i]);
  }
}

/// Nothing of the open tree does its work.
bool FlameModel::is_gone_for_good(int32_t before) const {
  const CostNode& n = before_->nodes[node_slot(before)];
  return n.total > 0 && taken_[node_slot(before)] + moved_away_[node_slot(before)] < kMostOfItsTime * n.total;
}

void FlameModel::find_lost() {
  for (size_t i = 0; i < gone_root_.size(); ++i) {
    if (gone_root_[i] != static_cast<int32_t>(i) || replaced_before_[i]) continue;
    const double left = before_->nodes[i].total - taken_[i] - moved_away_[i];
    if (left > 1e-9 * before_->nodes[i].total) lost_ += left;
  }
}

}  // namespace et::gui
