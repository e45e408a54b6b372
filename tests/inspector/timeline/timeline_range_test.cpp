// Statistics of a range, and stepping from sample to sample.
#include "inspector/analysis/timeline/timeline_range.h"

#include <algorithm>

#include "tests/inspector/timeline/traces.h"

namespace et::inspector {
namespace {

RangeStatistics statistics(const ImportedTrace& t, int64_t begin, int64_t end) {
  RangeStatistics out;
  const Status s = range_statistics(t.store, t.index, begin, end, {}, &out);
  EXPECT_TRUE(s.ok()) << s.message();
  return out;
}

TEST(TimelineRange, WholeTraceHasTheTotalsOfItsOps) {
  for (const std::string& name : timeline_artifacts()) {
    SCOPED_TRACE(name);
    const ImportedTrace t = ImportedTrace::artifact(name);
    const RangeStatistics all = statistics(t, t.begin, INT64_MAX / 2);
    size_t own = 0;
    for (const OpEntry& op : t.table.ops) own += op.on_trace_clock() && op.count > 0 ? 1 : 0;
    ASSERT_EQ(all.ops.size(), own);
    for (const RangeOp& r : all.ops) {
      const OpEntry& op = t.table.ops[static_cast<size_t>(r.op)];
      EXPECT_EQ(r.count, op.count) << op.name.str();
      EXPECT_EQ(r.total, op.sum) << op.name.str();
      EXPECT_EQ(r.self, op.self) << op.name.str();
    }
  }
}

TEST(TimelineRange, SelfTimesAndTheRestAreTheRange) {
  for (const std::string& name : timeline_artifacts()) {
    SCOPED_TRACE(name);
    const ImportedTrace t = ImportedTrace::artifact(name);
    const int64_t width = t.end - t.begin;
    for (int i = 0; i < 5; ++i) {
      const int64_t begin = t.begin + width / 7 * i, end = begin + width / 3;
      const RangeStatistics part = statistics(t, begin, end);
      int64_t sum = part.outside;
      for (const RangeOp& r : part.ops) sum += r.self;
      EXPECT_EQ(sum, end - begin);
      EXPECT_GE(part.outside, 0);
    }
  }
}

TEST(TimelineRange, StepsThroughAllSamplesOfAnOpInBothDirections) {
  ImportedTrace t = ImportedTrace::artifact("control_flow_map");
  for (const int64_t in_memory : {int64_t{0}, TimelineIndex::kInMemory}) {
    t.load(in_memory);
    SampleReader reader(t.store, t.index);
    const std::vector<int32_t> ops = {3};
    int64_t time = t.begin - 1, steps = 0;
    while (const auto next = neighbour_sample(reader, t.index, ops, {time}, true)) {
      EXPECT_EQ(next->position, steps++);
      time = next->time.start;
    }
    EXPECT_EQ(steps, t.index.ops()[3].count);
    EXPECT_GT(steps, 10);
    while (const auto before = neighbour_sample(reader, t.index, ops, {time}, false)) {
      EXPECT_LT(before->time.start, time);
      time = before->time.start;
      --steps;
    }
    EXPECT_EQ(steps, 1) << "all but the last";
  }
}

TEST(TimelineRange, NearestOfSeveralOps) {
  const ImportedTrace t = ImportedTrace::artifact("partial_delegation");
  SampleReader reader(t.store, t.index);
  std::vector<int32_t> all;
  for (size_t i = 0; i < t.table.ops.size(); ++i) all.push_back(static_cast<int32_t>(i));
  int64_t time = t.begin - 1;
  for (auto next = neighbour_sample(reader, t.index, all, {time}, true); next;
       next = neighbour_sample(reader, t.index, all, {time}, true)) {
    for (const int32_t op : all) {
      const int64_t count = t.index.ops()[static_cast<size_t>(op)].count;
      const int64_t p = reader.first_from(op, 0, count, time + 1);
      if (p < count) {
        EXPECT_GE(reader.at(op, p).start, next->time.start);
      }
    }
    time = next->time.start;
  }
  EXPECT_FALSE(neighbour_sample(reader, t.index, {}, {time}, true));
}

// Enclosing and enclosed samples often start in the same tick: none is passed over, none comes twice.
TEST(TimelineRange, StepsVisitEachSampleOfSeveralOpsOnce) {
  for (const std::string& name : timeline_artifacts()) {
    SCOPED_TRACE(name);
    const ImportedTrace t = ImportedTrace::artifact(name);
    SampleReader reader(t.store, t.index);
    std::vector<int32_t> all;
    int64_t expected = 0;
    for (size_t i = 0; i < t.table.ops.size(); ++i) {
      all.push_back(static_cast<int32_t>(i));
      if (t.index.places()[i].track == 0) expected += t.index.ops()[i].count;
    }
    if (expected > 2000) continue;
    std::vector<std::pair<int32_t, int64_t>> seen;
    SamplePlace at{t.begin - INT64_C(1'000'000'000'000)};
    while (const auto next = neighbour_sample(reader, t.index, all, at, true)) {
      at = {next->time.start, next->op, next->position};
      seen.emplace_back(next->op, next->position);
      ASSERT_EQ(count_samples_until(reader, t.index, all, at), static_cast<int64_t>(seen.size()));
    }
    EXPECT_EQ(static_cast<int64_t>(seen.size()), expected);
    for (auto back = seen.rbegin() + 1; back < seen.rend(); ++back) {
      const auto before = neighbour_sample(reader, t.index, all, at, false);
      ASSERT_TRUE(before);
      EXPECT_EQ(std::pair(before->op, before->position), *back);
      at = {before->time.start, before->op, before->position};
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
  }
}

}  // namespace
}  // namespace et::inspector
