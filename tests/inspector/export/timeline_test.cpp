#include "inspector/analysis/timeline/timeline.h"

#include <map>

#include "inspector/analysis/timeline/timeline_tree.h"
#include "tests/inspector/export/export_store.h"

namespace et::inspector {
namespace {

struct Drawn {
  std::string name;
  Slice slice;
  int64_t run;
};

std::vector<Drawn> draw(const Store& store, int64_t max_executions = 0) {
  Timeline t;
  Status s = Timeline::load(store, 1, &t);
  EXPECT_TRUE(s.ok()) << s.message();
  std::vector<Drawn> out;
  s = t.walk(store, max_executions, [&](const TimelineRun& run, std::span<const Slice> slices) {
    for (const Slice& x : slices) out.push_back({t.ops()[static_cast<size_t>(x.op)].entry->name, x, run.ordinal});
    return Status();
  });
  EXPECT_TRUE(s.ok()) << s.message();
  return out;
}

const Slice& find(const std::vector<Drawn>& all, const std::string& name, int64_t run, int64_t nth = 0) {
  for (const Drawn& d : all) {
    if (d.name == name && d.run == run && nth-- == 0) return d.slice;
  }
  ADD_FAILURE() << "no slice " << name << " in run " << run;
  return all.front().slice;
}

void expect_lanes_nest(const std::vector<Drawn>& all) {
  std::map<int32_t, std::vector<Slice>> open;
  std::map<int32_t, int64_t> last_end;
  for (const Drawn& d : all) {
    auto& stack = open[d.slice.lane];
    ASSERT_LE(static_cast<size_t>(d.slice.level), stack.size()) << d.name;
    stack.resize(static_cast<size_t>(d.slice.level));
    if (!stack.empty()) {
      EXPECT_GE(d.slice.start, stack.back().start) << d.name;
      EXPECT_LE(d.slice.end, stack.back().end) << d.name;
    }
    stack.push_back(d.slice);
  }
}

TEST(Timeline, NestsInnerEventsInTheirCallsAndSaysWhatItCutOff) {
  ExportStore x;
  fill_usual(&x);
  const auto all = draw(x.store);
  EXPECT_EQ(all.size(), static_cast<size_t>(x.samples));
  const Slice& second = find(all, "Clamp #1", 2);
  EXPECT_EQ(second.start, 40200);
  EXPECT_EQ(second.end, 41500) << "it ends with its delegate call";
  EXPECT_EQ(second.clamped, 700);
  EXPECT_EQ(second.level, 2);
  const Slice& first = find(all, "Clamp #1", 1);
  EXPECT_EQ(first.start, first.end);
  EXPECT_EQ(first.clamped, 0);
  EXPECT_EQ(first.level, 2);
  EXPECT_EQ(find(all, "OPERATOR_CALL", 1).level, 1) << "starts together with what encloses it";
}

TEST(Timeline, KeepsAForeignClockOnItsOwnTrack) {
  ExportStore x;
  fill_usual(&x);
  Timeline t;
  ASSERT_TRUE(Timeline::load(x.store, 1, &t).ok());
  ASSERT_EQ(t.tracks().size(), 2u);
  EXPECT_EQ(t.tracks()[1].clock, "cycles");
  const auto all = draw(x.store);
  EXPECT_EQ(find(all, "NPU", 1).level, 0);
  EXPECT_EQ(find(all, "NPU", 1).start, 77);
}

TEST(Timeline, PutsOverlappingNeighboursOnAnotherLane) {
  ExportStore x;
  const int64_t b = x.block();
  const int64_t outer = x.op(b, {.name = "Method::execute", .kind = "framework"});
  const int64_t left = x.op(b, {.name = "left", .parent = outer}), right = x.op(b, {.name = "right", .parent = outer});
  const int64_t inner = x.op(b, {.name = "inner", .parent = right});
  const int64_t r = x.execution(b);
  x.sample(outer, r, 0, 100);
  x.sample(left, r, 10, 50);
  x.sample(right, r, 40, 50);
  x.sample(inner, r, 45, 10);
  x.finish();
  const auto all = draw(x.store);
  EXPECT_EQ(find(all, "left", 0).lane, 0);
  EXPECT_EQ(find(all, "right", 0).lane, 1);
  EXPECT_EQ(find(all, "inner", 0).lane, 1) << "goes with what encloses it";
  EXPECT_EQ(find(all, "right", 0).clamped, 0);
}

TEST(Timeline, GivesEachTripOfALoopItsOwnInnerEvents) {
  ExportStore x;
  const int64_t b = x.block();
  const int64_t call = x.op(b, {.name = "OPERATOR_CALL"}),
                kernel = x.op(b, {.name = "kernel", .kind = "kernel", .parent = call});
  const int64_t r = x.execution(b);
  for (int i = 0; i < 4; ++i) x.sample(call, r, 100 * i, i == 2 ? 0 : 60);
  for (int i = 0; i < 4; ++i) x.sample(kernel, r, 100 * i, i == 2 ? 0 : 30);
  x.finish();
  const auto all = draw(x.store);
  ASSERT_EQ(all.size(), 8u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(all[2 * i].name, "OPERATOR_CALL");
    EXPECT_EQ(all[2 * i + 1].name, "kernel");
    EXPECT_EQ(all[2 * i + 1].slice.clamped, 0);
    EXPECT_EQ(all[2 * i].slice.sample, all[2 * i + 1].slice.sample);
  }
}

TEST(Timeline, ManySamplesAtTheSameInstantKeepTheirOrder) {
  ExportStore x;
  const int64_t b = x.block();
  const int64_t outer = x.op(b, {.name = "outer"});
  std::vector<int64_t> ops;
  for (int i = 0; i < 200; ++i) ops.push_back(x.op(b, {.name = "op" + std::to_string(i), .parent = outer}));
  const int64_t r = x.execution(b);
  x.sample(outer, r, 5, 10);
  for (const int64_t o : ops) x.sample(o, r, 5, 0);
  x.finish();
  const auto all = draw(x.store);
  ASSERT_EQ(all.size(), 201u);
  for (size_t i = 0; i < 200; ++i) EXPECT_EQ(all[i + 1].name, "op" + std::to_string(i));
  expect_lanes_nest(all);
}

TEST(Timeline, StopsAfterTheAskedNumberOfExecutions) {
  ExportStore x;
  fill_usual(&x);
  for (const Drawn& d : draw(x.store, 1)) EXPECT_LE(d.run, 1);
}

TEST(Timeline, RefusesAStoreWhoseOpsEncloseEachOther) {
  ExportStore x;
  const int64_t b = x.block();
  x.op(b, {.name = "a", .parent = 2});
  x.op(b, {.name = "b", .parent = 1});
  x.finish();
  Timeline t;
  const Status s = Timeline::load(x.store, 1, &t);
  EXPECT_EQ(s.code(), Error::InvalidExternalData);
  EXPECT_NE(s.message().find("enclose each other"), std::string::npos) << s.message();
}

TEST(Timeline, SaysWhenThereIsNoSuchTrace) {
  ExportStore x;
  Timeline t;
  EXPECT_EQ(Timeline::load(x.store, 7, &t).code(), Error::NotFound);
}

TEST(Timeline, HostileTimesNeitherOverflowNorBreakTheNesting) {
  ExportStore x;
  const int64_t b = x.block();
  const int64_t outer = x.op(b, {.name = "outer"}), inner = x.op(b, {.name = "inner", .parent = outer});
  const int64_t r = x.execution(b);
  x.sample(outer, r, INT64_MIN, 5);
  x.sample(outer, r, 100, -7);
  x.sample(outer, r, INT64_MAX - 3, INT64_MAX);
  for (int i = 0; i < 300; ++i) x.sample(inner, r, 99 - i % 7, INT64_MAX - i);
  x.run("UPDATE raw_op SET count = 1");
  EXPECT_TRUE(x.store.build_indexes().ok());
  const auto all = draw(x.store);
  EXPECT_EQ(all.size(), 303u);
  expect_lanes_nest(all);
}

TEST(TimelineTree, AddsUpToTheBlockEvenWhenInnerEventsAreRoundedUp) {
  ExportStore x;
  fill_usual(&x);
  Timeline t;
  ASSERT_TRUE(Timeline::load(x.store, 1, &t).ok());
  const TimelineTree tree = build_tree(t);
  for (size_t b = 0; b < t.blocks().size(); ++b) {
    int64_t sum = tree.rest[b];
    for (const int32_t i : t.blocks()[b].ops) {
      EXPECT_GE(tree.self[static_cast<size_t>(i)], 0);
      sum += tree.self[static_cast<size_t>(i)];
    }
    EXPECT_EQ(sum, t.blocks()[b].entry->total);
  }
}

TEST(TimelineTree, ShrinksInnerEventsThatAreLongerThanTheirCall) {
  ExportStore x;
  const int64_t b = x.block();
  const int64_t call = x.op(b, {.name = "DELEGATE_CALL", .kind = "delegate_call"});
  const int64_t p = x.op(b, {.name = "p", .parent = call}), q = x.op(b, {.name = "q", .parent = call});
  const int64_t r = x.execution(b);
  x.sample(call, r, 0, 1501);
  x.sample(p, r, 0, 2000);
  x.sample(q, r, 2000, 1000);
  x.finish();
  Timeline t;
  ASSERT_TRUE(Timeline::load(x.store, 1, &t).ok());
  const TimelineTree tree = build_tree(t);
  EXPECT_EQ(tree.self[0], 0);
  EXPECT_EQ(tree.self[1] + tree.self[2], 1501);
  EXPECT_NEAR(static_cast<double>(tree.self[1]), 1000.7, 1);
  EXPECT_EQ(tree.shrunk, 1499);
}

}  // namespace
}  // namespace et::inspector
