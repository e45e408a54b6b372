// Groups of ops that cost next to nothing, as the masks and positions that a transformer computes from its inputs: many
// boxes that nobody looks for. Only what hangs together, and what nothing else lies between, becomes a group, so that
// edges still run downwards.
#include <algorithm>
#include <vector>

#include "gui/models/graph_model.h"

namespace et::gui {

using inspector::GraphNode;

namespace {

constexpr double kSmall = 0.003, kSmallTogether = 0.05;  // of the graph's time
constexpr size_t kFewest = 4;                            // fewer are shown
constexpr size_t kSmallGraph = 40, kLargeGraph = 5000;   // of nodes: all are seen anyway; nobody waits for it

class SmallOps {
 public:
  explicit SmallOps(const inspector::GraphModel& graph) : graph_(graph), consumers_(graph.nodes.size()) {
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      for (const int32_t p : graph.nodes[n].producers)
        consumers_[static_cast<size_t>(p)].push_back(static_cast<int32_t>(n));
    }
  }

  /// Of these nodes, which are directly in one group, those that become groups of their own.
  std::vector<std::vector<int32_t>> among(const std::vector<int32_t>& nodes) const {
    std::vector<std::vector<int32_t>> out;
    std::vector<bool> open(graph_.nodes.size());  // small, and in no set yet
    for (const int32_t n : nodes) {
      const GraphNode& node = at(n);
      open[static_cast<size_t>(n)] = node.ns < kSmall * graph_.total_ns && node.bodies.empty() && node.part < 0;
    }
    for (const int32_t n : nodes) {
      if (!open[static_cast<size_t>(n)]) continue;
      const std::vector<int32_t> set = connected(n, &open);
      double ns = 0;
      for (const int32_t member : set) ns += at(member).ns;
      if (set.size() >= kFewest && ns < kSmallTogether * graph_.total_ns && is_left_once(set)) out.push_back(set);
    }
    return out;
  }

 private:
  const GraphNode& at(int32_t n) const { return graph_.nodes[static_cast<size_t>(n)]; }

  std::vector<int32_t> connected(int32_t from, std::vector<bool>* open) const {
    std::vector<int32_t> set = {from};
    (*open)[static_cast<size_t>(from)] = false;
    for (size_t i = 0; i < set.size(); ++i) {
      for (const auto* near : {&at(set[i]).producers, &consumers_[static_cast<size_t>(set[i])]}) {
        for (const int32_t n : *near) {
          if (!(*open)[static_cast<size_t>(n)]) continue;
          (*open)[static_cast<size_t>(n)] = false;
          set.push_back(n);
        }
      }
    }
    std::sort(set.begin(), set.end());
    return set;
  }

  /// Nothing that is computed from it flows back into it.
  bool is_left_once(const std::vector<int32_t>& set) const {
    std::vector<bool> seen(graph_.nodes.size());
    std::vector<int32_t> next = set;
    for (size_t i = 0; i < next.size(); ++i) {
      const bool outside = i >= set.size();
      for (const int32_t n : consumers_[static_cast<size_t>(next[i])]) {
        const bool inside = std::binary_search(set.begin(), set.end(), n);
        if (outside && inside) return false;
        if (inside || seen[static_cast<size_t>(n)]) continue;
        seen[static_cast<size_t>(n)] = true;
        next.push_back(n);
      }
    }
    return true;
  }

  const inspector::GraphModel& graph_;
  std::vector<std::vector<int32_t>> consumers_;
};

}  // namespace

void GraphViewModel::group_small_ops() {
  const size_t count = graph_->nodes.size();
  if (grouping_ == GraphGrouping::None || !(graph_->total_ns > 0) || count < kSmallGraph || count > kLargeGraph) return;
  const SmallOps small(*graph_);
  const auto groups = static_cast<int32_t>(groups_.size());
  for (int32_t parent = -1; parent < groups; ++parent) {
    std::vector<int32_t> nodes;
    if (parent >= 0) {
      nodes = groups_[static_cast<size_t>(parent)].nodes;
    } else {
      for (size_t n = 0; n < count; ++n)
        if (group_of_node_[n] < 0) nodes.push_back(static_cast<int32_t>(n));
    }
    const bool alone = parent >= 0 && groups_[static_cast<size_t>(parent)].groups.empty();
    for (const std::vector<int32_t>& set : small.among(nodes)) {
      // All that a module does is that module.
      if (!alone || set.size() < nodes.size()) add_small_ops(parent, set);
    }
  }
}

void GraphViewModel::add_small_ops(int32_t parent, const std::vector<int32_t>& set) {
  const auto index = static_cast<int32_t>(groups_.size());
  GraphGroup made;
  made.kind = GraphGroup::Kind::Small;
  made.label = "small ops";
  made.parent = parent;
  made.nodes = set;
  made.node_count = made.shown_nodes = static_cast<int64_t>(set.size());
  for (const int32_t n : set) {
    made.ns += graph_->nodes[static_cast<size_t>(n)].ns;
    group_of_node_[static_cast<size_t>(n)] = index;
  }
  groups_.push_back(std::move(made));
  if (parent < 0) return roots_.push_back(index);
  GraphGroup& around = groups_[static_cast<size_t>(parent)];
  around.groups.push_back(index);
  std::erase_if(around.nodes, [&](int32_t n) { return std::binary_search(set.begin(), set.end(), n); });
}

}  // namespace et::gui
