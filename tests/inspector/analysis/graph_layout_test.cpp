// Layouts: boxes keep their sizes and do not overlap, clusters enclose what they hold and nothing else.
#include "inspector/analysis/graph/graph_layout.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

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
      EXPECT_EQ(overlap(out.clusters[c], out.boxes[i]), in_it) << "box " << i << ", cluster " << c;
      EXPECT_EQ(out.clusters[c].contains(out.boxes[i]), in_it) << "box " << i << ", cluster " << c;
    }
  }
  for (const auto& points : out.edges) EXPECT_TRUE(points.empty() || points.size() % 3 == 1);
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
  void SetUp() override {
    if (GetParam() && !has_graphviz()) GTEST_SKIP() << "built without Graphviz";
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

TEST(GraphLayout, HugeGraphsGetLayers) {
  const LayoutInput in = sample(5000, false);
  const GraphLayout out = layout_graph(in);
  EXPECT_FALSE(out.graphviz);
  EXPECT_EQ(out.boxes.size(), in.boxes.size());
}

}  // namespace
}  // namespace et::inspector::test
