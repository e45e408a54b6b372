// Which groups of the graph are open: at first along the costs, as far as there is room.
#include <algorithm>
#include <functional>
#include <vector>

#include "gui/models/graph_model.h"

namespace et::gui {

void GraphViewModel::set_open(int32_t group, bool open) {
  if (group < 0 || static_cast<size_t>(group) >= groups_.size()) return;
  groups_[static_cast<size_t>(group)].open = open;
  build_scene();
}

void GraphViewModel::set_brief(bool brief) {
  brief_ = brief;
  build_scene();
}

void GraphViewModel::open_all() {
  for (GraphGroup& g : groups_) g.open = true;
  build_scene();
}
void GraphViewModel::close_all() {
  for (GraphGroup& g : groups_) g.open = false;
  build_scene();
}

size_t GraphViewModel::visible_count() const {
  size_t count = 0;
  const std::function<void(int32_t)> visit = [&](int32_t g) {
    const GraphGroup& group = groups_[static_cast<size_t>(g)];
    if (!group.open) {
      ++count;
      return;
    }
    count += group.nodes.size();
    for (const int32_t inner : group.groups) visit(inner);
  };
  for (const int32_t g : roots_) visit(g);
  return count + static_cast<size_t>(std::count(group_of_node_.begin(), group_of_node_.end(), -1));
}

void GraphViewModel::open_some() {
  first_boxes_ = kFirstBoxes;
  open_up_to(first_boxes_);
  build_scene();
}

bool GraphViewModel::open_less() {
  const std::vector<bool> before = open_groups();
  const size_t count = visible_count();
  // Few boxes around one that hides most of the time say less than a part of the graph.
  const auto try_at = [&](size_t most) {
    open_up_to(most);
    const size_t now = visible_count();
    if (now >= count || now < kFewestBoxes || hides_most()) return false;
    first_boxes_ = most;
    build_scene();
    return true;
  };
  // In large steps, as each takes a layout, and in small ones where these leave too little.
  size_t most = first_boxes_ * 3 / 4;
  for (; most >= kFewestBoxes; most = most * 3 / 4) {
    if (try_at(most)) return true;
    if (visible_count() < count) break;
  }
  for (size_t fewer = std::min(first_boxes_, count) - 1; fewer > std::max(most, kFewestBoxes); --fewer) {
    if (try_at(fewer)) return true;
  }
  set_open_groups(before);
  return false;
}

std::vector<bool> GraphViewModel::open_groups() const {
  std::vector<bool> out;
  for (const GraphGroup& g : groups_) out.push_back(g.open);
  return out;
}

void GraphViewModel::set_open_groups(const std::vector<bool>& open) {
  for (size_t g = 0; g < groups_.size(); ++g) groups_[g].open = open[g];
}

double GraphViewModel::whole_time() const {
  double whole = 0;
  for (const int32_t g : roots_) whole += groups_[static_cast<size_t>(g)].ns;
  for (size_t n = 0; n < group_of_node_.size(); ++n) whole += group_of_node_[n] < 0 ? graph_->nodes[n].ns : 0;
  return whole;
}

bool GraphViewModel::hides_most() const {
  constexpr double kMostOfIt = 0.5;
  double hidden = 0;
  for (const GraphGroup& g : groups_) {
    if (!g.open && (g.parent < 0 || groups_[static_cast<size_t>(g.parent)].open)) hidden = std::max(hidden, g.ns);
  }
  return hidden > kMostOfIt * whole_time();
}

void GraphViewModel::open_up_to(size_t most) {
  for (GraphGroup& g : groups_) g.open = false;
  size_t count = visible_count();
  const bool timed =
      std::any_of(roots_.begin(), roots_.end(), [&](int32_t g) { return groups_[static_cast<size_t>(g)].ns > 0; });
  if (timed) {
    open_along_cost(most, count);
    const std::vector<bool> along = open_groups();
    const bool hid_most = hides_most();
    open_around_costliest(most);
    // Where both have no room, one node is not worth a closed group with most of the time.
    if (most < kFirstBoxes && !hid_most && hides_most()) set_open_groups(along);
    return;
  }
  // Without times level by level while there is room.
  std::vector<int32_t> level = roots_;
  while (!level.empty()) {
    std::vector<int32_t> next;
    for (const int32_t g : level) {
      GraphGroup& group = groups_[static_cast<size_t>(g)];
      group.open = true;
      next.insert(next.end(), group.groups.begin(), group.groups.end());
    }
    const size_t opened = visible_count();
    if (opened > most) {
      for (const int32_t g : level) groups_[static_cast<size_t>(g)].open = false;
      break;
    }
    count = opened;
    level = std::move(next);
  }
  open_one_by_one(level, most, count);
}

/// The costliest closed group first, then what is in it, and so on while there is room. Where much is to be seen
/// already, what costs little stays closed.
void GraphViewModel::open_along_cost(size_t most, size_t count) {
  constexpr double kLittleCost = 0.05;
  const size_t little = std::min<size_t>(15, most);
  const double whole = whole_time();
  std::vector<int32_t> closed = roots_;
  while (!closed.empty()) {
    const auto costliest = std::max_element(closed.begin(), closed.end(), [&](int32_t a, int32_t b) {
      return groups_[static_cast<size_t>(a)].ns < groups_[static_cast<size_t>(b)].ns;
    });
    GraphGroup& group = groups_[static_cast<size_t>(*costliest)];
    closed.erase(costliest);
    if (group.ns < kLittleCost * whole && count >= little) break;
    // A delegate that holds the whole model is opened even if it is large.
    const size_t after = count + group.nodes.size() + group.groups.size() - 1;
    if (after > most && count > 3) continue;
    group.open = true;
    count = after;
    closed.insert(closed.end(), group.groups.begin(), group.groups.end());
  }
}

/// If little is to be seen, more of a level.
void GraphViewModel::open_one_by_one(const std::vector<int32_t>& level, size_t most, size_t count) {
  const size_t little = std::min<size_t>(15, most);
  for (const int32_t g : level) {
    GraphGroup& group = groups_[static_cast<size_t>(g)];
    if (count >= little) break;
    const size_t more = group.nodes.size() + group.groups.size() - 1;
    if (count + more > most && count > 3) continue;
    group.open = true;
    count += more;
  }
}

/// What costs most is to be seen at first, unless the group around it is too large to draw.
void GraphViewModel::open_around_costliest(size_t most) {
  const size_t largest = most == kFirstBoxes ? 200 : most;
  const int32_t costliest = first_costliest_node();
  if (costliest < 0) return;
  std::vector<int32_t> around;
  for (int32_t g = group_of_node_[static_cast<size_t>(costliest)]; g >= 0; g = groups_[static_cast<size_t>(g)].parent)
    around.push_back(g);
  for (auto g = around.rbegin(); g != around.rend(); ++g) {
    GraphGroup& group = groups_[static_cast<size_t>(*g)];
    if (!group.open && group.nodes.size() + group.groups.size() > largest) break;
    group.open = true;
  }
  // Others make room for them, the cheapest first.
  std::vector<int32_t> others;
  for (size_t g = 0; g < groups_.size(); ++g) {
    const auto index = static_cast<int32_t>(g);
    if (groups_[g].open && std::find(around.begin(), around.end(), index) == around.end()) others.push_back(index);
  }
  std::stable_sort(others.begin(), others.end(), [&](int32_t a, int32_t b) {
    return groups_[static_cast<size_t>(a)].ns < groups_[static_cast<size_t>(b)].ns;
  });
  for (const int32_t g : others) {
    if (visible_count() <= most) break;
    groups_[static_cast<size_t>(g)].open = false;
  }
  // What does not fit even so is closed again, the innermost first: a mark tells which group holds it.
  for (auto g = around.begin(); most < kFirstBoxes && g != around.end() && visible_count() > most; ++g)
    groups_[static_cast<size_t>(*g)].open = false;
}

void GraphViewModel::reveal(int32_t node) {
  if (node < 0 || static_cast<size_t>(node) >= group_of_node_.size()) return;
  bool changed = false;
  for (int32_t g = group_of_node_[static_cast<size_t>(node)]; g >= 0; g = groups_[static_cast<size_t>(g)].parent) {
    changed = changed || !groups_[static_cast<size_t>(g)].open;
    groups_[static_cast<size_t>(g)].open = true;
  }
  if (changed) build_scene();
}

}  // namespace et::gui
