// What changed from one tree of costs to another: nodes are the same when they have the same names from the root on.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "gui/models/flame_model.h"
#include "gui/models/frame_text.h"

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

void FlameModel::compare(std::shared_ptr<const Tree> before) {
  whole_before_ = std::move(before);
  before_ = whole_before_;
  if (before_ != nullptr && merge_) {
    const auto merged = et::gui::merge_repeats(before_);
    before_ = std::shared_ptr<const Tree>(merged, &merged->tree);
  }
  find_changes();
}

const FlameReplaced* FlameModel::replaced(int32_t node) const {
  const int32_t at = replaced_.empty() ? -1 : replaced_[static_cast<size_t>(node)];
  return at < 0 ? nullptr : &replacements_[static_cast<size_t>(at)];
}

void FlameModel::find_changes() {
  change_.clear();
  replaced_.clear();
  replacements_.clear();
  lost_ = 0;
  find_type_changes();
  if (before_ == nullptr || tree_ == nullptr) return;
  CostPlaces places;
  std::vector<double> before, now;
  const std::vector<size_t> was = places.places_of(*before_, &before);
  const std::vector<size_t> place = places.places_of(*tree_, &now);
  for (const size_t at : place) change_.push_back(now[at] - (at < before.size() ? before[at] : 0));
  // What is gone, the outermost of it: what was inside went with it.
  std::vector<bool> here(std::max(before.size(), now.size()), false);
  for (const size_t at : place) here[at] = true;
  for (size_t i = 0; i < was.size(); ++i) {
    const int32_t parent = before_->nodes[i].parent;
    if (!here[was[i]] && (parent < 0 || here[was[static_cast<size_t>(parent)]])) lost_ += before_->nodes[i].total;
  }
  find_replaced(was, place, here);
}

/// What is new in a module that has lost something of the kind is there instead of it: slower than nothing says
/// nothing.
void FlameModel::find_replaced(const std::vector<size_t>& was, const std::vector<size_t>& place,
                               const std::vector<bool>& here) {
  struct Swapped {
    std::vector<int32_t> gone, fresh;
  };
  const auto family = [](const CostNode& n) {
    return n.kind == inspector::CostKind::Call ? 0 : static_cast<int>(n.kind);
  };
  const auto is_model = [](const CostNode& n) {
    return n.kind != inspector::CostKind::Outside && n.kind != inspector::CostKind::Unattributed && n.total > 0;
  };
  std::map<std::pair<size_t, int>, Swapped> swapped;  // by the place that they are in
  std::vector<bool> there(here.size());
  for (const size_t at : was) there[at] = true;
  for (size_t i = 1; i < was.size(); ++i) {
    const size_t in = was[static_cast<size_t>(before_->nodes[i].parent)];
    if (!here[was[i]] && here[in] && is_model(before_->nodes[i]))
      swapped[{in, family(before_->nodes[i])}].gone.push_back(static_cast<int32_t>(i));
  }
  for (size_t i = 1; i < place.size(); ++i) {
    const size_t in = place[static_cast<size_t>(tree_->nodes[i].parent)];
    if (!there[place[i]] && there[in] && is_model(tree_->nodes[i]))
      swapped[{in, family(tree_->nodes[i])}].fresh.push_back(static_cast<int32_t>(i));
  }
  replaced_.assign(place.size(), -1);
  const auto node_before = [&](int32_t at) -> const CostNode& { return before_->nodes[static_cast<size_t>(at)]; };
  for (auto& [in, both] : swapped) {
    if (both.gone.empty() || both.fresh.empty()) continue;
    std::stable_sort(both.gone.begin(), both.gone.end(),
                     [&](int32_t a, int32_t b) { return node_before(a).middle < node_before(b).middle; });
    std::stable_sort(both.fresh.begin(), both.fresh.end(),
                     [&](int32_t a, int32_t b) { return node(a).middle < node(b).middle; });
    const bool pairs = both.gone.size() == both.fresh.size();
    for (size_t i = 0; i < both.fresh.size(); ++i) {
      FlameReplaced r;
      std::set<std::string> names;
      for (size_t k = pairs ? i : 0; k < (pairs ? i + 1 : both.gone.size()); ++k) {
        const CostNode& gone = node_before(both.gone[k]);
        names.insert(gone.kind == inspector::CostKind::Frame ? called_name(gone.code, gone.name) : type_name(gone));
        r.time += gone.total;
      }
      for (const std::string& name : names) r.names += (r.names.empty() ? "" : ", ") + name;
      replaced_[static_cast<size_t>(both.fresh[i])] = static_cast<int32_t>(replacements_.size());
      replacements_.push_back(std::move(r));
    }
  }
  for (size_t i = 1; i < replaced_.size(); ++i) {
    if (replaced_[i] < 0) replaced_[i] = replaced_[static_cast<size_t>(tree_->nodes[i].parent)];
  }
}

void FlameModel::find_type_changes() {
  gone_types_.clear();
  for (FlameType& type : types_) type.change = before_ == nullptr ? 0 : type.time;
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
    if (time > 0) gone_types_.push_back({name, 0, 0, -time});
  }
  std::stable_sort(gone_types_.begin(), gone_types_.end(),
                   [](const FlameType& a, const FlameType& b) { return a.change < b.change; });
}

}  // namespace et::gui
