#include "inspector/analysis/graph/fold_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace et::inspector {

namespace {

constexpr float kGap = 26, kLane = 7;  // between columns; between edges that run side by side
constexpr float kContinued = 20;       // above a column that clusters go on in: room for their names
constexpr size_t kMostLanes = 6, kMostColumns = 6;
constexpr size_t kMostBoxes = 3000;  // beyond them nobody sees the whole anyway
constexpr float kWorthIt = 1.15F;    // columns must show the graph so much larger

using Cubic = std::array<LayoutPoint, 4>;

LayoutPoint between(LayoutPoint a, LayoutPoint b, float t) { return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t}; }

/// Both halves of a curve (de Casteljau).
std::pair<Cubic, Cubic> split(const Cubic& c, float t) {
  const LayoutPoint ab = between(c[0], c[1], t), bc = between(c[1], c[2], t), cd = between(c[2], c[3], t);
  const LayoutPoint abc = between(ab, bc, t), bcd = between(bc, cd, t), middle = between(abc, bcd, t);
  return {{c[0], ab, abc, middle}, {middle, bcd, cd, c[3]}};
}

/// Where the curve, whose ends are on both sides of y, crosses it.
float parameter_at(const Cubic& c, float y) {
  float low = 0, high = 1;
  for (int i = 0; i < 24; ++i) {
    const float middle = (low + high) / 2;
    const bool above = split(c, middle).first[3].y < y;
    (above ? low : high) = middle;
  }
  return (low + high) / 2;
}

Cubic curve(const std::vector<LayoutPoint>& points, size_t i) {
  return {points[i], points[i + 1], points[i + 2], points[i + 3]};
}

/// A horizontal line that cuts the graph in two, and the edges that it cuts, from left to right.
struct Cut {
  float y = 0;
  struct Crossing {
    size_t edge = 0, piece = 0;  ///< piece: index of its curve's first point
    float t = 0, x = 0;
  };
  std::vector<Crossing> crossings;
};

/// No cut where an edge turns back over the line: its parts would be in no order.
std::optional<Cut> cut_at(const GraphLayout& layout, float y) {
  Cut out;
  out.y = y;
  for (size_t e = 0; e < layout.edges.size(); ++e) {
    const auto& points = layout.edges[e];
    bool crossed = false;
    for (size_t i = 0; i + 3 < points.size(); i += 3) {
      const Cubic c = curve(points, i);
      const auto [low, high] = std::minmax({c[0].y, c[1].y, c[2].y, c[3].y});
      if (high < y || low > y) continue;
      if (c[0].y < y && c[3].y >= y) {
        if (crossed || out.crossings.size() == kMostLanes) return std::nullopt;
        crossed = true;
        const float t = parameter_at(c, y);
        out.crossings.push_back({e, i, t, split(c, t).first[3].x});
      } else if (c[0].y >= y && c[3].y < y) {
        return std::nullopt;
      }
    }
  }
  std::sort(out.crossings.begin(), out.crossings.end(),
            [](const Cut::Crossing& a, const Cut::Crossing& b) { return a.x < b.x; });
  return out;
}

/// Between the rows of boxes, off the titles and the ends of clusters.
std::vector<Cut> possible_cuts(const LayoutInput& input, const GraphLayout& layout) {
  constexpr float kClear = 3, kLeast = 6;
  std::vector<std::pair<float, float>> taken;
  for (const LayoutRect& r : layout.boxes) taken.emplace_back(r.min.y - kClear, r.max.y + kClear);
  // Nor between the top of a cluster and what is first in it, where its title is, nor below what is last.
  std::vector<std::pair<float, float>> filled(layout.clusters.size(), {layout.height, 0});
  for (size_t b = 0; b < layout.boxes.size(); ++b) {
    for (int32_t c = input.boxes[b].cluster; c >= 0; c = input.clusters[static_cast<size_t>(c)].parent) {
      auto& [top, bottom] = filled[static_cast<size_t>(c)];
      top = std::min(top, layout.boxes[b].min.y);
      bottom = std::max(bottom, layout.boxes[b].max.y);
    }
  }
  for (size_t c = 0; c < layout.clusters.size(); ++c) {
    taken.emplace_back(layout.clusters[c].min.y - kClear, filled[c].first);
    taken.emplace_back(filled[c].second, layout.clusters[c].max.y + kClear);
  }
  std::sort(taken.begin(), taken.end());
  std::vector<Cut> out;
  float end = taken.empty() ? 0 : taken.front().second;
  for (const auto& [from, to] : taken) {
    if (from - end >= kLeast) {
      if (std::optional<Cut> cut = cut_at(layout, (from + end) / 2)) out.push_back(std::move(*cut));
    }
    end = std::max(end, to);
  }
  return out;
}

/// What a cut costs, in columns, beside its own: through `kept` where that fits into a column, and less than nothing
/// right above it.
float price_of_kept(const std::vector<Cut>& cuts, const Cut& cut, const LayoutRect* kept, float column) {
  constexpr float kThrough = 0.3F, kAbove = -0.25F;
  if (kept == nullptr) return 0;
  if (cut.y > kept->min.y) return cut.y < kept->max.y && kept->height() <= column ? kThrough : 0;
  const bool nearest = std::none_of(cuts.begin(), cuts.end(),
                                    [&](const Cut& other) { return other.y > cut.y && other.y <= kept->min.y; });
  return nearest ? kAbove : 0;
}

/// `columns` - 1 cuts near equal heights, rather where fewer edges cross; fewer when there are not so many.
std::vector<const Cut*> choose(const std::vector<Cut>& cuts, float height, size_t columns, const LayoutRect* kept) {
  std::vector<const Cut*> out;
  for (size_t k = 1; k < columns; ++k) {
    const float wanted = height * static_cast<float>(k) / static_cast<float>(columns);
    const float part = height / static_cast<float>(columns);
    const Cut* best = nullptr;
    float least = 0.4F;  // of a column: farther away it is none of this column
    for (const Cut& cut : cuts) {
      if (!out.empty() && cut.y <= out.back()->y) continue;
      const float price = std::abs(cut.y - wanted) / part + 0.04F * static_cast<float>(cut.crossings.size()) +
                          price_of_kept(cuts, cut, kept, part);
      if (price < least) least = price, best = &cut;
    }
    if (best != nullptr) out.push_back(best);
  }
  return out;
}

class Folder {
 public:
  Folder(const LayoutInput& input, const GraphLayout& from, std::vector<const Cut*> cuts)
      : input_(input), from_(from), cuts_(std::move(cuts)), columns_(cuts_.size() + 1) {}

  GraphLayout fold() {
    GraphLayout out;
    out.graphviz = from_.graphviz;
    split_edges();
    split_clusters();
    place_columns(&out);
    for (const LayoutRect& r : from_.boxes) out.boxes.push_back(moved(r, column_of(r.min.y)));
    for (const auto& [cluster, list] : pieces_of()) {
      out.clusters.push_back(moved(list.front().second, list.front().first));
      for (size_t i = 1; i < list.size(); ++i)
        out.pieces.emplace_back(static_cast<int32_t>(cluster), moved(list[i].second, list[i].first));
    }
    join_edges(&out);
    return out;
  }

 private:
  struct Column {
    float left = 0, right = 0;  ///< of what lies in it, in the old layout
    bool any = false;
    LayoutPoint shift;             ///< from the old layout to the new one
    float bottom = 0, gutter = 0;  ///< new: end of its band; x where its gutter begins
  };
  struct Piece {
    std::vector<LayoutPoint> points;
    size_t column = 0;
  };

  size_t column_of(float y) const {
    size_t k = 0;
    while (k < cuts_.size() && y >= cuts_[k]->y) ++k;
    return k;
  }
  float band_top(size_t k) const { return k == 0 ? 0 : cuts_[k - 1]->y; }
  float band_bottom(size_t k) const { return k == cuts_.size() ? from_.height : cuts_[k]->y; }

  LayoutPoint moved(LayoutPoint p, size_t k) const { return {p.x + columns_[k].shift.x, p.y + columns_[k].shift.y}; }
  LayoutRect moved(const LayoutRect& r, size_t k) const { return {moved(r.min, k), moved(r.max, k)}; }

  void widen(size_t k, float left, float right) {
    Column& c = columns_[k];
    c.left = c.any ? std::min(c.left, left) : left;
    c.right = c.any ? std::max(c.right, right) : right;
    c.any = true;
  }

  // Where an edge is cut stands with the cuts, in the order from top to bottom.
  void split_edges() {
    edges_.resize(from_.edges.size());
    std::vector<std::vector<const Cut::Crossing*>> crossings(from_.edges.size());
    for (const Cut* cut : cuts_) {
      for (const Cut::Crossing& c : cut->crossings) crossings[c.edge].push_back(&c);
    }
    for (size_t e = 0; e < from_.edges.size(); ++e) {
      const auto& points = from_.edges[e];
      if (points.empty()) continue;
      Piece piece;
      piece.column = column_of(points.front().y);
      piece.points.push_back(points.front());
      size_t next = 0;
      for (size_t i = 0; i + 3 < points.size(); i += 3) {
        Cubic rest = curve(points, i);
        float done = 0;  // of this curve
        for (; next < crossings[e].size() && crossings[e][next]->piece == i; ++next) {
          const float t = (crossings[e][next]->t - done) / std::max(1e-6F, 1 - done);
          const auto [before, after] = split(rest, std::clamp(t, 0.0F, 1.0F));
          append(before, &piece);
          const size_t column = piece.column + 1;
          edges_[e].push_back(std::move(piece));
          piece = {{after[0]}, column};
          rest = after;
          done = crossings[e][next]->t;
        }
        append(rest, &piece);
      }
      edges_[e].push_back(std::move(piece));
    }
    for (const auto& pieces : edges_) {
      for (const Piece& p : pieces) {
        for (const LayoutPoint& at : p.points) widen(std::min(p.column, columns_.size() - 1), at.x, at.x);
      }
    }
  }
  static void append(const Cubic& c, Piece* piece) {
    piece->points.insert(piece->points.end(), c.begin() + 1, c.end());
  }

  // A piece is as wide as what is in it: the widest may be in another column.
  void split_clusters() {
    constexpr float kMargin = 10;
    in_cluster_.assign(from_.clusters.size(), {});
    const auto put = [&](int32_t cluster, size_t k, float left, float right) {
      if (cluster < 0) return;
      const LayoutRect& whole = from_.clusters[static_cast<size_t>(cluster)];
      const float a = std::max(whole.min.x, left - kMargin), b = std::min(whole.max.x, right + kMargin);
      const LayoutRect here = {{a, std::max(whole.min.y, band_top(k))}, {b, std::min(whole.max.y, band_bottom(k))}};
      for (auto& [column, rect] : in_cluster_[static_cast<size_t>(cluster)]) {
        if (column != k) continue;
        rect.min.x = std::min(rect.min.x, a);
        rect.max.x = std::max(rect.max.x, b);
        return;
      }
      in_cluster_[static_cast<size_t>(cluster)].emplace_back(k, here);
    };
    for (size_t b = 0; b < from_.boxes.size(); ++b) {
      const LayoutRect& r = from_.boxes[b];
      widen(column_of(r.min.y), r.min.x, r.max.x);
      put(input_.boxes[b].cluster, column_of(r.min.y), r.min.x, r.max.x);
    }
    for (size_t c = from_.clusters.size(); c-- > 0;) {
      const LayoutRect& whole = from_.clusters[c];
      auto& list = in_cluster_[c];
      if (list.empty()) list.emplace_back(column_of(whole.min.y), whole);
      std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      if (list.size() == 1) list.front().second = whole;
      // The title stands where the cluster begins.
      LayoutRect& first = list.front().second;
      const float title = input_.clusters[c].label_width;
      first.max.x = std::min(whole.max.x, std::max(first.max.x, first.min.x + title));
      first.min.x = std::max(whole.min.x, std::min(first.min.x, first.max.x - title));
      for (const auto& [k, rect] : list) {
        widen(k, rect.min.x, rect.max.x);
        put(input_.clusters[c].parent, k, rect.min.x, rect.max.x);
      }
    }
  }
  std::vector<std::pair<size_t, std::vector<std::pair<size_t, LayoutRect>>>> pieces_of() const {
    std::vector<std::pair<size_t, std::vector<std::pair<size_t, LayoutRect>>>> out;
    for (size_t c = 0; c < in_cluster_.size(); ++c) out.emplace_back(c, in_cluster_[c]);
    return out;
  }

  bool continues(size_t k) const {
    return std::any_of(in_cluster_.begin(), in_cluster_.end(), [k](const auto& list) {
      return std::any_of(list.begin(), list.end(),
                         [&](const auto& piece) { return piece.first == k && list.front().first < k; });
    });
  }
  float lanes_of(size_t cut) const { return kLane * static_cast<float>(cuts_[cut]->crossings.size() + 1); }

  void place_columns(GraphLayout* out) {
    float x = 0;
    for (size_t k = 0; k < columns_.size(); ++k) {
      Column& c = columns_[k];
      const float above = k == 0 ? 0 : lanes_of(k - 1) + (continues(k) ? kContinued : 0);
      const float below = k < cuts_.size() ? lanes_of(k) : 0;
      c.shift = {x - c.left, above - band_top(k)};
      c.bottom = above + band_bottom(k) - band_top(k);
      x += c.right - c.left;
      c.gutter = x;
      out->width = x;
      out->height = std::max(out->height, c.bottom + below);
      if (k < cuts_.size()) x += kGap + lanes_of(k);
    }
  }

  // The rightmost edge turns first and keeps outside all the way, so that none crosses another.
  void join_edges(GraphLayout* out) const {
    out->edges.resize(edges_.size());
    std::vector<size_t> done(edges_.size());
    for (size_t e = 0; e < edges_.size(); ++e) {
      for (const LayoutPoint& p : edges_[e].empty() ? std::vector<LayoutPoint>() : edges_[e][0].points)
        out->edges[e].push_back(moved(p, edges_[e][0].column));
    }
    for (size_t k = 0; k < cuts_.size(); ++k) {
      const auto& crossings = cuts_[k]->crossings;
      for (size_t i = 0; i < crossings.size(); ++i) {
        const size_t e = crossings[i].edge;
        const Piece& next = edges_[e][++done[e]];
        std::vector<LayoutPoint>& points = out->edges[e];
        const float lane = kLane * static_cast<float>(crossings.size() - i);
        const float x = columns_[k].gutter + kGap / 2 + lane;
        const LayoutPoint entry = moved(next.points.front(), k + 1);
        const float below = columns_[k].bottom + lane;
        straight_to({points.back().x, below}, &points);
        straight_to({x, below}, &points);
        straight_to({x, lane}, &points);
        straight_to({entry.x, lane}, &points);
        straight_to(entry, &points);
        for (size_t p = 1; p < next.points.size(); ++p) points.push_back(moved(next.points[p], k + 1));
      }
    }
  }
  static void straight_to(LayoutPoint to, std::vector<LayoutPoint>* points) {
    const LayoutPoint from = points->back();
    points->insert(points->end(), {between(from, to, 1 / 3.0F), between(from, to, 2 / 3.0F), to});
  }

  const LayoutInput& input_;
  const GraphLayout& from_;
  std::vector<const Cut*> cuts_;
  std::vector<Column> columns_;
  std::vector<std::vector<Piece>> edges_;
  std::vector<std::vector<std::pair<size_t, LayoutRect>>> in_cluster_;  ///< by cluster: column and piece
};

float zoom_of(const GraphLayout& layout, float width, float height) {
  return std::min(width / std::max(1.0F, layout.width), height / std::max(1.0F, layout.height));
}

}  // namespace

GraphLayout fold_layout(const LayoutInput& input, GraphLayout layout, float width, float height, int32_t kept) {
  if (layout.boxes.size() > kMostBoxes || width <= 0 || height <= 0) return layout;
  float best_zoom = zoom_of(layout, width, height);
  if (best_zoom >= 1 || layout.height < layout.width) return layout;
  best_zoom *= kWorthIt;
  const std::vector<Cut> cuts = possible_cuts(input, layout);
  const LayoutRect* const whole = kept < 0 ? nullptr : &layout.clusters[static_cast<size_t>(kept)];
  std::optional<GraphLayout> best;
  for (size_t n = 2; n <= kMostColumns; ++n) {
    const std::vector<const Cut*> chosen = choose(cuts, layout.height, n, whole);
    if (chosen.size() + 1 != n) continue;
    GraphLayout folded = Folder(input, layout, chosen).fold();
    const float zoom = std::min(1.0F, zoom_of(folded, width, height));
    if (zoom <= best_zoom) continue;
    best_zoom = zoom;
    best = std::move(folded);
  }
  return best ? std::move(*best) : layout;
}

}  // namespace et::inspector
