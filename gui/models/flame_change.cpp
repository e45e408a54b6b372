// What changed from one tree of costs to another: nodes are the same when they have the same names from the root on.
#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "gui/models/flame_model.h"

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
  before_ = std::move(before);
  find_changes();
}

void FlameModel::find_changes() {
  change_.clear();
  lost_ = 0;
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
}

}  // namespace et::gui
