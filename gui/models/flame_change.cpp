// What changed from one tree of costs to another: nodes are the same when they have the same names from the root on.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "gui/models/flame_model.h"
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

FlameWork flame_work(const inspector::TraceDiff& diff, bool after) {
  using inspector::DiffVerdict;
  FlameWork out;
  for (size_t g = 0; g < diff.groups.size(); ++g) {
    const inspector::DiffGroup& group = diff.groups[g];
    const DiffVerdict v = group.verdict;
    const bool sure =
        v == DiffVerdict::Slower || v == DiffVerdict::Faster || v == DiffVerdict::Added || v == DiffVerdict::Removed;
    out.sure.push_back(sure);
    if (group.is_variation && sure) out.sure_variation.insert(group.method);
    const auto keep = [&](const std::vector<inspector::GroupPart>& parts, FlameWork::Groups* ops) {
      for (const inspector::GroupPart& part : parts)
        ops->emplace(static_cast<uint32_t>(part.op), static_cast<int32_t>(g));
    };
    keep((after ? group.after : group.before).parts, &out.open);
    keep((after ? group.before : group.after).parts, &out.other);
  }
  return out;
}

int32_t FlameModel::group_of(const FlameWork::Groups& groups, uint32_t op) const {
  const auto at = groups.find(op);
  return at == groups.end() ? -1 : at->second;
}

void FlameModel::compare(std::shared_ptr<const Tree> before, std::shared_ptr<const FlameWork> work) {
  work_ = std::move(work);
  read_before_ = std::move(before);
  const int32_t zoom = zoom_;
  apply();
  if (tree_ != nullptr && static_cast<size_t>(zoom) < tree_->nodes.size()) zoom_ = zoom;
}

void FlameModel::find_changes() {
  change_.clear();
  sure_change_.clear();
  replaced_.clear();
  replacements_.clear();
  replaced_before_.clear();
  paired_before_.clear();
  gone_inside_.clear();
  other_of_gone_.clear();
  did_its_work_.clear();
  same_work_.clear();
  lost_ = 0;
  view_ = -1;
  if (before_ == nullptr || tree_ == nullptr) return;
  CostPlaces places;
  const std::vector<size_t> was = places.places_of(*before_), place = places.places_of(*tree_);
  find_before(was, place);
  const std::vector<double> sure = sure_times(*tree_, &FlameWork::open),
                            sure_before = sure_times(*before_, &FlameWork::other);
  for (size_t i = 0; i < place.size(); ++i) {
    double time = 0, sure_time = 0;
    for (const auto& [node, part] : before_of_[i]) {
      time += part * before_->nodes[static_cast<size_t>(node)].total;
      sure_time += part * sure_before[static_cast<size_t>(node)];
    }
    change_.push_back(tree_->nodes[i].total - time);
    sure_change_.push_back(sure[i] - sure_time);
  }
  find_roots(was, place);
  sure_left_ = sure_before;
  find_same_work(was, place);
  find_replaced(was, place);
  find_lost();
}

/// What stood at a node's place before: the first for the first where they are as many, else for each its part.
void FlameModel::find_before(const std::vector<size_t>& was, const std::vector<size_t>& place) {
  std::map<size_t, std::pair<std::vector<int32_t>, std::vector<int32_t>>> at;  // by place: now, before
  for (size_t i = 0; i < place.size(); ++i) at[place[i]].first.push_back(static_cast<int32_t>(i));
  for (size_t i = 0; i < was.size(); ++i) at[was[i]].second.push_back(static_cast<int32_t>(i));
  before_of_.assign(place.size(), {});
  for (auto& [p, both] : at) {
    auto& [now, before] = both;
    if (before.empty()) continue;
    const auto by_time = [](const Tree& tree) {
      return [&tree](int32_t a, int32_t b) {
        return tree.nodes[static_cast<size_t>(a)].middle < tree.nodes[static_cast<size_t>(b)].middle;
      };
    };
    std::stable_sort(now.begin(), now.end(), by_time(*tree_));
    std::stable_sort(before.begin(), before.end(), by_time(*before_));
    double all = 0;
    for (const int32_t i : now) all += node(i).total;
    for (size_t k = 0; k < now.size(); ++k) {
      auto& of = before_of_[static_cast<size_t>(now[k])];
      if (now.size() == before.size()) {
        of.emplace_back(before[k], 1);
        continue;
      }
      const double part = all > 0 ? node(now[k]).total / all : 1 / static_cast<double>(now.size());
      for (const int32_t b : before) of.emplace_back(b, part);
    }
  }
}

/// By node what of its time is of ops whose change is sure: sums, so that no grouping and no merging changes them.
std::vector<double> FlameModel::sure_times(const Tree& tree, FlameWork::Groups FlameWork::*of) const {
  std::vector<double> out(tree.nodes.size());
  if (work_ == nullptr) {
    for (size_t i = 0; i < out.size(); ++i) out[i] = tree.nodes[i].total;
    return out;
  }
  for (const inspector::CostCharge& c : tree.charges) {
    if (work_->is_sure(group_of((*work_).*of, c.op))) out[static_cast<size_t>(c.node)] += c.time;
  }
  for (size_t i = out.size(); i-- > 0;) {  // parents stand before what is in them
    const Node& n = tree.nodes[i];
    if (inspector::is_variation(n) && work_->sure_variation.contains(n.method)) out[i] += n.total;
    if (n.parent >= 0) out[static_cast<size_t>(n.parent)] += out[i];
  }
  return out;
}

double FlameModel::colored(double change, double sure_change) {
  if (change * sure_change <= 0) return 0;
  return std::copysign(std::min(std::fabs(change), std::fabs(sure_change)), change);
}

bool FlameModel::shows_change(double time, double sure_change) {
  constexpr double kSeen = 0.02;
  return sure_change != 0 && std::fabs(sure_change) >= kSeen * std::max(time, std::fabs(sure_change));
}

}  // namespace et::gui
