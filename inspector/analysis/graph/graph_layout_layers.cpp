// Layers with routed edges, in a time that grows little faster than the graph. Each cluster is laid out for itself,
// innermost first, and then is one item of the level around it. Within a level items stand in layers by the longest
// path; what passes a layer has a slot of its own in it, as an item without height, so that edges turn only in the gaps
// between layers and never cross a box. All edges of one box share a line through a level until they part.
#include <algorithm>
#include <cmath>
#include <map>

#include "inspector/analysis/graph/graph_layout.h"
#include "inspector/analysis/graph/layer_level.h"

namespace et::inspector {
namespace {

/// Around what a cluster holds.
constexpr float kPadding = 12;

class LayeredLayout {
 public:
  explicit LayeredLayout(const LayoutInput& input) : in_(input), levels_(input.clusters.size() + 1) {
    item_of_cluster_.resize(in_.clusters.size());
    for (const LayoutBox& box : in_.boxes) {
      item_of_box_.push_back(level_of(box.cluster).add_box(box.width, box.height));
    }
    for (size_t c = 0; c < in_.clusters.size(); ++c) {
      item_of_cluster_[c] = level_of(in_.clusters[c].parent).add_box(0, 0);
    }
  }

  GraphLayout run() {
    for (const LayoutEdge& e : in_.edges) connect(e);
    for (size_t c = in_.clusters.size(); c-- > 0;) {  // a cluster stands behind the one around it
      LayerLevel& level = levels_[c + 1];
      arrange(&level, static_cast<int32_t>(c));
      const LayoutCluster& cluster = in_.clusters[c];
      level.shift(std::max(0.0F, cluster.label_width - level.width()) / 2);
      level_of(cluster.parent)
          .resize(item_of_cluster_[c], std::max(level.width(), cluster.label_width) + 2 * kPadding,
                  level.height() + 2 * kPadding + cluster.label_height);
    }
    arrange(&levels_[0], -1);
    place();
    for (const LayoutEdge& e : in_.edges) route(e);
    out_.width = levels_[0].width() + 2 * kPadding;
    out_.height = levels_[0].height() + 2 * kPadding;
    return std::move(out_);
  }

 private:
  LayerLevel& level_of(int32_t cluster) { return levels_[static_cast<size_t>(cluster + 1)]; }
  int32_t parent_of(int32_t cluster) const { return in_.clusters[static_cast<size_t>(cluster)].parent; }
  int32_t cluster_of(int32_t box) const { return in_.boxes[static_cast<size_t>(box)].cluster; }

  /// Clusters from the innermost around the box to `until`, which is not among them.
  std::vector<int32_t> around(int32_t box, int32_t until) const {
    std::vector<int32_t> out;
    for (int32_t c = cluster_of(box); c != until && c >= 0; c = parent_of(c)) out.push_back(c);
    return out;
  }

  /// Innermost cluster around both, -1 for none.
  int32_t common(int32_t a, int32_t b) const {
    std::vector<int32_t> above = around(a, -1);
    for (int32_t c = cluster_of(b); c >= 0; c = parent_of(c)) {
      if (std::find(above.begin(), above.end(), c) != above.end()) return c;
    }
    return -1;
  }

  /// What stands for the box in the level of that cluster: itself, or the cluster there that holds it.
  size_t item_in(int32_t cluster, int32_t box) const {
    int32_t c = cluster_of(box);
    if (c == cluster) return item_of_box_[static_cast<size_t>(box)];
    while (parent_of(c) != cluster) c = parent_of(c);
    return item_of_cluster_[static_cast<size_t>(c)];
  }

  void connect(const LayoutEdge& e) {
    if (e.from == e.to) return;
    const int32_t meeting = common(e.from, e.to);
    for (const int32_t c : around(e.from, meeting)) {
      level_of(c).net(e.from, item_in(c, e.from)).leaves = true;
    }
    level_of(meeting).net(e.from, item_in(meeting, e.from)).add_end(item_in(meeting, e.to));
    for (const int32_t c : around(e.to, meeting)) {
      level_of(c).net(e.from, LayerNet::kOutside).add_end(item_in(c, e.to));
    }
  }

  void arrange(LayerLevel* level, int32_t cluster) {
    // Where lines enter and leave a cluster inside of this level, its own level says.
    std::map<size_t, int32_t> inner;
    for (size_t c = 0; c < in_.clusters.size(); ++c) {
      if (in_.clusters[c].parent == cluster) inner[item_of_cluster_[c]] = static_cast<int32_t>(c);
    }
    level->arrange([&](size_t item, int32_t source, bool entering) -> float {
      const auto at = inner.find(item);
      if (at == inner.end()) return -1;
      LayerLevel& inside = level_of(at->second);
      const LayerNet* net = inside.find_net(source);
      return net == nullptr ? -1 : kPadding + (entering ? net->enter_x : net->leave_x);
    });
  }

  void place() {
    out_.boxes.resize(in_.boxes.size());
    out_.clusters.resize(in_.clusters.size());
    origins_.assign(levels_.size(), {kPadding, kPadding});
    for (size_t c = 0; c < in_.clusters.size(); ++c) {
      const LayoutRect rect = rect_of(in_.clusters[c].parent, item_of_cluster_[c]);
      out_.clusters[c] = rect;
      origins_[c + 1] = {rect.min.x + kPadding, rect.min.y + kPadding + in_.clusters[c].label_height};
    }
    for (size_t b = 0; b < in_.boxes.size(); ++b) out_.boxes[b] = rect_of(in_.boxes[b].cluster, item_of_box_[b]);
  }

  LayoutRect rect_of(int32_t cluster, size_t item) {
    const LayoutPoint& origin = origins_[static_cast<size_t>(cluster + 1)];
    const LayoutRect r = level_of(cluster).rect(item);
    return {{origin.x + r.min.x, origin.y + r.min.y}, {origin.x + r.max.x, origin.y + r.max.y}};
  }

  void route(const LayoutEdge& e) {
    std::vector<LayoutPoint>& points = out_.edges.emplace_back();
    if (e.from == e.to) return;
    const int32_t meeting = common(e.from, e.to);
    const LayoutRect& from = out_.boxes[static_cast<size_t>(e.from)];
    LayerPath path({(from.min.x + from.max.x) / 2, from.max.y});
    for (const int32_t c : around(e.from, meeting)) {
      path.origin = origins_[static_cast<size_t>(c + 1)];
      level_of(c).leave(e.from, &path);
      path.down_to(out_.clusters[static_cast<size_t>(c)].max.y);
    }
    path.origin = origins_[static_cast<size_t>(meeting + 1)];
    level_of(meeting).pass(e.from, item_in(meeting, e.to), &path);
    std::vector<int32_t> inwards = around(e.to, meeting);
    for (auto c = inwards.rbegin(); c != inwards.rend(); ++c) {
      path.origin = origins_[static_cast<size_t>(*c + 1)];
      level_of(*c).pass(e.from, item_in(*c, e.to), &path);
    }
    points = path.take();
  }

  const LayoutInput& in_;
  std::vector<LayerLevel> levels_;  ///< [0] is what stands outside of all clusters
  std::vector<size_t> item_of_box_, item_of_cluster_;
  std::vector<LayoutPoint> origins_;  ///< of what is in each level
  GraphLayout out_;
};

}  // namespace

GraphLayout layout_in_layers(const LayoutInput& input) { return LayeredLayout(input).run(); }

}  // namespace et::inspector
