// The layout without Graphviz: each cluster is laid out for itself, innermost first, and then is a box of the one
// around it. Within one level: layers by the longest path, order by the means of the neighbours, layers centred.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "inspector/analysis/graph/graph_layout.h"

namespace et::inspector {
namespace {

constexpr float kGapX = 22, kGapY = 34, kPadding = 12;

struct Item {
  int32_t box = -1, cluster = -1;
  float width = 0, height = 0;
  size_t layer = 0;
  double order = 0;
  LayoutPoint at = {};  // left upper corner, relative to the cluster
  std::vector<size_t> from = {}, to = {};
};

class Layers {
 public:
  explicit Layers(const LayoutInput& input) : in_(input) {
    content_.resize(in_.clusters.size());
    for (size_t b = 0; b < in_.boxes.size(); ++b) {
      items_of(in_.boxes[b].cluster)
          .push_back({.box = static_cast<int32_t>(b), .width = in_.boxes[b].width, .height = in_.boxes[b].height});
    }
  }

  GraphLayout run() {
    out_.boxes.resize(in_.boxes.size());
    out_.clusters.resize(in_.clusters.size());
    for (size_t c = in_.clusters.size(); c-- > 0;) {  // a cluster stands behind the one around it
      LayoutPoint size = arrange(&content_[c]);
      const LayoutCluster& cluster = in_.clusters[c];
      size.x = std::max(size.x, cluster.label_width) + 2 * kPadding;
      size.y += 2 * kPadding + cluster.label_height;
      items_of(cluster.parent).push_back({.cluster = static_cast<int32_t>(c), .width = size.x, .height = size.y});
    }
    const LayoutPoint size = arrange(&root_);
    place(root_, {kPadding, kPadding});
    out_.width = size.x + 2 * kPadding;
    out_.height = size.y + 2 * kPadding;
    for (const LayoutEdge& e : in_.edges) route(e);
    return std::move(out_);
  }

 private:
  std::vector<Item>& items_of(int32_t cluster) { return cluster < 0 ? root_ : content_[static_cast<size_t>(cluster)]; }

  // All clusters around a box, the innermost first, then -1.
  std::vector<int32_t> around(int32_t box) const {
    std::vector<int32_t> out;
    for (int32_t c = in_.boxes[static_cast<size_t>(box)].cluster; c >= 0;
         c = in_.clusters[static_cast<size_t>(c)].parent) {
      out.push_back(c);
    }
    out.push_back(-1);
    return out;
  }

  void connect(std::vector<Item>* items) {
    std::map<int32_t, size_t> of_box, of_cluster;
    for (size_t i = 0; i < items->size(); ++i) {
      const Item& item = (*items)[i];
      (item.box >= 0 ? of_box[item.box] : of_cluster[item.cluster]) = i;
    }
    const auto find = [&](int32_t box) -> int64_t {
      if (const auto at = of_box.find(box); at != of_box.end()) return static_cast<int64_t>(at->second);
      for (const int32_t c : around(box)) {
        if (const auto at = of_cluster.find(c); at != of_cluster.end()) return static_cast<int64_t>(at->second);
      }
      return -1;
    };
    std::set<std::pair<size_t, size_t>> seen;
    for (const LayoutEdge& e : in_.edges) {
      const int64_t a = find(e.from), b = find(e.to);
      if (a < 0 || b < 0 || a == b) continue;
      const auto from = static_cast<size_t>(a), to = static_cast<size_t>(b);
      if (seen.contains({to, from}) || !seen.insert({from, to}).second) continue;  // no circles of two
      (*items)[from].to.push_back(to);
      (*items)[to].from.push_back(from);
    }
  }

  // Layer of each item: one below the deepest thing that it reads. Circles are cut where they close.
  static size_t find_layers(std::vector<Item>* items) {
    std::vector<size_t> waits(items->size());
    std::vector<size_t> ready;
    for (size_t i = 0; i < items->size(); ++i) {
      waits[i] = (*items)[i].from.size();
      if (waits[i] == 0) ready.push_back(i);
    }
    std::vector<bool> done(items->size(), false);
    size_t layers = 0, finished = 0, next = 0;
    while (finished < items->size()) {
      if (ready.empty()) {
        while (done[next]) ++next;
        ready.push_back(next);
      }
      const size_t i = ready.back();
      ready.pop_back();
      if (done[i]) continue;
      done[i] = true;
      ++finished;
      Item& item = (*items)[i];
      layers = std::max(layers, item.layer + 1);
      for (const size_t to : item.to) {
        if (done[to]) continue;
        (*items)[to].layer = std::max((*items)[to].layer, item.layer + 1);
        if (--waits[to] == 0) ready.push_back(to);
      }
    }
    return layers;
  }

  LayoutPoint arrange(std::vector<Item>* items) {
    if (items->empty()) return {};
    connect(items);
    std::vector<std::vector<size_t>> layers(find_layers(items));
    for (size_t i = 0; i < items->size(); ++i) {
      (*items)[i].order = static_cast<double>(layers[(*items)[i].layer].size());
      layers[(*items)[i].layer].push_back(i);
    }
    for (int sweep = 0; sweep < 6; ++sweep) {
      for (size_t l = 0; l < layers.size(); ++l) {
        const bool down = sweep % 2 == 0;
        auto& layer = layers[down ? l : layers.size() - 1 - l];
        std::map<size_t, double> mean;
        for (const size_t i : layer) {
          const Item& item = (*items)[i];
          const auto& near = down ? item.from : item.to;
          double sum = 0;
          for (const size_t n : near) sum += (*items)[n].order;
          mean[i] = near.empty() ? item.order : sum / static_cast<double>(near.size());
        }
        std::stable_sort(layer.begin(), layer.end(), [&](size_t a, size_t b) { return mean[a] < mean[b]; });
        for (size_t k = 0; k < layer.size(); ++k) (*items)[layer[k]].order = static_cast<double>(k);
      }
    }
    LayoutPoint size;
    std::vector<float> widths;
    for (const auto& layer : layers) {
      float width = 0, height = 0;
      for (const size_t i : layer) {
        (*items)[i].at = {width, size.y};
        width += (*items)[i].width + kGapX;
        height = std::max(height, (*items)[i].height);
      }
      for (const size_t i : layer) (*items)[i].at.y += (height - (*items)[i].height) / 2;
      widths.push_back(width - kGapX);
      size.x = std::max(size.x, width - kGapX);
      size.y += height + kGapY;
    }
    for (size_t l = 0; l < layers.size(); ++l) {
      for (const size_t i : layers[l]) (*items)[i].at.x += (size.x - widths[l]) / 2;
    }
    size.y -= kGapY;
    return size;
  }

  void place(const std::vector<Item>& items, LayoutPoint origin) {
    for (const Item& item : items) {
      const LayoutPoint a = {origin.x + item.at.x, origin.y + item.at.y};
      const LayoutRect rect = {a, {a.x + item.width, a.y + item.height}};
      if (item.box >= 0) {
        out_.boxes[static_cast<size_t>(item.box)] = rect;
        continue;
      }
      const auto c = static_cast<size_t>(item.cluster);
      out_.clusters[c] = rect;
      place(content_[c], {a.x + kPadding, a.y + kPadding + in_.clusters[c].label_height});
    }
  }

  void route(const LayoutEdge& e) {
    const LayoutRect& a = out_.boxes[static_cast<size_t>(e.from)];
    const LayoutRect& b = out_.boxes[static_cast<size_t>(e.to)];
    const LayoutPoint p = {(a.min.x + a.max.x) / 2, a.max.y}, q = {(b.min.x + b.max.x) / 2, b.min.y};
    const float bend = std::max(12.0F, (q.y - p.y) / 2);
    out_.edges.push_back({p, {p.x, p.y + bend}, {q.x, q.y - bend}, q});
  }

  const LayoutInput& in_;
  std::vector<Item> root_;
  std::vector<std::vector<Item>> content_;
  GraphLayout out_;
};

}  // namespace

GraphLayout layout_in_layers(const LayoutInput& input) { return Layers(input).run(); }

}  // namespace et::inspector
