// Zooming, panning, gliding, and the ruler.
#include <gtest/gtest.h>

#include <set>

#include "gui/models/timeline_view.h"

namespace et::gui::test {
namespace {

TimelineView view_of(double extent) {
  TimelineView view;
  view.set_extent(1'000'000'000'000, 1'000'000'000'000 + static_cast<int64_t>(extent));
  return view;
}

void arrive(TimelineView* view) {
  for (int i = 0; i < 1000 && view->glide(0.016); ++i) {
  }
}

TEST(TimelineView, ZoomKeepsWhatTheMouseIsOn) {
  TimelineView view = view_of(1e9);
  for (const double at : {0.0, 0.3, 1.0}) {
    const double fixed = view.begin() + at * view.span(), before = view.span();
    view.zoom(0.5, at);
    for (int i = 0; i < 1000 && view.glide(0.016); ++i) {
      ASSERT_NEAR(view.begin() + at * view.span(), fixed, before * 1e-6) << "on the way, too";
    }
    EXPECT_NEAR(view.span(), before / 2, before * 1e-3);
  }
}

TEST(TimelineView, StopsAtNanosecondsAndAtTheWholeTrace) {
  TimelineView view = view_of(1e12);
  for (int i = 0; i < 300; ++i) view.zoom(0.5, 0.7);
  arrive(&view);
  EXPECT_GE(view.span(), 10);
  EXPECT_LE(view.span(), 40);
  for (int i = 0; i < 300; ++i) view.zoom(2, 0.1);
  arrive(&view);
  EXPECT_LE(view.span(), 1.2e12);
  EXPECT_LE(view.begin(), 0);
  EXPECT_GE(view.end(), 1e12);
}

TEST(TimelineView, PansNoFurtherThanTheTrace) {
  TimelineView view = view_of(1e6);
  view.show(4e5, 5e5, 0);
  view.jump();
  view.pan(0.5);
  EXPECT_DOUBLE_EQ(view.begin(), 4.5e5);
  EXPECT_DOUBLE_EQ(view.end(), 5.5e5);
  for (int i = 0; i < 100; ++i) view.pan(1);
  EXPECT_LE(view.begin(), 1e6);
  for (int i = 0; i < 100; ++i) view.pan(-1);
  EXPECT_GE(view.end(), 0);
}

TEST(TimelineView, RevealsWithoutNeedlessZoom) {
  TimelineView view = view_of(1e6);
  view.show(0, 1e5, 0);
  view.jump();
  view.reveal(2e4, 3e4);
  EXPECT_EQ(view.wanted_begin(), 0) << "it is seen already";
  view.reveal(5e5, 5.1e5);
  EXPECT_DOUBLE_EQ(view.wanted_end() - view.wanted_begin(), 1e5);
  EXPECT_LT(view.wanted_begin(), 5e5);
  EXPECT_GT(view.wanted_end(), 5.1e5);
  view.reveal(6e5, 6.0001e5);
  EXPECT_LT(view.wanted_end() - view.wanted_begin(), 1e4) << "a speck is made larger";
}

TEST(Ruler, TicksAreRoundApartAndInside) {
  for (const double span : {50.0, 999.0, 12'345.0, 1e6, 7.7e9, 3e13}) {
    for (const double begin : {0.0, -0.2 * span, 3.3 * span, 1e6 * span}) {
      const Ruler ruler = make_ruler(begin, begin + span, 1400, 110, "ns");
      std::vector<double> major;
      std::set<std::string> labels;
      for (const RulerTick& tick : ruler.ticks) {
        EXPECT_GE(tick.time, begin - span * 1e-6);
        EXPECT_LE(tick.time, begin + span * (1 + 1e-6));
        if (tick.label.empty()) continue;
        major.push_back(tick.time);
        EXPECT_TRUE(labels.insert(tick.label).second) << tick.label << " twice";
        EXPECT_LE(tick.label.size(), 14u) << tick.label;
      }
      ASSERT_GE(major.size(), 2u) << span;
      EXPECT_LE(major.size(), 13u);
      for (size_t i = 1; i < major.size(); ++i) EXPECT_GE((major[i] - major[i - 1]) / span * 1400, 109);
    }
  }
}

TEST(Ruler, LabelsHaveOneUnitAndNeededDigits) {
  const Ruler ruler = make_ruler(0, 2000, 1000, 100, "ns");
  ASSERT_FALSE(ruler.ticks.empty());
  EXPECT_EQ(ruler.ticks.front().label, "0.0 µs");
  EXPECT_EQ(ruler.base, "");
  EXPECT_EQ(make_ruler(0, 2000, 1000, 100, "cycles").ticks.front().label, "0.0 k");
  EXPECT_TRUE(make_ruler(5, 5, 1000, 100, "ns").ticks.empty());
}

}  // namespace
}  // namespace et::gui::test
