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
  /// By node.
  std::vector<size_t> places_of(const CostTree& tree) {
    std::vector<size_t> out;
    for (const CostNode& n : tree.nodes) {
      const size_t parent = n.parent < 0 ? 0 : out[static_cast<size_t>(n.parent)] + 1;
      // Lines move from version to version, and nodes are numbered through: what they say, and do, stays.
      const bool titled = n.kind == inspector::CostKind::Node && !n.type.empty();
      const std::string& name = titled ? n.type.str() : n.code.empty() ? n.name.str() : n.code.str();
      out.push_back(places_.try_emplace({parent, static_cast<int>(n.kind), name}, places_.size()).first->second);
    }
    return out;
  }
  size_t size() const { return places_.size(); }

 private:
  std::map<std::tuple<size_t, int, std::string>, size_t> places_;
};

}  // namespace

FlameSure sure_changes(const inspector::TraceDiff& diff, const inspector::OpTable& open,
                       const inspector::OpTable& other, bool after) {
  using inspector::DiffVerdict;
  FlameSure out;
  const auto add = [](const std::vector<inspector::GroupPart>& parts, const inspector::OpTable& table,
                      FlameSure::Side* side) {
    for (const inspector::GroupPart& part : parts) {
      if (part.op >= table.ops.size()) continue;
      const inspector::OpEntry& op = table.ops[part.op];
      side->ops.insert(static_cast<int32_t>(part.op));
      // The nodes of a delegate's call are those of all ops inside, which have verdicts of their own.
      if (op.encloses) continue;
      for (const inspector::OpNode* const node : table.own_nodes(op)) side->nodes.insert(node->node->name);
    }
  };
  struct Title {
    double sure = 0, all = 0;
  };
  std::map<std::string, Title> titles;
  for (const inspector::DiffGroup& group : diff.groups) {
    const DiffVerdict v = group.verdict;
    const bool is_sure =
        v == DiffVerdict::Slower || v == DiffVerdict::Faster || v == DiffVerdict::Added || v == DiffVerdict::Removed;
    Title& title = titles[group.title];
    const double change = group.after.cost - group.before.cost;
    title.all += std::fabs(change);
    if (!is_sure) continue;
    title.sure += std::fabs(change);
    add((after ? group.after : group.before).parts, open, &out.open);
    add((after ? group.before : group.after).parts, other, &out.other);
  }
  for (const auto& [title, of] : titles) {
    if (of.sure > 0 && of.sure >= of.all / 2) out.titles.insert(title);
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
  const std::vector<size_t> was = places.places_of(*before_), place = places.places_of(*tree_);
  const std::vector<double> times = times_before(was, place);
  for (size_t i = 0; i < place.size(); ++i) change_.push_back(tree_->nodes[i].total - times[i]);
  std::vector<bool> here(places.size());
  for (const size_t at : place) here[at] = true;
  find_replaced(was, place, here);
  std::vector<double> gone(here.size());  // what is sure of it, by the place that it was in
  for (size_t i = 0; i < was.size(); ++i) {
    const CostNode& n = before_->nodes[i];
    if (here[was[i]]) continue;
    // The outermost of it: what was inside went with it.
    if (n.parent < 0 || here[was[static_cast<size_t>(n.parent)]]) lost_ += replaced_before_[i] ? 0 : n.total;
    if (!n.children.empty() || !is_sure(n, &FlameSure::other)) continue;
    int32_t in = n.parent;
    while (in >= 0 && !here[was[static_cast<size_t>(in)]]) in = before_->nodes[static_cast<size_t>(in)].parent;
    if (in >= 0) gone[was[static_cast<size_t>(in)]] += n.total;
  }
  // Of places with several boxes each has its part.
  std::vector<double> boxes(here.size());
  for (const size_t at : place) ++boxes[at];
  std::vector<double> gone_of(place.size());
  for (size_t i = 0; i < place.size(); ++i) gone_of[i] = gone[place[i]] / boxes[place[i]];
  find_sure_changes(gone_of);
  find_sure_types(was, here);
  add_compared_types();
}

/// What the boxes of a place took before: the first against the first where they are as many, else each its part.
std::vector<double> FlameModel::times_before(const std::vector<size_t>& was, const std::vector<size_t>& place) const {
  std::map<size_t, std::pair<std::vector<int32_t>, std::vector<int32_t>>> at;  // by place: now, before
  for (size_t i = 0; i < place.size(); ++i) at[place[i]].first.push_back(static_cast<int32_t>(i));
  for (size_t i = 0; i < was.size(); ++i) at[was[i]].second.push_back(static_cast<int32_t>(i));
  std::vector<double> out(place.size());
  for (auto& [p, both] : at) {
    auto& [now, before] = both;
    const auto by_time = [](const Tree& tree) {
      return [&tree](int32_t a, int32_t b) {
        return tree.nodes[static_cast<size_t>(a)].middle < tree.nodes[static_cast<size_t>(b)].middle;
      };
    };
    std::stable_sort(now.begin(), now.end(), by_time(*tree_));
    std::stable_sort(before.begin(), before.end(), by_time(*before_));
    double all_before = 0, all_now = 0;
    for (const int32_t i : before) all_before += before_->nodes[static_cast<size_t>(i)].total;
    for (const int32_t i : now) all_now += node(i).total;
    for (size_t k = 0; k < now.size(); ++k) {
      double& time = out[static_cast<size_t>(now[k])];
      if (now.size() == before.size()) {
        time = before_->nodes[static_cast<size_t>(before[k])].total;
      } else if (all_now > 0) {
        time = all_before * node(now[k]).total / all_now;
      } else {
        time = all_before / static_cast<double>(now.size());
      }
    }
  }
  return out;
}

bool FlameModel::is_sure(const Node& n, FlameSure::Side FlameSure::*of) const {
  if (sure_ == nullptr) return true;
  const FlameSure::Side& side = (*sure_).*of;
  if (!n.node.empty()) return side.nodes.contains(n.node.str());
  if (n.op >= 0 && n.ops <= 1) return side.ops.contains(n.op);
  return sure_->titles.contains(n.name.str()) || sure_->titles.contains(type_name(n));
}

double FlameModel::colored(double change, double sure_change) {
  if (change * sure_change <= 0) return 0;
  return std::copysign(std::min(std::fabs(change), std::fabs(sure_change)), change);
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
      sure_change_[i] = is_sure(n, &FlameSure::open) ? change_[i] : 0;
    } else {
      sure_change_[i] -= gone[i];
    }
    if (n.parent >= 0) sure_change_[static_cast<size_t>(n.parent)] += sure_change_[i];
  }
}

/// The sum of an operator's boxes, less those that are gone; what was replaced is no change of an operator.
void FlameModel::find_sure_types(const std::vector<size_t>& was, const std::vector<bool>& here) {
  for (size_t i = 0; i < type_of_.size(); ++i) {
    if (type_of_[i] < 0) continue;
    FlameType& type = types_[static_cast<size_t>(type_of_[i])];
    if (replaced_[i] < 0) {
      type.sure_change += sure_change_[i];
    } else {
      type.replaced += tree_->nodes[i].total;
    }
  }
  std::map<std::string, FlameType*> known;
  for (std::vector<FlameType>* const all : {&types_, &gone_types_}) {
    for (FlameType& type : *all) known.emplace(type.name, &type);
  }
  for (size_t i = 0; i < was.size(); ++i) {
    const CostNode& n = before_->nodes[i];
    if (here[was[i]] || !n.children.empty()) continue;
    const auto at = known.find(type_name(n));
    if (at == known.end()) continue;
    FlameType& type = *at->second;
    if (!replaced_before_[i]) {
      type.sure_change -= is_sure(n, &FlameSure::other) ? n.total : 0;
    } else if (type.gone) {
      type.replaced += n.total;
    }
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
    type.change = -time;
    type.gone = true;
  }
}

}  // namespace et::gui
