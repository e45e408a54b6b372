// Layouts: boxes keep their sizes and do not overlap, clusters enclose what they hold and nothing else.
#include "inspector/analysis/graph/graph_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "inspector/analysis/graph/fold_layout.h"

namespace et::inspector::test {
namespace {

bool overlap(const LayoutRect& a, const LayoutRect& b) {
  constexpr float kSlack = 0.5F;  // rounding to points
  return a.min.x + kSlack < b.max.x && b.min.x + kSlack < a.max.x && a.min.y + kSlack < b.max.y &&
         b.min.y + kSlack < a.max.y;
}

bool inside(const LayoutInput& in, int32_t cluster, int32_t of) {
  for (; cluster >= 0; cluster = in.clusters[static_cast<size_t>(cluster)].parent) {
    if (cluster == of) return true;
  }
  return false;
}

LayoutPoint on_curve(const LayoutPoint* p, float t) {
  const float u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x, a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

/// Boxes other than its ends that an edge runs through, -1 for none.
int32_t crossed(const LayoutInput& in, const GraphLayout& out, size_t edge) {
  const auto& points = out.edges[edge];
  constexpr int kSteps = 24;
  constexpr float kTouch = 1;  // along an edge of the box is not through it
  for (size_t i = 0; i + 3 < points.size(); i += 3) {
    for (int s = 0; s <= kSteps; ++s) {
      const LayoutPoint p = on_curve(&points[i], static_cast<float>(s) / kSteps);
      for (size_t b = 0; b < out.boxes.size(); ++b) {
        const auto box = static_cast<int32_t>(b);
        if (box == in.edges[edge].from || box == in.edges[edge].to) continue;
        const LayoutRect& r = out.boxes[b];
        if (p.x > r.min.x + kTouch && p.x < r.max.x - kTouch && p.y > r.min.y + kTouch && p.y < r.max.y - kTouch)
          return box;
      }
    }
  }
  return -1;
}

void check(const LayoutInput& in, const GraphLayout& out) {
  ASSERT_EQ(out.boxes.size(), in.boxes.size());
  ASSERT_EQ(out.clusters.size(), in.clusters.size());
  ASSERT_EQ(out.edges.size(), in.edges.size());
  const LayoutRect page = {{-1, -1}, {out.width + 1, out.height + 1}};
  for (size_t i = 0; i < in.boxes.size(); ++i) {
    EXPECT_NEAR(out.boxes[i].width(), in.boxes[i].width, 0.1);
    EXPECT_NEAR(out.boxes[i].height(), in.boxes[i].height, 0.1);
    EXPECT_TRUE(page.contains(out.boxes[i]));
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(overlap(out.boxes[i], out.boxes[j])) << i << " " << j;
    for (size_t c = 0; c < in.clusters.size(); ++c) {
      const bool in_it = inside(in, in.boxes[i].cluster, static_cast<int32_t>(c));
      bool overlaps = overlap(out.clusters[c], out.boxes[i]), contains = out.clusters[c].contains(out.boxes[i]);
      for (const auto& [of, piece] : out.pieces) {
        if (of != static_cast<int32_t>(c)) continue;
        overlaps = overlaps || overlap(piece, out.boxes[i]);
        contains = contains || piece.contains(out.boxes[i]);
      }
      EXPECT_EQ(overlaps, in_it) << "box " << i << ", cluster " << c;
      EXPECT_EQ(contains, in_it) << "box " << i << ", cluster " << c;
    }
  }
  for (size_t e = 0; e < in.edges.size(); ++e) {
    const auto& points = out.edges[e];
    const LayoutEdge& edge = in.edges[e];
    EXPECT_TRUE(points.empty() || points.size() % 3 == 1);
    EXPECT_EQ(crossed(in, out, e), -1) << "edge " << e << " from " << edge.from << " to " << edge.to;
    if (edge.from == edge.to) continue;
    ASSERT_FALSE(points.empty());
    const LayoutRect &a = out.boxes[static_cast<size_t>(edge.from)], &b = out.boxes[static_cast<size_t>(edge.to)];
    EXPECT_TRUE(a.min.x - 1 < points.front().x && points.front().x < a.max.x + 1 && points.front().y > a.min.y - 1)
        << "edge " << e << " begins at its box";
    EXPECT_TRUE(b.min.x - 1 < points.back().x && points.back().x < b.max.x + 1 && points.back().y < b.max.y + 1)
        << "edge " << e << " ends at its box";
  }
}

// Layers of boxes in nested clusters, with edges that skip some.
LayoutInput sample(int count, bool clusters) {
  LayoutInput in;
  for (int i = 0; i < count; ++i) {
    const int32_t cluster = clusters && i % 10 > 1 ? i / 10 * 2 + (i % 10 > 6 ? 1 : 0) : -1;
    in.boxes.push_back({80.0F + static_cast<float>(i % 7) * 10, 30, cluster});
    if (i > 0) in.edges.push_back({i - 1, i});
    if (i > 4 && i % 4 == 0) in.edges.push_back({i - 5, i});
  }
  for (int i = 0; clusters && i < (count + 9) / 10; ++i) {
    in.clusters.push_back({-1, 90, 16});
    in.clusters.push_back({i * 2, 60, 16});
  }
  return in;
}

class Layouts : public ::testing::TestWithParam<bool> {
 protected:
  GraphLayout layout(const LayoutInput& in) {
    GraphLayout out;
    if (!GetParam()) return layout_in_layers(in);
    const Status status = layout_with_graphviz(in, &out);
    EXPECT_TRUE(status.ok()) << status.message();
    return out;
  }
};

TEST_P(Layouts, PlacesBoxes) {
  const LayoutInput in = sample(40, false);
  const GraphLayout out = layout(in);
  check(in, out);
  // Edges run downwards.
  for (const LayoutEdge& e : in.edges) {
    EXPECT_LT(out.boxes[static_cast<size_t>(e.from)].min.y, out.boxes[static_cast<size_t>(e.to)].min.y);
  }
}
TEST_P(Layouts, PlacesNestedClusters) {
  const LayoutInput in = sample(60, true);
  check(in, layout(in));
}
TEST_P(Layouts, ManagesCirclesAndLoops) {
  LayoutInput in = sample(12, true);
  in.edges.push_back({9, 2});
  in.edges.push_back({5, 5});
  check(in, layout(in));
}
// A column of boxes in a wide window.
TEST_P(Layouts, FoldsIntoColumns) {
  for (const bool clusters : {false, true}) {
    for (const int count : {20, 40, 60, 90}) {
      const LayoutInput in = sample(count, clusters);
      const GraphLayout whole = layout(in), out = fold_layout(in, whole, 900, 600);
      check(in, out);
      const auto zoom = [](const GraphLayout& l) { return std::min(900 / l.width, 600 / l.height); };
      EXPECT_GT(zoom(out), 1.15F * std::min(1.0F, zoom(whole))) << count;
      // Inside of a column edges still run downwards, and those to the next one arrive at its top.
      for (const std::vector<LayoutPoint>& points : out.edges) {
        for (size_t i = 1; i < points.size(); ++i) {
          EXPECT_TRUE(std::isfinite(points[i].x) && points[i].x >= -1 && points[i].x <= out.width + 1);
          EXPECT_TRUE(std::isfinite(points[i].y) && points[i].y >= -1 && points[i].y <= out.height + 1);
        }
      }
    }
  }
}
TEST(GraphLayout, RowsStandAsCloseAsIsAsked) {
  LayoutInput in = sample(12, false);
  GraphLayout wide, close;
  ASSERT_TRUE(layout_with_graphviz(in, &wide).ok());
  in.row_gap = 20;
  ASSERT_TRUE(layout_with_graphviz(in, &close).ok());
  EXPECT_LT(close.height, wide.height - 12);
  check(in, close);
}

// A cluster that is cut has room for its title, as far as it was that wide.
TEST_P(Layouts, FoldedClustersKeepRoomForTheirTitles) {
  size_t cut = 0;
  for (const int count : {20, 40, 60, 90}) {
    LayoutInput in = sample(count, true);
    for (LayoutCluster& c : in.clusters) c.label_width = 160;
    const GraphLayout whole = layout(in), out = fold_layout(in, whole, 900, 600);
    cut += out.pieces.size();
    for (size_t c = 0; c < in.clusters.size(); ++c)
      EXPECT_GE(out.clusters[c].width() + 0.01F, std::min(whole.clusters[c].width(), 160.0F)) << count << " " << c;
  }
  EXPECT_GT(cut, 0U);
}
// A cluster that is just being opened is seen in one piece, or from the top of a column.
TEST_P(Layouts, FoldsKeepAClusterTogether) {
  LayoutInput in;
  in.clusters.push_back({-1, 60, 20});
  size_t cut = 0, kept = 0, begun = 0, begun_anyway = 0;
  for (int begin = 6; begin < 30; ++begin) {
    in.boxes.clear();
    in.edges.clear();
    for (int i = 0; i < 40; ++i) {
      in.boxes.push_back({90, 40, i >= begin && i < begin + 6 ? 0 : -1});
      if (i > 0) in.edges.push_back({i - 1, i});
    }
    const GraphLayout whole = layout(in), any = fold_layout(in, whole, 900, 600),
                      out = fold_layout(in, whole, 900, 600, 0);
    check(in, out);
    cut += any.pieces.empty() ? 0 : 1;
    kept += out.pieces.empty() ? 1 : 0;
    // Below the lanes of the edges that lead there.
    constexpr float kTop = 90;
    begun += out.clusters[0].min.y < kTop ? 1 : 0;
    begun_anyway += any.clusters[0].min.y < kTop ? 1 : 0;
  }
  EXPECT_GT(cut, 4U) << "else nothing was at stake";
  EXPECT_GE(kept, 21U);
  EXPECT_GT(begun, begun_anyway + 4) << "columns begin with it";
}
TEST_P(Layouts, FoldsOnlyWhatGains) {
  const LayoutInput small = sample(4, false);
  EXPECT_TRUE(fold_layout(small, layout(small), 2000, 2000).pieces.empty());
  EXPECT_EQ(fold_layout(small, layout(small), 2000, 2000).height, layout(small).height) << "it fits as it is";
  const LayoutInput in = sample(40, false);
  EXPECT_EQ(fold_layout(in, layout(in), 120, 4000).height, layout(in).height) << "the room is as narrow as the graph";
  EXPECT_EQ(fold_layout(in, layout(in), 0, 0).height, layout(in).height);
  EXPECT_TRUE(fold_layout({}, {}, 900, 600).boxes.empty());
  // Everything reads the first box: no cut crosses few edges.
  LayoutInput star = sample(1, false);
  for (int i = 1; i < 60; ++i) {
    star.boxes.push_back({80, 30, -1});
    star.edges.push_back({i - 1, i});
    if (i > 1) star.edges.push_back({0, i});
  }
  check(star, fold_layout(star, layout(star), 900, 600));
}
TEST_P(Layouts, ManagesNothingAndOne) {
  EXPECT_TRUE(layout({}).boxes.empty());
  LayoutInput one;
  one.boxes.push_back({50, 20, -1});
  check(one, layout(one));
}
INSTANTIATE_TEST_SUITE_P(Both, Layouts, ::testing::Bool(),
                         [](const auto& which) { return which.param ? "Graphviz" : "Layers"; });

TEST(GraphLayout, IsQuickAndMayBeCalledFromSeveralThreads) {
  const LayoutInput in = sample(500, true);
  const auto start = std::chrono::steady_clock::now();
  GraphLayout out = layout_graph(in);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
  EXPECT_LT(seconds, 10);  // sanitizers are slow; about 0.1 s without
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { check(sample(30, true), layout_graph(sample(30, true))); });
  for (std::thread& t : threads) t.join();
}

// A transformer of thousands of nodes with every module open: in seconds, also without optimization.
TEST(GraphLayout, HugeGraphsTakeABoundedTime) {
  for (const bool clusters : {false, true}) {
    const LayoutInput in = sample(6000, clusters);
    const auto start = std::chrono::steady_clock::now();
    const GraphLayout out = layout_graph(in);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    RecordProperty(clusters ? "with_clusters_ms" : "without_clusters_ms", static_cast<int>(seconds * 1000));
    EXPECT_LT(seconds, 20);
    ASSERT_EQ(out.boxes.size(), in.boxes.size());
    for (const LayoutRect& r : out.boxes) EXPECT_TRUE(r.min.x >= 0 && r.max.x <= out.width && r.max.y <= out.height);
  }
}

}  // namespace
}  // namespace et::inspector::test
